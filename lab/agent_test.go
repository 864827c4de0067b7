package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestAgent has an agent look after a simulated node with the real TuneD: it applies what the Profile names, follows a
// change of the Tuned object, has it again after it was killed, keeps it while no agent runs, and puts the node back
// when the Profile is taken away.
func TestAgent(t *testing.T) {
	t.Parallel()
	haveTuned(t)
	k := newTended(t)
	defer k.end()
	agent := k.start()
	k.until(time.Minute, "the profile is applied", func() bool { return k.has("131072") })
	k.until(time.Minute, "the node says so", func() bool { return k.applied1("maps") })

	k.changed("262144")
	k.until(time.Minute, "the change is applied", func() bool { return k.has("262144") })

	agent.stop(syscall.SIGKILL)
	agent = k.start()
	k.until(time.Minute, "it is applied after a kill", func() bool {
		return k.has("262144") && k.applied1("maps") && strings.Contains(agent.log.String(), "applied true")
	})

	agent.stop(syscall.SIGTERM)
	if !k.has("262144") {
		t.Error("the node does not keep its profile over the end of an agent")
	}
	agent = k.start()
	k.until(time.Minute, "the next one takes over", func() bool {
		if !k.has("262144") {
			t.Fatal("the node is without its profile in between")
		}
		return strings.Contains(agent.log.String(), "applied true")
	})

	k.asked(false)
	k.until(time.Minute, "the node is put back, and its agent says so", func() bool {
		return k.has("65530") && strings.Contains(agent.log.String(), "the node has no profile")
	})
	agent.stop(syscall.SIGTERM)
	if !k.has("65530") {
		t.Error("the end of the agent left something else")
	}
}

// TestAgentKilled ends or kills the agent at random moments, alone or with its TuneD, while it is to keep the node's
// profile over its end or not. After its next start the node has the profile, or where nobody asks for one by then what
// it had before, byte for byte. At the end the node keeps its profile over one end by a signal after the other.
//
// PLIMSOLL_KILLS=100, or "make kill-agent", is the large one.
func TestAgentKilled(t *testing.T) {
	t.Parallel()
	haveTuned(t)
	k := newTended(t)
	defer k.end()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	before := k.tree()
	was := func() bool { return maps.Equal(k.tree(), before) }
	keep := func() string { return fmt.Sprint("--keep-on-exit=", random.IntN(2) == 0) }
	var applied, old int
	for i := range number("PLIMSOLL_KILLS", 4) {
		k.asked(true)
		agent := k.start(keep())
		time.Sleep(time.Duration(random.Int64N(int64(2500 * time.Millisecond))))
		agent.killed(random.IntN(3))
		asked := i == 0 || i > 1 && random.IntN(2) == 0 // each at least once, of two or more
		k.asked(asked)
		last := keep()
		agent = k.start(last)
		if asked {
			k.until(time.Minute, "the profile is applied again", func() bool {
				return k.has("131072") && k.applied1("maps") && strings.Contains(agent.log.String(), "applied true")
			})
			applied++
		} else {
			k.until(time.Minute, "the node is what it was", was)
			old++
		}
		agent.stop(syscall.SIGTERM)
		if last == "--keep-on-exit=false" && !was() {
			t.Fatalf("the end of the agent left %v, and not %v", k.tree(), before)
		}
	}
	k.asked(true)
	agent := k.start()
	k.until(time.Minute, "the profile is applied", func() bool { return k.has("131072") && k.applied1("maps") })
	agent.stop(syscall.SIGTERM)
	for range number("PLIMSOLL_KILLS", 2) {
		k.keepsOn(random)
	}
	k.asked(false)
	agent = k.start()
	k.until(time.Minute, "the node is what it was at the end", was)
	agent.stop(syscall.SIGTERM)
	t.Logf("after %d kills the node had the profile again, after %d its old values", applied, old)
}

// keepsOn demands that the node keeps its profile, also over ends of agents that have just begun, and over one that
// changes it: what the journal has then is for the next one to go on with.
func (k *tended) keepsOn(random *rand.Rand) {
	k.t.Helper()
	soon := func() { time.Sleep(time.Duration(random.Int64N(int64(1200 * time.Millisecond)))) }
	for ended := range 3 {
		if !k.has("131072") || !k.keeps() {
			k.t.Fatalf("after %d ends of agents that had just begun the node does not keep its profile", ended)
		}
		agent := k.start()
		soon()
		agent.stop(syscall.SIGTERM)
	}
	agent := k.start()
	k.until(time.Minute, "it is held", func() bool { return k.holds() })
	k.changed("262144")
	soon()
	if agent.stop(syscall.SIGTERM); !k.keeps() {
		k.t.Fatal("the node does not keep its profile over an end in the middle of a change")
	}
	agent = k.start()
	k.until(time.Minute, "the change is applied", func() bool { return k.has("262144") && k.holds() })
	if agent.stop(syscall.SIGTERM); !k.keeps() {
		k.t.Fatal("the node does not keep its profile after the change")
	}
	k.changed("131072")
	agent = k.start()
	k.until(time.Minute, "it is changed back", func() bool { return k.has("131072") && k.holds() })
	agent.stop(syscall.SIGTERM)
}

// keeps says whether the journal says that the node keeps its profile.
func (k *tended) keeps() bool { return strings.Contains(k.journal(), `"kept":true`) }

