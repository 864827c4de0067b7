package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/place"
	"plimsoll.dev/source/scenario"
)

// apart are pods for which first fit takes more nodes of 10 CPUs than placement: two of 3 CPUs go beside one of 4.
func apart(types, each int) string {
	var large, small []string
	for i := range types {
		large = append(large, fmt.Sprintf("{name: a%d, replicas: %d, cpu: 4, memory: 1Gi}", i, each))
		small = append(small, fmt.Sprintf("{name: b%d, replicas: %d, cpu: 3, memory: 1Gi}", i, 2*each))
	}
	return "workload: {podTypes: [" + strings.Join(append(large, small...), ", ") + "]}\n"
}

const plain = "platform: {type: kubernetes, release: '1.36'}\npolicy: {controlPlaneNodes: 0, spareNodes: 0%s}\n"

// What placement finds counts, and not what first fit did: stock, options that state their nodes, and mixes are
// judged by it.
func TestPlacementBeatsThePacking(t *testing.T) {
	const types = "{name: one, cpus: 10, memory: 64Gi, price: 1%s}, {name: two, cpus: 10, memory: 64Gi, price: %s}"
	for name, c := range map[string]struct {
		pods, hardware, chosen string
		total                  int
	}{
		"as many in stock as placement needs": {apart(26, 2), fmt.Sprintf("nodeTypes: ["+types+"]", ", available: 52", "2"),
			"one", 52},
		"and where options are left": {apart(26, 60), fmt.Sprintf("nodeTypes: ["+types+"]", ", available: 1560", "2"),
			"one", 1560},
		"nodes that are stated": {apart(1, 60), fmt.Sprintf("nodeTypes: ["+types+"]\n", "", "2") +
			"  options: [{name: x, nodes: [{type: one, count: 60}]}, {name: y, nodes: [{type: two}]}]", "x", 60},
		"a mix below the packing": {apart(1, 60), fmt.Sprintf("nodeTypes: ["+types+", {name: dear, cpus: 10, memory: 64Gi, "+
			"price: 1.05}]\n", "", "1") + "  options: [{name: x, nodes: [{type: one, count: 10}, {type: two}]}, " +
			"{name: y, nodes: [{type: dear}]}]", "x", 60},
		"a mix of which one part is short": {apart(1, 10), "nodeTypes: [{name: one, cpus: 10, memory: 64Gi, price: 1, " +
			"available: 4}, {name: two, cpus: 10, memory: 64Gi, price: 1.5}]\n  options: [{name: x, nodes: " +
			"[{type: one, count: 8}, {type: two}]}, {name: y, nodes: [{type: two}]}]", "y", 10},
		"as many in mind as placement needs": {apart(26, 2),
			"nodeTypes: [{name: one, cpus: 10, memory: 64Gi, price: 1, count: 52}]", "one", 52},
		"more stated than there are": {apart(1, 10), fmt.Sprintf("nodeTypes: ["+types+"]\n", ", available: 9", "3") +
			"  options: [{name: x, nodes: [{type: one, count: 20}]}, {name: y, nodes: [{type: two}]}]", "y", 10},
	} {
		t.Run(name, func(t *testing.T) {
			p := plannerOf(t, fmt.Sprintf(plain, "")+c.pods+"hardware:\n  "+c.hardware+"\n", place.MostTrials)
			o := p.choice.opt
			if o.Name != c.chosen || o.Total != c.total || !o.Fits || o.Verified.Status != v1alpha1.Verified || o.Why != "" {
				t.Errorf("%d of %s, fits %v (%s), %+v; want %d of %s", o.Total, o.Name, o.Fits, o.Why, o.Verified, c.total,
					c.chosen)
			}
			if !p.plan.Verdict.Good() {
				t.Errorf("%+v", p.plan.Verdict)
			}
		})
	}
}

