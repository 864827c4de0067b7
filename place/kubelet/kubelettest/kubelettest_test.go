package kubelettest

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// The fixtures promise at least twenty machines and forty combinations of policies.
func TestBreadth(t *testing.T) {
	names := map[string]bool{}
	for _, s := range Machines() {
		if names[s.Name] {
			t.Errorf("two machines are called %s", s.Name)
		}
		names[s.Name] = true
	}
	if len(names) < 20 {
		t.Errorf("%d machines, want 20", len(names))
	}
	names = map[string]bool{}
	for _, p := range Policies() {
		names[p.Name] = true
	}
	if len(names) < 40 || len(names) != len(Policies()) {
		t.Errorf("%d policies by name, %d in all", len(names), len(Policies()))
	}
	names = map[string]bool{}
	for _, s := range HandMade() {
		if names[s.Name] {
			t.Errorf("two sessions are called %q", s.Name)
		}
		names[s.Name] = true
	}
}

// Each machine is one that could be: CPUs in order, cores named by their lowest
// thread and within one NUMA node, nodes that exist, square distances.
func TestMachines(t *testing.T) {
	shapes := append(Machines(), EightPaged())
	for seed := range uint64(300) {
		shapes = append(shapes, RandomShape(seed))
	}
	for _, s := range shapes {
		checkCPUs(t, s)
		for _, n := range s.Machine.Nodes {
			if len(n.Distances) != len(s.Machine.Nodes) {
				t.Errorf("%s: node %d has %d distances", s.Name, n.ID, len(n.Distances))
			}
			pages := unit.Bytes(0)
			for _, p := range n.HugePages {
				pages += p
			}
			if pages >= n.Memory || n.Memory <= 0 {
				t.Errorf("%s: node %d has %v of memory and %v of pages", s.Name, n.ID, n.Memory, pages)
			}
		}
		ids := map[string]bool{}
		for _, d := range s.Machine.Devices {
			if key := d.Resource + " " + d.ID; ids[key] {
				t.Errorf("%s: two devices are called %s", s.Name, key)
			} else {
				ids[key] = true
			}
		}
	}
}

func checkCPUs(t *testing.T, s Shape) {
	t.Helper()
	cores, last := map[int]topo.CPU{}, -1
	for _, c := range s.Machine.CPUs {
		if c.ID <= last {
			t.Errorf("%s: CPU %d after %d", s.Name, c.ID, last)
		}
		last = c.ID
		first, known := cores[c.Core]
		if !known {
			cores[c.Core] = c
			if c.Core != c.ID {
				t.Errorf("%s: core %d has the lowest thread %d", s.Name, c.Core, c.ID)
			}
		} else if first.Node != c.Node || first.Socket != c.Socket || first.Cache != c.Cache {
			t.Errorf("%s: core %d is torn apart", s.Name, c.Core)
		}
		if !slices.ContainsFunc(s.Machine.Nodes, func(n topo.Node) bool { return n.ID == c.Node }) {
			t.Errorf("%s: CPU %d is on node %d, which is none", s.Name, c.ID, c.Node)
		}
	}
}

// A seed is a session; another seed is another one.
func TestSeeds(t *testing.T) {
	kinds := map[string]bool{}
	for seed := range uint64(200) {
		s := Random(seed)
		if !reflect.DeepEqual(s, Random(seed)) {
			t.Fatalf("seed %d gives two sessions", seed)
		}
		kinds[s.Name] = true
		uids := map[string]bool{}
		for _, e := range s.Events {
			switch {
			case e.Admit == nil && !uids[e.Remove]:
				t.Errorf("%s: %q goes before it comes", s.Name, e.Remove)
			case e.Admit != nil && uids[e.Admit.UID]:
				t.Errorf("%s: %q comes twice", s.Name, e.Admit.UID)
			case e.Admit != nil:
				uids[e.Admit.UID] = true
			}
		}
	}
	if len(kinds) != 200 {
		t.Errorf("200 seeds give %d sessions", len(kinds))
	}
}

// What is written is read back, machines that are left out included.
func TestFile(t *testing.T) {
	var want []Recorded
	for seed := range uint64(5) {
		want = append(want, Recorded{Session: Random(seed), Answers: []kubelet.Verdict{{Admitted: true, QOS: "Burstable",
			Containers: []kubelet.Allocation{{Container: "c0", CPUs: unit.CPUSetOf(1, 65), Affinity: []int{0}}}}}})
		want = append(want, Recorded{Session: want[len(want)-1].Session, Refused: "no"})
	}
	var file bytes.Buffer
	if err := Write(&file, want); err != nil {
		t.Fatal(err)
	}
	i := 0
	for got, err := range Read(bytes.NewReader(file.Bytes())) {
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Machine, want[i].Machine) || got.Refused != want[i].Refused || got.Name != want[i].Name {
			t.Errorf("session %d: got %v", i, got)
		}
		if at, what := FirstDifference(want[i].Answers, got.Answers); at >= 0 {
			t.Error(what)
		}
		if !reflect.DeepEqual(events(got), events(want[i])) {
			t.Errorf("session %d: other events", i)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d of %d sessions read", i, len(want))
	}
	for _, err := range Read(bytes.NewReader(file.Bytes()[:file.Len()/2])) {
		if err != nil {
			return
		}
	}
	t.Error("half a file is read without an error")
}

