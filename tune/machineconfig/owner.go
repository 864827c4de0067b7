package machineconfig

import (
	"regexp"
	"strings"

	"plimsoll.dev/api/openshift"
)

// generatedBy marks the MachineConfigs that the operator writes itself.
const generatedBy = "machineconfiguration.openshift.io/generated-by-controller-version"

func generated(mc openshift.MachineConfig) bool { return mc.Metadata.Annotations[generatedBy] != "" }

// made says whether an operator made a MachineConfig out of something else, a
// KubeletConfig or a Tuned for instance: it writes again what people change in it.
func made(mc openshift.MachineConfig) bool {
	for key, version := range mc.Metadata.Annotations {
		if strings.HasSuffix(key, "/generated-by-controller-version") && version != "" {
			return true
		}
	}
	return len(mc.Metadata.OwnerReferences) > 0 || rendered(mc) || partitioning.MatchString(mc.Metadata.Name) ||
		mc.Metadata.Labels["performance.openshift.io/weak-owner-reference-name"] != ""
}

// partitioning are names of what the Node Tuning Operator makes of PerformanceProfiles, and it or the installer where
// CPUs are partitioned before there is one.
var partitioning = regexp.MustCompile(`^01-.+-cpu-partitioning$|^50-performance-`)

// renderedName is the name of what the operator makes of all MachineConfigs of a
// pool: the pool's, and an MD5 sum.
var renderedName = regexp.MustCompile(`^rendered-.+-[0-9a-f]{32}$`)

// rendered says whether a MachineConfig is what the operator made of all those of a
// pool. Dumps of a cluster have them beside the others; they have no labels, so that
// no pool takes them.
func rendered(mc openshift.MachineConfig) bool {
	if !strings.HasPrefix(mc.Metadata.Name, "rendered-") {
		return false
	}
	for _, o := range mc.Metadata.OwnerReferences {
		if o.Kind == "MachineConfigPool" {
			return true
		}
	}
	return generated(mc) || renderedName.MatchString(mc.Metadata.Name)
}
