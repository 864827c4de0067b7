package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/tune/cell"
)

// NodeExplanation is the explanation of one node.
type NodeExplanation struct {
	Node  NodeChoice `json:"node"`
	Class Class      `json:"class"`
	// Items as Class numbers them.
	Items []Item `json:"items"`
}

// AnswerFor shows the explanation of one node. What was checked stands in the answer
// for all nodes.
func (x *Explanation) AnswerFor(node string) (v1alpha1.Answer, error) {
	i := slices.IndexFunc(x.Nodes, func(n NodeChoice) bool { return n.Name == node })
	if i < 0 {
		return v1alpha1.Answer{}, fmt.Errorf("node %q is not among the %d nodes of the input", node, len(x.Nodes))
	}
	n := x.Nodes[i]
	var found []v1alpha1.Finding
	for _, about := range x.notes {
		if about.on(&n) {
			found = append(found, about.finding)
		}
	}
	a := x.answer(found, nil)
	a.Title = "Which profile node " + node + " gets"
	if n.Class < 0 {
		a.Verdict.Summary = "node " + node + " does not run Linux: the operator passes over it"
		a.Result = NodeExplanation{Node: n, Items: x.Items}
		return a, nil
	}
	c := x.Classes[n.Class]
	a.Result = NodeExplanation{Node: n, Class: c, Items: x.Items}
	a.Verdict.Summary = fmt.Sprintf("node %s gets %s, by %s: %s", node, c.Profile, x.itemName(c.Item),
		cmp.Or(n.because(), x.because(&c)))
	if len(c.Unless) > 0 {
		a.Verdict.Summary += "; or another, by what is not given"
	}
	part := v1alpha1.Part{Title: "Why", Lead: x.lead(&c)}
	if len(c.Failed) > 0 {
		part.Tables = append(part.Tables, x.triedTable(&c, max(shownRows, len(c.Failed))))
	}
	if len(c.Moves) > 0 {
		part.Tables = append(part.Tables, x.movesTable(&c, max(shownRows, len(c.Moves))))
	}
	for i := range part.Tables {
		part.Tables[i].Wide = false // of one node all is told
	}
	if len(n.Holding) > 0 {
		part.Lead = append(part.Lead, "Pods that hold the node, each by itself: "+strings.Join(n.Holding, ", ")+".")
	}
	a.Parts = append(a.Parts, part)
	if p := x.reportedPart(func(o *NodeChoice) bool { return o.Name == node }); len(p.Tables) > 0 {
		p.Wide, p.Tables = false, p.Tables[len(p.Tables)-1:]
		p.Tables[0].Wide, p.Tables[0].Title = false, ""
		a.Parts = append(a.Parts, p)
	}
	if r := x.relabelTable([]Class{c}); len(r.Rows) > 0 {
		r.Columns = r.Columns[1:] // the group is that of the node
		for i := range r.Rows {
			r.Rows[i] = r.Rows[i][1:]
		}
		a.Parts = append(a.Parts, v1alpha1.Part{Title: "What relabelling does", Tables: []v1alpha1.Table{r}})
	}
	if perNode.In(x.Release) {
		a.Parts = append(a.Parts, v1alpha1.Part{Title: "What TuneD reads", Texts: []v1alpha1.Text{
			{Title: "/etc/tuned/recommend.d/50-openshift.conf", Language: "ini", Body: RecommendFile(c.Profile)},
		}})
	}
	return a, nil
}

// classPart explains a class: what was tried, and what would change it. Without
// whole, long tables are cut in wide output too: of hundreds of classes they would
// be longer than anyone reads.
func (x *Explanation) classPart(c *Class, whole bool) v1alpha1.Part {
	p := v1alpha1.Part{Lead: x.lead(c)}
	if len(c.Failed) > 0 {
		p.Tables = append(p.Tables, x.triedTable(c, shownRows))
		if len(c.Failed) > shownRows && whole {
			p.Tables = append(p.Tables, x.triedTable(c, len(c.Failed)))
		}
	}
	if len(c.Moves) > 0 {
		p.Tables = append(p.Tables, x.movesTable(c, shownRows))
		if len(c.Moves) > shownRows && whole {
			p.Tables = append(p.Tables, x.movesTable(c, len(c.Moves)))
		}
	}
	return p
}

