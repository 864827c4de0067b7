package schedulertest

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/scheduler"
)

const (
	refuse = "DoNotSchedule"
	anyway = "ScheduleAnyway"
)

// over is a constraint on pods with app=a.
func over(key, action string, skew int32) v1alpha1.TopologySpreadConstraint {
	return v1alpha1.TopologySpreadConstraint{TopologyKey: key, WhenUnsatisfiable: action, MaxSkew: skew,
		LabelSelector: matching("app=a")}
}

// spreading is the pod with the constraints.
func spreading(p scheduler.PodClass, constraints ...v1alpha1.TopologySpreadConstraint) scheduler.PodClass {
	p.TopologySpreadConstraints = constraints
	return p
}

// uneven are five nodes in three zones, of which one has no zone and one no hostname.
func uneven() []scheduler.Node {
	return []scheduler.Node{
		node(8, 32, hostname+"=node-0", zone+"=a"), node(8, 32, hostname+"=node-1", zone+"=a"),
		node(8, 32, hostname+"=node-2", zone+"=b"), node(8, 32, zone+"=c"), node(8, 32, hostname+"=node-4"),
	}
}

// spreadFilters are constraints that refuse nodes.
func spreadFilters() []Session {
	a := pod(500, 512, "app=a")
	domains := func(n int32) v1alpha1.TopologySpreadConstraint {
		t := over(zone, refuse, 1)
		t.MinDomains = &n
		return t
	}
	keyed := over(zone, refuse, 1)
	keyed.MatchLabelKeys = []string{"version", "absent"}
	all, none := over(zone, refuse, 1), over(zone, refuse, 1)
	all.LabelSelector, none.LabelSelector = &v1alpha1.LabelSelector{}, nil
	elsewhere := with(spreading(a, over(zone, refuse, 1)), func(p *scheduler.PodClass) { p.Namespace = "shop" })
	return slices.Concat(policies(), []Session{
		session("spread: zones, skew 1", uneven(), []scheduler.PodClass{spreading(a, over(zone, refuse, 1))},
			strings.Repeat("a", 12)),
		session("spread: zones, skew 3, others in between", uneven(),
			[]scheduler.PodClass{spreading(a, over(zone, refuse, 3)), pod(500, 512, "app=b"), a}, strings.Repeat("abac", 8)),
		session("spread: hosts, skew 1", uneven(), []scheduler.PodClass{spreading(a, over(hostname, refuse, 1))},
			strings.Repeat("a", 9)),
		session("spread: zones and hosts", uneven(),
			[]scheduler.PodClass{spreading(a, over(zone, refuse, 1), over(hostname, refuse, 1))}, strings.Repeat("a", 9)),
		session("spread: a pod that doesn't match itself", uneven(),
			[]scheduler.PodClass{spreading(pod(500, 512, "app=b"), over(zone, refuse, 1)), a}, "aabbaaaaab").bind(1, 0, 1, 0),
		session("spread: fewer zones than minDomains", uneven(), []scheduler.PodClass{spreading(a, domains(4))},
			strings.Repeat("a", 6)),
		session("spread: as many zones as minDomains", uneven(), []scheduler.PodClass{spreading(a, domains(3))},
			strings.Repeat("a", 6)),
		session("spread: matchLabelKeys, one version after the other", uneven(), []scheduler.PodClass{
			spreading(pod(500, 512, "app=a", "version=1"), keyed), spreading(pod(500, 512, "app=a", "version=2"), keyed),
			spreading(pod(500, 512, "app=a"), keyed)}, "aaabbbcccabc"),
		session("spread: an empty selector counts nobody but the pod", uneven(), []scheduler.PodClass{spreading(a, all)},
			strings.Repeat("a", 10)),
		session("spread: no selector", uneven(), []scheduler.PodClass{spreading(a, none)}, strings.Repeat("a", 10)),
		session("spread: namespaces don't mix", uneven(),
			[]scheduler.PodClass{spreading(a, over(zone, refuse, 1)), elsewhere}, "aaaabbbbab"),
		session("spread: a zone that is full", []scheduler.Node{node(1, 1, zone+"=a"), node(8, 32, zone+"=b"),
			node(8, 32, zone+"=c")}, []scheduler.PodClass{spreading(a, over(zone, refuse, 1))}, strings.Repeat("a", 8)),
		session("spread: no node has the label", equal(3, node(8, 32)),
			[]scheduler.PodClass{spreading(a, over(zone, refuse, 1))}, "aa"),
	})
}

