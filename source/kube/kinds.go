package kube

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"plimsoll.dev/api/v1alpha1"
)

// kindReader is a kind that counts: the API groups it is in and what reads it.
type kindReader struct {
	groups string // separated by blanks; "core" is the group without a name
	read   func(r *reader, o *object, depth int)
}

func (k kindReader) in(group string) bool {
	return slices.Contains(strings.Fields(k.groups), cmp.Or(group, "core"))
}

// kinds are filled in by init because templates lead back to them.
var kinds map[string]kindReader

func init() {
	workload := func(replicas string) func(*reader, *object, int) {
		return func(r *reader, o *object, _ int) { r.workload(o, o.spec.get(replicas), o.spec.get("template")) }
	}
	counted := func(pick func(*objects) *int) func(*reader, *object, int) {
		return func(r *reader, o *object, _ int) { r.countObject(o, pick) }
	}
	kinds = map[string]kindReader{
		kindPod:                   {"core", func(r *reader, o *object, _ int) { r.readPod(o, false, false) }},
		kindDeployment:            {"apps extensions", workload("replicas")},
		"ReplicaSet":              {"apps extensions", workload("replicas")},
		kindStatefulSet:           {"apps", workload("replicas")},
		"ReplicationController":   {"core", workload("replicas")},
		"DeploymentConfig":        {"apps.openshift.io core", workload("replicas")},
		kindDaemonSet:             {"apps extensions", workload("")},
		"Job":                     {"batch", func(r *reader, o *object, _ int) { r.job(o, o.spec) }},
		"CronJob":                 {"batch", func(r *reader, o *object, _ int) { r.cronJob(o) }},
		kindNode:                  {"core", func(r *reader, o *object, _ int) { r.node(o) }},
		"PersistentVolumeClaim":   {"core", func(r *reader, o *object, _ int) { r.claim(o) }},
		"PersistentVolume":        {"core", func(r *reader, o *object, _ int) { r.volume(o) }},
		"StorageClass":            {"storage.k8s.io", func(r *reader, o *object, _ int) { r.storageClass(o) }},
		"CSINode":                 {"storage.k8s.io", func(r *reader, o *object, _ int) { r.csiNode(o) }},
		"CSIDriver":               {"storage.k8s.io", func(r *reader, o *object, _ int) { r.csiDriver(o) }},
		"HorizontalPodAutoscaler": {"autoscaling", func(r *reader, o *object, _ int) { r.scaler(o) }},
		"Template": {"template.openshift.io core",
			func(r *reader, o *object, depth int) { r.template(o, depth) }},
		"PodDisruptionBudget": {"policy", func(r *reader, o *object, _ int) { r.budget(o) }},
		"Namespace":           {"core", func(r *reader, o *object, _ int) { r.labelNamespace(o) }},
		"Project":             {"project.openshift.io core", func(r *reader, o *object, _ int) { r.inNamespace(o.name()) }},
		"Service":             {"core", func(r *reader, o *object, _ int) { r.service(o) }},
		"Route":               {"route.openshift.io core", func(r *reader, o *object, _ int) { r.route(o) }},
		"Ingress":             {"networking.k8s.io extensions", counted(func(o *objects) *int { return &o.Routes })},
		"LimitRange":          {"core", func(r *reader, o *object, _ int) { r.limitRange(o) }},
		"ResourceQuota":       {"core", func(r *reader, o *object, _ int) { r.quota(o) }},
		"PriorityClass":       {"scheduling.k8s.io", func(r *reader, o *object, _ int) { r.priorityClass(o) }},
		"RuntimeClass":        {"node.k8s.io", func(r *reader, o *object, _ int) { r.runtimeClass(o) }},
		"ClusterVersion": {"config.openshift.io",
			func(r *reader, o *object, _ int) { r.clusterVersion(o) }},
		"Network": {"config.openshift.io",
			func(r *reader, o *object, _ int) { r.clusterNetwork(o) }},
		"KubeletConfig": {"machineconfiguration.openshift.io",
			func(r *reader, o *object, _ int) { r.kubeletConfig(o) }},
		"MachineConfigPool": {"machineconfiguration.openshift.io",
			func(r *reader, o *object, _ int) { r.machinePool(o) }},
		"Secret":      {"core", counted(func(o *objects) *int { return &o.Secrets })},
		"ConfigMap":   {"core", counted(func(o *objects) *int { return &o.ConfigMaps })},
		"Build":       {"build.openshift.io core", counted(func(o *objects) *int { return &o.Builds })},
		"BuildConfig": {"build.openshift.io core", counted(func(o *objects) *int { return &o.BuildConfigs })},
		"CustomResourceDefinition": {"apiextensions.k8s.io",
			counted(func(o *objects) *int { return &o.CustomResourceDefinitions })},
		v1alpha1.KindSeen: {"plimsoll.dev", func(r *reader, o *object, _ int) { r.seen(o) }},
	}
}

