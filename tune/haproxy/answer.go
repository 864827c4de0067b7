package haproxy

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/tune/cell"
)

// exampleRoutes is the number of routes of each kind in the configuration of an
// answer.
const exampleRoutes = 2

// Answer shows the advice.
func (a Advice) Answer() *v1alpha1.Answer {
	out := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "RouterAdvice",
		Title: "How to set the routers of OpenShift " + a.Release, Findings: a.findings, Result: a}
	out.Verdict.OK = !slices.ContainsFunc(a.findings,
		func(f v1alpha1.Finding) bool { return f.Severity == v1alpha1.Error })
	out.Verdict.Summary = a.summary()
	if len(a.findings) > 0 && a.findings[0].Severity != v1alpha1.Info {
		out.Verdict.Problem = a.findings[0].Message
	}
	out.Parts = []v1alpha1.Part{
		{Title: "What to set", Tables: a.settingTables(), Texts: a.texts()},
		{Title: "Pods", Lead: []string{a.podText()}, Tables: []v1alpha1.Table{a.podTable()}},
		{Title: "Connections, memory and reloads", Tables: []v1alpha1.Table{a.roomTable()}},
	}
	if a.sharded() {
		out.Parts = slices.Insert(out.Parts, 1, a.shardPart())
	}
	if a.CPUMap != "" {
		out.Parts = append(out.Parts, a.pinning())
	}
	return a.details(out)
}

// details adds the parts that only wide output has.
func (a Advice) details(out *v1alpha1.Answer) *v1alpha1.Answer {
	config := v1alpha1.Part{Title: "The configuration that follows", Wide: true,
		Lead: []string{"In the shape that the router's template gives it; names and addresses are made up, " +
			"and of each kind some routes are shown."}}
	for _, f := range a.Configuration {
		if f.Text != "" {
			config.Texts = append(config.Texts,
				v1alpha1.Text{Title: f.Path, Language: map[bool]string{true: "haproxy"}[f.Path == ConfigFile], Body: f.Text})
		}
	}
	out.Parts = append(out.Parts,
		v1alpha1.Part{Title: "How these were found", Wide: true, Tables: []v1alpha1.Table{figureTable(a.Figures)}}, config)
	return out
}

// summary is the advice in a sentence.
func (a Advice) summary() string {
	out := fmt.Sprintf("%s for %s and %s", a.text("router.pods"), a.text("router.requests"), a.text("router.clients"))
	if a.Shards > 1 {
		out = fmt.Sprintf("%s in each of %s for %s and %s", a.text("router.pods"), a.text("router.shards"),
			a.text("router.requests"), a.text("router.clients"))
	}
	var set, lacking []string
	for _, s := range a.Settings {
		switch {
		case s.Set:
			set = append(set, s.Name+" "+s.Value)
		case s.Value != s.Default:
			lacking = append(lacking, s.Name+" "+s.Value)
		}
	}
	if len(set)+len(lacking) == 0 {
		return out + "; the defaults are right"
	}
	if len(set) > 0 {
		out += "; set " + strings.Join(set, ", ")
	}
	if len(lacking) > 0 {
		out += "; this release can't be told " + strings.Join(lacking, ", ")
	}
	return out
}

// text is a figure for people.
func (a Advice) text(id string) string {
	f, _ := a.Figure(id)
	return f.Value.Text
}

// texts are the command or the patch.
func (a Advice) texts() []v1alpha1.Text {
	if a.Environment != "" {
		return []v1alpha1.Text{{Title: "As commands", Body: a.Environment}}
	}
	return []v1alpha1.Text{
		{Title: "oc -n openshift-ingress-operator patch ingresscontroller/default --type=merge --patch-file=FILE",
			Language: "yaml", Body: a.Patch},
	}
}

// number is a cell of a value.
func number(v derive.Value) v1alpha1.Cell {
	c := v1alpha1.Cell{Text: v.Text, Number: &v.Number, Unit: v.Unit}
	if v.From != nil && v.From.Kind == derive.FromFigure {
		c.Figure = v.From.ID
	}
	return c
}

