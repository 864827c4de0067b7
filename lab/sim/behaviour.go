package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Behaviour says how simulated pods and nodes behave.
type Behaviour struct {
	// Seed of all draws; the same seed and the same names give the same draws.
	Seed uint64 `json:"seed,omitempty"`
	// Start is the delay of pods that no rule names, from the moment that the kubelet sees
	// the bound pod to that in which its containers run.
	Start Delay `json:"start,omitzero"`
	// Provision is the delay from the moment that the provisioner sees a claim until its volume is made.
	Provision Delay `json:"provision,omitzero"`
	// Pods are rules; the first one whose match and share take a pod decides.
	Pods []PodRule `json:"pods,omitempty"`
	// Nodes are rules, likewise.
	Nodes []NodeRule `json:"nodes,omitempty"`
}

// Match takes what has all of what it names.
type Match struct {
	// Namespace of the pod; empty is any.
	Namespace string `json:"namespace,omitempty"`
	// Labels that the pod or the node has.
	Labels map[string]string `json:"labels,omitempty"`
}

// PodRule is how some pods behave.
type PodRule struct {
	Match Match `json:"match,omitzero"`
	// Share of the matching pods, in percent, above 0 to 100; none is all.
	Share   *float64 `json:"share,omitempty"`
	Start   *Delay   `json:"start,omitempty"` // none is the behaviour's
	Outcome Outcome  `json:"outcome,omitempty"`
	// After is how long a pod runs before it completes, or, in a crash loop, before each crash.
	After Duration `json:"after,omitempty"`
}

// NodeRule is how some nodes behave.
type NodeRule struct {
	Match Match    `json:"match,omitzero"`
	Share *float64 `json:"share,omitempty"`
	// NotReadyAfter is when the node ceases to be ready, from the moment that it is seen.
	NotReadyAfter Duration `json:"notReadyAfter"`
}

// Outcome is what becomes of a pod.
type Outcome string

// The outcomes.
const (
	Run              Outcome = "run"
	CrashLoop        Outcome = "crashLoop"
	ImagePullBackOff Outcome = "imagePullBackOff"
	Never            Outcome = "never"
	Complete         Outcome = "complete"
)

// Outcomes are all of them.
func Outcomes() []Outcome { return []Outcome{Run, CrashLoop, ImagePullBackOff, Never, Complete} }

// UnmarshalText reads an outcome.
func (o *Outcome) UnmarshalText(b []byte) error {
	if *o = Outcome(b); !slices.Contains(Outcomes(), *o) {
		return fmt.Errorf("outcome %q is not one of %v", b, Outcomes())
	}
	return nil
}

// Duration is written as Go writes it: "1.5s".
type Duration time.Duration

// UnmarshalText reads a duration.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = Duration(v)
	return err
}

// Delay is a constant, "2s", or a distribution: "uniform(1s,3s)", or "lognormal(2s,0.5)"
// with the median and the standard deviation of the logarithm.
type Delay struct {
	kind  string
	a, b  time.Duration
	sigma float64
}

// Constant is the same delay for all.
func Constant(d time.Duration) Delay { return Delay{a: d} }

// IsZero says that there is no delay.
func (d Delay) IsZero() bool { return d == Delay{} }

// UnmarshalText reads a delay.
func (d *Delay) UnmarshalText(b []byte) error {
	text := string(b)
	kind, inner, call := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	if !call {
		v, err := time.ParseDuration(text)
		*d = Constant(v)
		return err
	}
	first, second, _ := strings.Cut(inner, ",")
	a, err := time.ParseDuration(strings.TrimSpace(first))
	if err != nil {
		return err
	}
	*d = Delay{kind: kind, a: a}
	switch second = strings.TrimSpace(second); kind {
	case "constant":
		*d = Constant(a)
	case "uniform":
		d.b, err = time.ParseDuration(second)
	case "lognormal":
		d.sigma, err = strconv.ParseFloat(second, 64)
	default:
		err = fmt.Errorf("delay %q is not constant, uniform or lognormal", text)
	}
	return err
}

// draw is a delay by a source of random numbers.
func (d Delay) draw(r *rand.Rand) time.Duration {
	switch d.kind {
	case "uniform":
		return d.a + time.Duration(r.Float64()*float64(d.b-d.a))
	case "lognormal":
		return time.Duration(float64(d.a) * math.Exp(d.sigma*r.NormFloat64()))
	}
	return d.a
}

// Plan is what will become of one pod.
type Plan struct {
	Delay   time.Duration
	Outcome Outcome
	After   time.Duration
}

// Of decides on a pod, by its name and namespace, its labels and its owner: without a rule a
// pod of a Job completes at once, any other runs.
func (b *Behaviour) Of(pod *corev1.Pod) Plan {
	key := pod.Namespace + "/" + pod.Name
	for i, rule := range b.Pods {
		if rule.Match.Namespace != "" && rule.Match.Namespace != pod.Namespace || !rule.Match.labels(pod.Labels) ||
			!b.shared(key, i, rule.Share) {
			continue
		}
		p := Plan{Outcome: rule.Outcome, After: time.Duration(rule.After)}
		if p.Outcome == "" {
			p.Outcome = byOwner(pod)
		}
		start := b.Start
		if rule.Start != nil {
			start = *rule.Start
		}
		p.Delay = start.draw(b.random(key, -1))
		return p
	}
	return Plan{Delay: b.Start.draw(b.random(key, -1)), Outcome: byOwner(pod)}
}

func byOwner(pod *corev1.Pod) Outcome {
	for _, o := range pod.OwnerReferences {
		if o.Kind == "Job" && o.Controller != nil && *o.Controller {
			return Complete
		}
	}
	return Run
}

// NotReady says when a node ceases to be ready, if ever.
func (b *Behaviour) NotReady(node *corev1.Node) (time.Duration, bool) {
	for i, rule := range b.Nodes {
		if rule.Match.labels(node.Labels) && b.shared("node/"+node.Name, i, rule.Share) {
			return time.Duration(rule.NotReadyAfter), true
		}
	}
	return 0, false
}

func (m Match) labels(has map[string]string) bool {
	for k, v := range m.Labels {
		if value, ok := has[k]; !ok || value != v {
			return false
		}
	}
	return true
}

// shared draws whether the rule takes what has the key.
func (b *Behaviour) shared(key string, rule int, share *float64) bool {
	return share == nil || b.random(key, rule).Float64()*100 < *share
}

// random is a source that depends on nothing but the seed, the key and the rule.
func (b *Behaviour) random(key string, rule int) *rand.Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", b.Seed, rule, key))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}