// What is placed says the same as the plan where first fit finds no place for all on the stated nodes.
func TestPlacingWhatIsNotPacked(t *testing.T) {
	doc, err := scenario.Read("test.yaml", []byte("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\n"+
		fmt.Sprintf(plain, "")+apart(1, 60)+"hardware: {nodeTypes: [{name: m, cpus: 10, memory: 64Gi}, "+
		"{name: n, cpus: 10, memory: 64Gi}], options: [{name: o, nodes: [{type: m, count: 10}, {type: n, count: 50}]}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := MakeOn(doc.Scenario, doc.Assumptions, facts.Load(), Read{Placing: true})
	if !p.Verdict.Good() {
		t.Errorf("%+v", p.Verdict)
	}
}

// updated are pods and types of which the update decides: a tenth of the nodes at a time takes more than the three
// that may fail.
const updated = `
platform: {type: kubernetes, release: "1.36"}
workload:
  podTypes:
    - {name: p0, replicas: 146, cpu: 4, memory: 2Gi}
    - {name: p1, replicas: 480, cpu: 2, memory: 512Mi}
    - {name: p2, replicas: 1319, cpu: 2, memory: 1Gi}
    - {name: p3, replicas: 369, cpu: 2, memory: 1Gi}
    - {name: p4, replicas: 293, cpu: 4, memory: 6Gi}
    - {name: p5, replicas: 264, cpu: 3, memory: 6Gi}
hardware:
  nodeTypes:
    - {name: t0, cpus: 12, memory: 24Gi, price: 9.944}
    - {name: t2, cpus: 24, memory: 192Gi, maxPods: 250, price: 36.449}
    - {name: t3, cpus: 12, memory: 48Gi, maxPods: 250, price: 11.854}
`

const sawtooth = `
hardware:
  nodeTypes: [{name: t0, cpus: 12, memory: 24Gi, price: 9.944}]
platform: {type: kubernetes, release: "1.36"}
workload:
  podTypes:
    - {name: p0, replicas: 146, cpu: 4, memory: 2Gi}
    - {name: p1, replicas: 480, cpu: 2, memory: 512Mi}
    - {name: p2, replicas: 1319, cpu: 2, memory: 1Gi}
    - {name: p3, replicas: 369, cpu: 2, memory: 1Gi}
    - {name: p4, replicas: 293, cpu: 4, memory: 6Gi}
    - {name: p5, replicas: 264, cpu: 3, memory: 6Gi, labels: {app: p5}, topologySpreadConstraints: [{maxSkew: 2,
       topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: p5}}}]}
policy: {controlPlaneNodes: 0, spareNodes: 3, maxUnavailable: 10%, zones: 1}
`

// An option whose number nobody has confirmed is not chosen before one of which somebody has; and the option that
// the policy names is tried before others, which may end the budget.
func TestConfirmedOptionsAreChosen(t *testing.T) {
	for node, trials := range map[string]int{"": place.MostTrials, "t2": 200_000} {
		p := plannerOf(t, updated+"policy: {controlPlaneNodes: 0, spareNodes: 3, maxUnavailable: 10%, zones: 1, node: '"+
			node+"'}\n", trials)
		if o := p.choice.opt; !p.choice.verified() || node != "" && o.Name != node {
			t.Errorf("with node %q: %d of %s, %+v", node, o.Total, o.Name, o.Verified)
		}
	}
}

// A type is not left because the stock, or a rival, lies just above a number that holds while larger ones don't: with
// 73 or a tenth of the nodes at a time 731 hold, and 732 and 748 do not.
func TestSawtooth(t *testing.T) {
	const dear = "}, {name: u, cpus: 12, memory: 48Gi, price: 20}"
	for _, c := range []struct{ atOnce, more string }{{"10%", ", available: 731" + dear},
		{"73", ", available: 731" + dear}, {"10%", ", available: 740" + dear},
		{"10%", "}, {name: u, cpus: 24, memory: 192Gi, maxPods: 250, price: 21.1}"}} {
		text := strings.Replace(strings.Replace(sawtooth, "}", c.more, 1), "10%", c.atOnce, 1)
		p := plannerOf(t, text, place.MostTrials)
		if o := p.choice.opt; o.Name != "t0" || o.Total != 731 || !p.choice.verified() {
			t.Errorf("%+v: %d of %s, %+v; want 731 of t0", c, o.Total, o.Name, o.Verified)
		}
	}
}

// What is refuted of a mix are numbers of its open entry, and what is told are those of all.
func TestMixesUntilTheBudgetEnds(t *testing.T) {
	estimated := 0
	for trials := 2000; trials < 80_000; trials += 3000 {
		p := plannerOf(t, fragmented+"hardware:\n  nodeTypes: [{name: m, cpus: 9, memory: 64Gi}, {name: n, cpus: 9, "+
			"memory: 64Gi}]\n  options: [{name: o, nodes: [{type: m, count: 320}, {type: n}]}]\n", trials)
		o, s := p.choice.opt, p.choice.holding
		if o.Verified.Status != v1alpha1.Estimated || s.most() == 0 {
			continue
		}
		estimated++
		want := fmt.Sprintf("%d nodes don't hold all", 320+s.most())
		if o.Nodes[1].Count <= s.most() || !strings.Contains(o.Verified.Problem, want) {
			t.Errorf("%d of the open entry, of which %d are refuted: %s", o.Nodes[1].Count, s.most(), o.Verified.Problem)
		}
	}
	if estimated == 0 {
		t.Error("no budget ended a search that had refuted a number")
	}
}

// The reason beside an option is that of the number that is told, though another was told before.
func TestReasonOfTheLastNumber(t *testing.T) {
	p := plannerOf(t, fragmented+"hardware: {nodeTypes: [{name: m, cpus: 9, memory: 64Gi, price: 1, count: 334}, "+
		"{name: o, cpus: 9, memory: 64Gi, price: 1.0055, count: 334}]}\n", place.MostTrials)
	o := p.option(t, "m")
	if want := fmt.Sprintf("334 nodes are given, and what the policy asks for takes %d", o.Total); o.Why != want {
		t.Errorf("%q, want %q", o.Why, want)
	}
}

// What may be cheaper, and was not tried to the end, is named beside a choice that was.
func TestUntriedOptionsAreNamed(t *testing.T) {
	seen := 0
	for trials := 20_000; trials < 400_000; trials += 20_000 {
		p := plannerOf(t, updated+"policy: {controlPlaneNodes: 0, spareNodes: 3, maxUnavailable: 10%, zones: 1}\n", trials)
		for i := range p.options {
			c := &p.options[i]
			want := p.choice.verified() && !c.verified() && c.holding != nil && c.holding.ended && p.cheaper(c, p.choice)
			has := slices.ContainsFunc(p.plan.Findings, func(f v1alpha1.Finding) bool {
				return f.ID == "nodes.untried["+c.opt.Name+"]" && f.Severity == v1alpha1.Warning
			})
			if has != want {
				t.Errorf("with %d trials %s is named: %v, want %v", trials, c.opt.Name, has, want)
			}
			if want {
				seen++
			}
		}
	}
	if seen == 0 {
		t.Error("no budget ended the trials of a cheaper option")
	}
}

// So is one of which a number was confirmed, and fewer, for which it would cost less, were not all tried.
func TestConfirmedOptionsAreNamed(t *testing.T) {
	p := plannerOf(t, fmt.Sprintf(plain, "")+"workload: {podTypes: [{name: a, replicas: 240, cpu: 1, memory: 1Gi}, "+
		"{name: high, replicas: 20, cpu: 3, memory: 1Gi}]}\nhardware: {nodeTypes: [{name: m, cpus: 9, memory: 64Gi, "+
		"price: 1}, {name: o, cpus: 9, memory: 64Gi, price: 1.001}]}\n", place.MostTrials)
	other := &p.options[1]
	for _, ended := range []bool{false, true} {
		other.holding.ended = ended
		s := part.New("nodes", "Nodes")
		if p.sayUntried(s, p.choice); len(s.Findings) > 0 != ended || !other.verified() {
			t.Errorf("trying %d of the other ended early: %v, said is %+v", other.opt.Total, ended, s.Findings)
		}
	}
}

// Of a mix the type is named of which there are too few, with how many it takes of that.
func TestShortOfAMix(t *testing.T) {
	p := plannerOf(t, fmt.Sprintf(plain, "")+apart(1, 10)+"hardware:\n  nodeTypes: [{name: one, cpus: 10, memory: 64Gi, "+
		"available: 4}, {name: two, cpus: 10, memory: 64Gi}]\n  options: [{name: x, nodes: [{type: one, count: 8}, "+
		"{type: two}]}]\n", place.MostTrials)
	if why := p.choice.opt.Why; why != "8 one nodes are needed with the spare ones, 4 in stock" {
		t.Errorf("%d nodes: %s", p.choice.opt.Total, why)
	}
}
