package schedulertest

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/scheduler"
)

// offering adds resources to a node.
func offering(n scheduler.Node, scalar map[string]int64) scheduler.Node {
	n.Allocatable.Scalar = scalar
	return n
}

// asking adds resources to a pod.
func asking(p scheduler.PodClass, scalar map[string]int64) scheduler.PodClass {
	p.Request.Scalar = scalar
	return p
}

func storing(n scheduler.Node, gib int64) scheduler.Node {
	n.Allocatable.EphemeralStorage = gib * gibi
	return n
}

func fewPods(n scheduler.Node, pods int64) scheduler.Node {
	n.Allocatable.Pods = pods
	return n
}

// resources are the filters of NodeResourcesFit.
func resources() []Session {
	devices := []scheduler.Node{offering(node(16, 64), map[string]int64{gpu: 4, hugeTwo: gibi}),
		offering(node(16, 64), map[string]int64{gpu: 0}), node(16, 64)}
	stored := with(pod(100, 100), func(p *scheduler.PodClass) { p.Request.EphemeralStorage = 3 * gibi })
	return []Session{
		session("fit: CPU to the last millicore", []scheduler.Node{node(2, 64), node(3, 64)},
			[]scheduler.PodClass{pod(500, 10), pod(1, 10)}, "aaaaaaaaaaabb"),
		session("fit: memory to the last byte", []scheduler.Node{node(64, 2), node(64, 3)}, []scheduler.PodClass{pod(10, 512),
			with(pod(1, 0), func(p *scheduler.PodClass) { p.Request.Memory, p.NonZeroMemory = 1, 1 })}, "aaaaaaaaaaabb"),
		session("fit: pods", []scheduler.Node{fewPods(node(64, 64), 3), fewPods(node(64, 64), 1)},
			[]scheduler.PodClass{pod(10, 10), silent()}, "ababab"),
		session("fit: ephemeral storage", []scheduler.Node{storing(node(8, 32), 10), node(8, 32)},
			[]scheduler.PodClass{stored, pod(100, 100)}, "aabaaab"),
		session("fit: devices and huge pages", slices.Clone(devices), []scheduler.PodClass{
			asking(pod(100, 100), map[string]int64{gpu: 1}), asking(pod(100, 100), map[string]int64{hugeTwo: 256 * mebi}),
			asking(pod(100, 100), map[string]int64{gpu: 1, hugeTwo: 512 * mebi}),
			asking(pod(100, 100), map[string]int64{"example.com/none": 1})}, "abacbcbaadda"),
		session("fit: a device asked for zero times", slices.Clone(devices),
			[]scheduler.PodClass{asking(pod(100, 100), map[string]int64{gpu: 0, "example.com/none": 0})}, "aaaa"),
		session("fit: too much of several things", slices.Clone(devices),
			[]scheduler.PodClass{asking(pod(99000, 99<<10), map[string]int64{gpu: 9, hugeOne: gibi})}, "a"),
		session("fit: pods without requests go onto an overcommitted node", []scheduler.Node{node(2, 4)},
			[]scheduler.PodClass{pod(3000, 8192), silent(), pod(0, 0), pod(0, 1), pod(1, 0),
				asking(pod(0, 0), map[string]int64{gpu: 0})}, "bcdefb").bind(0, 0),
		session("fit: 0 CPU of a pod with memory", []scheduler.Node{node(1, 8), node(2, 8)},
			[]scheduler.PodClass{pod(1000, 100), pod(0, 100)}, "aaabbbb"),
	}
}

