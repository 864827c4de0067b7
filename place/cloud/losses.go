package cloud

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/whatif"
)

// mostMoves is how many VMs may have to move in all, before single losses are tried
// once for each class of equal hosts.
const mostMoves = 2_000_000

// losses try what happens when hosts or zones fail: as many as are asked for, and whatever the
// policy states.
func (r *run) losses() {
	for k := 1; k <= r.most() && k < len(r.c.hosts); k++ {
		loss := r.lose(k)
		loss.Asked = k <= r.opt.Stated.Failures
		r.p.Losses = append(r.p.Losses, loss)
	}
	if r.opt.Failures > 0 || r.opt.Stated.Zones {
		r.loseZones()
	}
}

// most is the largest number of hosts that fail together.
func (r *run) most() int { return max(r.opt.Failures, r.opt.Stated.Failures) }

// mostExact is how many failures of several hosts are each tried, and not once for
// all that are alike.
const mostExact = 300

// everyCase is how cases are chosen where none is left out.
const everyCase = "all"

// lose tries the loss of k hosts: each where they are few, else once for all that
// are alike. That is an estimate: which of equal hosts is the first of them, and so
// which of them VMs go to, depends on the hosts that are left.
func (r *run) lose(k int) v1alpha1.ServerLoss {
	loss := v1alpha1.ServerLoss{What: "any " + words.Count(k, "host"), Of: whatif.Choose(len(r.c.hosts), k)}
	var cases []whatif.Case
	cases, loss.How = r.cases(k)
	r.try(&loss, cases)
	return loss
}

// cases are the losses of k hosts that are tried, and how they were chosen in words.
func (r *run) cases(k int) (cases []whatif.Case, how string) {
	switch {
	case k == 1 && len(r.running) <= mostMoves:
		for h := range r.c.hosts {
			cases = append(cases, whatif.Case{Nodes: []int{h}, Of: 1})
		}
		return cases, everyCase
	case whatif.Choose(len(r.c.hosts), k) <= mostExact:
		cases, _ = whatif.Sample(r.single(), k, r.fullestFirst)
		return cases, everyCase
	}
	cases, all := whatif.Sample(r.alike(), k, r.fullestFirst)
	if all > whatif.MostCases {
		return cases, fmt.Sprintf("%s of %s combinations of unequal hosts, half of them the fullest",
			words.Number(whatif.MostCases), whatif.CountLarge(all))
	}
	return cases, "one of each class of equal hosts, an estimate for the others"
}

// single are groups of one host each.
func (r *run) single() [][]int {
	groups := make([][]int, len(r.c.hosts))
	for h := range groups {
		groups[h] = []int{h}
	}
	return groups
}

// alike groups hosts that are in the same state with the same VMs of the same
// groups.
func (r *run) alike() [][]int {
	return whatif.Groups(len(r.c.hosts), func(h int) string { return fmt.Sprint(r.s.of[h], r.s.vms[h]) })
}

// fullestFirst sorts groups of equal hosts by the vCPUs in use.
func (r *run) fullestFirst(groups [][]int) [][]int {
	used := func(g []int) int64 { return r.states.list[r.s.of[g[0]]].used.vcpus }
	slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(used(b), used(a)) })
	return groups
}

// loseZones tries the loss of each availability zone.
func (r *run) loseZones() {
	zones := r.zones(r.opt.Stated.Zones)
	for _, name := range slices.Sorted(maps.Keys(zones)) {
		loss := r.loseZone(name, zones[name])
		loss.Asked = r.opt.Stated.Zones
		r.p.Losses = append(r.p.Losses, loss)
	}
}

func (r *run) loseZone(name string, hosts []int) v1alpha1.ServerLoss {
	loss := v1alpha1.ServerLoss{What: "zone " + name, How: everyCase, Of: 1}
	r.try(&loss, []whatif.Case{{Nodes: hosts, Of: 1}})
	return loss
}

