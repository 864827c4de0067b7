package helion_test

import (
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// drawCloud draws a cloud of one to three kinds of VMs; nothing in it is without a meaning for the formulas.
func drawCloud(t *rapid.T) *v1alpha1.Scenario {
	s := &v1alpha1.Scenario{APIVersion: v1alpha1.APIVersion, Kind: "Scenario", Metadata: v1alpha1.Metadata{Name: "twin"}}
	s.Platform = v1alpha1.Platform{Type: "helion", Release: "4.0"}
	s.Policy.SpareNodes = new(rapid.IntRange(0, 3).Draw(t, "spare"))
	s.Policy.Margin = unit.Factor(float64(rapid.SampledFrom([]int{5, 25, 40}).Draw(t, "margin")) / 100)
	s.Policy.Growth = unit.Factor(float64(rapid.SampledFrom([]int{0, 0, 30}).Draw(t, "growth")) / 100)
	s.Policy.VMsPerCompute = rapid.IntRange(1, 30).Draw(t, "vmsPerCompute")
	s.Policy.Doubtful = rapid.SampledFrom([]string{"careful", "careful", "as-printed"}).Draw(t, "doubtful")
	s.Policy.Model = rapid.SampledFrom([]string{"", "", "", "cpe", "controller-storage", "dedicated-storage"}).Draw(t,
		"model")
	s.Policy.RemoteLogging = true
	drawHosts(t, s)
	drawWorkload(t, s)
	drawServices(t, s)
	return s
}

func size(t *rapid.T, what string, least, most int) unit.Bytes {
	return unit.Bytes(rapid.IntRange(least, most).Draw(t, what)) * gb
}

func drawHosts(t *rapid.T, s *v1alpha1.Scenario) {
	media := rapid.SampledFrom([]string{"ssd", "nvme", "sas10k", "sas15k"})
	shapes := rapid.SampledFrom([]string{"2 sockets x 8 cores", "2 sockets x 8 cores x 2 threads",
		"2 sockets x 2 numa x 10 cores x 2 threads", "2 sockets x 12 cores x 2 threads"})
	controller := v1alpha1.NodeType{Name: "head", Role: "controller", Memory: 128 * gib,
		Topology: shapes.Draw(t, "controller"), Disks: []v1alpha1.Disk{
			{Use: "system", Size: 4000 * gb, Media: "ssd"},
			{Use: "lvm", Size: size(t, "lvm", 500, 20000), Media: media.Draw(t, "lvm media")},
		}}
	storage := v1alpha1.NodeType{Name: "store", Role: "storage", Memory: 128 * gib, Topology: shapes.Draw(t, "storage"),
		Disks: []v1alpha1.Disk{{Use: "system", Size: 240 * gb, Media: "ssd"}}}
	if rapid.Bool().Draw(t, "osds") {
		storage.Disks = append(storage.Disks, v1alpha1.Disk{Use: "osd", Count: rapid.IntRange(2, 8).Draw(t, "count"),
			Size: size(t, "osd", 300, 4000), Media: "ssd"})
		if rapid.Bool().Draw(t, "counted") {
			storage.Count = new(2 * rapid.IntRange(1, 4).Draw(t, "hosts"))
		}
	}
	s.Hardware.NodeTypes = []v1alpha1.NodeType{controller, drawCompute(t, shapes.Draw(t, "compute")), storage}
}

func drawCompute(t *rapid.T, shape string) v1alpha1.NodeType {
	c := v1alpha1.NodeType{
		Name: "blade", Role: "compute", Topology: shape,
		Memory: unit.Bytes(rapid.SampledFrom([]int{64, 128, 256}).Draw(t, "memory")) * gib,
		CPUGHz: rapid.SampledFrom([]float64{2, 2.6, 3.1}).Draw(t, "clock"),
		Disks: []v1alpha1.Disk{{Use: "system", Size: 2000 * gb, Media: "ssd"}, {Use: "lvm", Size: 20000 * gb, Media: "ssd"},
			{Use: "local", Size: 20000 * gb, Media: "ssd"}},
	}
	for i := range rapid.IntRange(1, 2).Draw(t, "NICs") {
		c.NICs = append(c.NICs, v1alpha1.NIC{
			Name: text("data%d", i), Use: "data", Speed: 10e9, NUMANode: new(0), PhysicalNetworks: []string{text("p%d", i)},
			Count: rapid.IntRange(1, 3).Draw(t, "ports"), MTU: rapid.SampledFrom([]int{1500, 2048, 9000}).Draw(t, "MTU"),
		})
	}
	if rapid.IntRange(0, 3).Draw(t, "set") == 0 {
		c.Compute = &v1alpha1.Compute{PlatformCores: []int{rapid.IntRange(1, 2).Draw(t, "platform")},
			VSwitchCores: []int{rapid.IntRange(1, 3).Draw(t, "vSwitch")}, SharedCores: []int{0, 1}}
	}
	return c
}

func drawWorkload(t *rapid.T, s *v1alpha1.Scenario) {
	load := &s.Workload
	for i := range rapid.IntRange(1, 3).Draw(t, "images") {
		load.Images = append(load.Images, v1alpha1.Image{
			Name: text("image%d", i), Count: rapid.IntRange(1, 30).Draw(t, "images of it"), Size: size(t, "image", 1, 20),
			DiskSize: size(t, "raw", 20, 60), Cached: rapid.Bool().Draw(t, "cached"),
		})
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "kinds") {
		load.Servers = append(load.Servers, drawServer(t, s, text("vm%d", i)))
	}
	if rapid.Bool().Draw(t, "more volumes") {
		load.Volumes = []v1alpha1.Volumes{
			{Name: "more", Count: rapid.IntRange(1, 300).Draw(t, "volumes"), Size: size(t, "volume", 1, 40)},
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "swift") == 0 {
		load.ObjectStore = v1alpha1.ObjectStore{Objects: rapid.IntRange(1, 100000).Draw(t, "objects"), Size: 1e6}
	}
}

func drawServer(t *rapid.T, s *v1alpha1.Scenario, name string) v1alpha1.Server {
	f := v1alpha1.Flavor{Name: name, VCPUs: rapid.IntRange(1, 4).Draw(t, "vCPUs"),
		RAM: unit.Bytes(rapid.IntRange(1, 8).Draw(t, "GiB")) * gib}
	f.Properties = map[string]string{"hw:cpu_policy": rapid.SampledFrom([]string{"dedicated", "shared"}).Draw(t, "policy")}
	f.Disk, f.Ephemeral, f.Swap = size(t, "disk", 0, 2)*10, size(t, "ephemeral", 0, 1)*5, size(t, "swap", 0, 1)
	s.Workload.Flavors = append(s.Workload.Flavors, f)
	v := v1alpha1.Server{
		Name: name, Flavor: name, Image: text("image%d", rapid.IntRange(0, len(s.Workload.Images)-1).Draw(t, "image")),
		Count:    rapid.SampledFrom([]int{1, 7, 10, 20, 40, 130, 420}).Draw(t, "VMs"),
		BootFrom: rapid.SampledFrom([]string{"volume", "volume", "image", "remoteImage"}).Draw(t, "boot"),
		KeepData: rapid.Bool().Draw(t, "keep"), IOIntensive: rapid.Bool().Draw(t, "busy"),
		LiveMigration: rapid.IntRange(0, 4).Draw(t, "live") == 0,
		IOPS:          float64(rapid.IntRange(0, 50).Draw(t, "IOPS")),
		Throughput:    unit.Bytes(rapid.IntRange(0, 3).Draw(t, "MB/s")) * mb,
	}
	for range rapid.IntRange(0, 2).Draw(t, "volumes of it") {
		v.Volumes = append(v.Volumes, size(t, "volume of it", 1, 40))
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "vNICs") {
		p := v1alpha1.Port{Network: text("net%d", i), SecurityRules: rapid.IntRange(0, 128).Draw(t, "rules"),
			VNICType: "normal", CrossNUMA: rapid.IntRange(0, 4).Draw(t, "cross") == 0}
		switch rapid.IntRange(0, 2).Draw(t, "traffic") {
		case 1:
			p.PacketsPerSecond = float64(rapid.IntRange(1, 200000).Draw(t, "packets"))
		case 2:
			p.Bandwidth = unit.BitRate(rapid.IntRange(1, 500).Draw(t, "Mbit/s")) * mb
			p.FrameSize = rapid.SampledFrom([]string{"imix", "64", "512", "1518"}).Draw(t, "frame")
		}
		v.Ports = append(v.Ports, p)
	}
	return v
}

func drawServices(t *rapid.T, s *v1alpha1.Scenario) {
	n := &s.Network.Neutron
	n.TenantNetworks, n.ProviderNetworks = rapid.IntRange(0, 600).Draw(t, "tenant"),
		rapid.IntRange(0, 60).Draw(t, "provider")
	n.Subnets, n.Routers, n.DHCPServers = rapid.IntRange(0, 1000).Draw(t, "subnets"),
		rapid.IntRange(0, 30).Draw(t, "routers"), rapid.IntRange(0, 1000).Draw(t, "DHCP")
	n.MACsPerSegment, n.StackResources = rapid.IntRange(0, 1100).Draw(t, "MACs"),
		rapid.IntRange(0, 1200).Draw(t, "resources")
	if rapid.Bool().Draw(t, "segments given") {
		n.SegmentsPerCompute, n.SubnetsPerCompute = new(rapid.IntRange(0, 300).Draw(t, "segments")),
			new(rapid.IntRange(0, 300).Draw(t, "shared subnets"))
	}
	n.CyclesPerPacket, n.Utilisation = float64(rapid.IntRange(100, 1500).Draw(t, "cycles")),
		unit.Factor(rapid.SampledFrom([]float64{0.8, 0.95}).Draw(t, "load"))
	c := &s.Storage.Ceph
	c.Replicas, c.NearFull = rapid.SampledFrom([]int{2, 2, 3}).Draw(t, "copies"),
		unit.Factor(rapid.SampledFrom([]float64{0.85, 1}).Draw(t, "near full"))
	if rapid.Bool().Draw(t, "measured") {
		c.OSDRate, c.OSDThroughput = float64(rapid.IntRange(100, 5000).Draw(t, "OSD rate")),
			unit.Bytes(rapid.IntRange(20, 400).Draw(t, "OSD MB/s"))*mb
	}
	d := &s.Storage.DRBD
	d.Parallel, d.Utilisation = rapid.IntRange(1, 3).Draw(t, "parallel"),
		unit.Factor(rapid.SampledFrom([]float64{0.4, 0.8, 0.5}).Draw(t, "utilisation"))
	d.Link = unit.BitRate(rapid.SampledFrom([]int{1, 10}).Draw(t, "link")) * 1e9
	s.Storage.Creation.Parallel, s.Storage.Creation.Thin = rapid.IntRange(1, 25).Draw(t, "creates"), true
	if rapid.Bool().Draw(t, "cache given") {
		s.Storage.Creation.CachedImages = new(rapid.IntRange(0, 20).Draw(t, "cache"))
	}
}
