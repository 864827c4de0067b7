package report

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// refusals explain what kubelets did not admit.
func (t placed) refusals() {
	list := t.p.Admissions
	if len(list) == 0 {
		return
	}
	t.heading("Admission, step by step")
	for i, a := range list {
		if i > 0 {
			t.b.WriteByte('\n')
		}
		if i == admissionMax && !t.wide {
			t.line("  ", table.Faint, fmt.Sprintf("and %s more: -o wide explains them", counting(len(list)-i, "pod")))
			return
		}
		t.admission(a)
	}
}

func (t placed) admission(a v1alpha1.Admission) {
	mark, style := "+", table.Good
	if !a.Admitted {
		mark, style = "!", table.Bad
	}
	t.mark("  ", mark, style, table.Plain, admissionTitle(a))
	if a.Message != "" {
		t.hang("    ", table.Plain, a.Message)
	}
	if a.Slow != "" {
		t.hang("    ", table.Warn, a.Slow)
	}
	for _, s := range a.Steps {
		style, mark := table.Plain, "- "
		if s.Failed {
			style, mark = table.Bad, "! "
		}
		t.line("    "+mark, style, stepTitle(s))
		for _, l := range s.Lines {
			t.hang("        ", table.Plain, l)
		}
	}
	if len(a.Remedies) > 0 {
		t.line("    ", table.Plain, remediesTitle(a)+":")
	}
	for _, r := range a.Remedies {
		t.line("      - ", table.Good, r)
	}
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
		s += ", " + whole(a.Count) + " pods alike"
	}
	return s
}
