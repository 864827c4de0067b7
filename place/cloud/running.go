package cloud

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// mostTriesPerHost bounds how many places are tried for the VMs of one host that run
// already, and mostTries for all hosts together.
const (
	mostTriesPerHost = 5_000
	mostTries        = 300_000
)

// bindAll gives the VMs that run already a place on their hosts. Which NUMA nodes
// and CPUs they have there nobody has told, so a place is looked for that holds
// all of them: in the order of the list, and if that fails by search.
func (r *run) bindAll() {
	on := map[int32][]int32{}
	var hosts []int32
	for k := range r.c.servers {
		st := &r.c.servers[k]
		if st.host < 0 {
			continue
		}
		host := int32(st.host)
		if on[host] == nil && st.server.Count > 0 {
			hosts = append(hosts, host)
		}
		for range st.server.Count {
			on[host] = append(on[host], int32(k))
		}
	}
	g := &placeSearch{run: r, left: mostTries}
	for _, host := range hosts {
		if r.inOrder(host, on[host]) == len(on[host]) {
			r.bindInOrder(host, on[host])
			continue
		}
		g.bind(host, on[host])
	}
}

// inOrder is how many VMs find a place on an empty host when they come in this order.
func (r *run) inOrder(host int32, vms []int32) int {
	id, n := r.s.of[host], 0
	for _, k := range vms {
		if spec := r.c.servers[k].spec; r.states.list[id].host.Fits(r.c.specs[spec].request, r.c.rules) {
			id = r.states.after(id, spec)
			n++
		}
	}
	return n
}

func (r *run) bindInOrder(host int32, vms []int32) {
	for _, k := range vms {
		r.bind(k, host)
	}
}

// bind gives a VM that runs already its place on its host.
func (r *run) bind(k, host int32) {
	if h, q := r.s.state(host).host, r.c.request(k); !h.Fits(q, r.c.rules) {
		if r.misfits[k] == "" {
			w := refusal{reasons: h.Explain(q, r.c.rules), cells: len(q.Cells)}
			r.misfits[k] = w.detail()
			if len(r.s.vms[host]) > 0 {
				r.misfits[k] += "; no other arrangement with the VMs beside it was found"
			}
		}
		r.next[k]++
		r.refused[k]++
		return
	}
	r.bound[k]++
	r.start(k, host)
}

// placeSearch looks for a place for all VMs of a host together.
type placeSearch struct {
	*run
	size []float64
	// tries that are left for this host, and for all.
	tries, left int
	// specs of the VMs in the order in which they are placed, and the choices made.
	specs   []int
	choices []uint64
	// dead are states that led nowhere.
	dead map[string]bool
}

// bind places the VMs on NUMA nodes that hold all of them, if such are found, or
// else as many as find room in the better of two orders.
func (g *placeSearch) bind(host int32, list []int32) {
	if g.size == nil {
		g.size = g.c.sizes()
	}
	largest := slices.Clone(list)
	slices.SortStableFunc(largest, func(a, b int32) int { return cmp.Compare(g.size[b], g.size[a]) })
	if g.inOrder(host, largest) > g.inOrder(host, list) {
		list = largest
	}
	empty := g.s.state(host).host
	unfit := func(k int32) bool { return !empty.Fits(g.c.request(k), g.c.rules) }
	able := slices.DeleteFunc(slices.Clone(largest), unfit)
	if !g.search(empty, able) {
		g.bindInOrder(host, list)
		return
	}
	for i, k := range able {
		g.bound[k]++
		g.startOn(k, host, g.choices[i])
	}
	g.bindInOrder(host, slices.DeleteFunc(list, func(k int32) bool { return slices.Contains(able, k) }))
}

// search finds NUMA nodes for the VMs, the largest first; it goes back where one
// finds none. VMs that fit on no such host by themselves are not among them.
func (g *placeSearch) search(empty *nova.Host, vms []int32) bool {
	g.specs, g.choices, g.dead = nil, make([]uint64, len(vms)), map[string]bool{}
	for _, k := range vms {
		g.specs = append(g.specs, g.c.servers[k].spec)
	}
	g.tries = min(mostTriesPerHost, g.left)
	before := g.tries
	found := g.from(0, empty)
	g.left -= before - g.tries
	return found
}

// from places the VMs from the i-th on.
func (g *placeSearch) from(i int, h *nova.Host) bool {
	if i == len(g.specs) {
		return true
	}
	key := string(stateKey(nil, int32(i), h, usage{}))
	if g.dead[key] {
		return false
	}
	q := g.c.specs[g.specs[i]].request
	seen := map[uint64]bool{}
	for _, nodes := range choicesOf(h, q) {
		if g.tries--; g.tries < 0 {
			return false
		}
		f, ok := fitOn(h, q, g.c.rules, nodes)
		if !ok || seen[nodesOf(h, f)] {
			continue
		}
		seen[nodesOf(h, f)] = true
		next := h.Clone()
		next.Claim(q, f)
		if g.choices[i] = nodes; g.from(i+1, next) {
			return true
		}
	}
	g.dead[key] = true
	return false
}

