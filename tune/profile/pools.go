package profile

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/selector"
	"plimsoll.dev/tune/era"
	"plimsoll.dev/tune/pool"
)

// membership is the pools of all nodes with the same labels, as far as pools look
// at labels.
type membership struct {
	pool.Membership
	// hits says for each set of pools whether the node is in one of them.
	hits []bool
}

func (m *membership) hit(set int32) bool { return m.hits[set] }

// pools finds the pools of nodes by the states of their labels.
type pools struct {
	u    *universe
	list []openshift.MachineConfigPool
	era  era.Era
	// keys that the pools' node selectors look at.
	keys []int32
	// sets of pools that machineConfigLabels hit.
	sets  []map[string]bool
	index map[string]int32
	cache map[string]*membership
	buf   []byte
}

// newPools takes the pools; one whose node selector is not valid is passed over.
func newPools(u *universe, list []openshift.MachineConfigPool, e era.Era) *pools {
	p := &pools{u: u, era: e, index: map[string]int32{}, cache: map[string]*membership{}}
	for i := range list {
		// Alone, a pool is a problem only by its selector.
		if pool.Of(nil, list[i:i+1], e).Problem != "" {
			continue
		}
		p.list = append(p.list, list[i])
		selector := list[i].Spec.NodeSelector
		if selector == nil {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(selector.MatchLabels)) {
			p.asks(key, selector.MatchLabels[key])
		}
		for _, r := range selector.MatchExpressions {
			p.asks(r.Key, r.Values...)
		}
	}
	slices.Sort(p.keys)
	p.keys = slices.Compact(p.keys)
	return p
}

func (p *pools) asks(key string, values ...string) {
	k := p.u.nodeKey(key)
	p.keys = append(p.keys, k)
	for _, v := range values {
		p.u.nodeValue(k, v)
	}
}

// hit finds the pools that take a MachineConfig with these labels, and the number
// of that set. Labels that Kubernetes refuses hit nothing.
func (p *pools) hit(labels map[string]string) (map[string]bool, int32) {
	hits := map[string]bool{}
	if badLabels(labels) == "" {
		for i := range p.list {
			if takes(&p.list[i], labels) {
				hits[p.list[i].Metadata.Name] = true
			}
		}
	}
	name := strings.Join(slices.Sorted(maps.Keys(hits)), "\x00")
	set, ok := p.index[name]
	if !ok {
		set = int32(len(p.sets))
		p.index[name], p.sets = set, append(p.sets, hits)
	}
	return hits, set
}

// takes says whether a pool takes MachineConfigs with these labels; a pool whose
// selector is missing or empty takes none here.
func takes(p *openshift.MachineConfigPool, labels map[string]string) bool {
	s := p.Spec.MachineConfigSelector
	return !selector.Empty(s) && selector.Selects(s, labels)
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

// of is the membership of a node. It is only called when all sets are known.
func (p *pools) of(node []uint32) *membership {
	p.buf = p.buf[:0]
	for _, k := range p.keys {
		p.buf = append(p.buf, byte(node[k]), byte(node[k]>>8), byte(node[k]>>16), byte(node[k]>>24))
	}
	if m, ok := p.cache[string(p.buf)]; ok {
		return m
	}
	labels := make(map[string]string, len(p.keys))
	for _, k := range p.keys {
		switch s := node[k]; s {
		case absent:
		case other:
			labels[p.u.keys[k]] = "\x00" // no value that anything asks for
		default:
			labels[p.u.keys[k]] = p.u.values[k][s-firstValue]
		}
	}
	m := &membership{Membership: pool.Of(labels, p.list, p.era), hits: make([]bool, len(p.sets))}
	for i, set := range p.sets {
		m.hits[i] = slices.ContainsFunc(m.Pools, func(name string) bool { return set[name] })
	}
	p.cache[string(p.buf)] = m
	return m
}
