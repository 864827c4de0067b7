package ingresscontroller

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/infra/placement"
)

// replicas is the number of routers that are wanted.
func (c *checker) replicas() int64 {
	if r := c.value.Spec.Replicas; r != nil {
		return max(0, *r)
	}
	return int64(facts.Load().Must("ocp.router.replicas").Number)
}

// onHost says whether the routers take ports of their nodes.
func (c *checker) onHost() bool {
	return c.value.Spec.EndpointPublishingStrategy["type"] == "HostNetwork"
}

// ports are the ports that routers take on their nodes.
func (c *checker) ports() string {
	host, _ := c.value.Spec.EndpointPublishingStrategy["hostNetwork"].(map[string]any)
	return fmt.Sprint(host["httpPort"], host["httpsPort"], host["statsPort"])
}

// labels are what the nodes of the routers have in common; ok is false when that
// can't be told. What all of them run is left out where no node says it.
func (c *checker) labels(cluster placement.Cluster) (labels map[string]string, ok bool) {
	var selector *openshift.LabelSelector
	if p := c.value.Spec.NodePlacement; p != nil {
		selector = p.NodeSelector
	}
	labels, wrong := Labels(selector)
	if selector == nil && !anySays(cluster, "kubernetes.io/os") {
		delete(labels, "kubernetes.io/os")
	}
	return labels, len(wrong) == 0
}

func anySays(c placement.Cluster, label string) bool {
	return slices.ContainsFunc(c.Nodes, func(n openshift.Node) bool {
		_, ok := n.Metadata.Labels[label]
		return ok
	})
}

// share compares routers with nodes. No two routers of one IngressController share
// a node; on the host network neither do those of several that take the same ports.
// Where the nodes may not be all, something is said only if some of them are meant.
func share(list []*checker, cluster placement.Cluster) {
	for i, c := range list {
		labels, ok := c.labels(cluster)
		if !ok {
			continue
		}
		var tolerations []openshift.Toleration
		if c.value.Spec.NodePlacement != nil {
			tolerations = c.value.Spec.NodePlacement.Tolerations
		}
		fit := cluster.Fit(labels, tolerations)
		need, others := c.replicas(), ""
		if c.onHost() {
			before, names := rivals(list[:i], c, labels, cluster)
			need, others = need+before, names
		}
		if int64(len(fit.Nodes)) < need && (cluster.Whole || len(fit.Nodes) > 0) {
			c.short(need, fit, others, cluster)
		}
	}
}

// rivals are the routers of other IngressControllers that take the same ports of
// the same nodes.
func rivals(list []*checker, c *checker, labels map[string]string, cluster placement.Cluster) (int64, string) {
	var n int64
	var names []string
	for _, o := range list {
		other, ok := o.labels(cluster)
		if ok && o.onHost() && o.ports() == c.ports() && fmt.Sprint(other) == fmt.Sprint(labels) { // fmt sorts the keys
			n, names = n+o.replicas(), append(names, o.Name)
		}
	}
	if len(names) == 0 {
		return 0, ""
	}
	return n, ", with those of " + strings.Join(names, ", ") + " on the same ports of the host"
}

// short notes that there are fewer nodes than routers.
func (c *checker) short(need int64, fit placement.Fit, others string, cluster placement.Cluster) {
	have := int64(len(fit.Nodes))
	what := fmt.Sprintf("%s%s for %s that take them: no two share a node, and %d stay Pending",
		words.Count(int(need), "router", "routers"), others, words.Count(int(have), "node", "nodes"), need-have)
	if m := fit.Missing(); m != "" {
		what += " (" + m + ")"
	}
	if !c.onHost() && have > 0 && !rollout.In(c.release).UnavailableShare {
		what += "; a rollout never ends, because none of the old ones may stop before all new ones run"
	}
	path := "spec.replicas"
	if !c.Tree.Has(path) {
		path = "spec.nodePlacement"
	}
	fix := "label more nodes, or write fewer replicas"
	if have == 0 {
		fix = "label nodes so, or write tolerations for their taints"
	}
	r := pending
	if !cluster.Whole {
		r.Severity = v1alpha1.Warning
		what = fmt.Sprintf("if the cluster has no other nodes than the %d that are given: %s", len(cluster.Nodes), what)
	}
	c.bad(r, path, what, fix)
}
