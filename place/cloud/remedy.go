package cloud

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/nova/flavor"
	"plimsoll.dev/unit"
)

// Remedy is a change of a scenario that would give a VM a place, in words and deed.
type Remedy struct {
	Says string
	// Of is what it changes, where that goes without saying beside the VM: "in the flavor small".
	Of string
	// Server is the index of the VM's server.
	Server int
	// Do changes the scenario, and writes into nothing that it shares; nil leaves that to people.
	Do func(s *v1alpha1.Scenario)
}

// Remedies are the server types with VMs that find no host, by their index, and what would give one of
// each a place, every single change tried; open is what is not known about them.
func Remedies(c *Cloud) (found map[int][]Remedy, open []string) {
	r := newRun(c, Options{})
	r.all()
	found = map[int][]Remedy{}
	for k := range c.servers {
		if r.refused[k] > 0 && c.servers[k].host < 0 {
			found[k] = r.remedies(int32(k))
			if text := r.elsewhere(int32(k)); text != "" {
				open = append(open, text)
			}
		}
	}
	return found, open
}

// search is the search for what would give VMs of a server type a place.
func (r *run) search(k int32) *remedySearch {
	st := &r.c.servers[k]
	return &remedySearch{run: r, index: int(k), server: *st, hosts: r.unlike(st), request: r.c.specs[st.spec].request}
}

// remedies are single changes of the VM, of its hosts or of where it may run that
// would give it a place now, each tried.
func (r *run) remedies(k int32) []Remedy {
	t := r.search(k)
	var out []Remedy
	if found := t.nearDevices(); found.Says != "" { // rather a gap of the scenario than a fault of the VM
		out = append(out, found)
	}
	for _, c := range t.changes() {
		if q := t.with(c.edit); q != nil && !reflect.DeepEqual(q, t.request) && t.anyTakes(q) {
			out = append(out, t.flavored(c))
		}
	}
	for _, found := range []Remedy{t.fewerVCPUs(), t.lessMemory(), t.otherPages(), t.moreFloating(),
		t.sharedCore()} {
		if found.Says != "" {
			out = append(out, found)
		}
	}
	out = append(out, t.otherPlaces()...)
	for i := range out {
		out[i].Server = int(k)
	}
	return out
}

// flavored is a change of the VM's flavor, and of its image where that says the same.
func (t *remedySearch) flavored(c change) Remedy {
	image := ""
	if t.server.image != nil {
		image = t.server.image.Name
	}
	name := t.server.flavor.Name
	return Remedy{Says: c.text, Of: "in the flavor " + name, Do: func(s *v1alpha1.Scenario) {
		w := &s.Workload
		w.Flavors, w.Images = slices.Clone(w.Flavors), slices.Clone(w.Images)
		f := slices.IndexFunc(w.Flavors, func(f v1alpha1.Flavor) bool { return f.Name == name })
		m := slices.IndexFunc(w.Images, func(m v1alpha1.Image) bool { return m.Name == image })
		d := editedFlavor{flavor: w.Flavors[f]}
		if m >= 0 {
			d.image = w.Images[m]
		}
		d.own()
		if c.edit(&d); m >= 0 {
			w.Images[m] = d.image
		}
		w.Flavors[f] = d.flavor
	}}
}

// remedySearch tries changes of a VM of a server type on some hosts.
type remedySearch struct {
	*run
	index   int
	server  serverType
	request *nova.Request
	hosts   []int32
}

// editedFlavor is a flavor and an image that may be changed.
type editedFlavor struct {
	flavor v1alpha1.Flavor
	image  v1alpha1.Image
}

// own makes the properties the flavor's and the image's own, to be changed.
func (d *editedFlavor) own() {
	d.flavor.Properties, d.image.Properties = maps.Clone(d.flavor.Properties), maps.Clone(d.image.Properties)
	if d.flavor.Properties == nil {
		d.flavor.Properties = map[string]string{}
	}
}

// set gives a key of the flavor a value, which the image then leaves to it.
func (d *editedFlavor) set(key, value string) {
	d.drop(key)
	d.flavor.Properties[key] = value
}

// drop takes a key, or the numbered keys that begin with it and end in a dot, from
// flavor and image.
func (d *editedFlavor) drop(key string) {
	image := strings.ReplaceAll(key, ":", "_")
	if strings.HasSuffix(key, ".") {
		maps.DeleteFunc(d.flavor.Properties, func(k, _ string) bool { return strings.HasPrefix(k, key) })
		maps.DeleteFunc(d.image.Properties, func(k, _ string) bool { return strings.HasPrefix(k, image) })
		return
	}
	delete(d.flavor.Properties, key)
	delete(d.image.Properties, image)
}

