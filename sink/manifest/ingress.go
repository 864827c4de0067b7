package manifest

import (
	"fmt"
	"slices"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/part"
	"plimsoll.dev/tune/ingresscontroller"
)

const (
	defaultRouter = ingresscontroller.DefaultName
	// shardLabel is the label of routes (or namespaces) that a shard serves.
	shardLabel = "shard"
)

// ingressControllers writes one IngressController for each router of the plan.
// The first shard keeps the name default and serves what the others don't.
func (r *renderer) ingressControllers() {
	for _, d := range r.Decisions.Routers {
		r.ingressController(d)
	}
}

func (r *renderer) ingressController(d v1alpha1.RouterDecision) {
	body, decision := r.router(d)
	path := "ingresscontroller-" + d.Name + ".yaml"
	if d.Name != defaultRouter {
		path = fillInDir + path
		body["spec"].(obj)["domain"] = d.Name + ".<CLUSTER_DOMAIN>"
		body["metadata"].(obj)["labels"] = obj{fillInLabel: fillInValue}
	}
	h := header{
		title:    fmt.Sprintf("Ingress controller %s.", d.Name),
		decision: decision,
		figures:  r.figures(topicRouter, ""),
		apply:    []string{"oc apply -f " + path},
		notes:    r.routerNotes(d),
		sources:  ocp("11.1", "11.2"),
	}
	r.add(path, stageServices, words.And(decision), h, body)
}

// router is what the plan decides of a router, and the same in words.
func (r *renderer) router(d v1alpha1.RouterDecision) (obj, []string) {
	o := ingresscontroller.Options{Release: r.release, Name: d.Name, Replicas: int64(d.Replicas), Publishing: d.Publishing,
		Tuning: map[string]any{}}
	decision := []string{fmt.Sprintf("%d replicas", d.Replicas)}
	if d.Publishing != "" {
		decision = append(decision, d.Publishing)
	}
	if r.Decisions.InfraNodes {
		o.NodeSelector, o.Tolerations = r.infraNodes()
		decision = append(decision, "on the infra nodes")
	}
	tunings := r.tunings(d)
	for _, t := range tunings {
		o.Tuning[t.option] = t.value
	}
	controller, left := ingresscontroller.Generate(o)
	for _, t := range tunings {
		if slices.Contains(left, t.option) {
			r.untunable(d, t)
		} else {
			decision = append(decision, fmt.Sprintf(t.words, t.value))
		}
	}
	body := tree(controller)
	if d.Shards > 1 {
		decision = append(decision, fmt.Sprintf("shard %d of %d", d.Shard, d.Shards))
		body["spec"].(obj)["routeSelector"] = r.routeSelector(d)
	}
	return body, decision
}

// tuning is a setting of HAProxy.
type tuning struct {
	option, noun, words string
	value, usual        int
}

// tunings are HAProxy's settings that differ from the default.
func (r *renderer) tunings(d v1alpha1.RouterDecision) []tuning {
	all := []tuning{
		{"threadCount", "threads", "%d threads", d.Threads, r.number("ocp.router.threadsDefault")},
		{"maxConnections", "connections", "%d connections each", d.MaxConnections, r.usualConnections()},
	}
	return slices.DeleteFunc(all, func(t tuning) bool { return t.value == 0 || t.value == t.usual })
}

// usualConnections is HAProxy's maxconn by default.
func (r *renderer) usualConnections() int {
	f, _, _, ok := r.Facts.ForRelease("ocp.router.maxConnectionsDefault", r.release.String())
	if !ok {
		return r.number("ocp.router.maxConnections")
	}
	return int(f.Number)
}

// untunable remarks on a setting that the release has no field for.
func (r *renderer) untunable(d v1alpha1.RouterDecision, t tuning) {
	has, _ := ingresscontroller.Span(t.option)
	r.remark(fmt.Sprintf("Router %s: %d %s. OpenShift %s keeps %d; the first release with a field for it is %s "+
		"(openshift/api release-%s operator/v1 IngressController), and the operator overwrites the "+
		"deployment's environment (OCP 11.2).",
		d.Name, t.value, t.noun, r.release, t.usual, has.Since, has.Since))
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
		notes = append(notes, fmt.Sprintf("The installer publishes the default router by %s on %s and the strategy of a "+
			"router that exists can't be changed. New cluster: copy this file to INSTALL_DIR/manifests before the "+
			"installation. Cluster that exists: delete the controller and create it again, which interrupts the traffic.",
			r.usualPublishing(), r.Platform.Provider))
	}
	on := "worker"
	if r.Decisions.InfraNodes {
		on = poolInfra
		notes = append(notes, "nodePlacement.nodeSelector replaces the default, which is the worker nodes. "+
			"Apply it when the infra nodes are Ready.")
	}
	if g, ok := r.group(on); ok {
		notes = append(notes, fmt.Sprintf("No two replicas share a node: %d replicas need as many of the %d %s nodes.",
			d.Replicas, g.count(), on))
	}
	switch {
	case d.Shards < 2:
	case d.Name == defaultRouter:
		notes = append(notes, "Routes with the label of another shard are not served here. "+
			"Apply this after the other shards.")
	default:
		notes = append(notes, fmt.Sprintf("Serves routes with the label %s=%d: oc label route NAME %s=%d. "+
			"To pick whole namespaces, write namespaceSelector in place of routeSelector, here and in the default router.",
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
