package pack

import "math"

// simplex solves min cost*x with A x >= rhs (or <= for rows that say so), x >= 0,
// by the revised simplex method with a dense inverse of the basis. Columns may be
// added between solutions, which start from the last basis.
//
// It computes with floating point numbers and only guides the search: no bound
// and no packing is taken from it without a check in integers.
//
// A basis of logical columns must be feasible at the start: each row gets either
// its own slack (rows of <=) or a column of the caller's (see seed).
type simplex struct {
	rows int
	rhs  []float64
	most []bool // row is <=, with a slack instead of a surplus
	cols columns
	work *meter

	head  []int32   // column that is basic in a row; ^r is the logical column of row r
	basic []bool    // of columns
	inv   []float64 // inverse of the basis, column by column
	x     []float64 // values of the basic columns
	y     []float64 // prices of the rows
	alpha []float64
	rho   []float64 // row of the inverse
	some  []int32   // rows where alpha is not 0
	near  []int32   // candidates to enter
	pivot int       // pivots since the inverse was made
	turns int       // pivots in all
}

const (
	refactorAfter = 150
	enterBelow    = -1e-9
	pivotLeast    = 1e-9
	candidates    = 24
)

func newSimplex(rows int, work *meter) *simplex {
	s := &simplex{
		rows: rows, work: work, rhs: make([]float64, rows), most: make([]bool, rows), head: make([]int32, rows),
		inv: make([]float64, rows*rows), x: make([]float64, rows), y: make([]float64, rows), alpha: make([]float64, rows),
		rho: make([]float64, rows), some: make([]int32, rows),
	}
	s.cols.reset()
	for r := range s.head {
		s.head[r] = ^int32(r)
	}
	return s
}

// seed makes column j basic in row r, where it has its only entry, or in rows
// that other seeds do not touch.
func (s *simplex) seed(r int, j int32) { s.head[r] = j }

// solve goes to the optimum of the columns that there are, and says whether it
// got there.
func (s *simplex) solve() bool {
	s.extend()
	if s.turns == 0 || s.pivot >= refactorAfter {
		s.refactor()
	}
	for turn := 0; turn < 50*(s.rows+20); turn++ {
		q, d := s.entering()
		if d >= enterBelow {
			return true
		}
		if s.work.over() || !s.enter(q, d) {
			return false
		}
		if s.pivot >= refactorAfter {
			s.refactor()
		}
	}
	return false
}

// extend takes note of columns that were added.
func (s *simplex) extend() {
	for len(s.basic) < s.cols.len() {
		s.basic = append(s.basic, false)
	}
}

// reduced cost of column q.
func (s *simplex) reduced(q int32) float64 {
	if q < 0 {
		if s.most[^q] {
			return -s.y[^q]
		}
		return s.y[^q]
	}
	return s.cols.reduced(q, s.y)
}

// entering chooses the column that is to become basic: the best of a short list,
// which is made anew when nothing on it helps any more.
func (s *simplex) entering() (int32, float64) {
	if q, d := s.nearest(); d < enterBelow {
		return q, d
	}
	s.scan()
	return s.nearest()
}

func (s *simplex) nearest() (int32, float64) {
	best, least := int32(0), 0.0
	work := 0
	kept := s.near[:0]
	for _, q := range s.near {
		if q >= 0 && s.basic[q] {
			continue
		}
		d := s.reduced(q)
		work += 40
		if d >= enterBelow {
			continue
		}
		kept = append(kept, q)
		if d < least {
			best, least = q, d
		}
	}
	s.near = kept
	s.work.spend(work)
	return best, least
}

// scan lists columns that help, the most helpful of each stretch of columns.
func (s *simplex) scan() {
	s.near = s.near[:0]
	for r := range s.rows {
		if s.reduced(^int32(r)) < enterBelow {
			s.near = append(s.near, ^int32(r))
		}
	}
	n := s.cols.len()
	s.work.spend(2*len(s.cols.row) + 3*n + s.rows)
	stretch := n/candidates + 1
	for from := 0; from < n; from += stretch {
		best, least := int32(-1), enterBelow
		for q := from; q < min(from+stretch, n); q++ {
			if s.basic[q] {
				continue
			}
			if d := s.cols.reduced(int32(q), s.y); d < least {
				best, least = int32(q), d
			}
		}
		if best >= 0 {
			s.near = append(s.near, best)
		}
	}
}

// enter makes column q basic, whose reduced cost is d; false when the problem is
// unbounded or the numbers are spoilt.
func (s *simplex) enter(q int32, d float64) bool {
	s.ftran(q)
	r := s.leaving()
	if r < 0 {
		return false
	}
	step := max(s.x[r], 0) / s.alpha[r]
	for _, i := range s.some {
		s.x[i] -= float64(step * s.alpha[i])
		if s.x[i] < 0 && s.x[i] > -1e-11 {
			s.x[i] = 0
		}
	}
	s.x[r] = step
	s.become(r, q, d)
	return true
}

