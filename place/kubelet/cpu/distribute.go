package cpu

import "math"

// aMinute is the work after which the kubelet counts as hanging, in steps of about
// 20 ns, as its search goes: for each choice of NUMA nodes it walks the map of all
// free CPUs several times for each node, and for each choice among those for the
// rest it copies a map of the nodes, which is some restSteps. 8 NUMA nodes that nest
// with the sockets are far from it (70 choices of 4), 20 and more are not.
const (
	aMinute   = 3_000_000_000
	restSteps = 40
)

// distributor spreads CPUs evenly over the fewest NUMA nodes on which that
// works. (takeByTopologyNUMADistributed)
type distributor struct {
	s     *shape
	group int // CPUs are given in groups of this size
	want  int
	nodes []uint16 // with free CPUs, in order
	free  []int    // by node
	spare []int    // by node: free CPUs after the even shares
	after []int    // by node: and after the rest has gone out
	rests []uint16 // nodes of a choice that can give a group of the rest

	squares squares
	choice  combination // of nodes
	subset  combination // of rests
	best    picked
	rest    picked
	// bestNodes and bestRest are what best and rest mean, as nodes.
	bestNodes, bestRest []uint16
	// steps of work so far, and how many are too many; walk is those of one walk.
	steps, patience, walk int
}

func newDistributor(s *shape) *distributor {
	n := len(s.nodes.parts)
	return &distributor{s: s, patience: aMinute, free: make([]int, n), spare: make([]int, n), after: make([]int, n)}
}

// plan finds the nodes that give an even share each and those that give the rest,
// a group in turn; false when no choice of nodes can, ErrHangs when the real code
// does not come back.
func (d *distributor) plan(t *taker, group int) (share int, found bool, err error) {
	d.group, d.want, d.steps, d.walk = group, t.need, 0, d.s.count(&t.left)
	d.nodes = d.nodes[:0]
	for _, key := range t.order(&t.s.nodes) {
		d.nodes = append(d.nodes, uint16(key&0xffff))
	}
	for i := range d.free {
		d.free[i] = d.s.common(&t.left, &d.s.nodes.parts[i].cpus)
	}
	d.squares.start(d.free, d.want)
	from, to := d.span()
	for k := from; k <= to && k <= len(d.nodes); k++ {
		found, err := d.choose(k)
		if found || err != nil {
			return d.want / k / group * group, found, err
		}
	}
	return 0, false, nil
}

// span is the least number of nodes that could hold the CPUs if all were free,
// and the most over which they can be spread. (rangeNUMANodesNeededToSatisfy)
func (d *distributor) span() (from, to int) {
	available := 0
	for _, n := range d.free {
		if n > 0 {
			available++
		}
	}
	groups := roundUp(d.s.all.Len(), d.group)
	perNode := roundUp(groups, len(d.s.nodes.parts))
	wanted := roundUp(d.want, d.group)
	return roundUp(wanted, perNode), min(wanted, available)
}

// roundUp is the quotient of positive numbers, rounded up.
func roundUp(n, by int) int { return (n-1)/by + 1 }

// choose looks for the k nodes that leave the machine the most balanced.
func (d *distributor) choose(k int) (bool, error) {
	best := math.MaxInt
	share := d.want / k / d.group * d.group
	d.best.reset(k)
	d.bestNodes, d.bestRest = d.bestNodes[:0], d.bestRest[:0]
	for from, more := d.choice.first(len(d.nodes), k); more; from, more = d.choice.next() {
		d.best.moved(&d.choice, from)
		if best == 0 {
			break
		}
		if d.steps += k * d.walk; d.steps > d.patience {
			return false, ErrHangs
		}
		if !d.canShare(share) {
			continue
		}
		d.steps += (2*k + len(d.nodes)) * d.walk
		balance, err := d.balance(share)
		if err != nil {
			return false, err
		}
		if balance < best {
			best = balance
			d.best.keep(&d.choice)
			d.bestRest = d.rest.of(d.bestRest[:0], d.rests)
		}
	}
	if best == math.MaxInt {
		return false, nil
	}
	d.bestNodes = d.best.of(d.bestNodes[:0], d.nodes)
	return true, nil
}

