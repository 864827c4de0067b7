package limit

import (
	"cmp"
	"slices"

	"plimsoll.dev/derive"
)

// Kind says what a limit means when it is passed.
type Kind string

// The kinds of limit, from the one that can't be passed to the softest.
const (
	Hard        Kind = "hard"        // the system refuses or breaks
	Supported   Kind = "supported"   // beyond it the vendor gives no support
	Tested      Kind = "tested"      // beyond it nobody has published a test
	Recommended Kind = "recommended" // beyond it experience advises against
	Measured    Kind = "measured"    // what a measurement reached
	Assumed     Kind = "assumed"     // nobody states it; Plimsoll's own choice
)

// Kinds lists all kinds, hardest first.
func Kinds() []Kind { return []Kind{Hard, Supported, Tested, Recommended, Measured, Assumed} }

// Verdict says how a quantity stands to its limit.
type Verdict string

// The verdicts. Near begins at NearShare.
const (
	Within Verdict = "within"
	Near   Verdict = "near"
	Passed Verdict = "exceeded"
)

// NearShare is the share of a limit from which a gauge is called near.
const NearShare = 0.8

// Gauge is one limit and how much of it is used.
type Gauge struct {
	// ID is the quantity's name, with the scope in brackets when there are several:
	// "nodes", "podsPerNode[m5.xlarge]".
	ID string `json:"id"`
	// Title is the quantity in words: "Pods per node".
	Title string `json:"title"`
	// Scope is what the limit applies to: "cluster", "node m5.xlarge".
	Scope string `json:"scope"`
	// Value is the planned quantity; its From names the figure.
	Value derive.Value `json:"value"`
	// Limit is the limit; its From names the fact or the figure.
	Limit derive.Value `json:"limit"`
	// Kind is the kind of limit.
	Kind Kind `json:"kind"`
	// Share is Value / Limit; a limit of 0 gives 0 when nothing is planned, else 1e9.
	Share float64 `json:"share"`
	// Verdict is exceeded when Value > Limit (a quantity may reach its limit).
	Verdict Verdict `json:"verdict"`
	// Local says that the quantity does not grow with the workload: it belongs to
	// one node, or to a setting.
	Local bool `json:"local,omitempty"`
	// Doubts are other limits that are published for the same quantity.
	Doubts []Doubt `json:"doubts,omitempty"`
	// Notes are the conditions and footnotes of the limit.
	Notes []string `json:"notes,omitempty"`
}

// Doubt is a second published limit that contradicts the one used.
type Doubt struct {
	Limit derive.Value `json:"limit"`
	Share float64      `json:"share"`
	// Verdict is what would be said with this limit.
	Verdict Verdict `json:"verdict"`
}

// Measure makes the gauge of value against limit.
func Measure(id, title, scope string, value, most derive.Value, kind Kind) Gauge {
	g := Gauge{ID: id, Title: title, Scope: scope, Value: value, Limit: most, Kind: kind}
	g.Share, g.Verdict = judge(value.Number, most.Number)
	return g
}

// AsLocal marks the gauge as one that does not grow with the workload.
func (g Gauge) AsLocal() Gauge {
	g.Local = true
	return g
}

// Doubt adds a second published limit.
func (g Gauge) Doubt(other derive.Value) Gauge {
	share, verdict := judge(g.Value.Number, other.Number)
	g.Doubts = append(slices.Clone(g.Doubts), Doubt{Limit: other, Share: share, Verdict: verdict})
	return g
}

func judge(value, most float64) (float64, Verdict) {
	share := 0.0
	switch {
	case most > 0:
		share = value / most
	case value > 0:
		share = 1e9
	}
	switch {
	case value > most:
		return share, Passed
	case share >= NearShare:
		return share, Near
	}
	return share, Within
}

// Sort orders gauges: those that are passed, then those that grow with the
// workload, then the local ones; each by nearness, the largest share first, the
// harder kind first among equals, then by id.
func Sort(gauges []Gauge) {
	kind := func(k Kind) int { return slices.Index(Kinds(), k) }
	slices.SortStableFunc(gauges, func(a, b Gauge) int {
		return cmp.Or(cmp.Compare(a.group(), b.group()), cmp.Compare(b.Share, a.Share),
			cmp.Compare(kind(a.Kind), kind(b.Kind)), cmp.Compare(a.ID, b.ID))
	})
}

// group is the part of the order that a gauge stands in.
func (g Gauge) group() int {
	switch {
	case g.Verdict == Passed:
		return 0
	case !g.Local:
		return 1
	}
	return 2
}
