package place

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/pool"
)

// budget is a PodDisruptionBudget with the kinds of pods that it guards.
type budget struct {
	name, rule string
	kinds      []int
	// allowed is how many pods may be away when all others run.
	allowed int
	// most is how many of its pods a batch of a drain moved at once.
	most int
}

// budgets are those that guard pods which a drain moves. A drain waits where it may
// move no more, and goes on when the pods run elsewhere.
func (r *run) budgets() []budget {
	var out []budget
	for _, d := range r.c.Budgets {
		b := budget{name: d.Name, rule: "maxUnavailable " + d.MaxUnavailable}
		pods := 0
		for kind, k := range r.c.Kinds {
			if n := r.placed[kind] + r.pending[kind]; n > 0 && !r.stays(kind) && slices.Contains(d.Pods, k.Type.Name) {
				b.kinds, pods = append(b.kinds, kind), pods+n
			}
		}
		of := pool.Disruption{MaxUnavailable: intOrText(d.MaxUnavailable), MinAvailable: intOrText(d.MinAvailable)}
		if d.MinAvailable != "" {
			b.rule = "minAvailable " + d.MinAvailable
		}
		b.rule += " of " + words.Count(pods, "pod")
		if b.allowed = of.Spare(pods); pods > 0 {
			out = append(out, b)
		}
	}
	return out
}

// intOrText is a number or a percentage as a PodDisruptionBudget has it; nil when absent.
func intOrText(s string) any {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if s == "" {
		return nil
	}
	return s
}

// blocking says which budgets keep a drain from ever ending: those that let no pod go, and
// two for one pod, of which the eviction API knows none.
func blocking(list []budget) (out []string) {
	of := map[int]string{}
	for _, b := range list {
		if b.allowed <= 0 {
			out = append(out, fmt.Sprintf("budget %s lets no pod go (%s)", b.name, b.rule))
		}
		for _, kind := range b.kinds {
			if other, two := of[kind]; two {
				out = append(out, fmt.Sprintf("budgets %s and %s guard the same pods, and evictions know one", other, b.name))
			}
			of[kind] = b.name
		}
	}
	return slices.Compact(out)
}

// waiting says for which budgets a drain waits: more of their pods are on the nodes of
// a batch than may be away.
func waiting(list []budget) (out []string) {
	for _, b := range list {
		if b.allowed > 0 && b.most > b.allowed {
			out = append(out, fmt.Sprintf("for %s (%s) %s of one batch go in %s", b.name, b.rule,
				words.Count(b.most, "pod"), words.Count((b.most+b.allowed-1)/b.allowed, "turn")))
		}
	}
	return out
}

// moves notes the pods that a batch moves.
func moves(list []budget, moved []int) {
	for i := range list {
		n := 0
		for _, kind := range list[i].kinds {
			n += moved[kind]
		}
		list[i].most = max(list[i].most, n)
	}
}

// guarded tells of budgets in a drain.
func guarded(list []budget, d *v1alpha1.Drain) {
	d.Blocked, d.Waits = strings.Join(blocking(list), "; "), strings.Join(waiting(list), "; ")
}