// policies say whether nodes that the pod can't use count.
func policies() []Session {
	nodes := []scheduler.Node{
		node(8, 32, zone+"=a", "disk=ssd"), node(8, 32, zone+"=b", "disk=ssd"), node(8, 32, zone+"=c"),
		tainted(node(8, 32, zone+"=d", "disk=ssd"), "x=:NoSchedule"),
		cordoned(node(8, 32, zone+"=e", "disk=ssd")),
	}
	var out []Session
	for _, affinity := range []string{"", "Honor", "Ignore"} {
		for _, taints := range []string{"", "Honor", "Ignore"} {
			t := over(zone, refuse, 1)
			t.NodeAffinityPolicy, t.NodeTaintsPolicy = affinity, taints
			soft := t
			soft.WhenUnsatisfiable = anyway
			p := spreading(pod(500, 512, "app=a"), t)
			p.NodeSelector = labelled("disk=ssd")
			q := needs(spreading(pod(500, 512, "app=a"), soft), expressions(requirement("disk", "Exists")))
			out = append(out, session("spread: policies affinity="+affinity+" taints="+taints, slices.Clone(nodes),
				[]scheduler.PodClass{p, q}, "aaabbbbaa"))
		}
	}
	return out
}

// spreadScores are constraints that only lower the score.
func spreadScores() []Session {
	a := pod(500, 512, "app=a")
	owned := with(a, func(p *scheduler.PodClass) { p.DefaultSpread = matching("app=a") })
	limited := uneven()
	limited[0].Unschedulable = true
	return []Session{
		session("spread score: zones", uneven(), []scheduler.PodClass{spreading(a, over(zone, anyway, 1))},
			strings.Repeat("a", 12)).only(spread),
		session("spread score: hosts", uneven(), []scheduler.PodClass{spreading(a, over(hostname, anyway, 1))},
			strings.Repeat("a", 12)).only(spread),
		session("spread score: zones and hosts of different skews", uneven(),
			[]scheduler.PodClass{spreading(a, over(zone, anyway, 4), over(hostname, anyway, 2))},
			strings.Repeat("a", 15)).only(spread),
		session("spread score: with the others", uneven(),
			[]scheduler.PodClass{spreading(a, over(zone, anyway, 1), over(hostname, anyway, 1)), pod(1500, 512, "app=b"), a},
			strings.Repeat("abc", 8)),
		session("spread score: zones of nodes that are out", limited,
			[]scheduler.PodClass{spreading(a, over(zone, anyway, 1)), a}, strings.Repeat("ab", 8)).only(spread).bind(1, 0, 1,
			0, 1, 1),
		session("spread score: hard and soft", uneven(),
			[]scheduler.PodClass{spreading(a, over(hostname, refuse, 2), over(zone, anyway, 1))}, strings.Repeat("a", 12)),
		session("spread score: no node has the label", equal(3, node(8, 32)),
			[]scheduler.PodClass{spreading(a, over(zone, anyway, 1))}, "aaaa"),
		session("spread score: the system's default", uneven(), []scheduler.PodClass{owned, pod(1500, 512, "app=b")},
			strings.Repeat("aab", 8)),
		session("spread score: the system's default alone", uneven(), []scheduler.PodClass{owned},
			strings.Repeat("a", 14)).only(spread),
		session("spread score: the system's default gives way to the pod's own", uneven(),
			[]scheduler.PodClass{with(spreading(owned, over(hostname, refuse, 3)), func(*scheduler.PodClass) {})},
			strings.Repeat("a", 9)),
	}
}
