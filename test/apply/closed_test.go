package apply

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"plimsoll.dev/engine/apply"
	"plimsoll.dev/internal/need"
)

// TestNothingIsLeftBehind: no process, no mount, no file, whether the profile was
// applied, refused, or interrupted at any moment.
func TestNothingIsLeftBehind(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	name := own("left-behind")
	sources := set(t, map[string]string{name: "[sysctl]\nvm.swappiness=10\n"})
	n := newNode(t, guest)
	scratch := t.TempDir()
	before, mounted := listing(t, n.dir), mounts(t, n.dir, scratch)
	t.Setenv("TMPDIR", scratch)
	for _, stopAt := range []string{"", "dynamic tuning is globally disabled", "starting tuning",
		"reapplying system sysctl", "static tuning from profile"} {
		ctx, stop := context.WithCancel(t.Context())
		r, err := apply.Apply(ctx, apply.Options{Profile: name, Root: n.dir, Sources: []string{sources}, Timeout: patience},
			func(e apply.Event) {
				if stopAt == "" && e.Phase == apply.Applying || e.Line != nil && strings.HasPrefix(e.Line.Text, stopAt) {
					stop()
				}
			})
		stop()
		if err == nil && !r.OK() || r != nil && !r.Restored {
			t.Errorf("stopped at %q: %v, %+v", stopAt, err, r)
		}
		same(t, before, listing(t, n.dir))
		if left := runningWith(t, name); len(left) > 0 {
			t.Errorf("stopped at %q: these run on: %q", stopAt, left)
		}
	}
	if now := mounts(t, n.dir, scratch); now != mounted {
		t.Errorf("mounts were %q and are %q", mounted, now)
	}
	if files, err := os.ReadDir(scratch); err != nil || len(files) > 0 {
		t.Errorf("temporary files are left: %v, %v", files, err)
	}
}

// TestTheCallerIsKilled: TuneD rolls back though nobody is there to tell it.
func TestTheCallerIsKilled(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	name := own("caller-killed")
	t.Setenv("TMPDIR", t.TempDir()) // its files stay, when nobody is there to remove them
	n := newNode(t, guest)
	cmd := program(t, errand{Profile: name, Root: n.dir,
		Sources: []string{set(t, map[string]string{name: "[sysctl]\nvm.swappiness=10\n"})}}, nil)
	held(t, cmd)
	if got := n.get("proc/sys/vm/swappiness"); got != "10" {
		t.Fatalf("swappiness is %s while it is held", got)
	}
	cmd.Process.Kill()
	eventually(t, "the roll-back", func() bool { return n.get("proc/sys/vm/swappiness") == "60" })
	eventually(t, "the end of TuneD", func() bool { return len(runningWith(t, "--profile\x00"+name)) == 0 })
}

// TestOneAtATime: a second one would take the first one's values for the originals.
func TestOneAtATime(t *testing.T) {
	n := newNode(t, guest)
	sources := set(t, map[string]string{"p": "[sysctl]\nvm.swappiness=10\n"})
	hold(t, n, apply.Options{Profile: "p", Sources: []string{sources}}, []step{{do: func() string {
		_, err := apply.Apply(t.Context(), apply.Options{Profile: "p", Root: n.dir, Sources: []string{sources}, Once: true},
			nil)
		if err == nil || !strings.Contains(err.Error(), "another process applies a profile") {
			t.Errorf("%v", err)
		}
		return ""
	}}, {}})
}

// TestAnInterruptRollsBack: a terminal's interrupt reaches the caller alone.
func TestAnInterruptRollsBack(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		n := newNode(t, guest)
		before := listing(t, n.dir)
		cmd := program(t, errand{Profile: "p", Root: n.dir,
			Sources: []string{set(t, map[string]string{"p": "[sysctl]\nvm.swappiness=10\n"})}},
			&syscall.SysProcAttr{Setpgid: true})
		out := held(t, cmd)
		syscall.Kill(-cmd.Process.Pid, s) // as a terminal does: the whole group
		text, _ := io.ReadAll(out)
		if err := cmd.Wait(); err != nil || !strings.Contains(string(text), `"rolledBack":true`) {
			t.Errorf("%v: %v, %s", s, err, text)
		}
		same(t, before, listing(t, n.dir))
	}
}

// TestTuneDIsEndedByOthers: killed, it leaves values, which are put back; told to end,
// it takes them back itself.
func TestTuneDIsEndedByOthers(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	name := own("daemon-ended")
	for s, want := range map[syscall.Signal]string{syscall.SIGKILL: "TuneD ended by itself and " +
		"left its values: signal: killed",
		syscall.SIGTERM: "TuneD ended by itself and took its values back: exit status 0"} {
		n := newNode(t, guest)
		before := listing(t, n.dir)
		r, err := apply.Apply(t.Context(), apply.Options{Profile: name, Root: n.dir, Timeout: patience,
			Sources: []string{set(t, map[string]string{name: "[sysctl]\nvm.swappiness=10\n"})}},
			func(e apply.Event) {
				if e.Phase == apply.Holding && e.Result != nil {
					signalTuneD(t, "--profile\x00"+name, s)
				}
			})
		if err != nil || !r.Died || r.RolledBack != (s == syscall.SIGTERM) || !r.Restored || r.Findings()[0].Message != want {
			t.Errorf("%v: %v, %+v", s, err, r)
		}
		same(t, before, listing(t, n.dir))
	}
}