// events as text, in which nil and empty are the same.
func events(r Recorded) string {
	var b strings.Builder
	for _, e := range r.Events {
		if e.Admit != nil {
			b.WriteString(e.Admit.UID)
			for _, c := range slices.Concat(e.Admit.Init, e.Admit.Containers) {
				b.WriteString(c.Name)
			}
		}
		b.WriteString("-" + e.Remove)
	}
	return b.String()
}

func TestDifference(t *testing.T) {
	base := func() kubelet.Verdict {
		return kubelet.Verdict{Admitted: false, QOS: "Guaranteed", Reason: "R", Message: "m",
			Containers: []kubelet.Allocation{{
				Container: "c0", CPUs: unit.CPUSetOf(1), Affinity: []int{0}, Preferred: true,
				Memory: []kubelet.MemoryBlock{{Nodes: []int{0}, Type: "memory", Size: 5},
					{Nodes: []int{0}, Type: "hugepages-2Mi", Size: 2}},
				Devices: map[string][]string{"r": {"a", "b"}},
			}}}
	}
	same := map[string]func(v *kubelet.Verdict){
		"nothing": func(*kubelet.Verdict) {},
		"slow":    func(v *kubelet.Verdict) { v.Slow = "yes" },
		"a container without a thing": func(v *kubelet.Verdict) {
			v.Containers = append(v.Containers, kubelet.Allocation{Container: "c1"})
		},
		"order of blocks": func(v *kubelet.Verdict) { slices.Reverse(v.Containers[0].Memory) },
	}
	for name, change := range same {
		got := base()
		change(&got)
		if d := Difference(base(), got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	other := map[string]func(v *kubelet.Verdict){
		"admitted":  func(v *kubelet.Verdict) { v.Admitted = true },
		"class":     func(v *kubelet.Verdict) { v.QOS = "Burstable" },
		"reason":    func(v *kubelet.Verdict) { v.Reason = "S" },
		"message":   func(v *kubelet.Verdict) { v.Message = "n" },
		"hangs":     func(v *kubelet.Verdict) { v.Reason = kubelet.Hangs },
		"preempted": func(v *kubelet.Verdict) { v.Preempted = []string{"x"} },
		"container": func(v *kubelet.Verdict) { v.Containers = nil },
		"name":      func(v *kubelet.Verdict) { v.Containers[0].Container = "d" },
		"cpus":      func(v *kubelet.Verdict) { v.Containers[0].CPUs.Add(2) },
		"affinity":  func(v *kubelet.Verdict) { v.Containers[0].Affinity = []int{1} },
		"preferred": func(v *kubelet.Verdict) { v.Containers[0].Preferred = false },
		"memory":    func(v *kubelet.Verdict) { v.Containers[0].Memory[0].Size++ },
		"nodes":     func(v *kubelet.Verdict) { v.Containers[0].Memory[0].Nodes = []int{0, 1} },
		"blocks":    func(v *kubelet.Verdict) { v.Containers[0].Memory = v.Containers[0].Memory[:1] },
		"devices":   func(v *kubelet.Verdict) { v.Containers[0].Devices["r"][1] = "c" },
		"one more":  func(v *kubelet.Verdict) { v.Containers = append(v.Containers, v.Containers[0]) },
	}
	for name, change := range other {
		got := base()
		change(&got)
		if Difference(base(), got) == "" || Difference(got, base()) == "" {
			t.Errorf("%s: no difference", name)
		}
	}
	open := base()
	open.Message = ""
	if d := Difference(open, base()); d != "" {
		t.Errorf("a message that is left to chance: %s", d)
	}
}

// Shrink leaves the two events that it takes.
func TestShrink(t *testing.T) {
	s := Session{}
	for i := range 37 {
		s.Events = append(s.Events, Event{Remove: string(rune('A' + i))})
	}
	has := func(s Session, uid string) bool {
		return slices.ContainsFunc(s.Events, func(e Event) bool { return e.Remove == uid })
	}
	got := Shrink(s, func(s Session) bool { return has(s, "C") && has(s, "Z") })
	if len(got.Events) != 2 || !has(got, "C") || !has(got, "Z") {
		t.Errorf("got %v", got.Events)
	}
}

// Replay hands the events on in their order and ends where the kubelet hangs.
func TestReplay(t *testing.T) {
	var seen []string
	s := Session{
		Events: []Event{{Admit: &kubelet.Pod{UID: "a"}}, {Remove: "a"}, {Admit: &kubelet.Pod{UID: "b"}}, {Remove: "b"}},
	}
	answers := Replay(s, func(p *kubelet.Pod) kubelet.Verdict {
		seen = append(seen, p.UID)
		if p.UID == "b" {
			return kubelet.Verdict{Reason: kubelet.Hangs}
		}
		return kubelet.Verdict{Admitted: true}
	}, func(uid string) { seen = append(seen, "-"+uid) })
	if len(answers) != 2 || !slices.Equal(seen, []string{"a", "-a", "b"}) {
		t.Errorf("got %v, saw %v", answers, seen)
	}
}
