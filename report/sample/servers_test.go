package sample

import (
	"encoding/json"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

func TestHostileServersAreEverywhere(t *testing.T) {
	b, err := json.Marshal(HostileServers())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), "alert(1)"); n < 200 {
		t.Errorf("only %d hostile texts", n)
	}
	if p := Cloud(); strings.Contains(p.ServerTypes[0].Name+p.Losses[0].What, "alert") {
		t.Error("the placements share their texts")
	}
}

// TestServersAddUp: VMs by type, by host and by machine are the same.
func TestServersAddUp(t *testing.T) {
	for _, p := range []*v1alpha1.ServerPlacement{Figure16(), Cloud()} {
		onHosts, byType := 0, make([]int, len(p.ServerTypes))
		for _, h := range p.Hosts {
			onHosts += h.VMs * h.Count
		}
		for _, s := range p.Servers {
			byType[s.ServerType]++
		}
		if onHosts != len(p.Servers) {
			t.Errorf("%s: %d VMs on hosts, %d placed", p.Metadata.Name, onHosts, len(p.Servers))
		}
		for i, o := range p.ServerTypes {
			if byType[i] != o.Placed || o.Placed+o.Refused != o.Wanted || o.Refused < 0 {
				t.Errorf("%s: %d of %s placed, %+v", p.Metadata.Name, byType[i], o.Name, o)
			}
		}
		for _, r := range p.Resources {
			if r.Requested > r.Allocatable || r.Stranded > r.Allocatable-r.Requested {
				t.Errorf("%s: %+v", p.Metadata.Name, r)
			}
		}
		for _, m := range p.Machines {
			machineHolds(t, p, m)
		}
	}
}

// machineHolds demands that a machine's threads, pages and devices are those of
// the VMs that name its host.
func machineHolds(t *testing.T, p *v1alpha1.ServerPlacement, m v1alpha1.MachineMap) {
	t.Helper()
	owner := map[int]string{}
	for _, n := range m.NUMANodes {
		for _, c := range n.Cores {
			for _, th := range c.Threads {
				if th.Use == "exclusive" {
					owner[th.CPU] = m.Owners[th.Owner-1].Server
				}
			}
		}
		for _, mem := range n.Memory {
			used := mem.Reserved
			for _, u := range mem.Used {
				used += u.Size
			}
			if used > mem.Total {
				t.Errorf("%s, node %d: %s holds %d of %d", m.Node, n.ID, mem.Resource, used, mem.Total)
			}
		}
	}
	for _, s := range p.Servers {
		if s.Host != m.Node {
			continue
		}
		for _, c := range s.Cells {
			for _, pin := range c.Pins {
				if !pin.Shared && owner[pin.CPU] != s.Name {
					t.Errorf("CPU %d of %s is %q's, not %s's", pin.CPU, m.Node, owner[pin.CPU], s.Name)
				}
			}
		}
	}
}

// TestFigure16 holds the sample against the document's words on its figure.
func TestFigure16(t *testing.T) {
	p := Figure16()
	m := p.Machines[0]
	uses := ""
	for _, n := range m.NUMANodes {
		for _, c := range n.Cores {
			if len(c.Threads) != 1 {
				t.Error("hyperthreading is not shown in the figure")
			}
			uses += c.Threads[0].Use[:1]
		}
	}
	// platform, two of the vSwitch, five dedicated; the shared core, three
	// dedicated, four that float
	if uses != "pvveeeee"+"seeeffff" {
		t.Errorf("uses are %s", uses)
	}
	nodes := map[string][]int{"vnf1": {0}, "vnf2": {0}, "vnf3": {0, 1}, "vnf6": {1}}
	for _, s := range p.Servers {
		want := nodes[s.Name]
		for i, n := range want {
			if len(s.Cells) != len(want) || s.Cells[i].Node != n {
				t.Errorf("%s is at %+v", s.Name, s.Cells)
			}
		}
		if len(s.Why) == 0 {
			t.Errorf("%s is not explained", s.Name)
		}
	}
	if d := p.Servers[5].Devices; len(d) != 1 || d[0].Node != 1 || !p.Servers[5].Cells[0].Pins[0].Shared {
		t.Errorf("vnf6 has %+v", p.Servers[5])
	}
}
