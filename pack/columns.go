package pack

// columns are sparse columns, one after the other.
type columns struct {
	cost  []float64
	start []int32
	row   []int32
	val   []float64
}

func (c *columns) len() int { return len(c.cost) }

func (c *columns) reset() {
	c.cost, c.start, c.row, c.val = c.cost[:0], append(c.start[:0], 0), c.row[:0], c.val[:0]
}

// column returns the rows and values of column j.
func (c *columns) column(j int32) ([]int32, []float64) {
	a, b := c.start[j], c.start[j+1]
	return c.row[a:b], c.val[a:b]
}

// reduced cost of column j at prices of the rows.
func (c *columns) reduced(j int32, price []float64) float64 {
	d := c.cost[j]
	rows, vals := c.column(j)
	vals = vals[:len(rows)]
	for k, r := range rows {
		d -= float64(price[r] * vals[k])
	}
	return d
}

// put ends a column whose entries were appended to row and val.
func (c *columns) put(cost float64) int32 {
	c.cost = append(c.cost, cost)
	c.start = append(c.start, int32(len(c.row)))
	return int32(len(c.cost) - 1)
}
