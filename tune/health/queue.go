package health

import "container/heap"

// queue holds what will happen, ordered by time, by rank, and by who came first.
type queue struct {
	items items
	count int
}

type item struct {
	at    int64
	rank  rank
	order int
	do    func()
}

type items []item

func (q items) Len() int { return len(q) }
func (q items) Less(i, j int) bool {
	a, b := &q[i], &q[j]
	switch {
	case a.at != b.at:
		return a.at < b.at
	case a.rank != b.rank:
		return a.rank < b.rank
	}
	return a.order < b.order
}
func (q items) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *items) Push(x any)   { *q = append(*q, x.(item)) }
func (q *items) Pop() any {
	last := (*q)[len(*q)-1]
	(*q)[len(*q)-1] = item{}
	*q = (*q)[:len(*q)-1]
	return last
}

func (q *queue) push(at int64, r rank, do func()) {
	q.count++
	heap.Push(&q.items, item{at, r, q.count, do})
}

// next is the time of what comes first.
func (q *queue) next() (int64, bool) {
	if len(q.items) == 0 {
		return 0, false
	}
	return q.items[0].at, true
}

// pop takes what happens at a time or was to happen before.
func (q *queue) pop(now int64) (func(), bool) {
	if len(q.items) == 0 || q.items[0].at > now {
		return nil, false
	}
	return heap.Pop(&q.items).(item).do, true
}
