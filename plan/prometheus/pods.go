package prometheus

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

const (
	namespace    = "openshift-monitoring"
	alertmanager = "alertmanager-main"
	sidecars     = "prometheus-sidecars"
)

// small are the components beside Prometheus and Alertmanager, in the order in
// which they are listed.
var small = []string{"prometheus-operator", "kube-state-metrics", "openshift-state-metrics", "grafana",
	"prometheus-adapter", "telemeter-client", "thanos-querier"}

// pods lists the monitoring's pods: Prometheus by the table, the others by what
// the release's operator gives them.
func (p *planner) pods(s Size) []v1alpha1.PodType {
	prometheus := v1alpha1.PodType{
		Name: "prometheus-k8s", Namespace: namespace, Replicas: p.in.Monitoring.Replicas,
		CPU:     unit.CPU(s.CPURequest.Int() + p.request("cpu", sidecars)),
		Memory:  unit.Bytes(s.MemoryRequest.Int() + p.request("memory", sidecars)),
		Storage: unit.Bytes(s.VolumeRequest.Int()), MaxPerNode: 1,
		// Prometheus holds on to its memory, so that none of it can be given twice.
		Overcommit: "cpuOnly",
	}
	list := []v1alpha1.PodType{prometheus}
	if n := s.Alertmanagers.Int(); n > 0 {
		t := p.pod(alertmanager, n)
		t.Storage, t.MaxPerNode = p.in.Monitoring.AlertmanagerSize, 1
		list = append(list, t)
	}
	for _, name := range small {
		if n := int64(p.replicas(name).Number); n > 0 {
			list = append(list, p.pod(name, n))
		}
	}
	return list
}

// replicas is the number of a component's pods in the release, or in the newest
// release that is known when the release is of an unknown major.
func (p *planner) replicas(component string) facts.Fact {
	quantity := "ocp.monitoringPods." + component
	if f, _, _, ok := p.Facts.ForRelease(quantity, p.in.Release); ok {
		return f
	}
	known := p.Facts.Releases(quantity)
	return p.Facts.Must(quantity + "/" + known[len(known)-1])
}

func (p *planner) pod(name string, replicas int64) v1alpha1.PodType {
	return v1alpha1.PodType{Name: name, Namespace: namespace, Replicas: int(replicas),
		CPU: unit.CPU(p.request("cpu", name)), Memory: unit.Bytes(p.request("memory", name))}
}

func (p *planner) request(resource, component string) int64 {
	return p.Fact("ocp.monitoringPod." + resource + "/" + component).Int()
}

// podTable lists the pods that the planner places.
func (p *planner) podTable(list []v1alpha1.PodType) {
	t := p.Table("monitoring.pods", "Pods of the monitoring", part.Left("Pod"), part.Right("Pods"), part.Right("CPU"),
		part.Right("Memory"), part.Right("Volume"))
	t.Wide = true
	t.Notes = []string{"Prometheus by table 8.1, the others by the requests of the operator's manifests of 4.4."}
	for _, d := range list {
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(d.Name), part.Num(derive.Of(float64(d.Replicas), "")),
			part.Num(derive.Of(float64(d.CPU), unit.Millicores)),
			part.Num(derive.Of(float64(d.Memory), unit.ByteUnit)), part.Num(derive.Of(float64(d.Storage), unit.ByteUnit))})
	}
}