// zones are the hosts of each availability zone, where there are several; a single one, with
// which all is lost, counts where the loss of any zone is to be survived.
func (r *run) zones(single bool) map[string][]int {
	zones := map[string][]int{}
	for h := range r.c.hosts {
		zone := r.c.typesInZones[r.c.hosts[h].typeInZone].zone
		zones[zone] = append(zones[zone], h)
	}
	if len(zones) < 2 && !single {
		return nil
	}
	delete(zones, "")
	return zones
}

// try tries cases of a loss, and tells which VMs find no host after the worst, and why.
func (r *run) try(loss *v1alpha1.ServerLoss, cases []whatif.Case) {
	worst := whatif.Try(loss, cases, r.opt.Watch, func(hosts []int) (n int) {
		r.s.try(func() { n = sum(r.evacuate(hosts)) })
		return n
	})
	if worst != nil {
		loss.Worst = r.c.hostNames(worst)
		r.s.try(func() { loss.Homeless = r.counts(r.evacuate(worst)) })
	}
}

func sum(homeless map[int32]int) int {
	n := 0
	for _, k := range homeless {
		n += k
	}
	return n
}

// evacuate takes hosts away and places their VMs anew, in the order in which they
// came to them. It returns how many of each server type find no host. A lost host is no
// longer one of a server group's hosts.
func (r *run) evacuate(hosts []int) map[int32]int {
	var moved []int32
	for _, h := range hosts {
		moved = append(moved, r.s.fail(int32(h))...)
	}
	homeless, noValidHost := map[int32]int{}, make([]bool, r.c.equivalences)
	for _, k := range moved {
		if host := r.s.chooseUnless(noValidHost, k); host >= 0 {
			r.s.put(k, host)
		} else {
			homeless[k]++
		}
	}
	return homeless
}

// counts are the server types with VMs that find no host, and the reason of most hosts.
func (r *run) counts(homeless map[int32]int) []v1alpha1.ServerCount {
	var out []v1alpha1.ServerCount
	for k := range r.c.servers {
		n := homeless[int32(k)]
		if n == 0 {
			continue
		}
		reasons := map[string]int{}
		r.eachUnlike(&r.c.servers[k], func(host int32, hosts int) { reasons[r.whyNot(int32(k), host).summary()] += hosts })
		reason := whatif.Most(reasons, "")
		if reason == "" {
			reason = "no host is left"
		}
		out = append(out, v1alpha1.ServerCount{ServerType: k, Count: n, Reason: reason})
	}
	return out
}

// lossFindings tell of losses that the VMs don't survive.
func (r *run) lossFindings() {
	if n := len(r.c.hosts); r.most() > 0 && n <= r.most() && len(r.running) > 0 {
		there := "there are only " + words.Number(n)
		if n == 1 {
			there = "there is only one"
		}
		r.p.Find(whatif.Broken(n <= r.opt.Stated.Failures), "place.failures",
			fmt.Sprintf("no failure of %s was tried: %s", words.Count(r.most(), "host"), there), "")
	}
	for g := range r.c.groups {
		if group := &r.c.groups[g]; len(r.p.Losses) > 0 && group.Policy == affinity && len(r.s.members[g]) > 0 {
			r.p.Find(v1alpha1.Info, "place.evacuate["+group.Name+"]", fmt.Sprintf(
				"the server group %s moves to another host as a whole when its host fails; Nova itself evacuates none of "+
					"it, since it still counts the failed host as the group's only one", group.Name),
				"soft-affinity, or start its VMs anew")
		}
	}
	told := false // of so many hosts, of which more are not survived either
	for _, l := range r.p.Losses {
		if hosts := strings.HasPrefix(l.What, "any "); l.Worst != "" && !(hosts && told) {
			told = told || hosts
			r.p.Find(whatif.Broken(l.Asked), "place.loss["+l.What+"]",
				fmt.Sprintf("not all VMs run again after the loss of %s (%s)", l.What, l.Worst),
				"plimsoll plan names a number of hosts with which the policy holds, where there is one")
		}
	}
}
