package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/nova/flavor"
	"plimsoll.dev/schema"
)

// cloud checks what only scenarios of platform helion have.
func (v *validator) cloud() {
	for i := range v.s.Hardware.NodeTypes {
		v.host(fmt.Sprintf("hardware.nodeTypes[%d]", i), &v.s.Hardware.NodeTypes[i])
	}
	w := &v.s.Workload
	for i := range w.Flavors {
		v.flavor(fmt.Sprintf("workload.flavors[%d]", i), &w.Flavors[i])
	}
	for i := range w.Servers {
		v.server(fmt.Sprintf("workload.servers[%d]", i), &w.Servers[i])
	}
	for i, image := range w.Images {
		v.bytes(fmt.Sprintf("workload.images[%d].size", i), image.Size, leastBytes, "G")
		v.bytes(fmt.Sprintf("workload.images[%d].diskSize", i), image.DiskSize, leastBytes, "G")
	}
	for i, volumes := range w.Volumes {
		v.bytes(fmt.Sprintf("workload.volumes[%d].size", i), volumes.Size, leastBytes, "G")
	}
	v.objectStore()
}

// objectStore demands a size for objects that are counted, and a count for a size.
func (v *validator) objectStore() {
	o := v.s.Workload.ObjectStore
	switch at := "workload.objectStore"; {
	case !v.good(at):
	case o.Objects > 0 && o.Size == 0:
		v.bad(at+".size", "is missing", "add the mean size of an object, such as 1M")
	case o.Size > 0 && o.Objects == 0:
		v.bad(at+".objects", "is missing", "add their number")
	}
}

// flavor checks amounts and extra specs.
func (v *validator) flavor(at string, f *v1alpha1.Flavor) {
	v.bytes(at+".ram", f.RAM, leastMachineMemory, "M")
	v.bytes(at+".disk", f.Disk, leastBytes, "G")
	v.bytes(at+".ephemeral", f.Ephemeral, leastBytes, "G")
	v.bytes(at+".swap", f.Swap, leastBytes, "M")
	if !v.good(at, "scheduling.rules") {
		return
	}
	_, _, wrong := flavor.Request(f, nil, nil, nova.Rules(v.s.Scheduling.Rules))
	_, alsoWrong := flavor.HostConstraints(f)
	for _, e := range append(wrong, alsoWrong...) {
		path := at
		if e.Key != "" {
			path = at + ".properties." + e.Key
		}
		v.bad(path, e.Text, e.Fix)
	}
}

// server checks the names that a server refers to, and its amounts.
func (v *validator) server(at string, s *v1alpha1.Server) {
	w := &v.s.Workload
	v.names(at+".flavor", s.Flavor, "flavor", "workload.flavors", w.FlavorFile != "",
		namesOf(w.Flavors, func(f v1alpha1.Flavor) string { return f.Name }))
	v.names(at+".image", s.Image, "image", "workload.images", w.ImageFile != "",
		namesOf(w.Images, func(i v1alpha1.Image) string { return i.Name }))
	v.names(at+".group", s.Group, "server group", "workload.serverGroups", false,
		namesOf(w.ServerGroups, func(g v1alpha1.ServerGroup) string { return g.Name }))
	for i, size := range s.Volumes {
		v.bytes(fmt.Sprintf("%s.volumes[%d]", at, i), size, leastBytes, "G")
	}
	for i := range s.Ports {
		path := fmt.Sprintf("%s.ports[%d].bandwidth", at, i)
		v.rate(path, s.Ports[i].Bandwidth)
		if p := &s.Ports[i]; v.given(path) && v.given(fmt.Sprintf("%s.ports[%d].packetsPerSecond", at, i)) && v.good(path) &&
			p.Bandwidth > 0 {
			v.bad(path, "the traffic is given twice, here and in packetsPerSecond", "remove one of them")
		}
	}
	if s.BootFrom == "image" && s.Image == "" && v.good(at+".bootFrom", at+".image") && v.given(at+".bootFrom") {
		v.bad(at+".bootFrom", "there is no image to boot from", "add image, the name of one of workload.images")
	}
	v.imageOf(at, s)
}

// imageOf checks flavor and image together, as Nova does when a VM is made.
func (v *validator) imageOf(at string, s *v1alpha1.Server) {
	f := slices.IndexFunc(v.s.Workload.Flavors, func(f v1alpha1.Flavor) bool { return f.Name == s.Flavor })
	i := slices.IndexFunc(v.s.Workload.Images, func(i v1alpha1.Image) bool { return i.Name == s.Image })
	if f < 0 || i < 0 || !v.good(at, fmt.Sprintf("workload.flavors[%d]", f), fmt.Sprintf("workload.images[%d]", i)) {
		return
	}
	_, _, wrong := flavor.Request(&v.s.Workload.Flavors[f], &v.s.Workload.Images[i], nil, nova.Rules(v.s.Scheduling.Rules))
	for _, e := range wrong {
		v.bad(at+".image", fmt.Sprintf("flavor %s and image %s: %s: %s", yamlpos.Quote(s.Flavor), yamlpos.Quote(s.Image),
			e.Key, e.Text), e.Fix)
	}
}

func namesOf[T any](list []T, name func(T) string) []string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = name(item)
	}
	return out
}

// names demands that a name is one of the known ones, unless more may be read
// from a file. While something without a name is about, it takes any.
func (v *validator) names(path, name, what, section string, more bool, known []string) {
	if name == "" || more || slices.Contains(known, name) || slices.Contains(known, "") || !v.good(path) {
		return
	}
	fix := "known are " + yamlpos.Shorten(strings.Join(slices.Compact(slices.Sorted(slices.Values(known))), ", "))
	switch near := schema.Nearest(name, known); {
	case near != "":
		fix = "did you mean " + near + "?"
	case len(known) == 0:
		fix = "add it to " + section
	}
	v.bad(path, "there is no "+what+" "+yamlpos.Quote(name), fix)
}

