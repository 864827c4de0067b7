package pack

import "math"

// relax is the linear relaxation of filling one node: max price*x with the needs
// within the capacity and each x between its bounds. It is solved by the dual
// simplex method on a dense table of a few rows, which starts from the last
// solution whatever the bounds have become since, because every variable that
// is not basic can go to the bound that its reduced cost wants.
//
// Rows are scaled to a capacity of 1. Columns are the items, then one slack for
// each row.
type relax struct {
	rows, items, wide int
	need              []float64 // rows x items, by row
	price             []float64 // of items
	low, high         []float64 // of all columns
	table             []float64 // rows x wide, by row
	gain              []float64 // reduced prices of all columns
	head              []int32   // basic column of a row
	row               []int32   // row of a basic column, or -1
	up                []bool    // a column that is not basic is at its upper bound
	side              []float64 // where a column can leave its bound for: 1 from the upper, -1 from the lower, or 0
	x                 []float64 // of all columns
	pivots            int
	weights           []float64 // of rows: what one more unit of each would be worth
	order             []int32   // columns that may enter
	ratio             []float64 // of columns: how soon their reduced price is 0
	last              float64   // ratio of the last column that went to its other bound
	moved             []float64
	work              *meter
}

// size makes room for a problem with so many rows and items.
func (l *relax) size(rows, items int) {
	l.rows, l.items, l.wide = rows, items, rows+items
	l.need = grown(l.need, rows*items)
	l.price = grown(l.price, items)
	l.low, l.high = grown(l.low, l.wide), grown(l.high, l.wide)
	l.table = grown(l.table, rows*l.wide)
	l.gain, l.x = grown(l.gain, l.wide), grown(l.x, l.wide)
	l.head, l.row = grown(l.head, rows), grown(l.row, l.wide)
	l.up, l.side, l.weights = grown(l.up, l.wide), grown(l.side, l.wide), grown(l.weights, rows)
	l.order, l.ratio = grown(l.order, l.wide), grown(l.ratio, l.wide)
	for r := range rows {
		l.low[items+r], l.high[items+r] = 0, math.Inf(1)
	}
}

// grown is s with n elements, whatever they are.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// start makes all slacks basic.
func (l *relax) start() {
	clear(l.table)
	for r := range l.rows {
		copy(l.table[r*l.wide:], l.need[r*l.items:][:l.items])
		l.table[r*l.wide+l.items+r] = 1
		l.head[r] = int32(l.items + r)
		l.row[l.items+r] = int32(r)
		l.gain[l.items+r] = 0
	}
	for j := range l.items {
		l.row[j] = -1
		l.gain[j] = l.price[j]
	}
	l.pivots = 0
	l.work.spend(len(l.table))
}

const relaxTurns = 200

// solve finds the optimum for the bounds of now and returns it, or says that the
// bounds leave nothing (the value is 0 then). Either way the weights prove the
// value.
func (l *relax) solve() (value float64, empty bool) {
	if l.pivots > 400 {
		l.start()
	}
	l.place()
	for range relaxTurns {
		r, below, lack := l.worst()
		if r < 0 {
			break
		}
		j, lack := l.entering(r, below, lack)
		if j < 0 && lack > surely {
			l.ray(r, below, lack)
			return 0, true
		}
		if j < 0 {
			break
		}
		l.pivotOn(r, j, below)
	}
	for r := range l.weights {
		l.weights[r] = max(-l.gain[l.items+r], 0)
	}
	return l.bound(l.gain), false
}

// place puts the columns that are not basic at the bound that suits them, and
// computes the basic ones.
func (l *relax) place() {
	for j := range l.wide {
		l.side[j] = 0
		if l.row[j] < 0 {
			l.put(j, j < l.items && l.gain[j] > 0)
			l.x[j] = l.low[j]
			if l.up[j] {
				l.x[j] = l.high[j]
			}
		}
	}
	l.basics()
}

// put notes at which bound a column is that is not basic.
func (l *relax) put(j int, up bool) {
	l.up[j] = up
	switch {
	case l.high[j] == l.low[j]:
		l.side[j] = 0
	case up:
		l.side[j] = 1
	default:
		l.side[j] = -1
	}
}

// basics computes the basic columns from the others.
func (l *relax) basics() {
	for r := range l.rows {
		table := l.table[r*l.wide:][:l.wide]
		sum := 0.0
		for _, b := range table[l.items:] {
			sum += b
		}
		x := l.x[:len(table)]
		for j, t := range table {
			if l.row[j] < 0 {
				sum -= float64(t * x[j])
			}
		}
		l.x[l.head[r]] = sum
	}
	l.work.spend(l.rows * l.wide)
}

const (
	slackness = 1e-9 // by which a basic column may be outside its bounds
	surely    = 1e-7 // by which it is for certain
)

// worst finds the basic column that is farthest outside its bounds.
func (l *relax) worst() (row int, below bool, lack float64) {
	row, lack = -1, 0
	for r, h := range l.head {
		tolerance := slackness
		if int(h) < l.items {
			tolerance *= 1 + l.high[h]
		}
		if d := l.low[h] - l.x[h]; d > tolerance && d > lack {
			row, below, lack = r, true, d
		}
		if d := l.x[h] - l.high[h]; d > tolerance && d > lack {
			row, below, lack = r, false, d
		}
	}
	return row, below, lack
}

