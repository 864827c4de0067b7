package manifest

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/plan/grow"
)

// group is a machine config pool with the node types that make it up.
type group struct {
	name    string
	members []member
	// steps are the batches in which the pool grows; none when all its machines
	// are there already.
	steps []v1alpha1.GrowthBatch
}

// member is the part of a pool that has one node type.
type member struct {
	v1alpha1.PoolDecision
	// tag names the member's machine sets: the pool, and the node type where the
	// pool has several.
	tag string
}

// groups puts the plan's pools of the same name together, in the plan's order.
func (r *renderer) groups() []group {
	var out []group
	at := map[string]int{}
	for _, pool := range r.Decisions.Pools {
		i, ok := at[pool.Name]
		if !ok {
			i, at[pool.Name] = len(out), len(out)
			g := group{name: pool.Name}
			for _, step := range r.Decisions.Growth {
				if step.Pool == pool.Name {
					g.steps = append(g.steps, step)
				}
			}
			out = append(out, g)
		}
		out[i].members = append(out[i].members, member{PoolDecision: pool})
	}
	for i := range out {
		out[i].tagMembers(r.Running)
	}
	return out
}

// group returns the group called name.
func (r *renderer) group(name string) (group, bool) {
	for _, g := range r.groups() {
		if g.name == name {
			return g, true
		}
	}
	return group{}, false
}

// tagMembers gives each member a tag of its own that fits into names: the pool and
// the type, with a number where that is taken, by another type that is written
// alike or by one whose own name ends in the number. A cluster that runs has machine
// sets of the pool's own name.
func (g group) tagMembers(running bool) {
	if len(g.members) == 1 && !running {
		g.members[0].tag = g.name
		return
	}
	seen := map[string]bool{}
	for i := range g.members {
		tag := nameOf(g.name + "-" + g.members[i].Type)
		for n, plain := i+1, tag; seen[tag]; n++ {
			suffix := fmt.Sprintf("-%d", n)
			tag = strings.TrimRight(plain[:min(len(plain), maxPoolName-len(suffix))], "-") + suffix
		}
		seen[tag] = true
		g.members[i].tag = tag
	}
}

// nameOf makes a DNS label of at most maxPoolName letters from a text.
func nameOf(text string) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(text))
	return strings.Trim(name[:min(len(name), maxPoolName)], "-")
}

// zones are the machines of a pool by zone; a pool without zones is one zone.
func zones(p v1alpha1.PoolDecision) []int {
	if len(p.PerZone) > 0 {
		return p.PerZone
	}
	return []int{p.Count}
}

// exists says whether machines of the pool are there before the plan's first
// step: in sets whose names the plan can't know.
func (g group) exists() bool {
	return len(g.steps) == 0 || sum(g.steps[0].Add) < g.steps[0].Total
}

// after are the machines of a member by zone when a step is done. A pool of
// several types fills them one after the other, each spread over the zones.
func (g group) after(i int, step v1alpha1.GrowthBatch) []int {
	if len(g.members) == 1 {
		return step.Replicas
	}
	left := step.Total
	for _, m := range g.members[:i] {
		left -= m.Count
	}
	return grow.Spread(min(max(left, 0), g.members[i].Count), len(zones(g.members[i].PoolDecision)))
}

// first are the machines of a member by zone when its first batch is there.
func (g group) first(i int) []int {
	for _, step := range g.steps {
		if n := g.after(i, step); sum(n) > 0 {
			return n
		}
	}
	return zones(g.members[i].PoolDecision)
}

// machines describes a group: "12 x m5.xlarge and 3 x c5.4xlarge".
func (g group) machines() string {
	parts := make([]string, len(g.members))
	for i, m := range g.members {
		parts[i] = machines(m.PoolDecision)
	}
	return words.And(parts)
}

// count is the number of the group's machines.
func (g group) count() int {
	n := 0
	for _, m := range g.members {
		n += m.Count
	}
	return n
}
