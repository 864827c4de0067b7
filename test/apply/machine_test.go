package apply

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/engine/apply"
	"plimsoll.dev/internal/need"
)

// ownNetwork makes a process the root of a user namespace with a network of its
// own: its kernel settings below net are real, and touch nobody else's. All others
// are the machine's, which it has no right to set.
func ownNetwork() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}}
}

// TestRealKernelSettings applies a profile to the real /proc/sys of a network
// namespace, without a simulated node.
func TestRealKernelSettings(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	sources := set(t, map[string]string{"p": "[sysctl]\nnet.ipv4.ip_forward=1\nnet.core.somaxconn=>1234567\n" +
		"net.ipv4.ip_local_port_range=\"1024 65535\"\n" +
		"net.ipv4.tcp_fastopen=<9\nnet.ipv4.no_such_thing=1\n"})
	r := resultOfTheMachine(t, errand{Profile: "p", ThisMachine: true, Once: true, Sources: []string{sources}})
	got := map[string]string{}
	for _, v := range r.Values {
		got[v.Option] = string(v.State)
		if v.State == "changed" && (*v.Before == *v.After || *v.RolledBack != *v.Before) {
			t.Errorf("%s: %s, %s, %s", v.Option, *v.Before, *v.After, *v.RolledBack)
		}
		if v.Option == "net.ipv4.ip_local_port_range" && strings.Join(strings.Fields(*v.After), " ") != "1024 65535" {
			t.Errorf("the port range is %s", *v.After)
		}
	}
	want := map[string]string{"net.ipv4.ip_forward": "changed", "net.core.somaxconn": "changed",
		"net.ipv4.ip_local_port_range": "changed", "net.ipv4.tcp_fastopen": "kept", "net.ipv4.no_such_thing": "missing"}
	if d := cmp.Diff(want, got); d != "" || !r.Applied || !r.RolledBack || !r.Restored {
		t.Errorf("%s\n%+v", d, r)
	}
}

// resultOfTheMachine waits until nobody else tunes the machine: other runs of this test do.
func resultOfTheMachine(t *testing.T, e errand) *apply.Result {
	t.Helper()
	e.State = t.TempDir()
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		r, fault := tryResult(t, program(t, e, ownNetwork()))
		busy := strings.Contains(fault, "another process applies a profile") ||
			strings.Contains(fault, "TuneD runs on this machine already")
		if fault != "" && (!busy || time.Now().After(end)) {
			t.Fatal(fault)
		}
		if fault == "" {
			return r
		}
	}
}

// TestARunWaitsForTheMachine: another one has its lock.
func TestARunWaitsForTheMachine(t *testing.T) {
	path := need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	held, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	e := errand{Profile: "p", ThisMachine: true, Once: true, State: t.TempDir(),
		Sources: []string{set(t, map[string]string{"p": "[sysctl]\nnet.ipv4.ip_forward=1\n"})}}
	if _, fault := tryResult(t, program(t, e, ownNetwork())); !strings.Contains(fault,
		"another process applies a profile") {
		t.Fatalf("it doesn't see the lock: %q", fault)
	}
	time.AfterFunc(time.Second, func() { held.Close() })
	if r := resultOfTheMachine(t, e); !r.Applied || !r.Restored {
		t.Errorf("%+v", r)
	}
}

// TestAnybodyCanTuneASimulatedNode: without being root, as in a container's or a
// developer's session.
func TestAnybodyCanTuneASimulatedNode(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	n := newNode(t, guest)
	sources := set(t, map[string]string{"p": "[sysctl]\nvm.swappiness=10\n[vm]\ntransparent_hugepages=never\n"})
	cmd := program(t, errand{Profile: "p", Root: n.dir, Once: true, Sources: []string{sources}}, nil)
	if os.Geteuid() == 0 {
		give(t, n.dir, sources, cmd)
	}
	before := listing(t, n.dir)
	r := result(t, cmd)
	same(t, before, listing(t, n.dir))
	if r.HashBefore != r.HashAfter || !r.Verified || !r.RolledBack || value(t, r, "vm.swappiness", "").State != "changed" {
		t.Errorf("%+v", r)
	}
}

// give makes everything nobody's, and lets nobody reach it.
func give(t *testing.T, node, sources string, cmd *exec.Cmd) {
	t.Helper()
	const nobody = 65534
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	scratch := t.TempDir()
	text, err := os.ReadFile(cmd.Path)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = filepath.Join(scratch, "program")
	if err := os.WriteFile(cmd.Path, text, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "TMPDIR="+scratch)
	for _, dir := range []string{node, sources, scratch} {
		for up := filepath.Dir(dir); up != "/" && strings.HasPrefix(up, os.TempDir()+"/"); up = filepath.Dir(up) {
			if err := os.Chmod(up, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		err := filepath.Walk(dir, func(path string, _ os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, nobody, nobody)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
