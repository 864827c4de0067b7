package plan

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/node"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/fit"
	"plimsoll.dev/unit"
)

// infra is where router and monitoring run.
type infra struct {
	// count of infrastructure nodes; 0 leaves the pods on the workers.
	count derive.Value
	room  roomOf
	// pods are the platform's own, so many of them, and those of the workload behind.
	pods     []v1alpha1.PodType
	platform int
	items    []fit.Item
	pack     fit.Packing
	// named says that the scenario has a node type for them.
	named bool
	// chosen says that pods of the workload are among them.
	chosen bool
}

// selectInfra are the pods of the workload that run on infrastructure nodes only.
func (p *planner) selectInfra() []v1alpha1.PodType {
	return slices.DeleteFunc(slices.Clone(p.load.pods), func(t v1alpha1.PodType) bool { return !p.infraOnly(t) })
}

// infraOnly says that a pod runs on the scenario's infrastructure nodes and on no worker.
func (p *planner) infraOnly(t v1alpha1.PodType) bool {
	n, i := p.typeOf("infra")
	if want := p.s.Policy.InfraNodes; i < 0 || want != nil && *want == 0 || p.observed() || !node.RunsOn(t, n) {
		return false
	}
	return !slices.ContainsFunc(p.s.Hardware.NodeTypes, func(n v1alpha1.NodeType) bool {
		return n.Role == "worker" && node.RunsOn(t, n)
	})
}

// placeInfra puts the platform's pods on infrastructure nodes, or among the
// workload where the policy wants none. least is the fewest nodes to take.
func (p *planner) placeInfra(pods []v1alpha1.PodType, least derive.Value) {
	chosen := p.selectInfra()
	p.infra = infra{pods: slices.Concat(pods, chosen), platform: len(pods), chosen: len(chosen) > 0,
		count: derive.Of(0, "nodes")}
	p.homeless = nil
	want := p.s.Policy.InfraNodes
	if want != nil && *want == 0 || want == nil && least.Number == 0 && !p.infra.chosen {
		p.homeless = pods
		return
	}
	if !p.infraType() {
		p.homeless = pods
		return
	}
	needed := p.b.Record(derive.Figure{ID: "infra.needed", Title: "Infrastructure nodes that router and monitoring fill",
		Value:  derive.Of(float64(p.infra.pack.Nodes), "nodes"),
		Method: "their pods packed by first fit decreasing, " + p.infra.pack.Order,
		Inputs: p.infraInputs()})
	if want != nil {
		p.infra.count = p.o.Value("policy.infraNodes", float64(*want), "nodes")
		return
	}
	sum, in := "needed", []derive.Input{derive.In("needed", needed), derive.In("least", least)}
	if p.infra.chosen { // the workload's pods on them are to bear what the policy asks for
		sum = "needed + spare"
		in = append(in, derive.In("spare", p.o.Value("policy.spareNodes", float64(*p.s.Policy.SpareNodes), "nodes")))
	}
	formula := "max(" + sum + ", least)"
	if p.losesZone() {
		formula = "max(" + sum + ", least, kept + ceil(kept / (zones - 1)))"
		in = append(in, derive.In("kept", p.infraKept()),
			derive.In("zones", p.o.Value("policy.zones", float64(p.s.Policy.Zones), "zones")))
	}
	p.infra.count = p.b.Calc("infra.nodes", "Infrastructure nodes", "nodes", formula, in...)
}

func (p *planner) infraInputs() []derive.Input {
	in := []derive.Input{derive.In("CPU on a node", p.infra.room.CPU), derive.In("memory on a node", p.infra.room.Memory)}
	for _, t := range p.infra.pods {
		in = append(in, derive.In("pods of "+t.Name, derive.Of(float64(t.Replicas), "pods")))
	}
	return in
}

// infraType picks the node type and packs the pods on it: the scenario's own
// type for the role, else the chosen workers' type, else the first worker type
// that is large enough. It is false when there is no node type at all.
func (p *planner) infraType() bool {
	if t, i := p.typeOf("infra"); i >= 0 {
		p.infra.named = true
		p.packInfra(p.measure(i, t, nil))
		return true
	}
	if p.choice == nil || len(p.choice.rooms) == 0 {
		return false
	}
	for _, r := range append(slices.Clone(p.choice.rooms), p.rooms...) {
		if p.packInfra(p.asInfra(r)); len(p.infra.pack.Left) == 0 {
			return true
		}
	}
	p.packInfra(p.asInfra(p.choice.rooms[0]))
	return true
}

// asInfra is a worker type as an infrastructure node: it pre-allocates no huge
// pages, which only the workload uses.
func (p *planner) asInfra(r roomOf) roomOf {
	if len(r.HugePages) == 0 {
		return r
	}
	return p.measureAs(r.Type.Name+", infra", r.index, r.Type, map[string]unit.Bytes{})
}

// packInfra packs the platform's pods on as many nodes as it takes. They are
// never overcommitted.
func (p *planner) packInfra(r roomOf) {
	p.infra.room = r
	p.infra.items, p.infra.pack = packOnInfra(r, p.infra.pods)
}

