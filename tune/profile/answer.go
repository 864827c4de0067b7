package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/cell"
)

// The rows that the default output shows of a long table; wide shows all.
const (
	shownRows    = 12
	shownClasses = 8
)

// Answer shows an explanation, and what Check found in the CRs.
func (x *Explanation) Answer(checked ...v1alpha1.Finding) v1alpha1.Answer {
	a := x.answer(x.Findings, checked)
	a.Title, a.Result = "Which profile each node gets", x
	a.Verdict.Summary = x.summary()
	reported := x.reportedPart(func(*NodeChoice) bool { return true })
	a.Parts = append(a.Parts, x.groups())
	if len(reported.Tables) > 0 {
		a.Parts = append(a.Parts, reported)
	}
	a.Parts = append(a.Parts, x.itemsPart())
	for i := range x.Classes {
		part := x.classPart(&x.Classes[i], i < shownClasses)
		part.Wide = true
		if i == 0 {
			part.Title = "Group by group"
		}
		part.Lead[0] = fmt.Sprintf("Group %d: %s", i+1, part.Lead[0])
		a.Parts = append(a.Parts, part)
	}
	for _, p := range []v1alpha1.Part{x.relabelPart(), x.kernelPart(), x.confPart(), x.statusPart(), x.nodesPart()} {
		if len(p.Tables) > 0 || len(p.Texts) > 0 {
			a.Parts = append(a.Parts, p)
		}
	}
	return a
}

// answer is what all answers of the package have. Of what is equally bad, that about
// nodes is the worse problem.
func (x *Explanation) answer(nodes, checked []v1alpha1.Finding) v1alpha1.Answer {
	a := v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "ProfileExplanation", Release: x.Release.Rules(),
		Findings: slices.Clone(nodes)}
	for _, f := range checked { // of which CRs don't count is told by both
		if !slices.ContainsFunc(nodes, func(n v1alpha1.Finding) bool {
			return n.ID == f.ID && n.Message == f.Message && equal(n.Place, f.Place)
		}) {
			a.Findings = append(a.Findings, f)
		}
	}
	object.Sort(a.Findings)
	a.Verdict.OK = !slices.ContainsFunc(a.Findings, func(f v1alpha1.Finding) bool { return f.Severity == v1alpha1.Error })
	a.Verdict.Problem = cmp.Or(worst(nodes, v1alpha1.Error), worst(checked, v1alpha1.Error),
		worst(nodes, v1alpha1.Warning), worst(checked, v1alpha1.Warning))
	return a
}

// worst is the first finding of a severity.
func worst(found []v1alpha1.Finding, s v1alpha1.Severity) string {
	for _, f := range found {
		if f.Severity == s {
			return f.Message
		}
	}
	return ""
}

func (x *Explanation) summary() string {
	profiles, items, nodes, open := map[string]bool{}, 0, 0, 0
	for i := range x.Classes {
		profiles[x.Classes[i].Profile] = true
		nodes += x.Classes[i].Nodes
		if len(x.Classes[i].Unless) > 0 {
			open += x.Classes[i].Nodes
		}
	}
	for i := range x.Items {
		if x.Items[i].Nodes > 0 {
			items++
		}
	}
	text := fmt.Sprintf("%s %s, by %d of %s", words.Count(nodes, "node gets", "nodes get"),
		words.Count(len(profiles), "profile", "profiles"), items, words.Count(len(x.Items), "item", "items"))
	if open > 0 {
		text += fmt.Sprintf("; %s perhaps another, by what is not given", words.Count(open, "node", "nodes"))
	}
	text += x.others()
	if x.Frozen != "" {
		text += "; but no profile is updated: " + x.Frozen
	}
	return text
}

// where is the place of an item, or the name of its CR.
func (x *Explanation) where(item int) string {
	i := &x.Items[item]
	if i.Place == nil || i.Place.File == "" {
		return i.Name()
	}
	return fmt.Sprintf("%s, %s:%d", i.Name(), i.Place.File, i.Place.Line)
}

