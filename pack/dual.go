package pack

import "slices"

// resolve goes to the optimum again after the right-hand side has changed: the
// prices of the last one are still those of an optimum, so the dual simplex
// method takes few pivots. It says whether it got there.
func (s *simplex) resolve() bool {
	s.extend()
	s.restore()
	for turn := 0; turn < 20*(s.rows+20); turn++ {
		r := s.lowest()
		if r < 0 {
			return true
		}
		q, d, ok := s.replacing(r)
		if !ok || s.work.over() {
			return false
		}
		s.ftran(q)
		step := s.x[r] / s.alpha[r]
		for i, a := range s.alpha {
			s.x[i] -= float64(step * a)
		}
		s.x[r] = step
		s.become(r, q, d)
		if s.pivot >= refactorAfter {
			s.refactor()
		}
	}
	return false
}

// lowest is the row whose basic column is farthest below 0, or -1.
func (s *simplex) lowest() int {
	row, least := -1, -1e-9
	for i, v := range s.x {
		if v < least {
			row, least = i, v
		}
	}
	return row
}

// replacing chooses the column that becomes basic instead of that of row r: the
// first whose reduced cost would fall below 0. It is not ok when there is none.
func (s *simplex) replacing(r int) (q int32, d float64, ok bool) {
	m := s.rows
	for c := range m {
		s.rho[c] = s.inv[c*m+r]
	}
	ratio, size := 0.0, 0.0
	try := func(col int32, a float64) {
		if a > -pivotLeast {
			return
		}
		reduced := max(s.reduced(col), 0)
		if t := reduced / -a; !ok || t < ratio-1e-12 || t < ratio+1e-12 && -a > size {
			q, d, ok, ratio, size = col, reduced, true, t, -a
		}
	}
	out := make([]bool, m) // rows whose logical column is not basic
	for c := range out {
		out[c] = true
	}
	for _, h := range s.head {
		if h < 0 {
			out[^h] = false
		}
	}
	for c, a := range s.rho {
		if out[c] && s.most[c] {
			try(^int32(c), a)
		} else if out[c] {
			try(^int32(c), -a)
		}
	}
	for col := range int32(s.cols.len()) {
		if s.basic[col] {
			continue
		}
		a := 0.0
		rows, vals := s.cols.column(col)
		for k, i := range rows {
			a += float64(s.rho[i] * vals[k])
		}
		try(col, a)
	}
	s.work.spend(3*len(s.cols.row) + 4*s.cols.len() + m)
	return q, d, ok
}

// clone is a copy that may change.
func (s *simplex) clone() *simplex {
	out := *s
	out.rhs, out.head, out.basic = slices.Clone(s.rhs), slices.Clone(s.head), slices.Clone(s.basic)
	out.inv, out.x, out.y = slices.Clone(s.inv), slices.Clone(s.x), slices.Clone(s.y)
	out.alpha, out.rho, out.near = slices.Clone(s.alpha), slices.Clone(s.rho), nil
	out.some = make([]int32, s.rows)
	out.cols = columns{slices.Clone(s.cols.cost), slices.Clone(s.cols.start), slices.Clone(s.cols.row),
		slices.Clone(s.cols.val)}
	s.work.spend(s.rows * s.rows)
	return &out
}
