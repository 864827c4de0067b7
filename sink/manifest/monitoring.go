package manifest

import (
	"fmt"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/infra/placement"
	"plimsoll.dev/tune/monitoring"
)

const monitoringFile = "cluster-monitoring-config.yaml"

// tolerates is the key of the monitoring without which it can't be moved to nodes
// with taints.
const tolerates = "prometheusK8s.tolerations"

// monitoring writes the settings of the platform's own Prometheus: how long and
// how much it keeps, what it requests, and on which nodes it runs.
func (r *renderer) monitoring() {
	d := r.Decisions.Monitoring
	decision := sizes(d)
	o := monitoring.Options{Release: r.release,
		Prometheus: monitoring.Size{Retention: d.Retention, Storage: d.PrometheusSize, StorageClass: d.StorageClass,
			CPU: d.PrometheusCPU, Memory: d.PrometheusMemory},
		Alertmanager: monitoring.Size{Storage: d.AlertmanagerSize, StorageClass: d.StorageClass}}
	switch {
	case r.moves():
		decision = append(decision, "all parts on the infra nodes")
		o.NodeSelector, o.Tolerations = r.infraNodes()
	case r.Decisions.InfraNodes:
		first := release.Release(1)
		for !monitoring.Knows(first, tolerates) {
			first++
		}
		r.remark(fmt.Sprintf("Monitoring on the infra nodes: the monitoring of OpenShift %s can't tolerate their taints "+
			"(the first release that can is %s), so it stays on the workers.",
			r.release, first))
	}
	if len(decision) == 0 {
		return
	}
	h := header{
		title:    "Settings of the platform's monitoring.",
		decision: decision,
		figures:  r.figures(topicMonitoring, ""),
		apply:    []string{"oc apply -f " + monitoringFile},
		notes:    r.monitoringNotes(),
		sources:  ocp("8.1", "8.2"),
	}
	r.add(monitoringFile, stageServices, words.And(decision), h, monitoring.Generate(o))
}

// sizes describes retention, volumes and requests.
func sizes(d v1alpha1.MonitoringDecision) []string {
	var parts []string
	if d.Retention > 0 {
		parts = append(parts, "retention "+d.Retention.String())
	}
	if d.PrometheusSize > 0 {
		parts = append(parts, "volume of Prometheus "+d.PrometheusSize.Rounded())
	}
	if d.PrometheusCPU > 0 {
		parts = append(parts, "CPU request "+d.PrometheusCPU.String())
	}
	if d.PrometheusMemory > 0 {
		parts = append(parts, "memory request "+d.PrometheusMemory.Rounded())
	}
	if d.AlertmanagerSize > 0 {
		parts = append(parts, "volume of Alertmanager "+d.AlertmanagerSize.Rounded())
	}
	return parts
}

// moves says whether the monitoring goes to the infra nodes: not where it can't
// tolerate their taints.
func (r *renderer) moves() bool {
	_, needed := r.infraNodes()
	return r.Decisions.InfraNodes && (len(needed) == 0 || monitoring.Knows(r.release, tolerates))
}

// infraNodes are the labels by which pods find the infra nodes, and the
// tolerations of their taints.
func (r *renderer) infraNodes() (map[string]string, []openshift.Toleration) {
	pool, _ := r.pool(poolInfra)
	return map[string]string{openshift.LabelInfra: ""}, placement.Tolerating(pool.Taints)
}

func (r *renderer) monitoringNotes() []string {
	notes := []string{
		"This replaces config.yaml whole. Merge it with what is there: oc get configmap cluster-monitoring-config -n " +
			"openshift-monitoring -o yaml",
		"Volumes that exist keep their size. The number of replicas has no key; the platform decides it.",
	}
	if r.moves() {
		notes = append(notes, "Apply it when the infra nodes are Ready: until then the pods stay Pending.",
			"Left out: baseImage, nodeExporter, kubeRbacProxy and auth of the guide, which are keys of 3.11, "+
				"and telemetryClient (ZTIP), which is a misspelling of telemeterClient.")
		notes = append(notes, r.moveNotes(staysBehind)...)
	}
	return notes
}
