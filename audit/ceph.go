package audit

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/limit"
)

// cephTests are about Ceph, in which a cloud keeps volumes and images.
var cephTests = []test{{cephHealth, (*look).cephHealth}, {cephLoss, (*look).cephLoss}, {cephUneven, (*look).cephUneven},
	{cephImageRaw, (*look).cephImages}}

// cephCode is what an audit says of one of Ceph's health checks.
type cephCode struct {
	severity    v1alpha1.Severity
	effect, fix string
}

// moreRoom is what helps full OSDs.
const moreRoom = "add OSDs, or move data to emptier ones: ceph osd reweight-by-utilization"

// cephCodes are the severities of checks, which Ceph's own two don't tell well enough, what they do to users, and what
// helps.
var cephCodes = map[string]cephCode{
	"OSD_FULL": {v1alpha1.Error, "nothing is written any more",
		"add OSDs, or delete data; to be able to, raise the ratio a little: ceph osd set-full-ratio 0.96"},
	"POOL_FULL":        {v1alpha1.Error, "nothing is written to it any more", "raise the pool's quota, or delete data"},
	"OSD_BACKFILLFULL": {v1alpha1.Warning, "lost copies are not made again on it", moreRoom},
	"OSD_NEARFULL":     {v1alpha1.Warning, "writes stop when it is full", moreRoom},
	"POOL_NEARFULL":    {v1alpha1.Warning, "writes stop when it is full", "raise the pool's quota, or delete data"},
	"PG_AVAILABILITY": {v1alpha1.Error, "reads and writes of what is in it wait",
		"bring the OSDs back that it needs: ceph health detail, ceph pg PG query"},
	"PG_DAMAGED": {v1alpha1.Error, "copies differ, and what is read may be wrong",
		"ceph pg repair PG, once the disk is known to be good"},
	"PG_DEGRADED": {v1alpha1.Warning, "fewer copies are there than wanted: one more loss may lose data",
		"bring the OSDs back, or wait until Ceph has made the copies"},
	"OSD_DOWN": {v1alpha1.Warning, "its copies are missing until it is back, or made again elsewhere",
		"ceph osd tree down names it: look at its host and disk"},
	"OSD_HOST_DOWN":  {v1alpha1.Error, "all its copies are missing", "ceph osd tree down names it: look at the host"},
	"MON_DOWN":       {v1alpha1.Warning, "all reads and writes stop when half of them are away", "look at its host"},
	"MON_CLOCK_SKEW": {v1alpha1.Warning, "monitors may lose their quorum", "mend the time service of their hosts"},
	"SLOW_OPS": {v1alpha1.Warning, "reads and writes of servers wait",
		"ceph health detail names the OSDs: look at their disks and network"},
	"OSDMAP_FLAGS": {v1alpha1.Warning, "what the flag forbids does not happen, such as making copies again",
		"ceph osd unset FLAG when the maintenance is over"},
	"POOL_TOO_FEW_PGS": {v1alpha1.Info, "data lies unevenly", "ceph osd pool set POOL pg_autoscale_mode on"},
	"BLUESTORE_SLOW_OP_ALERT": {v1alpha1.Info, "servers may have waited for it in the last 24 hours",
		"look at the disk if it comes back"},
}

// cephHealth tells each check by itself: the state of the whole hides what is new behind what is known. What is muted
// in Ceph is known.
func (l *look) cephHealth() {
	for _, c := range l.Stack.Health {
		if c.Muted {
			continue
		}
		said, known := cephCodes[c.Code]
		severity := said.severity
		if !known || c.Severity == "HEALTH_ERR" {
			severity = v1alpha1.Warning
			if c.Severity == "HEALTH_ERR" {
				severity = v1alpha1.Error
			}
		}
		what := c.Message
		if said.effect != "" {
			what += "; " + said.effect
		}
		fix := said.fix
		if fix == "" {
			fix = "ceph health detail, and the documentation of Ceph about " + c.Code
		}
		l.findAs(severity, []where{at("Ceph", c.Code, "")}, fix, "%s", what)
	}
}

// cephHost is a storage host with those of its OSDs that are in.
type cephHost struct {
	name   string
	osds   int
	weight map[string]float64 // by class of device; without a class it is that of all
}

// cephHosts of the CRUSH map. A host may stand at several places of it, and each OSD counts once. Buckets with a ~ in
// their name are shadows, which Ceph keeps for each class.
func (s *Stack) cephHosts() []*cephHost {
	by, counted := map[string]CephNode{}, map[string]bool{}
	for _, n := range s.Tree {
		by[n.path()] = n
	}
	var out []*cephHost
	for _, n := range s.Tree {
		if n.Type != "host" || strings.Contains(n.Name, "~") {
			continue
		}
		i := slices.IndexFunc(out, func(h *cephHost) bool { return h.name == n.Name })
		if i < 0 {
			i, out = len(out), append(out, &cephHost{name: n.Name, weight: map[string]float64{}})
		}
		for _, id := range n.Children {
			c := by[id]
			if out := c.Reweight != nil && *c.Reweight == 0; c.Type != "osd" || counted[id] || out {
				continue
			}
			counted[id] = true
			out[i].add(c)
		}
	}
	return slices.DeleteFunc(out, func(h *cephHost) bool { return h.osds == 0 })
}

