package ovs

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
)

// Audit of rules: what the dearest ways cost.
type Audit struct {
	File   string       `json:"file"`
	Rules  int          `json:"rules"`
	Paths  []Path       `json:"paths"`
	Tables []TableCount `json:"tables"`
}

// TableCount is what stands in a table.
type TableCount struct {
	Table int `json:"table"`
	Rules int `json:"rules"`
	// Masks are the sets of fields that its rules look at: a look-up asks a hash table for each.
	Masks int `json:"masks"`
	// Conntracks are the rules with ct().
	Conntracks int `json:"conntracks"`
}

// Most are the recirculations that a path may have.
type Most struct {
	// Any is for all states, where it is not negative; else the facts say how many the pipeline of document
	// 004 has.
	Any     int
	Catalog *facts.Catalogue
}

// of a state, and the fact that says so, if one does.
func (m Most) of(state string) (int, *facts.Fact) {
	if m.Any >= 0 {
		return m.Any, nil
	}
	f := m.Catalog.Must("znet.openflow.recirculations/" + state)
	return int(f.Number), &f
}

// Judge the rules of a file.
func Judge(f *File, most Most) *v1alpha1.Answer {
	s := New(f.Rules)
	r := &Audit{File: f.Name, Rules: len(s.rules), Tables: s.counts()}
	six := slices.ContainsFunc(s.rules, func(r *Rule) bool {
		v, mask := r.Match.Get(ethType)
		return mask.Lo != 0 && v.Lo == typeIPv6
	})
	for _, in := range situations {
		if in.ether == typeIPv4 || six {
			r.Paths = append(r.Paths, s.dearest(in))
		}
	}
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "OpenFlowAudit",
		Title: "What the rules of " + f.Name + " cost", Result: r}
	for _, p := range r.Paths {
		a.Findings = append(a.Findings, f.tooDear(p, most)...)
	}
	a.Verdict.OK = !slices.ContainsFunc(a.Findings, func(f v1alpha1.Finding) bool { return f.Severity == v1alpha1.Error })
	if !a.Verdict.OK {
		a.Verdict.Problem = a.Findings[0].Message
	}
	a.Verdict.Summary = fmt.Sprintf("%s in %s: a new connection goes round %s, a reply %s", words.Count(r.Rules, "rule"),
		words.Count(len(r.Tables), "table"), words.Count(r.Paths[0].Recirculations, "time"),
		words.Count(r.Paths[2].Recirculations, "time"))
	a.Findings = append(a.Findings, f.advise(s)...)
	if gone := len(f.Rules) - len(s.rules); gone > 0 {
		a.Findings = append(a.Findings, v1alpha1.Finding{Severity: v1alpha1.Warning, ID: "openflow.replaced",
			Message: words.Count(gone, "rule has", "rules have") + " the table, priority and match of a later one"})
	}
	a.Findings = append(a.Findings, f.remarks()...)
	a.Parts = []v1alpha1.Part{
		{Title: "Dearest paths", Lead: []string{r.lead(most)}, Tables: []v1alpha1.Table{r.paths(most)}},
		{Title: "Tables", Tables: []v1alpha1.Table{r.tables()}},
	}
	return a
}

// lead says what recirculations and rules cost, as it was measured.
func (r *Audit) lead(most Most) string {
	cost := func(id string) string {
		return most.Catalog.Must("openflow.cost.transaction/" + id).Printed()
	}
	return fmt.Sprintf("Recirculations and ct() cost, not rules: the pipeline of document 004 took %s of CPU for a "+
		"transaction, %s without ct(), and %s with 20,000 rules of other pods ('plimsoll facts openflow.cost').",
		cost("ct"), cost("tables"), cost("ct-20000"))
}

