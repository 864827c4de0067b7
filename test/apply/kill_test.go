package apply

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plimsoll.dev/internal/need"
)

// killsVariable is how often a run is ended in each way; a few times where it is empty.
// PLIMSOLL_KILLS=100 is the bar.
const killsVariable = "PLIMSOLL_KILLS"

// killed ends a run at random moments in one way.
type killed struct {
	name, profile, sources string
	check                  bool
	end                    func(cmd *exec.Cmd, read *os.File)
	// lost is set where nobody is left to put the node back.
	lost bool
	// journals counts the runs of which the next start said something.
	journals, changed int
}

// TestANodeIsAlwaysPutBack: at once by what was ended, or where that was killed by the
// next start, which says so. Nothing of it is left.
func TestANodeIsAlwaysPutBack(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	count := 3
	if text := os.Getenv(killsVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		count = n
	}
	profile := own("always-back")
	sources := set(t, map[string]string{profile: "[sysctl]\nvm.swappiness=10\nkernel.panic=1\n[vm]\n" +
		"transparent_hugepages=never\n[script]\nscript=${i:PROFILE_DIR}/new.sh\n"})
	script := "#!/bin/sh\n[ $1 = start ] && echo 1 >/sys/module/new || rm -f /sys/module/new\n"
	if err := os.WriteFile(filepath.Join(sources, profile, "new.sh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	send := func(s syscall.Signal) func(*exec.Cmd, *os.File) {
		return func(cmd *exec.Cmd, _ *os.File) { cmd.Process.Signal(s) }
	}
	for _, k := range []killed{
		{name: "killed alone", end: send(syscall.SIGKILL), lost: true},
		{name: "killed with all its processes", end: killAll, lost: true},
		{name: "hangup", check: true, end: send(syscall.SIGHUP)},
		{name: "quit", end: send(syscall.SIGQUIT)},
		{name: "closed pipe", check: true, end: func(_ *exec.Cmd, read *os.File) { read.Close() }},
	} {
		t.Run(k.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(len(k.name))))
			k.profile, k.sources = profile, sources
			for range count {
				k.once(t, time.Duration(random.Int64N(int64(1800*time.Millisecond))), random.IntN(2) == 0)
			}
			t.Logf("%d runs; %d left the node changed; of %d the next start told", count, k.changed, k.journals)
		})
	}
}

func (k *killed) once(t *testing.T, moment time.Duration, restore bool) {
	n, scratch := newNode(t, guest), t.TempDir()
	before := listing(t, n.dir)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--profile", k.profile, "--profiles", k.sources, "--root", n.dir, "-o", "json"}
	if k.check {
		args = append(args, "--check")
	}
	cmd := command(t, scratch, args...)
	cmd.Stderr, cmd.Stdout = write, write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	go drain(read)
	time.Sleep(moment)
	k.end(cmd, read)
	cmd.Wait()
	read.Close()
	if k.lost {
		k.next(t, n, scratch, before, restore)
	}
	same(t, before, listing(t, n.dir))
	if files, err := os.ReadDir(scratch); err != nil || len(files) > 0 {
		t.Errorf("after %v temporary files are left: %v, %v", moment, files, err)
	}
	if left := runningWith(t, k.profile); len(left) > 0 {
		t.Errorf("after %v these run on: %q", moment, left)
	}
}

// next starts again on a node on which a run was killed.
func (k *killed) next(t *testing.T, n tree, scratch string, before map[string]string, restore bool) {
	t.Helper()
	journal := filepath.Join(n.dir, ".plimsoll-journal")
	_, err := os.Stat(journal)
	now := listing(t, n.dir)
	delete(now, journal)
	delete(now, journal+".new")
	delete(before, journal)
	if fmt.Sprint(now) != fmt.Sprint(before) {
		if k.changed++; err != nil {
			t.Errorf("the node is changed, and there is no journal: %v", err)
		}
	}
	args := []string{"--profile", k.profile, "--profiles", k.sources, "--check"}
	if restore {
		args = []string{"--restore"}
	}
	var faults strings.Builder
	cmd := command(t, scratch, append(args, "--root", n.dir, "-o", "json")...)
	cmd.Stderr = &faults
	out, fault := cmd.Output()
	if fault != nil {
		t.Errorf("the next start: %v: %s", fault, faults.String())
	}
	if told := strings.Contains(string(out), `"apply.leftBehind"`); told != (err == nil) {
		t.Errorf("the next start tells of a killed run: %t; there was a journal: %t", told, err == nil)
	}
	if err == nil {
		k.journals++
	}
}

// drain reads until nobody writes any more, or the pipe is closed.
func drain(f *os.File) {
	for buffer := make([]byte, 4096); ; {
		if _, err := f.Read(buffer); err != nil {
			return
		}
	}
}

// killAll kills a process with all that it started.
func killAll(cmd *exec.Cmd, _ *os.File) {
	all := []int{cmd.Process.Pid}
	for i := 0; i < len(all); i++ {
		all = append(all, children(all[i])...)
	}
	var each sync.WaitGroup
	for _, pid := range all {
		each.Go(func() { syscall.Kill(pid, syscall.SIGKILL) })
	}
	each.Wait()
}

// children are those of a process.
func children(pid int) (out []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		text, _ := os.ReadFile(f)
		_, rest, _ := strings.Cut(string(text), ") ") // the name before it may hold anything
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			out = append(out, child)
		}
	}
	return out
}
