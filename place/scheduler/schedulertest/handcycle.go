package schedulertest

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/scheduler"
)

// cycle are sessions about the order of nodes, sampling, ties and what stops a
// cycle early.
func cycle() []Session {
	return slices.Concat(orders(), samples(), names(), []Session{
		session("cycle: no nodes", nil, []scheduler.PodClass{pod(100, 100)}, "aa"),
		session("cycle: one feasible node is taken unscored",
			[]scheduler.Node{node(1, 1), node(8, 32), node(1, 1)}, []scheduler.PodClass{pod(4000, 100), pod(100, 100)}, "abbab"),
		session("cycle: a pod with a node's name is not scheduled", equal(3, node(4, 8)),
			[]scheduler.PodClass{with(pod(3000, 100), func(p *scheduler.PodClass) { p.NodeName = "node-1" }), pod(2000, 100)},
			"baababb"),
		session("cycle: reasons are counted node by node", []scheduler.Node{node(1, 1), node(1, 64),
			tainted(node(8, 64), "x=:NoSchedule"), node(1, 1, "a=b"), full(node(8, 64))},
			[]scheduler.PodClass{pod(4000, 4096)}, "aa"),
	})
}

func full(n scheduler.Node) scheduler.Node {
	n.Allocatable.Pods = 0
	return n
}

func orders() []Session {
	mixed := placed(9, 0, node(4, 16))
	for i, z := range strings.Split("b a a a - c b a -", " ") {
		if z != "-" {
			mixed[i].Labels[zone] = z
		}
	}
	regions := placed(8, 2, node(4, 16))
	for i, r := range strings.Split("n n s s n s n -", " ") {
		if r != "-" {
			regions[i].Labels[region] = r
		}
	}
	tied := []scheduler.Node{node(2, 8), node(4, 16), node(8, 32), node(8, 32), node(8, 32)}
	return []Session{
		session("order: zones take turns", mixed, []scheduler.PodClass{silent()}, strings.Repeat("a", 20)),
		session("order: zones of regions take turns", regions, []scheduler.PodClass{silent()}, strings.Repeat("a", 20)),
		session("ties: all nodes alike, any number of them", equal(11, node(4, 16)), []scheduler.PodClass{pod(1000, 1024)},
			strings.Repeat("a", 45)),
		session("ties: a child of the second node comes before the third", tied, []scheduler.PodClass{pod(100, 400)},
			"aaaaaa").only(fit),
		session("ties: the last of an even number", append(equal(5, node(4, 16)), node(16, 64)),
			[]scheduler.PodClass{pod(1000, 4096)}, "aaaaaaaa").only(fit),
	}
}

func samples() []Session {
	sampled := func(name string, n, percentage int, arrivals string) Session {
		nodes := placed(n, 3, node(4, 16))
		for i := range nodes {
			if i%7 == 3 {
				nodes[i].Unschedulable = true
			}
		}
		s := session("sampling: "+name, nodes, []scheduler.PodClass{pod(700, 2048), pod(8000, 1),
			needs(pod(100, 100), fields(requirement("metadata.name", "In", "node-5")))}, arrivals)
		s.Profile.PercentageOfNodesToScore = percentage
		return s
	}
	none := session("sampling: without scores the first feasible node will do", equal(7, node(4, 16)),
		[]scheduler.PodClass{pod(1500, 1024), pod(3000, 1)}, "aaabaabbaaaaa").only()
	return []Session{
		sampled("99 nodes are all looked at", 99, 10, strings.Repeat("aabac", 10)),
		sampled("of 100 nodes 100 are wanted", 100, 10, strings.Repeat("aabac", 10)),
		sampled("of 131 nodes 100, the start moves", 131, 0, strings.Repeat("aabac", 16)),
		sampled("of 300 nodes 144 by default", 300, 0, strings.Repeat("aaabac", 8)),
		sampled("of 300 nodes 60 per cent", 300, 60, strings.Repeat("aaabac", 8)),
		sampled("of 300 nodes all", 300, 100, strings.Repeat("aabac", 4)),
		none,
		withWeights(session("sampling: the score for claims is enough to look at all", equal(7, node(4, 16)),
			[]scheduler.PodClass{pod(1500, 1024), pod(3000, 1)}, "aaabaabbaaaaa"),
			map[string]int64{fit: 0, balanced: 0, taint: 0, affine: 0, spread: 0, interpod: 0, images: 0, volumes: 0}),
	}
}

func withWeights(s Session, weights map[string]int64) Session {
	s.Profile.Weights = weights
	return s
}

// names are nodes asked for by name, which are looked at alone.
func names() []Session {
	named := func(values ...string) scheduler.PodClass {
		var terms []v1alpha1.NodeSelectorTerm
		for _, v := range values {
			terms = append(terms, fields(requirement("metadata.name", "In", v)))
		}
		return needs(pod(3000, 100), terms...)
	}
	in := func(name string) v1alpha1.Requirement { return requirement("metadata.name", "In", name) }
	return []Session{
		session("names: one node", equal(4, node(4, 16)), []scheduler.PodClass{named("node-2"), pod(100, 100)}, "babababb"),
		session("names: one node of two has room", []scheduler.Node{node(4, 16), node(1, 1), node(4, 16)},
			[]scheduler.PodClass{named("node-1", "node-2"), pod(100, 100)}, "bababbb"),
		session("names: no such node", equal(3, node(4, 16)), []scheduler.PodClass{named("elsewhere"), pod(100, 100)},
			"babb"),
		session("names: two that exclude each other", equal(3, node(4, 16)),
			[]scheduler.PodClass{needs(pod(100, 100), fields(in("node-0"), in("node-1"))), pod(100, 100)}, "babb"),
		session("names: a term without names opens all nodes", append(equal(2, node(4, 16)), node(4, 16, "a=b")),
			[]scheduler.PodClass{needs(pod(1000, 100), fields(in("node-1")), expressions(requirement("a", "Exists")))},
			"aaaaaaaaa"),
		session("names: all but one", equal(4, node(4, 16)),
			[]scheduler.PodClass{needs(pod(1000, 100), fields(requirement("metadata.name", "NotIn", "node-0")))},
			strings.Repeat("a", 13)),
		session("names: name and label", append(equal(2, node(4, 16)), node(4, 16, "a=b")),
			[]scheduler.PodClass{
				needs(pod(1000, 100), v1alpha1.NodeSelectorTerm{MatchFields: []v1alpha1.Requirement{in("node-1")},
					MatchExpressions: []v1alpha1.Requirement{requirement("a", "Exists")}}),
			}, "a"),
	}
}
