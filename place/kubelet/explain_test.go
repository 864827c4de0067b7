package kubelet_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/kubelet/kubelettest"
	"plimsoll.dev/unit"
)

// told checks that a step says all of this, and whether it is the one that failed.
func told(t *testing.T, a v1alpha1.Admission, container, title string, failed bool, lines ...string) {
	t.Helper()
	for _, s := range a.Steps {
		if s.Container != container || s.Title != title {
			continue
		}
		if s.Failed != failed {
			t.Errorf("%s of %q: got failed %v, want %v", title, container, s.Failed, failed)
		}
		for _, line := range lines {
			if !slices.Contains(s.Lines, line) {
				t.Errorf("%s of %q: %q is missing in %q", title, container, line, s.Lines)
			}
		}
		return
	}
	t.Errorf("there is no step %s of %q in %+v", title, container, a.Steps)
}

func remedied(t *testing.T, a v1alpha1.Admission, want ...string) {
	t.Helper()
	for _, text := range want {
		if !slices.Contains(a.Remedies, text) {
			t.Errorf("the remedy %q is missing in %q", text, a.Remedies)
		}
	}
}

// Both nodes are part-used; what is left suffices only together.
func TestExplainPartUsedNodes(t *testing.T) {
	m := machine(t, twoByFour, 64*unit.GiB)
	n := start(t, m, staticMemory(staticCPU(1000, "restricted"), m, unit.GiB))
	n.Admit(single("a", app("c", 2000, unit.GiB)))
	n.Admit(single("b", app("c", 2000, unit.GiB)))
	a := n.Explain(single("c", app("main", 3000, unit.GiB)))
	if a.Admitted || a.Reason != kubelet.TopologyAffinityError || a.Pod != "c" || a.QOSClass != "Guaranteed" {
		t.Errorf("got %+v", a)
	}
	told(t, a, "main", "hints of cpu", false,
		"3 CPUs of its own: an idle machine needs 1 NUMA node, so a set of 1 is preferred",
		"NUMA node 0: 1 free: too little", "NUMA node 1: 2 free: too little",
		"NUMA nodes 0 and 1 together: enough, not preferred")
	told(t, a, "main", "hints of memory", false, "NUMA node 0: 62 GiB of memory free: enough, preferred")
	told(t, a, "main", "merge", false, "no set of NUMA nodes is preferred by all")
	told(t, a, "main", "policy restricted", true)
	remedied(t, a, "ask for 2 CPUs in place of 3 CPUs in container main",
		"topologyManagerPolicy best-effort in place of restricted (its CPUs are then on 2 NUMA nodes)",
		"reservedSystemCPUs 4 (NUMA node 1) in place of 0",
		"the end of pod a (2 CPUs of its own)")
}

func TestExplainImpossibleMemory(t *testing.T) {
	m := machine(t, twoByFour, 64*unit.GiB)
	n := start(t, m, staticMemory(staticCPU(1000, "single-numa-node"), m, unit.GiB))
	a := n.Explain(single("a", app("main", 1000, 200*unit.GiB)))
	told(t, a, "main", "hints of memory", false, "the kubelet hands over no list then, and reads that as no opinion")
	told(t, a, "main", "policy single-numa-node", false)
	told(t, a, "main", "allocation of memory", true)
	remedied(t, a, "ask for 63Gi of memory in place of 200Gi of memory in container main") // one node less its reserve
}

func TestExplainDevicesOfTwoNodes(t *testing.T) {
	m := withDevices(machine(t, twoByFour, 64*unit.GiB), nic, 0, 1)
	a := start(t, m, staticCPU(1000, "single-numa-node")).
		Explain(single("a", kubelet.Container{Name: "c", Limits: map[string]int64{nic: 2}}))
	told(t, a, "c", "hints of example.com/nic", false,
		"2 of example.com/nic: an idle machine needs 2 NUMA nodes, so a set of 2 is preferred",
		"NUMA node 0: 1 free: too little", "NUMA nodes 0 and 1 together: enough, preferred")
	told(t, a, "c", "hints of cpu", false, "no opinion: no CPUs of its own, it runs in the shared pool")
	remedied(t, a, "ask for 1 of example.com/nic in place of 2 of example.com/nic in container c",
		"topologyManagerPolicy restricted in place of single-numa-node",
		"run it as 2 pods, each with 1 of example.com/nic",
		"the devices of example.com/nic on NUMA node 0")
}

func TestExplainHang(t *testing.T) {
	c := staticCPU(0, "none")
	c.CPUManagerPolicyOptions = map[string]string{"full-pcpus-only": "true", "distribute-cpus-across-numa": "true"}
	c.ReservedSystemCPUs = unit.CPUSetOf(0, 5, 10, 15)
	n := start(t, machine(t, "2 sockets x 2 numa x 5 cores x 2 threads", 64*unit.GiB), c)
	a := n.Explain(single("a", app("c", 30000, unit.GiB)))
	if a.Reason != kubelet.Hangs {
		t.Errorf("got %q, want %s", a.Reason, kubelet.Hangs)
	}
	remedied(t, a, "the CPU manager without the option distribute-cpus-across-numa",
		"reservedSystemCPUs 0-1,20-21 (NUMA node 0) in place of 0,5,10,15")
	a = n.Explain(single("b", app("c", 3000, unit.GiB)))
	told(t, a, "c", "allocation of CPUs", true, "SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2")
	remedied(t, a, "ask for whole cores: 4 CPUs in container c", "the CPU manager without the option full-pcpus-only")
}

