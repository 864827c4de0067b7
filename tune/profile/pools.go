package profile

import (
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/selector"
	"plimsoll.dev/tune/pool"
)

// pools finds the pools of nodes, once for all nodes with the same labels as far as
// pools name them.
type pools struct {
	list    []openshift.MachineConfigPool
	release release.Release
	// labels that the pools' node selectors name.
	labels []*namedLabel
	known  map[string]*pool.Membership
}

// newPools takes the pools; one whose node selector is not valid is passed over.
func newPools(c *cluster, list []openshift.MachineConfigPool, of release.Release) *pools {
	p := &pools{release: of, known: map[string]*pool.Membership{}}
	for i := range list {
		// Alone, a pool is a problem only by its selector.
		if pool.Of(nil, list[i:i+1], of).Problem != "" {
			continue
		}
		p.list = append(p.list, list[i])
		selector := list[i].Spec.NodeSelector
		if selector == nil {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(selector.MatchLabels)) {
			c.label(key, selector.MatchLabels[key]).pool = true
		}
		for _, r := range selector.MatchExpressions {
			c.label(r.Key, r.Values...).pool = true
		}
	}
	for _, l := range c.labels {
		if l.pool {
			p.labels = append(p.labels, l)
		}
	}
	return p
}

// taking are the pools that take a MachineConfig with these labels, by name; those
// whose selector is missing or empty take none here. Labels that Kubernetes refuses
// select nothing.
func (p *pools) taking(labels map[string]string) []string {
	var out []string
	if badLabels(labels) != "" {
		return nil
	}
	for i := range p.list {
		if s := p.list[i].Spec.MachineConfigSelector; !selector.Empty(s) && selector.Selects(s, labels) {
			out = append(out, p.list[i].Metadata.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// badLabels says what Kubernetes refuses in labels; empty for nothing.
func badLabels(labels map[string]string) string {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		for _, wrong := range append(validation.IsQualifiedName(key), validation.IsValidLabelValue(labels[key])...) {
			return wrong
		}
	}
	return ""
}

// of are the pools of a node with these labels.
func (p *pools) of(labels map[string]string) *pool.Membership {
	var key []byte
	seen := map[string]string{}
	for _, l := range p.labels {
		key = strconv.AppendQuote(key, l.state(labels))
		if value, ok := labels[l.key]; ok {
			seen[l.key] = value
		}
	}
	m := p.known[string(key)]
	if m == nil {
		found := pool.Of(seen, p.list, p.release)
		m, p.known[string(key)] = &found, &found
	}
	return m
}