func (x *Explanation) lead(c *Class) []string {
	names := x.members(c.ID)
	who := strings.ToUpper(list(names)[:1]) + list(names)[1:]
	verb := "get"
	if len(names) == 1 {
		verb = "gets"
	}
	first := fmt.Sprintf("%s %s %s: %s.", who, verb, c.Profile, x.because(c))
	if c.Item >= 0 {
		first = fmt.Sprintf("%s %s %s by %s: %s.", who, verb, c.Profile, x.where(c.Item), x.because(c))
	}
	out := []string{first}
	if c.Intended != "" {
		out = append(out, fmt.Sprintf("The CRs ask for %s; what follows is by the CRs.", c.Intended))
	}
	if c.LastLine != "" && c.LastLine != c.Profile {
		out = append(out, "TuneD from 2.17 on would choose "+c.LastLine+" by the same recommend.conf.")
	}
	for _, i := range c.Ties {
		how := "comes after it by " + decidedBy(&x.Items[c.winner], &x.Items[i])
		if !tieByName.In(x.Release) {
			how = "may win as well: their order is random"
		}
		out = append(out, fmt.Sprintf("%s, profile %s, matches too, has the same priority and %s.", x.Items[i].Name(),
			x.Items[i].Profile, how))
	}
	return out
}

// triedTable has the items before the winner: all, or some that lack least.
func (x *Explanation) triedTable(c *Class, most int) v1alpha1.Table {
	t := v1alpha1.Table{ID: fmt.Sprintf("profile.tried.%d", c.ID+1), Title: "Items that come before and don't match",
		Columns: cell.Columns("Item", ">Priority", "Profile", "Would match with")}
	order := make([]int, len(c.Failed))
	for i := range order {
		order[i] = i
	}
	if len(order) > most {
		slices.SortStableFunc(order, func(a, b int) int { return c.Failed[a].distance() - c.Failed[b].distance() })
		order = order[:most]
		slices.Sort(order)
	}
	for _, i := range order {
		f := &c.Failed[i]
		item := &x.Items[f.Item]
		t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Text(item.Name()), item.priority(), cell.Text(item.Profile),
			cell.Text(x.lacks(f))})
	}
	cut(&t, len(c.Failed)-len(order), most)
	return t
}

// cut says what a table leaves out, or that it is the whole one beside a shorter.
func cut(t *v1alpha1.Table, left, most int) {
	switch {
	case left > 0:
		t.Notes = []string{fmt.Sprintf("and %d more (-o wide, or --node with -o wide)", left)}
	case most > shownRows:
		t.ID, t.Title, t.Wide = t.ID+".all", t.Title+": all", true
	}
}

// distance of an item from matching.
func (f *Failed) distance() int {
	if f.Never || len(f.Changes) == 0 {
		return 1 << 20
	}
	return len(f.Changes)
}

// lacks is what makes the item match.
func (x *Explanation) lacks(f *Failed) string {
	if labels := x.Items[f.Item].MachineConfigLabels; f.Never && !x.PoolsKnown && labels != nil {
		return "a pool that takes MachineConfigs with " + pairs(labels) + "; no pools are given"
	}
	return f.String()
}

// String is what makes the item match.
func (f *Failed) String() string {
	switch {
	case f.Never:
		return "nothing: it can't match"
	case len(f.Changes) == 0:
		return fmt.Sprintf("more than %d changes of labels", f.MoreThan)
	}
	parts := make([]string, len(f.Changes))
	for i, c := range f.Changes {
		parts[i] = c.String()
	}
	out := strings.Join(parts, "; ")
	if f.MoreThan > 0 {
		out += fmt.Sprintf(" (perhaps with fewer, but more than %d)", f.MoreThan)
	}
	return out
}

func (x *Explanation) movesTable(c *Class, most int) v1alpha1.Table {
	t := v1alpha1.Table{ID: fmt.Sprintf("profile.moves.%d", c.ID+1), Title: "Single changes that give another profile",
		Columns: cell.Columns("Change", "Profile then", "Item", "*Pool then")}
	for _, m := range c.Moves[:min(most, len(c.Moves))] {
		t.Rows = append(t.Rows, cell.Texts(m.Change.String(), m.Profile, x.itemName(m.Item), m.Pool))
	}
	cut(&t, len(c.Moves)-len(t.Rows), most)
	return t
}

