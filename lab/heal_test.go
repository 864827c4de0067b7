package main

import (
	"encoding/json"
	"fmt"
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

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// healing is a laboratory whose machines fail, and two replicas that look after them, each of which meets its own
// faults. What the machines go through is written down as a scenario, which "plimsoll tune health simulate" then plays.
type healing struct {
	*lab
	program  string
	all      int // machines at the beginning
	rng      *rand.Rand
	replicas [2]*replica
	between  [2]*faulty
	began    time.Time
	resync   string

	mu     sync.Mutex
	ill    map[string]time.Time // machines whose node is not ready, since when
	there  map[string]bool      // machines that are there
	gone   map[string]bool      // machines that were there
	script []string
	expect []string
	wrong  []string

	kinds []fault       // that are still to befall
	met   map[fault]int // how often replicas were stopped and killed
}

var allFaults = []fault{away, frozen, cut, conflicts, busy, lost, ahead, behind, isStopped, isKilled}

// timeout of the check.
const timeout = 10 * time.Second

// TestHealing has machines fail in waves while everything fails around two replicas of the health controller: the API
// server, which is also restarted, watches, writes, answers, clocks and they themselves. No machine is deleted that the
// rules protect, none before the simulation deletes it, and all of those that it deletes.
//
// PLIMSOLL_MACHINES=1000 and PLIMSOLL_FAULTS=100, or "make heal", is the large one.
func TestHealing(t *testing.T) {
	t.Parallel()
	_ = os.Getenv("PLIMSOLL_SUM")
	h := newHealing(t, number("PLIMSOLL_MACHINES", 100))
	faults := number("PLIMSOLL_FAULTS", 12)
	const waves = 6
	for range waves {
		h.fails(h.all / 20)
		for range faults / waves {
			h.befall()
		}
	}
	h.restarted()
	h.healed("the waves")
	h.tooMany()
	h.simulated()
	h.unknown()
	h.idle()
	h.end()
	for _, of := range allFaults {
		n := h.meetings(of)
		t.Logf("%s: met %d times", of, n)
		if n == 0 {
			t.Errorf("%s: nothing has met it", of)
		}
	}
}

func number(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return otherwise
}

func newHealing(t *testing.T, all int) *healing {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	h := &healing{resync: "10s", program: controllers(t), all: all, rng: rand.New(rand.NewPCG(seed, 0)),
		ill: map[string]time.Time{}, there: map[string]bool{}, gone: map[string]bool{}, met: map[fault]int{}}
	var nodes []corev1.Node
	for i := range all {
		nodes = append(nodes, machine(i))
	}
	dir := t.TempDir()
	fill(t, dir, `{"profile": "fast", "platform": "openshift", "machines": true}`, nodes...)
	h.lab = begin(t, dir)
	h.applied("../controller/deploy/health.yaml")
	h.step()
	h.create(machineAPI.WithResource("machinehealthchecks"), map[string]any{
		"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineHealthCheck",
		"metadata": map[string]any{"name": "workers", "namespace": machines},
		"spec": map[string]any{"maxUnhealthy": "40%",
			"selector": map[string]any{"matchLabels": map[string]any{
				"machine.openshift.io/cluster-api-machine-type": "worker"}},
			"unhealthyConditions": []any{
				map[string]any{"type": "Ready", "status": "False", "timeout": timeout.String()},
				map[string]any{"type": "Ready", "status": "Unknown", "timeout": timeout.String()}}}})
	for i := range h.replicas {
		h.between[i] = newFaulty(t, h.config, h.deletes)
		h.replica(i)
	}
	h.began = time.Now().Truncate(time.Second)
	return h
}

// replica starts one, which sees the API server through its faults.
func (h *healing) replica(i int) {
	h.t.Helper()
	config := h.accountAt(h.between[i].config(), "plimsoll-health",
		filepath.Join(h.dir, fmt.Sprint("replica-", i, ".yaml")))
	h.replicas[i] = h.controller(h.program, config, "health", "--act", "--resync", h.resync)
}

// deletes is asked before a machine is deleted: is it one that the rules do not protect?
func (h *healing) deletes(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone[name] {
		return // an answer was lost, and it is tried again
	}
	since, is := h.ill[name]
	// A condition's time is cut to the second.
	if !is || time.Since(since) < timeout {
		h.wrong = append(h.wrong, fmt.Sprintf("%s, ill: %v since %s", name, is, time.Since(since)))
	}
	if ill := len(h.ill); 100*ill > 40*len(h.there) {
		h.wrong = append(h.wrong, fmt.Sprintf("%s, while %d of %d are ill", name, ill, len(h.there)))
	}
}

// say has the nodes of machines say whether they are ready, all at once.
func (h *healing) say(ready corev1.ConditionStatus, names ...string) {
	h.t.Helper()
	now := metav1.Now().Rfc3339Copy()
	text, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: ready, Reason: "Test", LastHeartbeatTime: now, LastTransitionTime: now}}}})
	if err != nil {
		h.t.Fatal(err)
	}
	h.mu.Lock() // before a controller can know of it
	for _, name := range names {
		if delete(h.ill, name); ready != corev1.ConditionTrue {
			h.ill[name] = now.Time
		}
		h.script = append(h.script, fmt.Sprintf(`{at: %ds, machines: %s, conditions: {Ready: %q}}`,
			int(now.Sub(h.began).Seconds()), name, ready))
	}
	h.mu.Unlock()
	var each errgroup.Group
	each.SetLimit(32)
	for _, name := range names {
		each.Go(func() error {
			_, err := h.CoreV1().Nodes().Patch(h.t.Context(), name, types.StrategicMergePatchType, text, metav1.PatchOptions{},
				"status")
			return err
		})
	}
	if err := each.Wait(); err != nil {
		h.t.Fatal(err)
	}
}

