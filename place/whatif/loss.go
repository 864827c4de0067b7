package whatif

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// MostCases bounds how many cases of one sort of failure are tried.
const MostCases = 2000

// Case is a set of nodes that fail together, and the number of real cases that it
// stands for.
type Case struct {
	Nodes []int
	Of    int64
}

// Groups parts the numbers below n by their keys, in the order in which these come up.
func Groups(n int, key func(i int) string) [][]int {
	var groups [][]int
	at := map[string]int{}
	for i := range n {
		k := key(i)
		g, known := at[k]
		if !known {
			g = len(groups)
			at[k] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// Sample is one case for each way to take k nodes from groups of equal ones. all is
// their number; where it exceeds MostCases, the groups are sorted by worstFirst and
// half of the cases are the first ones.
func Sample(groups [][]int, k int, worstFirst func([][]int) [][]int) (cases []Case, all int64) {
	ways := New(groups, k)
	if all = ways.Count(); all > MostCases {
		ways = New(worstFirst(groups), k)
	}
	for _, way := range ways.Cases(MostCases) {
		cases = append(cases, Case{way, ways.Of(way)})
	}
	return cases, all
}

// Watch is told of the progress of what-ifs, and may end them; both may be nil.
type Watch struct {
	// Trying is told how many cases are tried, of how many.
	Trying func(done, total int)
	// Stop ends the what-ifs when it says so.
	Stop func() bool
}

// Next tells that a case begins, and reports whether it is to be tried.
func (w Watch) Next(done, total int) bool {
	if w.Trying != nil {
		w.Trying(done, total)
	}
	return w.Stop == nil || !w.Stop()
}

// Try counts the cases after which everything runs again. lose returns how many pods
// or VMs find no place after the loss of nodes. Try returns the nodes of the worst
// case, nil where every case is survived.
func Try[C any](loss *v1alpha1.LossOf[C], cases []Case, w Watch, lose func(nodes []int) int) (worst []int) {
	most := 0
	for i, c := range cases {
		if !w.Next(i, len(cases)) {
			loss.How += ", stopped after " + words.Number(loss.Tried)
			loss.Of = max(loss.Of, int64(len(cases)))
			break
		}
		loss.Tried++
		n := lose(c.Nodes)
		if n == 0 {
			loss.Survived = Plus(loss.Survived, c.Of)
		}
		if n > most {
			most, worst = n, c.Nodes
		}
	}
	return worst
}

// Names are the names of nodes, of many the first ones and how many more there are.
func Names(nodes []int, name func(node int) string) []string {
	const most = 4
	var names []string
	for _, n := range nodes[:min(most, len(nodes))] {
		names = append(names, name(n))
	}
	if n := len(nodes) - most; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return names
}

// Broken is how bad it is that an event is not survived, which the policy states or
// does not.
func Broken(stated bool) v1alpha1.Severity {
	if stated {
		return v1alpha1.Error
	}
	return v1alpha1.Warning
}

// Judge fails a placement in which all runs, but not what is asked: an error beside it, such as
// that what the policy states is not survived.
func Judge(p *v1alpha1.PlacementHead) {
	at := slices.IndexFunc(p.Findings, func(f v1alpha1.Finding) bool { return f.Severity == v1alpha1.Error })
	if at < 0 || !p.Verdict.Fits {
		return
	}
	p.Verdict.Fits, p.Verdict.Problem = false, p.Findings[at].Message
	for _, id := range []string{"place.loss", "place.drain", "place.failures"} {
		if strings.HasPrefix(p.Findings[at].ID, id) {
			p.Verdict.Problem += ", which the policy asks for"
		}
	}
}
