package prometheus

import (
	"fmt"

	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// Size are the figures of monitoring. Amounts of memory and storage are bytes,
// CPU is millicores; volume, memory and CPU are those of one Prometheus.
type Size struct {
	// Equivalent is the number of nodes to look up in the table: the nodes, or
	// the nodes that the pods would make at 36 a node when that is more.
	Equivalent derive.Value
	// PodsGovern says that the pods decide.
	PodsGovern bool
	// Side says whether the table covers Equivalent.
	Side Side
	// PerDay and Per15Days are the growth of the storage.
	PerDay, Per15Days derive.Value
	// Volume for the retention, and what the claim asks for (whole Gi).
	Volume, VolumeRequest derive.Value
	// Storage of all volumes of Prometheus and Alertmanager.
	Storage derive.Value
	// RAM and CPU, and what the pod requests.
	RAM, MemoryRequest, CPU, CPURequest derive.Value
	// Chunk is the network traffic for each chunk.
	Chunk derive.Value
	// Replicas of Prometheus and of Alertmanager.
	Replicas, Alertmanagers derive.Value
}

func (p *planner) size() Size {
	s := Size{Replicas: p.Field("replicas", float64(p.in.Monitoring.Replicas), "replicas"),
		Alertmanagers: p.alertmanagers()}
	p.equivalent(&s)
	p.lookUp(&s)
	p.volume(&s)
	p.requests(&s)
	return s
}

func (p *planner) equivalent(s *Size) {
	each := p.Fact("ocp.prometheus.podsPerNode")
	byPods := p.in.Pods.Number / each.Number
	s.PodsGovern = byPods > p.in.Nodes.Number
	s.Equivalent = p.Calc("monitoring.equivalentNodes", "Nodes to look up in table 8.1", "nodes",
		"max(nodes, pods / podsPerNode)", derive.In("nodes", p.in.Nodes), derive.In("pods", p.in.Pods),
		derive.In("podsPerNode", each))
	governs := "the nodes govern: the table's clusters have no fewer pods a node"
	if s.PodsGovern {
		governs = "the pods govern: there are more of them a node than in the table's clusters, " +
			"and Prometheus keeps series for each"
	}
	p.Note("monitoring.equivalentNodes", governs, source)
}

func (p *planner) lookUp(s *Size) {
	x := s.Equivalent
	points := make([]Point, len(p.rows))
	for i, r := range p.rows {
		points[i] = Point{r.Nodes, r.Nodes}
	}
	_, s.Side = Interpolate(points, x.Number)
	s.PerDay = p.interpolated("monitoring.storagePerDay", "Prometheus storage growth in a day", x,
		func(r Row) derive.Value { return r.PerDay })
	s.Per15Days = p.interpolated("monitoring.storagePer15Days", "Prometheus storage growth in 15 days", x,
		func(r Row) derive.Value { return r.Per15Days })
	s.RAM = p.interpolated("monitoring.ram", "Memory of one Prometheus", x, func(r Row) derive.Value { return r.RAM })
	s.Chunk = p.interpolated("monitoring.networkPerChunk", "Network traffic for each chunk of the database", x,
		func(r Row) derive.Value { return r.Chunk })
	each, nodes := p.Fact("ocp.prometheus.coresPer50Nodes"), p.Fact("ocp.prometheus.coresPerNodes")
	s.CPU = p.Calc("monitoring.cpu", "CPU of one Prometheus", unit.Millicores,
		"nodes / perNodes * cores", derive.In("nodes", x), derive.In("perNodes", nodes), derive.In("cores", each))
	p.Note("monitoring.cpu", "the document calls the effect of monitoring on CPU minor: about 1 of 40 cores", source)
	p.Note("monitoring.ram", "the document does not say whether the figure is that of one Prometheus or of all; "+
		"taken for one, the safe reading")
}

// volume scales the column of 15 days to the retention, and never below one
// day's growth, the least that the document states.
func (p *planner) volume(s *Size) {
	keep := p.Field("retention", float64(p.in.Monitoring.Retention), unit.Seconds)
	const day = 86400
	need := max(s.PerDay.Number, s.Per15Days.Number*keep.Number/(15*day))
	s.Volume = p.Record(derive.Figure{ID: "monitoring.volume", Title: "Storage of one Prometheus for the retention",
		Value:   decimal(need),
		Formula: "max(day, days15 * retention / (15 * 86400))",
		Inputs:  []derive.Input{derive.In("day", s.PerDay), derive.In("days15", s.Per15Days), derive.In("retention", keep)}})
	overhead := p.Fact("ocp.prometheus.overhead")
	p.Note("monitoring.volume",
		fmt.Sprintf("the table includes about %g %% of overhead; nothing is added to it", overhead.Number*100), source)
	p.Note("monitoring.volume", p.typical(s.Volume), derive.Source{Code: "OCP", Section: "8.2"})
	s.VolumeRequest = p.wholeGiB("monitoring.volumeRequest", "Volume of each Prometheus", s.Volume)
	alert := p.Field("alertmanagerSize", float64(p.in.Monitoring.AlertmanagerSize), unit.ByteUnit)
	s.Storage = p.Calc("monitoring.storage", "Storage of all volumes of the monitoring",
		unit.ByteUnit,
		"replicas * volume + alertmanagers * alertmanagerVolume", derive.In("replicas", s.Replicas),
		derive.In("volume", s.VolumeRequest),
		derive.In("alertmanagers", s.Alertmanagers), derive.In("alertmanagerVolume", alert))
}

// typical compares with the size that the document calls typical.
func (p *planner) typical(volume derive.Value) string {
	typical := p.Fact("ocp.prometheus.typicalSize")
	return fmt.Sprintf("the document's example configures %s as a typical size; this cluster needs %.3g %% of it",
		unit.Bytes(typical.Int()), 100*volume.Number/typical.Number)
}

func (p *planner) wholeGiB(id, title string, v derive.Value) derive.Value {
	return p.Calc(id, title, unit.ByteUnit, "ceil(need / 2^30) * 2^30", derive.In("need", v))
}

func (p *planner) requests(s *Size) {
	s.MemoryRequest = p.Calc("monitoring.memoryRequest", "Memory that each Prometheus requests", unit.ByteUnit,
		"ceil(ram / 2^20) * 2^20", derive.In("ram", s.RAM))
	s.CPURequest = p.Calc("monitoring.cpuRequest", "CPU that each Prometheus requests", unit.Millicores,
		"ceil(cpu)", derive.In("cpu", s.CPU))
}

// alertmanagers is the number of Alertmanager pods of the release.
func (p *planner) alertmanagers() derive.Value { return p.replicas(alertmanager).Value() }
