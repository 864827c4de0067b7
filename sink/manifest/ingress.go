package manifest

import (
	"fmt"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/plan/part"
)

const (
	defaultRouter = "default"
	// shardLabel is the label of routes (or namespaces) that a shard serves.
	shardLabel = "shard"
)

// ingressControllers writes one IngressController for each router of the plan.
// The first shard keeps the name default and serves what the others don't.
func (r *renderer) ingressControllers() {
	for _, d := range r.Decisions.Routers {
		r.ingressController(d)
		r.untunable(d)
	}
}

func (r *renderer) ingressController(d v1alpha1.RouterDecision) {
	spec, decision := r.routerSpec(d)
	metadata := obj{"name": d.Name, "namespace": "openshift-ingress-operator"}
	path := "ingresscontroller-" + d.Name + ".yaml"
	if d.Name != defaultRouter {
		path = fillInDir + path
		spec["domain"] = d.Name + ".<CLUSTER_DOMAIN>"
		metadata["labels"] = obj{fillInLabel: fillInValue}
	}
	h := header{
		title:    fmt.Sprintf("Ingress controller %s.", d.Name),
		decision: decision,
		figures:  r.figures(topicRouter, ""),
		apply:    []string{"oc apply -f " + path},
		notes:    r.routerNotes(d),
		sources:  ocp("11.1", "11.2"),
	}
	r.add(path, stageServices, joinWords(decision), h, obj{
		"apiVersion": "operator.openshift.io/v1",
		"kind":       "IngressController",
		"metadata":   metadata,
		"spec":       spec,
	})
}

// routerSpec is what the plan decides of a router, and the same in words.
func (r *renderer) routerSpec(d v1alpha1.RouterDecision) (obj, []string) {
	decision := []string{fmt.Sprintf("%d replicas", d.Replicas)}
	spec := obj{"replicas": d.Replicas}
	if d.Publishing != "" {
		spec["endpointPublishingStrategy"] = obj{"type": d.Publishing}
		decision = append(decision, d.Publishing)
	}
	if r.Decisions.InfraNodes {
		pool, _ := r.pool(poolInfra)
		placement := obj{"nodeSelector": obj{"matchLabels": obj{roleLabel + poolInfra: ""}}}
		if len(pool.Taints) > 0 {
			placement["tolerations"] = tolerations(pool.Taints)
		}
		spec["nodePlacement"] = placement
		decision = append(decision, "on the infra nodes")
	}
	tuning, words := r.tuning(d)
	if len(tuning) > 0 {
		spec["tuningOptions"] = tuning
		decision = append(decision, words...)
	}
	if d.Shards > 1 {
		decision = append(decision, fmt.Sprintf("shard %d of %d", d.Shard, d.Shards))
		spec["routeSelector"] = r.routeSelector(d)
	}
	return spec, decision
}

// tuning are HAProxy's settings that differ from the default and that the
// release has fields for.
func (r *renderer) tuning(d v1alpha1.RouterDecision) (obj, []string) {
	out := obj{}
	var words []string
	if d.Threads != 0 && d.Threads != r.number("ocp.router.threadsDefault") && r.release.has(threadCount) {
		out["threadCount"] = d.Threads
		words = append(words, fmt.Sprintf("%d threads", d.Threads))
	}
	if d.MaxConnections != 0 && d.MaxConnections != r.usualConnections() && r.release.has(maxConnections) {
		out["maxConnections"] = d.MaxConnections
		words = append(words, fmt.Sprintf("%d connections each", d.MaxConnections))
	}
	return out, words
}

// usualConnections is HAProxy's maxconn by default.
func (r *renderer) usualConnections() int {
	f, _, _, ok := r.Facts.ForRelease("ocp.router.maxConnectionsDefault", r.release.String())
	if !ok {
		return r.number("ocp.router.maxConnections")
	}
	return int(f.Number)
}

// untunable remarks on settings that the release has no field for.
func (r *renderer) untunable(d v1alpha1.RouterDecision) {
	lacks := func(what string, value, usual int, f field) {
		if value != 0 && value != usual && !r.release.has(f) {
			r.remark(fmt.Sprintf("Router %s: %d %s. OpenShift %s keeps %d; the first release with a field for it is %s (%s), and the operator overwrites the deployment's environment (OCP 11.2).",
				d.Name, value, what, r.release, usual, fields[f].since, fields[f].source))
		}
	}
	lacks("threads", d.Threads, r.number("ocp.router.threadsDefault"), threadCount)
	lacks("connections", d.MaxConnections, r.usualConnections(), maxConnections)
}

// routeSelector picks the routes of a shard: those with its label, and for the
// default router those without the label of another shard.
func (r *renderer) routeSelector(d v1alpha1.RouterDecision) obj {
	if d.Name != defaultRouter {
		return obj{"matchLabels": obj{shardLabel: strconv.Itoa(d.Shard)}}
	}
	others := list{}
	for _, o := range r.Decisions.Routers {
		if o.Name != defaultRouter {
			others = append(others, strconv.Itoa(o.Shard))
		}
	}
	return obj{"matchExpressions": list{obj{"key": shardLabel, "operator": "NotIn", "values": others}}}
}

func (r *renderer) routerNotes(d v1alpha1.RouterDecision) []string {
	var notes []string
	if d.Name == defaultRouter && d.Publishing != "" && d.Publishing != r.usualPublishing() {
		notes = append(notes, fmt.Sprintf("The installer publishes the default router by %s on %s and the strategy of a router that exists can't be changed. New cluster: copy this file to INSTALL_DIR/manifests before the installation. Cluster that exists: delete the controller and create it again, which interrupts the traffic.",
			r.usualPublishing(), r.Platform.Provider))
	}
	on := "worker"
	if r.Decisions.InfraNodes {
		on = poolInfra
		notes = append(notes, "nodePlacement.nodeSelector replaces the default, which is the worker nodes. Apply it when the infra nodes are Ready.")
	}
	if g, ok := r.group(on); ok {
		notes = append(notes, fmt.Sprintf("No two replicas share a node: %d replicas need as many of the %d %s nodes.", d.Replicas, g.count(), on))
	}
	switch {
	case d.Shards < 2:
	case d.Name == defaultRouter:
		notes = append(notes, "Routes with the label of another shard are not served here. Apply this after the other shards.")
	default:
		notes = append(notes, fmt.Sprintf("Serves routes with the label %s=%d: oc label route NAME %s=%d. To pick whole namespaces, write namespaceSelector in place of routeSelector, here and in the default router.",
			shardLabel, d.Shard, shardLabel, d.Shard))
	}
	if d.Shards > 1 && d.Publishing == "HostNetwork" {
		notes = append(notes, "On the host network two routers can't share a node, of whichever shard.")
	}
	return notes
}

// usualPublishing is how the ingress operator publishes the default router.
func (r *renderer) usualPublishing() string {
	if part.LoadBalanced(r.Platform.Provider) {
		return "LoadBalancerService"
	}
	return "HostNetwork"
}
