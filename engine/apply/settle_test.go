package apply

import (
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Of this machine: a disk that was detached, and a setting that nobody can write.
const (
	detached = "sys/block/detached/queue/read_ahead_kb"
	oneWay   = "proc/sys/kernel/osrelease"
)

// onMachine is a session on this machine that keeps its journal in a directory of the test.
func onMachine(t *testing.T, dir string) *session {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return &session{target: machine{}, place: place{dir, root, "j"}, known: map[string]bool{}}
}

// TestWhatIsGoneNeedsNothing: at the end of a run, and after a kill.
func TestWhatIsGoneNeedsNothing(t *testing.T) {
	was := entry{mode: 0o644, data: "128\n"}
	s := onMachine(t, t.TempDir())
	s.known[detached], s.before = true, snapshot{detached: was}
	if err := s.settle(); err != nil || !s.result.Restored || !s.result.RolledBack {
		t.Errorf("%v, %+v", err, s.result)
	}
	s = onMachine(t, t.TempDir())
	if err := s.recover(&journal{Profile: "p", was: snapshot{detached: was}}); err != nil || s.result.Recovered == nil ||
		len(s.result.Recovered.Values) > 0 || len(s.stuck) > 0 {
		t.Errorf("%v, %+v", err, s.result.Recovered)
	}
}

// TestWhatRefusesLocksNobodyOut: it is told, stays in the journal alone, and the next runs go on.
func TestWhatRefusesLocksNobodyOut(t *testing.T) {
	dir := t.TempDir()
	s := onMachine(t, dir)
	s.known[oneWay], s.known[detached] = true, true
	s.before = snapshot{oneWay: {mode: 0o444, data: "1.0\n"}, detached: {mode: 0o644, data: "128\n"}}
	if err := s.noteBefore(); err != nil {
		t.Fatal(err)
	}
	if err := s.settle(); err != nil || s.result.Restored {
		t.Errorf("%v, %+v", err, s.result)
	}
	const told = `1 value refuses to be put back, such as /proc/sys/kernel/osrelease to "1.0": permission denied`
	if got := s.result.Refused(); got != told {
		t.Error(got)
	}
	if err := s.conclude(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a journal of a run that ended, twice
		s = onMachine(t, dir)
		j, err := s.place.read()
		if err != nil || j == nil || !j.Ended || len(j.was) != 1 || j.was[oneWay].data != "1.0\n" {
			t.Fatalf("%v, %+v", err, j)
		}
		if err := s.recover(j); err != nil {
			t.Fatal(err)
		}
		if r := s.result.Recovered; r.Refused() != told || !strings.Contains(r.Text(), "left values that refused") ||
			r.Answer().Verdict.OK {
			t.Errorf("%+v", r)
		}
		s.before = snapshot{}
		if err := s.noteBefore(); err != nil { // what is next to be killed knows of it
			t.Fatal(err)
		}
		if err := s.settle(); err != nil || !s.result.Restored {
			t.Errorf("%v, %+v", err, s.result)
		}
		if err := s.conclude(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAJournalThatCantBeWrittenLeavesTheOneBefore, by which what is tuned can be put back.
func TestAJournalThatCantBeWrittenLeavesTheOneBefore(t *testing.T) {
	dir := t.TempDir()
	p := onMachine(t, dir).place
	was := snapshot{"proc/sys/vm/swappiness": {mode: 0o644, data: "60\n"}}
	if err := p.write(journal{Profile: "a", was: was}); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	small := limit
	small.Cur = 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	err := p.write(journal{Profile: "b", was: was})
	if fault := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); fault != nil || err == nil {
		t.Fatal(fault, err)
	}
	if j, err := p.read(); err != nil || j == nil || j.Profile != "a" {
		t.Errorf("%v, %+v", err, j)
	}
	if left, _ := filepath.Glob(dir + "/*.new"); len(left) > 0 {
		t.Error(left)
	}
}

// TestPairs: of settings that exclude each other both are put back, whichever was set.
func TestPairs(t *testing.T) {
	for _, p := range pairs {
		for _, was := range []string{"0 20", "4096 0", "0 0"} {
			a, b, _ := strings.Cut(was, " ")
			before := snapshot{p[0]: {data: a + "\n"}, p[1]: {data: b + "\n"}, "proc/sys/x": {data: "1\n"}}
			names := pairsLast([]string{p[0], p[1], "proc/sys/x"}, before)
			kernel := map[string]string{p[0]: "7", p[1]: "0"}
			for _, name := range names {
				if kernel[name] = strings.TrimSpace(before[name].data); partner(name) != "" {
					kernel[partner(name)] = "0"
				}
			}
			if d := cmp.Diff([]string{a, b}, []string{kernel[p[0]], kernel[p[1]]}); d != "" || len(names) != 3 {
				t.Errorf("%v %s\n%s", names, was, d)
			}
		}
	}
	dir := plant(t, map[string]string{"proc/sys/vm/dirty_bytes": "0\n", "proc/sys/vm/dirty_ratio": "20\n"})
	s, err := prepare(t.Context(), Options{Profile: "p", Root: dir,
		Sources: []string{profiles(t, map[string]string{"p": "vm.dirty_bytes=4096\n"})}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if !slices.Equal(s.names(), pairs[0][:]) {
		t.Errorf("%v", s.names())
	}
}

// machineLike is a node that is read as a machine is: of sys what is named alone.
type machineLike struct{ part }

func (m machineLike) read(also []string) (snapshot, error) {
	out, err := m.part.read(also)
	for name := range out {
		if strings.HasPrefix(name, "sys/") && !slices.Contains(also, name) {
			delete(out, name)
		}
	}
	return out, err
}

// TestADiskThatCameLater, which TuneD tunes, too, is taken back by TuneD alone: what it had nobody else has seen. That
// holds for who takes over.
func TestADiskThatCameLater(t *testing.T) {
	const sda, sdb, elevator = "sys/block/sda/queue/read_ahead_kb", "sys/block/sdb/queue/read_ahead_kb",
		"sys/block/sda/queue/scheduler"
	dir := plant(t, map[string]string{sda: "128\n", elevator: "[none] bfq\n", "proc/sys/x": ""})
	n := reached(t, dir)
	put := func(name, value string) {
		if err := writeFile(filepath.Join(dir, name), file{[]byte(value + "\n"), 0o644}); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	sources := profiles(t, map[string]string{"p": "x=1\n[disk]\nreadahead=4096\n",
		"q": "x=2\n[disk]\nreadahead=4096\nelevator=bfq\n"})
	begin := func(profile string) *session {
		s := &session{opt: Options{Sources: []string{sources}}, target: machineLike{part{n}}, place: place{"", root, "j"},
			known: map[string]bool{}, late: map[string]bool{}}
		if err := s.configure(profile); err != nil {
			t.Fatal(err)
		}
		if s.before, err = s.target.read(s.names()); err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := begin("p")
	put(sda, "4096")
	put(sdb, "4096")
	for range 2 {
		s.noteLate(s.before, false)
		if err := s.exchange("q"); err != nil {
			t.Fatal(err)
		}
		if err := s.lookAhead(); err != nil {
			t.Fatal(err)
		}
		if err := s.noteBefore(); err != nil {
			t.Fatal(err)
		}
		j, err := s.place.read()
		if _, is := j.was[sdb]; err != nil || is || j.was[sda].data != "128\n" || j.was[elevator].data != "[none] bfq\n" {
			t.Errorf("%v, %+v", err, j)
		}
		put(sdb, "128") // TuneD takes it back
		if err := s.settle(); err != nil {
			t.Fatal(err)
		}
		if now, err := s.target.read([]string{sda, sdb}); err != nil || *now.value(sda) != "128" ||
			*now.value(sdb) != "128" {
			t.Errorf("%v, %+v", err, now)
		}
		put(sda, "4096")
		put(sdb, "4096")
		s = begin("q")
		s.kept = j
		if err := s.takeOver(); err != nil {
			t.Fatal(err)
		}
	}
}
