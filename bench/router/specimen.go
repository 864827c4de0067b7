package router

import "plimsoll.dev/api/v1alpha1"

// Specimen is an answer with all the sections and tables that a run of these cells may have, to try before it
// what the answer can be written as.
func Specimen(s Setup, cells []Cell) *v1alpha1.Answer {
	r := &Run{Setup: s}
	for _, one := range cells {
		r.Cells = append(r.Cells, Measured{Cell: one})
	}
	return r.Answer()
}

// ReloadSpecimen is the same for an experiment with reloads: one with too many processes.
func ReloadSpecimen(s ReloadSetup) *v1alpha1.Answer {
	r := &Reloads{Setup: s, Cases: s.Cases()}
	for i, c := range r.Cases {
		r.Cases[i].Steps = []Step{{Processes: s.Expected(c) + slack + 1}}
	}
	return r.Answer()
}
