package device_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/place/kubelet/device"
	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/podres"
	"plimsoll.dev/topo"
)

// rack is two NUMA nodes, ids 0 and 4, and these devices of one resource.
func rack(devices ...topo.Device) *device.Manager {
	m := &topo.Machine{Nodes: []topo.Node{{ID: 0}, {ID: 4}}, Devices: devices}
	for i := range m.Devices {
		m.Devices[i].Resource = "example.com/nic"
	}
	return device.New(m)
}

func on(id string, nodes ...int) topo.Device { return topo.Device{ID: id, Nodes: nodes} }

func sick(d topo.Device) topo.Device {
	d.Unhealthy = true
	return d
}

func asking(counts ...int) device.Pod {
	var containers []device.Container
	for _, n := range counts {
		containers = append(containers, device.Container{Requests: []device.Request{{Count: n}}})
	}
	return device.NewPod(containers)
}

// held is the ids that a container has, "a b".
func held(m *device.Manager, p *device.Pod, container int) string {
	var out string
	m.Held(p, container, func(_ string, ids []string) { out = strings.Join(ids, " ") })
	return out
}

func hints(m *device.Manager, p *device.Pod, count int) string {
	var out []string
	m.Each(p, device.Request{Count: count}, func(nodes hint.Mask, preferred bool) {
		text := fmt.Sprintf("%02b", nodes)
		if preferred {
			text += "!"
		}
		out = append(out, text)
	})
	return strings.Join(out, " ")
}

