package kube

import (
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/tune/profile"
)

// mirrorAnnotation marks the API's copy of a static pod.
const mirrorAnnotation = "kubernetes.io/config.mirror"

// drained is a pod as a drain sees it.
func (g *gatherer) drained(v value, p profile.Pod) pool.Running {
	out := pool.Running{Namespace: p.Namespace, Name: p.Name, Node: p.Node, Labels: p.Labels}
	meta := v.get("metadata")
	out.Stays = meta.get("annotations", mirrorAnnotation).kind() != nothing
	for o := range meta.get("ownerReferences").elems() {
		out.Stays = out.Stays || o.get("kind").is("DaemonSet")
	}
	phase := v.get("status", "phase")
	out.Idle = phase.is("Pending") || phase.is("Succeeded") || phase.is("Failed") ||
		meta.get("deletionTimestamp").kind() != nothing
	out.Ready = true // unless it says otherwise: a dump may have no status
	for _, c := range g.conditions(v) {
		if c.Type == "Ready" {
			out.Ready = c.Status == "True"
		}
	}
	return out
}

// budget is a PodDisruptionBudget.
func (g *gatherer) budget(v value) pool.Disruption {
	out := pool.Disruption{Namespace: v.get("metadata", "namespace").text(), Name: v.get("metadata", "name").text(),
		Selector: g.labelSelector(v.get("spec", "selector")), MinAvailable: intOrText(v.get("spec", "minAvailable")),
		MaxUnavailable: intOrText(v.get("spec", "maxUnavailable"))}
	for field, into := range map[string]**int64{"disruptionsAllowed": &out.Allowed, "currentHealthy": &out.Healthy,
		"desiredHealthy": &out.Desired} {
		if n, ok := intOrText(v.get("status", field)).(int64); ok {
			*into = &n
		}
	}
	out.AlwaysAllow = v.get("spec", "unhealthyPodEvictionPolicy").is("AlwaysAllow")
	return out
}

// intOrText is an int64 or a text; nil when there is none.
func intOrText(v value) any {
	if v.kind() != scalar {
		return nil
	}
	return v.number()
}
