package prometheus

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// show fills the section.
func (p *planner) show(s Size, infra derive.Value) {
	p.Show(s.VolumeRequest, s.MemoryRequest, s.CPURequest, s.Storage, infra)
	p.Detail(s.Equivalent, s.PerDay, s.Per15Days, s.Volume, s.RAM, s.CPU, s.Chunk)
	p.Section.Summary = fmt.Sprintf("%s of Prometheus with %s of storage, %s of memory and %s each, for %s of retention",
		s.Replicas.Text, unit.Bytes(s.VolumeRequest.Int()), s.MemoryRequest.Text, s.CPURequest.Text,
		p.in.Monitoring.Retention)
	p.table(s)
}

// table is the document's table with this cluster's row in its place.
func (p *planner) table(s Size) {
	t := p.Table("monitoring.sizes", "Prometheus by cluster size (table 8.1)", part.Left("Row"), part.Right("Nodes"),
		part.Right("Pods"),
		part.Right("Storage a day"), part.Right("Storage in 15 days"), part.Right("Memory"), part.Right("Network per chunk"))
	t.Wide = true
	at := len(p.rows)
	for i, r := range p.rows {
		t.Rows = append(t.Rows, cells("document", r))
		if at == len(p.rows) && r.Nodes.Number > s.Equivalent.Number {
			at = i
		}
	}
	mine := cells("this cluster", Row{p.in.Nodes, p.in.Pods, s.PerDay, s.Per15Days, s.RAM, s.Chunk})
	t.Rows = slices.Insert(t.Rows, at, mine)
	t.Notes = []string{
		fmt.Sprintf("This cluster is looked up as %s.", s.Equivalent.Text),
		"The columns of a day and of 15 days are the document's; " +
			"it rounds both, so that one is not always 15 times the other.",
		"Measured with the default Cluster Monitoring Operator of an earlier release than 4.4, on OpenStack.",
	}
}

func cells(name string, r Row) []v1alpha1.Cell {
	row := []v1alpha1.Cell{part.Text(name)}
	for _, v := range []derive.Value{r.Nodes, r.Pods} {
		c := part.Num(v)
		c.Text, c.Unit = unit.Format(v.Number, unit.None), unit.None
		row = append(row, c)
	}
	for _, v := range []derive.Value{r.PerDay, r.Per15Days, r.RAM, r.Chunk} {
		row = append(row, part.Num(v))
	}
	return row
}

func (p *planner) findings(s Size) {
	first, last := p.rows[0].Nodes, p.rows[len(p.rows)-1].Nodes
	switch s.Side {
	case Above:
		p.find(v1alpha1.Warning, "monitoring.extrapolated.above", "monitoring.equivalentNodes",
			fmt.Sprintf("the cluster counts as %s in table 8.1, which ends at %s: the figures prolong its last line",
				s.Equivalent.Text, last.Text),
			"measure the Prometheus of a cluster of this size and give storage and memory as measurements, "+
				"or watch the volume after the installation")
	case Below:
		p.find(v1alpha1.Info, "monitoring.extrapolated.below", "monitoring.equivalentNodes",
			fmt.Sprintf("the cluster counts as %s in table 8.1, which begins at %s: the figures are the larger of its first "+
				"line prolonged and the share of its first row", s.Equivalent.Text, first.Text),
			"compare with the volume's growth on the first days")
	}
	if s.PodsGovern {
		p.find(v1alpha1.Info, "monitoring.podsGovern", "monitoring.equivalentNodes",
			fmt.Sprintf("%s on %s are more a node than the %s of table 8.1; looked up by the pods, as %s",
				p.in.Pods.Text, p.in.Nodes.Text, p.Fact("ocp.prometheus.podsPerNode").Text, s.Equivalent.Text),
			"if the pods have few series, give your own measurements")
	}
	if p.in.Monitoring.Replicas == 1 {
		p.find(v1alpha1.Warning, "monitoring.replicas.single", "",
			"one replica of Prometheus: no metrics and no alerts while its node is down or updated",
			"keep 2 replicas").Field = "monitoring.replicas"
	}
}

func (p *planner) find(severity v1alpha1.Severity, id, figure, message, remedy string) *v1alpha1.Finding {
	f := p.Find(severity, id, message, remedy)
	f.Figure, f.Sources = figure, []derive.Source{source}
	return f
}
