package kube

import (
	"cmp"
	"slices"
)

// priorityClass is what the API server gives pods that name it, or that name
// none when it is the default.
type priorityClass struct {
	value    int32
	never    bool // preemptionPolicy: Never
	fallback bool // globalDefault
}

// The classes that every cluster has (pkg/apis/scheduling/types.go).
var systemClasses = map[string]priorityClass{
	"system-cluster-critical": {value: 2_000_000_000},
	"system-node-critical":    {value: 2_000_001_000},
}

// priorityClass records a PriorityClass.
func (r *reader) priorityClass(o *object) {
	r.classes[o.name()] = priorityClass{int32Of(o.value.get("value")), o.value.get("preemptionPolicy").is("Never"),
		o.value.get("globalDefault").is("true")}
}

// rank gives the groups that state no priority that of their class, as the API
// server does when a pod is made (plugin/pkg/admission/priority).
func (t *tally) rank(groups []*group) {
	fallback := t.defaultClass()
	for _, g := range groups {
		if g.ranked {
			continue
		}
		c, known := fallback, true
		if g.class != "" {
			if c, known = systemClasses[g.class]; !known {
				c, known = t.classes[g.class]
			}
		}
		if !known {
			t.skip(g.place, "priority class "+g.class, "it is not in the input; its pods count with priority 0")
		}
		g.base.Priority = c.value
		if c.never {
			g.base.PreemptionPolicy = "Never"
		}
	}
}

// defaultClass is the class of pods that name none: of several defaults the one
// with the lowest value.
func (t *tally) defaultClass() priorityClass {
	var all []priorityClass
	for _, c := range t.classes {
		if c.fallback {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return priorityClass{}
	}
	return slices.MinFunc(all, func(a, b priorityClass) int { return cmp.Compare(a.value, b.value) })
}
