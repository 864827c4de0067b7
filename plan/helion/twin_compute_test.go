package helion_test

import (
	"math"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/topo"
)

// shape is a machine in numbers: NUMA nodes, physical cores of each, threads.
type shape struct{ sockets, nodes, perNode, threads int }

func (s shape) cores() int { return s.nodes * s.perNode }

func shapeOf(t *v1alpha1.NodeType) shape {
	if t == nil {
		return shape{2, 2, 8, 1} // the least that the document asks for
	}
	m, err := topo.Parse(t.Topology)
	if err != nil {
		panic(err)
	}
	s, _ := m.Shape()
	return shape{s.Sockets, s.Sockets * s.Nodes, s.Caches * s.Cores, s.Threads}
}

func at(list []int, i int) float64 {
	if i < len(list) {
		return float64(list[i])
	}
	return 0
}

// compute is what the platform and the vSwitch leave of a compute host.
func (w *twin) compute() {
	h, name := shapeOf(w.host), w.host.Name
	c := w.host.Compute
	if c == nil {
		c = &v1alpha1.Compute{}
	}
	var memory, cores float64
	for i := range h.nodes {
		gibs := float64(w.host.Memory)/gib/float64(h.nodes) - w.keptMemory(i, h.nodes, c)
		n := float64(h.perNode) - w.keptCores(i, h.threads, c)
		gibs, n = math.Max(0, gibs), math.Max(0, n)
		node := text("[%s/%d]", name, i)
		w.want["compute.memory"+node], w.want["compute.cores"+node] = gibs*gib, n
		w.want["compute.cpus"+node] = n * float64(h.threads)
		memory, cores = memory+gibs, cores+n
	}
	w.want["compute.memory["+name+"]"], w.want["compute.cores["+name+"]"] = memory*gib, cores
	w.want["compute.cpus["+name+"]"] = cores * float64(h.threads)
	w.want["compute.partitions"] = (19.5 + 0.5 + 3.75 + 3.75 + 2) * gb
	w.want["compute.primary"] = 120 * gb
	w.want["compute.vmsPerHost"] = w.vms() / float64(w.computes)
	w.hosts(name)
}

// keptMemory is in GiB: 6 GB on node 0, 2 GB and one huge page of 1 GB on each
// node; the controller of a CPE takes 10,000 MiB on node 0 in place of the 6 GB
// (nobody's document says).
func (w *twin) keptMemory(node, nodes int, c *v1alpha1.Compute) float64 {
	platform := 2.0
	switch {
	case node > 0:
	case w.model == "cpe":
		platform += 10000.0 / 1024
	case !w.careful: // "a total of 10 GB", however many nodes
		platform = 10 - 2*float64(nodes-1)
	default:
		platform += 6
	}
	vswitch := 1.0
	if c.PlatformMemory != nil {
		platform = float64(c.PlatformMemory[node]) / gib
	}
	if c.VSwitchMemory != nil {
		vswitch = float64(c.VSwitchMemory[node]) / gib
	}
	return platform + vswitch
}

// keptCores are physical: those of the platform, the shared ones, and the vSwitch's on node 0.
func (w *twin) keptCores(node, threads int, c *v1alpha1.Compute) float64 {
	vswitch := 0.0
	if node == 0 {
		vswitch = w.vswitchCores()
	}
	if c.VSwitchCores != nil {
		vswitch = at(c.VSwitchCores, node)
	}
	return w.platformCores(node, threads, c) + vswitch
}

// platformCores are physical: 1 for the platform on node 0, the two logical ones of a
// CPE's controller beside it, and the shared ones.
func (w *twin) platformCores(node, threads int, c *v1alpha1.Compute) float64 {
	if c == nil {
		c = &v1alpha1.Compute{}
	}
	platform := 0.0
	if node == 0 {
		platform = 1
		if w.model == "cpe" {
			platform += math.Ceil(2 / float64(threads))
		}
	}
	if c.PlatformCores != nil {
		platform = at(c.PlatformCores, node)
	}
	return platform + at(c.SharedCores, node)
}

// hosts are the computes that all VMs take, no more than 20 on one, and the spare ones.
func (w *twin) hosts(name string) {
	base := w.got["compute.base["+name+"]"]
	if only := w.s.Workload.Servers; len(only) == 1 && w.dedicated(only[0].Flavor) > 0 {
		base = math.Ceil(w.vms() / w.onOneHost(only[0].Flavor, name))
	}
	w.want["compute.base["+name+"]"] = base
	capped := math.Max(base, math.Ceil(w.vms()/20))
	spare, total := float64(*w.s.Policy.SpareNodes), 0.0
	switch {
	case w.model == "cpe":
		total, spare = 2, math.Max(0, 2-base)
	case w.host.Count != nil:
		if base > 0 {
			w.want["compute.needed["+name+"]"] = capped + spare
		}
		if base > 0 {
			w.want["compute.needed["+name+"]"] = capped + spare
		}
		total = float64(*w.host.Count)
		spare = total - capped
	default:
		total = capped + spare
		// the order of arrival may ask for more than the packing
		if more := w.got["compute.hosts["+name+"]"]; more > total && slices.Contains(w.findings, "compute.option["+name+"]") {
			total, spare = more, more-capped
		}
	}
	w.want["compute.hosts["+name+"]"] = total
	if w.model != "cpe" { // beyond what is asked for they are no spare ones
		spare = max(0, min(spare, float64(*w.s.Policy.SpareNodes)))
	}
	w.want["hosts.spare"], w.got["hosts.spare"] = spare, float64(w.decided().Spares)
}

