package audit

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
)

// Waiver says that a finding is known, why it may stand, who says so, and until when.
type Waiver struct {
	// Rule is an id, or such as "etcd.*".
	Rule string `json:"rule"`
	// Objects that it is for, such as "Node/worker-*"; none is all.
	Objects []string `json:"objects,omitempty"`
	// Reason and Owner are for those who read it later.
	Reason string `json:"reason"`
	Owner  string `json:"owner"`
	// Until is the last day on which it counts: "2026-12-31".
	Until string `json:"until"`
}

// end of a waiver; the zero time where it is none.
func (w Waiver) end() time.Time {
	t, err := time.Parse(time.DateOnly, w.Until)
	if err != nil {
		return time.Time{}
	}
	return t.AddDate(0, 0, 1)
}

func (w Waiver) covers(rule string) bool {
	prefix, every := strings.CutSuffix(w.Rule, "*")
	return rule == w.Rule || every && strings.HasPrefix(rule, prefix)
}

// within says whether what it waives is of a subject of plan, whose rules are no list.
func (w Waiver) within(subject string) bool { return strings.HasPrefix(w.Rule, subject) }

// ofRule says whether there is a rule that it is about.
func (w Waiver) ofRule() bool {
	return slices.ContainsFunc(known(), w.covers) || slices.ContainsFunc(ofClusters, w.within) || w.within("limit.")
}

// waive leaves out the findings that waivers cover, and adds those that are about waivers themselves. Of a rule's
// finding it leaves out the objects that are covered: the others stay.
func (in Input) waive(r *Result, found []v1alpha1.Finding) []v1alpha1.Finding {
	c, waivers, now := in.Cloud, in.Waivers, in.Cloud.Now
	used := make([]bool, len(waivers))
	covering := func(rule string, objects []string) (by *Waiver) {
		for i, w := range waivers {
			if w.covers(rule) && w.holds(objects) {
				used[i] = true
				if by == nil && now.Before(w.end()) {
					by = &waivers[i]
				}
			}
		}
		return by
	}
	var left []v1alpha1.Finding
	stands := map[string]bool{}
	for _, f := range found {
		if by := covering(f.ID, objectsOf(f)); by != nil {
			r.Waived = append(r.Waived, WaivedFinding{f, *by})
			continue
		}
		left, stands[f.ID] = append(left, f), true
	}
	for i, k := range c.tests() {
		waived, rest := k.apart(c, r.Rules[i].Findings, func(object string) *Waiver {
			return covering(k.rule.ID, strings.Fields(object))
		})
		r.Waived, left = append(r.Waived, waived...), append(left, rest...)
		stands[k.rule.ID] = len(rest) > 0
	}
	for i := range r.Rules {
		o := &r.Rules[i]
		if o.State == Found && !stands[o.Rule] || o.State == NotSeen && covering(o.Rule, nil) != nil {
			o.State = Waived
		}
	}
	for i, w := range waivers {
		switch {
		case !now.Before(w.end()):
			left = append(left, in.waiverFinding(expiredWaiver, i, "it ended on "+w.Until,
				"mend what it waives, or give it another end"))
		case !used[i]:
			left = append(left, in.waiverFinding(unusedWaiver, i, "nothing is found that it waives", "take it away"))
		}
	}
	return left
}

// apart parts what a rule found by the waiver that covers each object: none is for those that are left.
func (k test) apart(c *Cloud, found []v1alpha1.Finding, by func(object string) *Waiver) (waived []WaivedFinding,
	left []v1alpha1.Finding) {
	of := map[string]*Waiver{}
	var parts []*Waiver
	for _, f := range found {
		for _, o := range strings.Split(f.Place.Object, " ") { // one that is empty is the cluster
			of[o] = by(o)
			if !slices.Contains(parts, of[o]) {
				parts = append(parts, of[o])
			}
		}
	}
	for _, w := range parts {
		some := found
		if len(parts) > 1 {
			some = k.judge(c, func(o string) bool { is, known := of[o]; return known && is == w }).Findings
		}
		if w == nil {
			left = some
			continue
		}
		for _, f := range some {
			waived = append(waived, WaivedFinding{f, *w})
		}
	}
	return waived, left
}

// objectsOf a finding, which its place names.
func objectsOf(f v1alpha1.Finding) []string {
	if f.Place == nil {
		return nil
	}
	return strings.Fields(f.Place.Object)
}

// waiverFinding is about one of the waivers, and stands where that does.
func (in Input) waiverFinding(r object.Rule, i int, what, fix string) v1alpha1.Finding {
	w, place := in.Waivers[i], v1alpha1.Place{File: in.Cloud.Name}
	if i < len(in.WaiverPlaces) {
		place = in.WaiverPlaces[i]
	}
	place.Cluster, place.Object = true, "Waiver/"+w.Rule
	who := words.Some(append([]string{w.Owner}, w.Objects...), shown+1)
	return v1alpha1.Finding{Severity: r.Severity, ID: r.ID, Remedy: fix, Place: &place,
		Message: "the waiver of " + w.Rule + " (" + who + "): " + what}
}

// holds says whether a waiver is for all of these objects.
func (w Waiver) holds(objects []string) bool {
	if len(w.Objects) == 0 {
		return true
	}
	return len(objects) > 0 && !slices.ContainsFunc(objects, func(o string) bool {
		return !slices.ContainsFunc(w.Objects, func(pattern string) bool {
			prefix, open := strings.CutSuffix(pattern, "*")
			return o == pattern || open && strings.HasPrefix(o, prefix)
		})
	})
}

// Fault of a waiver's field.
type Fault struct{ Field, What, Fix string }

// Faults are what is wrong with a waiver.
func (w Waiver) Faults() []Fault {
	var out []Fault
	for _, must := range []struct{ field, text, fix string }{
		{"rule", w.Rule, "name the finding, such as node.notReady, or all of a subject, such as etcd.*"},
		{"reason", w.Reason, "say why it may stand"},
		{"owner", w.Owner, "say whose decision it is"},
		{"until", w.Until, "name the last day on which it counts, such as 2026-12-31"},
	} {
		switch {
		case must.text == "":
			out = append(out, Fault{must.field, "is missing", must.fix})
		case must.field == "rule" && !w.ofRule():
			out = append(out, Fault{"rule", w.Rule + " is no rule",
				"plimsoll audit --list and plimsoll tune check --list show all"})
		case must.field == "until" && w.end().IsZero():
			out = append(out, Fault{"until", strconv.Quote(w.Until) + " is no day", "write it as 2026-12-31"})
		}
	}
	return out
}
