package scheduler

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// Plug-ins that score nodes, with the weights of the default profile
// (apis/config/v1/default_plugins.go). The last two give every node 0 here, since
// neither sizes of volumes nor resource claims are known.
const (
	pluginFit      = "NodeResourcesFit"
	pluginBalanced = "NodeResourcesBalancedAllocation"
	pluginTaints   = "TaintToleration"
	pluginNodes    = "NodeAffinity"
	pluginSpread   = "PodTopologySpread"
	pluginPods     = "InterPodAffinity"
	pluginImages   = "ImageLocality"
	pluginVolumes  = "VolumeBinding"
	pluginClaims   = "DynamicResources" // scores from 1.35 on
)

var defaultWeights = map[string]int64{
	pluginFit: 1, pluginBalanced: 1, pluginTaints: 3, pluginNodes: 2, pluginSpread: 2, pluginPods: 2, pluginImages: 1,
	pluginVolumes: 1, pluginClaims: 2,
}

// maxWeight bounds the weights, so that scores keep to 16 bits.
const maxWeight = 100

// newestRules is the release taken when none is given.
const newestRules = 36

// rules are what the profile and its release come to.
type rules struct {
	minor     int    // of the release
	seed      uint64 // of ties that are drawn
	improving bool   // BalancedAllocation scores the change (from 1.36), not the outcome
	random    bool   // ties are drawn (up to 1.34), not decided by the heap's order
	lax       bool   // namespace selectors are also compared with no labels (from 1.34)
	mute      bool   // a refusing taint is not named (from 1.34)
	idle      bool   // BalancedAllocation leaves out pods that ask for nothing (from 1.33)
	first     bool   // no plug-in scores: the first node that fits is taken
	weights   struct{ fit, balanced, taints, nodes, spread, pods, images int64 }
	strategy  strategy
	percent   int
}

func newRules(p *Profile) (rules, error) {
	minor, err := parseRelease(p.Release)
	problems := []error{err}
	r := rules{minor: minor, seed: p.Seed, improving: minor >= 36, random: minor <= 34, lax: minor >= 34,
		mute: minor >= 34, idle: minor >= 33, percent: p.PercentageOfNodesToScore}
	if p.PercentageOfNodesToScore < 0 || p.PercentageOfNodesToScore > 100 {
		problems = append(problems, fmt.Errorf("percentageOfNodesToScore %d is out of range (0 for the "+
			"adaptive default, or 1 to 100)", p.PercentageOfNodesToScore))
	}
	problems = append(problems, r.setWeights(p.Weights))
	r.strategy, err = newStrategy(p)
	return r, errors.Join(append(problems, err)...)
}

// parseRelease reads 1.36, v1.36 or v1.36.3; nothing means the newest rules.
func parseRelease(release string) (minor int, err error) {
	if release == "" {
		return newestRules, nil
	}
	parts := strings.Split(strings.TrimPrefix(release, "v"), ".")
	if len(parts) >= 2 && parts[0] == "1" {
		if minor, err = strconv.Atoi(parts[1]); err == nil && minor >= 0 {
			return minor, nil
		}
	}
	return newestRules, fmt.Errorf("release %q is not one of Kubernetes (such as 1.36)", release)
}

func (r *rules) setWeights(changes map[string]int64) error {
	var problems []error
	for _, name := range sortedKeys(changes) {
		if _, ok := defaultWeights[name]; !ok {
			problems = append(problems, fmt.Errorf("weights: %q is no plug-in that scores nodes (one of %s)", name,
				strings.Join(sortedKeys(defaultWeights), ", ")))
		}
		if w := changes[name]; w < 0 || w > maxWeight {
			problems = append(problems, fmt.Errorf("weights: %s: %d is out of range (0 to leave it out, to %d)", name, w,
				maxWeight))
		}
	}
	r.first = true
	weight := func(name string) int64 {
		w, changed := changes[name]
		if !changed {
			w = defaultWeights[name]
		}
		r.first = r.first && w == 0
		return w
	}
	r.weights.fit, r.weights.balanced = weight(pluginFit), weight(pluginBalanced)
	r.weights.taints, r.weights.nodes = weight(pluginTaints), weight(pluginNodes)
	r.weights.spread, r.weights.pods = weight(pluginSpread), weight(pluginPods)
	r.weights.images = weight(pluginImages)
	weight(pluginVolumes)
	if r.minor >= 35 {
		weight(pluginClaims)
	}
	return errors.Join(problems...)
}