// host checks disks, NICs and what a compute keeps back.
func (v *validator) host(at string, t *v1alpha1.NodeType) {
	for i, d := range t.Disks {
		path := fmt.Sprintf("%s.disks[%d]", at, i)
		v.bytes(path+".size", d.Size, leastBytes, "G")
		v.diskUse(path+".use", d.Use, t.Role)
	}
	m, known := v.machineOf(at, t)
	for i := range t.NICs {
		v.nic(fmt.Sprintf("%s.nics[%d]", at, i), &t.NICs[i], m, known)
	}
	switch {
	case t.Compute == nil:
	case t.Role != roles[helion][0] && v.given(at+".compute") && v.good(at+".role"):
		v.bad(at+".compute", "is for hosts with the role compute", "remove it, or write role: compute")
	case known:
		v.compute(at+".compute", t, m)
	}
}

// diskUses are the roles that have disks of a use.
var diskUses = map[string][]string{
	"system": {"compute", "controller", "storage"}, "lvm": {"controller", "compute"}, "local": {"compute"},
	"osd": {"storage"}, "journal": {"storage"}, "cache": {"storage"},
}

func (v *validator) diskUse(path, use, role string) {
	if known := diskUses[use]; known != nil && slices.Contains(roles[helion], role) && !slices.Contains(known, role) &&
		v.good(path) {
		v.bad(path, fmt.Sprintf("a %s host has no disks for %s", role, use),
			"they are for hosts with the role "+strings.Join(known, " or "))
	}
}

func (v *validator) nic(at string, n *v1alpha1.NIC, m machine, known bool) {
	v.rate(at+".speed", n.Speed)
	if n.NUMANode != nil && known {
		v.on(at+".numaNode", *n.NUMANode, m)
	}
	switch path := at + ".virtualFunctions"; {
	case !v.good(path, at+".use"):
	case n.Use == "sriov" && n.VirtualFunctions == 0:
		v.bad(path, "is missing", "add the number of virtual functions of each port, such as 32")
	case n.Use != "sriov" && n.VirtualFunctions > 0:
		v.bad(path, fmt.Sprintf("a %s port has no virtual functions", n.Use), "write use: sriov, or remove it")
	}
	if (n.Use == "sriov" || n.Use == "passthrough") && len(n.PhysicalNetworks) == 0 &&
		v.good(at+".physicalNetworks", at+".use") {
		v.bad(at+".physicalNetworks", "is missing", "name the network that VMs ask for the port by")
	}
}

// compute demands that what is kept back is there: lists are no longer than the
// machine has NUMA nodes, and cores no more than a node has.
func (v *validator) compute(at string, t *v1alpha1.NodeType, m machine) {
	c := t.Compute
	lists := []struct {
		name  string
		cores []int
	}{{"platformCores", c.PlatformCores}, {"vSwitchCores", c.VSwitchCores}, {"sharedCores", c.SharedCores},
		{"floatingCores", c.FloatingCores}}
	sum := make([]int, len(m.nodes))
	for _, l := range lists {
		v.longList(at+"."+l.name, len(l.cores), m)
		for node, n := range l.cores {
			if node >= len(sum) {
				break
			}
			if sum[node] += n; sum[node] > v.coresPerNode(t, m) && v.good(at+"."+l.name) {
				v.bad(at+"."+l.name+"["+strconv.Itoa(node)+"]", fmt.Sprintf("%d cores are kept back on NUMA node %d, it has %d",
					sum[node], node, v.coresPerNode(t, m)), "lower them")
			}
		}
	}
	v.longList(at+".platformMemory", len(c.PlatformMemory), m)
	v.longList(at+".vSwitchMemory", len(c.VSwitchMemory), m)
}

// coresPerNode is the number of cores of a NUMA node; without a topology each CPU is one.
func (v *validator) coresPerNode(t *v1alpha1.NodeType, m machine) int {
	if s, ok := shapeOf(t); ok {
		return s.Caches * s.Cores
	}
	return m.cpus.Len() / max(1, len(m.nodes))
}

func (v *validator) longList(path string, n int, m machine) {
	if n > len(m.nodes) && v.good(path) {
		v.bad(path, fmt.Sprintf("%d entries for %s", n, words.Count(len(m.nodes), "NUMA node")),
			"write one for each NUMA node at most")
	}
}

// CheckServers holds the scenario's own servers against all flavors and images,
// once the files that it names are read. The error is a yamlpos.Problems.
func (d *Document) CheckServers() error {
	v := &validator{reader: &reader{}, tree: d.Tree, s: d.Scenario}
	w := &d.Scenario.Workload
	flavors := namesOf(w.Flavors, func(f v1alpha1.Flavor) string { return f.Name })
	images := namesOf(w.Images, func(i v1alpha1.Image) string { return i.Name })
	for i, s := range w.Servers {
		at := fmt.Sprintf("workload.servers[%d]", i)
		if v.given(at + ".flavor") {
			v.names(at+".flavor", s.Flavor, "flavor", "workload.flavors or to the flavorFile", false, flavors)
			v.names(at+".image", s.Image, "image", "workload.images or to the imageFile", false, images)
		}
	}
	if len(v.problems) == 0 {
		return nil
	}
	v.problems.Sort()
	return v.problems
}