func (w *twin) decided() v1alpha1.HelionHosts {
	hosts := w.p.Decisions.Helion.Hosts
	return hosts[slices.IndexFunc(hosts, func(h v1alpha1.HelionHosts) bool { return h.Role == "compute" })]
}

// kept are the vSwitch's cores that the plan's computes keep back.
func (w *twin) kept() float64 {
	if c := w.decided().Compute; c != nil && c.VSwitchCores != nil {
		return at(c.VSwitchCores, 0)
	}
	return 2
}

func (w *twin) flavor(name string) *v1alpha1.Flavor {
	for i := range w.s.Workload.Flavors {
		if w.s.Workload.Flavors[i].Name == name {
			return &w.s.Workload.Flavors[i]
		}
	}
	return nil
}

// dedicated is the number of dedicated vCPUs of a flavor.
func (w *twin) dedicated(name string) float64 {
	if f := w.flavor(name); f.Properties["hw:cpu_policy"] == "dedicated" {
		return float64(f.VCPUs)
	}
	return 0
}

// onOneHost is how many VMs of one node each a host takes: as many as the CPUs
// and the memory of each of its NUMA nodes hold.
func (w *twin) onOneHost(flavor, host string) (n float64) {
	f := w.flavor(flavor)
	for i, h := 0, shapeOf(w.host); i < h.nodes; i++ {
		node := text("[%s/%d]", host, i)
		cpus := w.want["compute.cores"+node] * float64(h.threads)
		n += math.Min(math.Floor(cpus/float64(f.VCPUs)), math.Floor(w.want["compute.memory"+node]/float64(f.RAM)))
	}
	return n
}

// local is the size of a VM's local disk by the kind that backs it.
func (w *twin) local(s *v1alpha1.Server) (backing string, size float64) {
	f := w.flavor(s.Flavor)
	size = float64(f.Ephemeral + f.Swap)
	if s.BootFrom != "volume" {
		root := float64(f.Disk)
		if root == 0 {
			root = w.rawSize(s.Image)
		}
		size += root
	}
	switch {
	case size == 0 || s.Count == 0:
		return "", 0
	case s.BootFrom == "remoteImage" || s.LiveMigration:
		return "remote", size
	case s.IOIntensive && !s.KeepData:
		return "lvm", size
	}
	return "image", size
}

// localDisks are the formulas of the nova-local group; the overhead is the
// middle of the 10 to 20 GB that are recommended.
func (w *twin) localDisks() {
	var images, imageSize float64
	for _, i := range w.s.Workload.Images {
		n := w.each(i.Count, false)
		images, imageSize = images+n, imageSize+n*float64(i.Size)
	}
	for _, backing := range []string{"image", "lvm"} {
		var vms, all float64
		for i := range w.s.Workload.Servers {
			s := &w.s.Workload.Servers[i]
			if b, size := w.local(s); b == backing {
				vms, all = vms+w.vmsOf(s.Name), all+w.vmsOf(s.Name)*size
			}
		}
		if vms == 0 {
			continue
		}
		id := "compute.local." + backing
		at := "[" + w.host.Name + "]"
		// which host has the largest disks only the placement can tell: no less than the mean host
		n, mean := w.got[id+".vms"+at], w.got[id+".size"+at]
		switch sum := n * mean; {
		case w.model == "cpe" || len(w.s.Workload.Servers) == 1:
			n, mean = math.Min(vms, math.Max(w.onFullest(), w.got["compute.vmsAfterLoss"])), all/vms
		case sum < all/float64(w.computes)*(1-1e-9) || sum > all*(1+1e-9) || n > vms:
			n = math.NaN()
		}
		w.want[id+".vms"+at], w.want[id+".size"+at] = n, mean
		need := (n*mean + 15*gb) * w.margin
		if backing == "lvm" {
			w.want["compute.local.images"] = images
			each := 0.0
			if images > 0 {
				each = imageSize / images
				w.want["compute.local.imageSize"] = each
			}
			if c := w.s.Storage.Creation.CachedImages; c != nil {
				images = float64(*c)
			}
			need = (images*each+15*gb)*w.margin + n*mean*w.margin
		}
		w.want[id+at] = need
		w.want[id+".disk"+at] = math.Max(need, 500*gb)
	}
}

// onFullest is the number of VMs on the fullest host; each host of a CPE must be able to carry all.
func (w *twin) onFullest() float64 {
	if w.model == "cpe" {
		return w.vms()
	}
	return w.got["compute.vmsOnFullest"]
}
