package schedulertest

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/scheduler"
)

// near is a term: pods that match, where the label has one value.
func near(key string, pairs ...string) v1alpha1.PodAffinityTerm {
	return v1alpha1.PodAffinityTerm{TopologyKey: key, LabelSelector: matching(pairs...)}
}

func wish(weight int32, t v1alpha1.PodAffinityTerm) v1alpha1.WeightedPodAffinityTerm {
	return v1alpha1.WeightedPodAffinityTerm{Weight: weight, PodAffinityTerm: t}
}

// together is the pod with required affinity; apart, with anti-affinity.
func together(p scheduler.PodClass, terms ...v1alpha1.PodAffinityTerm) scheduler.PodClass {
	p.Affinity = &v1alpha1.Affinity{PodAffinity: &v1alpha1.PodAffinity{Required: terms}}
	return p
}

func apart(p scheduler.PodClass, terms ...v1alpha1.PodAffinityTerm) scheduler.PodClass {
	p.Affinity = &v1alpha1.Affinity{PodAntiAffinity: &v1alpha1.PodAffinity{Required: terms}}
	return p
}

func drawn(p scheduler.PodClass, terms ...v1alpha1.WeightedPodAffinityTerm) scheduler.PodClass {
	p.Affinity = &v1alpha1.Affinity{PodAffinity: &v1alpha1.PodAffinity{Preferred: terms}}
	return p
}

func repelled(p scheduler.PodClass, terms ...v1alpha1.WeightedPodAffinityTerm) scheduler.PodClass {
	p.Affinity = &v1alpha1.Affinity{PodAntiAffinity: &v1alpha1.PodAffinity{Preferred: terms}}
	return p
}

func in(p scheduler.PodClass, namespace string) scheduler.PodClass {
	p.Namespace = namespace
	return p
}

// podFilters are required affinity and anti-affinity between pods.
func podFilters() []Session {
	a, b := pod(500, 512, "app=a"), pod(500, 512, "app=b")
	sixth := func() []scheduler.Node { return placed(6, 3, node(4, 16)) }
	keyed := func(match, mismatch []string) v1alpha1.PodAffinityTerm {
		t := near(zone, "app=a")
		t.MatchLabelKeys, t.MismatchLabelKeys = match, mismatch
		return t
	}
	v1, v2 := pod(500, 512, "app=a", "version=1"), pod(500, 512, "app=a", "version=2")
	nobody := v1alpha1.PodAffinityTerm{TopologyKey: zone}
	everybody := v1alpha1.PodAffinityTerm{TopologyKey: hostname, LabelSelector: &v1alpha1.LabelSelector{}}
	return slices.Concat(spaces(), []Session{
		session("affinity: the first pod of its kind may start anywhere", sixth(),
			[]scheduler.PodClass{together(a, near(zone, "app=a"))}, strings.Repeat("a", 18)),
		session("affinity: nobody to be near to", sixth(), []scheduler.PodClass{together(a, near(zone, "app=b")), b},
			"aabaaa"),
		session("affinity: both terms by one pod", sixth(),
			[]scheduler.PodClass{together(pod(500, 512, "app=c"), near(zone, "app=a"), near(hostname, "tier=x")), a,
				pod(500, 512, "tier=x"), pod(500, 512, "app=a", "tier=x")}, "abacada"),
		session("affinity: the first pod needs all labels", uneven(),
			[]scheduler.PodClass{together(a, near(zone, "app=a"), near(hostname, "app=a"))}, "aaaa"),
		session("affinity: a node without the label", uneven(), []scheduler.PodClass{together(a, near(zone, "app=b")), b},
			"baaa").bind(1, 4),
		session("affinity: no selector matches nobody", sixth(), []scheduler.PodClass{together(a, nobody), apart(a, nobody)},
			"abb"),
		session("anti-affinity: each host once", placed(4, 2, node(8, 32)),
			[]scheduler.PodClass{apart(a, near(hostname, "app=a"))}, "aaaaaa"),
		session("anti-affinity: each zone once, nodes without it at will", uneven(),
			[]scheduler.PodClass{apart(a, near(zone, "app=a"))}, "aaaaaa"),
		session("anti-affinity: those who are there are asked too", sixth(),
			[]scheduler.PodClass{apart(b, near(zone, "app=a")), a}, "abbbbbb"),
		session("anti-affinity: both sides", sixth(),
			[]scheduler.PodClass{apart(b, near(hostname, "app=a")), apart(a, near(hostname, "app=b")), a}, "abababababcc"),
		session("anti-affinity: everybody", placed(3, 0, node(8, 32)), []scheduler.PodClass{apart(a, everybody), b}, "babab"),
		session("keys: matchLabelKeys of affinity", sixth(),
			[]scheduler.PodClass{together(v1, keyed([]string{"version", "absent"}, nil)),
				together(v2, keyed([]string{"version"}, nil))}, "ababababab"),
		session("keys: mismatchLabelKeys of anti-affinity", sixth(),
			[]scheduler.PodClass{apart(v1, keyed(nil, []string{"version"})), apart(v2, keyed(nil, []string{"version"})),
				apart(a, keyed(nil, []string{"version"}))}, "aabbaabbcc"),
	})
}

