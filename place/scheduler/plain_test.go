package scheduler

import (
	"math"
	"math/rand/v2"
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// plain is the naive twin of the engine: it looks at every pod of every node for
// each decision, with the words of the documents, and remembers nothing.
type plain struct {
	profile  Profile
	rules    rules
	nodes    []*plainNode // by index; removed ones are nil
	tree     tree
	order    []int32
	start    int
	source   *rand.PCG
	draw     *rand.Rand // from source
	bindings int
	feasible []int32 // of the last decision, in order
}

type plainNode struct {
	Node
	index int32
	pods  []plainPod
}

type plainPod struct {
	*PodClass
	since int
}

func newPlain(p Profile, nodes []Node) *plain {
	r, err := newRules(&p)
	if err != nil {
		panic(err)
	}
	t := &plain{profile: p, rules: r, source: rand.NewPCG(p.Seed, 0)}
	t.draw = rand.New(t.source)
	for _, n := range nodes {
		t.addNode(n)
	}
	return t
}

func (t *plain) known() places { return places{t.profile.Namespaces, t.rules.lax} }

// mustBalance: up to 1.32 pods that ask for nothing are scored by balance too.
func (r *rules) mustBalance(c *PodClass) bool {
	return !r.idle || c.Request.CPU != 0 || c.Request.Memory != 0
}

func (t *plain) addNode(n Node) {
	i := int32(len(t.nodes))
	t.nodes = append(t.nodes, &plainNode{Node: n, index: i})
	t.tree.add(zoneOf(&n), i)
	t.order = t.tree.list()
}

func (t *plain) removeNode(i int) {
	t.tree.remove(zoneOf(&t.nodes[i].Node), int32(i))
	t.nodes[i] = nil
	t.order = t.tree.list()
}

func (t *plain) all() []*plainNode {
	var out []*plainNode
	for _, i := range t.order {
		out = append(out, t.nodes[i])
	}
	return out
}

func (t *plain) bind(c *PodClass, i int) {
	t.bindings++
	t.nodes[i].pods = append(t.nodes[i].pods, plainPod{c, t.bindings})
}

// unbind takes the youngest pod of the class.
func (t *plain) unbind(c *PodClass, i int) {
	pods := t.nodes[i].pods
	for at := len(pods) - 1; at >= 0; at-- {
		if pods[at].PodClass == c {
			t.nodes[i].pods = slices.Delete(pods, at, at+1)
			return
		}
	}
}

// cordon does what kubectl and the node controller do.
func (t *plain) cordon(i int, on bool) {
	n := t.nodes[i]
	n.Unschedulable = on
	n.Taints = slices.DeleteFunc(slices.Clone(n.Taints), func(x v1alpha1.Taint) bool { return x == unschedulableTaint })
	if on {
		n.Taints = append(n.Taints, unschedulableTaint)
	}
}

func (t *plain) clone() *plain {
	out := *t
	source := *t.source
	out.source, out.draw = &source, rand.New(&source)
	out.tree = t.tree.clone()
	out.nodes = slices.Clone(t.nodes)
	for i, n := range out.nodes {
		if n != nil {
			copied := *n
			copied.pods = slices.Clone(n.pods)
			out.nodes[i] = &copied
		}
	}
	return &out
}

// schedule places a pod, or returns -1.
func (t *plain) schedule(c *PodClass) int {
	t.feasible = nil
	if c.NodeName != "" {
		i := slices.IndexFunc(t.nodes, func(n *plainNode) bool { return n != nil && n.Name == c.NodeName })
		if i >= 0 {
			t.bind(c, i)
		}
		return i
	}
	nodes := t.all()
	if names, ok := c.namedNodes(); ok {
		if len(names) == 0 {
			return -1
		}
		nodes = slices.DeleteFunc(nodes, func(n *plainNode) bool { return !slices.Contains(names, n.Name) })
	}
	feasible, looked := t.filter(c, nodes)
	if len(t.order) > 0 {
		t.start = (t.start + looked) % len(t.order)
	}
	if len(feasible) == 0 {
		return -1
	}
	for _, n := range feasible {
		t.feasible = append(t.feasible, n.index)
	}
	n := feasible[t.best(c, feasible)]
	t.bind(c, int(n.index))
	return int(n.index)
}

func (t *plain) filter(c *PodClass, nodes []*plainNode) (feasible []*plainNode, looked int) {
	state := t.prepare(c)
	want := t.rules.sample(len(nodes))
	for i := range nodes {
		n := nodes[(t.start+i)%len(nodes)]
		if len(state.refusal(n)) > 0 {
			looked++
			continue
		}
		if len(feasible) == want {
			break
		}
		feasible = append(feasible, n)
		looked++
	}
	return feasible, looked
}

// pair is a label of nodes and one of its values.
type pair struct{ key, value string }

// plainState is what the filters need to know of the whole cluster.
type plainState struct {
	*plain
	class     *PodClass
	hard      []constraint
	matching  []map[string]int // hard constraint: matching pods by value
	affinity  []term
	anti      []term
	affine    map[pair]int // pods that match all affinity terms
	averse    map[pair]int // pods that match an anti-affinity term
	unwelcome map[pair]int // pods with an anti-affinity term against the class
}

func (t *plain) prepare(c *PodClass) *plainState {
	s := &plainState{plain: t, class: c, hard: hardSpread(c), affinity: newTerms(c.podAffinity(), c),
		anti: newTerms(c.podAntiAffinity(), c), affine: map[pair]int{}, averse: map[pair]int{}, unwelcome: map[pair]int{}}
	for i := range s.hard {
		s.matching = append(s.matching, map[string]int{})
		for _, n := range t.all() {
			if hasAll(s.hard, &n.Node) && s.hard[i].includes(c, &n.Node) {
				s.matching[i][n.Labels[s.hard[i].key]] += n.count(func(e *PodClass) bool { return s.hard[i].counts(c, e) })
			}
		}
	}
	for _, n := range t.all() {
		for _, e := range n.pods {
			if len(s.affinity) > 0 && !slices.ContainsFunc(s.affinity,
				func(a term) bool { return !a.incomingMatches(e.PodClass, t.known()) }) {
				for _, a := range s.affinity {
					n.tally(s.affine, a.key, 1)
				}
			}
			for _, a := range s.anti {
				if a.incomingMatches(e.PodClass, t.known()) {
					n.tally(s.averse, a.key, 1)
				}
			}
			for _, a := range newTerms(e.podAntiAffinity(), e.PodClass) {
				if a.runningMatches(c, t.known()) {
					n.tally(s.unwelcome, a.key, 1)
				}
			}
		}
	}
	return s
}

func (n *plainNode) count(matches func(*PodClass) bool) int {
	sum := 0
	for _, e := range n.pods {
		if matches(e.PodClass) {
			sum++
		}
	}
	return sum
}

func (n *plainNode) tally(m map[pair]int, key string, by int) {
	if value, ok := n.Labels[key]; ok {
		m[pair{key, value}] += by
	}
}

// refusal is why the pod can't run on the node: the reasons of the first filter
// that refuses it.
func (s *plainState) refusal(n *plainNode) []string {
	c := s.class
	if n.Unschedulable && !tolerates(c.Tolerations, unschedulableTaint) {
		return []string{NodeUnschedulable}
	}
	if taint, refused := c.refused(n.Taints); refused {
		return []string{s.rules.taintReason(taint)}
	}
	if !c.selects(&n.Node) {
		return []string{NodeAffinityReason}
	}
	for _, e := range n.pods {
		if portsClash(c.HostPorts, e.HostPorts) {
			return []string{NodePortsReason}
		}
	}
	if reasons := s.insufficient(n); len(reasons) > 0 {
		return reasons
	}
	if reason := s.skewed(n); reason != "" {
		return []string{reason}
	}
	if reason := s.kept(n); reason != "" {
		return []string{reason}
	}
	return nil
}

func (s *plainState) insufficient(n *plainNode) []string {
	var reasons []string
	if int64(len(n.pods)+1) > n.Allocatable.Pods {
		reasons = append(reasons, TooManyPods)
	}
	names := append([]string{"cpu", "memory", ephemeral}, sortedKeys(s.class.Request.Scalar)...)
	for _, name := range names {
		want := amount(&s.class.Request, name)
		if want > 0 && want > amount(&n.Allocatable, name)-n.used(name, false) {
			reasons = append(reasons, "Insufficient "+name)
		}
	}
	return reasons
}

func (n *plainNode) used(name string, nonZero bool) int64 {
	sum := int64(0)
	for _, e := range n.pods {
		sum += asked(e.PodClass, name, nonZero)
	}
	return sum
}

func (s *plainState) skewed(n *plainNode) string {
	for i, h := range s.hard {
		value, ok := n.Labels[h.key]
		if !ok {
			return SpreadLabelReason
		}
		least := 0
		if counts := s.matching[i]; len(counts) >= h.minDomains {
			least = math.MaxInt
			for _, count := range counts {
				least = min(least, count)
			}
		}
		itself := 0
		if h.pods.matches(s.class.Labels) {
			itself = 1
		}
		if int64(s.matching[i][value]+itself-least) > h.maxSkew {
			return SpreadReason
		}
	}
	return ""
}

func (s *plainState) kept(n *plainNode) string {
	missing := false
	for _, a := range s.affinity {
		value, ok := n.Labels[a.key]
		if !ok {
			return AffinityReason
		}
		missing = missing || s.affine[pair{a.key, value}] == 0
	}
	if missing {
		if len(s.affine) > 0 || slices.ContainsFunc(s.affinity,
			func(a term) bool { return !a.incomingMatches(s.class, s.known()) }) {
			return AffinityReason
		}
	}
	for key, value := range n.Labels {
		if slices.ContainsFunc(s.anti, func(a term) bool { return a.key == key }) && s.averse[pair{key, value}] > 0 {
			return AntiAffinityReason
		}
	}
	for key, value := range n.Labels {
		if s.unwelcome[pair{key, value}] > 0 {
			return ExistingAntiReason
		}
	}
	return ""
}

// portsClash reports whether two pods want the same port of a node.
func portsClash(a, b []v1alpha1.HostPort) bool {
	for _, x := range a {
		for _, y := range b {
			if clash(x, y) {
				return true
			}
		}
	}
	return false
}
