package live

import (
	"slices"
	"strings"
)

// How much is read of each object of a kind.
type How uint8

// All of it; its metadata (name, namespace, owners) alone; or no more than how many there are.
const (
	Whole How = iota
	Metadata
	Counted
)

// Kind is what is read of a cluster, in whatever version the server prefers.
type Kind struct {
	Group, Kind string
	// Plural is the resource's name, such as pods.
	Plural string
	How    How
	// Audit says that no more than an audit makes use of it. Namespace and Name are of the only object that is read, the
	// only one of its kind that may be.
	Audit           bool
	Namespace, Name string
}

// Resource is the plural with its group, as kubectl takes it: routes.route.openshift.io. Behind it stands the name of
// an only object: configmaps/cluster-monitoring-config.
func (k Kind) Resource() string {
	return strings.TrimSuffix(strings.TrimSuffix(k.Plural+"."+k.Group, ".")+"/"+k.Name, "/")
}

// Kinds are all that package kube, and an audit, make use of in a cluster that runs. Routes hold keys, and builds what
// people typed: of those the metadata counts and no more. Left out are what only manifests are read for (templates,
// bounds and quotas of namespaces), and jobs, whose pods are counted as they run.
var Kinds = []Kind{
	{Kind: "Node", Plural: "nodes"},
	{Kind: "Namespace", Plural: "namespaces"},
	{Kind: "Pod", Plural: "pods"},
	{Kind: "Service", Plural: "services"},
	{Kind: "PersistentVolumeClaim", Plural: "persistentvolumeclaims"},
	{Kind: "PersistentVolume", Plural: "persistentvolumes"},
	{Kind: "ReplicationController", Plural: "replicationcontrollers"},
	{Group: "apps", Kind: "Deployment", Plural: "deployments"},
	{Group: "apps", Kind: "ReplicaSet", Plural: "replicasets"},
	{Group: "apps", Kind: "StatefulSet", Plural: "statefulsets"},
	{Group: "apps", Kind: "DaemonSet", Plural: "daemonsets"},
	{Group: "apps.openshift.io", Kind: "DeploymentConfig", Plural: "deploymentconfigs"},
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler", Plural: "horizontalpodautoscalers"},
	{Group: "policy", Kind: "PodDisruptionBudget", Plural: "poddisruptionbudgets"},
	{Group: "scheduling.k8s.io", Kind: "PriorityClass", Plural: "priorityclasses"},
	{Group: "node.k8s.io", Kind: "RuntimeClass", Plural: "runtimeclasses"},
	{Group: "storage.k8s.io", Kind: "StorageClass", Plural: "storageclasses"},
	{Group: "storage.k8s.io", Kind: "CSINode", Plural: "csinodes"},
	{Group: "storage.k8s.io", Kind: "CSIDriver", Plural: "csidrivers"},
	{Group: "config.openshift.io", Kind: "ClusterVersion", Plural: "clusterversions"},
	{Group: "config.openshift.io", Kind: "Network", Plural: "networks"},
	{Group: "machineconfiguration.openshift.io", Kind: "MachineConfigPool", Plural: "machineconfigpools"},
	{Group: "machineconfiguration.openshift.io", Kind: "KubeletConfig", Plural: "kubeletconfigs"},
	{Group: "machine.openshift.io", Kind: "Machine", Plural: "machines"},
	{Group: "networking.k8s.io", Kind: "Ingress", Plural: "ingresses", How: Metadata},
	{Group: "route.openshift.io", Kind: "Route", Plural: "routes", How: Metadata},
	{Group: "build.openshift.io", Kind: "Build", Plural: "builds", How: Metadata},
	{Group: "build.openshift.io", Kind: "BuildConfig", Plural: "buildconfigs", How: Metadata},
	{Kind: "Secret", Plural: "secrets", How: Counted},
	{Kind: "ConfigMap", Plural: "configmaps", How: Counted},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Plural: "customresourcedefinitions", How: Counted},
	{Group: "config.openshift.io", Kind: "FeatureGate", Plural: "featuregates", Audit: true},
	{Group: "config.openshift.io", Kind: "Scheduler", Plural: "schedulers", Audit: true},
	{Group: "tuned.openshift.io", Kind: "Tuned", Plural: "tuneds", Audit: true},
	{Group: "tuned.openshift.io", Kind: "Profile", Plural: "profiles", Audit: true},
	{Group: "machine.openshift.io", Kind: "MachineSet", Plural: "machinesets", Audit: true},
	{Group: "machine.openshift.io", Kind: "MachineHealthCheck", Plural: "machinehealthchecks", Audit: true},
	{Group: "operator.openshift.io", Kind: "IngressController", Plural: "ingresscontrollers", Audit: true},
	{Group: "imageregistry.operator.openshift.io", Kind: "Config", Plural: "configs", Audit: true},
	{Kind: "ConfigMap", Plural: "configmaps", Audit: true, Namespace: "openshift-monitoring",
		Name: "cluster-monitoring-config"},
}

// Reads says whether objects of a plural, of whatever group, are made use of.
func Reads(plural string) bool {
	return slices.ContainsFunc(Kinds, func(k Kind) bool { return k.Plural == plural })
}
