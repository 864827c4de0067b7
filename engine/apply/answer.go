package apply

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/unit"
)

// Answer is the result as the commands of "tune" answer it.
func (r *Result) Answer() *v1alpha1.Answer {
	findings := r.Findings()
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "Apply",
		Title: "What profile " + r.Profile + " does to " + r.where(), Findings: findings, Result: r}
	a.Verdict = v1alpha1.AnswerVerdict{OK: r.OK(), Summary: r.summary()}
	if len(findings) > 0 && findings[0].Severity == v1alpha1.Error {
		a.Verdict.Problem = findings[0].Message
	}
	a.Parts = []v1alpha1.Part{r.valuesPart(), r.othersPart(), r.Recovered.part(), r.runPart(), r.logPart()}
	return a
}

// OK says whether the profile was applied, every value held, and all was taken back.
func (r *Result) OK() bool {
	return r.Applied && r.Verified && r.RolledBack && r.Restored && !r.Died
}

func (r *Result) where() string {
	if r.Node == "" {
		return "this machine"
	}
	return "the simulated node " + r.Node
}

// summary is the result in a sentence.
func (r *Result) summary() string {
	if !r.Applied {
		return fmt.Sprintf("TuneD applied nothing of %s; %s.", r.Profile, r.restored())
	}
	count := map[State]int{}
	for _, v := range r.Values {
		count[v.State]++
	}
	text := fmt.Sprintf("TuneD applied %s in %.1f s: %s", r.Profile, r.ApplySeconds,
		words.Count(count[Changed], "value changed", "values changed"))
	for _, s := range []State{Kept, Differs, Missing, Skipped} {
		if count[s] > 0 {
			text += fmt.Sprintf(", %d %s", count[s], stateWords[s])
		}
	}
	return text + fmt.Sprintf("; rolled back in %.1f s, %s.", r.RollbackSeconds, r.restored())
}

var stateWords = map[State]string{Kept: "kept", Differs: "not as asked", Missing: "missing on the node",
	Skipped: "left alone"}

func (r *Result) restored() string {
	switch {
	case !r.Restored:
		return "the node is not what it was"
	case r.HashAfter != "":
		return fmt.Sprintf("all %s entries are byte for byte what they were", unit.Format(float64(r.Entries), unit.None))
	}
	return "every value is what it was"
}

func (r *Result) valuesPart() v1alpha1.Part {
	if len(r.Values) == 0 {
		return v1alpha1.Part{}
	}
	t := v1alpha1.Table{ID: "values", Title: "Values that the profile asks for", Columns: cell.Columns(
		"value", ">before", ">asked", ">after", "*>rolled back", "state", "asked by", "*asked at", "*path", "*note")}
	for _, alike := range fold(r.Values) {
		v := alike[0]
		name, path := v.shortName(), v.Path
		if n := len(alike); n > 1 {
			name += fmt.Sprintf(" to %s (%d)", alike[n-1].Device, n)
			path = ""
		}
		t.Rows = append(t.Rows, cell.Texts(name, value(v.Before), v.Want, value(v.After), value(v.RolledBack),
			string(v.State), v.by(), at(v.Place), show(path), v.Note))
	}
	p := v1alpha1.Part{Title: "Values", Tables: []v1alpha1.Table{t}}
	if len(r.Chain) > 1 {
		p.Lead = []string{"Merged from " + strings.Join(r.Chain, ", ") + ", the later over the earlier."}
	}
	return p
}

// fold joins values that differ in their device alone.
func fold(values []Value) [][]Value {
	alike := func(a, b Value) bool {
		return a.Device != "" && b.Device != "" && a.Section == b.Section && a.Option == b.Option && a.State == b.State &&
			a.Note == b.Note && equal(a.Before, b.Before) && equal(a.After, b.After) && equal(a.RolledBack, b.RolledBack)
	}
	var out [][]Value
	for _, v := range values {
		if n := len(out); n > 0 && alike(out[n-1][0], v) {
			out[n-1] = append(out[n-1], v)
		} else {
			out = append(out, []Value{v})
		}
	}
	return out
}

// shortName leaves out the section where the option says it.
func (v Value) shortName() string {
	if v.Section == v.Plugin && (v.Plugin == "sysctl" || v.Plugin == "sysfs") {
		return show(v.Option)
	}
	return v.name()
}

// by is the profile that asks for the value, and the line.
func (v Value) by() string {
	if v.Place == nil {
		return v.Profile
	}
	return fmt.Sprintf("%s:%d", v.Profile, v.Place.Line)
}

func (r *Result) othersPart() v1alpha1.Part {
	if len(r.Others) == 0 {
		return v1alpha1.Part{}
	}
	t := v1alpha1.Table{ID: "others", Title: "Files that changed, and that no option above names",
		Columns: cell.Columns("path", ">before", ">after", "*>rolled back")}
	for _, c := range r.Others {
		t.Rows = append(t.Rows, cell.Texts(show(c.Path), value(c.Before), value(c.After), value(c.RolledBack)))
	}
	return v1alpha1.Part{Title: "Other changes", Tables: []v1alpha1.Table{t}}
}

// runPart is what happened, for those who want to know it all.
func (r *Result) runPart() v1alpha1.Part {
	t := v1alpha1.Table{ID: "run", Title: "The run", Columns: cell.Columns("what", "came out")}
	t.Rows = append(t.Rows,
		cell.Texts("TuneD", r.Version), cell.Texts("applied", yes(r.Applied, fmt.Sprintf("after %.2f s", r.ApplySeconds))),
		cell.Texts("verified", yes(r.Verified, "")),
		cell.Texts("rolled back by TuneD", yes(r.RolledBack, fmt.Sprintf("after %.2f s", r.RollbackSeconds))),
		cell.Texts("TuneD ended", r.End), cell.Texts("entries compared", unit.Format(float64(r.Entries), unit.None)))
	if r.HashBefore != "" {
		t.Rows = append(t.Rows, cell.Texts("fingerprint before", r.HashBefore), cell.Texts("fingerprint after", r.HashAfter),
			cell.Texts("files whose bytes were put back though the value was right", fmt.Sprint(r.Reformatted)))
	}
	return v1alpha1.Part{Title: "Run", Wide: true, Tables: []v1alpha1.Table{t}}
}

func (r *Result) logPart() v1alpha1.Part {
	var b strings.Builder
	for _, l := range r.Log {
		if l.Level == "" {
			b.WriteString(show(l.Text) + "\n")
		} else {
			fmt.Fprintf(&b, "%s %-8s %s: %s\n", l.Time, l.Level, l.Module, show(l.Text))
		}
	}
	return v1alpha1.Part{Title: "TuneD's log", Wide: true, Texts: []v1alpha1.Text{{Title: "log", Body: b.String()}}}
}

// value is a value in a table.
func value(v *string) string {
	if v == nil {
		return "-"
	}
	const long = 40
	text := show(*v)
	if r := []rune(text); len(r) > long {
		text = string(r[:long]) + "..."
	}
	return text
}

// at is a place as compilers write it.
func at(p *v1alpha1.Place) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

func yes(ok bool, when string) string {
	if !ok {
		return "no"
	}
	return strings.TrimSpace("yes " + when)
}