// Reasons of what may hold pods that are not known before it is rendered.
const (
	noHelm      = "it is not rendered; give what 'helm template NAME CHART' prints"
	noKustomize = "kustomize is not run; give what 'kubectl kustomize DIR' prints"

	makesPods      = "unknown kind that makes pods: they are not counted; add them to workload.podTypes"
	makesLaunchers = "its launcher pod is not counted; add it to workload.podTypes"
)

// reasons say why kinds that people expect to matter are not counted.
var reasons = map[string]string{
	"Kustomization":          noKustomize,
	"VerticalPodAutoscaler":  "its recommendations are not applied; the pods' own requests count",
	"ScaledObject":           "its replicas are not counted; write them into the workload it scales",
	"PodTemplate":            "no pods come of it by itself",
	"VirtualMachine":         makesLaunchers,
	"VirtualMachineInstance": makesLaunchers,
	"ImageStream":            harmless,
	"ServiceAccount":         harmless,
	"Role":                   harmless,
	"RoleBinding":            harmless,
	"ClusterRole":            harmless,
	"ClusterRoleBinding":     harmless,
	"NetworkPolicy":          harmless,
	"Endpoints":              harmless,
	"EndpointSlice":          harmless,
	"Event":                  harmless,
	"Lease":                  harmless,
	"ControllerRevision":     harmless,
	"IngressClass":           harmless,
	"APIService":             harmless,
	"VolumeAttachment":       harmless,
	"ServiceMonitor":         harmless,
	"PodMonitor":             harmless,
	"PrometheusRule":         harmless,
	"ClusterServiceVersion":  harmless,
	"OAuthClient":            harmless,
	"Group":                  harmless,
	"User":                   harmless,
	"ImageStreamTag":         harmless,
	"RoleBindingRestriction": harmless,
	"ClusterResourceQuota":   "a quota bounds namespaces but is no load",
	"MachineConfig":          harmless,
	"KubeletConfig": "what it reserves and allows is read from the nodes; of its CPU, memory and topology " +
		"manager policies the defaults are taken",
	"Tuned":                          "huge pages that it sets are read from the nodes; nothing else of it changes a plan",
	"Profile":                        harmless,
	"IngressController":              "its routers are counted as the pods that they are",
	"MachineHealthCheck":             harmless,
	"MachineAutoscaler":              "nodes count as they are, not as many as it may make",
	"ClusterAutoscaler":              "nodes count as they are, not as many as it may make",
	"ClusterOperator":                harmless,
	"Infrastructure":                 harmless,
	"MachineSet":                     "it makes nodes, not load; give the nodes in hardware.nodeTypes",
	"Machine":                        "it is a node; give the nodes in hardware.nodeTypes",
	"SecurityContextConstraints":     harmless,
	"MutatingWebhookConfiguration":   "what webhooks change in pods is not known here",
	"ValidatingWebhookConfiguration": harmless,
}

// harmless is the reason for kinds that nothing is planned for.
const harmless = "no pods come of it, and no limit counts it"

// Harmless says whether a plural is that of a kind for which nothing is planned, so that nobody need read its objects.
func Harmless(plural string) bool { return harmlessPlurals()[plural] }

var harmlessPlurals = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for kind, why := range reasons {
		if why == harmless {
			out[pluralOf(kind)] = true
		}
	}
	return out
})

// pluralOf is how the resource of a kind is called.
func pluralOf(kind string) string {
	name := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(name, "ss"):
		return name + "es"
	case strings.HasSuffix(name, "s"):
		return name
	case strings.HasSuffix(name, "y"):
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}
