// Package prometheus sizes the platform's own Prometheus from the number of nodes
// and pods: volume, memory, CPU and network, after table 8.1 of the OpenShift
// guide, for any retention.
//
// It knows the default Cluster Monitoring Operator only, no user workload
// monitoring, and it places no pod: Result.Pods are for the planner to place.
//
//	r := prometheus.Plan(&b, prometheus.Input{Nodes: nodes, Pods: pods,
//		Monitoring: s.Monitoring, Origin: o, Release: "4.4", Facts: c})
//	r.Decision.PrometheusSize // 88Gi for 50 nodes and 15 days
package prometheus

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// Input is what monitoring is sized from.
type Input struct {
	// Nodes of the cluster, control plane and infrastructure included.
	Nodes derive.Value
	// Workers of the cluster, for the published sizes of infrastructure nodes. A
	// zero value leaves them out.
	Workers derive.Value
	// Pods of the cluster.
	Pods derive.Value
	// Monitoring is the scenario's part, defaults filled in.
	Monitoring v1alpha1.Monitoring
	// Origin tells which of its fields were assumed.
	Origin *part.Origin
	// Release of OpenShift, such as "4.4".
	Release string
	// Facts is the catalogue, with the scenario's measurements in it.
	Facts *facts.Catalogue
}

// Result is the size of monitoring.
type Result struct {
	// Part is the section "monitoring".
	Part *part.Part
	// Decision is what cluster-monitoring-config is written from.
	Decision v1alpha1.MonitoringDecision
	// Pods of the monitoring stack with their requests. They have no node
	// selector: the planner decides whether there are infrastructure nodes.
	Pods []v1alpha1.PodType
	// InfraNodes is the least number of infrastructure nodes.
	InfraNodes derive.Value
	// Size holds the figures behind the decision.
	Size Size
}

// Plan sizes monitoring and records the figures "monitoring.*" in b.
func Plan(b *derive.Book, in Input) Result {
	p := &planner{Sheet: part.On(b, in.Facts, in.Origin, part.New("monitoring", "Monitoring"), "monitoring"), in: in,
		rows: Rows(in.Facts)}
	size := p.size()
	r := Result{Part: p.Part, Size: size, Decision: p.decide(size), Pods: p.pods(size)}
	r.InfraNodes = p.infraNodes(size)
	p.show(size, r.InfraNodes)
	p.podTable(r.Pods)
	p.infraSizes()
	p.findings(size)
	return r
}

type planner struct {
	part.Sheet
	in   Input
	rows []Row
}

func (p *planner) decide(s Size) v1alpha1.MonitoringDecision {
	return v1alpha1.MonitoringDecision{
		Retention:        p.in.Monitoring.Retention,
		Replicas:         p.in.Monitoring.Replicas,
		PrometheusSize:   unit.Bytes(s.VolumeRequest.Int()),
		PrometheusMemory: unit.Bytes(s.MemoryRequest.Int()),
		PrometheusCPU:    unit.CPU(s.CPURequest.Int()),
		AlertmanagerSize: p.in.Monitoring.AlertmanagerSize,
		StorageClass:     p.in.Monitoring.StorageClass,
	}
}

// infraNodes is the least number of infrastructure nodes: the document's three,
// and one for each replica of Prometheus or Alertmanager.
func (p *planner) infraNodes(s Size) derive.Value {
	least := p.Fact("ocp.prometheus.infraNodes")
	v := p.Calc("monitoring.infraNodes", "Infrastructure nodes at least", "nodes",
		"max(least, replicas, alertmanagers)", derive.In("least", least), derive.In("replicas", s.Replicas),
		derive.In("alertmanagers", s.Alertmanagers))
	p.Note("monitoring.infraNodes", "one replica a node, so that a node that fails takes one of them", source)
	return v
}
