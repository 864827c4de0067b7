package novatest

import (
	"iter"
	"slices"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// Replay is a sequence while it is replayed: the host as Nova has filled it.
type Replay struct {
	Sequence
	cores map[int]int
}

// NewReplay begins a sequence.
func NewReplay(s Sequence) *Replay {
	r := &Replay{Sequence: s, cores: map[int]int{}}
	r.Host = *s.Host.Clone()
	for _, c := range s.Host.Cells {
		for _, siblings := range c.Siblings {
			core := len(r.cores)
			for cpu := range siblings.All() {
				r.cores[cpu] = core
			}
		}
	}
	return r
}

// Requests yields the requests, each with the host in the state in which Nova
// answered it. What is right is claimed after each, whatever we answered.
func (r *Replay) Requests() iter.Seq[*Step] {
	return func(yield func(*Step) bool) {
		running := map[int]*Step{}
		for i := range r.Steps {
			s := &r.Steps[i]
			if s.Release {
				if gone := running[s.ID]; gone != nil {
					r.Host.Release(&gone.Request, gone.Right)
					delete(running, s.ID)
				}
				continue
			}
			if !yield(s) {
				return
			}
			if s.Right != nil && s.Raises == "" && len(s.Request.Cells)+len(s.Request.Devices) > 0 {
				r.Host.Claim(&s.Request, s.Right)
				running[s.ID] = s
			}
		}
	}
}

// Difference says how an answer differs from Nova's; empty when it does not.
func (r *Replay) Difference(want, got *nova.Fit, ok bool) string {
	switch {
	case (want != nil) != ok:
		return differ("fits", want != nil, ok)
	case want == nil:
		return ""
	case got == nil:
		return differ("place", "one", "none")
	case len(want.Cells) != len(got.Cells):
		return differ("cells", len(want.Cells), len(got.Cells))
	}
	for i := range want.Cells {
		if d := r.differCells(&want.Cells[i], &got.Cells[i]); d != "" {
			return d
		}
	}
	return differDevices(want.Devices, got.Devices)
}

// Check asks for the step's request and says how our answers differ from Nova's.
// A guest without cells and devices is not compared: Nova's NUMA code passes any.
func (r *Replay) Check(s *Step) string {
	if len(s.Request.Cells)+len(s.Request.Devices) == 0 {
		return ""
	}
	fit, ok := r.Host.Fit(&s.Request, nova.Nova)
	if d := r.Difference(s.Right, fit, ok); d != "" {
		return "Fit: " + d
	}
	if r.Host.Fits(&s.Request, nova.Nova) != ok {
		return "Fits and Fit disagree"
	}
	fit, ok = r.Host.Search(&s.Request)
	own := s.Own
	if s.Fault() { // no claim was made that would tell what stays idle
		own, fit = withoutIdle(own), withoutIdle(fit)
	}
	if d := r.Difference(own, fit, ok); d != "" {
		return "Search: " + d
	}
	return ""
}

func withoutIdle(f *nova.Fit) *nova.Fit {
	if f == nil {
		return nil
	}
	copied := nova.Fit{Cells: slices.Clone(f.Cells), Devices: f.Devices}
	for i := range copied.Cells {
		copied.Cells[i].Idle = unit.CPUSet{}
	}
	return &copied
}