func TestExplainPredicates(t *testing.T) {
	n := start(t, machine(t, "2 cores", 4*unit.GiB), kubelet.Config{MaxPods: 1})
	a := n.Explain(single("a", kubelet.Container{Name: "c", Requests: map[string]int64{"memory": 6 << 30}}))
	told(t, a, "", "predicates", true, "memory: 6 GiB requested, 4 GiB of 4 GiB free")
	remedied(t, a, "ask for 4Gi of memory in place of 6Gi of memory in container c", "3Gi more memory on each NUMA node")
	want(t, n.Admit(single("b", kubelet.Container{Name: "c"})), "")
	remedied(t, n.Explain(single("c", kubelet.Container{Name: "c"})), "maxPods 2 in place of 1",
		"the end of pod b (0 CPUs of its own)")
}

// What is explained is what then happens, and explaining changes nothing.
func TestExplainIsWhatHappens(t *testing.T) {
	for seed := range uint64(150) {
		s := kubelettest.Random(seed)
		n, err := kubelet.New(s.Machine, s.Config)
		if err != nil {
			continue
		}
		for i, e := range s.Events {
			if e.Admit == nil {
				n.Remove(e.Remove)
				continue
			}
			if i%4 != 0 {
				n.Admit(e.Admit)
				continue
			}
			a := n.Explain(e.Admit)
			v := n.Admit(e.Admit)
			if a.Admitted != v.Admitted || a.Reason != v.Reason || a.Message != v.Message || a.Slow != v.Slow {
				t.Fatalf("seed %d, event %d: explained %v %q, then %v %q", seed, i, a.Admitted, a.Message, v.Admitted, v.Message)
			}
			if !v.Admitted && !slices.ContainsFunc(a.Steps, func(s v1alpha1.AdmissionStep) bool { return s.Failed }) &&
				v.Reason != kubelet.Hangs {
				t.Fatalf("seed %d, event %d: no step failed in %+v", seed, i, a)
			}
			for _, r := range a.Remedies {
				if strings.TrimSpace(r) == "" {
					t.Fatalf("seed %d, event %d: an empty remedy", seed, i)
				}
			}
		}
	}
}

// A class is admitted as its pod is; what the containers then hold can be asked.
func TestAdmitClass(t *testing.T) {
	for seed := range uint64(100) {
		s := kubelettest.Random(seed)
		n, err := kubelet.New(s.Machine, s.Config)
		if err != nil {
			continue
		}
		byClass := n.Clone()
		for i, e := range s.Events {
			if e.Admit == nil {
				n.Remove(e.Remove)
				byClass.Remove(e.Remove)
				continue
			}
			first, second := n.Admit(e.Admit), byClass.AdmitClass(n.Compile(e.Admit), e.Admit.UID)
			first.Containers = nil
			if !reflect.DeepEqual(first, second) {
				t.Fatalf("seed %d, event %d: the pod %+v, the class %+v", seed, i, first, second)
			}
			if a, b := n.Holds(e.Admit.UID), byClass.Holds(e.Admit.UID); !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d, event %d: the pod holds %+v, the class %+v", seed, i, a, b)
			}
		}
	}
}

// A clone answers as its original does, and neither touches the other.
func TestCloneIsIndependent(t *testing.T) {
	for seed := range uint64(200) {
		s := kubelettest.Random(seed)
		n, err := kubelet.New(s.Machine, s.Config)
		if err != nil {
			continue
		}
		for i, e := range s.Events {
			c := n.Clone()
			if e.Admit == nil {
				c.Remove(e.Remove)
				c.Admit(&kubelet.Pod{UID: "sweep"})
				n.Remove(e.Remove)
				continue
			}
			first, second := c.Admit(e.Admit), n.Admit(e.Admit)
			if !reflect.DeepEqual(first, second) {
				t.Fatalf("seed %d, event %d: the clone says %+v, the original %+v", seed, i, first, second)
			}
		}
	}
}

// What the pods of a clone hold stays as it was, whatever the original does with
// the memory of pods that have gone.
func TestClonesKeepTheirPods(t *testing.T) {
	for seed := range uint64(200) {
		s := kubelettest.Random(seed)
		n, err := kubelet.New(s.Machine, s.Config)
		if err != nil {
			continue
		}
		var clones []*kubelet.Node
		var was []string
		for i, e := range s.Events {
			if i%4 == 0 {
				clones = append(clones, n.Clone())
				was = append(was, held(n))
			}
			if e.Admit == nil {
				n.Remove(e.Remove)
			} else {
				n.Admit(e.Admit)
			}
		}
		for i, c := range clones {
			if now := held(c); now != was[i] {
				t.Fatalf("seed %d, clone %d: its pods hold\n%s\nwhen it was made they held\n%s", seed, i, now, was[i])
			}
		}
	}
}

// held is what all running pods hold.
func held(n *kubelet.Node) string {
	var text []string
	for _, uid := range n.Running() {
		text = append(text, fmt.Sprintf("%s %+v", uid, n.Holds(uid)))
	}
	return strings.Join(text, "\n")
}
