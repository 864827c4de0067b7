package profile

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/tune/object"
)

// The rows that the default output shows of a long table; wide shows all.
const (
	shownRows    = 12
	shownClasses = 8
)

// Answer shows an explanation, and what Check found in the CRs.
func (x *Explanation) Answer(checked ...v1alpha1.Finding) v1alpha1.Answer {
	a := x.answer(append(slices.Clone(x.Findings), checked...))
	a.Title, a.Result = "Which profile each node gets", x
	a.Verdict.Summary = x.summary()
	a.Parts = append(a.Parts, x.groups())
	for i := range x.Classes {
		part := x.classPart(&x.Classes[i], i < shownClasses)
		part.Wide = i >= shownClasses
		a.Parts = append(a.Parts, part)
	}
	a.Parts = append(a.Parts, x.itemsPart())
	for _, p := range []v1alpha1.Part{x.relabelPart(), x.kernelPart(), x.confPart(), x.statusPart(), x.nodesPart()} {
		if len(p.Tables) > 0 || len(p.Texts) > 0 {
			a.Parts = append(a.Parts, p)
		}
	}
	return a
}

// answer is what all answers of the package have.
func (x *Explanation) answer(found []v1alpha1.Finding) v1alpha1.Answer {
	a := v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "ProfileExplanation", Era: x.Era.String(), Findings: found}
	object.Sort(a.Findings)
	a.Verdict.OK = true
	for _, f := range a.Findings {
		if f.Severity == v1alpha1.Info {
			break
		}
		a.Verdict.OK = a.Verdict.OK && f.Severity != v1alpha1.Error
		if a.Verdict.Problem == "" {
			a.Verdict.Problem = f.Message
		}
	}
	return a
}

func (x *Explanation) summary() string {
	profiles, items, nodes := map[string]bool{}, 0, 0
	for i := range x.Classes {
		profiles[x.Classes[i].Profile] = true
		nodes += x.Classes[i].Nodes
	}
	for i := range x.Items {
		if x.Items[i].Nodes > 0 {
			items++
		}
	}
	text := fmt.Sprintf("%s %s, by %d of %s", count(nodes, "node gets", "nodes get"), count(len(profiles), "profile", "profiles"), items, count(len(x.Items), "item", "items"))
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

func (x *Explanation) groups() v1alpha1.Part {
	t := v1alpha1.Table{ID: "profile.groups", Title: "Groups of nodes with one explanation",
		Columns: columns(">Group", ">Nodes", "Nodes", "Profile", "Item", "Because", "*Pool")}
	for i := range x.Classes {
		c := &x.Classes[i]
		profile := v1alpha1.Cell{Text: c.Profile}
		if c.Intended != "" {
			profile = v1alpha1.Cell{Text: c.Profile + ", not " + c.Intended, Mark: "bad"}
		} else if len(c.Ties) > 0 {
			profile.Mark = "warn"
		}
		names := x.members(c.ID)
		t.Rows = append(t.Rows, []v1alpha1.Cell{number(i + 1), number(c.Nodes), {Text: strings.TrimPrefix(strings.TrimPrefix(list(names), "nodes "), "node "), List: names},
			profile, text(x.itemName(c.Item)), text(x.because(c)), text(x.pool(c.Pool))})
	}
	return v1alpha1.Part{Title: "Which profile each node gets", Tables: short(t)}
}

// short are a table of the first rows, and the whole one for wide output.
func short(t v1alpha1.Table) []v1alpha1.Table {
	if len(t.Rows) <= shownRows {
		return []v1alpha1.Table{t}
	}
	few, all := t, t
	few.Rows = t.Rows[:shownRows]
	few.Notes = append(few.Notes, fmt.Sprintf("and %d more (-o wide)", len(t.Rows)-shownRows))
	all.ID, all.Title, all.Wide = t.ID+".all", t.Title+": all", true
	return []v1alpha1.Table{few, all}
}

// pool names a pool.
func (x *Explanation) pool(name string) string {
	if !x.PoolsKnown {
		return "not known"
	}
	return firstOf(name, "none")
}

// columns are headings; ">" aligns to the right, "*" is for wide output.
func columns(titles ...string) []v1alpha1.Column {
	out := make([]v1alpha1.Column, len(titles))
	for i, t := range titles {
		c := &out[i]
		c.Title, c.Right = strings.CutPrefix(t, ">")
		c.Title, c.Wide = strings.CutPrefix(c.Title, "*")
	}
	return out
}

func text(s string) v1alpha1.Cell { return v1alpha1.Cell{Text: s} }

func number(n int) v1alpha1.Cell {
	f := float64(n)
	return v1alpha1.Cell{Text: fmt.Sprint(n), Number: &f}
}

func (x *Explanation) itemsPart() v1alpha1.Part {
	t := v1alpha1.Table{ID: "profile.items", Title: "Items of recommend",
		Columns: columns(">Order", "Item", ">Priority", "Profile", "Match", ">Nodes", "*Place")}
	for i := range x.Items {
		item := &x.Items[i]
		priority := text("none")
		if item.Priority != nil {
			priority = number(int(*item.Priority))
		}
		place := ""
		if item.Place != nil && item.Place.File != "" {
			place = fmt.Sprintf("%s:%d:%d", item.Place.File, item.Place.Line, item.Place.Col)
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{number(i + 1), text(item.Name()), priority, text(item.Profile), text(item.Match), number(item.Nodes), text(place)})
	}
	return v1alpha1.Part{Title: "The items in the order in which they are tried", Lead: []string{"The first item that matches a node decides; nothing is combined."}, Tables: short(t)}
}

func (x *Explanation) nodesPart() v1alpha1.Part {
	t := v1alpha1.Table{ID: "profile.nodes", Title: "All nodes", Columns: columns("Node", "Profile", ">Group", "Because of", "Pods that hold it")}
	for i := range x.Nodes {
		n := &x.Nodes[i]
		if n.Class < 0 {
			t.Rows = append(t.Rows, []v1alpha1.Cell{text(n.Name), text("none"), text("-"), text("does not run Linux"), text("")})
			continue
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{text(n.Name), text(n.Profile), number(n.Class + 1), text(n.because()), text(strings.Join(n.Holding, ", "))})
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
