package prometheus

import (
	"cmp"
	"math"
	"slices"

	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/unit"
)

// source is the document's table.
var source = derive.Source{Code: "OCP", Section: "8.1"}

// Row is one row of table 8.1: a cluster that was measured.
type Row struct {
	// Nodes and Pods of the cluster; each row has 36 pods a node.
	Nodes, Pods derive.Value
	// PerDay and Per15Days are the growth of the storage in bytes. The second is
	// not exactly 15 times the first, because the document rounds both.
	PerDay, Per15Days derive.Value
	// RAM in bytes.
	RAM derive.Value
	// Chunk is the network traffic for each chunk of the database, in bytes.
	Chunk derive.Value
}

// Rows returns table 8.1 in the order of the number of nodes.
func Rows(c *facts.Catalogue) []Row {
	var rows []Row
	for _, f := range c.Quantity("ocp.prometheus.nodes") {
		nodes := f.Dim("nodes")
		of := func(quantity string) derive.Value { return c.Must("ocp.prometheus." + quantity + "/" + nodes).Value() }
		rows = append(rows, Row{
			Nodes: f.Value(), Pods: of("pods"),
			PerDay: of("storagePerDay"), Per15Days: of("storagePer15Days"), RAM: of("ram"), Chunk: of("networkPerChunk"),
		})
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Nodes.Number, b.Nodes.Number) })
	return rows
}

// Side says where a number lies against the measured ones.
type Side string

// The sides.
const (
	Within Side = "within"
	Below  Side = "below"
	Above  Side = "above"
)

// Point is one measured pair of x and y.
type Point struct{ X, Y derive.Value }

// Interpolate finds y at x by straight lines between the points, which are two
// or more in the order of x. Above the last point it prolongs the last line.
// Below the first it takes the larger of the prolonged first line and the line
// to the origin: the first alone can fall below zero (storage), the second
// alone forgets what an empty cluster needs (memory).
func Interpolate(points []Point, x float64) (float64, Side) {
	i, side := segment(points, x)
	a, b := points[i], points[i+1]
	y := a.Y.Number + (b.Y.Number-a.Y.Number)*(x-a.X.Number)/(b.X.Number-a.X.Number)
	if side == Below {
		y = max(y, a.Y.Number*x/a.X.Number)
	}
	return y, side
}

// segment is the index of the point that the line at x starts from.
func segment(points []Point, x float64) (int, Side) {
	last := len(points) - 1
	switch {
	case x < points[0].X.Number:
		return 0, Below
	case x > points[last].X.Number:
		return last - 1, Above
	}
	i := 0
	for i < last-1 && x >= points[i+1].X.Number {
		i++
	}
	return i, Within
}

// formulas of Interpolate.
const (
	line  = "y0 + (y1 - y0) * (x - x0) / (x1 - x0)"
	lower = "max(" + line + ", y0 * x / x0)"
)

// decimal is an amount in bytes, written as the document writes it.
func decimal(bytes float64) derive.Value {
	return derive.Of(bytes, unit.ByteUnit).WithText(unit.FormatDecimal(unit.Bytes(unit.Whole(math.Round(bytes)))))
}

// interpolated records the figure of one column of the table at x nodes.
func (p *planner) interpolated(id, title string, x derive.Value, column func(Row) derive.Value) derive.Value {
	points := make([]Point, len(p.rows))
	for i, r := range p.rows {
		points[i] = Point{r.Nodes, column(r)}
	}
	y, side := Interpolate(points, x.Number)
	i, _ := segment(points, x.Number)
	formula := line
	if side == Below {
		formula = lower
	}
	return p.Record(derive.Figure{ID: id, Title: title, Value: decimal(y), Formula: formula,
		Inputs: []derive.Input{derive.In("x", x), derive.In("x0", points[i].X), derive.In("y0", points[i].Y),
			derive.In("x1", points[i+1].X), derive.In("y1", points[i+1].Y)},
		Notes: []string{"straight line between the rows of table 8.1"}, Sources: []derive.Source{source}})
}
