package live

import "strings"

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
}

// Resource is the plural with its group, as kubectl takes it: routes.route.openshift.io.
func (k Kind) Resource() string { return strings.TrimSuffix(k.Plural+"."+k.Group, ".") }

// Kinds are all that package kube makes use of in a cluster that runs. Routes hold keys, and builds what people
// typed: of those the metadata counts and no more. Left out are what only manifests are read for (templates, bounds
// and quotas of namespaces), and jobs, whose pods are counted as they run.
var Kinds = []Kind{
	{"", "Node", "nodes", Whole},
	{"", "Namespace", "namespaces", Whole},
	{"", "Pod", "pods", Whole},
	{"", "Service", "services", Whole},
	{"", "PersistentVolumeClaim", "persistentvolumeclaims", Whole},
	{"", "PersistentVolume", "persistentvolumes", Whole},
	{"", "ReplicationController", "replicationcontrollers", Whole},
	{"apps", "Deployment", "deployments", Whole},
	{"apps", "ReplicaSet", "replicasets", Whole},
	{"apps", "StatefulSet", "statefulsets", Whole},
	{"apps", "DaemonSet", "daemonsets", Whole},
	{"apps.openshift.io", "DeploymentConfig", "deploymentconfigs", Whole},
	{"autoscaling", "HorizontalPodAutoscaler", "horizontalpodautoscalers", Whole},
	{"policy", "PodDisruptionBudget", "poddisruptionbudgets", Whole},
	{"scheduling.k8s.io", "PriorityClass", "priorityclasses", Whole},
	{"node.k8s.io", "RuntimeClass", "runtimeclasses", Whole},
	{"storage.k8s.io", "StorageClass", "storageclasses", Whole},
	{"storage.k8s.io", "CSINode", "csinodes", Whole},
	{"storage.k8s.io", "CSIDriver", "csidrivers", Whole},
	{"config.openshift.io", "ClusterVersion", "clusterversions", Whole},
	{"config.openshift.io", "Network", "networks", Whole},
	{"machineconfiguration.openshift.io", "MachineConfigPool", "machineconfigpools", Whole},
	{"machineconfiguration.openshift.io", "KubeletConfig", "kubeletconfigs", Whole},
	{"machine.openshift.io", "Machine", "machines", Whole},
	{"networking.k8s.io", "Ingress", "ingresses", Metadata},
	{"route.openshift.io", "Route", "routes", Metadata},
	{"build.openshift.io", "Build", "builds", Metadata},
	{"build.openshift.io", "BuildConfig", "buildconfigs", Metadata},
	{"", "Secret", "secrets", Counted},
	{"", "ConfigMap", "configmaps", Counted},
	{"apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", Counted},
}
