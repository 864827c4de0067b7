package scheduler

import (
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// pairOf is the engine and its naive twin, which get the same orders.
type pairOf struct {
	t       *rapid.T
	engine  *Scheduler
	plain   *plain
	classes []*PodClass
}

func newPair(t *rapid.T, p Profile, nodes []Node) *pairOf {
	s, err := New(p, nodes)
	if err != nil {
		t.Fatal(err)
	}
	return &pairOf{t: t, engine: s, plain: newPlain(p, nodes)}
}

func (p *pairOf) class(c PodClass) {
	id, err := p.engine.Class(c)
	if err != nil {
		p.t.Fatal(err)
	}
	p.classes = append(p.classes, &c)
	if int(id) != len(p.classes)-1 {
		p.t.Fatalf("class %d has the number %d", len(p.classes)-1, id)
	}
}

func (p *pairOf) schedule(c int) {
	want := p.plain.schedule(p.classes[c])
	got := p.engine.Schedule(ClassID(c)).Node
	if got != want {
		p.t.Fatalf("a pod of %s is on node %d, the twin has %d of %v\n%s", p.classes[c].Name, got, want, p.plain.feasible,
			p.describe(c, got))
	}
	if got < 0 && p.classes[c].NodeName == "" {
		p.explain(c)
	}
	if p.engine.start != p.plain.start {
		p.t.Fatalf("the next search starts at %d, the twin's at %d", p.engine.start, p.plain.start)
	}
}

// explain compares what is said about a pod that fits nowhere.
func (p *pairOf) explain(c int) {
	d := p.engine.Explain(ClassID(c))
	if want := p.plain.why(p.classes[c]); d.Message != want || d.Fits != 0 {
		p.t.Fatalf("a pod of %s fits %d nodes:\n%s\nthe twin says\n%s", p.classes[c].Name, d.Fits, d.Message, want)
	}
	if len(p.plain.order) == 0 {
		return
	}
	v := p.engine.Preempt(ClassID(c))
	want, message := p.plain.preempt(p.classes[c])
	if v.Message != message || (v.Node >= 0) != (want != nil) {
		p.t.Fatalf("preemption for %s on node %d: %s\nthe twin has %+v: %s", p.classes[c].Name, v.Node, v.Message,
			want, message)
	}
	if want == nil {
		return
	}
	counts := map[string]int{}
	for _, victim := range want.victims {
		counts[victim.Name]++
	}
	for _, victim := range v.Victims {
		counts[p.classes[victim.Class].Name] -= victim.Count
	}
	for name, n := range counts {
		if n != 0 || v.Node != want.node {
			p.t.Fatalf("preemption for %s evicts %+v from node %d, the twin %+v (%s)", p.classes[c].Name, v.Victims, v.Node,
				want, name)
		}
	}
}

func (p *pairOf) describe(c, got int) string {
	return fmt.Sprintf("%+v", *p.classes[c])
}

func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var nodes []Node
		for i := range rapid.IntRange(1, 12).Draw(t, "nodes") {
			nodes = append(nodes, drawNode(t, i))
		}
		p := newPair(t, drawProfile(t), nodes)
		for range rapid.IntRange(1, 4).Draw(t, "classes") {
			p.class(drawClass(t, len(p.classes)))
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			p.step()
		}
		for c := range p.classes {
			if p.classes[c].NodeName == "" {
				got, _ := p.engine.Room(ClassID(c), 1<<30)
				if want := p.plain.room(p.classes[c]); got != want {
					t.Fatalf("there is room for %d more of %s, the twin has %d\n%s", got, p.classes[c].Name, want, p.describe(c, 0))
				}
			}
		}
	})
}

// TestTwinSampled has clusters that are large enough for the scheduler to stop
// looking, and classes that come again and again.
func TestTwinSampled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.IntRange(1, 4).Draw(t, "kinds")
		var nodes []Node
		for i := range kinds {
			nodes = append(nodes, drawNode(t, i))
		}
		for i := range rapid.IntRange(90, 330).Draw(t, "nodes") {
			n := nodes[(i*i+i/7)%kinds]
			n.Name = fmt.Sprintf("n%d", kinds+i)
			n.Labels = maps.Clone(n.Labels)
			if n.Labels[HostnameLabel] != "" {
				n.Labels[HostnameLabel] = n.Name
			}
			nodes = append(nodes, n)
		}
		p := newPair(t, drawProfile(t), nodes)
		for range rapid.IntRange(1, 3).Draw(t, "classes") {
			p.class(drawClass(t, len(p.classes)))
		}
		for range rapid.IntRange(1, 8).Draw(t, "runs") {
			c := rapid.IntRange(0, len(p.classes)-1).Draw(t, "class")
			for range rapid.IntRange(1, 40).Draw(t, "run") {
				p.schedule(c)
			}
			p.step()
		}
	})
}

// step does one thing to both.
func (p *pairOf) step() {
	c := rapid.IntRange(0, len(p.classes)-1).Draw(p.t, "class")
	node := rapid.IntRange(0, len(p.plain.nodes)-1).Draw(p.t, "node")
	there := p.plain.nodes[node] != nil
	switch what := rapid.IntRange(0, 17).Draw(p.t, "what"); {
	case what == 0 && there:
		p.engine.Bind(ClassID(c), node)
		p.plain.bind(p.classes[c], node)
	case what == 1 && there:
		p.unbind(c, node)
	case what == 2 && len(p.classes) < 8:
		p.class(drawClass(p.t, len(p.classes)))
	case what == 3 && there:
		on := rapid.Bool().Draw(p.t, "on")
		p.engine.SetUnschedulable(node, on)
		p.plain.cordon(node, on)
	case what == 4 && there:
		p.engine.RemoveNodes(node)
		p.plain.removeNode(node)
	case what == 5:
		p.addNode()
	case what == 6:
		p.tryClone(c)
	default:
		p.schedule(c)
	}
}

func (p *pairOf) unbind(c, node int) {
	running := p.plain.nodes[node].count(func(e *PodClass) bool { return e == p.classes[c] }) > 0
	if err := p.engine.Unbind(ClassID(c), node); (err == nil) != running {
		p.t.Fatalf("unbinding %s from node %d: %v", p.classes[c].Name, node, err)
	}
	if running {
		p.plain.unbind(p.classes[c], node)
	}
}

func (p *pairOf) addNode() {
	n := drawNode(p.t, len(p.plain.nodes))
	if err := p.engine.AddNodes(n); err != nil {
		p.t.Fatal(err)
	}
	p.plain.addNode(n)
}

// tryClone changes a clone, and goes on with one of the two.
func (p *pairOf) tryClone(c int) {
	engine, plain := p.engine.Clone(), p.plain.clone()
	for range rapid.IntRange(0, 4).Draw(p.t, "tries") {
		if n := engine.Schedule(ClassID(c)).Node; n >= 0 {
			engine.Bind(ClassID(c), n)
		}
		engine.SetUnschedulable(0, true)
	}
	if _, err := engine.Class(drawClass(p.t, 99)); err != nil {
		p.t.Fatal(err)
	}
	if rapid.Bool().Draw(p.t, "swap") {
		p.engine = p.engine.Clone()
	}
	p.plain = plain
}
