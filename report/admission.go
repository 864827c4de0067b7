package report

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
)

// admissions explain what kubelets did and did not admit.
func admissions(list []v1alpha1.Admission, format string) []Block {
	more := Para{}
	if n := len(list) - admissionMax; n > 0 && short(format) {
		list, more = list[:admissionMax], andMore(n, "pod", "explains them")
	}
	var out []Block
	for i, a := range list {
		if i > 0 {
			out = append(out, Gap{})
		}
		out = append(out, List{Items: []Item{admissionItem(a)}})
	}
	if more.Text != "" {
		out = append(out, Gap{}, more)
	}
	return out
}

func admissionItem(a v1alpha1.Admission) Item {
	out := Item{Mark: judged(a.Admitted), Text: admissionTitle(a)}
	for _, x := range []Item{{Text: a.Message}, {Text: a.Slow, Style: table.Warn}} {
		if x.Text != "" {
			out.Items = append(out.Items, x)
		}
	}
	for _, s := range a.Steps {
		step := Item{Lead: "- ", Text: stepTitle(s), Items: items("", s.Lines)}
		if s.Failed {
			step.Mark, step.Style = "bad", table.Bad
		}
		out.Items = append(out.Items, step)
	}
	if len(a.Remedies) > 0 {
		out.Items = append(out.Items, Item{Text: remediesTitle(a) + ":", Items: good(items("- ", a.Remedies))})
	}
	return out
}

// good are items that help.
func good(list []Item) []Item {
	for i := range list {
		list[i].Style = table.Good
	}
	return list
}

// remediesTitle introduces the remedies, for all formats alike.
func remediesTitle(a v1alpha1.Admission) string {
	if len(a.Remedies) == 1 {
		return "this would admit it"
	}
	return "any of these would admit it"
}

// stepTitle names the container of a step, and what it is.
func stepTitle(s v1alpha1.AdmissionStep) string {
	if s.Container == "" {
		return s.Title
	}
	return s.Container + ", " + s.Title
}

// admissionTitle is "pod-1 (Guaranteed) on node-1: TopologyAffinityError".
func admissionTitle(a v1alpha1.Admission) string {
	s := fmt.Sprintf("%s (%s) on %s: ", a.Pod, a.QOSClass, a.Node)
	if a.Admitted {
		s += "admitted"
	} else {
		s += a.Reason
	}
	if a.Count > 1 {
		s += ", " + words.Number(a.Count) + " pods alike"
	}
	return s
}
