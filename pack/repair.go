package pack

import "slices"

// repair takes the nodes out of the best mix that are worth least for their cost,
// give or take chance, and packs what was on them anew. Where there are many items
// it betters a mix long before enough columns are known for that.
func (s *search) repair() {
	if s.best == nil || s.best.over > 0 {
		return
	}
	price := make([]float64, s.m.items)
	for turn := 0; !s.work.over() && !s.enough(); turn++ {
		for i, p := range s.price {
			price[i] = p * (0.7 + float64(0.6*s.noise.unit()))
		}
		count, stock, kept := slices.Clone(s.m.count), slices.Clone(s.m.stock), &mix{}
		for _, l := range s.worthy() {
			kept.take(s.m, l, count, stock)
		}
		pack := s.complete.complete
		if turn%2 == 0 {
			pack = s.complete.evenly
		}
		rest := pack(count, stock, price, s.best.cost-kept.cost)
		if rest != nil {
			s.offer(kept.plus(rest))
		}
	}
}

// worthy are those of the best mix's loads that are worth most for their cost, three
// in four or more.
func (s *search) worthy() []load {
	key, order := make([]float64, len(s.best.loads)), make([]int32, len(s.best.loads))
	for j, l := range s.best.loads {
		for x, i := range l.items {
			key[j] += float64(s.price[i] * float64(l.counts[x]))
		}
		key[j] *= (1 + float64(0.3*s.noise.unit())) / float64(s.m.cost[l.kind])
		order[j] = int32(j)
	}
	sortByKey(order, key)
	out := make([]load, 0, len(order))
	few := max(2, int(0.25*s.noise.unit()*float64(len(order))))
	for _, j := range order[:max(len(order)-few, 0)] {
		out = append(out, s.best.loads[j])
	}
	return out
}
