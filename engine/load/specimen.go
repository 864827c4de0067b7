package load

import "plimsoll.dev/api/v1alpha1"

// specimen is a run with one of everything that a run with these options may have.
func specimen(opt Options) *Result {
	r := &Result{Kinds: []KindCount{{}}, Phases: []Phase{{}}, Course: newCourse(0), Latencies: []Latency{{}},
		Failures: []Failure{{}}}
	if opt.Prometheus != nil {
		r.Prometheus = []Metric{{}}
	}
	return r
}

// Specimen is an answer with all the sections and tables that one of a run with these options may have, to try
// before the run whether it can be written as it was asked for.
func Specimen(opt Options) *v1alpha1.Answer { return specimen(opt).Answer(nil, nil) }

// ClimbSpecimens are the same for a climb: one that broke, and one that did not.
func ClimbSpecimens(opt Options) []*v1alpha1.Answer {
	broke := &Climbed{Goal: 1, Broke: 1, Levels: []Level{{At: 1, Result: specimen(opt)}}}
	held := &Climbed{Goal: 1, Held: 1, Levels: []Level{{At: 1, Held: true, Result: specimen(opt)}}}
	return []*v1alpha1.Answer{broke.Answer(""), held.Answer("")}
}
