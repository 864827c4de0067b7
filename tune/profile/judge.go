package profile

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
)

// note is a finding about classes of nodes, or about all of them when classes is nil.
type note struct {
	classes []int
	nodes   []string // by name, where it is about these alone
	finding v1alpha1.Finding
}

// on says whether the note is about a node.
func (o *note) on(n *NodeChoice) bool {
	return (o.classes == nil || slices.Contains(o.classes, n.Class)) &&
		(o.nodes == nil || slices.Contains(o.nodes, n.Name))
}

// add keeps a finding about the cluster, at the item if there is one.
func (e *explainer) add(r object.Rule, item int, classes []int, what, fix string) {
	f := v1alpha1.Finding{Severity: r.Severity, ID: r.ID, Message: what, Remedy: fix, Sources: r.Sources}
	if item >= 0 {
		f.Place = e.x.Items[item].Place
	}
	e.x.notes = append(e.x.notes, note{classes: classes, finding: f})
	e.x.Findings = append(e.x.Findings, f)
}

// judge finds what goes wrong on the nodes.
func (e *explainer) judge() {
	e.judgeDefault()
	if e.x.Frozen != "" {
		e.add(frozen, -1, nil, "no node's profile is updated: "+e.x.Frozen, "remove or rename all but one")
	}
	e.judgeProfiles()
	e.judgeTies()
	for i := range e.x.Classes {
		e.judgeClass(&e.x.Classes[i])
	}
	e.judgePools()
	e.judgeUnseen()
	e.judgeReported()
	for _, mc := range e.x.MachineConfigs {
		if mc.State == "unknown" {
			e.add(argsUnknown, mc.Items[0], e.classesBy(mc.Items),
				fmt.Sprintf("MachineConfig %s can't be told: %s", mc.Name, mc.Why), "")
		}
		if mc.State == "refused" || mc.State == "undecided" {
			e.add(argsRefused, mc.Items[0], e.classesBy(mc.Items),
				fmt.Sprintf("MachineConfig %s is not what the profile asks for: %s", mc.Name, mc.Why),
				"give each pool labels of its own, and all its nodes one profile")
		}
	}
	if e.strayPods > 0 {
		e.add(strayPods, -1, nil, fmt.Sprintf("%s on nodes that are not among the input: they don't count",
			words.Count(e.strayPods, "pod is", "pods are")), "")
	}
	if n := len(e.in.Nodes) - len(e.nodes); n > 0 {
		e.add(notLinux, -1, nil,
			fmt.Sprintf("%s not run Linux: the operator passes over them", words.Count(n, "node does", "nodes do")), "")
	}
	object.Sort(e.x.Findings)
}

func (e *explainer) judgeDefault() {
	switch e.x.BuiltIn {
	case "added":
		e.add(defaultAdded, -1, nil, "CR default is not among the Tuned CRs: that of the operator is taken", "")
	case "put back":
		e.add(defaultEdited, -1, nil,
			"CR default has other items than the operator's own, which it puts back: those are taken", "make a CR of your own")
	}
}

// judgeProfiles finds chosen profiles that don't exist.
func (e *explainer) judgeProfiles() {
	for _, name := range e.chosen() {
		if name == OwnChoice || e.defined(name) {
			continue
		}
		nodes, item := 0, -1
		var classes []int
		for i := range e.x.Classes {
			if c := &e.x.Classes[i]; c.Profile == name {
				nodes, item, classes = nodes+c.Nodes, c.Item, append(classes, i)
			}
		}
		e.add(chosenNowhere, item, classes, fmt.Sprintf("%s profile %s, which is defined nowhere: the old settings stay",
			words.Count(nodes, "node gets", "nodes get"), name), "define it, or correct the name")
	}
}

// classesBy are the classes that got their profile by one of the items.
func (e *explainer) classesBy(items []int) []int {
	var out []int
	for i := range e.x.Classes {
		if slices.Contains(items, e.x.Classes[i].Item) {
			out = append(out, i)
		}
	}
	return out
}

// of are the names of the nodes of classes, which are in order.
func (e *explainer) of(classes ...int) []string {
	var out []string
	for i, c := range e.class {
		if _, ok := slices.BinarySearch(classes, c); ok {
			out = append(out, e.in.Nodes[e.nodes[i]].Name)
		}
	}
	return out
}

func (e *explainer) judgeClass(c *Class) {
	if c.winner < 0 {
		e.add(nothingMatches, -1, []int{
			c.ID,
		}, fmt.Sprintf("%s: no item matches; the operator falls back on %s and reports an error", list(e.of(c.ID)), noMatch),
			"keep an item without match")
	}
	if c.Intended != "" {
		why := e.x.RecommendConf.Refused
		if why == "" && c.Item >= 0 {
			why = "the expressions of " + e.x.Items[c.Item].Name() + " match more than its labels"
		}
		e.add(ownChoice, c.winner, []int{c.ID}, fmt.Sprintf("%s: TuneD chooses %s and not %s: %s", list(e.of(c.ID)),
			c.Profile, c.Intended, cmp.Or(why, "no section matches")),
			"see recommend.conf")
	}
}

// judgePools finds nodes that get no configuration.
func (e *explainer) judgePools() {
	if !e.x.PoolsKnown {
		return
	}
	var names []string
	problems := map[string][]int{}
	for i := range e.x.Classes {
		c := &e.x.Classes[i]
		if c.Pool != "" {
			continue
		}
		why := cmp.Or(c.PoolProblem, "no pool selects their labels")
		if problems[why] == nil {
			names = append(names, why)
		}
		problems[why] = append(problems[why], i)
	}
	for _, why := range names {
		e.add(noPool, -1, problems[why], fmt.Sprintf("%s: no MachineConfigs and no KubeletConfigs: %s",
			list(e.of(problems[why]...)), why), "give them the label of one pool, or make a pool for them")
	}
}

// list names a few nodes and counts the rest.
func list(nodes []string) string {
	const shown = 3
	nodes = slices.Clone(nodes)
	slices.Sort(nodes)
	if len(nodes) == 1 {
		return "node " + nodes[0]
	}
	return "nodes " + words.Some(nodes, shown)
}
