package pack

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// fillings calls f for every filling of a node of kind k.
func fillings(p *Problem, k int, f func(counts []int64)) {
	counts := make([]int64, len(p.Items))
	var next func(i int)
	next = func(i int) {
		if i == len(counts) {
			f(counts)
			return
		}
		for n := int64(0); n <= p.Items[i].Count; n++ {
			counts[i] = n
			var on []Stack
			for j, c := range counts {
				if c > 0 {
					on = append(on, Stack{j, c})
				}
			}
			if p.misfit(k, on) != "" {
				break
			}
			next(i + 1)
		}
		counts[i] = 0
	}
	next(0)
}

func TestSackAgainstAllFillings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := unlimited(drawProblem(t))
		count := make([]int64, len(p.Items))
		for i := range p.Items {
			p.Items[i].Count = rapid.Int64Range(0, 4).Draw(t, "copies")
			count[i] = p.Items[i].Count
		}
		m, _ := newModel(&p, count, func(int) bool { return true })
		price := make([]float64, m.items)
		for i := range price {
			price[i] = float64(rapid.IntRange(0, 30).Draw(t, "price"))
		}
		s := newSack(m, newMeter(Options{}))
		for k := range m.kinds {
			best := 0.0
			fillings(&p, m.kindOf[k], func(counts []int64) {
				sum := 0.0
				for j, i := range m.itemOf {
					sum += price[j] * float64(counts[i])
				}
				best = max(best, sum)
			})
			checkSack(t, s, m, k, price, best)
		}
	})
}

func checkSack(t *rapid.T, s *sack, m *model, k int, price []float64, best float64) {
	value := s.begin(k, m.count, price)
	if value < best-1e-6 {
		t.Fatalf("kind %d: relaxation %v, best %v", k, value, best)
	}
	if sharp := s.sharpen(value, 0); sharp < best-1e-6 || sharp > value+1e-6 {
		t.Fatalf("kind %d: sharpened relaxation %v of %v, best %v", k, sharp, value, best)
	}
	if upper := s.search(0, 1<<20, 1<<20, true); math.Abs(upper-best) > 1e-6 || math.Abs(s.best-best) > 1e-6 {
		t.Fatalf("kind %d: search finds %v and proves %v, best %v", k, s.best, upper, best)
	}
	s.begin(k, m.count, price)
	if upper := s.search(0, 4, 4, true); upper < best-1e-6 {
		t.Fatalf("kind %d: ended search proves %v, best %v", k, upper, best)
	}
	cutoff := best - 0.5
	s.begin(k, m.count, price)
	s.focus(cutoff)
	if done := s.enumerate(0, 1<<20); !done || math.Abs(s.best-best) > 1e-6 {
		t.Fatalf("kind %d: enumeration (done %v) of what is left above %v finds %v, best %v", k, done, cutoff, s.best, best)
	}
}

func TestRelaxAgainstTextbook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, items := rapid.IntRange(1, 4).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "items")
		l := relax{work: newMeter(Options{})}
		l.size(rows, items)
		for i := range l.need {
			l.need[i] = float64(rapid.IntRange(0, 8).Draw(t, "need")) / 8
		}
		for j := range items {
			l.price[j] = float64(rapid.IntRange(0, 9).Draw(t, "price"))
		}
		l.start()
		for range 3 {
			for j := range items {
				l.low[j] = float64(rapid.IntRange(0, 1).Draw(t, "low"))
				l.high[j] = l.low[j] + float64(rapid.IntRange(0, 3).Draw(t, "more"))
			}
			checkRelax(t, &l)
		}
	})
}

// checkRelax compares with the textbook, where items start at their lower bounds.
func checkRelax(t *rapid.T, l *relax) {
	var a [][]float64
	var b []float64
	base, possible := 0.0, true
	for r := range l.rows {
		row := l.need[r*l.items:][:l.items]
		rest := 1.0
		for j, n := range row {
			rest -= n * l.low[j]
		}
		a, b = append(a, row), append(b, rest)
		possible = possible && rest >= -1e-9
	}
	for j := range l.items {
		bound := make([]float64, l.items)
		bound[j] = 1
		a, b = append(a, bound), append(b, l.high[j]-l.low[j])
		base += l.price[j] * l.low[j]
	}
	value, empty := l.solve()
	if empty == possible {
		t.Fatalf("empty %v, where a solution is possible: %v", empty, possible)
	}
	proven := 0.0
	for _, w := range l.weights {
		proven += w
	}
	for j := range l.items {
		over := l.price[j]
		for r, w := range l.weights {
			over -= w * l.need[r*l.items+j]
		}
		proven += max(over*l.low[j], over*l.high[j])
	}
	if proven > value+1e-6*(1+math.Abs(value)) {
		t.Fatalf("weights prove %v, not %v", proven, value)
	}
	if want := base; possible {
		if want += textbook(a, b, l.price); math.Abs(value-want) > 1e-6 {
			t.Fatalf("value %v, want %v", value, want)
		}
	}
}

// A rounded row holds for every whole filling that the row holds for.
func TestRoundingHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		room := rapid.Int64Range(0, 60).Draw(t, "room")
		c := rounding{divisor: rapid.Int64Range(1, 70).Draw(t, "divisor")}
		rest, used := room, int64(0)
		for range 8 {
			need := rapid.Int64Range(0, 30).Draw(t, "need")
			for n := rapid.Int64Range(0, 3).Draw(t, "n"); n > 0 && need <= rest; n-- {
				rest -= need
				used += c.need(need, room)
			}
		}
		if used > c.room(room) {
			t.Fatalf("%d of %d", used, c.room(room))
		}
	})
	if c := (rounding{divisor: 1000}); c.room(15500) != 7500 || c.need(1000, 15500) != 500 || c.need(500, 15500) != 0 {
		t.Error("the example of Rounding is wrong")
	}
}
