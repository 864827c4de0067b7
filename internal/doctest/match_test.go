package doctest

import (
	"cmp"
	"slices"
	"strings"
)

// skip is the line of a page that stands for any lines of the output.
const skip = "..."

// match compares what a page shows with what was printed. It returns the index
// of the first shown line that is not true, or -1. A shown output that stops
// too early is wrong behind its last line: the index is len(shown).
func match(shown, printed []string) int {
	at, anywhere := 0, false
	for i := 0; i < len(shown); {
		if strings.TrimSpace(shown[i]) == skip {
			anywhere = true
			i++
			continue
		}
		end := i
		for end < len(shown) && strings.TrimSpace(shown[end]) != skip {
			end++
		}
		place, right := find(shown[i:end], printed, at, anywhere, end == len(shown))
		if place < 0 {
			return i + right
		}
		at, anywhere, i = place+end-i, false, end
	}
	if !anywhere && at < len(printed) {
		return len(shown)
	}
	return -1
}

// find looks for a run of lines in printed, from index at on; anywhere says that
// lines may be skipped before it, last that it must be the output's end. It
// returns the run's index, or -1 and how many of its lines could be found.
func find(run, printed []string, at int, anywhere, last bool) (place, right int) {
	for start := at; start <= len(printed); start++ {
		n := 0
		for n < len(run) && start+n < len(printed) && same(run[n], printed[start+n]) {
			n++
		}
		if n == len(run) && (!last || start+n == len(printed)) {
			return start, n
		}
		right = max(right, n)
		if !anywhere {
			break
		}
	}
	return -1, right
}

// same compares a shown line with a printed one. How many blanks are between two
// words is left to the golden files; " ..." ends a shown line that goes on.
func same(shown, printed string) bool {
	shown, printed = strings.Join(strings.Fields(shown), " "), strings.Join(strings.Fields(printed), " ")
	if beginning, cut := strings.CutSuffix(shown, " "+skip); cut {
		return strings.HasPrefix(printed, beginning)
	}
	return shown == printed
}

// nearest are the printed lines that look most like the shown one, to say what
// became of it.
func nearest(shown string, printed []string) []string {
	const most = 3
	alike := func(line string) int {
		a, b := strings.TrimSpace(shown), strings.TrimSpace(line)
		n := 0
		for n < len(a) && n < len(b) && a[n] == b[n] {
			n++
		}
		return n
	}
	lines := slices.Clone(printed)
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(alike(b), alike(a)) })
	return lines[:min(most, len(lines))]
}
