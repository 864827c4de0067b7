package pool

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/selector"
)

// Reach is what a selector of pools comes to.
type Reach int

// The ways in which a machineConfigPoolSelector selects pools, or none.
const (
	Reached    Reach = iota
	NoSelector       // there is none, or an empty one, which selects no pool
	NodeLabel        // it asks for a label of nodes
	Nowhere          // no pool has its labels, and those that are there are all
	Unlabelled       // no pool has its labels until somebody labels one
)

// roleLabel begins the labels of nodes' roles.
const roleLabel = "node-role.kubernetes.io/"

// Selection are the pools whose labels a selector asks for; an empty selector is for none. listed says that the pools
// are all that the cluster has, with all their labels.
func Selection(s *openshift.LabelSelector, pools []openshift.MachineConfigPool, listed bool) (
	out []openshift.MachineConfigPool, reach Reach) {
	if selector.Empty(s) {
		return nil, NoSelector
	}
	for i := range pools {
		if selector.Selects(s, pools[i].Metadata.Labels) {
			out = append(out, pools[i])
		}
	}
	switch {
	case len(out) > 0:
		return out, Reached
	case RoleLabel(s) != "":
		return nil, NodeLabel
	case listed:
		return nil, Nowhere
	}
	return nil, Unlabelled
}

// RoleLabel is a label of nodes' roles that a selector asks for; empty for none.
func RoleLabel(s *openshift.LabelSelector) string {
	for _, key := range selector.Keys(s) {
		if strings.HasPrefix(key, roleLabel) {
			return key
		}
	}
	return ""
}

// ListedWhole says whether pools are taken for all that the cluster has, with all their labels: worker, which people
// label without a file, is among them.
func ListedWhole(given []openshift.MachineConfigPool) bool {
	return Listed(given) &&
		slices.ContainsFunc(given, func(p openshift.MachineConfigPool) bool { return p.Metadata.Name == Worker })
}

// LabelFix says how to label a pool so that a selector hits it; example is a label where the selector has none.
func LabelFix(s *openshift.LabelSelector, example string) string {
	for _, key := range selector.Keys(s) {
		if v, ok := s.MatchLabels[key]; ok && !strings.HasPrefix(key, roleLabel) {
			return fmt.Sprintf("label the pool: oc label machineconfigpool worker %s=%s", key, v)
		}
	}
	return "label the pool, and select that label: oc label machineconfigpool worker " + example
}
