package load

import (
	"cmp"
	"slices"
)

// tally counts failures by reason. The zero value is empty.
type tally struct{ byReason map[string]*Failure }

func (t *tally) add(reason, example string) {
	t.merge(Failure{Reason: reason, Count: 1, Example: example})
}

func (t *tally) merge(of Failure) {
	if t.byReason == nil {
		t.byReason = map[string]*Failure{}
	}
	f := t.byReason[of.Reason]
	if f == nil {
		t.byReason[of.Reason] = &of
		return
	}
	f.Count += of.Count
	f.Example = min(f.Example, of.Example)
}

func (t *tally) list() []Failure {
	var out []Failure
	for _, f := range t.byReason {
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}
