package cloud

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/machine"
	"plimsoll.dev/place/nova"
)

// New builds the hosts and reads the flavors of the servers. Problems are all that
// is wrong; then there is no cloud.
func New(s *v1alpha1.Scenario, pools []Pool) (*Cloud, []Problem) {
	r := &reader{c: &Cloud{s: s, rules: rulesOf(s), groups: s.Workload.ServerGroups}}
	for _, p := range pools {
		w, wrong := build(s, p)
		r.wrong = append(r.wrong, wrong...)
		r.c.hostTypes = append(r.c.hostTypes, w)
	}
	r.servers()
	if len(r.wrong) == 0 {
		r.hosts()
		r.bind()
	}
	if len(r.wrong) > 0 {
		return nil, r.wrong
	}
	r.c.allow()
	r.c.assume()
	r.c.limits()
	r.c.elsewhere()
	return r.c, nil
}

// reader makes a cloud of a scenario.
type reader struct {
	c      *Cloud
	wrong  []Problem
	byRead map[string]int // asks by flavor, image and ports
	key    []byte         // of one of them
	bySpec map[string]int // asks by what they ask
	names  map[string]int // hosts by name
}

func (r *reader) bad(field, fix, format string, args ...any) {
	r.wrong = append(r.wrong, Problem{Field: field, Text: fmt.Sprintf(format, args...), Fix: fix})
}

// zoneKeys are the labels whose values are the availability zones of hosts.
var zoneKeys = []string{"zone", "topology.kubernetes.io/zone"}

// defaultZone is the availability zone of hosts that no aggregate gives one: the default of
// Nova's default_availability_zone.
const defaultZone = "nova"

// ofZoneKeys is what the first of the zone keys has, if any.
func ofZoneKeys[T comparable](labels map[string]T) (out T) {
	for _, key := range slices.Backward(zoneKeys) {
		out = cmp.Or(labels[key], out)
	}
	return out
}

// zoneNames are the names of so many availability zones: those that servers ask for, in
// the place of numbered ones that nobody does, unless they may be meant otherwise.
func (c *Cloud) zoneNames(n int) []string {
	asked := map[string]bool{}
	for i := range c.s.Workload.Servers {
		asked[c.s.Workload.Servers[i].AvailabilityZone] = true
	}
	delete(asked, "")
	names := make([]string, n)
	for i := range names {
		names[i] = machine.DomainValue(zoneKeys[0], i)
	}
	labelled := func(t v1alpha1.NodeType) bool { return asked[ofZoneKeys(t.Labels)] }
	own := slices.DeleteFunc(slices.Sorted(maps.Keys(asked)),
		func(zone string) bool { return slices.Contains(names, zone) })
	if len(own) > n || slices.ContainsFunc(c.s.Hardware.NodeTypes, labelled) {
		return names // which are meant nobody can say
	}
	for i := range names {
		if len(own) > 0 && !asked[names[i]] {
			names[i], own = own[0], own[1:]
		}
	}
	return names
}

// hosts makes the single hosts, which take their zones in turn.
func (r *reader) hosts() {
	c := r.c
	made := map[string]int{}
	turn := 0
	for w := range c.hostTypes {
		t := c.hostTypes[w].node
		prefix := machine.Prefix(t.Name)
		n := ofZoneKeys(t.Domains)
		if n == 0 && c.s.Policy.Zones > 1 {
			n = c.s.Policy.Zones
		}
		zones := c.zoneNames(n)
		for range c.hostTypes[w].pool.Count {
			zone := ofZoneKeys(t.Labels)
			if len(zones) > 0 && zone == "" {
				zone = zones[turn%len(zones)]
				turn++
			}
			c.hosts = append(c.hosts, host{name: machine.Name(prefix, made[prefix]), typeInZone: r.inZone(w, zone)})
			made[prefix]++
		}
	}
}

