package helion_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// choice is a cloud that differs from the smallest one in what the rules of the
// deployment models look at. Each compute takes any number of its VMs.
type choice struct {
	vms, computes, creates, objects, stack, sites, iops, throughput, volume int
	boot, media                                                             string
	live, ephemeral, narrow                                                 bool
}

// scenario of the choice. A narrow compute has one dedicated core for VMs on
// each of its NUMA nodes in a CPE, and two VMs of one core each don't fit twice.
func (c choice) scenario() *v1alpha1.Scenario {
	s := &v1alpha1.Scenario{APIVersion: v1alpha1.APIVersion, Kind: "Scenario", Metadata: v1alpha1.Metadata{Name: "choice"}}
	s.Platform = v1alpha1.Platform{Type: "helion", Release: "4.0"}
	disks := []v1alpha1.Disk{{Use: "system", Size: 4000 * gb, Media: "ssd"}, {Use: "lvm", Size: 5000 * gb, Media: "ssd"},
		{Use: "local", Size: 4000 * gb, Media: "ssd"}}
	host := v1alpha1.NodeType{Name: "blade", Role: "compute", Memory: 1024 * gib,
		Topology: "2 sockets x 8 cores x 2 threads", Disks: disks}
	if c.computes >= 0 {
		host.Count = new(c.computes)
	}
	s.Hardware.NodeTypes = []v1alpha1.NodeType{host,
		{Name: "head", Role: "controller", Memory: 128 * gib, Topology: host.Topology,
			Disks: []v1alpha1.Disk{disks[0], {Use: "lvm", Size: 5000 * gb, Media: c.media}}},
		{Name: "store", Role: "storage", Memory: 128 * gib, Topology: host.Topology}}
	s.Hardware.NodeTypes[0].Disks[1].Media = c.media
	f := v1alpha1.Flavor{Name: "vm", VCPUs: 1, RAM: gib, Properties: map[string]string{"hw:cpu_policy": "shared"}}
	if c.narrow { // more than half of what is left of a host
		f.VCPUs, f.Properties = 10, map[string]string{"hw:cpu_policy": "dedicated", "hw:numa_nodes": "2"}
	}
	if c.ephemeral {
		f.Ephemeral = gb
	}
	s.Workload.Flavors = []v1alpha1.Flavor{f}
	s.Workload.Images = []v1alpha1.Image{{Name: "image", Count: 1, Size: gb, DiskSize: gb}}
	s.Workload.Servers = []v1alpha1.Server{{
		Name: "vm", Count: c.vms, Flavor: "vm", Image: "image", BootFrom: c.boot,
		Volumes:       []unit.Bytes{unit.Bytes(c.volume) * gb},
		LiveMigration: c.live, IOPS: float64(c.iops), Throughput: unit.Bytes(c.throughput) * mb,
	}}
	if c.objects > 0 {
		s.Workload.ObjectStore = v1alpha1.ObjectStore{Objects: c.objects, Size: mb}
	}
	s.Storage.Creation.Parallel, s.Network.Neutron.StackServers, s.Policy.Sites = c.creates, c.stack, c.sites
	s.Policy.Margin, s.Policy.SpareNodes = 0.25, new(1)
	return s
}

// model is the first rule that matches: several regions beyond 100 computes,
// 1000 VMs or one site, dedicated storage where several disks are needed or SSDs
// should be considered and are not there, CPE for up to 20 VMs that fit on one host,
// else controller storage.
func (c choice) model() (model string, regions int) {
	computes := c.computes
	if computes < 0 { // none wanted: 20 VMs on one host at most, and a spare one
		computes = (c.vms+19)/20 + 1
		if c.narrow {
			computes = c.vms + 1
		}
	}
	regions = max((computes+99)/100, (c.vms+999)/1000, c.sites)
	vms := float64(c.vms)
	remote := c.boot == "remoteImage" || c.live && (c.boot == "image" || c.ephemeral)
	several := (vms*float64(c.iops)*1.25 >= 2000 || vms*float64(c.throughput)*1.25 >= 200) && c.media != "ssd"
	switch {
	case regions > 1:
		return "multi-region", regions
	case c.objects > 0, remote, several, vms*float64(c.volume)*1.25 > 5000, c.creates > 5, c.vms > 100,
		c.stack > 10 && c.boot == "volume", computes > 10:
		return "dedicated-storage", 1
	case c.computes <= 0 && c.vms <= 20 && (!c.narrow || c.vms == 1):
		return "cpe", 1
	}
	return "controller-storage", 1
}

var plain = choice{vms: 10, computes: -1, creates: 5, sites: 1, volume: 10, boot: "volume", media: "sas10k"}

