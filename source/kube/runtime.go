package kube

import (
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// runtimeClass is what the API server adds to the pods that name it.
type runtimeClass struct {
	overhead    amounts
	selector    map[string]string
	tolerations []v1alpha1.Toleration
}

func (r *reader) runtimeClass(o *object) {
	scheduling := o.value.get("scheduling")
	r.pod.reset()
	r.tolerations(scheduling.get("tolerations"))
	r.runtimes[o.name()] = runtimeClass{overhead: r.amounts(o.value.get("overhead", "podFixed"), nil),
		selector: texts(scheduling.get("nodeSelector")), tolerations: slices.Clone(r.pod.all)}
}

// runIn gives the pods of manifests what their runtime class adds
// (plugin/pkg/admission/runtimeclass).
func (t *tally) runIn(groups []*group) {
	for _, g := range groups {
		if g.runtime == "" {
			continue
		}
		c, known := t.runtimes[g.runtime]
		if !known {
			g.notes = noted(g.notes, note{"the overhead and the nodes of runtime class " + g.runtime +
				", which is not in the input", false})
			continue
		}
		s := g.placing()
		s.Overhead = c.overhead.asMap()
		g.base.CPU += unit.CPU(c.overhead.of(resCPU))
		g.base.Memory += unit.Bytes(c.overhead.of(resMemory))
		s.NodeSelector, g.base.NodeSelector = with(s.NodeSelector, c.selector), with(g.base.NodeSelector, c.selector)
		s.Tolerations = slices.Concat(s.Tolerations, c.tolerations)
		g.base.Tolerations = slices.Concat(g.base.Tolerations, c.tolerations)
	}
}

// with is a map with more in it; nil when both are empty.
func with(labels, more map[string]string) map[string]string {
	if len(more) == 0 {
		return labels
	}
	out := maps.Clone(more)
	maps.Copy(out, labels)
	return out
}
