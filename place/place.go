// Package place says where every pod of a cluster goes, as kube-scheduler and the
// kubelets would decide, what finds no place and why, what is stranded, and what
// happens when nodes fail or are drained. The answer is a Placement document.
//
// The rules of the scheduler are in package kube, those of the node in package
// kubelet; how many nodes are needed is package plan's question.
//
//	p, err := place.Make(cluster.Build(in), place.Options{})
//	p.Verdict.Summary // "20 of 20 pods run on 3 nodes"
package place

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/whatif"
	"plimsoll.dev/unit"
)

// Options of a placement.
type Options struct {
	// Order in which pods arrive: runs, shuffled or largestFirst. Seed is that of the shuffle.
	Order string
	Seed  uint64
	// Failures is how many nodes fail together in the what-ifs: 0 tries none.
	Failures int
	// MaxUnavailable is how many nodes a rolling update takes at a time, beside what Stated has, as "5" or
	// "10%"; empty tries none. PerNode is the time that one batch takes; nil is not known.
	MaxUnavailable string
	PerNode        *unit.Duration
	// Stated is what the policy states that must be survived.
	Stated Demand
	// Each is told of each pod that arrives, with its node, -1 for none; nil is not.
	Each func(kind, node int)
	// Progress is told how many of the pods are placed; nil is not.
	Progress func(done int)
	// Watch is told of the what-ifs, and may end them.
	whatif.Watch
}

// Skip tells what was passed over when the input was read. What can change where pods
// go is a finding; the verdict is open as the plan's.
func Skip(p *v1alpha1.Placement, skipped []v1alpha1.Skipped, open []string) {
	p.Verdict.Open = open
	for _, s := range skipped {
		if s.Planning {
			continue
		}
		p.Skipped = append(p.Skipped, s)
		if s.Decides {
			p.Find(v1alpha1.Warning, "place.unknown["+s.What+"]", s.What+": "+s.Why, "")
		}
	}
}

// Make places the pods of a cluster. The error lists what is wrong with the
// cluster itself: a kubelet that would not start, a scheduler that refuses its
// configuration.
func Make(c *cluster.Cluster, s *v1alpha1.Scenario, opt Options) (*v1alpha1.Placement, error) {
	r, err := newRun(c)
	if err != nil {
		return nil, err
	}
	order := cluster.Arrivals(c, opt.Order, opt.Seed)
	r.progress, r.each = opt.Progress, opt.Each
	r.all(order)
	p := &v1alpha1.Placement{PlacementHead: v1alpha1.PlacementHead{
		APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.KindPlacement, Metadata: s.Metadata, Platform: s.Platform}}
	return p, r.outcome(p, opt)
}
