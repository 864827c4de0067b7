package place_test

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
)

// resources adds up what is asked for, and what nobody can use.
func (v *versus) resources() {
	type total struct {
		Allocatable, Requested, Stranded int64
	}
	want, got := map[string]total{}, map[string]total{}
	full := map[int]bool{}
	for i, n := range v.c.Nodes {
		has, free := cluster.Amounts(n.Allocatable), v.w.free(i)
		full[i] = v.w.full(i)
		for name, amount := range has {
			sum := want[name]
			sum.Allocatable += amount
			sum.Requested += amount - free[name]
			if full[i] {
				sum.Stranded += max(0, free[name])
			}
			want[name] = sum
		}
	}
	for _, r := range v.p.Resources {
		got[r.Resource] = total{r.Allocatable, r.Requested, r.Stranded}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			delete(want, name) // nobody asks for it
		}
	}
	v.equal("resources", want, got)
	for k, row := range v.rows {
		if v.p.Nodes[k].Full != full[row[0]] {
			v.differ("%s is full: %v, the twin says %v", v.p.Nodes[k].Name, v.p.Nodes[k].Full, full[row[0]])
		}
	}
}

// machines compares who owns what.
func (v *versus) machines() {
	var want []v1alpha1.MachineMap
	for i, n := range v.c.Nodes {
		if k := v.w.kubelet(i); k != nil {
			m := k.Map()
			m.Node, m.Type = n.Name, v.c.Types[v.c.Of[i]].Name
			want = append(want, m)
		}
	}
	for _, list := range [][]v1alpha1.MachineMap{want, v.p.Machines} {
		for i := range list {
			for o := range list[i].Owners {
				owner := &list[i].Owners[o].Pod
				*owner = (*owner)[:strings.LastIndexByte(*owner, '-')] // pods elsewhere need not be numbered
			}
		}
	}
	v.equal("machines", want, v.p.Machines)
}

// losses compares what is survived, when the twin loses each node: the first of
// those that are alike stands for all of them. Another of them may end
// differently, where ties or the machines of those that stay do.
func (v *versus) losses(failures int) {
	n := len(v.c.Nodes)
	if n <= failures {
		return
	}
	var cases [][]int
	seen := map[string]bool{}
	add := func(nodes ...int) {
		var alike []string
		for _, i := range nodes {
			alike = append(alike, v.w.place(i)+v.w.apart(i))
		}
		slices.Sort(alike)
		if key := fmt.Sprint(alike); !seen[key] {
			seen[key] = true
			cases = append(cases, nodes)
		}
	}
	for i := range n {
		for j := i + 1; j < n && failures == 2; j++ {
			add(i, j)
		}
		if failures == 1 {
			add(i)
		}
	}
	want := []v1alpha1.Loss{v.loss(map[int]string{1: "any 1 node", 2: "any 2 nodes"}[failures], cases)}
	if got := v.p.Losses; failures == 2 && len(got) > 0 && homeless(got[0]) == homeless(want[0]) {
		got[0].Worst, got[0].Homeless = want[0].Worst, want[0].Homeless // of the worst pairs, one is told
	}
	for _, key := range v.c.Domains {
		by := map[string][]int{}
		for i, n := range v.c.Nodes {
			if value, ok := n.Labels[key]; ok {
				by[value] = append(by[value], i)
			}
		}
		cases = cases[:0]
		for i := 1; len(by) > 0; i++ {
			value := fmt.Sprintf("%s-%d", key[strings.LastIndexByte(key, '/')+1:], i)
			if list := by[value]; list != nil {
				cases = append(cases, list)
			}
			delete(by, value)
		}
		want = append(want, v.loss("any "+key[strings.LastIndexByte(key, '/')+1:], cases))
	}
	for i := range v.p.Losses {
		v.p.Losses[i].How = ""
	}
	v.equal("losses", want, v.p.Losses)
}

func (v *versus) loss(what string, cases [][]int) v1alpha1.Loss {
	loss, worst := v1alpha1.Loss{What: what, Tried: len(cases)}, 0
	for _, nodes := range cases {
		homeless := v.w.lose(nodes...)
		switch n := sum(homeless); {
		case n == 0:
			loss.Survived++
		case n > worst:
			worst = n
			loss.Worst, loss.Homeless = v.names(nodes), counted(homeless)
		}
	}
	return loss
}

