package manifest

import (
	"fmt"

	"plimsoll.dev/unit"
	"sigs.k8s.io/yaml"
)

const monitoringFile = "cluster-monitoring-config.yaml"

// component is a part of the monitoring stack that can be moved by itself.
type component struct {
	key string
	// in is the field of the release table; empty when every release has it.
	in field
}

// components are the keys of config.yaml for parts with a nodeSelector.
var components = []component{
	{key: "prometheusOperator"},
	{key: "prometheusK8s"},
	{key: "alertmanagerMain"},
	{key: "kubeStateMetrics"},
	{"openshiftStateMetrics", openshiftStateMetrics},
	{key: "telemeterClient"},
	{"grafana", grafana},
	{"k8sPrometheusAdapter", k8sPrometheusAdapter},
	{"metricsServer", metricsServer},
	{"thanosQuerier", thanosQuerier},
	{"monitoringPlugin", monitoringPlugin},
}

// monitoring writes the settings of the platform's own Prometheus: how long and
// how much it keeps, what it requests, and on which nodes it runs.
func (r *renderer) monitoring() {
	config := obj{}
	decision := r.sizes(config)
	if r.Decisions.InfraNodes && !r.moves() {
		r.remark(fmt.Sprintf("Monitoring on the infra nodes: the monitoring of OpenShift %s can't tolerate their taints (the first release that can is %s), so it stays on the workers.",
			r.release, fields[monitoringTolerations].since))
	}
	if r.moves() {
		decision = append(decision, "all parts on the infra nodes")
		r.moveMonitoring(config)
	}
	if len(config) == 0 {
		return
	}
	text, err := yaml.Marshal(config)
	if err != nil {
		panic(fmt.Sprintf("manifest: %v", err)) // maps of plain values only
	}
	h := header{
		title:    "Settings of the platform's monitoring.",
		decision: decision,
		figures:  r.figures(topicMonitoring, ""),
		apply:    []string{"oc apply -f " + monitoringFile},
		notes:    r.monitoringNotes(),
		sources:  ocp("8.1", "8.2"),
	}
	r.add(monitoringFile, stageServices, joinWords(decision), h, obj{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   obj{"name": "cluster-monitoring-config", "namespace": "openshift-monitoring"},
		"data":       obj{"config.yaml": string(text)},
	})
}

// sizes sets retention, volumes and requests, and describes them.
func (r *renderer) sizes(config obj) []string {
	d := r.Decisions.Monitoring
	var words []string
	prometheus := obj{}
	if d.Retention > 0 {
		prometheus["retention"] = d.Retention.String()
		words = append(words, "retention "+d.Retention.String())
	}
	if d.PrometheusSize > 0 {
		prometheus["volumeClaimTemplate"] = volumeClaim(d.PrometheusSize, d.StorageClass)
		words = append(words, "volume of Prometheus "+quantity(d.PrometheusSize))
	}
	requests := obj{}
	if d.PrometheusCPU > 0 {
		requests["cpu"] = d.PrometheusCPU.String()
		words = append(words, "CPU request "+d.PrometheusCPU.String())
	}
	if d.PrometheusMemory > 0 {
		requests["memory"] = quantity(d.PrometheusMemory)
		words = append(words, "memory request "+quantity(d.PrometheusMemory))
	}
	if len(requests) > 0 {
		prometheus["resources"] = obj{"requests": requests}
	}
	if len(prometheus) > 0 {
		config["prometheusK8s"] = prometheus
	}
	if d.AlertmanagerSize > 0 {
		config["alertmanagerMain"] = obj{"volumeClaimTemplate": volumeClaim(d.AlertmanagerSize, d.StorageClass)}
		words = append(words, "volume of Alertmanager "+quantity(d.AlertmanagerSize))
	}
	return words
}

// moves says whether the monitoring goes to the infra nodes: not where it can't
// tolerate their taints.
func (r *renderer) moves() bool {
	pool, _ := r.pool(poolInfra)
	return r.Decisions.InfraNodes && (len(pool.Taints) == 0 || r.release.has(monitoringTolerations))
}

// moveMonitoring puts every part that the release can move on the infra nodes.
func (r *renderer) moveMonitoring(config obj) {
	pool, _ := r.pool(poolInfra)
	for _, c := range components {
		if c.in != "" && !r.release.has(c.in) {
			continue
		}
		part, ok := config[c.key].(obj)
		if !ok {
			part = obj{}
			config[c.key] = part
		}
		part["nodeSelector"] = obj{roleLabel + poolInfra: ""}
		if len(pool.Taints) > 0 {
			part["tolerations"] = tolerations(pool.Taints)
		}
	}
}

func (r *renderer) monitoringNotes() []string {
	notes := []string{
		"This replaces config.yaml whole. Merge it with what is there: oc get configmap cluster-monitoring-config -n openshift-monitoring -o yaml",
		"Volumes that exist keep their size. The number of replicas has no key; the platform decides it.",
	}
	if r.moves() {
		notes = append(notes, "Apply it when the infra nodes are Ready: until then the pods stay Pending.",
			"Left out: baseImage, nodeExporter, kubeRbacProxy and auth of the guide, which are keys of 3.11, and telemetryClient (ZTIP), which is a misspelling of telemeterClient.")
	}
	return notes
}

func volumeClaim(size unit.Bytes, class string) obj {
	spec := obj{"resources": obj{"requests": obj{"storage": quantity(size)}}}
	if class != "" {
		spec["storageClassName"] = class
	}
	return obj{"spec": spec}
}

// quantity writes an amount as Kubernetes reads it, rounded up to a whole MiB
// where it would be a long number of bytes.
func quantity(b unit.Bytes) string {
	if b%unit.MB != 0 && b%unit.MiB != 0 {
		b = (b + unit.MiB - 1) / unit.MiB * unit.MiB
	}
	return b.String()
}