// well are so many of the first machines that are well, drawn at random.
func (h *healing) well(n int) (out []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, i := range h.rng.Perm(h.all) {
		name := fmt.Sprint("node-", i)
		if _, ill := h.ill[name]; h.there[name] && !ill && len(out) < n {
			out = append(out, name)
		}
	}
	return out
}

// fails has the nodes of so many machines cease to be ready.
func (h *healing) fails(n int) {
	h.t.Helper()
	h.say(corev1.ConditionFalse, h.well(n)...)
}

// befall has one of the replicas or both meet a fault for some seconds. The first of each kind befalls both and lasts
// until they have met it: some befall only who leads, and only when a machine is deleted.
func (h *healing) befall() {
	h.t.Helper()
	of, first, one := h.draw()
	lasts := time.Second + time.Duration(h.rng.Int64N(int64(3*time.Second)))
	signal := map[fault]syscall.Signal{isStopped: syscall.SIGSTOP, isKilled: syscall.SIGKILL}[of]
	if signal == 0 {
		h.between[one].set(of)
		if first || h.rng.IntN(2) == 0 {
			h.between[1-one].set(of)
		}
	} else if h.replicas[one].cmd.Process.Signal(signal) == nil {
		h.met[of]++
	}
	began := time.Now()
	waits := func() bool { return first && h.meetings(of) == 0 && time.Since(began) < time.Minute }
	for ; time.Since(began) < lasts || waits(); time.Sleep(100 * time.Millisecond) {
		if h.step(); waits() && h.sick() == 0 {
			h.fails(1)
		}
	}
	h.t.Logf("%s, for %s", of, time.Since(began).Round(100*time.Millisecond))
	for i := range h.between {
		h.between[i].set(none)
	}
	_ = h.replicas[one].cmd.Process.Signal(syscall.SIGCONT)
	h.step()
}

// draw a fault, for a replica: each once, then any.
func (h *healing) draw() (of fault, first bool, one int) {
	if h.kinds == nil {
		h.kinds = slices.Clone(allFaults)
		h.rng.Shuffle(len(h.kinds), func(i, j int) { h.kinds[i], h.kinds[j] = h.kinds[j], h.kinds[i] })
	}
	one = h.rng.IntN(2)
	if len(h.kinds) == 0 {
		return allFaults[h.rng.IntN(len(allFaults))], false, one
	}
	of, h.kinds = h.kinds[0], h.kinds[1:]
	return of, true, one
}

// meetings are how often the replicas have met a fault.
func (h *healing) meetings(of fault) int {
	return h.met[of] + h.between[0].meetings(of) + h.between[1].meetings(of)
}

// restarted has the API server end and begin anew.
func (h *healing) restarted() {
	h.t.Helper()
	h.end()
	if err := os.Remove(filepath.Join(h.dir, readyFile)); err != nil && !os.IsNotExist(err) {
		h.t.Fatal(err)
	}
	h.lab = begin(h.t, h.dir)
}

// step is what a cluster does besides: a replica that ended is started anew. Machines that are gone are written down.
func (h *healing) step() {
	h.t.Helper()
	for i, r := range h.replicas {
		if r == nil {
			continue
		}
		select {
		case <-r.ended:
			h.replica(i)
		default:
		}
	}
	now, seen := map[string]bool{}, time.Now()
	for _, name := range h.machines() {
		now[name] = true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for name := range h.there {
		if !now[name] {
			delete(h.ill, name)
			h.gone[name] = true
			h.expect = append(h.expect, fmt.Sprintf(`{machines: %s, event: MachineDeleted, by: %ds}`, name,
				int(seen.Sub(h.began).Seconds())+1))
		}
	}
	h.there = now
}

// healed waits until no machine is ill.
func (h *healing) healed(after string) {
	h.t.Helper()
	from := time.Now()
	h.until(3*time.Minute, "all that is due is gone", func() bool { h.step(); return h.sick() == 0 })
	h.t.Logf("after %s all that was due was gone within %s", after, time.Since(from).Round(100*time.Millisecond))
	time.Sleep(2 * time.Second) // what happens in one second has no order in a scenario
}

func (h *healing) sick() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.ill)
}

