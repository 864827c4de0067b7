package packtest

import "plimsoll.dev/pack"

// Case is a small problem whose optimum is found by hand.
type Case struct {
	Name    string
	Problem pack.Problem
	// Cost of the optimum.
	Cost int64
	// Why it can't be less.
	Why string
}

// OCP94 is the table of OpenShift Container Platform 4.4, section 9.4: 500 pods
// of four kinds that ask for 550 cores, on nodes of so many cores and GB, less
// what is reserved of them in millicores and MB. Nodes cost 1 each.
func OCP94(cores, gb, reservedCPU, reservedMB int64) pack.Problem {
	item := func(name string, count, cpu, mb int64) pack.Item {
		return pack.Item{Name: name, Count: count, Need: []int64{cpu, mb, 1}}
	}
	return pack.Problem{
		Resources: []string{"cpu", "memory", "pods"},
		Nodes: []pack.NodeType{
			{Name: "node", Capacity: []int64{cores*1000 - reservedCPU, gb*1000 - reservedMB, 250}, Cost: 1, Stock: -1},
		},
		Items: []pack.Item{
			item("apache", 100, 500, 500), item("node.js", 200, 1000, 1000),
			item("postgresql", 100, 2000, 1000), item("jboss-eap", 100, 1000, 1000),
		},
	}
}

// node and item are short for tables; the costs and needs are in any unit.
func node(cost, stock int64, capacity ...int64) pack.NodeType {
	return pack.NodeType{Name: "node", Capacity: capacity, Cost: cost, Stock: stock}
}

func item(count int64, need ...int64) pack.Item {
	return pack.Item{Name: "item", Count: count, Need: need}
}

func capped(i pack.Item, most int64) pack.Item { i.MaxPerNode = most; return i }

func only(i pack.Item, on ...bool) pack.Item { i.On = on; return i }

// Small are problems that can be solved on paper.
func Small() []Case {
	nodes := func(n ...pack.NodeType) []pack.NodeType { return n }
	items := func(i ...pack.Item) []pack.Item { return i }
	cases := []Case{
		{"nothing", pack.Problem{Nodes: nodes(node(3, -1, 10)), Items: items(item(0, 4))}, 0, "no node is needed"},
		{"one exact fit", pack.Problem{Nodes: nodes(node(3, -1, 10)), Items: items(item(4, 5))}, 6,
			"two on each of two nodes, full"},
		{"lumpy", pack.Problem{Nodes: nodes(node(1, -1, 10)), Items: items(item(6, 4))}, 3,
			"two a node, though the volume says 2.4 nodes"},
		{"two in three dimensions", pack.Problem{Nodes: nodes(node(1, -1, 4, 4, 4)),
			Items: items(item(2, 3, 1, 1), item(2, 1, 3, 1), item(2, 1, 1, 3))}, 3,
			"any two differing items fill 4 of a dimension, and three need 5 of it"},
		{"mix", pack.Problem{Nodes: nodes(node(5, -1, 10), node(3, -1, 5)), Items: items(item(3, 5))}, 8,
			"two on the large node, one on the small"},
		{"the cheap one is out of stock", pack.Problem{Nodes: nodes(node(1, 1, 10), node(3, -1, 10)),
			Items: items(item(4, 5))}, 4, "one cheap node holds two, the other two cost 3"},
		{"anti-affinity", pack.Problem{Nodes: nodes(node(2, -1, 100)), Items: items(capped(item(5, 1), 1))}, 10,
			"one a node"},
		{"only on the dear kind", pack.Problem{Nodes: nodes(node(1, -1, 10), node(4, -1, 10)),
			Items: items(item(2, 5), only(item(1, 5), false, true))}, 5,
			"the dear node is needed for the last, and holds one of the first two: 4, and 1 for the other"},
		{"exclude each other", pack.Problem{Nodes: nodes(node(1, -1, 10)), Items: items(item(2, 2), item(2, 2)),
			Conflicts: [][2]int{{0, 1}}}, 2, "one node for each kind"},
		{"a clique of three", pack.Problem{Nodes: nodes(node(1, -1, 10)), Items: items(item(1, 1), item(1, 1), item(1, 1)),
			Conflicts: [][2]int{{0, 1}, {0, 2}, {1, 2}}}, 3, "no two together"},
		{"one spare", pack.Problem{Nodes: nodes(node(3, -1, 10)), Items: items(item(4, 5)), Spares: 1}, 9,
			"two nodes, and one for the one that fails"},
		{"nothing, with spares", pack.Problem{Nodes: nodes(node(3, -1, 10)), Items: items(item(0, 5)), Spares: 2}, 0,
			"no node can fail where there is none"},
		{"the spare of a mix", pack.Problem{Nodes: nodes(node(5, -1, 10), node(3, -1, 5)), Items: items(item(1, 5)),
			Spares: 1}, 6, "the small node, twice"},
		{"two that exclude each other, and one between", pack.Problem{Nodes: nodes(node(3, -1, 14)),
			Items:     items(item(2, 5), item(3, 2), item(3, 5)),
			Conflicts: [][2]int{{1, 2}}}, 9, "31 take three nodes; the three of 2 share theirs with one of the first"},
		{"one that excludes two", pack.Problem{Nodes: nodes(node(11, -1, 12, 8), node(11, -1, 3, 6), node(5, -1, 11, 13)),
			Items:     items(only(item(2, 3, 1), false, false, true), item(3, 2, 3), item(1, 7, 0), item(3, 4, 2)),
			Conflicts: [][2]int{{0, 1}, {0, 2}}}, 15,
			"31 take three nodes of 11: 3+3+4, 2+2+2+4 and 7+4 are on them"},
		{"free resource", pack.Problem{Nodes: nodes(node(1, -1, 2, 0)), Items: items(item(3, 1, 0))}, 2,
			"two a node by the first dimension"},
	}
	for i := range cases {
		p := &cases[i].Problem
		p.Resources = []string{"a", "b", "c"}[:len(p.Nodes[0].Capacity)]
	}
	return cases
}
