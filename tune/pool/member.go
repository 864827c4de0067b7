package pool

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/selector"
)

// The pools that every cluster has; all others are custom pools.
const (
	Master = "master"
	Worker = "worker"
)

// Membership is the pools of a node.
type Membership struct {
	// Primary is the pool whose configuration the node gets; empty for none.
	Primary string
	// Pools are the pools that count for the node, the primary first and worker after a
	// custom pool. What the operator passes over is not among them: worker beside
	// master, and everything when there is a problem.
	Pools []string
	// Problem says why a node that pools select has no primary one; empty otherwise.
	Problem string
}

// Of finds the pools of a node by its labels. A custom pool goes before worker, and
// master before worker; a node of two custom pools has none, and a node that no
// pool selects is not managed, which is no problem. What happens to a master in a
// custom pool differs by release. A pool whose selector is missing or empty selects no
// node. A pool whose selector is not valid stops the search for every node.
func Of(labels map[string]string, pools []openshift.MachineConfigPool, r release.Release) Membership {
	return ofValid(labels, pools, r, invalid(pools))
}

// invalid says which selector is not valid, the first; empty for none.
func invalid(pools []openshift.MachineConfigPool) string {
	for i := range pools {
		p := &pools[i]
		if wrong := selector.Wrong(p.Spec.NodeSelector); wrong != "" {
			return fmt.Sprintf("pool %s has a node selector that is not valid: %s", p.Metadata.Name, wrong)
		}
	}
	return ""
}

// ofValid is Of where it is known what is wrong with the selectors, for many nodes.
func ofValid(labels map[string]string, pools []openshift.MachineConfigPool, r release.Release,
	wrong string) Membership {
	switch {
	case windowsUnmanaged.In(r) && labels["kubernetes.io/os"] == "windows":
		return Membership{}
	case wrong != "":
		return Membership{Problem: wrong}
	}
	var master, worker bool
	var custom []string
	for i := range pools {
		p := &pools[i]
		if selector.Empty(p.Spec.NodeSelector) || !selector.Selects(p.Spec.NodeSelector, labels) {
			continue
		}
		switch p.Metadata.Name {
		case Master:
			master = true
		case Worker:
			worker = true
		default:
			custom = append(custom, p.Metadata.Name)
		}
	}
	slices.Sort(custom)
	return choose(master, worker, custom, r)
}

// without says what becomes of a node that no pool may have.
const without = ": it gets no configuration"

// choose ranks the pools that select a node.
func choose(master, worker bool, custom []string, r release.Release) Membership {
	switch {
	case len(custom) > 1:
		return Membership{Problem: "the custom pools " + strings.Join(custom, " and ") +
			" both select the node" + without}
	case len(custom) == 1 && master && !masterBeatsCustom.In(r):
		return Membership{Problem: "the pools master and " + custom[0] + " both select the node" + without}
	case len(custom) == 1 && master:
		return ranked(Master, worker)
	case len(custom) == 1:
		return ranked(custom[0], worker)
	case master:
		return ranked(Master, false)
	case worker:
		return ranked(Worker, false)
	}
	return Membership{}
}

func ranked(primary string, worker bool) Membership {
	m := Membership{Primary: primary, Pools: []string{primary}}
	if worker {
		m.Pools = append(m.Pools, Worker)
	}
	return m
}

// ConfigLabel is the label of the MachineConfig that becomes of a PerformanceProfile, by which pools take it.
func ConfigLabel(p *openshift.PerformanceProfile) map[string]string {
	if p.Spec.MachineConfigLabel != nil {
		return p.Spec.MachineConfigLabel
	}
	return ProfileRole(p)
}

// ProfileRole is the label of the role that the node selector names, which has one label, or is refused.
func ProfileRole(p *openshift.PerformanceProfile) map[string]string {
	role := ""
	for key := range p.Spec.NodeSelector {
		_, role, _ = strings.Cut(key, "/")
	}
	return map[string]string{openshift.LabelRole: role}
}
