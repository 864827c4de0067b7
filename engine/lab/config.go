package lab

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"plimsoll.dev/internal/strict"
	"plimsoll.dev/internal/yamlpos"
)

// The profiles: Fast is tuned for measuring and testing (etcd without fsync and in large
// batches, 5 % of the nodes scored), Faithful has every default of Kubernetes.
const (
	Fast     = "fast"
	Faithful = "faithful"
)

// Profiles are all of them.
func Profiles() []string { return []string{Fast, Faithful} }

// Config is lab.json.
type Config struct {
	// Profile is Fast or Faithful.
	Profile string `json:"profile"`
	// Platform is kubernetes, or openshift, whose kinds are served then.
	Platform string `json:"platform"`
	// Machines has each node have a Machine of a set, which replaces those that are deleted.
	Machines bool `json:"machines,omitempty"`
	// Behaviour of the simulated pods and nodes.
	Behaviour Behaviour `json:"behaviour"`
}

// Behaviour says how simulated pods and nodes behave.
type Behaviour struct {
	// Seed of all draws; the same seed and the same names give the same draws.
	Seed int `json:"seed,omitempty" check:"min=0"`
	// Start is the delay of pods for which no rule states one, from the moment that the kubelet
	// sees the bound pod to that in which its containers run.
	Start Delay `json:"start,omitempty"`
	// Provision is the delay from the moment that the provisioner of volumes sees a claim for which one is
	// to be made until it is there.
	Provision Delay `json:"provision,omitempty"`
	// Pods are rules; the first one whose match and share take a pod decides.
	Pods []PodRule `json:"pods,omitempty"`
	// Nodes are rules, likewise.
	Nodes []NodeRule `json:"nodes,omitempty"`
}

// Match takes what has all of what it names.
type Match struct {
	// Namespace of the pod; empty is any.
	Namespace string `json:"namespace,omitempty"`
	// Labels that the pod has.
	Labels map[string]string `json:"labels,omitempty" check:"plain"`
}

// PodRule is how some pods behave.
type PodRule struct {
	// Match of the pods; without it all.
	Match *Match `json:"match,omitempty"`
	// Share of the matching pods, in percent; without it all.
	Share *float64 `json:"share,omitempty" check:"min=0,max=100"`
	// Start is the delay; without it the behaviour's.
	Start *Delay `json:"start,omitempty"`
	// Outcome of the pods; without it they run, and those of Jobs complete.
	Outcome string `json:"outcome,omitempty" check:"enum=run|crashLoop|imagePullBackOff|never|complete"`
	// After is how long a pod runs before it completes, or before each crash.
	After Duration `json:"after,omitempty"`
}

// NodeMatch takes nodes that have all of the labels.
type NodeMatch struct {
	// Labels that the node has.
	Labels map[string]string `json:"labels,omitempty" check:"plain"`
}

// NodeRule is how some nodes behave.
type NodeRule struct {
	// Match of the nodes; without it all.
	Match *NodeMatch `json:"match,omitempty"`
	// Share of the matching nodes, in percent; without it all.
	Share *float64 `json:"share,omitempty" check:"min=0,max=100"`
	// NotReadyAfter is when a node ceases to be ready, from the moment that it is there.
	NotReadyAfter Duration `json:"notReadyAfter" check:"required"`
}

// Duration is a time of at least nothing as Go writes it: "1.5s", "250ms", "2m".
type Duration string

// UnmarshalText reads a duration.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := duration(string(b))
	*d = Duration(v.String())
	return err
}

// duration reads one; the error says what would be right.
func duration(text string) (time.Duration, error) {
	v, err := time.ParseDuration(text)
	if err != nil || v < 0 {
		return 0, fmt.Errorf("%q is not a duration (write it like 250ms, 1.5s or 2m)", text)
	}
	return v, nil
}

// Delay is a duration for all, or a distribution: "uniform(1s,3s)", or "lognormal(2s,0.5)"
// with the median and the standard deviation of the logarithm.
type Delay string

// UnmarshalText reads a delay.
func (d *Delay) UnmarshalText(b []byte) error {
	var err error
	*d, err = ParseDelay(string(b))
	return err
}

// mostSigma gives one delay in a thousand more than a million medians: nobody means more.
const mostSigma = 5

// ParseDelay reads a delay.
func ParseDelay(text string) (Delay, error) {
	bad := fmt.Errorf("%q is not a delay (write 1.5s, uniform(1s,3s) or lognormal(2s,0.5))", text)
	kind, inner, call := strings.Cut(text, "(")
	if !call {
		v, err := duration(text)
		if err != nil {
			return "", bad
		}
		return Delay(v.String()), nil
	}
	inner, closed := strings.CutSuffix(inner, ")")
	a, b, two := strings.Cut(inner, ",")
	first, err := duration(strings.TrimSpace(a))
	if b = strings.TrimSpace(b); !closed || err != nil || two == (kind == "constant") {
		return "", bad
	}
	switch kind {
	case "constant":
		return Delay(first.String()), nil
	case "uniform":
		last, err := duration(b)
		if err != nil || last < first {
			return "", bad
		}
		return Delay(fmt.Sprintf("uniform(%s,%s)", first, last)), nil
	case "lognormal":
		sigma, err := strconv.ParseFloat(b, 64)
		if err != nil || !(sigma >= 0 && sigma <= mostSigma) {
			return "", bad
		}
		return Delay(fmt.Sprintf("lognormal(%s,%s)", first, strconv.FormatFloat(sigma, 'g', -1, 64))), nil
	}
	return "", bad
}

// mostBehaviour bounds the text of a behaviour, in bytes.
const mostBehaviour = 1 << 20

// ReadBehaviour reads a behaviour; the problems are all that there are.
func ReadBehaviour(name string, text []byte) (Behaviour, yamlpos.Problems) {
	var b Behaviour
	if len(text) > mostBehaviour || !utf8.Valid(text) {
		return b, yamlpos.Problems{{File: name, Line: 1, Col: 1,
			What: "the behaviour is longer than 1 MiB, or no UTF-8 text", Fix: "write a few rules"}}
	}
	tree, bad := yamlpos.Parse(name, text)
	if len(bad) == 0 {
		bad = strict.New[Behaviour](nil).Decode(tree, &b)
	}
	bad.TakeExcerpts(text, 1, 1)
	return b, bad
}