// canShare reports whether the chosen nodes hold what is wanted, in groups, and each
// its even share. A node that lies in two sockets may have been chosen twice.
func (d *distributor) canShare(share int) bool {
	cpus, groups, seen := 0, 0, uint64(0)
	for _, i := range d.choice.at() {
		n := d.nodes[i]
		if d.free[n] < share {
			return false
		}
		groups += d.free[n] / d.group
		if seen&(1<<n) == 0 {
			seen |= 1 << n
			cpus += d.free[n]
		}
	}
	return cpus >= d.want && groups*d.group >= d.want
}

// balance is the least imbalance that the chosen nodes can leave, in thousandths
// of a CPU; rest are the nodes that give what does not divide evenly. MaxInt when
// there are none that can.
func (d *distributor) balance(share int) (int, error) {
	copy(d.spare, d.free)
	for _, i := range d.choice.at() {
		d.spare[d.nodes[i]] -= share
	}
	d.rests = d.rests[:0]
	for _, i := range d.choice.at() {
		if n := d.nodes[i]; d.spare[n] >= d.group {
			d.rests = append(d.rests, n)
		}
	}
	rest := d.want - share*d.choice.k
	d.rest.reset(0)
	if rest == 0 {
		return d.squares.deviation(d.spare), nil
	}
	best := math.MaxInt
	for k := len(d.rests); k >= 1; k-- {
		if err := d.tryRests(k, rest, &best); err != nil {
			return 0, err
		}
	}
	return best, nil
}

// tryRests gives the rest to each k of the nodes that can give a group.
func (d *distributor) tryRests(k, rest int, best *int) error {
	newest := picked{}
	newest.reset(k)
	improved := false
	for from, more := d.subset.first(len(d.rests), k); more; from, more = d.subset.next() {
		newest.moved(&d.subset, from)
		if d.steps += restSteps; d.steps > d.patience {
			return ErrHangs
		}
		possible, err := d.handOut(rest)
		if err != nil {
			return err
		}
		if !possible {
			continue
		}
		if balance := d.squares.deviation(d.after); balance < *best {
			*best, improved = balance, true
			newest.keep(&d.subset)
		}
	}
	if improved {
		d.rest = newest
	}
	return nil
}

// handOut takes the rest from the nodes of the subset, a group from each in turn;
// false when they do not have as many CPUs. With CPUs that make no whole groups
// the real code goes round for ever.
func (d *distributor) handOut(rest int) (bool, error) {
	copy(d.after, d.spare)
	sum := 0
	for _, i := range d.subset.at() {
		sum += d.after[d.rests[i]]
	}
	if sum < rest {
		return false, nil
	}
	for rest > 0 {
		before := rest
		for _, i := range d.subset.at() {
			n := d.rests[i]
			if rest > 0 && d.after[n] >= d.group {
				d.after[n] -= d.group
				rest -= d.group
			}
		}
		if rest == before {
			return false, ErrHangs
		}
	}
	return true, nil
}

// squares computes standard deviations of free CPUs over the NUMA nodes that have
// any. Their sum after an allocation is the same for every choice, so the mean is,
// too.
type squares struct {
	in   []uint16 // nodes with free CPUs
	mean int      // thousandths
}

func (q *squares) start(free []int, want int) {
	q.in = q.in[:0]
	sum := -want
	for i, n := range free {
		if n > 0 {
			q.in = append(q.in, uint16(i))
			sum += n
		}
	}
	q.mean = int(math.Round(float64(sum) / float64(len(q.in)) * 1000))
}

// deviation is in thousandths, rounded, as upstream rounds it before it compares.
func (q *squares) deviation(free []int) int {
	sum := 0
	for _, i := range q.in {
		off := free[i]*1000 - q.mean
		sum += off * off
	}
	return int(math.Round(math.Sqrt(float64(sum) / float64(len(q.in)))))
}