// sample is how many feasible nodes are looked for among n
// (schedule_one.go, numFeasibleNodesToFind).
func (r *rules) sample(n int) int {
	const least, leastPercent = 100, 5
	if r.first {
		return min(n, 1)
	}
	if n < least {
		return n
	}
	percent := r.percent
	if percent == 0 {
		percent = max(50-n/125, leastPercent)
	}
	return max(n*percent/100, least)
}

// minScore and maxScore bound what a plug-in gives a node.
const maxScore = 100

// weighed is a resource and its weight in the scoring strategy.
type weighed struct {
	name   string
	weight int64
}

// strategy is the scoring strategy of NodeResourcesFit.
type strategy struct {
	kind      string
	resources []weighed
	shape     []v1alpha1.ShapePoint // with scores up to 100
}

// Strategies of NodeResourcesFit.
const (
	leastAllocated = "LeastAllocated"
	mostAllocated  = "MostAllocated"
	capacityRatio  = "RequestedToCapacityRatio"
)

var usualResources = []weighed{{cpu, 1}, {memory, 1}}

func newStrategy(p *Profile) (strategy, error) {
	s := strategy{kind: p.ScoringStrategy}
	var problems []error
	switch s.kind {
	case "":
		s.kind = leastAllocated
	case leastAllocated, mostAllocated, capacityRatio:
	default:
		problems = append(problems, fmt.Errorf("scoringStrategy %q is not known (%s, %s or %s)", s.kind, leastAllocated,
			mostAllocated, capacityRatio))
	}
	for _, r := range p.Resources {
		if r.Weight < 1 || r.Weight > 100 {
			problems = append(problems, fmt.Errorf("resources: %s: weight %d is out of range (1 to 100)", r.Name, r.Weight))
		}
		s.resources = append(s.resources, weighed{r.Name, r.Weight})
	}
	if len(s.resources) == 0 {
		s.resources = usualResources
	}
	problems = append(problems, checkShape(s.kind, p.Shape))
	for _, point := range p.Shape {
		s.shape = append(s.shape, v1alpha1.ShapePoint{Utilization: point.Utilization,
			Score: point.Score * maxScore / maxShape})
	}
	return s, errors.Join(problems...)
}

// maxShape is the highest score in a shape.
const maxShape = 10

func checkShape(kind string, shape []v1alpha1.ShapePoint) error {
	var problems []error
	if (kind == capacityRatio) != (len(shape) > 0) {
		problems = append(problems, fmt.Errorf("shape has %d points (some with %s, none with other strategies)", len(shape),
			capacityRatio))
	}
	for i, point := range shape {
		if point.Utilization < 0 || point.Utilization > 100 || i > 0 && point.Utilization <= shape[i-1].Utilization {
			problems = append(problems, fmt.Errorf("shape: utilization %d is out of order or range (rising, from 0 to 100)",
				point.Utilization))
		}
		if point.Score < 0 || point.Score > maxShape {
			problems = append(problems, fmt.Errorf("shape: score %d is out of range (0 to %d)", point.Score, maxShape))
		}
	}
	return errors.Join(problems...)
}

// taintReason is why a taint refuses a pod.
func (r *rules) taintReason(t v1alpha1.Taint) string {
	if r.mute {
		return UntoleratedTaintFmt
	}
	return fmt.Sprintf("node(s) had untolerated taint {%s: %s}", t.Key, t.Value)
}

// unnamedReason is why a node is not looked at when the pod's terms name others.
func (r *rules) unnamedReason() string {
	if r.minor >= 32 {
		return "node(s) didn't satisfy plugin(s) [NodeAffinity]"
	}
	return "node is filtered out by the prefilter result"
}

// Rules are the rules that decide, in words: "kube-scheduler by the rules of 1.36:
// LeastAllocated, at most 420 feasible nodes of 1000 scored, from a moving start,
// ties by the heap's order".
func (s *Scheduler) Rules() string {
	scored := "all nodes scored"
	if s.sampled < len(s.order) {
		scored = fmt.Sprintf("at most %d feasible nodes of %d scored, from a moving start", s.sampled, len(s.order))
	}
	ties := "ties by the heap's order"
	if s.rules.random {
		ties = fmt.Sprintf("ties at random (seed %d)", s.rules.seed)
	}
	return fmt.Sprintf("kube-scheduler by the rules of 1.%d: %s, %s, %s",
		s.rules.minor, s.rules.strategy.kind, scored, ties)
}
