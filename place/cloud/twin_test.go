package cloud

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// stateOf tells all of a simulation that matters.
func stateOf(s *sim) string {
	var sets, members []string
	for _, id := range s.live {
		sets = append(sets, fmt.Sprint(id, slices.Collect(s.sets[id].all())))
	}
	slices.Sort(sets)
	for g, m := range s.members {
		members = append(members, fmt.Sprint(m))
		seen := 0
		for c, set := range s.groupHosts[g].byState {
			for host := range set.all() {
				if s.of[host] != c.state || m[host] != int(c.vms) || !slices.Contains(s.groupsOf[host], int32(g)) {
					panic("a host is not where its group looks for it")
				}
				seen++
			}
		}
		if seen != len(m) {
			panic("a group looks for too few hosts")
		}
	}
	return fmt.Sprint(s.of, s.vms, sets, members, len(s.journal))
}

// twin is the naive placement: every VM looks at every host, each of which is kept
// by itself.
type twin struct {
	c     *Cloud
	hosts []*twinHost
}

type twinHost struct {
	host   *nova.Host
	base   int32
	vms    []int32
	vcpus  int
	ram    int64
	disk   int64
	weigh  int64
	failed bool
}

func newTwin(c *Cloud) *twin {
	t := &twin{c: c}
	for i := range c.hosts {
		t.hosts = append(t.hosts, &twinHost{host: c.typeOf(i).empty.Clone(), base: c.hosts[i].typeInZone})
	}
	return t
}

// passes reports whether a host passes the filters.
func (t *twin) passes(k int32, h *twinHost) bool {
	st := &t.c.servers[k]
	rs, b := &t.c.specs[st.spec], &t.c.typesInZones[h.base]
	ht := &t.c.hostTypes[b.hostType]
	if h.failed || t.c.ruledOut(rs, b) != "" {
		return false
	}
	if st.group >= 0 {
		g := &t.c.groups[st.group]
		here, elsewhere := 0, 0
		for _, other := range t.hosts {
			for _, v := range other.vms {
				if !other.failed && t.c.servers[v].group == st.group {
					if other == h {
						here++
					} else {
						elsewhere++
					}
				}
			}
		}
		if g.Policy == antiAffinity && here >= max(1, g.MaxServerPerHost) || g.Policy == affinity &&
			here == 0 && elsewhere > 0 {
			return false
		}
	}
	if !ht.diskUnstated && ht.backing != backingRemote && (rs.disk > 0 || rs.local) &&
		(ht.disk == 0 || h.disk+rs.disk > ht.disk) {
		return false
	}
	_, ok := h.host.Fit(rs.request, t.c.rules)
	return ok && t.sums(k, h)
}

// sums reports whether the host's VMs, and one more, stay within what Nova's Placement
// has of floating vCPUs and of memory.
func (t *twin) sums(k int32, h *twinHost) bool {
	vcpus, ram, shared, memory := 0, int64(0), 0, int64(0)
	for _, v := range append(slices.Clone(h.vms), k) {
		q := t.c.request(v)
		ram += q.Memory
		if q.CPUPolicy != nova.Dedicated {
			vcpus += q.VCPUs // those of the twin's VMs float all or none
		}
	}
	for _, c := range h.host.Cells {
		shared, memory = shared+c.Shared.Len(), memory+c.Memory
	}
	own := t.c.request(k).CPUPolicy == nova.Dedicated
	return t.c.rules != nova.Nova || float64(ram) <= float64(memory)*h.host.RAMAllocationRatio &&
		(own || float64(vcpus) <= float64(shared)*h.host.CPUAllocationRatio)
}

// choose filters and weighs, weigher by weigher as Nova's own code does.
func (t *twin) choose(k int32) int {
	var hosts []int
	for i, h := range t.hosts {
		if t.passes(k, h) {
			hosts = append(hosts, i)
		}
	}
	if len(hosts) < 2 {
		return append(hosts, -1)[0]
	}
	total := make([]float64, len(hosts))
	for _, w := range t.weighers(k) {
		var raw []float64
		for _, i := range hosts {
			v := w.value(t.hosts[i])
			if w.fromZero {
				v = max(v, 0)
			}
			raw = append(raw, v)
		}
		low, high := slices.Min(raw), slices.Max(raw)
		if w.fromZero {
			low = 0
		}
		for i := range raw {
			norm := 0.0
			if high != low {
				norm = (raw[i] - low) / (high - low)
			}
			total[i] += float64(w.multiplier * norm)
		}
	}
	best := 0
	for i := range total {
		if total[i] > total[best] {
			best = i
		}
	}
	return hosts[best]
}

type weigher struct {
	multiplier float64
	fromZero   bool
	value      func(*twinHost) float64
}

