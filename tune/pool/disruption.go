package pool

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/selector"
)

// Disruption is a PodDisruptionBudget, policy/v1, as far as a drain asks for it.
type Disruption struct {
	Namespace, Name string
	// Selector of pods of the namespace: nil selects none, an empty one all.
	Selector *v1alpha1.LabelSelector
	// MinAvailable and MaxUnavailable are numbers (int64) or texts such as "50%"; nil when absent.
	MinAvailable, MaxUnavailable any
	// Allowed, Healthy and Desired are the status: disruptionsAllowed, currentHealthy and
	// desiredHealthy; nil where nobody has counted.
	Allowed, Healthy, Desired *int64
	// AlwaysAllow is the policy by which unready pods are evicted whatever the budget is.
	AlwaysAllow bool
}

func (d *Disruption) String() string { return d.Namespace + "/" + d.Name }

// Running is a pod on a node.
type Running struct {
	Namespace, Name, Node string
	Labels                map[string]string
	// Ready pods count as healthy. Those that are no more, or not yet, at work are
	// evicted whatever the budgets say, and count for none.
	Ready, Idle bool
	// Stays says that a drain leaves the pod: one of a DaemonSet, or a static one.
	Stays bool
}

func (p *Running) String() string { return p.Namespace + "/" + p.Name }

// Hold marks the nodes whose drain never ends, for the eviction of a pod is refused
// each time: its budget allows no disruption, or it has two budgets. A budget that
// allows one is supposed to allow the next when the first pod runs elsewhere.
// Source: Kubernetes pkg/registry/core/pod/storage/eviction.go and
// pkg/controller/disruption.
func Hold(nodes []Node, budgets []Disruption, pods []Running) {
	held := map[string]string{}
	of := covering(budgets, pods)
	for i := range pods {
		p := &pods[i]
		if p.Stays || p.Idle || held[p.Node] != "" {
			continue
		}
		switch own := of[i]; {
		case len(own) > 1:
			held[p.Node] = fmt.Sprintf("pod %s has %d PodDisruptionBudgets, and evictions know one", p, len(own))
		case len(own) == 1 && own[0].left <= 0 && (p.Ready || !own[0].spares):
			held[p.Node] = fmt.Sprintf("PodDisruptionBudget %s allows no eviction of pod %s", own[0].Disruption, p)
		}
	}
	for i := range nodes {
		if why := held[nodes[i].Name]; why != "" {
			nodes[i].Fails, nodes[i].Held = FailsDrain, why
		}
	}
}

// counted is a budget with the disruptions that it allows now.
type counted struct {
	*Disruption
	pods, healthy int
	left          int64
	// spares says that pods that aren't ready are evicted all the same.
	spares bool
}

// covering are the budgets of each pod, by its index.
func covering(budgets []Disruption, pods []Running) map[int][]*counted {
	in := map[string][]*counted{}
	for i := range budgets {
		b := &budgets[i]
		in[b.Namespace] = append(in[b.Namespace], &counted{Disruption: b})
	}
	out := map[int][]*counted{}
	for i := range pods {
		p := &pods[i]
		for _, c := range in[p.Namespace] {
			if p.Idle || !selector.Selects(c.Selector, p.Labels) {
				continue
			}
			out[i] = append(out[i], c)
			c.pods++
			if p.Ready {
				c.healthy++
			}
		}
	}
	for _, list := range in {
		for _, c := range list {
			c.left = c.allowed()
			desired, healthy := c.desired(), value(c.Healthy, int64(c.healthy))
			c.spares = c.AlwaysAllow || desired > 0 && healthy >= desired
		}
	}
	return out
}

// allowed is what the status says, or what the disruption controller makes of the
// pods that are there.
func (c *counted) allowed() int64 { return value(c.Allowed, int64(c.healthy)-c.desired()) }

// desired is the number of healthy pods that must be left.
func (c *counted) desired() int64 {
	switch {
	case c.Desired != nil:
		return *c.Desired
	case c.MinAvailable != nil:
		return scaled(c.MinAvailable, c.pods)
	case c.MaxUnavailable != nil:
		return max(0, int64(c.pods)-scaled(c.MaxUnavailable, c.pods))
	}
	return int64(c.pods) // neither is given: no pod may be missed
}

// Spare is how many of its pods may go when all that it guards are healthy.
func (d *Disruption) Spare(pods int) int {
	c := counted{Disruption: d, pods: pods, healthy: pods}
	return int(c.allowed())
}

// value is a number, or what stands for it where it isn't known.
func value(n *int64, otherwise int64) int64 {
	if n == nil {
		return otherwise
	}
	return *n
}

// scaled is a number, or a percentage of n rounded up.
func scaled(v any, n int) int64 {
	if number, ok := v.(int64); ok {
		return number
	}
	percent, err := strconv.Atoi(strings.TrimSuffix(fmt.Sprint(v), "%"))
	if err != nil {
		return 0
	}
	return int64(math.Ceil(float64(percent) * float64(n) / 100))
}

// heldNodes names the nodes of the rollout's pools that are held, each reason once.
func (r *Result) heldNodes(nodes []Node) (reasons []string, names map[string][]string) {
	rolled, names := map[string]bool{}, map[string][]string{}
	for _, n := range r.Nodes {
		rolled[n.Name] = slices.ContainsFunc(r.Pools, func(p PoolResult) bool { return p.Name == n.Pool })
	}
	for i := range nodes {
		if n := &nodes[i]; n.Held != "" && rolled[n.Name] {
			names[n.Held] = append(names[n.Held], n.Name)
		}
	}
	reasons = slices.SortedFunc(maps.Keys(names),
		func(a, b string) int { return cmp.Or(cmp.Compare(names[a][0], names[b][0]), cmp.Compare(a, b)) })
	return reasons, names
}