// scoring are the scores of NodeResourcesFit and of BalancedAllocation.
func scoring() []Session {
	various := []scheduler.Node{node(4, 8), node(8, 8), node(8, 64), node(16, 32), node(2, 32), node(3, 7)}
	classes := []scheduler.PodClass{pod(500, 1024), pod(100, 4096), pod(1500, 256), silent()}
	mixed := strings.Repeat("abcd", 12)
	configured := func(name string, p scheduler.Profile) Session {
		s := session("score: "+name, slices.Clone(various), slices.Clone(classes), mixed).only(fit)
		s.Profile.ScoringStrategy, s.Profile.Resources, s.Profile.Shape = p.ScoringStrategy, p.Resources, p.Shape
		return s
	}
	weights := []v1alpha1.ResourceWeight{{Name: "cpu", Weight: 1}, {Name: "memory", Weight: 7}}
	return slices.Concat(deviceScores(), []Session{
		configured("LeastAllocated", scheduler.Profile{}),
		configured("LeastAllocated, weighted", scheduler.Profile{Resources: weights}),
		configured("MostAllocated", scheduler.Profile{ScoringStrategy: "MostAllocated"}),
		configured("MostAllocated, weighted", scheduler.Profile{ScoringStrategy: "MostAllocated", Resources: weights}),
		configured("RequestedToCapacityRatio as bin packing", scheduler.Profile{ScoringStrategy: "RequestedToCapacityRatio",
			Shape: []v1alpha1.ShapePoint{{Utilization: 0, Score: 0}, {Utilization: 100, Score: 10}}}),
		configured("RequestedToCapacityRatio falling", scheduler.Profile{ScoringStrategy: "RequestedToCapacityRatio",
			Resources: weights, Shape: []v1alpha1.ShapePoint{{Utilization: 0, Score: 10}, {Utilization: 100, Score: 0}}}),
		configured("RequestedToCapacityRatio with a peak",
			scheduler.Profile{ScoringStrategy: "RequestedToCapacityRatio", Shape: shaped().Shape}),
		configured("RequestedToCapacityRatio with a single point",
			scheduler.Profile{ScoringStrategy: "RequestedToCapacityRatio",
				Shape: []v1alpha1.ShapePoint{{Utilization: 50, Score: 5}}}),
		session("score: balanced allocation alone", slices.Clone(various), slices.Clone(classes), mixed).only(balanced),
		session("score: balanced allocation of pods that were there", slices.Clone(various), slices.Clone(classes),
			mixed).only(balanced).bind(0, 0, 1, 0, 2, 1, 2, 1, 1, 2, 1, 2, 2, 3),
		session("score: overcommitted nodes", slices.Clone(various), append(slices.Clone(classes), pod(9000, 10240)),
			"dddabcd").bind(4, 0, 4, 1, 4, 4),
		session("score: a node without CPU or memory", []scheduler.Node{node(0, 8), node(8, 0), node(8, 8)},
			[]scheduler.PodClass{pod(0, 100), pod(100, 0), silent()}, "abcabcabc"),
		session("score: two containers of which one is silent", slices.Clone(various),
			[]scheduler.PodClass{with(pod(400, 300), func(p *scheduler.PodClass) {
				p.NonZeroCPU += silentCPU
				p.NonZeroMemory += silentMemory
			}), with(pod(0, 300), func(p *scheduler.PodClass) { p.NonZeroCPU = 3 * silentCPU })}, strings.Repeat("ab", 15)),
		session("score: all plug-ins", slices.Clone(various), slices.Clone(classes), mixed),
		withWeights(session("score: other weights", slices.Clone(various), slices.Clone(classes), mixed),
			map[string]int64{fit: 1, balanced: 9}),
	})
}

func deviceScores() []Session {
	nodes := []scheduler.Node{
		storing(offering(node(16, 64), map[string]int64{gpu: 8}), 100),
		storing(offering(node(16, 64), map[string]int64{gpu: 4}), 50),
		offering(node(8, 32), map[string]int64{gpu: 2, hugeTwo: gibi}), node(16, 64),
	}
	classes := []scheduler.PodClass{
		asking(pod(500, 1024), map[string]int64{gpu: 1}), pod(1000, 512), asking(pod(200, 200), map[string]int64{gpu: 2}),
		with(pod(200, 100), func(p *scheduler.PodClass) { p.Request.EphemeralStorage = 2 * gibi }),
		asking(pod(100, 100), map[string]int64{hugeTwo: 64 * mebi}),
	}
	var out []Session
	for _, strategy := range []string{"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"} {
		s := session("score: "+strategy+" with devices, huge pages and storage", slices.Clone(nodes), slices.Clone(classes),
			"abcdeabcdeabcdeabcde").only(fit)
		s.Profile.ScoringStrategy = strategy
		s.Profile.Resources = append(weighted(strategy).Resources, v1alpha1.ResourceWeight{Name: hugeTwo, Weight: 4})
		if strategy == "RequestedToCapacityRatio" {
			s.Profile.Shape = shaped().Shape
		}
		out = append(out, s)
	}
	return out
}
