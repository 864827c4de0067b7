package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
)

// What the default output holds of each list; wide has all.
const (
	allTypes     = 25 // pod types up to which each has a row
	troubleRows  = 15 // else rows of types that do not run completely
	leastRows    = 8  // and so many rows at least, filled with the most numerous types
	problemRows  = 10
	nodeRows     = 16
	machineMaps  = 4
	hostMaps     = 2 // compute hosts, whose VMs are explained
	ownerRows    = 16
	admissionMax = 3
	typesNamed   = 4 // types in a list within a line
)

// placedDocument begins the document of a placement, whatever it places.
func placedDocument(h v1alpha1.PlacementHead, w terms, format string) *Document {
	v, mark := h.Verdict, judged(h.Verdict.Fits)
	if v.Fits && !v.Good() {
		mark = "warn"
	}
	d := &Document{Title: "Placement " + h.Metadata.Name, Sub: platform(h.Platform), Description: h.Metadata.Description,
		Findings: h.Findings, Judged: true,
		Verdict: &Verdict{Mark: mark, Open: len(v.Open) > 0, Text: cmp.Or(v.Summary, "no "+w.Unit+"s"),
			Named: inWords("Problem", v.Problem, "Not known", strings.Join(v.Open, "; "),
				"Fullest", v.Tightest)}}
	rules := h.Rules
	if (short(format) || format == HTML) && len(rules) > briefRules {
		rules = rules[:briefRules]
		d.add("rules", "Further rules", List{Items: items("- ", h.Rules[briefRules:])})
	}
	if len(rules) > 0 {
		d.Verdict.Named = append(d.Verdict.Named, Named{"Rules", rules})
	}
	return d
}

// inWords are names and sentences in turn, without those that say nothing.
func inWords(list ...string) []Named {
	var out []Named
	for i := 0; i < len(list); i += 2 {
		if list[i+1] != "" {
			out = append(out, Named{list[i], list[i+1 : i+2]})
		}
	}
	return out
}

// placedEnd adds what stands at the end of all placements.
func (d *Document) placedEnd(assumptions []v1alpha1.Assumption, skipped []v1alpha1.Skipped, format string,
	opt Options) {
	d.Again = "plimsoll place " + oneLine(opt.file()) + " -o html"
	shown := Findings{List: worstFirst(d.Findings), Full: true}
	if short(format) {
		shown = Findings{List: shown.List, Brief: true, Plain: true, Most: problemRows}.withoutRemarks()
	}
	d.add("findings", "Findings", shown)
	d.leftOpen(assumptions, skipped, format)
	if short(format) && opt.Section == "" {
		d.Lines, d.First = briefLines, briefPlaced
	}
	d.foldAll("packing", "pods", "servers", "unplaced", "refused", "machines", "what-if", "findings")
}

// briefPlaced are the sections of a placement that are read first: what does not run, what was
// asked for, what to do, and what runs where.
var briefPlaced = []string{"comparison", "unplaced", "refused", "what-if", "findings", "skipped", "pods", "servers",
	"nova", "machines", "admission", "nodes", "hosts", "stranding", "resources", "assumptions", "rules"}

// leftOpen adds what the scenario left open, and what was not counted.
func (d *Document) leftOpen(assumptions []v1alpha1.Assumption, skipped []v1alpha1.Skipped, format string) {
	if short(format) {
		d.add("assumptions", fmt.Sprintf("Assumptions: %s left open in the scenario", words.Count(len(assumptions), "field")),
			Para{Text: assumed(assumptions), Inner: true})
	} else {
		d.addAs("assumptions", "Assumptions: fields that the scenario left open", "Assumptions", assumptionGrid(assumptions))
	}
	g := Grid{ID: "skipped", Bare: short(format), Prose: true, Columns: heads("Place", "What", "Why")}
	g.Columns[0].Code = true
	for _, s := range skipped {
		g.row(s.Place, counted(s), s.Why)
	}
	d.add("skipped", "Not counted, or otherwise", g)
}

// unsaid are the assumptions in place of what each scenario says, where there was none.
func unsaid(list []v1alpha1.Assumption) string {
	list = slices.DeleteFunc(slices.Clone(list), func(a v1alpha1.Assumption) bool {
		return a.Why != v1alpha1.NotOpenShift && !slices.Contains([]string{"platform.release", "hardware.nodeTypes",
			v1alpha1.Autoscaled, v1alpha1.Cordoned, v1alpha1.MachineFiles}, a.Field)
	})
	return joined(list, "; ", func(a v1alpha1.Assumption) string { return a.Field + " = " + a.Value + ", " + a.Why })
}

// few is the number of assumptions that a short report names.
const few = 8

// assumed are the weightiest assumptions in a line.
func assumed(list []v1alpha1.Assumption) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b v1alpha1.Assumption) int { return cmp.Compare(weight(a), weight(b)) })
	out := joined(list[:min(few, len(list))], ", ", func(a v1alpha1.Assumption) string {
		return a.Field + " = " + a.Value
	})
	if len(list) > few {
		out += fmt.Sprintf(", and %d more (-o wide)", len(list)-few)
	}
	return out
}

func assumptionGrid(list []v1alpha1.Assumption) Grid {
	g := Grid{ID: "assumptions", Prose: true, Columns: heads("Field", "Value", "Why", "Fact")}
	g.Columns[0].Code, g.Columns[3].Code = true, true
	for _, a := range list {
		g.Rows = append(g.Rows, []Cell{{Text: a.Field}, {Text: a.Value}, {Text: a.Why},
			{Text: a.Fact, To: factPlace(a.Fact)}})
		g.Places = append(g.Places, fieldPlace(a.Field))
	}
	return g
}

// machines adds the machines: in the default output those of first, and where the most
// is owned.
func (d *Document) machines(all []v1alpha1.MachineMap, first map[string]bool, by ownedBy, beside besideBy,
	format string) {
	m := Machines{All: all, Shown: all, By: by, Beside: beside, Full: !short(format)}
	if short(format) {
		m.Shown = tellingMachines(all, first)
	}
	d.addAs("machines", "Machines: who owns which core, pages and devices", "Machines", m)
}

// whatIf adds failures and drains.
func (d *Document) whatIf(list []whatIfView) {
	d.add("what-if", "What if", List{Items: each(list, func(w whatIfView) Item {
		return Item{Mark: judged(!w.Bad), Text: w.Text, Items: items("- ", w.Reasons)}
	})})
}

// noted is a table and its notes: one stands below it, several are a list.
func noted(g Grid, notes ...string) []Block {
	if len(notes) == 1 {
		return []Block{g, Para{Style: table.Faint, Text: notes[0]}}
	}
	g.Notes = notes
	return []Block{g}
}

// titled adds a table under its own title.
func (d *Document) titled(id, nav string, g Grid) {
	title, notes := g.Title, g.Notes
	g.Title, g.Notes = "", nil
	if g.ID == "" {
		g.ID = id
	}
	if len(g.Rows) > 0 {
		d.addAs(id, title, nav, noted(g, notes...)...)
	}
}

// mostNamed is how many types a sentence names in a format; 0 is all.
func mostNamed(format string) int {
	if short(format) {
		return typesNamed
	}
	return 0
}

// andMore says how many are left out.
func andMore(n int, noun, how string) Para {
	if n <= 0 {
		return Para{}
	}
	return Para{Style: table.Faint, Text: fmt.Sprintf("and %s more: -o wide %s", words.Count(n, noun), how)}
}
