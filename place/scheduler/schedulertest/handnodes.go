package schedulertest

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/scheduler"
)

// tainted adds taints, as "key=value:effect".
func tainted(n scheduler.Node, taints ...string) scheduler.Node {
	for _, t := range taints {
		label, effect, _ := strings.Cut(t, ":")
		key, value, _ := strings.Cut(label, "=")
		n.Taints = append(slices.Clone(n.Taints), v1alpha1.Taint{Key: key, Value: value, Effect: effect})
	}
	return n
}

// tolerating adds tolerations, as "key operator value effect" with - for nothing.
func tolerating(p scheduler.PodClass, tolerations ...string) scheduler.PodClass {
	for _, t := range tolerations {
		w := strings.Split(strings.ReplaceAll(t, "-", ""), " ")
		p.Tolerations = append(slices.Clone(p.Tolerations),
			v1alpha1.Toleration{Key: w[0], Operator: w[1], Value: w[2], Effect: w[3]})
	}
	return p
}

func cordoned(n scheduler.Node) scheduler.Node {
	n.Unschedulable = true
	return n
}

// nodeRules are the filters that look at the node alone.
func nodeRules() []Session {
	hard := []scheduler.Node{
		tainted(node(4, 16), "db=yes:NoSchedule"), tainted(node(4, 16), "db=no:NoSchedule"),
		tainted(node(4, 16), "db=:NoExecute"),
		tainted(node(4, 16), "db=yes:NoSchedule", "web=:NoSchedule"), tainted(node(4, 16), "db=yes:PreferNoSchedule"),
	}
	forms := map[string][]string{
		"none": {}, "equal": {"db Equal yes NoSchedule"}, "equal by default": {"db - yes -"}, "empty value": {"db - - -"},
		"any value": {"db Exists - NoSchedule"}, "any effect": {"db Exists - -"}, "everything": {"- Exists - -"},
		"everything of one effect": {"- Exists - NoSchedule"}, "another effect": {"db Equal yes NoExecute"},
		"two": {"db Equal yes -", "web Exists - NoSchedule"},
	}
	var out []Session
	for _, name := range sorted(forms) {
		s := session("taints: tolerated "+name, slices.Clone(hard),
			[]scheduler.PodClass{tolerating(pod(1000, 1024), forms[name]...)}, strings.Repeat("a", 21))
		out = append(out, s)
	}
	unscheduled := "node.kubernetes.io/unschedulable"
	return append(append(out, selectors()...),
		session("cordon: a cordoned node", []scheduler.Node{cordoned(node(4, 16)), node(4, 16)},
			[]scheduler.PodClass{pod(1500, 1024),
				{Name: "", Request: scheduler.Resources{CPU: 500}, NonZeroCPU: 500,
					Tolerations: []v1alpha1.Toleration{{Key: unscheduled, Operator: "Exists"}}}}, "aaababbbbbb"),
		session("cordon: tolerated by value, by effect, not at all", []scheduler.Node{cordoned(node(4, 16))},
			[]scheduler.PodClass{
				{Tolerations: []v1alpha1.Toleration{{Key: unscheduled}}},
				{Tolerations: []v1alpha1.Toleration{{Operator: "Exists", Effect: "NoSchedule"}}},
				{Tolerations: []v1alpha1.Toleration{{Key: unscheduled, Operator: "Exists", Effect: "NoExecute"}}},
				{Tolerations: []v1alpha1.Toleration{{Key: unscheduled, Value: "true"}}}}, "abcd"),
	)
}

func sorted[T any](m map[string]T) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func selectors() []Session {
	nodes := []scheduler.Node{
		node(4, 16, "disk=ssd", "gen=3"), node(4, 16, "disk=hdd", "gen=10"), node(4, 16, "gen=new"),
		node(4, 16, "disk=", "gen=007"), node(4, 16),
	}
	terms := map[string][]v1alpha1.NodeSelectorTerm{
		"In":                          {expressions(requirement("disk", "In", "ssd", "nvme"))},
		"In the empty value":          {expressions(requirement("disk", "In", ""))},
		"NotIn, missing labels match": {expressions(requirement("disk", "NotIn", "ssd"))},
		"Exists":                      {expressions(requirement("disk", "Exists"))},
		"DoesNotExist":                {expressions(requirement("disk", "DoesNotExist"))},
		"Gt, only numbers match":      {expressions(requirement("gen", "Gt", "5"))},
		"Lt, only numbers match":      {expressions(requirement("gen", "Lt", "10"))},
		"both of two":                 {expressions(requirement("disk", "Exists"), requirement("gen", "Gt", "3"))},
		"one of two terms": {expressions(requirement("disk", "In", "ssd")),
			expressions(requirement("gen", "DoesNotExist"))},
		"an empty term":             {expressions()},
		"an empty term and another": {expressions(), expressions(requirement("disk", "In", "hdd"))},
	}
	var out []Session
	for _, name := range sorted(terms) {
		s := session("selector: "+name, slices.Clone(nodes), []scheduler.PodClass{needs(pod(1000, 1024), terms[name]...)},
			strings.Repeat("a", 21))
		out = append(out, s)
	}
	plain := with(pod(1000, 1024), func(p *scheduler.PodClass) { p.NodeSelector = labelled("disk=ssd", "gen=3") })
	both := with(needs(pod(1000, 1024), expressions(requirement("gen", "Lt", "11"))),
		func(p *scheduler.PodClass) { p.NodeSelector = labelled("disk=hdd") })
	return append(out, session("selector: nodeSelector, and with affinity", slices.Clone(nodes),
		[]scheduler.PodClass{plain, both}, "abababab"))
}