// spaces are terms that speak of namespaces.
func spaces() []Session {
	a, b := pod(500, 512, "app=a"), pod(500, 512, "app=b")
	term := func(names []string, s *v1alpha1.LabelSelector) v1alpha1.PodAffinityTerm {
		t := near(zone, "app=b")
		t.Namespaces, t.NamespaceSelector = names, s
		return t
	}
	terms := map[string]v1alpha1.PodAffinityTerm{
		"none":             term(nil, nil),
		"listed":           term([]string{"shop", "unlisted"}, nil),
		"by label":         term(nil, matching("stage=live")),
		"by label or list": term([]string{"bare"}, matching("team=core")),
		"all":              term(nil, &v1alpha1.LabelSelector{}),
		"without a label": term(nil,
			&v1alpha1.LabelSelector{MatchExpressions: []v1alpha1.Requirement{requirement("team", "DoesNotExist")}}),
		"by no label": term(nil, matching("team=nobody")),
	}
	var out []Session
	for _, name := range sorted(terms) {
		classes := []scheduler.PodClass{apart(a, terms[name]), b, in(b, "shop"), in(b, "bank"), in(b, "bare"),
			in(b, "unlisted")}
		out = append(out, session("namespaces: anti-affinity to "+name, placed(7, 7, node(4, 16)), classes,
			"aaaaaaaaabcdefbcdef").bind(1, 0, 2, 1, 3, 2, 4, 3, 5, 4),
			session("namespaces: affinity to "+name, placed(7, 7, node(4, 16)),
				append([]scheduler.PodClass{together(a, terms[name])}, classes[1:]...), "aaaaaaaaaaaa").bind(1, 0, 2, 1, 3, 2, 4,
				3, 5, 4),
			session("namespaces: wishes about "+name, placed(7, 7, node(4, 16)),
				append([]scheduler.PodClass{drawn(a, wish(10, terms[name])), repelled(in(a, "shop"), wish(10, terms[name]))},
					classes[1:]...),
				"ababababcdefgcdefg").bind(2, 0, 3, 1, 4, 2, 5, 3, 6, 4))
	}
	return out
}

// podScores are wishes between pods, and the pull of required affinity.
func podScores() []Session {
	a, b := pod(500, 512, "app=a"), pod(500, 512, "app=b")
	sixth := func() []scheduler.Node { return placed(6, 3, node(4, 16)) }
	return []Session{
		session("wish: near others", sixth(), []scheduler.PodClass{drawn(a, wish(50, near(zone, "app=b"))), b},
			"baaabaaa").only(interpod),
		session("wish: far from others", sixth(), []scheduler.PodClass{repelled(a, wish(50, near(hostname, "app=a")))},
			strings.Repeat("a", 14)).only(interpod),
		session("wish: near in the zone, far on the host", sixth(),
			[]scheduler.PodClass{with(drawn(a, wish(20, near(zone, "app=a"))), func(p *scheduler.PodClass) {
				p.Affinity.PodAntiAffinity = repelled(*p, wish(80, near(hostname, "app=a"))).Affinity.PodAntiAffinity
			})}, strings.Repeat("a", 14)),
		session("wish: of those who are there", sixth(), []scheduler.PodClass{drawn(a, wish(30, near(zone, "app=b"))),
			repelled(pod(500, 512, "app=c"), wish(90, near(zone, "app=b"))), b}, "abccccabcc").only(interpod),
		session("wish: required affinity pulls with weight 1", sixth(),
			[]scheduler.PodClass{together(a, near(zone, "app=a")), pod(500, 512, "app=a")}, "abbbbaab").only(interpod),
		session("wish: labels that some nodes lack", uneven(),
			[]scheduler.PodClass{drawn(a, wish(5, near(zone, "app=a")), wish(3, near(hostname, "app=a"))), b},
			strings.Repeat("aab", 5)).bind(0, 4),
		session("wish: with the others", sixth(), []scheduler.PodClass{drawn(a, wish(1, near(zone, "app=b"))),
			repelled(b, wish(100, near(zone, "app=a")), wish(1, near(hostname, "app=b")))}, strings.Repeat("aabb", 8)),
	}
}
