package cloud

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/whatif"
)

// mostCases bounds how many failures of several hosts are tried; mostMoves how
// many VMs may have to move in all, before single losses are tried once for each
// class of equal hosts.
const (
	mostCases = 2000
	mostMoves = 2_000_000
)

// losses try what happens when hosts or zones fail.
func (r *run) losses() {
	n := len(r.c.hosts)
	for k := 1; k <= r.opt.Failures && k < n; k++ {
		if k == 1 && len(r.went) <= mostMoves {
			r.p.Losses = append(r.p.Losses, r.loseEach())
		} else {
			r.p.Losses = append(r.p.Losses, r.loseSome(k))
		}
	}
	if r.opt.Failures > 0 {
		r.loseZones()
	}
}

// trial is a case of failure, and the number of cases that it stands for.
type trial struct {
	hosts []int32
	of    int64
}

// loseEach tries the loss of every single host.
func (r *run) loseEach() v1alpha1.ServerLoss {
	cases := make([]trial, len(r.c.hosts))
	for h := range cases {
		cases[h] = trial{[]int32{int32(h)}, 1}
	}
	loss := v1alpha1.ServerLoss{What: "any 1 host", How: "all", Of: int64(len(cases))}
	r.tryAll(&loss, cases)
	return loss
}

// mostExact is how many failures of several hosts are each tried, and not once for
// all that are alike.
const mostExact = 300

// loseSome tries the loss of k hosts: each where they are few, else once for all
// that are alike. That is an estimate: which of equal hosts is the first of them,
// and so which of them VMs go to, depends on the hosts that are left.
func (r *run) loseSome(k int) v1alpha1.ServerLoss {
	loss := v1alpha1.ServerLoss{What: "any " + plural(k, "host"), How: "all", Of: whatif.Choose(len(r.c.hosts), k)}
	groups := r.single()
	if loss.Of > mostExact {
		groups = r.alike()
		loss.How = "one of each class of equal hosts, an estimate for the others"
	}
	ways := whatif.New(groups, k)
	if all := ways.Count(); all > mostCases {
		ways = whatif.New(r.fullestFirst(groups), k)
		loss.How = fmt.Sprintf("%s of %s combinations of unequal hosts, half of them the fullest", count(mostCases), countLarge(all))
	}
	var cases []trial
	for _, way := range ways.Cases(mostCases) {
		t := trial{of: ways.Of(way)}
		for _, h := range way {
			t.hosts = append(t.hosts, int32(h))
		}
		cases = append(cases, t)
	}
	r.tryAll(&loss, cases)
	return loss
}

func countLarge(n int64) string {
	if n == math.MaxInt64 {
		return "countless"
	}
	return count(n)
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
	at := map[string]int{}
	var groups [][]int
	for h := range r.c.hosts {
		key := fmt.Sprint(r.s.of[h], r.s.vms[h])
		k, known := at[key]
		if !known {
			k = len(groups)
			at[key] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], h)
	}
	return groups
}

// fullestFirst sorts groups of equal hosts by the vCPUs in use.
func (r *run) fullestFirst(groups [][]int) [][]int {
	used := func(g []int) int64 { return r.cl.list[r.s.of[g[0]]].used.vcpus }
	slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(used(b), used(a)) })
	return groups
}

// loseZones tries the loss of each availability zone, where there are several.
func (r *run) loseZones() {
	zones := map[string][]int32{}
	var names []string
	for h := range r.c.hosts {
		zone := r.c.bases[r.c.hosts[h].base].zone
		if len(zones[zone]) == 0 {
			names = append(names, zone)
		}
		zones[zone] = append(zones[zone], int32(h))
	}
	slices.Sort(names)
	for _, name := range names {
		if len(names) < 2 || name == "" {
			continue
		}
		loss := v1alpha1.ServerLoss{What: "zone " + name, How: "all", Of: 1}
		r.tryAll(&loss, []trial{{zones[name], 1}})
		r.p.Losses = append(r.p.Losses, loss)
	}
}