// Sets of nodes, the right bit is node 0 (pkg/kubelet/cm/devicemanager/topology_hints.go).
func TestHints(t *testing.T) {
	for _, c := range []struct {
		name    string
		devices []topo.Device
		taken   int
		count   int
		want    string
	}{
		{"one on each node", []topo.Device{on("a", 0), on("b", 4)}, 0, 1, "01! 10! 11"},
		{"both of them", []topo.Device{on("a", 0), on("b", 4)}, 0, 2, "11!"},
		{"more than there are", []topo.Device{on("a", 0), on("b", 4)}, 0, 3, ""},
		{"used ones count for the least size", []topo.Device{on("a", 0), on("b", 0), on("c", 4)}, 1, 2, "11"},
		{"unhealthy ones, too", []topo.Device{sick(on("a", 0)), on("b", 0), on("c", 4)}, 0, 2, "11"},
		{"a device of both nodes", []topo.Device{on("a", 0, 4)}, 0, 1, "01! 10! 11"},
		{"only nodes that carry devices take part", []topo.Device{on("a", 4), on("b", 4)}, 0, 1, "10!"},
		{"those that name no node count nowhere", []topo.Device{on("a", 0), on("b")}, 0, 2, ""},
		{"none wanted", []topo.Device{on("a", 0), on("b", 4)}, 0, 0, "01! 10! 11"},
	} {
		m := rack(c.devices...)
		if c.taken > 0 {
			p := asking(c.taken)
			if err := m.Allocate(&p, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
		var p device.Pod
		if got := hints(m, &p, c.count); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Aligned devices first, then any; the lowest ids of each.
func TestAllocate(t *testing.T) {
	devices := []topo.Device{on("d", 0), on("c", 4), on("b", 0), on("a"), sick(on("0", 0)), on("e", 4)}
	for _, c := range []struct {
		count    int
		affinity hint.Mask
		want     string
	}{
		{1, 0, "a"}, {3, 0, "a b c"},
		{1, 0b01, "b"}, {2, 0b01, "b d"}, {3, 0b01, "a b d"}, {4, 0b01, "a b c d"},
		{1, 0b10, "c"}, {3, 0b10, "a c e"}, {3, 0b11, "b c d"}, {5, 0b11, "a b c d e"},
	} {
		m := rack(slices.Clone(devices)...)
		p := asking(c.count)
		if err := m.Allocate(&p, 0, c.affinity); err != nil || held(m, &p, 0) != c.want {
			t.Errorf("%d with affinity %02b: got %q, %v, want %q", c.count, c.affinity, held(m, &p, 0), err, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	p := asking(2)
	if err := rack(on("a", 0)).Allocate(&p, 0, 0); err == nil ||
		err.Error() != "requested number of devices unavailable for example.com/nic. Requested: 2, Available: 1" {
		t.Errorf("too few: got %v", err)
	}
	p = asking(0)
	if err := rack(sick(on("a", 0))).Allocate(&p, 0, 0); err == nil ||
		err.Error() != "no healthy devices present; cannot allocate unhealthy devices example.com/nic" {
		t.Errorf("none healthy: got %v", err)
	}
	if err := rack(on("a", 0)).Allocate(&p, 0, 0); err != nil {
		t.Errorf("none wanted: got %v", err)
	}
}

// The devices of init containers are used again, those of sidecars are not; all
// stay with the pod to its end.
func TestInitContainers(t *testing.T) {
	m := rack(on("a", 0), on("b", 0), on("c", 4), on("d", 4))
	one := []device.Request{{Count: 1}}
	p := device.NewPod([]device.Container{
		{Sort: podres.Init, Requests: []device.Request{{Count: 2}}}, {Sort: podres.Sidecar, Requests: one},
		{Requests: one}, {Requests: one},
	})
	for i, want := range []string{"a b", "a", "b", "c"} {
		if i == 2 {
			if got := hints(m, &p, 1); got != "01! 11" {
				t.Errorf("with b to be used again: got %q, want only sets with node 0", got)
			}
		}
		if err := m.Allocate(&p, i, 0); err != nil || held(m, &p, i) != want {
			t.Errorf("container %d: got %q, %v, want %q", i, held(m, &p, i), err, want)
		}
	}
	if whole := device.Whole([]device.Container{
		{Sort: podres.Init, Requests: []device.Request{{Count: 5}}}, {Sort: podres.Sidecar, Requests: one}, {Requests: one},
		{Requests: one},
	}); !slices.Equal(whole, []device.Request{{Count: 5}}) {
		t.Errorf("the pod as a whole: got %v, want 5", whole)
	}
	m.Remove(&p)
	if free := m.Free(0, 0b11); free != 4 {
		t.Errorf("free at the end: got %d, want 4", free)
	}
}

// TestConservation gives and takes at random over more devices than a word has bits.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []topo.Device
		for i := range rapid.IntRange(1, 150).Draw(t, "devices") {
			d := on(fmt.Sprintf("%03d", i), rapid.SampledFrom([][]int{nil, {0}, {4}, {0, 4}}).Draw(t, "nodes")...)
			d.Unhealthy = rapid.IntRange(0, 5).Draw(t, "health") == 0
			all = append(all, d)
		}
		m := rack(all...)
		owner := map[string]int{}
		var running []device.Pod
		for step := range rapid.IntRange(1, 30).Draw(t, "events") {
			if len(running) > 0 && rapid.Bool().Draw(t, "remove") {
				for id := range strings.FieldsSeq(held(m, &running[0], 0)) {
					delete(owner, id)
				}
				m.Remove(&running[0])
				running = running[1:]
				continue
			}
			count := rapid.IntRange(1, 40).Draw(t, "count")
			p := asking(count)
			if m.Allocate(&p, 0, rapid.Uint64Range(0, 3).Draw(t, "affinity")) != nil {
				continue
			}
			ids := strings.Fields(held(m, &p, 0))
			for _, id := range ids {
				if owner[id] != 0 {
					t.Fatalf("step %d: %s is given twice", step, id)
				}
				if slices.ContainsFunc(all, func(d topo.Device) bool { return d.ID == id && d.Unhealthy }) {
					t.Fatalf("step %d: %s is not healthy", step, id)
				}
				owner[id] = step + 1
			}
			if len(ids) != count {
				t.Fatalf("step %d: got %d devices, want %d", step, len(ids), count)
			}
			running = append(running, p)
		}
	})
}
