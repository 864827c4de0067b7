package apply

import (
	"bufio"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll.dev/internal/need"
)

// ending is a way to end a run while it applies: a signal, a pipe that nobody reads
// any more, or both, as Ctrl-C does where the output goes to another program.
type ending struct {
	name   string
	check  bool
	signal syscall.Signal // 0 for none
	closed bool
}

// TestNoSignalEndsTheRollBack: whatever ends a run, the values are put back, compared,
// and none of its files is left.
func TestNoSignalEndsTheRollBack(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	for _, e := range []ending{
		{"an interrupt and a closed pipe", false, syscall.SIGINT, true},
		{"a closed pipe", true, 0, true},
		{"a hangup", true, syscall.SIGHUP, false},
		{"a quit", true, syscall.SIGQUIT, false},
		{"a quit while values are to be held", false, syscall.SIGQUIT, false},
	} {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			e.run(t)
		})
	}
}

func (e ending) run(t *testing.T) {
	name := own("ends")
	sources := set(t, map[string]string{
		name: "[sysctl]\nvm.swappiness=10\n[script]\npriority=9\nscript=${i:PROFILE_DIR}/slow.sh\n"})
	text := "#!/bin/sh\n[ $1 = start ] || exit 0\necho 1 >/proc/sys/kernel/panic\nsleep 2\n"
	if err := os.WriteFile(sources+"/"+name+"/slow.sh", []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	n, scratch := newNode(t, guest), t.TempDir()
	before := listing(t, n.dir)
	args := []string{"--profile", name, "--profiles", sources, "--root", n.dir, "-o", "json"}
	if e.check {
		args = append(args, "--check")
	}
	cmd := command(t, scratch, args...)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.HasSuffix(lines.Text(), "applying ...") {
	}
	eventually(t, "the script", func() bool { return n.get("proc/sys/kernel/panic") == "1" })
	if e.closed {
		said.Close()
	} else {
		go func() {
			for lines.Scan() {
			}
		}()
	}
	time.Sleep(100 * time.Millisecond)
	if e.signal != 0 {
		cmd.Process.Signal(e.signal)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); !e.closed && code < 0 {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	same(t, before, listing(t, n.dir))
	if files, err := os.ReadDir(scratch); err != nil || len(files) > 0 {
		t.Errorf("temporary files are left: %v, %v", files, err)
	}
}