func packOnInfra(r roomOf, pods []v1alpha1.PodType) ([]fit.Item, fit.Packing) {
	d := newDims(pods)
	var items []fit.Item
	for _, t := range pods {
		items = append(items,
			fit.Item{Name: t.Name, Count: t.Replicas, Need: d.need(t, node.NoOvercommit), MaxPerNode: t.MaxPerNode})
	}
	return items, fit.Best(items, []fit.Bin{{Cap: d.capacity(r, node.NoOvercommit), Count: fit.Unlimited}})
}

// infraPart shows where router and monitoring land.
func (p *planner) infraPart() {
	if p.observed() {
		p.infraRunning()
		return
	}
	if len(p.infra.pods) == 0 {
		return
	}
	s := part.New("infra", "Infrastructure nodes")
	p.put(s)
	if p.infra.count.Number == 0 {
		s.Section.Summary = "Router and monitoring run among the workload and take room there."
		s.Find(v1alpha1.Info, "infra.none", "there are no infrastructure nodes: router and monitoring share the workers",
			"leave policy.infraNodes out, and give hardware.nodeTypes one of role infra").Field = "policy.infraNodes"
		infraTable(s, "Pods of the platform", p.infra.pods)
		return
	}
	s.Section.Summary = fmt.Sprintf("%s of type %s carry router and monitoring.", p.infra.count, p.infra.room.Type.Name)
	p.sayInfraZones(s)
	s.Show(p.infra.count)
	if v, ok := p.b.Get("infra.needed"); ok {
		s.Detail(derive.Cite(v))
	}
	infraTable(s, "Pods of the platform", p.infra.pods)
	p.infraFindings(s)
}

// infraLabel is the label of the role, which a node has alone or beside that of a worker.
const infraLabel = "node-role.kubernetes.io/infra"

// infraToday reports whether nodes of a type, which a snapshot has among the workers, have
// the role of infrastructure.
func infraToday(t v1alpha1.NodeType) bool {
	_, is := t.Labels[infraLabel]
	return is
}

// infraRunning shows the infrastructure nodes of a snapshot, and the pods that run there.
func (p *planner) infraRunning() {
	if p.choice == nil || p.choice.opt.Name != TodaysNodes {
		return
	}
	var kinds []string
	var sum derive.Terms
	of := map[string]bool{}
	for i, r := range p.choice.rooms {
		if !infraToday(r.Type) {
			continue
		}
		n := p.choice.givenOf(i)
		kinds, of[r.Type.Name] = append(kinds, fmt.Sprintf("%.0f x %s", n.Number, r.Type.Name)), true
		sum.Product(derive.In(fmt.Sprintf("nodes%d", i+1), n))
	}
	if len(kinds) == 0 {
		return
	}
	s := part.New("infra", "Infrastructure nodes")
	p.put(s)
	s.Section.Summary = words.And(kinds) + " run as infrastructure nodes: their pods are counted with the workload, " +
		"and only pods that tolerate their taints go there."
	s.Show(p.b.Calc("infra.running", "Infrastructure nodes that run", "nodes", sum.Sum(), sum.In...))
	p.infraPodsRunning(s, of)
}

// infraPodsRunning is the table of the pods on the nodes of such types.
func (p *planner) infraPodsRunning(s *part.Part, of map[string]bool) {
	if p.read.Snapshot == nil {
		return
	}
	count := map[int]int{}
	for _, b := range p.read.Snapshot.Bound {
		if of[p.read.Snapshot.Nodes[b.Node].Type] {
			count[b.PodType] += b.Count
		}
	}
	var pods []v1alpha1.PodType
	for i, t := range p.read.Snapshot.PodTypes {
		if t.Replicas = count[i]; t.Replicas > 0 {
			pods = append(pods, t)
		}
	}
	infraTable(s, "Pods that run there", pods)
}

func infraTable(s *part.Part, title string, pods []v1alpha1.PodType) {
	t := s.Table("infra.pods", title, part.Left("Pod"), part.Right("Replicas"), part.Right("CPU"),
		part.Right("Memory"))
	t.Wide = true
	for _, pod := range pods {
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(pod.Name), part.Num(derive.Of(float64(pod.Replicas), "")),
			part.Num(derive.Of(float64(pod.CPU), "millicores")), part.Num(derive.Of(float64(pod.Memory), "bytes"))})
	}
}

func (p *planner) infraFindings(s *part.Part) {
	p.sayInfraEmpty(s)
	if !p.infra.named {
		s.Find(v1alpha1.Info, "infra.type", "no node type has the role infra: they are planned as "+p.infra.room.Type.Name,
			"add a node type with role: infra").Field = "hardware.nodeTypes"
	}
	for _, l := range p.infra.pack.Left {
		s.Find(v1alpha1.Error, "infra.left["+p.infra.items[l.Item].Name+"]",
			fmt.Sprintf("a pod of %s does not fit on an infrastructure node of type %s, which gives %s and %s",
				p.infra.items[l.Item].Name, p.infra.room.Type.Name, p.infra.room.CPU, p.infra.room.Memory),
			"add a larger node type with role: infra").Figure = "infra.needed"
	}
	if n := float64(p.infra.pack.Nodes); n > p.infra.count.Number {
		s.Find(v1alpha1.Error, "infra.few", fmt.Sprintf("%s for router and monitoring, which fill %.0f", p.infra.count, n),
			fmt.Sprintf("set policy.infraNodes to %.0f or leave it out", n)).Field = "policy.infraNodes"
	}
}
