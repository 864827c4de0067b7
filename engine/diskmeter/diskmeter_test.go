package diskmeter

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/bench/disk"
)

var short = disk.Parameters{Cells: []disk.Cell{{Writers: 1, Bytes: 2300}, {Writers: 3, Bytes: 100}}, Repetitions: 2,
	Duration: 60 * time.Millisecond, Warmup: 10 * time.Millisecond}

// inDir is the environment variable with the directory that the test's program writes to until it is killed.
const inDir = "DISKMETER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(inDir); dir != "" {
		p := short
		p.Duration = time.Minute
		Run(context.Background(), Options{Directory: dir, Parameters: p, Progress: func(int, string) {
			os.Stdout.WriteString("started\n")
		}})
		return
	}
	os.Exit(m.Run())
}

// All cells are measured on the disk that is here, and the directory is as it was.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	run, err := Run(t.Context(), Options{Directory: dir, Parameters: short})
	if err != nil {
		t.Fatal(err)
	}
	ended := 0.0
	for _, m := range run.Sampled().Cells {
		if len(m.Repetitions) != 2 {
			t.Fatalf("%s: %d repetitions", m.Name, len(m.Repetitions))
		}
		for _, r := range m.Repetitions {
			waiting, _ := m.Little(r)
			// What began before the sample counts whole.
			most := float64(m.Waiting) * (1.02 + r.Latency.Max.Seconds()/r.Seconds)
			ended += r.Transactions
			if float64(r.Histogram.N()) != r.Transactions || waiting > most {
				t.Errorf("%s: %v transactions, %v wait", m.Name, r.Transactions, waiting)
			}
		}
	}
	if ended == 0 { // a disk that others keep busy may end none in a sample
		t.Error("no write has ended")
	}
	empty(t, dir)
}

func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// A run that is killed, or interrupted, leaves nothing.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), inDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	out.Read(make([]byte, 1))
	time.Sleep(30 * time.Millisecond)
	cmd.Process.Kill()
	cmd.Wait()
	empty(t, dir)

	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(30*time.Millisecond, stop)
	if _, err := Run(ctx, Options{Directory: dir, Parameters: short}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	empty(t, dir)
}

// The time that a new segment takes is no writer's: rate and latency still say the same.
func TestSegmentTime(t *testing.T) {
	l, err := open(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	l.durable = func(*os.File) error {
		if l.at == 0 { // of the segment, or its first record
			time.Sleep(40 * time.Millisecond)
		}
		time.Sleep(time.Millisecond)
		return nil
	}
	l.at = segment
	from := time.Now()
	to := from.Add(500 * time.Millisecond)
	if err := l.write(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	h := l.times.Summary()
	waited := h.Mean.Seconds() * float64(h.N) / (to.Sub(from) - l.away).Seconds()
	if l.away < 40*time.Millisecond || waited < 0.9 || waited > 1.1 {
		t.Errorf("%v for segments, %v writers wait", l.away, waited)
	}
}

// A disk of which the time is known.
func TestKnownDelay(t *testing.T) {
	l, err := open(t.TempDir(), 2300)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	calls := 0
	l.durable = func(*os.File) error {
		if calls++; calls == 1 {
			time.Sleep(40 * time.Millisecond) // in the warm-up
		}
		time.Sleep(4 * time.Millisecond)
		return nil
	}
	now := time.Now()
	if err := l.write(t.Context(), now.Add(30*time.Millisecond), now.Add(200*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	s := l.times.Summary()
	if s.N < 10 || s.N > 45 || s.Min < 4*time.Millisecond || s.P50.Value > 8*time.Millisecond {
		t.Errorf("%+v", s)
	}
	l.durable = func(*os.File) error { return errors.New("the disk is gone") }
	if err := l.write(t.Context(), now, time.Now().Add(time.Minute)); err == nil {
		t.Error("a fault is a time")
	}
}

// A log that is full goes on in a new segment.
func TestSegments(t *testing.T) {
	dir := t.TempDir()
	l, err := open(dir, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	l.durable = func(*os.File) error { return nil }
	l.at = segment - 100
	if err := l.write(t.Context(), time.Now(), time.Now().Add(5*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if info, err := l.file.Stat(); err != nil || info.Size() > segment {
		t.Errorf("%v, %v", info.Size(), err)
	}
	empty(t, dir)
}

func TestRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	os.WriteFile(file, nil, 0o600)
	for path, want := range map[string]string{file: "is no directory", file + "x": "no such file"} {
		if _, err := Run(t.Context(), Options{Directory: path, Parameters: short}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := room(3*128<<20-1, short); err == nil || !strings.Contains(err.Error(), "383 MiB are free") {
		t.Errorf("%v", err)
	}
	if err := room(3*128<<20, short); err != nil {
		t.Error(err)
	}
}

func TestFio(t *testing.T) {
	text := `{"fio version": "fio-3.33", "jobs": [{"write": {"iops": 4714.4}, "sync": {"lat_ns": {"percentile":
		{"50.000000": 140000, "99.000000": 2180000, "99.900000": 4000000}}}}]}`
	f, err := readFio([]byte(text))
	if err != nil || f.Version != "3.33" || f.P50 != 140*time.Microsecond || f.P99 != 2180*time.Microsecond ||
		f.P999 != 4*time.Millisecond || f.Rate != 4714.4 {
		t.Errorf("%+v, %v", f, err)
	}
	for _, bad := range []string{"", "{}", `{"jobs":[{}]}`, `{"jobs":[{"sync":{}}]}`} {
		if _, err := readFio([]byte(bad)); err == nil {
			t.Errorf("%q is a result", bad)
		}
	}
}

// What a killed run of fio has left is swept, that of one that runs is not, and neither are others' files.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	dead := exec.Command(os.Args[0], "-test.run=^$")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{os.Getpid(), dead.Process.Pid} {
		if _, err := os.MkdirTemp(dir, scratchOf(pid)); err != nil {
			t.Fatal(err)
		}
	}
	os.Mkdir(filepath.Join(dir, scratch+"mine"), 0o700)
	sweep(dir)
	left, _ := os.ReadDir(dir)
	if len(left) != 2 {
		t.Errorf("%v", left)
	}
}