// tooMany fail at once: nothing is deleted until so many are back that the rest is allowed, and then that is.
func (h *healing) tooMany() {
	h.t.Helper()
	names, before := h.well(h.all/2), len(h.expect)
	h.say(corev1.ConditionFalse, names...)
	h.until(time.Minute, "the check says that it is too many", func() bool {
		h.step()
		return h.reason() == "TooManyUnhealthy" && time.Since(h.ill[names[len(names)-1]]) > timeout+5*time.Second
	})
	if len(h.expect) != before {
		h.t.Errorf("of too many that were ill %v were deleted", h.expect[before:])
	}
	h.say(corev1.ConditionTrue, names[40*len(h.there)/100:]...)
	h.healed("the return of some")
}

// reason of the check's condition.
func (h *healing) reason() string {
	h.t.Helper()
	u, err := h.dynamic().Resource(machineAPI.WithResource("machinehealthchecks")).Namespace(machines).
		Get(h.t.Context(), "workers", metav1.GetOptions{})
	if err != nil {
		h.t.Fatal(err)
	}
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range list {
		one, _ := c.(map[string]any)
		if one["type"] == "RemediationAllowed" {
			reason, _ := one["reason"].(string)
			return reason
		}
	}
	return ""
}

// simulated compares with what the program says of the same: each machine that was deleted is deleted there no later
// than it was seen to be gone here, and no other one.
func (h *healing) simulated() {
	h.t.Helper()
	for _, w := range h.wrong {
		h.t.Errorf("deleted: %s", w)
	}
	text := fmt.Sprintf(`apiVersion: plimsoll.dev/v1alpha1
kind: HealthScenario
title: What was seen
releases: [current]
checks:
- name: workers
  selector: {role: worker}
  maxUnhealthy: 40%%
  unhealthyConditions: [{type: Ready, status: "False", timeout: 10s}, {type: Ready, status: Unknown, timeout: 10s}]
machines:
- {names: "node-[0-%d]", role: worker, set: others}
takes: {provision: 0s, join: 0s, ready: 0s, drain: 0s, terminate: 0s}
until: %ds
events:
- %s
expect:
- {event: MachineDeleted, count: %d}
- %s
`, h.all-1, int(time.Since(h.began).Seconds())+2, strings.Join(h.script, "\n- "), len(h.expect),
		strings.Join(h.expect, "\n- "))
	file := filepath.Join(h.dir, "seen.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	out, err := exec.Command(program(h.t), "tune", "health", "simulate", file, "--release", "current").CombinedOutput()
	if err != nil {
		h.t.Errorf("the simulation has another end: %v\n%s\n%s", err, text, out)
	}
	h.t.Logf("%d machines, %d of them deleted as the simulation says", h.all, len(h.expect))
}

// unknown has all nodes become Unknown at once, where the check allows it: nothing is deleted.
func (h *healing) unknown() {
	h.t.Helper()
	checks := h.dynamic().Resource(machineAPI.WithResource("machinehealthchecks")).Namespace(machines)
	if _, err := checks.Patch(h.t.Context(), "workers", types.MergePatchType, []byte(`{"spec": {"maxUnhealthy": "100%"}}`),
		metav1.PatchOptions{}); err != nil {
		h.t.Fatal(err)
	}
	h.say(corev1.ConditionUnknown, h.machines()...)
	before := h.machines()
	h.until(time.Minute, "the check says that all are", func() bool { return h.reason() == "MassUnknown" })
	time.Sleep(timeout)
	if after := h.machines(); !slices.Equal(after, before) {
		h.t.Errorf("all were Unknown at once, and of %v are left %v", before, after)
	}
	h.say(corev1.ConditionTrue, h.machines()...)
}

// idle measures what the replicas take while nothing happens, in a large run.
func (h *healing) idle() {
	h.t.Helper()
	lasts := time.Duration(number("PLIMSOLL_IDLE", 0)) * time.Second
	if lasts == 0 {
		return
	}
	h.resync = "5m" // as it is by itself
	for i, r := range h.replicas {
		r.stop(syscall.SIGTERM)
		h.replica(i)
	}
	time.Sleep(time.Minute) // until pauses are over
	before := [2]time.Duration{h.replicas[0].cpu(), h.replicas[1].cpu()}
	time.Sleep(lasts)
	for i, r := range h.replicas {
		h.t.Logf("replica %d took %.2f %% of a core in %s, and has %d MiB", i,
			100*float64(r.cpu()-before[i])/float64(lasts), lasts, r.memory()>>20)
	}
}

// cpu is the time that a process has taken (proc(5), stat: utime and stime, in hundredths of a second).
func (r *replica) cpu() time.Duration {
	r.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.cmd.Process.Pid))
	if err != nil {
		r.t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// memory is what a process has (proc(5), statm: resident pages).
func (r *replica) memory() int {
	r.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", r.cmd.Process.Pid))
	if err != nil {
		r.t.Fatal(err)
	}
	pages, _ := strconv.Atoi(strings.Fields(string(text))[1])
	return pages * os.Getpagesize()
}
