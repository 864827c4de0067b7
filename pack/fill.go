package pack

// filler fills one node after the other in integers.
type filler struct {
	m       *model
	kind    int
	rest    []int64 // capacity that is free
	blocked []int32 // items on the node that exclude this one
	has     []int64 // count on the node, by item
	on      []int32 // items on the node
	key     []float64
	order   []int32
	work    *meter
}

func newFiller(m *model, work *meter) *filler {
	return &filler{m: m, rest: make([]int64, m.dims), blocked: make([]int32, m.items), has: make([]int64, m.items),
		work: work}
}

// begin empties the node, which is of kind k now.
func (f *filler) begin(k int) {
	for _, i := range f.on {
		f.has[i] = 0
		for _, c := range f.m.foes[i] {
			f.blocked[c] = 0
		}
	}
	f.on = f.on[:0]
	f.kind = k
	copy(f.rest, f.m.room(k))
}

// add puts as many of item i on the node as fit, up to limit, and says how many.
func (f *filler) add(i int32, limit int64) int64 {
	n := min(f.m.fit[f.kind*f.m.items+int(i)]-f.has[i], limit)
	if n <= 0 || f.blocked[i] > 0 {
		return 0
	}
	need := f.m.needs(int(i))
	rest := f.rest[:len(need)]
	for d, a := range need {
		if a > rest[d] {
			return 0
		}
	}
	for d, a := range need {
		if a > 0 && n*a > rest[d] {
			n = rest[d] / a
		}
	}
	for d, a := range need {
		rest[d] -= n * a
	}
	if f.has[i] == 0 {
		f.on = append(f.on, i)
		for _, c := range f.m.foes[i] {
			f.blocked[c]++
		}
	}
	f.has[i] += n
	return n
}

// addAll adds items in order, up to the limits by item.
func (f *filler) addAll(order []int32, limit []int64) {
	for _, i := range order {
		if l := limit[i] - f.has[i]; l > 0 {
			f.add(i, l)
		}
	}
	f.work.spend(len(order) * (f.m.dims + 2))
}

// worth is what the items on the node are worth at prices.
func (f *filler) worth(price []float64) float64 {
	sum := 0.0
	for _, i := range f.on {
		sum += float64(price[i] * float64(f.has[i]))
	}
	return sum
}
