package network

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// Pattern is who says what when on a connection.
type Pattern string

// The patterns of the matrix.
const (
	// RequestResponse sends a request and waits for the response, on connections that stay.
	RequestResponse Pattern = "rr"
	// Stream writes without an answer: a transaction is a write.
	Stream Pattern = "stream"
	// Connect opens a connection, sends a request, waits for the response and closes.
	Connect Pattern = "crr"
)

// Patterns lists all patterns.
func Patterns() []Pattern { return []Pattern{RequestResponse, Stream, Connect} }

// Title is the pattern in words.
func (p Pattern) Title() string {
	switch p {
	case RequestResponse:
		return "request and response"
	case Stream:
		return "stream"
	case Connect:
		return "connect, request, close"
	}
	return string(p)
}

// Cell of the matrix: a pattern on a number of connections.
type Cell struct {
	Pattern     Pattern `json:"pattern"`
	Connections int     `json:"connections"`
	// Request and Response are the bytes of one transaction to the server and back. In a stream the
	// server writes Response bytes at a time, or with 0 the client Request bytes. Of an import, 0 is
	// what its file does not say.
	Request  int `json:"request"`
	Response int `json:"response"`
}

// The most that a cell may have.
const (
	MaxConnections = 10_000
	MaxSize        = 16 << 20
)

// Name of the cell, as in "rr-200x1000-50": pattern, sizes, connections.
func (c Cell) Name() string {
	return fmt.Sprintf("%s-%dx%d-%d", c.Pattern, c.Request, c.Response, c.Connections)
}

// Waits says whether each connection has one transaction under way at any time, so that latency and
// rate say the same by Little's law.
func (c Cell) Waits() bool { return c.Pattern != Stream }

// Bytes of one transaction, both directions.
func (c Cell) Bytes() int {
	if c.Pattern == Stream && c.Response > 0 {
		return c.Response
	}
	return c.Request + c.Response
}

var cellName = regexp.MustCompile(`^([a-z]+)-([0-9]{1,9})x([0-9]{1,9})-([0-9]{1,9})$`)

// ParseCell reads a cell's name.
func ParseCell(name string) (Cell, error) {
	m := cellName.FindStringSubmatch(name)
	if m == nil {
		return Cell{}, fmt.Errorf("cell %q is not PATTERN-REQUESTxRESPONSE-CONNECTIONS (such as rr-200x1000-50)", name)
	}
	c := Cell{Pattern: Pattern(m[1])}
	for i, n := range []*int{&c.Request, &c.Response, &c.Connections} {
		*n, _ = strconv.Atoi(m[2+i])
	}
	return c, c.Check()
}

// Check says what is wrong with the cell, with what would be right in brackets; nil when nothing is.
func (c Cell) Check() error {
	switch {
	case c.Pattern != RequestResponse && c.Pattern != Stream && c.Pattern != Connect:
		return fmt.Errorf("cell %s: the pattern %q is not known (rr, stream or crr)", c.Name(), c.Pattern)
	case c.Connections < 1 || c.Connections > MaxConnections:
		return fmt.Errorf("cell %s: %d connections (1 to %d)", c.Name(), c.Connections, MaxConnections)
	case c.Request < 1 && (c.Pattern != Stream || c.Response < 1) || c.Request > MaxSize:
		return fmt.Errorf("cell %s: a request of %d bytes (1 to %d)", c.Name(), c.Request, MaxSize)
	case c.Response < 1 && (c.Pattern != Stream || c.Request < 1) || c.Response > MaxSize:
		return fmt.Errorf("cell %s: a response of %d bytes (1 to %d)", c.Name(), c.Response, MaxSize)
	}
	return nil
}

// Matrix is that of the two studies of OpenShift on IBM Z, with connect-request-close beside it: 27 cells.
func Matrix() []Cell {
	return cells([]int{1, 50, 250}, [][2]int{{1, 1}, {200, 1000}, {200, 30000}})
}

func cells(connections []int, sizes [][2]int) []Cell {
	var out []Cell
	for _, p := range Patterns() {
		for _, s := range sizes {
			for _, n := range connections {
				out = append(out, Cell{Pattern: p, Connections: n, Request: s[0], Response: s[1]})
			}
		}
	}
	return out
}

// Parameters of a run.
type Parameters struct {
	Cells []Cell `json:"cells"`
	// Repetitions of the whole matrix, cell by cell in each: all of one cell in a row would measure
	// the hour of the day.
	Repetitions int `json:"repetitions"`
	// Duration of a sample, and how long before it nothing is counted.
	Duration time.Duration `json:"duration"`
	Warmup   time.Duration `json:"warmup"`
}

// Default is the matrix, three times, in under six minutes.
func Default() Parameters {
	return Parameters{Matrix(), 3, 3 * time.Second, time.Second}
}

// Quick are six cells, three times, in under 40 seconds.
func Quick() Parameters {
	return Parameters{cells([]int{1, 50}, [][2]int{{200, 1000}}), 3, 1500 * time.Millisecond, 500 * time.Millisecond}
}

// Time that the samples take, without what is between them.
func (p Parameters) Time() time.Duration {
	return time.Duration(len(p.Cells)*p.Repetitions) * (p.Duration + p.Warmup)
}

// Check finds all that is wrong with the parameters.
func (p Parameters) Check() []error {
	var out []error
	bad := func(format string, args ...any) { out = append(out, fmt.Errorf(format, args...)) }
	if len(p.Cells) == 0 {
		bad("no cell is to be measured (name one, such as rr-200x1000-50)")
	}
	if p.Repetitions < 1 || p.Repetitions > 1000 {
		bad("%d repetitions (1 to 1000; 3 or more have an interval that says something)", p.Repetitions)
	}
	if p.Duration < 100*time.Millisecond || p.Duration > time.Hour {
		bad("a sample of %v (100ms to 1h)", p.Duration)
	}
	if p.Warmup < 0 || p.Warmup > time.Hour {
		bad("a warm-up of %v (0s to 1h)", p.Warmup)
	}
	seen := map[Cell]bool{}
	for _, c := range p.Cells {
		if err := c.Check(); err != nil {
			bad("%w", err)
		} else if seen[c] {
			bad("cell %s is named twice (once; --repetitions measures it again)", c.Name())
		}
		seen[c] = true
	}
	return out
}
