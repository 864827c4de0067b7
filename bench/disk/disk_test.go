package disk

import (
	"strings"
	"testing"
	"time"

	"plimsoll.dev/bench"
	"plimsoll.dev/bench/measure"
	"plimsoll.dev/facts"
)

func TestNames(t *testing.T) {
	for _, c := range append(Default().Cells, Cell{MaxWriters, MaxBytes}) {
		if back, err := ParseCell(c.Name()); err != nil || back != c {
			t.Errorf("%v, %v", back, err)
		}
	}
	for _, bad := range []string{"", "wal", "wal-0-1", "wal-1-0", "wal-2300-257", "wal-1048577-1", "rr-1x1-1",
		"wal--1-1"} {
		if c, err := ParseCell(bad); err == nil {
			t.Errorf("%s is %v", bad, c)
		}
	}
	if wrong := (Parameters{Repetitions: 0, Duration: 0, Warmup: -1}).Check(); len(wrong) != 4 {
		t.Errorf("%v", wrong)
	}
}

// of so many writers, each of whose records takes d, but for the slow of a hundred.
func of(writers int, d, slow time.Duration) Measured {
	h := &bench.Histogram{}
	for i := range 2000 {
		if i%100 < 2 {
			h.Add(slow)
		} else {
			h.Add(d)
		}
	}
	s := h.Summary()
	r := measure.Repetition{Seconds: s.Mean.Seconds() * 2000 / float64(writers), Transactions: 2000, Histogram: h,
		Latency: s}
	return Measured{Cell{writers, RecordBytes}, []measure.Repetition{r, r, r}}
}

func TestVerdict(t *testing.T) {
	const ms = time.Millisecond
	few := of(1, ms, ms)
	few.Repetitions = few.Repetitions[:1]
	few.Repetitions[0].Histogram = &bench.Histogram{}
	few.Repetitions[0].Histogram.Add(ms)
	for name, c := range map[string]struct {
		run  Run
		ok   bool
		want string
	}{
		"quick":    {Run{Cells: []Measured{of(1, ms, 9*ms)}}, true, ""},
		"slow":     {Run{Cells: []Measured{of(1, ms, 10*ms)}}, false, "disk.slow"},
		"others":   {Run{Cells: []Measured{of(1, ms, ms), of(16, 20*ms, 90*ms)}}, true, ""},
		"no alone": {Run{Cells: []Measured{of(4, ms, ms)}}, false, "disk.alone"},
		"few":      {Run{Cells: []Measured{few}}, false, "disk.few"},
		"memory":   {Run{Cells: []Measured{of(1, ms, ms)}, Volatile: true}, false, "disk.volatile"},
		"cache":    {Run{Cells: []Measured{of(1, 4*time.Microsecond, 4*time.Microsecond)}}, true, "disk.cache"},
	} {
		a := c.run.Answer(facts.Load())
		var ids []string
		for _, f := range a.Findings {
			ids = append(ids, f.ID)
		}
		if a.Verdict.OK != c.ok || c.want == "" && len(ids) > 0 || c.want != "" && (len(ids) == 0 || ids[0] != c.want) {
			t.Errorf("%s: %v, %v", name, a.Verdict, ids)
		}
	}
}

// The table has the quantiles of one writer, with what is asked for, and fio beside.
func TestDemands(t *testing.T) {
	r := Run{Cells: []Measured{of(16, time.Second, time.Second), of(1, time.Millisecond, 5*time.Millisecond)},
		Fio: &Fio{Version: "3.33", P99: 2 * time.Millisecond, Rate: 500}}
	var text []string
	for _, row := range r.demands(facts.Load()).Rows {
		text = append(text, row[0].Text+" "+row[1].Text+" "+row[2].Text)
	}
	want := "median 1.01ms -|99th percentile 5ms < 10ms|99.9th percentile 5ms -|records a second 925.9 50|" +
		"fio 3.33: fdatasync, 99th percentile 2ms -"
	if got := strings.Join(text, "|"); got != want {
		t.Errorf("%s", got)
	}
}

// What a plan takes of a run, and which it does not take.
func TestMeasured(t *testing.T) {
	r := Run{RunID: "7", Directory: "/d", Device: "/dev/vdb",
		Cells: []Measured{of(1, time.Millisecond, 5*time.Millisecond)}}
	m, err := r.Measured()
	if err != nil || m.Fact != "etcd.ownDisk.p99" || m.Value != 0.005 ||
		m.Source != "plimsoll bench disk /d on /dev/vdb, run 7" {
		t.Errorf("%+v, %v", m, err)
	}
	if _, known := facts.Load().Get(m.Fact); !known {
		t.Errorf("there is no fact %s", m.Fact)
	}
	for name, bad := range map[string]Run{"memory": {Volatile: true, Cells: r.Cells}, "nothing": {},
		"others": {Cells: []Measured{of(4, 1, 1)}}} {
		if m, err := bad.Measured(); err == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
