package check

import (
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/tune/monitoring"
)

// kind is a kind of objects that has to do with the settings of nodes.
type kind struct {
	name string
	// versions are its apiVersions.
	versions []string
	// namespace that the operator looks into; empty where any or none will do.
	namespace string
	// unread says why no rule reads it; empty for what is read.
	unread string
	// namesakes are apiVersions of another kind of that name, or of the kind with other fields.
	namesakes []string
	// judged says that the kind's own package judges its apiVersion, missed that it
	// judges a missing one as well.
	judged, missed bool
}

func read(name, version, namespace string) kind {
	return kind{name: name, versions: []string{version}, namespace: namespace}
}

func passed(name, why string, versions ...string) kind {
	return kind{name: name, versions: versions, unread: why}
}

const (
	mcfg = "machineconfiguration.openshift.io/v1"
	mapi = "machine.openshift.io/v1beta1"
)

// kinds are those that are read, and those of which a reader might think so.
var kinds = []kind{
	{name: "Tuned", versions: []string{"tuned.openshift.io/v1"}, namespace: openshift.NamespaceTuned, judged: true},
	read("KubeletConfig", mcfg, ""), read("MachineConfig", mcfg, ""), read("MachineConfigPool", mcfg, ""),
	read("FeatureGate", "config.openshift.io/v1", ""),
	{name: "MachineHealthCheck", versions: []string{mapi}, namespace: openshift.NamespaceMachines, judged: true,
		missed: true}, read("Machine", mapi, openshift.NamespaceMachines),
	read("MachineSet", mapi, openshift.NamespaceMachines),
	read("IngressController", "operator.openshift.io/v1", openshift.NamespaceIngress),
	read("ConfigMap", "v1", ""), {name: "Node", versions: []string{"v1"}, namesakes: []string{"config.openshift.io/v1"}},
	read("Pod", "v1", ""), read("Deployment", "apps/v1", ""), read("DeploymentConfig", "apps.openshift.io/v1", ""),
	{name: "PerformanceProfile", versions: []string{"performance.openshift.io/v2"},
		namesakes: []string{"performance.openshift.io/v1", "performance.openshift.io/v1alpha1"}},

	passed("Profile", "the Node Tuning Operator writes it itself, from the Tuneds", "tuned.openshift.io/v1"),
	passed("KubeletConfiguration", "it is the kubelet's own file: "+
		"its fields stand below spec.kubeletConfig of a KubeletConfig", "kubelet.config.k8s.io/v1beta1"),
	passed("ContainerRuntimeConfig", "it sets CRI-O, of which there are no rules", mcfg),
	passed("ControllerConfig", "the Machine Config Operator writes it itself", mcfg),
	passed("MachineConfiguration", "there are no rules for what nodes do after a change", "operator.openshift.io/v1"),
	passed("ControlPlaneMachineSet", "there are no rules for it", "machine.openshift.io/v1"),
	passed("MachineAutoscaler", "there are no rules for it", "autoscaling.openshift.io/v1beta1"),
	passed("ClusterAutoscaler", "there are no rules for it", "autoscaling.openshift.io/v1"),
	passed("ClusterMonitoring", "its settings are merged with the ConfigMap's, and there are no rules for it",
		"config.openshift.io/v1alpha1"),
	passed("SriovNetworkNodePolicy", "there are no rules for it", "sriovnetwork.openshift.io/v1"),
	passed("NodeNetworkConfigurationPolicy", "there are no rules for it", "nmstate.io/v1", "nmstate.io/v1beta1"),
}

// kindOf returns the kind of a name, or nil.
func kindOf(name string) *kind {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// kindNames are the names of the kinds that are read.
func kindNames() []string {
	var out []string
	for _, k := range kinds {
		if k.unread == "" {
			out = append(out, k.name)
		}
	}
	return out
}

// configMaps are the ConfigMaps that operators look for in a namespace.
var configMaps = map[string]string{monitoring.Name: openshift.NamespaceMonitoring,
	monitoring.UserName: monitoring.UserNamespace}

// group is the part of an apiVersion before the slash.
func group(apiVersion string) string {
	g, _, named := strings.Cut(apiVersion, "/")
	if !named {
		return ""
	}
	return g
}

// ours says whether a group is one of OpenShift's, or of Kubernetes itself: those of
// others have a domain.
func ours(apiVersion string) bool {
	g := group(apiVersion)
	return !strings.Contains(g, ".") || strings.HasSuffix(g, ".openshift.io")
}