func homeless(l v1alpha1.Loss) int {
	n := 0
	for _, h := range l.Homeless {
		n += h.Count
	}
	return n
}

func (v *versus) names(nodes []int) string {
	var list []string
	for i, n := range nodes {
		if i == 4 {
			list = append(list, fmt.Sprintf("%d more", len(nodes)-i))
			break
		}
		list = append(list, v.c.Nodes[n].Name)
	}
	return strings.Join(list, ", ")
}

func counted(by []int) []v1alpha1.PodsCount {
	var out []v1alpha1.PodsCount
	for kind, n := range by {
		if n > 0 {
			out = append(out, v1alpha1.PodsCount{PodType: kind, Count: n})
		}
	}
	return out
}

// drains compares the rolling update, and tries every size of batch.
func (v *versus) drains(atOnce string) {
	if len(v.p.Drains) == 0 {
		if len(v.c.Nodes) > 1 {
			v.differ("no drain")
		}
		return
	}
	d, n := v.p.Drains[0], len(v.c.Nodes)
	want := v1alpha1.Drain{What: d.What, MaxUnavailable: d.MaxUnavailable,
		Batches: len(v.w.batches(atOnce))}
	worst, at, homeless := v.w.roll(atOnce)
	if worst > 0 && strings.Contains(v.d.text, "priority:") {
		return // in which order pods come back to where there is room is not said
	}
	if worst > 0 {
		want.Worst, want.Homeless = v.names(at), counted(homeless)
	}
	want.MostUnavailable = d.MostUnavailable
	v.equal("drains", want, d)
	// More nodes at a time may work where fewer do not, since batches then end
	// elsewhere; so the twin only looks at the answer and at the next one.
	for batch, runs := range map[int]bool{d.MostUnavailable: true, d.MostUnavailable + 1: false} {
		if !runs && reflect.DeepEqual(v.w.batches(strconv.Itoa(batch)), v.w.batches(strconv.Itoa(max(1, batch-1)))) {
			continue // no pool has as many
		}
		if worst, _, _ := v.w.roll(strconv.Itoa(max(1, batch))); batch > 0 && batch < n && (worst == 0) != runs {
			v.differ("%d nodes at a time leave %d pods without a place, %d nodes are said to be the most", batch, worst,
				d.MostUnavailable)
		}
	}
}

// TestTwinDrawn compares with a scheduler that is made anew and asked once more
// from the beginning, where no kubelet refuses: then ties are drawn alike, too.
func TestTwinDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, c, s := drawCluster(t, everyPlatform...)
		if d.pinned {
			t.Skip("kubelets may refuse")
		}
		order := cluster.Arrivals(c, s.Scheduling.Order, uint64(s.Scheduling.Seed))
		p, err := place.Make(c, s, place.Options{Order: s.Scheduling.Order, Seed: uint64(s.Scheduling.Seed)})
		if err != nil {
			t.Fatal(err)
		}
		v := &versus{t: t, d: d, c: c, p: p, w: newWorld(c)}
		_, classes := v.w.replay(order, v.w.run)
		v.nodes()
		v.resources()
		for i, k := range c.Kinds {
			again, _ := v.w.replay(order, nil)
			more := 0
			for !k.Type.DaemonSet && again.Schedule(classes[i]).Node >= 0 {
				more++
			}
			if o := p.PodTypes[i]; o.More != more || o.Placed != v.w.placed[i] || o.Placed+o.Pending != o.Wanted {
				v.differ("%s: room for %d more, %d of %d placed, the twin has %d and %d", o.Name, o.More, o.Placed, o.Wanted, more,
					v.w.placed[i])
			}
		}
	})
}

// TestInvariants is what holds whatever the ties, the start of the search and the
// kubelets: the parts agree, and nothing is given out twice.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, c, s := drawCluster(t, everyPlatform...)
		p, err := place.Make(c, s, place.Options{Order: s.Scheduling.Order, Seed: uint64(s.Scheduling.Seed),
			Failures: 1 + below(t, "failures", 2), MaxUnavailable: s.Policy.MaxUnavailable})
		if err != nil {
			t.Skip(err)
		}
		v := &versus{t: t, d: d, c: c, p: p}
		v.sums()
		v.owners()
		v.outlook()
	})
}