// become makes column q, whose reduced cost is d, the basic one of row r.
func (s *simplex) become(r int, q int32, d float64) {
	s.update(r, d)
	if h := s.head[r]; h >= 0 {
		s.basic[h] = false
	}
	s.head[r] = q
	if q >= 0 {
		s.basic[q] = true
	}
	s.pivot++
	s.turns++
}

// ftran computes alpha, the column q in terms of the basis.
func (s *simplex) ftran(q int32) {
	clear(s.alpha)
	if q < 0 {
		sign := -1.0
		if s.most[^q] {
			sign = 1
		}
		s.addColumn(int(^q), sign)
	} else {
		rows, vals := s.cols.column(q)
		for k, r := range rows {
			s.addColumn(int(r), vals[k])
		}
		s.work.spend(s.rows * len(rows))
	}
	s.gather()
}

// gather lists the rows where alpha is not 0. It counts rather than branches, which
// the processor would often guess wrong.
func (s *simplex) gather() {
	some, n := s.some[:s.rows], 0
	for i, a := range s.alpha {
		some[n] = int32(i)
		if a != 0 {
			n++
		}
	}
	s.some = some[:n]
}

func (s *simplex) addColumn(r int, v float64) {
	col := s.inv[r*s.rows:][:len(s.alpha)]
	for i, b := range col {
		s.alpha[i] += float64(v * b)
	}
}

// leaving finds the row whose basic column reaches 0 first; among nearly equal
// ones the largest pivot.
func (s *simplex) leaving() int {
	limit := math.Inf(1)
	for _, i := range s.some {
		if a := s.alpha[i]; a > pivotLeast {
			limit = min(limit, (max(s.x[i], 0)+1e-10)/a)
		}
	}
	row, largest := -1, pivotLeast
	for _, i := range s.some {
		if a := s.alpha[i]; a > largest && max(s.x[i], 0)/a <= limit {
			row, largest = int(i), a
		}
	}
	return row
}

// update changes the inverse and the prices for a pivot in row r.
func (s *simplex) update(r int, d float64) {
	m := s.rows
	recip := 1 / s.alpha[r]
	alpha, touched := s.alpha, 0
	for c := range m {
		col := s.inv[c*m:][:len(alpha)]
		t := col[r]
		if t == 0 {
			continue
		}
		touched++
		t *= recip
		s.y[c] += float64(d * t)
		if len(s.some) > m/2 {
			subtract(col, alpha, t)
		} else {
			for _, i := range s.some {
				col[i] -= float64(t * alpha[i])
			}
		}
		col[r] = t
	}
	if m > someItems { // mostly nothing, there, and what is next to one another is quick
		s.work.spend(m + touched*min(len(s.some), m/2))
	} else {
		s.work.spend(m * m)
	}
}

// refactor makes the inverse, the values and the prices anew from the basis.
func (s *simplex) refactor() {
	m := s.rows
	clear(s.inv)
	clear(s.basic)
	for i := range m {
		s.inv[i*m+i] = 1
	}
	// Column by column of the basis, with the largest pivot among the free rows.
	free := make([]bool, m)
	for i := range free {
		free[i] = true
	}
	old := append([]int32(nil), s.head...)
	s.sortBySize(old)
	for _, q := range old {
		s.ftran(q)
		r, largest := -1, pivotLeast
		for i, a := range s.alpha {
			if free[i] && math.Abs(a) > largest {
				r, largest = i, math.Abs(a)
			}
		}
		if r < 0 {
			continue // dependent: its row keeps a logical column, below
		}
		free[r] = false
		s.head[r] = q
		s.update(r, 0)
	}
	for r, f := range free {
		if f {
			s.repair(r)
		}
	}
	for _, h := range s.head {
		if h >= 0 {
			s.basic[h] = true
		}
	}
	s.pivot = 0
	s.restore()
}

// repair makes the logical column of a row basic that no column could be found for.
func (s *simplex) repair(r int) {
	s.head[r] = ^int32(r)
	s.ftran(s.head[r])
	if math.Abs(s.alpha[r]) > pivotLeast {
		s.update(r, 0)
	}
}

// sortBySize puts columns with few entries first, which keeps the work small.
func (s *simplex) sortBySize(head []int32) {
	size := func(q int32) int32 {
		if q < 0 {
			return 0
		}
		return s.cols.start[q+1] - s.cols.start[q]
	}
	for i := 1; i < len(head); i++ {
		for j := i; j > 0 && size(head[j]) < size(head[j-1]); j-- {
			head[j], head[j-1] = head[j-1], head[j]
		}
	}
}

// restore computes the values and prices from the inverse.
func (s *simplex) restore() {
	m := s.rows
	clear(s.x)
	for c := range m {
		col := s.inv[c*m:][:m]
		price := 0.0
		for i, b := range col {
			s.x[i] += float64(b * s.rhs[c])
			if h := s.head[i]; h >= 0 {
				price += float64(b * s.cols.cost[h])
			}
		}
		s.y[c] = price
	}
	for i, v := range s.x {
		if v < 0 && v > -1e-7 {
			s.x[i] = 0
		}
	}
	s.work.spend(2 * m * m)
}
