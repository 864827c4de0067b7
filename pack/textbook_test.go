package pack

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// textbook maximises c*x with A x <= b, x >= 0, for b from 0: the simplex method
// on a full table with Bland's rule. It returns infinity when there is no limit.
func textbook(a [][]float64, b, c []float64) float64 {
	rows, cols := len(a), len(c)
	table := make([][]float64, rows+1)
	for i := range table {
		table[i] = make([]float64, cols+rows+1)
		if i < rows {
			copy(table[i], a[i])
			table[i][cols+i] = 1
			table[i][cols+rows] = b[i]
		}
	}
	for j, v := range c {
		table[rows][j] = -v
	}
	basis := make([]int, rows)
	for i := range basis {
		basis[i] = cols + i
	}
	for {
		q := -1
		for j := 0; j < cols+rows && q < 0; j++ {
			if table[rows][j] < -1e-9 {
				q = j
			}
		}
		if q < 0 {
			return table[rows][cols+rows]
		}
		r := -1
		for i := range rows {
			if table[i][q] <= 1e-9 {
				continue
			}
			if r >= 0 {
				mine, best := table[i][cols+rows]/table[i][q], table[r][cols+rows]/table[r][q]
				if mine > best+1e-12 || mine > best-1e-12 && basis[i] > basis[r] {
					continue
				}
			}
			r = i
		}
		if r < 0 {
			return math.Inf(1)
		}
		basis[r] = q
		turn(table, r, q)
	}
}

// turn makes column q a unit vector with its one in row r.
func turn(table [][]float64, r, q int) {
	by := table[r][q]
	for j := range table[r] {
		table[r][j] /= by
	}
	for i := range table {
		if f := table[i][q]; i != r && f != 0 {
			for j := range table[i] {
				table[i][j] -= f * table[r][j]
			}
		}
	}
}

func TestTextbook(t *testing.T) {
	// Dantzig's example: 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18.
	got := textbook([][]float64{{1, 0}, {0, 2}, {3, 2}}, []float64{4, 12, 18}, []float64{3, 5})
	if math.Abs(got-36) > 1e-9 {
		t.Errorf("got %v, want 36", got)
	}
}

// cover is a covering problem: rows, a column for each pattern.
type cover struct {
	rows int
	rhs  []float64
	cost []float64
	cols [][]float64
}

func drawCover(t *rapid.T) cover {
	c := cover{rows: rapid.IntRange(1, 6).Draw(t, "rows")}
	for r := range c.rows {
		c.rhs = append(c.rhs, float64(rapid.IntRange(0, 20).Draw(t, "rhs")))
		single := make([]float64, c.rows)
		single[r] = 1
		c.cols = append(c.cols, single)
	}
	for range rapid.IntRange(0, 12).Draw(t, "columns") {
		col := make([]float64, c.rows)
		for r := range col {
			col[r] = float64(rapid.IntRange(0, 4).Draw(t, "a"))
		}
		c.cols = append(c.cols, col)
	}
	for range c.cols {
		c.cost = append(c.cost, float64(rapid.IntRange(1, 9).Draw(t, "cost")))
	}
	return c
}

// optimum is the cover's value, from its dual.
func (c *cover) optimum() float64 { return textbook(c.cols, c.cost, c.rhs) }

// load puts the cover's columns from n on into a simplex.
func (c *cover) load(s *simplex, from int) {
	copy(s.rhs, c.rhs)
	for j := from; j < len(c.cols); j++ {
		for r, a := range c.cols[j] {
			if a != 0 {
				s.cols.row, s.cols.val = append(s.cols.row, int32(r)), append(s.cols.val, a)
			}
		}
		s.cols.put(c.cost[j])
	}
}

func (c *cover) compare(t *rapid.T, s *simplex, what string) {
	t.Helper()
	got := 0.0
	for r, n := range c.rhs {
		got += n * s.y[r]
	}
	if want := c.optimum(); math.Abs(got-want) > 1e-6*(1+want) {
		t.Fatalf("%s: prices are worth %v, the optimum is %v", what, got, want)
	}
	primal := 0.0
	for r, h := range s.head {
		if s.x[r] < -1e-6 {
			t.Fatalf("%s: a column is taken %v times", what, s.x[r])
		}
		if h >= 0 {
			primal += s.x[r] * s.cols.cost[h]
		}
	}
	if math.Abs(primal-got) > 1e-6*(1+got) {
		t.Fatalf("%s: columns cost %v, prices are worth %v", what, primal, got)
	}
}

func TestSimplexAgainstTextbook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCover(t)
		s := newSimplex(c.rows, newMeter(Options{}))
		for r := range c.rows {
			s.seed(r, int32(r))
		}
		part := c
		part.cols, part.cost = c.cols[:c.rows], c.cost[:c.rows]
		part.load(s, 0)
		if !s.solve() {
			t.Fatal("no optimum of the singles")
		}
		part.compare(t, s, "singles")
		c.load(s, c.rows)
		if !s.solve() {
			t.Fatal("no optimum")
		}
		c.compare(t, s, "all")
		for r := range c.rhs {
			c.rhs[r] = float64(rapid.IntRange(0, 20).Draw(t, "new rhs"))
		}
		copy(s.rhs, c.rhs)
		if !s.resolve() {
			t.Fatal("no optimum for the new right-hand side")
		}
		c.compare(t, s, "new right-hand side")
		s.refactor()
		c.compare(t, s, "refactored")
	})
}
