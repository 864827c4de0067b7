package apply

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// two are the sysctls of a simulated node as they are now.
func two(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	for _, name := range []string{"vm/swappiness", "net/core/somaxconn"} {
		text, err := os.ReadFile(filepath.Join(dir, "proc/sys", name))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.TrimSpace(string(text)))
	}
	return strings.Join(out, " ")
}

// held applies a profile, does something at each time that it is held, and ends with a cause.
func held(t *testing.T, opt Options, cause error, each ...func()) *Result {
	t.Helper()
	opt.again, opt.Runner = time.Millisecond, &fake{t: t}
	ctx, end := context.WithCancelCause(t.Context())
	r, err := Apply(ctx, opt, func(e Event) {
		if e.Result == nil {
			return
		}
		if each[0](); len(each) == 1 {
			end(cause)
		}
		each = each[1:]
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestANodeKeepsItsProfile over the end of a run. Who takes over puts back what the next profile doesn't ask for, at
// the start and at each reload, and at the end everything.
func TestANodeKeepsItsProfile(t *testing.T) {
	dir, reload := simulated(t), make(chan string, 1)
	before := listing(t, dir)
	opt := Options{Profile: "both", Root: dir, Reload: reload, Sources: []string{profiles(t, map[string]string{
		"both": "vm.swappiness=10\nnet.core.somaxconn=4096\n", "one": "vm.swappiness=20\n",
		"other": "net.core.somaxconn=512\n"})}}
	has := func(want string) func() {
		return func() {
			t.Helper()
			if got := two(t, dir); got != want {
				t.Errorf("the node has %s, not %s", got, want)
			}
		}
	}
	opt.Memo = func() string { return "a \"memo\"\n" }
	if r := held(t, opt, ErrKeep, has("10 4096")); !r.Kept || r.End != "signal: killed" {
		t.Errorf("%+v", r)
	}
	has("10 4096")()
	opt.TakeOver = true
	if r, err := Restore(t.Context(), opt, nil); err != nil || r.Found || r.Memo != "a \"memo\"\n" {
		t.Errorf("%v, %+v", err, r)
	}
	has("10 4096")()
	opt.Profile = "one"
	held(t, opt, ErrKeep, has("20 128"))
	has("20 128")()
	r := held(t, opt, nil, func() { reload <- "other" }, has("60 512"))
	if !r.Restored || *r.Values[0].Before != "128" {
		t.Errorf("%+v", r)
	}
	if d := cmp.Diff(before, listing(t, dir)); d != "" {
		t.Error(d)
	}
}

// TestWhatWasKeptIsPutBack by who doesn't take over.
func TestWhatWasKeptIsPutBack(t *testing.T) {
	dir := simulated(t)
	before := listing(t, dir)
	opt := Options{Profile: "p", Root: dir, Sources: []string{profiles(t, map[string]string{"p": "vm.swappiness=10\n"})}}
	held(t, opt, ErrKeep, func() {})
	r, err := Restore(t.Context(), opt, nil)
	if err != nil || !strings.Contains(r.Text(), "ended and kept its values; 1 value that it left was put back first") {
		t.Errorf("%v, %+v", err, r)
	}
	if d := cmp.Diff(before, listing(t, dir)); d != "" {
		t.Error(d)
	}
}

// TestATakeOverTellsWhatRefuses: of a machine a value that can't be put back is noted as it was first, and told.
func TestATakeOverTellsWhatRefuses(t *testing.T) {
	s := onMachine(t, t.TempDir())
	s.before = snapshot{}
	s.kept = &journal{Profile: "p", was: snapshot{oneWay: {mode: 0o444, data: "1.0\n"}}}
	if err := s.takeOver(); err != nil || s.stuck[oneWay].data != "1.0\n" || !s.known[oneWay] ||
		!strings.Contains(s.result.Recovered.Refused(), "/proc/sys/kernel/osrelease") {
		t.Errorf("%v, %+v", err, s.result.Recovered)
	}
}

// TestATakeOverByANewerTuned, whose profiles set what they did not before: of that, the journal gets what the devices
// have by now, since no TuneD has set it. Of what was set before, a device that came since has nothing that is known.
func TestATakeOverByANewerTuned(t *testing.T) {
	const sda, sdb = "sys/block/sda/queue/read_ahead_kb", "sys/block/sdb/queue/read_ahead_kb"
	n := reached(t, plant(t, map[string]string{sda: "128\n", sdb: "4096\n", "proc/sys/x": "0\n"}))
	for _, old := range []bool{true, false} {
		was := snapshot{"proc/sys/x": {data: "0\n"}}
		if old {
			was[sda] = entry{data: "128\n"}
		}
		s := &session{target: machineLike{part{n}}, known: map[string]bool{}, late: map[string]bool{},
			kept: &journal{Profile: "p", was: was},
			opt:  Options{Sources: []string{profiles(t, map[string]string{"p": "x=1\n[disk]\nreadahead=4096\n"})}}}
		if err := s.configure("p"); err != nil {
			t.Fatal(err)
		}
		var err error
		if s.before, err = s.target.read(s.names()); err != nil {
			t.Fatal(err)
		}
		if err := s.takeOver(); err != nil {
			t.Fatal(err)
		}
		if !s.ours(sda) || s.ours(sdb) == old || *s.before.value(sda) != "128" {
			t.Errorf("%t: late are %v", old, s.late)
		}
	}
}

// TestFirstDeviceOfAnOption, which comes while the profile is there: TuneD has tuned it, and a reload does not take
// what it has for what it had, where a take-over by a newer TuneD may.
func TestFirstDeviceOfAnOption(t *testing.T) {
	const sda = "sys/block/sda/queue/read_ahead_kb"
	n := reached(t, plant(t, map[string]string{sda: "4096\n", "proc/sys/x": "0\n"}))
	for _, takeOver := range []bool{false, true} {
		s := &session{target: machineLike{part{n}}, known: map[string]bool{}, late: map[string]bool{},
			opt: Options{Sources: []string{profiles(t, map[string]string{"p": "x=1\n[disk]\nreadahead=4096\n"})}}}
		if err := s.configure("p"); err != nil {
			t.Fatal(err)
		}
		if s.noteLate(snapshot{"proc/sys/x": {data: "0\n"}}, takeOver); s.late[sda] == takeOver {
			t.Errorf("a take-over %t: late are %v", takeOver, s.late)
		}
	}
}

// keeping is a simulated node that is to keep profile "one", and tells when it has something else.
func keeping(t *testing.T) (opt Options, has func(want string)) {
	t.Helper()
	dir := simulated(t)
	opt = Options{Profile: "one", Root: dir, TakeOver: true, Sources: []string{profiles(t, map[string]string{
		"one": "vm.swappiness=10\n", "other": "net.core.somaxconn=512\n"})}}
	opt.Memo = func() string { return "of one" }
	return opt, func(want string) {
		t.Helper()
		if got := two(t, dir); got != want {
			t.Errorf("the node has %s, not %s", got, want)
		}
	}
}

// kept demands that the next run takes over from profile "one".
func kept(t *testing.T, opt Options) {
	t.Helper()
	r, err := Restore(t.Context(), opt, nil)
	if err != nil || r.Found || !r.Kept || r.Memo != "of one" {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestTwoEndsInARow: who takes over ends before TuneD has said anything, or can't start it, or note what was before.
// The node has what it had, and so has the next one.
func TestTwoEndsInARow(t *testing.T) {
	opt, has := keeping(t)
	before := listing(t, opt.Root)
	first := opt
	held(t, first, ErrKeep, func() {})
	opt.Profile, opt.Memo = "other", func() string { return "of other" }
	for _, what := range []string{"silent", "no start", "no journal"} {
		f := &fake{t: t, silent: what == "silent"}
		ctx, end := context.WithCancelCause(t.Context())
		defer end(nil)
		switch next := filepath.Join(opt.Root, journalName+".new"); what {
		case "silent":
			time.AfterFunc(50*time.Millisecond, func() { end(ErrKeep) })
		case "no start":
			f.start = errors.New("there is no TuneD")
		case "no journal":
			if err := os.Mkdir(next, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		opt.Runner = f
		r, err := Apply(ctx, opt, nil)
		if isKept := r != nil && r.Kept && r.Profile == "one"; isKept != (err == nil) || isKept != f.silent {
			t.Errorf("%s: %v, %+v", what, err, r)
		}
		kept(t, opt)
		os.Remove(filepath.Join(opt.Root, journalName+".new"))
	}
	first.Runner, first.again = nil, 0
	held(t, first, nil, func() { has("10 128") })
	if d := cmp.Diff(before, listing(t, opt.Root)); d != "" {
		t.Error(d)
	}
}

// TestAnEndAtAReload: the node keeps the profile that was proved last, whatever there is of the next one, and the next
// run puts that back.
func TestAnEndAtAReload(t *testing.T) {
	opt, has := keeping(t)
	before, f, reload := listing(t, opt.Root), &fake{t: t}, make(chan string, 1)
	opt.Runner, opt.Reload = f, reload
	ctx, end := context.WithCancelCause(t.Context())
	r, err := Apply(ctx, opt, func(e Event) {
		if e.Result != nil {
			opt.Memo = nil
			f.mu.Lock()
			f.silent = true
			f.mu.Unlock()
			reload <- "other"
			time.AfterFunc(50*time.Millisecond, func() { end(ErrKeep) })
		}
	})
	if err != nil || !r.Kept || r.Profile != "one" {
		t.Fatalf("%v, %+v", err, r)
	}
	has("60 512")
	opt.Reload = nil
	kept(t, opt)
	held(t, opt, nil, func() { has("10 128") })
	if d := cmp.Diff(before, listing(t, opt.Root)); d != "" {
		t.Error(d)
	}
}

// TestNotKept: what TuneD alone knows, such as what a device had, is taken back by it.
func TestNotKept(t *testing.T) {
	for option, name := range map[string]string{"channels=combined 1": "channels",
		"script_pre=${i:PROFILE_DIR}/x.sh": "script_pre", "script_post=/x.sh\nmtu=1500": "script_post"} {
		dir := simulated(t)
		opt := Options{Profile: "p", Root: dir, TakeOver: true, Sources: []string{profiles(t, map[string]string{
			"p": "vm.swappiness=10\n[net]\n" + option + "\n"})}}
		r := held(t, opt, ErrKeep, func() {})
		if r.Kept || !r.Restored || r.NotKept != "of [net] "+name+" of profile p TuneD alone knows what it was" {
			t.Errorf("%s: %+v", option, r)
		}
		if got := two(t, dir); got != "60 128" {
			t.Errorf("%s: the node has %s", option, got)
		}
	}
}

// TestAKilledRunHasAMemo, too: of what it applied.
func TestAKilledRunHasAMemo(t *testing.T) {
	opt, has := keeping(t)
	file, journal := filepath.Join(opt.Root, journalName), []byte(nil)
	held(t, opt, nil, func() {
		var err error
		if journal, err = os.ReadFile(file); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(file, journal, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := Restore(t.Context(), opt, nil); err != nil || r.Memo != "of one" || !r.Found {
		t.Errorf("%v, %+v", err, r)
	}
	has("60 128")
}

// TestForNow: what refuses a profile at a reload and is not its fault is told as that.
func TestForNow(t *testing.T) {
	for profile, want := range map[string]bool{"other": true, "none": false} {
		opt, _ := keeping(t)
		opt.Runner = &fake{t: t}
		reload, next := make(chan string, 1), filepath.Join(opt.Root, journalName+".new")
		opt.Reload = reload
		ctx, end := context.WithCancel(t.Context())
		first, told := true, false
		_, err := Apply(ctx, opt, func(e Event) {
			switch {
			case e.Problem != nil:
				if told = true; errors.Is(e.Problem, ErrForNow) != want {
					t.Errorf("%s: %v", profile, e.Problem)
				}
				os.Remove(next)
			case e.Result != nil && first:
				first = false
				if err := os.Mkdir(next, 0o700); err != nil {
					t.Error(err)
				}
				reload <- profile
			case e.Result != nil:
				end()
			}
		})
		if err != nil || !told {
			t.Errorf("%s: %v", profile, err)
		}
	}
}

// TestAKillAfterAReload: the memo is of the profile that the node had last, not of one that TuneD refuses, or has not
// applied yet.
func TestAKillAfterAReload(t *testing.T) {
	for _, refuses := range []string{"other", ""} {
		opt, _ := keeping(t)
		memo, reload, file := "of one", make(chan string, 1), filepath.Join(opt.Root, journalName)
		opt.Memo, opt.Reload = func() string { return memo }, reload
		opt.Runner = &fake{t: t, refuses: refuses}
		ctx, end := context.WithCancel(t.Context())
		var journals [][]byte
		note := func() {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Error(err)
			}
			journals = append(journals, text)
		}
		want, results := []string{"of one", "of other"}, 0
		if refuses != "" {
			want[1] = "of one"
		}
		_, err := Apply(ctx, opt, func(e Event) {
			switch {
			case e.Line != nil && e.Phase == Applying && results == 1 && len(journals) == 0:
				note()
			case e.Result != nil && results == 0:
				results, memo = 1, "of other"
				reload <- "other"
			case e.Result != nil:
				note()
				end()
			}
		})
		if err != nil || len(journals) != len(want) {
			t.Fatalf("%v, %q", err, journals)
		}
		opt.Reload, opt.Runner = nil, nil
		for i, text := range journals {
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if r, err := Restore(t.Context(), opt, nil); err != nil || !r.Found || r.Memo != want[i] ||
				r.Profile != strings.TrimPrefix(want[i], "of ") {
				t.Errorf("refuses %q, %d: %v, %+v", refuses, i, err, r)
			}
		}
	}
}
