package kubelet_test

import (
	"fmt"
	"slices"
	"testing"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/kubelet/kubelettest"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// even reports whether all cores have the same number of threads. Where one has
// fewer (CPUs that are offline) the kubelet takes cores for free of which another
// container has a thread, and gives that one out again.
func even(m *topo.Machine) bool {
	threads := map[int]int{}
	for _, c := range m.CPUs {
		threads[c.Core]++
	}
	for _, n := range threads {
		if n != threads[m.CPUs[0].Core] {
			return false
		}
	}
	return true
}

// owners checks that nothing is given twice, and that the machine map accounts
// for all of it; shared and crossed say that memory counts more than once.
func owners(t *testing.T, at string, n *kubelet.Node, shared bool) (crossed bool) {
	t.Helper()
	cpus, devices := map[int]string{}, map[string]string{}
	blocks := map[string]unit.Bytes{}
	var sets [][]int
	for _, uid := range n.Running() {
		own := unit.CPUSet{}
		mine := map[string]bool{}
		for _, got := range n.Holds(uid) {
			own = own.Union(got.CPUs) // containers of one pod may have the same: init containers leave theirs
			for resource, ids := range got.Devices {
				for _, id := range ids {
					mine[resource+" "+id] = true
				}
			}
			for _, b := range got.Memory {
				blocks[b.Type] += b.Size
				sets = append(sets, b.Nodes)
			}
		}
		for cpu := range own.All() {
			if cpus[cpu] != "" || n.Reserved().Has(cpu) {
				t.Fatalf("%s: CPU %d of %s belongs to %q (reserved are %s)", at, cpu, uid, cpus[cpu], n.Reserved())
			}
			cpus[cpu] = uid
		}
		for d := range mine {
			if devices[d] != "" {
				t.Fatalf("%s: device %s of %s belongs to %s", at, d, uid, devices[d])
			}
			devices[d] = uid
		}
	}
	crossed = shared || crossing(sets)
	mapped(t, at, n, cpus, blocks, crossed)
	return crossed
}

// crossing reports whether memory is given out from sets of nodes that overlap. A
// merge may lead to that, and from then on the kubelet's own books may be wrong.
func crossing(sets [][]int) bool {
	for _, a := range sets {
		for _, b := range sets {
			if !slices.Equal(a, b) && slices.ContainsFunc(a, func(node int) bool { return slices.Contains(b, node) }) {
				return true
			}
		}
	}
	return false
}

// mapped compares with the machine map.
func mapped(t *testing.T, at string, n *kubelet.Node, cpus map[int]string, blocks map[string]unit.Bytes,
	crossing bool) {
	t.Helper()
	laid := map[string]unit.Bytes{}
	for _, node := range n.Map().NUMANodes {
		for _, c := range node.Cores {
			for _, thread := range c.Threads {
				if (thread.Owner > 0) != (cpus[thread.CPU] != "") {
					t.Fatalf("%s: CPU %d has owner %d in the map, and %q", at, thread.CPU, thread.Owner, cpus[thread.CPU])
				}
			}
		}
		for _, m := range node.Memory {
			used := int64(0)
			for _, u := range m.Used {
				laid[m.Resource] += unit.Bytes(u.Size)
				used += u.Size
			}
			if used > m.Total-m.Reserved {
				t.Fatalf("%s: NUMA node %d gives %d of %s, more than %d", at, node.ID, used, m.Resource, m.Total-m.Reserved)
			}
		}
	}
	if !crossing && fmt.Sprint(laid) != fmt.Sprint(nonZero(blocks)) {
		t.Fatalf("%s: the map has %v, the containers %v", at, laid, blocks)
	}
}

func nonZero(m map[string]unit.Bytes) map[string]unit.Bytes {
	out := map[string]unit.Bytes{}
	for k, v := range m {
		if v != 0 {
			out[k] = v
		}
	}
	return out
}

// TestNothingIsGivenTwice runs random sessions; when all pods have gone the node
// is as it was at its start.
func TestNothingIsGivenTwice(t *testing.T) {
	for seed := range uint64(400) {
		s := kubelettest.Random(seed)
		n, err := kubelet.New(s.Machine, s.Config)
		if err != nil || !even(&s.Machine) {
			continue
		}
		before := fmt.Sprintf("%+v", n.Map())
		free := n.Shared()
		hung := false
		crossed := s.Config.FeatureGates["PodLevelResourceManagers"] // containers share the memory of their pod
		for i, e := range s.Events {
			if e.Admit == nil {
				n.Remove(e.Remove)
				continue
			}
			hung = n.Admit(e.Admit).Reason == kubelet.Hangs
			crossed = owners(t, fmt.Sprintf("seed %d, event %d", seed, i), n, crossed)
		}
		if hung || crossed {
			continue
		}
		for _, uid := range n.Running() {
			n.Remove(uid)
		}
		if after := fmt.Sprintf("%+v", n.Map()); after != before || n.Shared() != free {
			t.Fatalf("seed %d: after all pods have gone\n%s\nbefore\n%s", seed, after, before)
		}
		for name, amount := range n.Requested() {
			if amount != 0 {
				t.Fatalf("seed %d: %d of %s are still requested", seed, amount, name)
			}
		}
	}
}
