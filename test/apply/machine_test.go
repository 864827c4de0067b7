package apply

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	r := result(t, program(t, errand{Profile: "p", ThisMachine: true, Once: true, Sources: []string{sources},
		State: t.TempDir()}, ownNetwork()))
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

// TestItsOwnTuneDIsNoOther: a reload on a machine looks whether another one has been started meanwhile.
func TestItsOwnTuneDIsNoOther(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	cmd := program(t, errand{Profile: "p", ThisMachine: true, Again: true, State: t.TempDir(),
		Sources: []string{set(t, map[string]string{"p": "[sysctl]\nnet.ipv4.ip_forward=1\n"})}}, ownNetwork())
	var said strings.Builder
	cmd.Stderr = &said
	if out, err := cmd.Output(); err != nil || said.Len() > 0 || !strings.Contains(string(out), `"restored":true`) {
		t.Errorf("%v, %s, %s", err, said.String(), out)
	}
}

// TestOneRunOnTheMachine: another one has its lock, which nobody can take but root: TuneD's
// program, that anybody can open, is none.
func TestOneRunOnTheMachine(t *testing.T) {
	path := need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	e := errand{Profile: "p", ThisMachine: true, Once: true, State: filepath.Join(t.TempDir(), "state"),
		Sources: []string{set(t, map[string]string{"p": "[sysctl]\nnet.ipv4.ip_forward=1\n"})}}
	defer locked(t, path)()
	if r := result(t, program(t, e, ownNetwork())); !r.Applied || !r.Restored {
		t.Errorf("%+v", r)
	}
	if info, err := os.Stat(e.State); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others may take the lock: %v, %v", info.Mode(), err)
	}
	defer locked(t, e.State)()
	if _, fault := tryResult(t, program(t, e, ownNetwork())); !strings.Contains(fault,
		"another process applies a profile") {
		t.Errorf("it doesn't see the lock: %q", fault)
	}
}

// locked locks a file until the function is called that it returns.
func locked(t *testing.T, path string) func() {
	t.Helper()
	held, err := os.Open(path)
	if err == nil {
		err = syscall.Flock(int(held.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() { held.Close() }
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