// sums checks that the pods on the nodes are those of the types, and within what
// each node has.
func (v *versus) sums() {
	on := make([]int, len(v.p.PodTypes))
	requested := map[string]int64{}
	for _, n := range v.p.Nodes {
		daemons := map[string]int64{}
		for _, x := range n.Pods {
			on[x.PodType] += x.Count * n.Count
			if v.c.Kinds[x.PodType].Type.DaemonSet {
				daemons["pods"] += int64(x.Count)
			}
		}
		for _, r := range n.Resources {
			requested[r.Resource] += r.Requested * int64(n.Count)
			if r.Requested > max(r.Allocatable, daemons[r.Resource]) {
				v.differ("%s: %d of %s are requested, %d allocatable", n.Name, r.Requested, r.Resource, r.Allocatable)
			}
		}
	}
	pending := 0
	for i, o := range v.p.PodTypes {
		pending += o.Pending
		if on[i] != o.Placed || o.Placed+o.Pending != o.Wanted || (o.Message == "") != (len(o.Reasons) == 0) {
			v.differ("%d on nodes, %+v", on[i], o)
		}
		if o.Pending > 0 && o.More > 0 && !v.d.tangled {
			v.differ("%d of %s are pending, and there is room for %d", o.Pending, o.Name, o.More)
		}
	}
	for _, r := range v.p.Resources {
		if requested[r.Resource] != r.Requested || r.Stranded > max(0, r.Allocatable-r.Requested) &&
			r.Requested <= r.Allocatable && r.Resource != "pods" {
			v.differ("%d on nodes, %+v", requested[r.Resource], r)
		}
	}
	if v.p.Verdict.Fits != (pending == 0) {
		v.differ("%d pods are pending: %+v", pending, v.p.Verdict)
	}
}

// owners checks that no CPU and no device belongs to two pods, and that no
// reserved CPU belongs to any. Containers of one pod follow each other on theirs.
func (v *versus) owners() {
	for _, m := range v.p.Machines {
		owner, used := map[int]string{}, map[string]string{}
		for _, o := range m.Owners {
			for cpu := range o.CPUs.All() {
				if other := owner[cpu]; other != "" && other != o.Pod {
					v.differ("%s: CPU %d belongs to %s and %s", m.Node, cpu, other, o.Pod)
				}
				owner[cpu] = o.Pod
			}
			for resource, ids := range o.Devices {
				for _, id := range ids {
					if other := used[resource+id]; other != "" && other != o.Pod {
						v.differ("%s: %s %s belongs to %s and %s", m.Node, resource, id, other, o.Pod)
					}
					used[resource+id] = o.Pod
				}
			}
		}
		for _, n := range m.NUMANodes {
			for _, core := range n.Cores {
				for _, thread := range core.Threads {
					if (owner[thread.CPU] != "") != (thread.Use == "exclusive") || (thread.Use == "exclusive") != (thread.Owner > 0) {
						v.differ("%s: CPU %+v belongs to %q", m.Node, thread, owner[thread.CPU])
					}
				}
			}
		}
	}
}

// outlook checks that the what-ifs agree with themselves and with the nodes.
func (v *versus) outlook() {
	for _, l := range v.p.Losses {
		tried, worse := int64(l.Tried), l.Worst != ""
		if l.Survived > tried || tried == 0 || (l.Survived < tried) != worse || worse != (len(l.Homeless) > 0) {
			v.differ("%+v", l)
		}
		for _, h := range l.Homeless {
			if h.Count > v.p.PodTypes[h.PodType].Placed || v.c.Kinds[h.PodType].Type.DaemonSet {
				v.differ("%+v without a place of %+v", h, v.p.PodTypes[h.PodType])
			}
		}
	}
	for _, d := range v.p.Drains {
		if (d.Worst == "") != (len(d.Homeless) == 0) ||
			d.MostUnavailable >= 0 && (d.Worst == "") != (d.MostUnavailable >= d.MaxUnavailable) ||
			d.MostUnavailable > len(v.c.Nodes) {
			v.differ("%+v", d)
		}
	}
}
