package schedulertest

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/scheduler"
)

// HandMade are small sessions, each for one rule or one trap. Their names begin
// with what decides in them.
func HandMade() []Session {
	return slices.Concat(cycle(), resources(), scoring(), nodeRules(), nodeScores(), ports(), spreadFilters(),
		spreadScores(), podFilters(), podScores())
}

// session names a cluster and lets pods of the classes arrive, one letter each:
// a is the first class.
func session(name string, nodes []scheduler.Node, classes []scheduler.PodClass, arrivals string) Session {
	s := Session{Name: name, Profile: scheduler.Profile{Release: "1.36", Namespaces: namespaces()}, Nodes: nodes,
		Classes: classes}
	for i := range s.Nodes {
		s.Nodes[i].Name = fmt.Sprintf("node-%d", i)
	}
	for i := range s.Classes {
		s.Classes[i].Name = "class-" + string(rune('a'+i))
	}
	for _, c := range arrivals {
		s.Arrivals = append(s.Arrivals, c-'a')
	}
	return s
}

// only switches off the scores of all plug-ins but these.
func (s Session) only(plugins ...string) Session {
	s.Profile.Weights = map[string]int64{}
	for _, name := range scorers {
		if !slices.Contains(plugins, name) {
			s.Profile.Weights[name] = 0
		}
	}
	return s
}

// bind puts pods on nodes beforehand: pairs of class and node.
func (s Session) bind(pairs ...int) Session {
	for i := 0; i < len(pairs); i += 2 {
		s.Bound = append(s.Bound, Bound{Class: pairs[i], Node: pairs[i+1], Count: 1})
	}
	return s
}

// The plug-ins that score by default.
const (
	fit      = "NodeResourcesFit"
	balanced = "NodeResourcesBalancedAllocation"
	taint    = "TaintToleration"
	affine   = "NodeAffinity"
	spread   = "PodTopologySpread"
	interpod = "InterPodAffinity"
	images   = "ImageLocality"
	volumes  = "VolumeBinding"
	claims   = "DynamicResources"
)

var scorers = []string{fit, balanced, taint, affine, spread, interpod, images, volumes, claims}

// node of cores and GiB, with 110 pods and labels as "key=value".
func node(cores, gib int64, labels ...string) scheduler.Node {
	return scheduler.Node{Labels: labelled(labels...),
		Allocatable: scheduler.Resources{CPU: cores * 1000, Memory: gib * gibi, Pods: 110}}
}

// equal are n nodes alike.
func equal(n int, one scheduler.Node) []scheduler.Node {
	return slices.Repeat([]scheduler.Node{one}, n)
}

// placed are equal nodes with a hostname each, and zones in turn; 0 is no zones.
func placed(n, zones int, one scheduler.Node) []scheduler.Node {
	out := equal(n, one)
	for i := range out {
		out[i].Labels = map[string]string{hostname: fmt.Sprintf("node-%d", i)}
		if zones > 0 {
			out[i].Labels[zone] = fmt.Sprintf("zone-%c", 'a'+i%zones)
		}
	}
	return out
}

// pod of millicores and MiB, with labels as "key=value".
func pod(cpu, mib int64, labels ...string) scheduler.PodClass {
	return scheduler.PodClass{Labels: labelled(labels...), Request: scheduler.Resources{CPU: cpu, Memory: mib * mebi},
		NonZeroCPU: cpu, NonZeroMemory: mib * mebi}
}

// silent is a pod of one container without requests.
func silent(labels ...string) scheduler.PodClass {
	p := pod(0, 0, labels...)
	p.NonZeroCPU, p.NonZeroMemory = silentCPU, silentMemory
	return p
}

func labelled(pairs ...string) map[string]string {
	if len(pairs) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, p := range pairs {
		key, value, _ := strings.Cut(p, "=")
		out[key] = value
	}
	return out
}

func matching(pairs ...string) *v1alpha1.LabelSelector {
	return &v1alpha1.LabelSelector{MatchLabels: labelled(pairs...)}
}

func requirement(key, operator string, values ...string) v1alpha1.Requirement {
	return v1alpha1.Requirement{Key: key, Operator: operator, Values: values}
}

func expressions(rs ...v1alpha1.Requirement) v1alpha1.NodeSelectorTerm {
	return v1alpha1.NodeSelectorTerm{MatchExpressions: rs}
}

func fields(rs ...v1alpha1.Requirement) v1alpha1.NodeSelectorTerm {
	return v1alpha1.NodeSelectorTerm{MatchFields: rs}
}

// needs is the pod with required node affinity to one of the terms.
func needs(p scheduler.PodClass, terms ...v1alpha1.NodeSelectorTerm) scheduler.PodClass {
	p.Affinity = &v1alpha1.Affinity{
		NodeAffinity: &v1alpha1.NodeAffinity{Required: &v1alpha1.NodeSelector{NodeSelectorTerms: terms}},
	}
	return p
}

// with changes a copy of the pod.
func with(p scheduler.PodClass, change func(*scheduler.PodClass)) scheduler.PodClass {
	change(&p)
	return p
}