// holds says whether it says that an agent has begun with what it keeps.
func (k *tended) holds() bool { return k.journal() != "" && !k.keeps() }

func (k *tended) journal() string {
	text, _ := os.ReadFile(filepath.Join(k.node, ".plimsoll-journal"))
	return string(text)
}

// changed has the profile set so many maps.
func (k *tended) changed(maps string) {
	k.t.Helper()
	tuneds := k.dynamic().Resource(tunedAPI.WithResource("tuneds")).Namespace(tunedNamespace)
	k.tuned.Object["spec"] = tunedOf(maps)["spec"]
	var err error
	if k.tuned, err = tuneds.Update(k.t.Context(), k.tuned, metav1.UpdateOptions{}); err != nil {
		k.t.Fatal(err)
	}
}

// killed ends an agent in one of three ways: as a DaemonSet does, by a kill, or by one of its TuneD, too.
func (r *replica) killed(how int) {
	if how == 0 {
		r.stop(syscall.SIGTERM)
		return
	}
	started := r.children()
	r.stop(syscall.SIGKILL)
	for _, pid := range started {
		if how == 2 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// haveTuned skips the test at a desk without the real TuneD.
func haveTuned(t *testing.T) {
	t.Helper()
	for _, file := range []string{"/usr/sbin/tuned", "/usr/bin/tuned"} {
		if _, err := os.Stat(file); err == nil {
			break
		} else if file == "/usr/bin/tuned" {
			t.Skip("TuneD is not installed")
		}
	}
}

// tended is a simulated node, with its Profile and the Tuned object that it names on a laboratory.
type tended struct {
	*lab
	program, config, node string
	tuned                 *unstructured.Unstructured
}

func newTended(t *testing.T) *tended {
	t.Helper()
	dir := t.TempDir()
	k := &tended{program: controllers(t), node: filepath.Join(t.TempDir(), "node")}
	for _, sub := range []string{"proc/sys/vm", "sys/block", "sys/class/net"} {
		if err := os.MkdirAll(filepath.Join(k.node, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(k.node, mapCount), []byte("65530\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	fill(t, dir, `{"profile": "fast", "platform": "openshift"}`, machine(1))
	k.lab = begin(t, dir)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the journal says:\n%s\nand the node has %v", k.journal(), k.tree())
		}
	})
	k.namespace(tunedNamespace)
	k.applied("../controller/deploy/agent.yaml")
	k.config = k.asController("plimsoll-agent", filepath.Join(dir, "agent.yaml"))
	k.tuned = k.create(tunedAPI.WithResource("tuneds"), tunedOf("131072"))
	k.asked(true)
	return k
}

const mapCount = "proc/sys/vm/max_map_count"

// asked says whether the node is to have the profile.
func (k *tended) asked(is bool) {
	k.t.Helper()
	profiles := k.dynamic().Resource(tunedAPI.WithResource("profiles")).Namespace(tunedNamespace)
	var err error
	if is {
		_, err = profiles.Create(k.t.Context(), &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": tunedAPI.String(), "kind": "Profile", "metadata": map[string]any{"name": "node-1"},
			"spec": map[string]any{"config": map[string]any{"tunedProfile": "maps"}}}}, metav1.CreateOptions{})
	} else {
		err = profiles.Delete(k.t.Context(), "node-1", metav1.DeleteOptions{})
	}
	if err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsNotFound(err) {
		k.t.Fatal(err)
	}
}

func (k *tended) start(more ...string) *replica {
	k.t.Helper()
	return k.started(exec.Command(k.program, append([]string{"agent", "--kubeconfig", k.config, "--node", "node-1",
		"--root", k.node, "--every", "200ms"}, more...)...))
}

// children are the processes that a replica has started (proc(5), /proc/pid/task/tid/children).
func (r *replica) children() (out []int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", r.cmd.Process.Pid))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// has says whether the node has so many maps.
func (k *tended) has(want string) bool {
	text, _ := os.ReadFile(filepath.Join(k.node, mapCount))
	return strings.TrimSpace(string(text)) == want
}

// tree is each file of the node with its text.
func (k *tended) tree() map[string]string {
	k.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(k.node, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".plimsoll-journal") {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		k.t.Fatal(err)
	}
	return out
}

// tunedOf is a Tuned object whose profile sets so many maps.
func tunedOf(maps string) map[string]any {
	return map[string]any{"apiVersion": tunedAPI.String(), "kind": "Tuned",
		"metadata": map[string]any{"name": "mine", "namespace": tunedNamespace},
		"spec": map[string]any{"profile": []any{map[string]any{"name": "maps",
			"data": "[main]\nsummary=maps\n[sysctl]\nvm.max_map_count=" + maps + "\n"}}}}
}

// applied1 says whether the Profile of node-1 says that the profile is applied.
func (l *lab) applied1(profile string) bool {
	p, err := l.dynamic().Resource(tunedAPI.WithResource("profiles")).Namespace(tunedNamespace).
		Get(l.t.Context(), "node-1", metav1.GetOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	name, _, _ := unstructured.NestedString(p.Object, "status", "tunedProfile")
	list, _, _ := unstructured.NestedSlice(p.Object, "status", "conditions")
	for _, c := range list {
		one, _ := c.(map[string]any)
		if one["type"] == "Applied" {
			return name == profile && fmt.Sprint(one["status"]) == "True"
		}
	}
	return false
}