// shortPlace is the file and the line of an item, without the directory; nothing
// for an item of the built-in CR.
func (x *Explanation) shortPlace(item int) string {
	if item < 0 || x.Items[item].Place == nil || x.Items[item].Place.File == "" ||
		strings.Contains(x.Items[item].Place.File, " ") {
		return ""
	}
	p := x.Items[item].Place
	return fmt.Sprintf("%s:%d", p.File[strings.LastIndexAny(p.File, `/\`)+1:], p.Line)
}

// because says in a few words why the nodes of a class have their profile.
func (x *Explanation) because(c *Class) string {
	switch c.By {
	case "nothing":
		if c.Profile == OwnChoice {
			return "no section of recommend.conf, by TuneD's own list"
		}
		return "no item matches"
	case "catch-all":
		return "matches every node"
	case "machineConfigLabels":
		return "pool " + c.Pool + " takes MachineConfigs with " + pairs(x.Items[c.Item].MachineConfigLabels)
	}
	parts := make([]string, len(c.Witness))
	for i, w := range c.Witness {
		parts[i] = w.String()
	}
	return strings.Join(parts, " and ")
}

func (x *Explanation) itemName(item int) string {
	if item < 0 {
		return "-"
	}
	return x.Items[item].Name()
}

// members are the nodes of a class.
func (x *Explanation) members(class int) []string {
	var out []string
	for i := range x.Nodes {
		if x.Nodes[i].Class == class {
			out = append(out, x.Nodes[i].Name)
		}
	}
	return out
}

// groups are the classes. The item, its line and its conditions are one cell, which
// leaves room for the names in 80 columns; pools are for wide output.
func (x *Explanation) groups() v1alpha1.Part {
	t := v1alpha1.Table{ID: "profile.groups",
		Columns: cell.Columns("Nodes", "Profile", "Because", "*>Group", "*>Number", "*Pool")}
	for i := range x.Classes {
		c := &x.Classes[i]
		profile := v1alpha1.Cell{Text: c.Profile}
		if c.Intended != "" {
			profile = v1alpha1.Cell{Text: c.Profile + ", not " + c.Intended, Mark: "bad"}
		} else if len(c.Unless) > 0 {
			profile = v1alpha1.Cell{Text: c.Profile + ", or " + x.Items[c.Unless[0]].Profile, Mark: "bad"}
		} else if len(c.Ties) > 0 {
			profile.Mark = "warn"
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{nodesCell(x.members(c.ID)), profile, cell.Text(x.shortBecause(c)),
			cell.Count(i + 1), cell.Count(c.Nodes), cell.Text(x.pool(c.Pool))})
	}
	p := v1alpha1.Part{Title: "Groups of nodes with one explanation", Tables: short(t)}
	p.Tables[0].Notes = append(p.Tables[0].Notes,
		"What almost matched a node, and what would give it another profile: --node NAME.")
	if !x.ProfilesSeen && perNode.In(x.Release) {
		p.Tables[0].Notes = append(p.Tables[0].Notes, "What nodes have now is not seen: no Profile is given.")
	}
	return p
}

// nodesCell has the names of nodes.
func nodesCell(names []string) v1alpha1.Cell {
	if len(names) == 1 {
		return cell.Text(names[0])
	}
	return v1alpha1.Cell{Text: strings.TrimPrefix(list(names), "nodes "), List: names}
}

// shortBecause is because for a column, with the item: "web[1] (web.yaml:27): role infra".
func (x *Explanation) shortBecause(c *Class) string {
	why := x.because(c)
	if c.By != "machineConfigLabels" && len(c.Witness) > 0 {
		parts := make([]string, len(c.Witness))
		for i, w := range c.Witness {
			parts[i] = w.short()
		}
		why = strings.Join(parts, ", ")
	}
	if c.Item < 0 {
		return why
	}
	item := x.itemName(c.Item)
	if place := x.shortPlace(c.Item); place != "" {
		item += " (" + place + ")"
	}
	return item + ": " + why
}

// short is the condition in few words: "role infra", "pod tuned.openshift.io/elasticsearch".
func (c Condition) short() string {
	key, of := c.Label, "label "
	if c.Type == "pod" {
		of = "pod "
	} else if role, ok := strings.CutPrefix(key, roleLabel); ok {
		key, of = role, "role "
	}
	if c.Type == "any" {
		return c.String()
	}
	return of + labelText(key, c.Value)
}

// short are a table of the first rows, and the whole one for wide output.
func short(t v1alpha1.Table) []v1alpha1.Table {
	if len(t.Rows) <= shownRows {
		return []v1alpha1.Table{t}
	}
	few, all := t, t
	few.Rows = t.Rows[:shownRows]
	few.Notes = append(few.Notes, fmt.Sprintf("and %d more (-o wide)", len(t.Rows)-shownRows))
	all.ID, all.Title, all.Wide = t.ID+".all", strings.TrimPrefix(t.Title+": all", ": "), true
	return []v1alpha1.Table{few, all}
}

// pool names a pool.
func (x *Explanation) pool(name string) string {
	if !x.PoolsKnown {
		return "not known"
	}
	return cmp.Or(name, "none")
}

func (i *Item) priority() v1alpha1.Cell {
	if i.Priority == nil {
		return cell.Text("none")
	}
	return cell.Count(int(*i.Priority))
}

func (x *Explanation) itemsPart() v1alpha1.Part {
	t := v1alpha1.Table{ID: "profile.items", Title: "Items of recommend",
		Columns: cell.Columns(">Order", "Item", ">Priority", "Profile", "Match", ">Nodes", "*Place")}
	for i := range x.Items {
		item := &x.Items[i]
		place := ""
		if item.Place != nil && item.Place.File != "" {
			place = fmt.Sprintf("%s:%d:%d", item.Place.File, item.Place.Line, item.Place.Col)
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Count(i + 1), cell.Text(item.Name()), item.priority(),
			cell.Text(item.Profile), cell.Text(item.Match), cell.Count(item.Nodes), cell.Text(place)})
	}
	return v1alpha1.Part{Title: "The items in the order in which they are tried", Wide: true,
		Lead: []string{"The first item that matches a node decides; nothing is combined."}, Tables: short(t)}
}

func (x *Explanation) nodesPart() v1alpha1.Part {
	t := v1alpha1.Table{ID: "profile.nodes", Title: "All nodes",
		Columns: cell.Columns("Node", "Profile", ">Group", "Because of", "Pods that hold it")}
	for i := range x.Nodes {
		n := &x.Nodes[i]
		if n.Class < 0 {
			t.Rows = append(t.Rows, cell.Texts(n.Name, "none", "-", "does not run Linux", ""))
			continue
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Text(n.Name), cell.Text(n.Profile), cell.Count(n.Class + 1),
			cell.Text(n.because()), cell.Text(strings.Join(n.Holding, ", "))})
	}
	return v1alpha1.Part{Title: "All nodes", Wide: true, Tables: []v1alpha1.Table{t}}
}

// because names the labels and pods that satisfied the conditions.
func (n *NodeChoice) because() string {
	parts := make([]string, len(n.Witness))
	for i, w := range n.Witness {
		parts[i] = "its label " + labelText(w.Condition.Label, &w.Value)
		if w.Pod != "" {
			parts[i] = "pod " + w.Pod + " (" + labelText(w.Condition.Label, &w.Value) + ")"
			if w.More > 0 {
				parts[i] += fmt.Sprintf(" and %d more", w.More)
			}
		}
	}
	return strings.Join(parts, " and ")
}
