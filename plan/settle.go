package plan

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/node"
	"plimsoll.dev/plan/prometheus"
	"plimsoll.dev/plan/router"
	"plimsoll.dev/unit"
)

// settle repeats the parts that work on one another until the number of nodes
// stands still: Prometheus grows with the nodes, its pods take room, and more
// room may take more nodes.
func (p *planner) settle() {
	p.measureWorkers()
	p.packOptions()
	last := int64(-1)
	for range maxRounds {
		n := p.allNodes().Int()
		if n == last {
			break
		}
		last = n
		pods, least := p.platformPods()
		before := len(p.homeless)
		p.placeInfra(pods, least)
		if before > 0 || len(p.homeless) > 0 || p.infra.chosen {
			p.packOptions() // they share the workers, or the workload's pods go there: pack anew
		}
	}
	p.nodesPart()
	p.infraPart()
	p.layers()
}

// openshift says whether the platform brings its own router and monitoring.
func (p *planner) openshift() bool { return p.s.Platform.Type == "openshift" }

// observed says that the workload includes the platform's own pods, because it
// was read from a running cluster.
func (p *planner) observed() bool { return p.s.Workload.Snapshot != "" }

// platformPods sizes router and monitoring, and returns their pods with the
// fewest infrastructure nodes that are recommended for them.
func (p *planner) platformPods() ([]v1alpha1.PodType, derive.Value) {
	if !p.openshift() {
		return nil, derive.Value{}
	}
	r := p.routers()
	m := prometheus.Plan(&p.b, prometheus.Input{Nodes: p.allNodes(), Workers: p.workers(), Pods: p.allPods(),
		Monitoring: p.s.Monitoring, Origin: p.o, Release: p.s.Platform.Release, Facts: p.c})
	p.put(m.Part)
	p.plan.Decisions.Monitoring = m.Decision
	if p.observed() {
		return nil, derive.Value{}
	}
	least := p.b.Calc("infra.least", "Infrastructure nodes at least", "nodes",
		"max(monitoring, router)", derive.In("monitoring", m.InfraNodes), derive.In("router", r.Nodes))
	return append(r.Pods, m.Pods...), least
}

// routers sizes the ingress routers.
func (p *planner) routers() router.Result {
	in := router.Input{Router: p.s.Router, Running: p.runningRouters(),
		Provider: p.s.Platform.Provider, Release: p.s.Platform.Release,
		MTU: p.o.Value("network.nicMTU", float64(p.s.Network.NICMTU), unit.ByteUnit), Routes: p.load.objects["routes"],
		Origin: p.o, Facts: p.c}
	if t, index := p.routerNode(); index >= 0 {
		in.BareMetal = t.BareMetal || in.Provider == "baremetal"
		if t.Network > 0 {
			in.NIC = p.o.Value(fmt.Sprintf("hardware.nodeTypes[%d].network", index), float64(t.Network), unit.BitsPerS)
		}
	}
	r := router.Plan(&p.b, in)
	p.put(r.Part)
	p.plan.Decisions.Routers, p.routing = r.Decisions, r.Size
	return r
}

// routerNamespace is that of the routers.
const routerNamespace = "openshift-ingress"

// runningRouters are the routers of a snapshot; the zero value without any.
func (p *planner) runningRouters() derive.Value {
	var sum derive.Terms
	for i, t := range p.s.Workload.PodTypes {
		if p.observed() && t.Namespace == routerNamespace && strings.Contains(t.Name, "router-") {
			sum.Product(derive.In(fmt.Sprintf("n%d", i+1), node.PodValue(t, "replicas", float64(t.Replicas), "routers")))
		}
	}
	if len(sum.In) == 0 {
		return derive.Value{}
	}
	return p.b.Calc("router.running", "Routers that run", "routers", sum.Sum(), sum.In...)
}

// routerNode is the node type that routers run on, with its index: that of the
// infrastructure nodes, or of the first workers. The index is -1 without any.
func (p *planner) routerNode() (v1alpha1.NodeType, int) {
	if t, i := p.typeOf("infra"); i >= 0 {
		return t, i
	}
	if p.choice == nil || len(p.choice.rooms) == 0 {
		return v1alpha1.NodeType{}, -1
	}
	return p.choice.rooms[0].Type, p.choice.rooms[0].index
}

// typeOf is the first node type of a role that is no arbiter's, with its index; -1 without any.
func (p *planner) typeOf(role string) (v1alpha1.NodeType, int) {
	i := slices.IndexFunc(p.s.Hardware.NodeTypes, func(t v1alpha1.NodeType) bool {
		_, votes := t.Labels["node-role.kubernetes.io/"+arbiter]
		return t.Role == role && !votes
	})
	if i < 0 {
		return v1alpha1.NodeType{}, i
	}
	return p.s.Hardware.NodeTypes[i], i
}

// workers is the number of worker nodes.
func (p *planner) workers() derive.Value {
	if p.choice == nil {
		return derive.Of(0, "nodes")
	}
	return p.choice.total
}

// allNodes is every node of the cluster.
func (p *planner) allNodes() derive.Value {
	infra := p.infra.count
	if infra.Text == "" {
		infra = derive.Of(0, "nodes")
	}
	masters := p.apart()
	return p.b.Calc("nodes.all", "Nodes of the cluster", "nodes",
		"workers + infra + controlPlane", derive.In("workers", p.workers()), derive.In("infra", infra),
		derive.In("controlPlane", masters))
}
