package plan

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
)

// losesZone says that the loss of a zone is to be borne.
func (p *planner) losesZone() bool { return p.s.Policy.SurviveZoneLoss && p.s.Policy.Zones > 1 }

// infraKept is the least number of infrastructure nodes that bear the loss of the others: with
// the routers that the traffic takes, one of each further service whose pods keep apart as each
// other's spare, and all other pods.
func (p *planner) infraKept() derive.Value {
	pods := slices.Clone(p.infra.pods)
	for i := range pods[:p.infra.platform] {
		t := &pods[i]
		switch {
		case t.Namespace == routerNamespace:
			t.Replicas = t.Replicas * int(p.routing.Needed.Int()) / max(1, int(p.routing.Replicas.Int()))
		case t.MaxPerNode > 0:
			t.Replicas = min(t.Replicas, 1)
		}
	}
	_, packed := packOnInfra(p.infra.room, pods)
	return p.b.Record(derive.Figure{ID: "infra.kept", Title: "Infrastructure nodes that a loss of others must leave",
		Value: derive.Of(float64(packed.Nodes), "nodes"), Method: "the routers that the traffic takes, one Prometheus and " +
			"one Alertmanager, and what has no spare pods, packed by first fit decreasing, " + packed.Order,
		Inputs: []derive.Input{derive.In("routers of each shard", p.routing.Needed),
			derive.In("CPU on a node", p.infra.room.CPU), derive.In("memory on a node", p.infra.room.Memory)}})
}

// emptyShare is the share of CPU and of memory below which infrastructure nodes are called empty.
const emptyShare = 0.25

// sayInfraEmpty says that smaller infrastructure nodes would do, where they are paid for.
func (p *planner) sayInfraEmpty(s *part.Part) {
	r, cpu, memory := p.infra.room, 0.0, 0.0
	for _, t := range p.infra.pods {
		cpu += float64(t.CPU) * float64(t.Replicas)
		memory += float64(t.Memory) * float64(t.Replicas)
	}
	cpu /= r.CPU.Number * p.infra.count.Number
	memory /= r.Memory.Number * p.infra.count.Number
	if !p.infra.named || r.Type.Price == 0 || !(max(cpu, memory) < emptyShare) {
		return
	}
	s.Find(v1alpha1.Warning, "infra.empty",
		fmt.Sprintf("%s of type %s are asked for %s of their CPU and %s of their memory",
			derive.Of(p.infra.count.Number, "infrastructure nodes"), r.Type.Name, limit.Percent(cpu), limit.Percent(memory)),
		"take a smaller node type with role: infra").Field = "hardware.nodeTypes"
}

// sayInfraZones says what becomes of router and monitoring when a zone is lost.
func (p *planner) sayInfraZones(s *part.Part) {
	n, zones := int(p.infra.count.Number), p.s.Policy.Zones
	if p.s.Policy.InfraNodes != nil && n < zones {
		s.Find(v1alpha1.Warning, "infra.zones", fmt.Sprintf("%s for %d zones: %s neither router nor monitoring",
			derive.Of(float64(n), "infrastructure nodes"), zones, words.Count(zones-n, "zone has", "zones have")),
			fmt.Sprintf("set policy.infraNodes to %d or leave it out", zones)).Field = "policy.infraNodes"
	}
	if !p.losesZone() {
		return
	}
	kept := int(p.infraKept().Number)
	left := n - (n+zones-1)/zones
	var less []string
	for _, t := range p.infra.pods {
		if most := t.MaxPerNode * left; t.MaxPerNode > 0 && most < t.Replicas {
			less = append(less, fmt.Sprintf("%d of %d %s", most, t.Replicas, t.Name))
		}
	}
	says := fmt.Sprintf("of %s the loss of a zone leaves %d", derive.Of(float64(n), "infrastructure nodes"), left)
	if len(less) > 0 {
		says += ", with " + strings.Join(less, ", ")
	}
	if left >= kept {
		s.Section.Summary += " " + strings.ToUpper(says[:1]) + says[1:] + ": enough, if not as safe."
		return
	}
	s.Find(v1alpha1.Error, "infra.zoneLoss", fmt.Sprintf("%s; router and monitoring take %d", says, kept),
		fmt.Sprintf("set policy.infraNodes to %d or leave it out", ZoneLossCount(kept, zones))).Field = "policy.infraNodes"
}