// tryAll counts the cases after which every VM that ran runs again, and keeps the
// worst.
func (r *run) tryAll(loss *v1alpha1.ServerLoss, cases []trial) {
	worst := 0
	for i, t := range cases {
		if r.opt.Trying != nil {
			r.opt.Trying(i, len(cases))
		}
		if r.opt.Stop != nil && r.opt.Stop() {
			loss.How += fmt.Sprintf(", stopped after %s", count(int64(loss.Tried)))
			return
		}
		loss.Tried++
		if !r.inUse(t.hosts) {
			loss.Survived = whatif.Plus(loss.Survived, t.of)
			continue
		}
		r.s.try(func() {
			homeless := r.evacuate(t.hosts)
			n := 0
			for _, k := range homeless {
				n += k
			}
			if n == 0 {
				loss.Survived = whatif.Plus(loss.Survived, t.of)
			} else if n > worst {
				worst = n
				loss.Worst, loss.Homeless = r.c.hostNames(t.hosts), r.counts(homeless)
			}
		})
	}
}

// inUse says whether any of the hosts runs a VM.
func (r *run) inUse(hosts []int32) bool {
	return slices.ContainsFunc(hosts, func(h int32) bool { return len(r.s.vms[h]) > 0 })
}

// evacuate takes hosts away and places their VMs anew, in the order in which they
// came to them. It returns how many of each kind find no host. A lost host is no
// longer one of a server group's hosts.
func (r *run) evacuate(hosts []int32) map[int32]int {
	var moved []int32
	for _, h := range hosts {
		moved = append(moved, r.s.fail(h)...)
	}
	homeless, hopeless := map[int32]int{}, map[int]bool{}
	for _, k := range moved {
		host, sort := int32(-1), r.c.kinds[k].sort
		if !hopeless[sort] {
			host = r.s.choose(k)
		}
		if host < 0 {
			hopeless[sort] = true
			homeless[k]++
			continue
		}
		r.s.put(k, host)
	}
	return homeless
}

// counts are the kinds with VMs that find no host, and the reason of most hosts.
func (r *run) counts(homeless map[int32]int) []v1alpha1.ServerCount {
	var out []v1alpha1.ServerCount
	for k := range r.c.kinds {
		n := homeless[int32(k)]
		if n == 0 {
			continue
		}
		reasons := map[string]int{}
		r.eachUnlike(&r.c.kinds[k], func(host int32, hosts int) { reasons[r.whyNot(int32(k), host).summary()] += hosts })
		reason := most(reasons, "")
		if reason == "" {
			reason = "no host is left"
		}
		out = append(out, v1alpha1.ServerCount{ServerType: k, Count: n, Reason: reason})
	}
	return out
}

// lossFindings tell of losses that the VMs don't survive.
func (r *run) lossFindings() {
	add := func(id, message, remedy string) {
		r.p.Findings = append(r.p.Findings, v1alpha1.Finding{Severity: v1alpha1.Warning, ID: id, Message: message, Remedy: remedy})
	}
	if n := len(r.c.hosts); r.opt.Failures > 0 && n <= r.opt.Failures {
		there := "there are only " + count(int64(n))
		if n == 1 {
			there = "there is only one"
		}
		add("place.failures", fmt.Sprintf("no failure of %s was tried: %s", plural(r.opt.Failures, "host"), there), "")
	}
	for g := range r.c.groups {
		if group := &r.c.groups[g]; len(r.p.Losses) > 0 && group.Policy == affinity && len(r.s.members[g]) > 0 {
			r.p.Findings = append(r.p.Findings, v1alpha1.Finding{Severity: v1alpha1.Info, ID: "place.evacuate[" + group.Name + "]",
				Message: fmt.Sprintf("the server group %s moves to another host as a whole when its host fails; Nova itself evacuates none of it, since it still counts the failed host as the group's only one", group.Name),
				Remedy:  "soft-affinity, or start its VMs anew"})
		}
	}
	for _, l := range r.p.Losses {
		if l.Worst != "" {
			add("place.loss["+l.What+"]", fmt.Sprintf("not all VMs run again after the loss of %s (%s)", l.What, l.Worst), "add hosts, or spread the VMs over more of them")
		}
	}
}
