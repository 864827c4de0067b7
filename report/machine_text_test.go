package report

import (
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// drawn is the text of one machine in so many columns.
func drawn(m v1alpha1.MachineMap, width int) string {
	t := newText(Options{Width: width}, Table)
	t.machine(m, Machines{})
	return t.b.String()
}

func TestSmallestMachine(t *testing.T) {
	want := `  perf-node-1: 1 socket x 2 cores
  CPU manager static, memory manager None, topology manager none
    NUMA 0, socket 0
      cpu 0 .. 1  # A
    A  cpumanager-1  Guaranteed  cpu 1
`
	if got := drawn(placementNamed("small").Machines[0], 80); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestEveryCPUIsDrawn: whatever the width, each CPU has one mark, and the cores of
// the machine begin in the same column.
func TestEveryCPUIsDrawn(t *testing.T) {
	for name, cpus := range map[string]int{"small": 2, "numa": 112, "large": 256} {
		m := placementNamed(name).Machines[0]
		m.Owners = nil
		for i := range m.NUMANodes {
			m.NUMANodes[i].Memory, m.NUMANodes[i].Devices = nil, nil
		}
		for _, width := range []int{40, 60, 80, 200} {
			marks, column := 0, -1
			for line := range strings.Lines(drawn(m, width)) {
				cells, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), machineIndent)
				if !ok {
					continue
				}
				at := 0
				if label, _, found := strings.Cut(strings.TrimPrefix(cells, "cpu "), "  "); found && label != cells {
					rest := cells[len("cpu ")+len(label):]
					at = len(cells) - len(strings.TrimLeft(rest, " "))
				}
				if column < 0 {
					column = at
				}
				if at != column {
					t.Errorf("%s in %d columns: cells at %d and %d", name, width, column, at)
				}
				marks += len(strings.ReplaceAll(cells[at:], " ", ""))
			}
			if marks != cpus {
				t.Errorf("%s in %d columns: %d marks, want %d\n%s", name, width, marks, cpus, drawn(m, width))
			}
		}
	}
}

func TestOwnerMarks(t *testing.T) {
	for owner, want := range map[int]byte{1: 'A', 26: 'Z', 27: 'a', 52: 'z', 53: '0', 62: '9', 63: '*', 0: '*', -1: '*'} {
		if got := podLetters.of(owner); got != want {
			t.Errorf("owner %d: %c, want %c", owner, got, want)
		}
	}
}

func TestMemoryBar(t *testing.T) {
	for want, m := range map[string]v1alpha1.NUMAMemory{
		"[........................]": {Total: 100},
		"[######AAAAAABBBBBB......]": {Total: 100, Reserved: 25,
			Used: []v1alpha1.OwnedMemory{{Owner: 1, Size: 25}, {Owner: 2, Size: 25}}},
		"[AAAAAAAAAAAAAAAAAAAAAAAA]": {Total: 100, Used: []v1alpha1.OwnedMemory{{Owner: 1, Size: 300}}},
	} {
		if got := memoryBar(m, podLetters); got != want {
			t.Errorf("%+v: %s, want %s", m, got, want)
		}
	}
}

func TestAlike(t *testing.T) {
	reasons := func(cpu int) []v1alpha1.UnfitReason {
		return []v1alpha1.UnfitReason{{Reason: "Insufficient cpu", Nodes: cpu}}
	}
	types := []v1alpha1.PodOutcome{
		{Name: "runs", Placed: 3},
		{Name: "a", Pending: 1, Reasons: reasons(4), Message: "0/5", Preemption: "0/5 nodes are available: none."},
		{Name: "b", Pending: 7, Reasons: reasons(5), Message: "0/5 too", Preemption: "0/5 nodes are available: nobody."},
		{Name: "c", Pending: 2, Reasons: reasons(5), Preemption: "would take the place of 1 a on n"},
	}
	groups := alike(types, false)
	if len(groups) != 2 || groups[0].title() != "8 pods pending of 2 types: b x7, a x1" ||
		groups[1].title() != "c: 2 pods pending" {
		t.Fatalf("got %+v", groups)
	}
	got := strings.Join(groups[0].reasons(false, 5), "|")
	if got != "Insufficient cpu on 4-5 of 5 nodes|preemption would not help" {
		t.Errorf("got %s", got)
	}
	got = strings.Join(groups[1].reasons(false, 5), "|")
	if got != "Insufficient cpu on 5 of 5 nodes|preemption would take the place of 1 a on n" {
		t.Errorf("got %s", got)
	}
	if n := len(alike(types, true)); n != 3 {
		t.Errorf("apart they are %d", n)
	}
}

