package pack

import "math/bits"

// sortByKey puts items with large keys first, equal ones by number. It is a
// quicksort over few distinct calls, because the search spends much of its time here.
func sortByKey(items []int32, key []float64) {
	for len(items) > 12 {
		at := partition(items, key)
		if at < len(items)-at {
			sortByKey(items[:at], key)
			items = items[at:]
		} else {
			sortByKey(items[at:], key)
			items = items[:at]
		}
	}
	for i := 1; i < len(items); i++ {
		x := items[i]
		k := key[x]
		j := i
		for ; j > 0 && (key[items[j-1]] < k || key[items[j-1]] == k && items[j-1] > x); j-- {
			items[j] = items[j-1]
		}
		items[j] = x
	}
}

// partition divides items so that none before the place that it returns belongs
// after one behind it.
func partition(items []int32, key []float64) int {
	before := func(a, b int32) bool { return key[a] > key[b] || key[a] == key[b] && a < b }
	first, middle, last := items[0], items[len(items)/2], items[len(items)-1]
	if before(middle, first) {
		first, middle = middle, first
	}
	if before(last, middle) {
		middle = last
		if before(middle, first) {
			middle = first
		}
	}
	i, j := -1, len(items)
	for {
		for i++; before(items[i], middle); i++ {
		}
		for j--; before(middle, items[j]); j-- {
		}
		if i >= j {
			return j + 1
		}
		items[i], items[j] = items[j], items[i]
	}
}

// sorting is the work of sorting n items.
func sorting(n int) int { return 5 * n * bits.Len(uint(n)) }
