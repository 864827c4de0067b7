package plan

import (
	"fmt"
	"slices"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/node"
	"plimsoll.dev/part"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/plan/controlplane"
	"plimsoll.dev/plan/grow"
	"plimsoll.dev/plan/network"
	"plimsoll.dev/plan/pages"
	"plimsoll.dev/plan/store"
	"plimsoll.dev/unit"
)

// platformParts sizes what follows from the number of nodes: network, control
// plane and etcd, huge pages, disks, growth and rollout.
func (p *planner) platformParts() {
	p.pools()
	net := p.network()
	p.controlPlane(net.Plugin)
	p.hugePages()
	p.disks()
	p.growthAndRollout()
}

// network sizes the cluster network for the largest cluster that may come. Kubernetes
// has none of its own: what the scenario says of it is checked.
func (p *planner) network() network.Result {
	if c := p.s.Network; !p.openshift() && len(c.ClusterNetwork) == 0 && c.Type == "" {
		s := part.New("network", "Cluster network")
		s.Section.Summary = "Kubernetes has no pod network of its own: network.clusterNetwork and network.type are checked " +
			"where they are given."
		p.put(s)
		return network.Result{Part: s}
	}
	in := network.Input{Nodes: p.mostNodes(), PodsPerNode: p.densest(), SystemPods: p.systemPods(),
		Services: p.services(), NICSpeed: p.slowestNIC(), Config: p.s.Network, Platform: p.s.Platform, Facts: p.c,
		Origin: p.o}
	if run := p.read.Snapshot; run != nil {
		in.Running, in.Machines = run.Network != nil, run.Nodes
	}
	r := network.Plan(&p.b, in)
	p.put(r.Part)
	p.plan.Decisions.Network = r.Decision
	return r
}

// services is the number of services that take an address.
func (p *planner) services() derive.Value {
	if v, ok := p.load.objects["services"]; ok {
		return v
	}
	return derive.Default("workload.objects.services", 0, "services")
}

// allPods is the workload's pods with those of the DaemonSets.
func (p *planner) allPods() derive.Value {
	if p.choice == nil || len(p.load.daemons) == 0 {
		return p.load.count
	}
	var sum derive.Terms
	sum.Product(derive.In("pods", p.load.count))
	for i, r := range p.choice.rooms {
		each := 0
		for _, d := range p.load.daemons {
			if node.RunsOn(d, r.Type) {
				each++
			}
		}
		count := derive.Of(float64(p.choice.opt.Nodes[i].Count), "nodes")
		if len(p.choice.rooms) == 1 {
			count = p.choice.total
		}
		n := strconv.Itoa(i + 1)
		sum.Product(derive.In("nodes"+n, count), derive.In("daemonSets"+n, derive.Of(float64(each), "pods")))
	}
	return p.b.Calc("workload.allPods", "Pods with those of the DaemonSets on the workers", "pods", sum.Sum(), sum.In...)
}

// sayExpected warns of an expectation that the plan passes already.
func (p *planner) sayExpected(s *part.Part) {
	if e := p.s.Policy.ExpectedNodes; e != nil && float64(*e) < p.allNodes().Number {
		s.Find(v1alpha1.Warning, "nodes.expected",
			fmt.Sprintf("%d nodes are expected one day, %.0f are planned now", *e, p.allNodes().Number),
			"set policy.expectedNodes to the size that the cluster may reach, or leave it out").Field = "policy.expectedNodes"
	}
}

// mostNodes is the number of nodes that the cluster may reach.
func (p *planner) mostNodes() derive.Value {
	now := p.allNodes()
	if p.s.Policy.ExpectedNodes == nil {
		return now
	}
	expected := p.o.Value("policy.expectedNodes", float64(*p.s.Policy.ExpectedNodes), "nodes")
	return p.b.Calc("nodes.most", "Nodes that the cluster may reach", "nodes", "max(now, expected)",
		derive.In("now", now), derive.In("expected", expected))
}

// densest is the largest kubelet limit of pods among the planned nodes.
func (p *planner) densest() derive.Value {
	var most derive.Value
	if p.choice != nil {
		for _, r := range p.choice.rooms {
			if r.PodsAllocatable.Number > most.Number {
				most = r.PodsAllocatable
			}
		}
	}
	if most.Text == "" {
		return p.c.Must("ocp.kubelet.maxPods").Value()
	}
	return most
}

