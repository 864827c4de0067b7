package apply

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// odd is a snapshot with all that names and bytes may hold.
var odd = snapshot{"proc": {mode: fs.ModeDir | 0o755}, "proc/sys/new\nline \"x\"": {mode: 0o444, data: "a\x00\xff\r\n"},
	"sys/\xff\xfe": {mode: 0o200}, "sys/link": {mode: fs.ModeSymlink | 0o777, data: "../proc/\n"}}

func TestAJournalSaysWhatWasWritten(t *testing.T) {
	var b bytes.Buffer
	wrote := journal{Profile: "p\n\"", Began: time.Unix(1e9, 0).UTC(), Scratch: "/x", Patience: time.Minute,
		Entries: len(odd), was: odd}
	if err := wrote.encode(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	read, err := decodeJournal(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&wrote, read, cmp.AllowUnexported(journal{}, entry{})); d != "" {
		t.Error(d)
	}
	for cut := range len(text) {
		if _, err := decodeJournal(strings.NewReader(text[:cut])); !errors.Is(err, errJournal) {
			t.Fatalf("cut after %d bytes: %v", cut, err)
		}
	}
}

// FuzzJournal: whatever a journal says, nothing is named that is not of a node.
func FuzzJournal(f *testing.F) {
	f.Add(journalHead + "\n{\"entries\":2}\n644 \"sys/a\" \"1\"\n644 \"../etc/passwd\" \"1\"\n")
	f.Add(journalHead + "\n{\"entries\":1}\n644 \"/etc/passwd\" \"1\"\n")
	f.Add(journalHead + "\n{\"entries\":1}\n644 \"proc/../../x\" \"1\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		j, err := decodeJournal(strings.NewReader(text))
		if err != nil {
			return
		}
		for name := range j.was {
			if !filepath.IsLocal(name) || !strings.HasPrefix(name+"/", "proc/") && !strings.HasPrefix(name+"/", "sys/") {
				t.Errorf("%q", name)
			}
		}
	})
}

// killedRun leaves a node as a run does that is killed with all its processes.
func killedRun(t *testing.T, dir string) Options {
	t.Helper()
	opt := Options{Profile: "p", Root: dir, Once: true, again: time.Millisecond,
		Sources: []string{profiles(t, map[string]string{"p": "vm.swappiness=10\nnet.core.somaxconn=4096\n"})}}
	opt.Runner = &fake{t: t}
	tuned := map[string][]byte{}
	_, err := Apply(t.Context(), opt, func(e Event) {
		if e.Phase != Verifying {
			return
		}
		for _, name := range []string{journalName, "proc/sys/vm/swappiness", "proc/sys/net/core/somaxconn"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			tuned[name] = text
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range tuned {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opt.Runner = &fake{t: t}
	return opt
}

// TestWhatAKilledRunLeftIsPutBackFirst: and told, once.
func TestWhatAKilledRunLeftIsPutBackFirst(t *testing.T) {
	dir := simulated(t)
	before := listing(t, dir)
	opt := killedRun(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "sys/new"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Apply(t.Context(), opt, nil)
	if err != nil || !r.OK() || r.Recovered == nil || r.Recovered.Profile != "p" || len(r.Recovered.Values) != 3 {
		t.Fatalf("%v, %+v", err, r)
	}
	if v := r.Values[0]; *v.Before != "60" || v.State != Changed {
		t.Errorf("the tuned value is taken for the original: %+v", v)
	}
	found := r.Findings()
	if len(found) != 1 || found[0].ID != "apply.leftBehind" || !strings.Contains(found[0].Message,
		`3 values that it left were put back first, such as /proc/sys/net/core/somaxconn from "4096" to "128"`) {
		t.Errorf("%+v", found)
	}
	if d := cmp.Diff(before, listing(t, dir)); d != "" {
		t.Error(d)
	}
	opt.Runner = &fake{t: t}
	if r, err = Apply(t.Context(), opt, nil); err != nil || r.Recovered != nil {
		t.Errorf("it is told again: %v, %+v", err, r)
	}
}

func TestRestore(t *testing.T) {
	dir := simulated(t)
	before := listing(t, dir)
	opt := Options{Root: killedRun(t, dir).Root}
	for _, want := range []struct {
		found   bool
		values  int
		summary string
	}{{true, 2, "2 values were put back; the simulated node "}, {false, 0, "No run was killed on the simulated node "}} {
		r, err := Restore(t.Context(), opt, nil)
		if err != nil || r.Found != want.found || len(r.Values) != want.values ||
			!strings.HasPrefix(r.Answer().Verdict.Summary, want.summary) {
			t.Errorf("%v, %+v", err, r)
		}
		if d := cmp.Diff(before, listing(t, dir)); d != "" {
			t.Error(d)
		}
	}
}

// TestAJournalThatCantBeReadStopsEverything: the values would be taken for the originals.
func TestAJournalThatCantBeReadStopsEverything(t *testing.T) {
	dir := simulated(t)
	opt := killedRun(t, dir)
	if err := os.WriteFile(filepath.Join(dir, journalName), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Apply(t.Context(), opt, nil)
	if err == nil || !strings.Contains(err.Error(), "of a killed run can't be read") {
		t.Errorf("%v", err)
	}
}

// TestFilesOfKilledRunsGo: those of a run that lives stay.
func TestFilesOfKilledRunsGo(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	alive, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	defer alive.close()
	for _, name := range []string{"plimsoll-tune-1", "other"} {
		if err := os.MkdirAll(filepath.Join(temp, name, "etc"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	next, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	defer next.close()
	left, _ := filepath.Glob(filepath.Join(temp, "*"))
	if d := cmp.Diff(3, len(left)); d != "" || next.dir == alive.dir {
		t.Errorf("%v", left)
	}
}

// TestARunOfWhichSomethingLivesIsWaitedFor: it puts its values back itself.
func TestARunOfWhichSomethingLivesIsWaitedFor(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	alive, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	j := journal{Scratch: alive.dir, Patience: time.Minute}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := j.outlive(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() { alive.held.Close() })
	if err := j.outlive(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(alive.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there", alive.dir)
	}
}
