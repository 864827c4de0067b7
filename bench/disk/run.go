package disk

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"plimsoll.dev/bench/measure"
)

// Subject of the benchmark, in findings and comparisons.
const Subject = "disk"

// RunKind is the kind of a run's answer, by which it is known when it is read again.
const RunKind = "DiskRun"

// Cell is so many writers, each appending records to a log of its own, one after the other.
type Cell struct {
	Writers int `json:"writers"`
	// Bytes of a record.
	Bytes int `json:"bytes"`
}

// The most that a cell may have.
const (
	MaxWriters = 256
	MaxBytes   = 1 << 20
)

// RecordBytes are those of etcd's advice for a test of its disk.
const RecordBytes = 2300

// Name of the cell: "wal-2300-4".
func (c Cell) Name() string { return fmt.Sprintf("wal-%d-%d", c.Bytes, c.Writers) }

var cellName = regexp.MustCompile(`^wal-([0-9]{1,9})-([0-9]{1,9})$`)

// ParseCell reads a cell's name.
func ParseCell(name string) (c Cell, err error) {
	m := cellName.FindStringSubmatch(name)
	if m == nil {
		return c, fmt.Errorf("cell %q is not wal-BYTES-WRITERS (such as wal-2300-1)", name)
	}
	c.Bytes, _ = strconv.Atoi(m[1])
	c.Writers, _ = strconv.Atoi(m[2])
	if c.Bytes < 1 || c.Bytes > MaxBytes || c.Writers < 1 || c.Writers > MaxWriters {
		return c, fmt.Errorf("cell %s: 1 to %d bytes, and 1 to %d writers", name, MaxBytes, MaxWriters)
	}
	return c, nil
}

// Parameters of a run.
type Parameters struct {
	Cells []Cell `json:"cells"`
	// Repetitions of all cells, in rounds; Duration of a sample, after a Warmup that is not counted.
	Repetitions int           `json:"repetitions"`
	Duration    time.Duration `json:"duration"`
	Warmup      time.Duration `json:"warmup"`
}

// Default is one writer, as etcd is, then four and sixteen, three times: half a minute.
func Default() Parameters {
	return Parameters{[]Cell{{1, RecordBytes}, {4, RecordBytes}, {16, RecordBytes}}, 3, 3 * time.Second,
		200 * time.Millisecond}
}

// Check finds all that is wrong with the parameters.
func (p Parameters) Check() []error {
	var out []error
	if len(p.Cells) == 0 {
		out = append(out, fmt.Errorf("no cell is to be measured (name one, such as wal-2300-1)"))
	}
	if p.Repetitions < 1 || p.Repetitions > 1000 {
		out = append(out, fmt.Errorf("%d repetitions (1 to 1000; 3 or more have an interval)", p.Repetitions))
	}
	if p.Duration < 50*time.Millisecond || p.Duration > time.Hour {
		out = append(out, fmt.Errorf("a sample of %v (50ms to 1h)", p.Duration))
	}
	if p.Warmup < 0 || p.Warmup > time.Hour {
		out = append(out, fmt.Errorf("a warm-up of %v (0s to 1h)", p.Warmup))
	}
	return out
}

// Run is what was measured of a disk.
type Run struct {
	RunID      string     `json:"runID"`
	Started    string     `json:"started,omitempty"`
	Parameters Parameters `json:"parameters"`
	// Directory that was written below, its file system with the options that it is mounted with, and the
	// block device, as far as these are known.
	Directory  string `json:"directory"`
	FileSystem string `json:"fileSystem,omitempty"`
	Options    string `json:"options,omitempty"`
	Device     string `json:"device,omitempty"`
	Kernel     string `json:"kernel,omitempty"`
	// Volatile says that the file system keeps its files in memory.
	Volatile bool       `json:"volatile,omitempty"`
	Cells    []Measured `json:"cells"`
	// Fio is what fio measured of the first cell beside it; nil where that was not asked for.
	Fio *Fio `json:"fio,omitempty"`
}

// Measured is a cell with its repetitions. A transaction is a write and the fdatasync after it.
type Measured struct {
	Cell
	Repetitions []measure.Repetition `json:"repetitions"`
}

// Fio is the result of fio for the same pattern.
type Fio struct {
	Version string `json:"version"`
	// Rate of records a second; quantiles of the fdatasync alone, as fio has them.
	Rate float64       `json:"rate"`
	P50  time.Duration `json:"p50"`
	P99  time.Duration `json:"p99"`
	P999 time.Duration `json:"p999"`
}

// Sampled are the cells as all benchmarks have them.
func (r *Run) Sampled() measure.Cells {
	c := measure.Cells{Subject: Subject, RunID: r.RunID}
	for _, m := range r.Cells {
		c.Cells = append(c.Cells, measure.Measured{Name: m.Name(), Waiting: m.Writers, Waiter: "writer",
			Repetitions: m.Repetitions})
	}
	return c
}