// settingTables have what is set or explained, and apart, in wide output, what stays
// at its default.
func (a Advice) settingTables() []v1alpha1.Table {
	head := cell.Columns("Setting", ">Value", ">Default", "Why", "*haproxy.cfg", "*Variable of 3.x", "*Where")
	set := v1alpha1.Table{ID: "router.settings", Columns: head, Notes: []string{"~ differs from the default."}}
	rest := v1alpha1.Table{ID: "router.defaults", Title: "Settings that stay at their defaults", Columns: head, Wide: true}
	for _, s := range a.Settings {
		if s.Value == "" {
			continue
		}
		why := s.Why
		if s.Lacks != "" && s.Value != s.Default {
			why += "; " + s.Lacks
		}
		cells := cell.Texts(s.Name, s.Value, s.Default, why, s.Directive, s.Variable, s.Where)
		if s.Value != s.Default {
			cells[1].Mark = "warn"
		}
		if s.Value == s.Default && s.Why == "" {
			rest.Rows = append(rest.Rows, cells)
		} else {
			set.Rows = append(set.Rows, cells)
		}
	}
	return []v1alpha1.Table{set, rest}
}

// podText says how the pods come about.
func (a Advice) podText() string {
	out := fmt.Sprintf("Each shard needs %s, and has %s with the spare ones.", a.text("router.needed"),
		a.text("router.pods"))
	if a.Limiting != "" {
		out += " What limits them is " + a.Limiting + "."
	}
	return out
}

func (a Advice) podTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "router.resources",
		Columns: cell.Columns("Resource", ">Load of all shards", ">One router can take", ">Routers", ""),
		Notes:   []string{a.connectionsText()}}
	for _, r := range a.Resources {
		limits := ""
		if r.Name == a.Limiting {
			limits = "limits"
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{{Text: r.Name}, number(r.Load), number(r.Has), number(r.Routers),
			{Text: limits}})
	}
	return t
}

// connectionsText says what the connections that one router can take are.
func (a Advice) connectionsText() string {
	i := slices.IndexFunc(a.Settings, func(s Advised) bool { return s.Name == "maxConnections" })
	if a.Settings[i].Where == "" {
		return "Connections: the default of maxConnections, which this release can't be told."
	}
	return "Connections: the most that maxConnections can be set to; the advice is " + a.Settings[i].Value +
		", which is enough for the routers that are needed."
}

// roomTable is what a router holds.
func (a Advice) roomTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "router.room", Columns: cell.Columns("Of one router", ">Amount")}
	for _, id := range []string{"router.maxconn.careful", "router.maxconn.measured", "router.memory",
		"router.memory.filled", "router.longest", "router.processes.default", "router.processes", "router.reloadTime"} {
		if f, ok := a.Figure(id); ok {
			t.Rows = append(t.Rows, []v1alpha1.Cell{{Text: f.Title}, number(derive.Cite(f))})
		}
	}
	return t
}

func (a Advice) pinning() v1alpha1.Part {
	lead := []string{"HAProxy and the interrupts of the network interface belong on one NUMA node, on CPUs of their own."}
	if a.Interrupts != "" {
		lead = append(lead, "Interrupts: CPUs "+a.Interrupts+".")
	}
	return v1alpha1.Part{Title: "CPUs", Lead: lead,
		Texts: []v1alpha1.Text{{Title: "global section of haproxy.cfg", Language: "haproxy", Body: a.CPUMap + "\n"}}}
}

// figureTable lists derivations: what, how much, by which formula, from what, and
// who says so.
func figureTable(list []derive.Figure) v1alpha1.Table {
	t := v1alpha1.Table{ID: "router.figures",
		Columns: cell.Columns("Figure", ">Value", "Formula", "Inputs", "Source", "Id")}
	for _, f := range list {
		var in, by []string
		for _, x := range f.Inputs {
			text := x.Name + " = " + x.Value.Text
			if x.Value.From != nil {
				text += " (" + x.Value.From.String() + ")"
			}
			in = append(in, text)
		}
		for _, s := range f.Sources {
			by = append(by, s.String())
		}
		cells := cell.Texts(f.Title, "", f.Formula, strings.Join(in, "; "), strings.Join(by, "; "), f.ID)
		cells[1] = number(f.Value)
		cells[3].List = in
		t.Rows = append(t.Rows, cells)
	}
	return t
}
