package ovs

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// finding at a place of the file.
func (f *File) finding(severity v1alpha1.Severity, line, col int, rule, message, remedy string) v1alpha1.Finding {
	return v1alpha1.Finding{Severity: severity, ID: fmt.Sprintf("openflow.%s[%d]", rule, line), Message: message,
		Remedy: remedy, Place: &v1alpha1.Place{File: f.Name, Line: line, Col: col}}
}

// remarks of the reader: a line of the file each.
func (f *File) remarks() []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, r := range f.Widened {
		out = append(out, f.finding(v1alpha1.Warning, r.Line, r.Col, "ignored", r.What, ""))
	}
	for i := 0; i < len(f.Repairs); {
		first, texts := f.Repairs[i], []string{}
		for ; i < len(f.Repairs) && f.Repairs[i].Line == first.Line; i++ {
			texts = append(texts, fmt.Sprintf("column %d: %s", f.Repairs[i].Col, f.Repairs[i].What))
		}
		out = append(out, f.finding(v1alpha1.Info, first.Line, first.Col, "repaired", strings.Join(texts, "; "), ""))
	}
	return out
}

// endless ways, and those that Open vSwitch gives up.
func (f *File) endless(packet string, t *Trace) []v1alpha1.Finding {
	for _, p := range t.Passes {
		for _, e := range p.Events {
			if e.What == TooDeep {
				return []v1alpha1.Finding{{Severity: v1alpha1.Error, ID: "openflow.tooDeep",
					Message: fmt.Sprintf("%s: more than %d resubmits within each other at table %d: Open vSwitch drops the packet",
						packet, maxDepth, e.Table),
					Remedy: "resubmit to higher tables only"}}
			}
		}
	}
	if t.Endless {
		return []v1alpha1.Finding{{Severity: v1alpha1.Error, ID: "openflow.endless", Message: fmt.Sprintf(
			"%s: more than %d recirculations", packet, MaxPasses), Remedy: "match ct_state=-trk where ct() sends packets back"}}
	}
	return nil
}

// rivalry is of two rules between which nothing decides.
type rivalry struct{ taken, other *Rule }

func (f *File) rivals(list []rivalry) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, r := range list {
		out = append(out, f.finding(v1alpha1.Warning, r.taken.Line, r.taken.Col, "rivals", fmt.Sprintf(
			"the rule of line %d has the same priority and matches as well: which is taken OpenFlow does not say", r.other.Line),
			"give one of them a higher priority"))
	}
	return out
}

// lines names rules by their lines.
func lines(rules []*Rule) string {
	var out []string
	for _, r := range rules {
		out = append(out, fmt.Sprint(r.Line))
	}
	return words.Form(len(out), "line") + " " + words.Some(out, 5)
}