// inZone is the index of a type of host in a zone.
func (r *reader) inZone(hostType int, zone string) int32 {
	key := typeInZone{hostType: hostType, zone: zone}
	i := slices.Index(r.c.typesInZones, key)
	if i < 0 {
		i = len(r.c.typesInZones)
		r.c.typesInZones = append(r.c.typesInZones, key)
	}
	return int32(i)
}

// zoned puts a host whose zone nothing says into that of a VM which runs there.
func (r *reader) zoned(k *serverType) {
	h := &r.c.hosts[k.host]
	if b := r.c.typesInZones[h.typeInZone]; b.zone == "" {
		h.typeInZone = r.inZone(b.hostType, k.server.AvailabilityZone)
	}
}

// servers reads what each of the scenario's servers asks.
func (r *reader) servers() {
	w := &r.c.s.Workload
	r.byRead, r.bySpec = map[string]int{}, map[string]int{}
	equivalences := map[[2]int]int{}
	flavors := byName(w.Flavors, func(f *v1alpha1.Flavor) string { return f.Name })
	images := byName(w.Images, func(m *v1alpha1.Image) string { return m.Name })
	groups := byName(w.ServerGroups, func(g *v1alpha1.ServerGroup) string { return g.Name })
	for i := range w.Servers {
		sv := &w.Servers[i]
		at := fmt.Sprintf("workload.servers[%d]", i)
		f, known := flavors[sv.Flavor]
		if !known {
			r.bad(at+".flavor", "name a flavor of workload.flavors", "there is no flavor %q", sv.Flavor)
			continue
		}
		k := serverType{server: sv, flavor: &w.Flavors[f], group: -1, host: -1}
		image := -1
		if m, known := images[sv.Image]; known {
			image, k.image = m, &w.Images[m]
		} else if sv.Image != "" {
			r.bad(at+".image", "name an image of workload.images", "there is no image %q", sv.Image)
		}
		if g, known := groups[sv.Group]; known {
			k.group = g
		} else if sv.Group != "" {
			r.bad(at+".group", "name a group of workload.serverGroups", "there is no server group %q", sv.Group)
		}
		k.spec = r.spec(sv, f, image, at)
		key := [2]int{k.spec, k.group}
		if _, known := equivalences[key]; !known {
			equivalences[key] = len(equivalences)
		}
		k.equivalence = equivalences[key]
		r.c.servers = append(r.c.servers, k)
	}
	r.c.equivalences = len(equivalences)
}

// byName is the index of each name in a list, but for the empty one; of one that stands
// twice, the last.
func byName[T any](list []T, name func(*T) string) map[string]int {
	at := make(map[string]int, len(list))
	for i := range list {
		at[name(&list[i])] = i
	}
	delete(at, "")
	return at
}

// bind finds the hosts that servers run on already. A name that no host has is
// given to one that nobody names: to one of the node type that the name begins
// with, else to the first; so hosts are called as the list of servers calls them.
func (r *reader) bind() {
	c := r.c
	r.names = map[string]int{}
	for i := range c.hosts {
		r.names[c.hosts[i].name] = i
	}
	named := make([]bool, len(c.hosts))
	var foreign []string
	for i := range c.servers {
		name := c.servers[i].server.Host
		if at, ok := r.names[name]; ok {
			named[at] = true
		} else if name != "" {
			foreign = append(foreign, name)
		}
	}
	slices.SortFunc(foreign, words.ByNumbers)
	renamed, free := 0, newUnnamed(c, named)
	for _, name := range slices.Compact(foreign) {
		at := free.of(name)
		if at < 0 {
			continue // told for each server
		}
		delete(r.names, c.hosts[at].name)
		c.hosts[at].name, named[at], r.names[name] = name, true, at
		renamed++
	}
	for i := range c.servers {
		k := &c.servers[i]
		if k.server.Host == "" {
			continue
		}
		at, ok := r.names[k.server.Host]
		if !ok && c.s.Workload.ServerFile != "" {
			c.skip(k)
			continue
		}
		if !ok {
			r.bad(fmt.Sprintf("workload.servers[%d].host", i),
				"give hardware.nodeTypes a larger count, or name one of the hosts",
				"there is no host left for %q: %s are counted", k.server.Host, words.Count(len(c.hosts), "host"))
			continue
		}
		k.host = at
		r.zoned(k)
	}
	if renamed > 0 {
		c.notes = append(c.notes, words.Count(renamed, "host")+" are called as the servers' hosts are; "+
			"which name belongs to which of several node types is known by the node type's name only")
	}
}

