package pack

// model is the part of a problem that the search works on: items that are
// wanted and fit somewhere, kinds of node that there are. Amounts stand in one
// slice, item by item.
type model struct {
	dims, items, kinds int
	need               []int64 // items x dims
	capacity           []int64 // kinds x dims
	cost, stock        []int64 // of kinds
	count              []int64 // of items
	fit                []int64 // kinds x items: the most of an item on a node, whatever the count
	foes               [][]int32
	itemOf, kindOf     []int // indices in the problem
	grain              int64 // greatest common divisor of all costs
	each               int64 // zones that share the nodes of each kind: so many more are bought, or none
}

// newModel takes the kinds that keep says, and items with a count, and says what fits nowhere.
func newModel(p *Problem, count []int64, keep func(k int) bool) (*model, []int64) {
	m := &model{dims: len(p.Resources), each: 1}
	for k, n := range p.Nodes {
		if keep(k) {
			m.kindOf = append(m.kindOf, k)
			m.capacity = append(m.capacity, n.Capacity...)
			m.cost, m.stock = append(m.cost, n.Cost), append(m.stock, n.Stock)
			m.grain = gcd(m.grain, n.Cost)
		}
	}
	m.kinds = len(m.kindOf)
	left := make([]int64, len(p.Items))
	place := make([]int32, len(p.Items))
	for i, it := range p.Items {
		place[i] = -1
		if count[i] == 0 {
			continue
		}
		if !m.fitsSomewhere(p, i) {
			left[i] = count[i]
			continue
		}
		place[i] = int32(len(m.itemOf))
		m.itemOf = append(m.itemOf, i)
		m.need = append(m.need, it.Need...)
		m.count = append(m.count, count[i])
	}
	m.items = len(m.itemOf)
	m.fit = make([]int64, m.kinds*m.items)
	for k := range m.kinds {
		for i := range m.items {
			m.fit[k*m.items+i] = min(mostOf(p, m.kindOf[k], m.itemOf[i]), m.count[i])
		}
	}
	m.foes = foes(p.Conflicts, place, m.items)
	return m, left
}

func (m *model) fitsSomewhere(p *Problem, i int) bool {
	for _, k := range m.kindOf {
		if mostOf(p, k, i) > 0 {
			return true
		}
	}
	return false
}

// mostOf is the most of item i that one node of kind k holds, up to the item's count.
func mostOf(p *Problem, k, i int) int64 {
	it := &p.Items[i]
	if it.On != nil && !it.On[k] {
		return 0
	}
	most := it.Count
	if it.MaxPerNode > 0 {
		most = min(most, it.MaxPerNode)
	}
	for d, n := range it.Need {
		if n > 0 {
			most = min(most, p.Nodes[k].Capacity[d]/n)
		}
	}
	return most
}

// foes lists for each item those that it excludes, each once, by their places.
func foes(pairs [][2]int, place []int32, items int) [][]int32 {
	out := make([][]int32, items)
	seen := map[[2]int32]bool{}
	for _, c := range pairs {
		a, b := place[c[0]], place[c[1]]
		if a < 0 || b < 0 || seen[[2]int32{a, b}] {
			continue
		}
		seen[[2]int32{a, b}], seen[[2]int32{b, a}] = true, true
		out[a], out[b] = append(out[a], b), append(out[b], a)
	}
	return out
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (m *model) needs(i int) []int64 { return m.need[i*m.dims:][:m.dims] }

func (m *model) room(k int) []int64 { return m.capacity[k*m.dims:][:m.dims] }

func (m *model) fits(k int) []int64 { return m.fit[k*m.items:][:m.items] }

// paid is the cost of a mix's nodes, of each kind as many as its zones can share.
func (m *model) paid(a *mix) int64 {
	if m.each == 1 {
		return a.cost
	}
	cost := int64(0)
	for k, n := range m.shared(a) {
		cost = sumOf(cost, n, m.cost[k])
	}
	return cost
}

// shared is the nodes of each kind that the zones share for a mix.
func (m *model) shared(a *mix) []int64 {
	nodes := make([]int64, m.kinds)
	for _, l := range a.loads {
		nodes[l.kind] += l.copies
	}
	for k, n := range nodes {
		nodes[k] = roundUp(n, m.each)
	}
	return nodes
}

// roundUp is n, or the next multiple of step.
func roundUp(n, step int64) int64 { return (n + step - 1) / step * step }

// limited says whether any kind has a stock.
func (m *model) limited() bool {
	for _, s := range m.stock {
		if s >= 0 {
			return true
		}
	}
	return false
}