func (t *twin) weighers(k int32) []weigher {
	st := &t.c.servers[k]
	members := func(policy string) func(*twinHost) float64 {
		return func(h *twinHost) float64 {
			n := 0.0
			for _, v := range h.vms {
				if st.group >= 0 && t.c.groups[st.group].Policy == policy && t.c.servers[v].group == st.group {
					n++
				}
			}
			return n
		}
	}
	room := 1.0
	if t.c.s.Scheduling.HostStrategy == "pack" {
		room = -1
	}
	return []weigher{
		{1, false, members(softAffinity)},
		{1, false, func(h *twinHost) float64 { return -members(softAntiAffinity)(h) }},
		{room, true, func(h *twinHost) float64 {
			cpus := 0
			for _, c := range h.host.Cells {
				cpus += c.Shared.Len()
			}
			return float64(cpus)*h.host.CPUAllocationRatio - float64(h.vcpus)
		}},
		{1, true, func(h *twinHost) float64 {
			return float64(t.c.typeAt(h.base).disk - h.weigh)
		}},
		{1, false, func(h *twinHost) float64 {
			free := 0
			for _, p := range h.host.Pools {
				free += p.Free
			}
			return float64(100 - min(free, 99))
		}},
		{room, true, func(h *twinHost) float64 {
			memory := int64(0)
			for _, c := range h.host.Cells {
				memory += c.Memory
			}
			return float64(memory - h.ram)
		}},
	}
}

func (t *twin) put(k int32, i int) {
	rs, h := &t.c.specs[t.c.servers[k].spec], t.hosts[i]
	f, ok := h.host.Fit(rs.request, t.c.rules)
	if !ok {
		panic("the twin places a VM where it does not fit")
	}
	h.host.Claim(rs.request, f)
	h.vms = append(h.vms, k)
	h.vcpus += rs.request.VCPUs
	h.ram += rs.request.Memory
	if t.c.typeAt(h.base).backing != backingRemote {
		h.disk += rs.disk
		h.weigh += rs.weighed
	}
}

// lose takes hosts away and places their VMs anew; it counts those without a host.
func (t *twin) lose(hosts []int) int {
	var moved []int32
	for _, h := range hosts {
		moved = append(moved, t.hosts[h].vms...)
		t.hosts[h].failed = true
	}
	homeless := 0
	for _, k := range moved {
		if i := t.choose(k); i >= 0 {
			t.put(k, i)
		} else {
			homeless++
		}
	}
	return homeless
}

// clouds draws small clouds with much of everything that counts.
func clouds() *rapid.Generator[*v1alpha1.Scenario] {
	return rapid.Custom(func(t *rapid.T) *v1alpha1.Scenario {
		rules := rapid.SampledFrom([]nova.Rules{nova.HCG40, nova.StarlingX, nova.Nova}).Draw(t, "rules")
		s := scenario(rules, compute(single, "64Gi", 1))
		s.Hardware.NodeTypes = nil
		for i := range rapid.IntRange(1, 2).Draw(t, "types") {
			s.Hardware.NodeTypes = append(s.Hardware.NodeTypes, drawHosts(t, i))
		}
		s.Scheduling.HostStrategy = rapid.SampledFrom([]string{"spread", "pack"}).Draw(t, "hostStrategy")
		s.Scheduling.NUMAStrategy = rapid.SampledFrom([]string{"spread", "pack"}).Draw(t, "numaStrategy")
		s.Scheduling.Order = rapid.SampledFrom([]string{"runs", "shuffled", "largestFirst"}).Draw(t, "order")
		s.Scheduling.Seed = rapid.IntRange(0, 99).Draw(t, "seed")
		policies := []string{affinity, antiAffinity, softAffinity, softAntiAffinity}
		for i := range rapid.IntRange(0, 2).Draw(t, "groups") {
			s.Workload.ServerGroups = append(s.Workload.ServerGroups, v1alpha1.ServerGroup{Name: fmt.Sprint("g", i),
				Policy: rapid.SampledFrom(policies).Draw(t, "policy"), MaxServerPerHost: rapid.IntRange(1, 2).Draw(t, "most")})
		}
		for i := range rapid.IntRange(1, 4).Draw(t, "servers") {
			drawServer(t, s, i)
		}
		return s
	})
}