// entering chooses the column that replaces the basic one of row r, by the
// longest step: columns whose reduced price changes sign on the way go to their
// other bound as long as that alone does not mend the row. It is -1, with what is
// still lacking, when all together can't.
func (l *relax) entering(r int, below bool, lack float64) (int, float64) {
	table, list := l.table[r*l.wide:][:l.wide], l.candidates(r, below)
	l.last = 0
	ratio := l.ratio
	for _, j := range list {
		ratio[j] = math.Abs(l.gain[j] / table[j])
	}
	l.work.spend(2*l.wide + 8*len(list))
	for n := len(list)/2 - 1; n >= 0; n-- {
		sink(list, n, ratio)
	}
	for len(list) > 0 {
		j := list[0]
		more := float64(math.Abs(table[j]) * (l.high[j] - l.low[j]))
		if lack <= more+slackness {
			return int(j), 0
		}
		lack -= more
		l.last = ratio[j]
		l.flip(int(j))
		list[0] = list[len(list)-1]
		list = list[:len(list)-1]
		sink(list, 0, ratio)
	}
	return -1, lack
}

// candidates lists the columns that bring the basic one of row r nearer to its
// bounds. It counts rather than branches, which the processor would often guess wrong.
func (l *relax) candidates(r int, below bool) []int32 {
	table, list := l.table[r*l.wide:][:l.wide], l.order[:l.wide]
	side, toward, n := l.side[:len(table)], 1.0, 0
	if !below {
		toward = -1
	}
	for j, t := range table {
		list[n] = int32(j)
		if float64(toward*t)*side[j] > pivotLeast {
			n++
		}
	}
	return list[:n]
}

// sink restores a heap, the smallest ratio first, from place n on.
func sink(heap []int32, n int, ratio []float64) {
	for {
		k := 2*n + 1
		if k >= len(heap) {
			return
		}
		if k+1 < len(heap) && ratio[heap[k+1]] < ratio[heap[k]] {
			k++
		}
		if ratio[heap[n]] <= ratio[heap[k]] {
			return
		}
		heap[n], heap[k] = heap[k], heap[n]
		n = k
	}
}

// flip puts a column at its other bound.
func (l *relax) flip(j int) {
	l.put(j, !l.up[j])
	if l.up[j] {
		l.move(j, l.high[j])
	} else {
		l.move(j, l.low[j])
	}
}

// move gives a column that is not basic another value, and the basic ones what follows.
func (l *relax) move(j int, x float64) {
	by := x - l.x[j]
	l.x[j] = x
	for i, h := range l.head {
		l.x[h] -= float64(by * l.table[i*l.wide+j])
	}
	l.work.spend(l.rows)
}

// pivotOn makes column j basic in row r; the column that leaves goes to the bound
// that it broke.
func (l *relax) pivotOn(r, j int, below bool) {
	table := l.table[r*l.wide:][:l.wide]
	out := l.head[r]
	to := l.high[out]
	if below {
		to = l.low[out]
	}
	l.move(j, l.x[j]+(l.x[out]-to)/table[j])
	recip := 1 / table[j]
	for c := range table {
		table[c] *= recip
	}
	table[j] = 1
	for i := range l.rows {
		if i != r {
			subtract(l.table[i*l.wide:][:l.wide], table, l.table[i*l.wide+j])
			l.table[i*l.wide+j] = 0
		}
	}
	subtract(l.gain[:l.wide], table, l.gain[j])
	l.gain[j] = 0
	l.row[out], l.x[out] = -1, to
	l.put(int(out), !below)
	l.head[r], l.row[j], l.side[j] = int32(j), int32(r), 0
	l.pivots++
	l.work.spend((l.rows + 2) * l.wide)
}

// subtract takes f times other from row.
func subtract(row, other []float64, f float64) {
	if f == 0 {
		return
	}
	other = other[:len(row)]
	for len(row) >= 4 && len(other) >= 4 { // a third faster than one by one
		row[0] -= float64(f * other[0])
		row[1] -= float64(f * other[1])
		row[2] -= float64(f * other[2])
		row[3] -= float64(f * other[3])
		row, other = row[4:], other[4:]
	}
	for c := range row {
		row[c] -= float64(f * other[c])
	}
}

// bound is the value that reduced prices prove, whether or not the solution is
// within its bounds.
func (l *relax) bound(gain []float64) float64 {
	sum := 0.0
	for r := range l.rows {
		sum += max(-gain[l.items+r], 0)
	}
	for j := range l.items {
		if g := gain[j]; g > 0 {
			sum += float64(g * l.high[j])
		} else {
			sum += float64(g * l.low[j])
		}
	}
	return sum
}

// ray makes weights that prove that nothing is left: from the reduced prices of
// now along row r, first as far as the last one that changes its sign, then on
// until the value that they prove, which falls by lack with each step, is 0.
func (l *relax) ray(r int, below bool, lack float64) {
	table := l.table[r*l.wide:][:l.wide]
	sign := 1.0
	if !below {
		sign = -1
	}
	l.moved = grown(l.moved, l.wide)
	for j, t := range table {
		l.moved[j] = l.gain[j] - float64(sign*l.last*t)
	}
	step := l.last + float64(2*max(l.bound(l.moved), 0))/lack
	for s := range l.weights {
		j := l.items + s
		l.weights[s] = max(float64(sign*step*table[j])-l.gain[j], 0)
	}
	l.place()
}