// with is what the VM would ask after a change of its flavor; nil is that nobody
// could write such a flavor.
func (t *remedySearch) with(edit func(*editedFlavor)) *nova.Request {
	d := editedFlavor{flavor: *t.server.flavor}
	var image *v1alpha1.Image
	if t.server.image != nil {
		d.image = *t.server.image
		image = &d.image
	}
	d.own()
	edit(&d)
	q, _, errs := flavor.Request(&d.flavor, image, t.server.server.Ports, t.c.rules)
	if len(errs) > 0 {
		return nil
	}
	return q
}

// change is a changed flavor, in words.
type change struct {
	text string
	edit func(*editedFlavor)
}

// setting is a change of one extra spec.
func setting(key, value string) change {
	return change{key + "=" + value, func(d *editedFlavor) { d.set(key, value) }}
}

// changes are the single changes that keep the VM's size.
func (t *remedySearch) changes() []change {
	q := t.request
	var out []change
	for _, size := range []string{"2MB", "1GB", "small"} {
		out = append(out, setting("hw:mem_page_size", size))
	}
	if t.c.rules != nova.HCG40 { // where it is another word for large
		out = append(out, setting("hw:mem_page_size", "any"))
	}
	out = append(out, t.otherNodes()...)
	if q.VSwitchAffinity == nova.Required {
		out = append(out, setting("hw:wrs:vswitch_numa_affinity", "prefer"))
	}
	if len(q.Devices) > 0 {
		if t.c.rules == nova.Nova {
			out = append(out, setting("hw:pci_numa_affinity_policy", nova.Preferred))
		} else {
			out = append(out, setting("hw:wrs:pci_numa_affinity", "prefer"))
		}
	}
	if q.ThreadPolicy == nova.Isolate || q.ThreadPolicy == nova.Require {
		c := setting("hw:cpu_thread_policy", nova.Prefer)
		c.text = "no " + q.ThreadPolicy + " (" + c.text + ")"
		out = append(out, c)
	}
	if q.EmulatorThreads == nova.EmulatorIsolate {
		out = append(out, setting("hw:emulator_threads_policy", nova.EmulatorShare))
	}
	return out
}

// otherNodes are other numbers of virtual NUMA nodes, and any of the host's nodes
// for them.
func (t *remedySearch) otherNodes() []change {
	q := t.request
	var out []change
	if slices.ContainsFunc(q.Cells, func(c nova.GuestCell) bool { return c.HostNode >= 0 }) {
		out = append(out, change{"no hw:numa_node, so that any NUMA node of the host will do",
			func(d *editedFlavor) { d.drop("hw:numa_node.") }})
	}
	counts := []int{2 * len(q.Cells), 1}
	for _, n := range counts {
		if n == 0 || n == len(q.Cells) {
			continue
		}
		c := setting("hw:numa_nodes", strconv.Itoa(n))
		edit := c.edit
		c.edit = func(d *editedFlavor) {
			edit(d)
			for _, list := range []string{"hw:numa_cpus.", "hw:numa_mem.", "hw:numa_node."} {
				d.drop(list)
			}
		}
		if t.numbered() {
			c.text += " without the keys that are numbered by node"
		}
		out = append(out, c)
	}
	return out
}

// numbered reports whether flavor or image have keys for each virtual NUMA node.
func (t *remedySearch) numbered() bool {
	properties := maps.Clone(t.server.flavor.Properties)
	if t.server.image != nil {
		maps.Copy(properties, t.server.image.Properties)
	}
	for key := range properties {
		for _, list := range []string{"hw:numa_cpus.", "hw:numa_mem.", "hw:numa_node.", "hw_numa_cpus.", "hw_numa_mem."} {
			if strings.HasPrefix(key, list) {
				return true
			}
		}
	}
	return false
}

// fewerVCPUs finds the most vCPUs with which the VM would fit.
func (t *remedySearch) fewerVCPUs() Remedy {
	for n := t.request.VCPUs - 1; n > 0; n-- {
		c := change{words.Count(n, "vCPU") + " instead of " + words.Number(t.request.VCPUs),
			func(d *editedFlavor) { d.flavor.VCPUs = n }}
		if q := t.with(c.edit); q != nil && t.anyTakes(q) {
			return t.flavored(c)
		}
	}
	return Remedy{}
}