// signalTuneD sends a signal to the TuneD of this test, whose command line has a word.
func signalTuneD(t *testing.T, word string, s syscall.Signal) {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if line, err := os.ReadFile(f); err == nil && strings.Contains(string(line), word) &&
			strings.HasPrefix(string(line), "/usr/bin/python3") {
			pid := 0
			for _, d := range filepath.Base(filepath.Dir(f)) {
				pid = pid*10 + int(d-'0')
			}
			syscall.Kill(pid, s)
		}
	}
}

// TestAnotherDirectoryIsNotShown: one that takes the place of the node that was looked at.
func TestAnotherDirectoryIsNotShown(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	n, other := newNode(t, guest), newNode(t, guest)
	sources := set(t, map[string]string{"p": "[sysctl]\nvm.swappiness=10\n"})
	_, err := apply.Apply(t.Context(), apply.Options{Profile: "p", Root: n.dir, Sources: []string{sources}, Once: true},
		func(e apply.Event) {
			if e.Phase == apply.Applying && e.Line == nil {
				os.Rename(n.dir, n.dir+".moved")
				os.Rename(other.dir, n.dir)
			}
		})
	if err == nil || !strings.Contains(err.Error(), "another directory stands there") {
		t.Errorf("%v", err)
	}
}

// escape tries everything that a script could do to the machine, and writes down
// what it could do.
const escape = `#!/bin/sh
[ "$1" = start ] || exit 0
out=/proc/sys/kernel/hostname
: >$out
try() { "$@" 2>/dev/null && echo "$*" >>$out; }
try touch /usr/escaped
try touch /etc/passwd
try touch /usr/lib/tuned/openshift/tuned.conf
try cat /etc/shadow
try cat OUTSIDE
try cp /etc/tuned/tuned-main.conf OUTSIDE
try kill -0 CALLER
try mount -o remount,rw /usr
try python3 -c "import ctypes, sys; sys.exit(ctypes.CDLL(None).mount(None, b'/usr', None, 32 | 4096, None))" # remount, bind
try touch /usr/escaped
try unshare -Urm python3 -c "import ctypes, sys; sys.exit(ctypes.CDLL(None).mount(None, b'/usr', None, 32 | 4096, None))"
try mount -t tmpfs none /usr
try mknod /dev/disk b 259 0
try mount -t proc proc /proc
try ip addr
try hostname escaped
try sysctl -w kernel.panic=77
cp /usr/bin/id /sys/module/id
try chmod 4755 /sys/module/id
try chmod g+s /sys/module/id
try install -m 4755 /usr/bin/id /sys/module/evil
try python3 -c "import os; os.open('/sys/module/made', os.O_CREAT | os.O_WRONLY, 0o4755)"
try python3 -c "import os; os.mknod('/sys/module/node', 0o104755)"
find /sys /proc -perm /6000 >>$out
echo done >>$out
`

// TestAScriptOfAProfileStaysInTheNode: even root's scripts see none of the machine.
func TestAScriptOfAProfileStaysInTheNode(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("untouched"), 0o666); err != nil {
		t.Fatal(err)
	}
	panicWas, _ := os.ReadFile("/proc/sys/kernel/panic")
	sources := set(t, map[string]string{"p": "[script]\nscript=${i:PROFILE_DIR}/escape.sh\n"})
	text := strings.NewReplacer("OUTSIDE", outside, "CALLER", strconv.Itoa(os.Getpid())).Replace(escape)
	if err := os.WriteFile(filepath.Join(sources, "p", "escape.sh"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	r := applied(t, newNode(t, guest), apply.Options{Profile: "p", Sources: []string{sources}})
	said := ""
	for _, c := range r.Others {
		if c.Path == "/proc/sys/kernel/hostname" {
			said = *c.After
		}
	}
	// Setting a sysctl sets the node's.
	allowed := map[string]bool{"done": true, "sysctl -w kernel.panic=77": true}
	for line := range strings.Lines(said + "\n") {
		if line = strings.TrimSpace(line); line != "" && !allowed[line] {
			t.Errorf("a script could do this: %s", line)
		}
	}
	if !strings.HasSuffix(said, "done") {
		t.Errorf("the script did not run: %q, %+v", said, r.Log)
	}
	if text, _ := os.ReadFile(outside); string(text) != "untouched" {
		t.Errorf("a file outside is %q", text)
	}
	if now, _ := os.ReadFile("/proc/sys/kernel/panic"); string(now) != string(panicWas) {
		t.Errorf("the machine's kernel.panic is %s", now)
	}
}
