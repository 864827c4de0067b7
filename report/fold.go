package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/internal/words"
)

// merged tells things with the same key as one: join adds a further one to the first.
// The key may take out what does not count; things without one stay by themselves.
func merged[T any](list []T, key func(x *T) (k string, ok bool), join func(to *T, x T)) []T {
	var out []T
	at := map[string]int{}
	for _, x := range list {
		k, ok := key(&x)
		if i, known := at[k]; known && ok {
			join(&out[i], x)
			continue
		}
		if ok {
			at[k] = len(out)
		}
		out = append(out, x)
	}
	return out
}

// once is a list with one of each key, in its order.
func once[T any](list []T, key func(T) string) []T {
	return merged(list, func(x *T) (string, bool) { return key(*x), true }, func(*T, T) {})
}

// itself is the key of texts.
func itself(s string) string { return s }

// foldedBy tells things with the same key as one, where there are too many to
// show; count is how many a thing is.
func foldedBy[T any](list []T, key func(*T) string, count func(*T) *int) []T {
	if len(list) <= nodeRows {
		return list
	}
	return merged(list, func(x *T) (string, bool) { return key(x), true },
		func(to *T, x T) { *count(to) += *count(&x) })
}

// commonestBy parts the rows that are shown from the rest: in their order when all
// are, else the most numerous first, and of these the fullest.
func commonestBy[T any](list []T, count func(T) int, full func(T) float64) (shown, rest []T) {
	if len(list) <= nodeRows {
		return list, nil
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b T) int {
		return cmp.Or(cmp.Compare(count(b), count(a)), cmp.Compare(full(b), full(a)))
	})
	return sorted[:nodeRows], sorted[nodeRows:]
}

// commonestTitle stands above so many rows of so many kinds.
func commonestTitle(shown, kinds int, w terms) string {
	if shown == kinds {
		return title(w.Place) + "s"
	}
	return fmt.Sprintf("%ss: the %d commonest of %s kinds", title(w.Place), shown, words.Number(kinds))
}

// restText sums up what has no row.
func restText[T any](rest []T, w terms, of func(T) (count int, full bool)) string {
	places, full := 0, 0
	for _, x := range rest {
		n, isFull := of(x)
		places += n
		if isFull {
			full += n
		}
	}
	s := fmt.Sprintf("and %s of %s more", words.Count(places, w.Place), words.Count(len(rest), "kind"))
	if full > 0 {
		s += fmt.Sprintf(", on %s of which no %s fits any more", words.Number(full), w.Unit)
	}
	return s + ": -o wide lists them"
}

// shownOf are the types of a table in the default output: all when they are few,
// else those in trouble, the worst first, and those that weigh most.
func shownOf[T any](all []T, wide bool, worse func(a, b T) int, bad func(T) bool) []T {
	if wide || len(all) <= allTypes {
		return all
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, worse)
	n := 0
	for n < len(sorted) && bad(sorted[n]) {
		n++
	}
	return sorted[:max(leastRows, min(n, troubleRows))]
}

// each makes something of each of a list.
func each[T, U any](list []T, of func(T) U) []U {
	var out []U
	for _, x := range list {
		out = append(out, of(x))
	}
	return out
}

// joined is what of says of each, with something between.
func joined[T any](list []T, between string, of func(T) string) string {
	return strings.Join(each(list, of), between)
}

// sumOf adds up what of says of each.
func sumOf[T any](list []T, of func(T) int) int {
	sum := 0
	for _, x := range list {
		sum += of(x)
	}
	return sum
}

// countsText is "web x3, db x1" of types with numbers; of more than most only the
// first are named, 0 names all.
func countsText[T any](list []T, noun string, most int, of func(T) (name string, count int)) string {
	var out []string
	for i, x := range list {
		if i == most && most > 0 {
			rest := sumOf(list[i:], func(y T) int {
				_, n := of(y)
				return n
			})
			out = append(out, words.Count(rest, noun)+" more")
			break
		}
		name, n := of(x)
		out = append(out, name+" x"+words.Number(n))
	}
	return strings.Join(out, ", ")
}
