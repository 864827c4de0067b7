package cloud

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/nova/flavor"
	"plimsoll.dev/unit"
)

// requestSpec is what a VM asks of a host and of the choice among hosts. VMs with the same
// spec are alike to every host.
type requestSpec struct {
	// request of NUMA nodes, CPUs, memory and devices.
	request *nova.Request
	// pinned is the number of its pinned vCPUs.
	pinned int
	// disk is what it takes on local disks, in bytes; weighed what Nova's weigher counts of it.
	disk, weighed int64
	// local says that it takes a local disk at all; remote that its disks have to be in Ceph.
	local, remote bool
	// constraints of the flavor, and the zone.
	constraints flavor.Constraints
	zone        string
	// policy in one line.
	policy string
	// ruledOut says for each type and zone why it may not run there; empty is that it may.
	ruledOut []string
}

// spec reads what a server asks, and returns the index of it.
func (r *reader) spec(sv *v1alpha1.Server, f, image int, at string) int {
	r.key = appendRead(r.key[:0], sv, f, image)
	if i, ok := r.byRead[string(r.key)]; ok {
		return i
	}
	read := string(r.key)
	rs, ok := r.readSpec(sv, f, image, at)
	if !ok {
		r.byRead[read] = 0
		return 0
	}
	key := fmt.Sprintf("%+v %d %d %t %t %+v %q",
		*rs.request, rs.disk, rs.weighed, rs.local, rs.remote, rs.constraints, rs.zone)
	i, known := r.bySpec[key]
	if !known {
		i = len(r.c.specs)
		r.c.specs = append(r.c.specs, rs)
		r.bySpec[key] = i
	}
	r.byRead[read] = i
	return i
}

// appendRead writes all of a server that its spec depends on.
func appendRead(b []byte, sv *v1alpha1.Server, f, image int) []byte {
	text := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.AppendVarint(b, int64(f))
	b = binary.AppendVarint(b, int64(image))
	text(sv.AvailabilityZone)
	text(sv.BootFrom)
	for i := range sv.Ports {
		p := &sv.Ports[i]
		text(p.VNICType)
		text(p.PhysicalNetwork)
		b = append(b, byte(min(len(p.Network), 1)))
	}
	return b
}

func (r *reader) readSpec(sv *v1alpha1.Server, f, image int, at string) (requestSpec, bool) {
	w := &r.c.s.Workload
	fl := &w.Flavors[f]
	var im *v1alpha1.Image
	if image >= 0 {
		im = &w.Images[image]
	}
	req, remarks, errs := flavor.Request(fl, im, sv.Ports, r.c.rules)
	constraints, more := flavor.HostConstraints(fl)
	for _, e := range append(errs, more...) {
		r.flavorError(e, f, image, at)
	}
	for _, m := range remarks {
		r.remark(fl, m)
	}
	if req == nil || len(more) > 0 {
		return requestSpec{}, false
	}
	rs := requestSpec{request: req, pinned: pinnedVCPUs(req), constraints: constraints, zone: sv.AvailabilityZone}
	rs.disks(sv, fl, r.c.rules)
	rs.policy = policyOf(req)
	return rs, true
}

// pinnedVCPUs is the number of vCPUs that each need a CPU that nobody has.
func pinnedVCPUs(q *nova.Request) int {
	n := 0
	for i := range q.Cells {
		if q.CPUPolicy == nova.Dedicated || q.CPUPolicy == nova.Mixed {
			n += q.Cells[i].PCPUs.Len()
		}
	}
	return n
}

// flavorError tells an error of a flavor, its image or the server's ports.
func (r *reader) flavorError(e flavor.Error, f, image int, at string) {
	field := fmt.Sprintf("workload.flavors[%d]", f)
	switch {
	case strings.HasPrefix(e.Key, "ports"):
		field = at + "." + e.Key
	case strings.HasPrefix(e.Key, "hw_") && image >= 0:
		field = fmt.Sprintf("workload.images[%d].properties.%s", image, e.Key)
	case e.Key != "":
		field += ".properties." + e.Key
	}
	p := Problem{Field: field, Text: e.Text, Fix: e.Fix}
	if !slices.Contains(r.wrong, p) {
		r.wrong = append(r.wrong, p)
	}
}

// remark notes once what does not do what its writer may think.
func (r *reader) remark(f *v1alpha1.Flavor, m flavor.Remark) {
	id := fmt.Sprintf("place.flavor[%s].%s", f.Name, m.Key)
	if !slices.ContainsFunc(r.c.findings, func(g v1alpha1.Finding) bool { return g.ID == id }) {
		r.c.findings = append(r.c.findings,
			v1alpha1.Finding{Severity: v1alpha1.Info, ID: id, Message: f.Name + ": " + m.Key + ": " + m.Text})
	}
}

// Ways to boot.
const (
	bootImage       = "image"
	bootRemoteImage = "remoteImage"
	backingRemote   = "remote"
)