func (r *Audit) paths(most Most) v1alpha1.Table {
	t := v1alpha1.Table{ID: "paths", Columns: cell.Columns("Packets", "State", ">Rounds", ">Limit", ">ct()",
		">Look-ups", "Tables", "*Lines"),
		Notes: []string{"A path is the dearest that the rules leave open: addresses, ports and registers are taken to " +
			"match where they cost most. The state is what connection tracking says each time. Rounds are recirculations: |."}}
	for _, p := range r.Paths {
		row := append(cell.Texts(p.Packets, p.State), cell.Count(p.Recirculations), v1alpha1.Cell{}, cell.Count(p.Conntracks),
			cell.Count(p.Lookups), cell.Text(p.tables()), cell.Text(numbers(p.Lines, ", ")))
		n, fact := most.of(p.State)
		row[3] = cell.Count(n)
		if fact != nil {
			row[3].Figure = fact.ID
		}
		if p.Recirculations > n || p.Endless {
			row[2].Mark = "bad"
		}
		if p.Endless {
			row[2], row[6].Text = v1alpha1.Cell{Text: "no end", Mark: "bad"}, "-"
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// tables of the passes: 0 | 0,20,21 | 30,70,80.
func (p Path) tables() string {
	var out []string
	for _, pass := range p.Passes {
		out = append(out, numbers(pass, ","))
	}
	if len(out) == 0 {
		return "too many to name"
	}
	return strings.Join(out, " | ")
}

func numbers(list []int, between string) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", between), "[]")
}

func (r *Audit) tables() v1alpha1.Table {
	t := v1alpha1.Table{ID: "tables", Columns: cell.Columns(">Table", ">Rules", ">Masks", ">Rules with ct()"),
		Notes: []string{"Masks are the sets of fields that rules look at: a look-up asks one hash table for each, " +
			"however many rules are in it."}}
	for _, c := range r.Tables {
		t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Count(c.Table), cell.Count(c.Rules), cell.Count(c.Masks),
			cell.Count(c.Conntracks)})
	}
	return t
}

func (s *Switch) counts() []TableCount {
	var out []TableCount
	for n, t := range s.tables {
		if t == nil {
			continue
		}
		c := TableCount{Table: n, Masks: len(t.tuples)}
		for _, r := range s.sorted(n) {
			c.Rules++
			if slices.ContainsFunc(r.Actions, func(a Action) bool { return a.Verb == Track }) {
				c.Conntracks++
			}
		}
		out = append(out, c)
	}
	return out
}

// tooDear paths go round more often than they may, or without end.
func (f *File) tooDear(p Path, most Most) []v1alpha1.Finding {
	where := fmt.Sprintf("%s, %s", p.Packets, p.State)
	if p.Endless {
		return []v1alpha1.Finding{f.circle(p, where)}
	}
	n, fact := most.of(p.State)
	if p.Recirculations <= n {
		return nil
	}
	found := v1alpha1.Finding{Severity: v1alpha1.Error,
		ID: fmt.Sprintf("openflow.recirculations[%s.%s]", p.Packets, p.State),
		Remedy: "ask connection tracking once, commit without a table where no later rule looks at ct_state, and keep " +
			"apart what one state alone needs"}
	limit := fmt.Sprint(n)
	if fact != nil {
		found.Figure, found.Sources = fact.ID, []derive.Source{fact.Source}
		limit = fmt.Sprintf("the %d of document 004's pipeline", n)
	}
	found.Message = fmt.Sprintf("%s: a packet may go round %s, more than %s: tables %s", where,
		words.Count(p.Recirculations, "time"), limit, p.tables())
	return []v1alpha1.Finding{found}
}

// circle is an error where nothing but the state decides, and a doubt where another field may end it.
func (f *File) circle(p Path, where string) v1alpha1.Finding {
	severity, verb := v1alpha1.Error, "goes"
	for _, r := range p.circle {
		rest := r.Match
		rest.Clear(ctState)
		rest.Clear(ethType)
		if rest.Mask != (Key{}) {
			severity, verb = v1alpha1.Warning, "may go"
		}
	}
	last := p.circle[len(p.circle)-1]
	found := f.finding(severity, last.Line, last.Col, "endless",
		fmt.Sprintf("%s: a packet %s round without end, by the rules of %s", where, verb, lines(p.circle)),
		"match ct_state=-trk where ct() leads back to the same table")
	found.ID = fmt.Sprintf("openflow.endless[%s.%s]", p.Packets, p.State)
	return found
}
