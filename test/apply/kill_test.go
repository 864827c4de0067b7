package apply

import (
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// spot is what a run is applied to: a simulated node, or the machine.
type spot struct {
	args []string
	// journal is a pattern that its journals match.
	journal string
	// look lists what is there, but for journals.
	look func() map[string]string
}

// killed ends a run at random moments in one way.
type killed struct {
	name, profile, sources string
	// spot makes one to apply to.
	spot  func(t *testing.T) spot
	check bool
	end   func(cmd *exec.Cmd, read *os.File)
	// lost is set where nobody is left to put the node back.
	lost bool
	// journals counts the runs of which the next start said something.
	journals, changed int
}

// TestANodeIsAlwaysPutBack: at once by what was ended, or where that was killed by the
// next start, which says so. Nothing of it is left.
func TestANodeIsAlwaysPutBack(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	profile := own("always-back")
	sources := set(t, map[string]string{profile: "[sysctl]\nvm.swappiness=10\nkernel.panic=1\n[vm]\n" +
		"transparent_hugepages=never\n[script]\nscript=${i:PROFILE_DIR}/new.sh\n"})
	script := "#!/bin/sh\n[ $1 = start ] && echo 1 >/sys/module/new || rm -f /sys/module/new\n"
	if err := os.WriteFile(filepath.Join(sources, profile, "new.sh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	endings(t, killed{profile: profile, sources: sources, spot: func(t *testing.T) spot {
		n := newNode(t, guest)
		journal := filepath.Join(n.dir, ".plimsoll-journal")
		return spot{[]string{"--root", n.dir}, journal + "*", func() map[string]string {
			all := listing(t, n.dir)
			delete(all, journal)
			delete(all, journal+".new")
			return all
		}}
	}})
}

// insideVariable says that the test runs in namespaces of its own.
const insideVariable = "PLIMSOLL_INSIDE"

// TestTheMachineIsAlwaysPutBack is the same of this machine, as far as it is another one:
// with a network of its own, whose settings are real and touch nobody else's, and a /run
// of its own, where the journals are.
func TestTheMachineIsAlwaysPutBack(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	if os.Getenv(insideVariable) == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env, cmd.SysProcAttr = append(os.Environ(), insideVariable+"=1"), ownNetwork()
		out, err := cmd.CombinedOutput()
		if t.Log(string(out)); err != nil {
			t.Error(err)
		}
		return
	}
	if err := syscall.Mount("run", "/run", "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	profile := own("machine-back")
	endings(t, killed{profile: profile, sources: set(t, map[string]string{profile: "[sysctl]\nnet.ipv4.ip_forward=1\n" +
		"net.core.somaxconn=1234567\nnet.ipv4.ip_local_port_range=1024 65535\n"}), spot: func(t *testing.T) spot {
		return spot{[]string{"--this-machine"}, "/run/plimsoll/*", func() map[string]string {
			out := map[string]string{}
			for _, name := range []string{"ipv4/ip_forward", "core/somaxconn", "ipv4/ip_local_port_range"} {
				text, err := os.ReadFile("/proc/sys/net/" + name)
				if err != nil {
					t.Fatal(err)
				}
				out[name] = string(text)
			}
			return out
		}}
	}})
}

// endings ends runs in each way.
func endings(t *testing.T, of killed) {
	count := 3
	if text := os.Getenv(killsVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		count = n
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
			k.profile, k.sources, k.spot = of.profile, of.sources, of.spot
			for range count {
				k.once(t, time.Duration(random.Int64N(int64(1800*time.Millisecond))), random.IntN(2) == 0)
			}
			t.Logf("%d runs; %d left the node changed; of %d the next start told", count, k.changed, k.journals)
		})
	}
}

func (k *killed) once(t *testing.T, moment time.Duration, restore bool) {
	at, scratch := k.spot(t), t.TempDir()
	before := at.look()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--profile", k.profile, "--profiles", k.sources, "-o", "json"}, at.args...)
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
		k.next(t, at, scratch, before, restore)
	}
	same(t, before, at.look())
	if left, _ := filepath.Glob(at.journal); len(left) > 0 {
		t.Errorf("after %v journals are left: %q", moment, left)
	}
	if files, err := os.ReadDir(scratch); err != nil || len(files) > 0 {
		t.Errorf("after %v temporary files are left: %v, %v", moment, files, err)
	}
	if left := runningWith(t, k.profile); len(left) > 0 {
		t.Errorf("after %v these run on: %q", moment, left)
	}
}

// next starts again where a run was killed.
func (k *killed) next(t *testing.T, at spot, scratch string, before map[string]string, restore bool) {
	t.Helper()
	journals, _ := filepath.Glob(at.journal)
	whole := slices.ContainsFunc(journals, func(name string) bool { return filepath.Ext(name) != ".new" })
	if !maps.Equal(at.look(), before) {
		if k.changed++; !whole {
			t.Error("values are changed, and there is no journal")
		}
	}
	args := []string{"--profile", k.profile, "--profiles", k.sources, "--check"}
	if restore {
		args = []string{"--restore"}
	}
	var faults strings.Builder
	cmd := command(t, scratch, slices.Concat(args, at.args, []string{"-o", "json"})...)
	cmd.Stderr = &faults
	out, fault := cmd.Output()
	if fault != nil {
		t.Errorf("the next start: %v: %s", fault, faults.String())
	}
	if told := strings.Contains(string(out), `"apply.leftBehind"`); told != whole {
		t.Errorf("the next start tells of a killed run: %t; there was a journal: %t", told, whole)
	}
	if whole {
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