// mostChoices is the most choices of nodes that are tried for a VM.
const mostChoices = 64

// choicesOf are the sets of NUMA nodes (by index) that a VM is tried on: first
// whatever the rules come to, which is 0, then each set of as many as it has.
func choicesOf(h *nova.Host, q *nova.Request) []uint64 {
	out := []uint64{0}
	n, m := len(q.Cells), len(h.Cells)
	if n == 0 || n >= m || m > 12 { // more than 2^12 sets are not even listed
		return out
	}
	for nodes := uint64(1); nodes < 1<<m && len(out) <= mostChoices; nodes++ {
		if bits.OnesCount64(nodes) == n {
			out = append(out, nodes)
		}
	}
	return out
}

// nodesOf are the host's nodes of a fit, by index.
func nodesOf(h *nova.Host, f *nova.Fit) uint64 {
	nodes := uint64(0)
	for i := range f.Cells {
		nodes |= 1 << slices.IndexFunc(h.Cells, func(c nova.HostCell) bool { return c.ID == f.Cells[i].Node })
	}
	return nodes
}

// fitOn is the place of a VM on some of the host's NUMA nodes; 0 are all.
func fitOn(h *nova.Host, q *nova.Request, rules nova.Rules, nodes uint64) (*nova.Fit, bool) {
	if nodes == 0 {
		return h.Fit(q, rules)
	}
	some := h.Clone()
	for i := range some.Cells {
		c := &some.Cells[i]
		if nodes>>i&1 == 1 {
			continue
		}
		c.Shared, c.Dedicated, c.Pinned, c.SharedVCPU = unit.CPUSet{}, unit.CPUSet{}, unit.CPUSet{}, unit.CPUSet{}
		for p := range c.Pages {
			c.Pages[p].Used = c.Pages[p].Total - c.Pages[p].Reserved
		}
	}
	return some.Fit(q, rules)
}

// boundFindings tell of VMs that do not fit where they are said to run, or break
// the rule of their group there, and what is guessed of the others.
func (r *run) boundFindings() {
	add := func(severity v1alpha1.Severity, id, field, remedy, format string, args ...any) {
		r.p.Findings = append(r.p.Findings,
			v1alpha1.Finding{Severity: severity, ID: id, Message: fmt.Sprintf(format, args...), Remedy: remedy, Field: field})
	}
	guessed := 0
	for k := range r.c.servers {
		st := &r.c.servers[k]
		if st.host < 0 {
			continue
		}
		guessed += r.bound[k]
		field, host := fmt.Sprintf("workload.servers[%d].host", k), r.c.hostName(int32(st.host))
		if text := r.misfits[int32(k)]; text != "" {
			add(v1alpha1.Error, "place.bound["+st.server.Name+"]", field,
				"compare the host's cores, pages and devices with those of the node type",
				"%s is said to run on %s and does not fit there by these rules: %s", st.server.Name, host, text)
		}
		if text := r.c.specs[st.spec].ruledOut[r.c.hosts[st.host].typeInZone]; text != "" && r.bound[k] > 0 {
			add(v1alpha1.Warning, "place.boundFilter["+st.server.Name+"]", field, "",
				"%s runs on %s, where Nova would not start it now: %s", st.server.Name, host, text)
		}
	}
	for _, host := range r.overfull() {
		add(v1alpha1.Warning, "place.boundDisk["+r.c.hostName(host)+"]", "", "compare the host's local "+
			"disks with those of the node type", "the VMs that run on %s take more local disk than it has", r.c.hostName(host))
	}
	if guessed > 0 {
		add(v1alpha1.Info, "place.guessed", "", "", "%s already; a list of servers names their hosts only, "+
			"so their NUMA nodes and CPUs are guessed", words.Count(guessed, "VM runs", "VMs run"))
	}
	r.groupFindings(add)
}

// overfull are the hosts whose VMs that run already take more local disk than there is.
func (r *run) overfull() []int32 {
	var out []int32
	for k := range r.c.servers {
		host := int32(r.c.servers[k].host)
		if host < 0 || slices.Contains(out, host) {
			continue
		}
		c := r.s.state(host)
		if ht := r.c.typeOf(int(host)); !ht.diskUnstated && c.used.disk > ht.disk {
			out = append(out, host)
		}
	}
	return out
}

func (r *run) groupFindings(add func(severity v1alpha1.Severity, id, field, remedy, format string, args ...any)) {
	for g := range r.c.groups {
		group, members := &r.c.groups[g], r.s.members[g]
		apart, together := 0, len(members)
		for _, n := range members {
			if n > max(1, group.MaxServerPerHost) {
				apart++
			}
		}
		if group.Policy == antiAffinity && apart > 0 || group.Policy == affinity && together > 1 {
			add(v1alpha1.Warning, "place.group["+group.Name+"]", "", "",
				"VMs of the server group %s run already where its policy %s does not let them", group.Name, group.Policy)
		}
	}
}
