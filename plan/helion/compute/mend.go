package compute

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/part"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// Changes might give the VMs of a fleet that find no host one, those first of which each was tried
// on a host. Where some number of hosts holds all, that is it; Remedy tells it, unless others are made before.
func (f *Fleet) Changes(in Input) []part.Change {
	var out []part.Change
	if f.Base > 0 && f.Enough > 0 {
		if n := f.Enough; in.Trial && n > f.Total && !in.CPE {
			out = append(out, part.Change{Kind: "hosts", Says: "take " + hosts(n),
				Do: part.OnType(f.Type, func(t *v1alpha1.NodeType) { t.Count = &n })})
		}
		return out
	}
	for _, r := range f.Housing {
		if r.Do != nil {
			key, _, set := strings.Cut(r.Says, "=")
			if !set && strings.HasPrefix(r.Of, "for ") {
				key = zoneKind
			}
			if strings.HasPrefix(key, floating) {
				key = floating
			}
			out = append(out, part.Change{Kind: key + r.Of, Says: named(r), Do: r.Do})
		}
	}
	for _, k := range f.homeless {
		out = append(out, f.placesFor(in, k)...)
	}
	for _, g := range in.Scenario.Workload.ServerGroups {
		if cloud.Softer(g.Policy) != "" {
			r := cloud.SoftGroup(g.Name, g.Policy)
			out = append(out, part.Change{Kind: r.Says, Says: r.Says, Do: r.Do})
		}
	}
	return append(append(out, f.otherHosts(in)...), less(in)...)
}

// zoneKind are changes of the availability zone, floating those of the cores for VMs that float.
const zoneKind, floating = "zone ", "compute.floatingCores"

// named is a remedy with what it changes.
func named(r cloud.Remedy) string { return strings.TrimSpace(r.Says + " " + r.Of) }

// placesFor are settings of zones and hosts that VMs of a server may lack.
func (f *Fleet) placesFor(in Input, server int) []part.Change {
	var out []part.Change
	sv := &in.Scenario.Workload.Servers[server]
	n, err := strconv.Atoi(strings.TrimPrefix(sv.AvailabilityZone, "zone-"))
	if err == nil && n > in.Scenario.Policy.Zones {
		out = append(out, part.Zones(max(n, 2)))
	}
	if sv.AvailabilityZone != "" {
		out = append(out, part.Change{Kind: zoneKind + "for " + sv.Name, Says: "no availability zone for " + sv.Name,
			Do: func(s *v1alpha1.Scenario) {
				s.Workload.Servers = slices.Clone(s.Workload.Servers)
				s.Workload.Servers[server].AvailabilityZone = ""
			}})
	}
	name := in.Scenario.Hardware.NodeTypes[f.Type].Name
	nodes := len(in.Nodes(f.Type))
	if in.Rules() == nova.Nova && f.floats(in, sv) {
		for _, n := range []int{1, 2, 4} {
			r := cloud.FloatingCores(name, slices.Repeat([]int{n}, nodes))
			out = append(out, part.Change{Kind: floating, Says: r.Says, Do: r.Do})
		}
	}
	return out
}

// floats says that VMs of a server share CPUs.
func (f *Fleet) floats(in Input, sv *v1alpha1.Server) bool {
	for _, fl := range in.Scenario.Workload.Flavors {
		if fl.Name == sv.Flavor {
			return fl.Properties["hw:cpu_policy"] != nova.Dedicated
		}
	}
	return false
}

// sized are the sockets and the cores in words.
var sized = regexp.MustCompile(`^(\d+ sockets? x )(\d+)( cores?.*)$`)

