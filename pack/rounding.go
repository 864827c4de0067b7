package pack

const (
	mostRounds  = 20   // rounded rows of a kind
	leastBreach = 1e-4 // share by which a solution must break a row for it to be added
)

// sharpen adds rows to the kind that its relaxation breaks, some times, while
// its value is above cutoff, and returns the value then. Only proofs have them, of
// which they make shorter ones: a search for columns divides boxes much faster without.
func (s *sack) sharpen(value, cutoff float64) float64 {
	for range 3 {
		if value <= cutoff || len(s.rounds[s.kind]) > mostRounds || !s.addRounds() {
			break
		}
		value = s.begin(s.kind, s.count, s.value)
	}
	return value
}

// addRounds adds the row that is broken most, for each dimension.
func (s *sack) addRounds() bool {
	any := false
	for _, d := range s.dims {
		if c, ok := s.separate(int(d)); ok {
			s.rounds[s.kind] = append(s.rounds[s.kind], c)
			any = true
		}
	}
	return any
}

// separate finds the divisor whose rounded row the relaxation's solution breaks
// most: parts of the items' needs, and what just exceeds a part of the capacity.
func (s *sack) separate(d int) (rounding, bool) {
	room := s.m.room(s.kind)[d]
	best, most := rounding{dim: int32(d)}, leastBreach
	try := func(g int64) {
		if g <= 1 || g > room {
			return
		}
		c := rounding{dim: int32(d), divisor: g}
		r := c.room(room)
		if r == 0 {
			return
		}
		sum := 0.0
		for j := range s.items {
			if x := s.relax.x[j]; x > 0 {
				sum += float64(float64(c.need(s.need[j*s.m.dims+d], room)) * x)
			}
		}
		if v := sum/float64(r) - 1; v > most {
			most, best.divisor = v, g
		}
	}
	for t := int64(2); t < 8; t++ {
		try(room/t + 1)
	}
	for j := range s.items {
		if a := s.need[j*s.m.dims+d]; a > 0 {
			for t := int64(1); t < 4; t++ {
				try((a + t - 1) / t)

			}
		}
	}
	s.work.spend(len(s.items) * len(s.items) * 4)
	return best, best.divisor > 0
}

// rounding is a dimension that follows from another because counts are whole
// (see Rounding).
type rounding struct {
	dim     int32
	divisor int64
}

// room is the rounded capacity.
func (c rounding) room(room int64) int64 { return room / c.divisor * (c.divisor - room%c.divisor) }

// need is a rounded need, where the capacity is room.
func (c rounding) need(need, room int64) int64 {
	r := room % c.divisor
	return need/c.divisor*(c.divisor-r) + max(need%c.divisor-r, 0)
}
