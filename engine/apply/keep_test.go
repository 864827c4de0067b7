package apply

import (
	"context"
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