// otherHosts are hosts of another size, or with other settings.
func (f *Fleet) otherHosts(in Input) []part.Change {
	t := &in.Scenario.Hardware.NodeTypes[f.Type]
	on := func(kind, says string, do func(t *v1alpha1.NodeType)) part.Change {
		return part.Change{Kind: kind, Says: says, Do: part.OnType(f.Type, do)}
	}
	var out []part.Change
	if f.Fixed {
		out = append(out, on("pages", "leave the huge pages of "+t.Name+" out: the plan then splits its memory",
			func(t *v1alpha1.NodeType) { t.HugePages, t.HugePagesPerNUMANode = nil, nil }))
	}
	for i, n := range t.NICs {
		if n.VirtualFunctions > 0 && 2*n.VirtualFunctions <= mostFunctions {
			out = append(out, on("functions "+n.Name, fmt.Sprintf("give the NIC %s of %s %d virtual functions", n.Name, t.Name,
				2*n.VirtualFunctions), func(t *v1alpha1.NodeType) {
				t.NICs = slices.Clone(t.NICs)
				t.NICs[i].VirtualFunctions *= 2
			}))
		}
	}
	if nodes := in.Nodes(f.Type); slices.ContainsFunc(nodes, func(n Node) bool { return n.VSwitchCores == 0 }) {
		cores := make([]int, len(nodes))
		for i, n := range nodes {
			cores[i] = max(1, n.VSwitchCores)
		}
		out = append(out, vSwitchCores(t.Name, cores))
	}
	if m := sized.FindStringSubmatch(t.Topology); m != nil && t.HugePagesPerNUMANode == nil {
		cores, _ := strconv.Atoi(m[2])
		for _, factor := range []int{2, 4} {
			topology, memory := fmt.Sprint(m[1], cores*factor, m[3]), t.Memory*2
			out = append(out, on("larger", fmt.Sprintf("take larger hosts than %s, such as some of %s and %s", t.Name, topology,
				memory), func(t *v1alpha1.NodeType) { t.Topology, t.CPUs, t.Memory = topology, t.CPUs*factor, memory }))
		}
	}
	return out
}

// vSwitchCores gives the vSwitch so many cores of each NUMA node.
func vSwitchCores(nodeType string, cores []int) part.Change {
	r := cloud.VSwitchCores(nodeType, cores)
	return part.Change{Kind: "vswitch", Says: r.Says, Do: r.Do}
}

// VSwitchAtNICs are the vSwitch's cores on the NUMA nodes of the data NICs: as many as it has, then more.
func (f *Fleet) VSwitchAtNICs(in Input) []part.Change {
	t := &in.Scenario.Hardware.NodeTypes[f.Type]
	nodes := in.Nodes(f.Type)
	all, near := 0, map[int]bool{}
	for _, n := range nodes {
		all += n.VSwitchCores
	}
	for _, n := range t.NICs {
		if n.Use == "data" && n.NUMANode != nil && *n.NUMANode < len(nodes) {
			near[*n.NUMANode] = true
		}
	}
	var out []part.Change
	for more := 0; more <= 2 && len(near) > 0; more++ {
		cores := make([]int, len(nodes))
		for i := range near {
			cores[i] = (all+len(near)-1)/len(near) + more
		}
		out = append(out, vSwitchCores(t.Name, cores))
	}
	return out
}

// MoreLocal are larger disks for VMs.
func (f *Fleet) MoreLocal(s *v1alpha1.Scenario) []part.Change {
	var out []part.Change
	t := &s.Hardware.NodeTypes[f.Type]
	for i, d := range t.Disks {
		for factor := unit.Bytes(2); factor <= 4 && d.Use == "local"; factor *= 2 {
			size := d.Size * factor
			out = append(out, part.Change{Kind: "disk", Says: fmt.Sprintf("give %s a disk of %s of use local", t.Name,
				unit.FormatDecimal(size)), Do: part.OnType(f.Type, func(t *v1alpha1.NodeType) {
				t.Disks = slices.Clone(t.Disks)
				t.Disks[i].Size = size
			})})
		}
	}
	return out
}

// mostFunctions of a NIC that the scenario may have.
const mostFunctions = 256

// less asks for less of what is lost.
func less(in Input) []part.Change {
	var out []part.Change
	if in.Scenario.Policy.SurviveZoneLoss {
		out = append(out, part.NoZoneLoss())
	}
	if n := int(in.Spares.Number); n > 0 {
		out = append(out, part.Spares(n-1))
	}
	return out
}

// keepHousing remembers what would give VMs that find no host of the cloud one.
func (f *Fleet) keepHousing(c *cloud.Cloud) {
	found, open := cloud.Remedies(c)
	f.Housing, f.Open, f.homeless = nil, open, slices.Sorted(maps.Keys(found))
	for _, k := range f.homeless {
		for _, r := range found[k] {
			if !slices.ContainsFunc(f.Housing, func(h cloud.Remedy) bool { return named(h) == named(r) }) {
				f.Housing = append(f.Housing, r)
			}
		}
	}
}

// housed are the ways for the first of them in words.
func (f *Fleet) housed(s *v1alpha1.Scenario) string {
	var out []string
	for _, r := range f.Housing {
		if r.Server == f.Housing[0].Server && len(out) < mostHoused {
			out = append(out, named(r))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return fmt.Sprintf("to give VMs of %s a host (whether all holds then is not known): %s",
		s.Workload.Servers[f.Housing[0].Server].Name, strings.Join(out, "; or "))
}

// mostHoused are told.
const mostHoused = 3