// The edges of the rules, from the notes of the document.
func TestTwinOfModelAtItsEdges(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*choice)
		want   string
	}{
		{"20 VMs", func(c *choice) { c.vms = 20 }, "cpe"},
		{"21 VMs", func(c *choice) { c.vms = 21 }, "controller-storage"},
		{"100 VMs", func(c *choice) { c.vms = 100 }, "controller-storage"},
		{"101 VMs", func(c *choice) { c.vms = 101 }, "dedicated-storage"},
		{"1000 VMs", func(c *choice) { c.vms = 1000 }, "dedicated-storage"},
		{"1001 VMs", func(c *choice) { c.vms = 1001 }, "multi-region"},
		{"10 computes", func(c *choice) { c.computes = 10 }, "controller-storage"},
		{"11 computes", func(c *choice) { c.computes = 11 }, "dedicated-storage"},
		{"100 computes", func(c *choice) { c.computes = 100 }, "dedicated-storage"},
		{"101 computes", func(c *choice) { c.computes = 101 }, "multi-region"},
		{"6 creates", func(c *choice) { c.creates = 6 }, "dedicated-storage"},
		{"1 object", func(c *choice) { c.objects = 1 }, "dedicated-storage"},
		{"remote image", func(c *choice) { c.boot = "remoteImage" }, "dedicated-storage"},
		{"live migration from a volume", func(c *choice) { c.live = true }, "cpe"},
		{"live migration of an ephemeral disk", func(c *choice) { c.live, c.ephemeral = true, true }, "dedicated-storage"},
		{"159 operations/s each", func(c *choice) { c.iops = 159 }, "cpe"},
		{"160 operations/s each", func(c *choice) { c.iops = 160 }, "dedicated-storage"},
		{"160 operations/s each on an SSD", func(c *choice) { c.iops, c.media = 160, "ssd" }, "cpe"},
		{"15 MB/s each", func(c *choice) { c.throughput = 15 }, "cpe"},
		{"16 MB/s each", func(c *choice) { c.throughput = 16 }, "dedicated-storage"},
		{"the whole disk", func(c *choice) { c.volume = 400 }, "cpe"},
		{"more than the disk", func(c *choice) { c.volume = 401 }, "dedicated-storage"},
		{"11 VMs of a stack", func(c *choice) { c.stack = 11 }, "dedicated-storage"},
		{"two sites", func(c *choice) { c.sites = 2 }, "multi-region"},
		{"fits on two hosts, not on one", func(c *choice) { c.vms, c.narrow = 2, true }, "controller-storage"},
	} {
		drawn := plain
		c.change(&drawn)
		if model, _ := drawn.model(); model != c.want {
			t.Errorf("%s: the twin itself says %s, want %s", c.name, model, c.want)
		}
		if h := planned(drawn.scenario()).Decisions.Helion; h.Model != c.want {
			t.Errorf("%s: got %s, want %s", c.name, h.Model, c.want)
		}
	}
}

// Any mixture of what the rules look at gives the model of the first rule.
func TestTwinOfModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(what string, from ...int) int { return rapid.SampledFrom(from).Draw(t, what) }
		c := choice{
			vms:      pick("VMs", 1, 2, 10, 20, 21, 60, 100, 101, 180, 1000, 1001, 2001),
			computes: pick("computes", -1, -1, 0, 3, 10, 11, 100, 101),
			creates:  pick("creates", 1, 5, 5, 6), objects: pick("objects", 0, 0, 0, 1), stack: pick("stack", 0, 10, 11),
			sites: pick("sites", 1, 1, 1, 2),
			iops:  pick("IOPS", 0, 1, 16, 79, 80), throughput: pick("MB/s", 0, 1, 2, 8), volume: pick("GB", 1, 40, 41),
			boot:  rapid.SampledFrom([]string{"volume", "volume", "image", "remoteImage"}).Draw(t, "boot"),
			media: rapid.SampledFrom([]string{"ssd", "sas10k"}).Draw(t, "media"),
			live:  rapid.Bool().Draw(t, "live"), ephemeral: rapid.Bool().Draw(t, "ephemeral"),
		}
		if c.vms <= 2 {
			c.narrow = rapid.Bool().Draw(t, "narrow")
		}
		p := planned(c.scenario())
		model, regions := c.model()
		if h := p.Decisions.Helion; h.Model != model || h.Regions != regions {
			t.Errorf("got %s in %d regions, want %s in %d\n%+v", h.Model, h.Regions, model, regions, c)
		}
		if _, known := differs["regions divide"]; !known && model == "multi-region" && c.computes > 0 {
			w := newTwin(c.scenario(), p)
			if want := math.Ceil(float64(c.computes) / float64(regions)); float64(w.computes) != want {
				t.Errorf("got %d computes in each of %d regions, want %v of %d", w.computes, regions, want, c.computes)
			}
		}
	})
}