// nodeScores are the scores for what stands on the node alone.
func nodeScores() []Session {
	soft := []scheduler.Node{
		tainted(node(8, 32), "a=:PreferNoSchedule", "b=:PreferNoSchedule", "c=:PreferNoSchedule"),
		tainted(node(8, 32), "a=:PreferNoSchedule", "b=:PreferNoSchedule"), tainted(node(8, 32), "b=x:PreferNoSchedule"),
		node(8, 32),
	}
	prefer := func(pairs ...v1alpha1.PreferredSchedulingTerm) scheduler.PodClass {
		return with(pod(500, 512), func(p *scheduler.PodClass) {
			p.Affinity = &v1alpha1.Affinity{NodeAffinity: &v1alpha1.NodeAffinity{Preferred: pairs}}
		})
	}
	weigh := func(w int32, t v1alpha1.NodeSelectorTerm) v1alpha1.PreferredSchedulingTerm {
		return v1alpha1.PreferredSchedulingTerm{Weight: w, Preference: t}
	}
	labels := []scheduler.Node{node(8, 32, "disk=ssd", "gen=3"), node(8, 32, "disk=ssd"), node(8, 32, "gen=9"),
		node(8, 32)}
	return []Session{
		session("taint score: the fewest that are not tolerated", slices.Clone(soft[:3]), []scheduler.PodClass{pod(100, 100)},
			"aaa").only(taint),
		session("taint score: with the others", slices.Clone(soft), []scheduler.PodClass{pod(500, 512)},
			strings.Repeat("a", 30)),
		session("taint score: tolerated ones don't count", slices.Clone(soft), []scheduler.PodClass{
			tolerating(pod(100, 100), "a Exists - PreferNoSchedule", "b - x -"),
			tolerating(pod(100, 100), "a Exists - NoSchedule"), tolerating(pod(100, 100), "- Exists - -")}, "abcabcabcabc"),
		session("affinity score: weights add up", slices.Clone(labels), []scheduler.PodClass{
			prefer(weigh(10, expressions(requirement("disk", "In", "ssd"))),
				weigh(7, expressions(requirement("gen", "Gt", "2"))))}, strings.Repeat("a", 40)),
		session("affinity score: alone", slices.Clone(labels), []scheduler.PodClass{
			prefer(weigh(100, fields(requirement("metadata.name", "In", "node-2"))),
				weigh(1, expressions(requirement("disk", "Exists"))), weigh(3, expressions()))}, "aaaa").only(affine),
		session("affinity score: nothing matches", slices.Clone(labels),
			[]scheduler.PodClass{prefer(weigh(5, expressions(requirement("none", "Exists"))))}, "aaaa"),
	}
}

// ports are sessions about host ports.
func ports() []Session {
	open := func(ports ...v1alpha1.HostPort) scheduler.PodClass {
		return with(pod(100, 100), func(p *scheduler.PodClass) { p.HostPorts = ports })
	}
	at := func(ip string, port int32, protocol string) v1alpha1.HostPort {
		return v1alpha1.HostPort{HostIP: ip, Port: port, Protocol: protocol}
	}
	classes := []scheduler.PodClass{
		open(at("", 80, "")), open(at("10.0.0.1", 80, "TCP")), open(at("10.0.0.2", 80, "TCP")),
		open(at("0.0.0.0", 80, "UDP")),
		open(at("::", 80, "TCP")), open(at("", 81, ""), at("", 80, "SCTP")),
		open(at("10.0.0.1", 80, "UDP"), at("10.0.0.1", 81, "UDP")),
	}
	return []Session{
		session("ports: each node once", equal(3, node(8, 32)), []scheduler.PodClass{open(at("", 80, ""))}, "aaaaa"),
		session("ports: addresses and protocols", equal(2, node(8, 32)), slices.Clone(classes), "bbbcccaadddeeefffgggaa"),
		session("ports: all addresses last", equal(1, node(8, 32)), slices.Clone(classes), "bcaegdff"),
		session("ports: all addresses first", equal(1, node(8, 32)), slices.Clone(classes), "abcefgd"),
	}
}