// slowestNIC is the speed of the slowest interface that the chosen nodes state.
func (p *planner) slowestNIC() derive.Value {
	var least derive.Value
	if p.choice == nil {
		return least
	}
	for _, r := range p.choice.rooms {
		if n := float64(r.Type.Network); n > 0 && (least.Text == "" || n < least.Number) {
			least = p.o.Value(fmt.Sprintf("hardware.nodeTypes[%d].network", r.index), n, unit.BitsPerS)
		}
	}
	return least
}

// controlPlane sizes the control plane for the workers that may come, since it
// can't be resized later (OCP 2.3).
func (p *planner) controlPlane(plugin network.Plugin) {
	if p.s.Policy.ControlPlaneNodes == 0 {
		return // somebody else runs it
	}
	in := controlplane.Input{Workers: p.mostWorkers(), Infra: p.infra.count, Pods: p.allPods(), Objects: p.load.objects,
		Plugin: plugin.Name, Members: p.masters(), Storage: p.s.Storage, Platform: p.s.Platform, Facts: p.c, Origin: p.o,
		Running: p.mastersRun()}
	if t, i := p.typeOf("controlPlane"); i >= 0 {
		in.NodeType, in.NodeTypePath = &t, fmt.Sprintf("hardware.nodeTypes[%d]", i)
	}
	r := controlplane.Plan(&p.b, in)
	p.put(r.Part)
	d := r.Decision
	d.Count = int(p.masters().Int())
	d.PerZone = grow.Spread(d.Count, p.s.Policy.Zones)
	p.plan.Decisions.ControlPlane = d
	p.control = r
}

// mostWorkers is the number of workers that the cluster may reach.
func (p *planner) mostWorkers() derive.Value {
	if p.s.Policy.ExpectedNodes == nil {
		return p.workers()
	}
	return p.b.Calc("nodes.mostWorkers", "Workers that the cluster may reach", "nodes",
		"most - controlPlane - infra", derive.In("most", p.mostNodes()), derive.In("controlPlane", p.apart()),
		derive.In("infra", p.infra.count))
}

func (p *planner) masters() derive.Value {
	return p.o.Value("policy.controlPlaneNodes", float64(p.s.Policy.ControlPlaneNodes), "nodes")
}

// mastersRun says that the control plane nodes are those of a cluster that runs.
func (p *planner) mastersRun() bool {
	n := 0
	if p.read.Snapshot != nil {
		for _, node := range p.read.Snapshot.Nodes {
			if masterNode(node.Labels) {
				n++
			}
		}
	}
	return n > 0 && n >= p.s.Policy.ControlPlaneNodes
}

// runs says that nodes of a type are those of a cluster that runs.
func (p *planner) runs(nodeType string) bool {
	for _, o := range p.s.Hardware.Options {
		if o.Name == TodaysNodes {
			return slices.ContainsFunc(o.Nodes, func(n v1alpha1.OptionNodes) bool { return n.Type == nodeType })
		}
	}
	return false
}

// hugePages says how the pages of each node are pre-allocated.
func (p *planner) hugePages() {
	if p.choice == nil {
		return
	}
	in := pages.Input{PodTypes: p.s.Workload.PodTypes, Platform: p.s.Platform.Type, Release: p.s.Platform.Release,
		Origin: p.o, Facts: p.c}
	for i, r := range p.choice.rooms {
		n := pages.Node{Index: r.index, Type: r.Type.Name, Memory: r.MemoryCapacity, NUMANodes: r.Type.NUMANodes,
			Given: r.Type.HugePages, Pods: map[string]derive.Value{}, Kept: p.kept(r)}
		for d, size := range p.dims.pageSizes() {
			if most := p.mostOn(i, d); most.Number > 0 {
				n.Pods[size] = most
			}
		}
		if len(n.Pods) > 0 || len(n.Given) > 0 {
			in.Nodes = append(in.Nodes, n)
		}
	}
	if len(in.Nodes) == 0 {
		return
	}
	r := pages.Plan(&p.b, in)
	p.put(r.Part)
	for _, a := range r.Nodes {
		for i := range p.plan.Decisions.Pools {
			if d := &p.plan.Decisions.Pools[i]; d.Type == a.Type && d.Role == "worker" {
				d.HugePages = a.HugePages()
			}
		}
	}
}

// kept is the memory of a node that no page may take.
func (p *planner) kept(r roomOf) derive.Value {
	var sum float64
	for _, l := range r.MemoryLayers {
		if l.Name == "system" || l.Name == "kubelet" || l.Name == "eviction" {
			sum += l.Value.Number
		}
	}
	return derive.Of(sum, unit.ByteUnit)
}