func (x *Explanation) relabelTable(classes []Class) v1alpha1.Table {
	t := v1alpha1.Table{ID: "profile.relabel", Title: "From worker to infra",
		Columns: cell.Columns(">Group", "Change", "Profile", "Pool", "Problem")}
	for i := range classes {
		for _, r := range classes[i].Relabel {
			problem := cell.Text(r.Problem)
			if r.Problem != "" {
				problem.Mark = "bad"
			}
			t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Count(classes[i].ID + 1), cell.Text(r.Change),
				cell.Text(arrow(r.ProfileBefore, r.ProfileAfter)), cell.Text(arrow(x.pool(r.PoolBefore), x.pool(r.PoolAfter))),
				problem})
		}
	}
	return t
}

// arrow is what something was and is.
func arrow(before, after string) string {
	if before == after {
		return before
	}
	return before + " -> " + after
}

func (x *Explanation) relabelPart() v1alpha1.Part {
	t := x.relabelTable(x.Classes)
	if len(t.Rows) == 0 {
		return v1alpha1.Part{}
	}
	return v1alpha1.Part{Title: "What relabelling does", Wide: true, Tables: short(t)}
}

func (x *Explanation) kernelPart() v1alpha1.Part {
	t := v1alpha1.Table{ID: "profile.kernelArguments", Title: "MachineConfigs with kernel arguments",
		Columns: cell.Columns("MachineConfig", "Labels", "State", "Kernel arguments", ">Nodes", "Why")}
	for _, mc := range x.MachineConfigs {
		state := cell.Text(mc.State)
		if mc.State == "refused" || mc.State == "undecided" {
			state.Mark = "bad"
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Text(mc.Name), cell.Text(pairs(mc.Labels)), state,
			cell.Text(strings.Join(mc.KernelArguments, " ")), cell.Count(len(mc.Nodes)), cell.Text(mc.because())})
	}
	if len(t.Rows) == 0 {
		return v1alpha1.Part{}
	}
	return v1alpha1.Part{Title: "Kernel arguments", Tables: []v1alpha1.Table{t}}
}

// because is why it is not simply created, and what its arguments hold by.
func (mc *MachineConfig) because() string {
	if mc.Assumed == "" {
		return mc.Why
	}
	return strings.TrimPrefix(mc.Why+"; assumed is "+mc.Assumed, "; ")
}

func (x *Explanation) confPart() v1alpha1.Part {
	if x.RecommendConf == nil {
		return v1alpha1.Part{}
	}
	lead := []string{
		"The operator of 4.3 makes one file of all items, and TuneD takes the first section whose lines all match.",
	}
	if x.RecommendConf.Refused != "" {
		lead = append(lead, "TuneD of 4.3 can't read this file and ignores all of it: "+x.RecommendConf.Refused+".")
	}
	return v1alpha1.Part{Title: "recommend.conf", Wide: true, Lead: lead, Texts: []v1alpha1.Text{
		{Title: "/etc/tuned/recommend.d/50-openshift.conf", Language: "ini", Body: x.RecommendConf.Text()},
	}}
}

func (x *Explanation) statusPart() v1alpha1.Part {
	if x.Status == nil {
		return v1alpha1.Part{}
	}
	t := v1alpha1.Table{ID: "profile.status", Title: "Conditions that follow",
		Columns: cell.Columns("Object", "Condition", "Status", "Reason", "Message")}
	row := func(name string, c [3]string, message string) {
		t.Rows = append(t.Rows, cell.Texts(name, c[0], c[1], c[2], message))
	}
	for _, r := range x.Status.Tuneds {
		row("Tuned "+r.Name, [3]string{r.Conditions[0].Type, r.Conditions[0].Status, r.Conditions[0].Reason}, r.Message)
	}
	for _, r := range x.Status.Profiles {
		for _, c := range r.Conditions {
			row("nodes with "+r.Name, [3]string{c.Type, c.Status, c.Reason}, r.Message)
		}
	}
	o := x.Status.Operator
	row("ClusterOperator node-tuning", [3]string{o.Type, o.Status, o.Reason}, "")
	return v1alpha1.Part{Title: "What the operator reports", Wide: true, Tables: short(t)}
}