func (h *cephHost) add(osd CephNode) {
	w := osd.CrushWeight
	if osd.Reweight != nil {
		w *= *osd.Reweight
	}
	h.osds++
	h.weight[""] += w
	if osd.DeviceClass != "" {
		h.weight[osd.DeviceClass] += w
	}
}

// classes of devices of some hosts; one without a name where there is no more than one.
func classes(hosts []*cephHost) []string {
	var out []string
	for _, h := range hosts {
		for c := range h.weight {
			if c != "" && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	if len(out) < 2 {
		return []string{""}
	}
	slices.Sort(out)
	return out
}

// cephLoss says how full Ceph would be if the largest of its hosts failed and its copies were made again on the others:
// of each class of devices by itself, since no copy goes to another one.
func (l *look) cephLoss() {
	hosts := l.Stack.cephHosts()
	switch {
	case len(hosts) == 0:
		l.notSeen("ceph-osd-tree: it has no host with OSDs that are in")
		return
	case len(hosts) == 1:
		l.notApplicable("there is one storage host")
		return
	}
	for _, class := range classes(hosts) {
		i := slices.IndexFunc(l.Stack.Room, func(r CephRoom) bool { return r.Class == class && r.TotalBytes > 0 })
		if i < 0 {
			l.notSeen("ceph-df: it does not say how much of the class %s is used", cmp.Or(class, "of all"))
			continue
		}
		l.cephLossOf(hosts, class, l.Stack.Room[i].UsedBytes/l.Stack.Room[i].TotalBytes)
	}
}

// cephLossOf is cephLoss of a class, of which so much is used.
func (l *look) cephLossOf(hosts []*cephHost, class string, used float64) {
	all, largest := 0.0, hosts[0]
	for _, h := range hosts {
		if all += h.weight[class]; h.weight[class] > largest.weight[class] {
			largest = h
		}
	}
	left := 1 - largest.weight[class]/all
	full, near := facts.Load().Must("ceph.full").Value().Number, facts.Load().Must("ceph.nearfull").Value().Number
	what, severity, of := "writes stop", v1alpha1.Error, ""
	if class != "" {
		of = " of class " + class
	}
	if left <= 0 {
		l.findAs(v1alpha1.Error, []where{at("Host", called(largest.name, ""), "")}, "spread the devices over several hosts",
			"all room%s is on this host: if it fails, nothing of it can be read", of)
		return
	}
	switch after := used / left; {
	case after < near:
		return
	case after < full:
		what, severity = "writes are near their end", v1alpha1.Warning
		fallthrough
	default:
		l.findAs(severity, []where{at("Host", called(largest.name, ""), "%s of %s", words.Count(largest.osds, "OSD"),
			words.Count(len(hosts), "host"))}, "add OSDs to the other hosts, or a host, before it fails",
			"%s of the room%s is used; if this host fails and its copies are made again, %s would be, and %s",
			limit.Percent(used), of, limit.Percent(after), what)
	}
}

// cephUneven compares the storage hosts with each other, and with the document's numbers where they count.
func (l *look) cephUneven() {
	hosts := l.Stack.cephHosts()
	if len(hosts) < 2 {
		l.notApplicable("there are no two storage hosts")
		return
	}
	size := func(a, b *cephHost) int { return cmp.Compare(a.weight[""], b.weight[""]) }
	first, last := slices.MaxFunc(hosts, size), slices.MinFunc(hosts, size)
	if last.weight[""] < evenRoom*first.weight[""] {
		l.find([]where{at("Host", called(first.name, ""), "%s", words.Count(first.osds, "OSD")),
			at("Host", called(last.name, ""), "%s", words.Count(last.osds, "OSD"))},
			"give the hosts disks of the same size and number", "one has %s of the room of the other",
			limit.Percent(last.weight[""]/first.weight[""]))
	}
	if !l.hcgCounts() {
		return
	}
	least, most := int(facts.Load().Must("hcg.osd.perHostMin").Value().Number),
		int(facts.Load().Must("hcg.osd.perHostMax").Value().Number)
	var bad []where
	for _, h := range hosts {
		if h.osds < least || h.osds > most {
			bad = append(bad, at("Host", called(h.name, ""), "%s", words.Count(h.osds, "OSD")))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "move disks between the hosts, or add hosts in pairs", "a storage host has %d to %d OSDs", least, most)
	}
}

// evenRoom is how much of the room of the largest host the smallest has at least.
const evenRoom = 0.8

// cephImages finds images that Ceph can't clone: each server's disk is downloaded and converted.
func (l *look) cephImages() {
	servers := l.Stack.ofImages()
	var bad []where
	for _, i := range l.Stack.Images {
		n := i.servers(servers)
		if f := strings.ToLower(i.DiskFormat); n > 0 && f != "" && f != "raw" && i.Properties["cache_raw"] == "" {
			bad = append(bad, at("Image", called(i.Name, i.ID), "%s, %s", f, words.Count(n, "server")))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "qemu-img convert -O raw, and upload it again as raw", "is no raw image")
	}
}