// disks adds up what a VM takes of the host's own disks.
func (rs *requestSpec) disks(sv *v1alpha1.Server, f *v1alpha1.Flavor, rules nova.Rules) {
	root := int64(0)
	if sv.BootFrom == bootImage || sv.BootFrom == bootRemoteImage {
		root = int64(f.Disk)
	}
	rs.weighed = root + int64(f.Ephemeral)
	rs.disk = rs.weighed + int64(f.Swap)
	if rules == nova.Nova { // whole GiB: Placement counts those that are begun, the weigher those that are full
		full := int64(f.Swap) / int64(unit.GiB) * int64(unit.GiB)
		if rs.weighed += full; int64(f.Swap) > full {
			rs.disk += full + int64(unit.GiB) - int64(f.Swap)
		}
	}
	rs.local = sv.BootFrom == bootImage || f.Ephemeral+f.Swap > 0
	if rs.remote = sv.BootFrom == bootRemoteImage || sv.LiveMigration && rs.local; rs.remote { // HCG 4: they follow the VM
		rs.disk, rs.weighed, rs.local = 0, 0, false
	}
}

// usesLocalDisks reports whether any VM takes a local disk.
func (c *Cloud) usesLocalDisks() bool {
	return slices.ContainsFunc(c.specs, func(rs requestSpec) bool { return rs.local })
}

// policyOf is what a VM asks, in one line.
func policyOf(r *nova.Request) string {
	asks := []string{cpuPolicy(r)}
	if r.ThreadPolicy != "" && r.CPUPolicy != nova.Shared {
		asks = append(asks, r.ThreadPolicy)
	}
	switch len(r.Cells) {
	case 0:
		asks = append(asks, "no NUMA node")
	default:
		asks = append(asks, words.Count(len(r.Cells), "NUMA node"))
		if size := r.Cells[0].PageSize; size != 0 {
			asks = append(asks, pageWord(size)+" pages")
		}
	}
	if r.SharedVCPU >= 0 {
		asks = append(asks, fmt.Sprintf("vCPU %d shared", r.SharedVCPU))
	}
	if r.VSwitchAffinity != "" {
		asks = append(asks, "vswitch "+strictness(r.VSwitchAffinity))
	}
	if r.EmulatorThreads != "" {
		asks = append(asks, "emulator "+r.EmulatorThreads)
	}
	for _, d := range r.Devices {
		asks = append(asks, fmt.Sprintf("%d %s %s", d.Count, d.Kind, strictness(d.Policy)))
	}
	return strings.Join(asks, ", ")
}

func cpuPolicy(r *nova.Request) string {
	if r.CPUPolicy == "" {
		return nova.Shared
	}
	return r.CPUPolicy
}

// strictness is a policy in the document's words, where it has one.
func strictness(policy string) string {
	switch policy {
	case nova.Required:
		return "strict"
	case nova.Preferred:
		return "prefer"
	}
	return policy
}

// pageWord is a page size as it is written in a flavor, or as an amount.
func pageWord(p nova.PageSize) string {
	switch p {
	case nova.SmallPages:
		return "small"
	case nova.LargePages:
		return "large"
	case nova.AnyPages:
		return "any"
	}
	return (unit.Bytes(p) * unit.KiB).String()
}

// allow judges for each spec, type and zone whether the one may run on the other.
func (c *Cloud) allow() {
	for i := range c.specs {
		rs := &c.specs[i]
		rs.ruledOut = make([]string, len(c.typesInZones))
		for b := range c.typesInZones {
			rs.ruledOut[b] = c.ruledOut(rs, &c.typesInZones[b])
		}
	}
}

// ruledOut says why VMs may not run on hosts of a type in a zone, whatever room
// there is; empty is that they may.
func (c *Cloud) ruledOut(rs *requestSpec, b *typeInZone) string {
	ht := &c.hostTypes[b.hostType]
	if rs.zone != "" && rs.zone != cmp.Or(b.zone, defaultZone) {
		return fmt.Sprintf("not in the availability zone %s", rs.zone)
	}
	for _, key := range slices.Sorted(maps.Keys(rs.constraints.Aggregate)) {
		if want := rs.constraints.Aggregate[key]; !matchesLabel(ht.node.Labels, key, want) {
			return fmt.Sprintf("no host aggregate with %s %s", key, want)
		}
	}
	switch {
	case rs.constraints.LocalBacking != "" && ht.backing != "" && rs.constraints.LocalBacking != ht.backing:
		return fmt.Sprintf("the local disks are of the backing %s, not %s", ht.backing, rs.constraints.LocalBacking)
	case rs.remote && ht.backing != "" && ht.backing != backingRemote:
		return fmt.Sprintf("the disks of VMs are on the host (backing %s), not in Ceph", ht.backing)
	}
	return ""
}

// takes is what a VM takes of a host's local disks.
func (ht *hostType) takes(amount int64) int64 {
	if ht.backing == backingRemote {
		return 0
	}
	return amount
}
