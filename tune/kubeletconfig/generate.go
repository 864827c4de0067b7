package kubeletconfig

import (
	"strconv"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/unit"
)

// Settings are what the kubelets of a pool are to have in place of the template's
// values. What is zero or empty is left to the template: the operator takes it for
// not given, so it can't be set either.
type Settings struct {
	// MaxPods on a node, and PodsPerCore for each of its cores; the lower limit counts.
	MaxPods, PodsPerCore int
	// KubeAPIQPS and KubeAPIBurst are requests a second to the API server, and at once.
	KubeAPIQPS, KubeAPIBurst int
	// CPUManagerPolicy is none or static, CPUManagerReconcilePeriod whole seconds.
	CPUManagerPolicy          string
	CPUManagerReconcilePeriod unit.Duration
	// TopologyManagerPolicy is none, best-effort, restricted or single-numa-node.
	TopologyManagerPolicy string
	// ReservedSystemCPUs are kept for the system, as a list such as 0-3.
	ReservedSystemCPUs string
	// SystemReserved by resource (cpu, memory, ephemeral-storage), as quantities.
	SystemReserved map[string]string
}

// Fields are the settings as a KubeletConfig holds them.
func (s Settings) Fields() map[string]any {
	out := map[string]any{}
	for name, n := range map[string]int{"maxPods": s.MaxPods, "podsPerCore": s.PodsPerCore, "kubeAPIQPS": s.KubeAPIQPS,
		"kubeAPIBurst": s.KubeAPIBurst} {
		if n != 0 {
			out[name] = int64(n)
		}
	}
	for name, text := range map[string]string{"cpuManagerPolicy": s.CPUManagerPolicy,
		"topologyManagerPolicy": s.TopologyManagerPolicy, "reservedSystemCPUs": s.ReservedSystemCPUs} {
		if text != "" {
			out[name] = text
		}
	}
	if p := s.CPUManagerReconcilePeriod; p != 0 {
		out["cpuManagerReconcilePeriod"] = strconv.FormatInt(int64(p), 10) + "s"
	}
	reserved := map[string]any{}
	for resource, text := range s.SystemReserved {
		if text != "" {
			reserved[resource] = text
		}
	}
	if len(reserved) > 0 {
		out["systemReserved"] = reserved
	}
	return out
}

// Generate makes the KubeletConfig, of a name, that gives settings to the pools
// whose labels are those given.
func Generate(name string, poolLabels map[string]string, s Settings) openshift.KubeletConfig {
	return openshift.KubeletConfig{
		APIVersion: "machineconfiguration.openshift.io/v1", Kind: "KubeletConfig", Metadata: openshift.ObjectMeta{Name: name},
		Spec: openshift.KubeletConfigSpec{MachineConfigPoolSelector: &openshift.LabelSelector{MatchLabels: poolLabels},
			KubeletConfig: s.Fields()},
	}
}