func drawHosts(t *rapid.T, i int) v1alpha1.NodeType {
	n := compute(rapid.SampledFrom([]string{single, dual, "2 sockets x 2 numa x 4 cores",
		"1 socket x 6 cores x 2 threads"}).Draw(t, "topology"), "64Gi", rapid.IntRange(1, 5).Draw(t, "hosts"))
	n.Name = fmt.Sprint("type", i)
	n.Compute = &v1alpha1.Compute{LocalBacking: rapid.SampledFrom([]string{"", "image", "remote"}).Draw(t, "backing")}
	if n.Topology != "1 socket x 6 cores x 2 threads" {
		n.Compute.SharedCores = rapid.SampledFrom([][]int{nil, {0, 1}}).Draw(t, "sharedCores")
		n.NICs = []v1alpha1.NIC{{Use: "sriov", VirtualFunctions: rapid.IntRange(0, 4).Draw(t, "vfs"), NUMANode: ref(1),
			PhysicalNetworks: []string{"p1"}}}
	}
	if rapid.Bool().Draw(t, "floating") { // with the rules of nova: CPUs for VMs that float, few of them
		n.Compute.FloatingCores, n.Compute.CPUAllocationRatio = []int{0, 2},
			unit.Factor(rapid.IntRange(1, 2).Draw(t, "ratio"))
		if n.Compute.SharedCores == nil && len(n.NICs) == 0 {
			n.Compute.FloatingCores = []int{2}
		}
	}
	n.Domains = rapid.SampledFrom([]map[string]int{nil, {"zone": 2}}).Draw(t, "zones")
	n.Labels = rapid.SampledFrom([]map[string]string{nil, {"fast": "true"}}).Draw(t, "labels")
	if rapid.Bool().Draw(t, "disks") {
		n.Disks = []v1alpha1.Disk{{Use: "local", Count: 1, Size: 100 * unit.GB}}
	}
	if rapid.Bool().Draw(t, "pages") {
		n.HugePages = map[string]unit.Bytes{"2Mi": 8 * unit.GiB, "1Gi": 6 * unit.GiB}
	}
	return n
}

func drawServer(t *rapid.T, s *v1alpha1.Scenario, i int) {
	name := fmt.Sprint("s", i)
	specs := map[string]string{}
	vcpus := 2 * rapid.IntRange(1, 4).Draw(t, "pairs")
	if rapid.IntRange(0, 3).Draw(t, "dedicated") > 0 {
		specs["hw:cpu_policy"] = "dedicated"
		if p := rapid.SampledFrom([]string{"", "prefer", "require", "isolate"}).Draw(t, "threads"); p != "" {
			specs["hw:cpu_thread_policy"] = p
		}
	}
	if p := rapid.SampledFrom([]string{"", "2048", "1048576", "small", "any", "large"}).Draw(t, "page"); p != "" {
		specs["hw:mem_page_size"] = p
	}
	if rapid.IntRange(0, 2).Draw(t, "two") == 0 {
		specs["hw:numa_nodes"] = "2"
	}
	if rapid.IntRange(0, 4).Draw(t, "fast") == 0 {
		specs["aggregate_instance_extra_specs:fast"] = "true"
	}
	f := v1alpha1.Flavor{Name: name, VCPUs: vcpus, RAM: unit.Bytes(2*rapid.IntRange(1, 5).Draw(t, "ram")) * unit.GiB,
		Properties: specs, Disk: 30 * unit.GB}
	v := v1alpha1.Server{Name: name, Flavor: name, Count: rapid.IntRange(0, 8).Draw(t, "count"),
		BootFrom: rapid.SampledFrom([]string{"volume", "volume", "image"}).Draw(t, "boot")}
	if rapid.IntRange(0, 3).Draw(t, "vf") == 0 {
		v.Ports = []v1alpha1.Port{{PhysicalNetwork: "p1", VNICType: "direct"}}
	}
	if n := len(s.Workload.ServerGroups); n > 0 && rapid.Bool().Draw(t, "grouped") {
		v.Group = s.Workload.ServerGroups[rapid.IntRange(0, n-1).Draw(t, "group")].Name
	}
	if rapid.IntRange(0, 5).Draw(t, "zoned") == 0 {
		v.AvailabilityZone = "zone-1"
	}
	s.Workload.Flavors, s.Workload.Servers = append(s.Workload.Flavors, f), append(s.Workload.Servers, v)
}

// TestTwin places clouds twice: by classes of equal hosts, and by looking at every
// host each time; and loses hosts twice.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := clouds().Draw(t, "cloud")
		c, problems := New(s, poolsOf(s))
		if len(problems) > 0 {
			t.Skip(problems)
		}
		r := newRun(c, Options{})
		r.all()
		w := newTwin(c)
		for n, k := range c.arrivals(s.Scheduling.Order) {
			if i := w.choose(k); i >= 0 {
				w.put(k, i)
			}
			_ = n
		}
		for i := range c.hosts {
			if !slices.Equal(r.s.vms[i], w.hosts[i].vms) {
				t.Fatalf("host %s has %v, the twin %v", c.hosts[i].name, r.s.vms[i], w.hosts[i].vms)
			}
		}
		lost := []int{rapid.IntRange(0, len(c.hosts)-1).Draw(t, "lost")}
		if more := rapid.IntRange(0, len(c.hosts)-1).Draw(t, "more"); more != lost[0] {
			lost = append(lost, more)
		}
		r.s.try(func() {
			n := 0
			for _, k := range r.evacuate(lost) {
				n += k
			}
			if m := w.lose(lost); n != m {
				t.Fatalf("after the loss of %v %d VMs have no host, by the twin %d", lost, n, m)
			}
		})
	})
}
