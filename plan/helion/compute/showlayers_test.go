package compute

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/part"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// layersText is "RAM node 0: platform 8 GiB, vSwitch 1 GiB" of layers.
func layersText(list []v1alpha1.ResourceLayers) string {
	var out []string
	for _, r := range list {
		var parts []string
		for _, l := range r.Layers {
			parts = append(parts, l.Name+" "+l.Value.Text)
		}
		out = append(out, r.Resource+" of "+r.Capacity.Text+": "+strings.Join(parts, ", "))
	}
	return strings.Join(out, "; ")
}

// placedWith is a fleet whose first host has pools of pages on its NUMA nodes.
func placedWith(pools ...[]v1alpha1.PagePool) *Fleet {
	h := &nova.Host{}
	for i, list := range pools {
		c := nova.HostCell{ID: i}
		for _, p := range list {
			c.Pages = append(c.Pages, nova.PagePool{Size: int64(p.PageSize / unit.KiB), Total: int64(p.Total / p.PageSize)})
		}
		h.Cells = append(h.Cells, c)
	}
	return &Fleet{Host: h}
}

// TestLayers: the document's host of 64 GiB a node keeps 8 GiB and 2 GiB for the
// platform, a page of 1 GiB for the vSwitch, and three cores of node 0 (HCG 4).
func TestLayers(t *testing.T) {
	nodes := []Node{{Memory: 64 * unit.GiB, Platform: 8 * unit.GiB, VSwitch: unit.GiB, Cores: 8, PlatformCores: 1,
		VSwitchCores: 2},
		{Memory: 64 * unit.GiB, Platform: 2 * unit.GiB, VSwitch: unit.GiB, Cores: 8, SharedCores: 1}}
	f := placedWith([]v1alpha1.PagePool{{PageSize: Large, Total: 10 * unit.GiB}, {PageSize: Medium, Total: 40 * unit.GiB},
		{PageSize: 4 * unit.KiB, Total: 5 * unit.GiB}},
		[]v1alpha1.PagePool{{PageSize: Medium, Total: 61 * unit.GiB}})
	got := layersText(perNode("RAM", 2, func(i int) []v1alpha1.Layer { return f.memoryLayers(i, nodes[i]) })) + "; " +
		layersText(perNode("cores", 2, func(i int) []v1alpha1.Layer { return coreLayers(nodes[i]) }))
	want := "RAM node 0 of 64 GiB: platform 8 GiB, vSwitch 1 GiB, 1Gi pages 10 GiB, 2Mi pages 40 GiB, 4Ki pages 5 GiB; " +
		"RAM node 1 of 64 GiB: platform 2 GiB, vSwitch 1 GiB, 2Mi pages 61 GiB; " +
		"cores node 0 of 8 cores: platform 1 core, vSwitch 2 cores, guest VMs 5 cores; cores node 1 of 8 cores: " +
		"shared vCPUs 1 core, guest VMs 7 cores"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestLayersAlike: neighbouring NUMA nodes that are alike are told once.
func TestLayersAlike(t *testing.T) {
	nodes := []Node{{Cores: 4, PlatformCores: 1}, {Cores: 4}, {Cores: 4}, {Cores: 2}}
	var names []string
	for _, r := range perNode("cores", len(nodes), func(i int) []v1alpha1.Layer { return coreLayers(nodes[i]) }) {
		names = append(names, r.Resource)
	}
	if got := strings.Join(names, ", "); got != "cores node 0, cores nodes 1-2 each, cores node 3" {
		t.Error(got)
	}
}

// TestLayersFill: whatever is kept back, the layers are none below nothing, and fill
// what there is.
func TestLayersFill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gib := func(name string) unit.Bytes {
			return unit.Bytes(rapid.Int64Range(0, 40).Draw(t, name)) * unit.GiB
		}
		cores := rapid.IntRange(0, 9)
		n := Node{Memory: gib("memory"), Platform: gib("platform"), VSwitch: gib("vswitch"), Cores: cores.Draw(t, "cores"),
			PlatformCores: cores.Draw(t, "p"),
			VSwitchCores:  cores.Draw(t, "v"), SharedCores: cores.Draw(t, "s"), Floating: cores.Draw(t, "f")}
		f := placedWith([]v1alpha1.PagePool{{PageSize: Large, Total: gib("large")}, {PageSize: Medium, Total: gib("medium")}})
		for _, c := range []struct {
			layers []v1alpha1.Layer
			want   float64
		}{{f.memoryLayers(0, n), float64(n.Memory)}, {coreLayers(n), float64(n.Cores)}} {
			sum := 0.0
			for _, l := range c.layers {
				if l.Value.Number < 0 {
					t.Fatalf("%s is %v", l.Name, l.Value)
				}
				sum += l.Value.Number
			}
			if sum != c.want {
				t.Fatalf("%s are not %v", fmt.Sprint(c.layers), c.want)
			}
		}
	})
}

// What is said of the pages agrees with them: by the rules of Nova VMs that name no size
// take small pages, and none of 2 MiB are made.
func TestPagesAreSaidAsTheyAre(t *testing.T) {
	for rules, want := range map[string]string{"hcg-4.0": "all pages of 2 MiB", "nova": "pages of 4 KiB"} {
		in := spared(with(host(64*unit.GiB, dual, nil), 4, 2, 2*unit.GiB, pinned), 1)
		in.Scenario.Scheduling.Rules, in.Origin = rules, part.NewOrigin(nil, in.Facts)
		_, p := Plan(in, []Fleet{Count(in, 0)}, 0)
		for _, table := range p.Section.Tables {
			if table.ID == "compute.pages" && !strings.Contains(table.Notes[0], want) {
				t.Errorf("%s: %q", rules, table.Notes)
			}
		}
	}
}