// skip leaves the VMs of a server type out: an export lists all that runs somewhere, also
// on hosts that the scenario does not count. They hold nothing on those it does.
func (c *Cloud) skip(k *serverType) {
	absent := *k.server
	absent.Count, absent.Host = 0, ""
	c.skipped = append(c.skipped, v1alpha1.Skipped{Place: c.s.Workload.ServerFile, What: "server " + k.server.Name,
		Why: fmt.Sprintf("it runs on %s, and all %s of the scenario have other names: what it holds does not count",
			k.server.Host, words.Count(len(c.hosts), "host"))})
	k.server = &absent
}

// elsewhere fails a placement of a list of which VMs were left out.
func (c *Cloud) elsewhere() {
	if n := len(c.skipped); n > 0 {
		c.findings = append(c.findings, v1alpha1.Finding{Severity: v1alpha1.Error, ID: "place.elsewhere",
			Message: fmt.Sprintf("%s of %s left out: the scenario counts %s, and the list names more", words.Count(n, "server"),
				c.s.Workload.ServerFile, words.Count(len(c.hosts), "host")),
			Remedy: "give hardware.nodeTypes a larger count, or leave servers of other hosts out of the list",
			Field:  "workload.serverFile"})
	}
}

// unnamed finds hosts without a name of their own that a name may belong to. Each
// type of host is gone through once.
type unnamed struct {
	c     *Cloud
	named []bool
	// next is where to go on, by type.
	next []int
	// hosts of each type.
	hosts [][]int
}

func newUnnamed(c *Cloud, named []bool) *unnamed {
	u := &unnamed{c: c, named: named, next: make([]int, len(c.hostTypes)), hosts: make([][]int, len(c.hostTypes))}
	for i := range c.hosts {
		w := c.typesInZones[c.hosts[i].typeInZone].hostType
		u.hosts[w] = append(u.hosts[w], i)
	}
	return u
}

// of is the first such host of the node type whose name the name begins with, or
// else of any; -1 is none.
func (u *unnamed) of(name string) int {
	best, fallback, length := -1, -1, 0
	for w := range u.hosts {
		at := u.first(w)
		if at < 0 {
			continue
		}
		if fallback < 0 || at < fallback {
			fallback = at
		}
		if t := machine.Prefix(u.c.hostTypes[w].node.Name); len(t) > length && strings.HasPrefix(name, t) {
			best, length = at, len(t)
		}
	}
	if best >= 0 {
		return best
	}
	return fallback
}

// first is the first host of a type without a name of its own.
func (u *unnamed) first(w int) int {
	for ; u.next[w] < len(u.hosts[w]); u.next[w]++ {
		if at := u.hosts[w][u.next[w]]; !u.named[at] {
			return at
		}
	}
	return -1
}

// typeAt is the type of hosts in a zone.
func (c *Cloud) typeAt(typeInZone int32) *hostType {
	return &c.hostTypes[c.typesInZones[typeInZone].hostType]
}

// request is what a VM of a server type asks of a host's NUMA nodes.
func (c *Cloud) request(k int32) *nova.Request { return c.specs[c.servers[k].spec].request }

// typeOf is the type of a host.
func (c *Cloud) typeOf(host int) *hostType {
	return c.typeAt(c.hosts[host].typeInZone)
}