// fullest is the most of resource d that lies on a node of entry i, and what says so:
// placement where the nodes were placed, else the packing. The huge pages to pre-allocate
// were decided before both, which keep to them.
func (p *planner) fullest(i, d int) (most int64, from string) {
	if used := p.choice.rooms[i].used; used[p.dims.pageSizes()[d]] > 0 {
		return int64(used[p.dims.pageSizes()[d]]), "packing"
	}
	if h := p.choice.held(); h != nil && p.dims.placed(d) {
		by := h.Most(func(k *cluster.Kind) int64 { return p.dims.ask(d, k) })
		return by[p.choice.rooms[i].Type.Name], "placement"
	}
	for _, g := range p.choice.pack.Groups {
		if g.Bin == i {
			most = max(most, p.choice.bins[i].Cap[d]-g.Free[d])
		}
	}
	return most, "packing"
}

// placed says whether placement, rather than the packing, says how much of a resource
// a node holds; ask is what a pod takes of it.
func (d dims) placed(i int) bool { return i == dimPods || d[i] == ephemeralStorage }

func (d dims) ask(i int, k *cluster.Kind) int64 {
	if i == dimPods {
		return 1
	}
	return k.Pod.Request.EphemeralStorage
}

// mostOn is the most of resource d on a node of entry i.
func (p *planner) mostOn(i, d int) derive.Value {
	most, from := p.fullest(i, d)
	name := p.dims[d]
	v := p.dims.value(d, float64(most))
	return p.b.Record(derive.Figure{ID: "nodes.most." + name + "[" + p.choice.rooms[i].Type.Name + "]",
		Title: "Most " + name + " on one " + p.choice.rooms[i].Type.Name, Value: v,
		Method: "the fullest node of the " + from})
}

// installs says that OpenShift's own installer makes new machines, which has a least size for them.
func (p *planner) installs() bool {
	return p.s.Platform.Type == "openshift" && p.s.Platform.Service == "self-managed"
}

// disks advises on storage and sizes the local disks of every role.
func (p *planner) disks() {
	installs := p.installs()
	in := store.Input{Storage: p.s.Storage, Provider: p.s.Platform.Provider, Release: p.s.Platform.Release, Origin: p.o,
		Facts: p.c}
	if d := p.plan.Decisions.ControlPlane; d.Memory > 0 {
		in.Nodes = append(in.Nodes, store.Node{Type: d.Type, Role: "controlPlane", Memory: p.control.Machine,
			Disk: p.control.Disk, New: installs && !p.mastersRun()})
	}
	if p.choice != nil {
		for i, r := range p.choice.rooms {
			n := p.storeNode(r, "worker", p.ephemeralOn(i))
			n.New = installs && !p.runs(r.Type.Name)
			in.Nodes = append(in.Nodes, n)
		}
	}
	if p.infra.count.Number > 0 && p.infra.named {
		n := p.storeNode(p.infra.room, "infra", derive.Value{})
		n.New = installs
		in.Nodes = append(in.Nodes, n)
	}
	r := store.Plan(&p.b, in)
	p.put(r.Part)
	p.takeDisks(r.Disks)
}

func (p *planner) storeNode(r roomOf, role string, ephemeral derive.Value) store.Node {
	n := store.Node{Type: r.Type.Name, Role: role, Memory: r.MemoryCapacity, Ephemeral: ephemeral}
	if r.Type.Disk > 0 {
		n.Disk = p.o.Value(fmt.Sprintf("hardware.nodeTypes[%d].disk", r.index), float64(r.Type.Disk), unit.ByteUnit)
	}
	return n
}

func (p *planner) ephemeralOn(i int) derive.Value {
	for d, name := range p.dims {
		if name == ephemeralStorage {
			return p.mostOn(i, d)
		}
	}
	return derive.Value{}
}

// takeDisks fills in the disk of pools whose type states none.
func (p *planner) takeDisks(disks []store.Disk) {
	take := func(d *v1alpha1.PoolDecision) {
		for _, disk := range disks {
			if d.Disk == 0 && disk.Type == d.Type && disk.Role == d.Role {
				d.Disk = unit.Bytes(disk.Need.Int())
			}
		}
	}
	take(&p.plan.Decisions.ControlPlane)
	for i := range p.plan.Decisions.Pools {
		take(&p.plan.Decisions.Pools[i])
	}
}