// lessMemory finds the most memory, in steps of 1 GiB, with which a VM of one
// NUMA node would fit.
func (t *remedySearch) lessMemory() Remedy {
	const step = unit.GiB
	if len(t.request.Cells) > 1 {
		return Remedy{}
	}
	fits := func(n unit.Bytes) bool {
		q := t.with(func(d *editedFlavor) { d.flavor.RAM = n * step })
		return q != nil && t.anyTakes(q)
	}
	memory := t.server.flavor.RAM
	low, high := unit.Bytes(0), (memory+step-1)/step // fits at low, not at high
	for low+1 < high {
		if mid := (low + high) / 2; fits(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	if low == 0 {
		return Remedy{}
	}
	return t.flavored(change{unit.FormatBytes(low*step) + " of memory instead of " + unit.FormatBytes(memory),
		func(d *editedFlavor) { d.flavor.RAM = low * step }})
}

func copyOf(q *nova.Request) *nova.Request {
	c := *q
	c.Cells, c.Devices = slices.Clone(q.Cells), slices.Clone(q.Devices)
	return &c
}

// mostTried is how many unlike hosts a remedy is tried on.
const mostTried = 300

// unlike are hosts that are not alike to VMs of a server type, those with most free CPUs
// first, at most mostTried.
func (r *run) unlike(st *serverType) []int32 {
	var hosts []int32
	r.eachUnlike(st, func(host int32, _ int) { hosts = append(hosts, host) })
	slices.SortFunc(hosts, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.s.state(b).freeCPUs(), r.s.state(a).freeCPUs()), cmp.Compare(a, b))
	})
	return hosts[:min(len(hosts), mostTried)]
}

// anyTakes reports whether any host takes a VM with a changed request. Zone,
// aggregates, local disks and the group hold as before.
func (t *remedySearch) anyTakes(q *nova.Request) bool {
	return t.any(func(host int32) bool { return t.c.fits(t.s.state(host).host, q) })
}

// any finds a host that nothing but its NUMA nodes keeps the VM from.
func (t *remedySearch) any(takes func(host int32) bool) bool {
	rs := &t.c.specs[t.server.spec]
	return slices.ContainsFunc(t.hosts, func(host int32) bool {
		state := t.s.state(host)
		return rs.ruledOut[state.typeInZone] == "" && t.open(rs, state, host) && takes(host)
	})
}

// open reports whether local disk and group let the VM run on a host.
func (t *remedySearch) open(rs *requestSpec, state *hostState, host int32) bool {
	return t.states.noDisk(state, rs) == "" && (t.server.group < 0 || t.groupWhy(&t.server, host) == "")
}

// otherPlaces are what the group, the zone or the aggregates keep the VM from.
func (t *remedySearch) otherPlaces() []Remedy {
	var out []Remedy
	rs := t.c.specs[t.server.spec]
	if t.server.group >= 0 {
		g := &t.c.groups[t.server.group]
		free := *t
		free.server.group = -1
		if soft := Softer(g.Policy); soft != "" && free.anyTakes(rs.request) {
			out = append(out, SoftGroup(g.Name, g.Policy))
		}
	}
	if rs.zone != "" {
		moved := rs
		moved.zone = ""
		if zone, ok := t.elsewhere(&moved); ok {
			out = append(out, Remedy{Says: "the availability zone " + zone, Of: "for " + t.server.server.Name,
				Do: func(s *v1alpha1.Scenario) {
					s.Workload.Servers = slices.Clone(s.Workload.Servers)
					s.Workload.Servers[t.index].AvailabilityZone = zone
				}})
		}
	}
	if len(rs.constraints.Aggregate) > 0 {
		rs.constraints.Aggregate = nil
		if _, ok := t.elsewhere(&rs); ok {
			out = append(out, Remedy{Says: "a host outside its aggregate"})
		}
	}
	return out
}

// elsewhere is the zone of a host that takes a VM with other constraints.
func (t *remedySearch) elsewhere(rs *requestSpec) (zone string, found bool) {
	for _, host := range t.hosts {
		state := t.s.state(host)
		b := &t.c.typesInZones[state.typeInZone]
		if t.c.ruledOut(rs, b) != "" || !t.open(rs, state, host) || !t.c.fits(state.host, rs.request) {
			continue
		}
		if in := cmp.Or(b.zone, defaultZone); !found || in < zone {
			zone, found = in, true
		}
	}
	return zone, found
}