func TestWhatIfs(t *testing.T) {
	p := &v1alpha1.Placement{PodTypes: []v1alpha1.PodOutcome{{Name: "web"}, {Name: "db"}}}
	homeless := []v1alpha1.PodsCount{{PodType: 0, Count: 1200}, {PodType: 1, Count: 1}}
	for want, w := range map[string]any{
		"any 1 node fails: nothing was tried": v1alpha1.Loss{What: "any 1 node"},
		"any 1 node fails: every pod runs again, whichever it is (7 tried: all)": v1alpha1.Loss{What: "any 1 node", Tried: 7,
			Survived: 7, How: "all"},
		"any rack fails: every pod runs again in 1 of 2 cases (all); " +
			"at worst, without n1, no place for web x1,200, db x1": v1alpha1.Loss{
			What: "any rack", Tried: 2, Survived: 1, How: "all", Worst: "n1", Homeless: homeless,
		},
		"rolling update, 4 batches, 40 min: every pod keeps a place, with up to 3 at a time": v1alpha1.Drain{
			What: "rolling update", Batches: 4, MaxUnavailable: 1, Duration: 2400, MostUnavailable: 3,
		},
		"rolling update, 4 batches: every pod keeps a place, with at least 3 at a time": v1alpha1.Drain{
			What: "rolling update", Batches: 4, MaxUnavailable: 1, MostUnavailable: 3, AtLeast: true,
		},
		"rolling update, 1 batch: no place for db x1 with n1 drained; " +
			"not even one node at a time would keep all running": v1alpha1.Drain{
			What: "rolling update", Batches: 1, Worst: "n1", Homeless: homeless[1:],
		},
		"rolling update, 2 batches: no place for db x1 with n1, n2 drained; " +
			"up to 1 at a time would keep all running": v1alpha1.Drain{
			What: "rolling update", Batches: 2, Worst: "n1, n2", Homeless: homeless[1:], MostUnavailable: 1,
		},
	} {
		got := ""
		switch w := w.(type) {
		case v1alpha1.Loss:
			got = whatIfs(&v1alpha1.Placement{PodTypes: p.PodTypes, Losses: []v1alpha1.Loss{w}}, 0)[0].Text
		case v1alpha1.Drain:
			got = drainText(p, w, 0)
		}
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// Without a memory manager nobody knows from which NUMA node a pod takes its pages: that none
// are used would be wrong.
func TestPagesOfNoNode(t *testing.T) {
	doc, err := scenario.Read("t.yaml", []byte(`apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {release: "4.17"}
hardware:
  nodeTypes:
    - {name: w, count: 1, cpus: 16, memory: 64Gi, topology: "2 sockets x 1 numa x 4 cores x 2 threads",
       hugePages: {1Gi: 8Gi}, kubelet: {cpuManagerPolicy: static, reservedSystemCPUs: "0"}}
workload:
  podTypes:
    - {name: a, cpu: 4, cpuLimit: 4, memory: 1Gi, memoryLimit: 1Gi, hugePages: {1Gi: 1Gi}}`))
	if err != nil {
		t.Fatal(err)
	}
	made := plan.Make(doc.Scenario, doc.Assumptions, facts.Load())
	made.Scenario = doc.Scenario
	out := placementOf(t, newIndex(made, Options{}).placedPods(), Table, Options{})
	if strings.Contains(out, "0 B of 4 GiB") || !strings.Contains(out, "4 GiB, not assigned by NUMA node") {
		t.Errorf("pages of a NUMA node:\n%s", out)
	}
}
