package haproxy

import (
	"cmp"
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

const (
	// mostShards bounds the controllers that are made: nobody labels routes for more.
	mostShards = 100
	// shardLabel is the label of the routes that a shard serves.
	shardLabel = "shard"
	// domainHole stands for a domain that is not known.
	domainHole = "<CLUSTER_DOMAIN>"
	// fillInDir holds the controllers with a hole; their label, which no API server
	// takes, keeps them from being applied as they are.
	fillInDir   = "fill-in/"
	fillInLabel = "plimsoll.dev/fill-in: <REMOVE_THIS_LINE_LAST>"
)

// shardName is the name of a shard's controller, counted from 1. The first is the
// one that every cluster has, and serves what the others do not.
func shardName(n int) string {
	if n == 1 {
		return "default"
	}
	return fmt.Sprintf("shard-%d", n)
}

// sharded says whether there is a controller for each of several shards.
func (a Advice) sharded() bool { return a.Shards > 1 && a.Shards <= mostShards }

// others are the labels' values of the shards beside the first.
func (a Advice) others() []string {
	var out []string
	for n := 2; n <= a.Shards; n++ {
		out = append(out, fmt.Sprint(n))
	}
	return out
}

// controllers are the manifests of all shards: those that are new first, since their
// routes must be served before the default router lets go of them.
func (a Advice) controllers() []File {
	var out []File
	if a.sharded() {
		for n := 2; n <= a.Shards; n++ {
			out = append(out, a.controller(n))
		}
	}
	return append(out, a.controller(1))
}

func (a Advice) controller(n int) File {
	path := "ingresscontroller-" + shardName(n) + ".yaml"
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: operator.openshift.io/v1\nkind: IngressController\nmetadata:\n  name: %s\n"+
		"  namespace: openshift-ingress-operator\n", shardName(n))
	if n > 1 && a.input.Domain == "" {
		path = fillInDir + path
		b.WriteString("  labels:\n    " + fillInLabel + "\n")
	}
	b.WriteString(a.annotations())
	b.WriteString(a.spec(n))
	return File{Path: path, Text: b.String()}
}

// domain is that of the routes of a shard beside the first: every controller needs
// one of its own.
func (a Advice) domain(n int) string {
	return shardName(n) + "." + cmp.Or(a.input.Domain, domainHole)
}

// selector picks the routes of a shard.
func (a Advice) selector(n int) string {
	if n > 1 {
		return fmt.Sprintf("  routeSelector:\n    matchLabels:\n      %s: %q\n", shardLabel, fmt.Sprint(n))
	}
	return fmt.Sprintf("  routeSelector:\n    matchExpressions:\n    - key: %s\n"+
		"      operator: NotIn\n      values: [\"%s\"]\n", shardLabel, strings.Join(a.others(), `", "`))
}

// shardFinding tells of shards that no controllers are made for.
func (p *advisor) shardFinding() {
	if n := p.out.Shards; n > mostShards {
		p.find(v1alpha1.Warning, "shards.many", "router.shards",
			fmt.Sprintf("%d shards are more than anybody runs: no controllers are made for them", n),
			fmt.Sprintf("give routesPerRouter, the routes that one of your routers takes: %.0f make %d shards",
				p.routes.Number/mostShards+1, mostShards), rout("8.1.1"))
	}
}

// shardPart shows the controllers beside the first, and says what is left to do by
// hand.
func (a Advice) shardPart() v1alpha1.Part {
	routes, _ := a.Figure("router.routesOfShard")
	out := v1alpha1.Part{Title: "Shards", Lead: []string{fmt.Sprintf("The default router serves the routes without the "+
		"label of another shard, %s. Make the others first, label their routes, and set the default router last.",
		a.servedByOthers())}}
	by := func(text string) { out.Lead = append(out.Lead, "By hand: "+text) }
	projects := "namespaceSelector in place of routeSelector, in every controller"
	if a.isThree() {
		projects = "NAMESPACE_LABELS in place of ROUTE_LABELS, for every router"
	}
	by(fmt.Sprintf("label about %s for each of the other shards, the busy ones spread evenly: oc label route NAME %s=2. "+
		"To pick whole projects, write %s, and label the projects.",
		routes.Value.Text, shardLabel, projects))
	if !a.isThree() {
		each := ""
		if a.Shards > 2 {
			each = ", and such a record for each of the others"
		}
		by(fmt.Sprintf("a DNS record *.%s that leads to the routers of shard-2%s. A route keeps its host: "+
			"lead that name there as well, or make the route anew with a host below the shard's domain.", a.domain(2), each))
		if a.input.Domain == "" {
			by("the cluster's domain for " + domainHole + ", and take out the label plimsoll.dev/fill-in: oc get dns.config " +
				"cluster -o jsonpath='{.spec.baseDomain}' tells it; with domain in the traffic mix it is filled in.")
		}
	}
	if a.input.Publishing == "HostNetwork" {
		by(fmt.Sprintf("have %s for the %s: on the host network no two routers share a node, of whichever shard.",
			words.Count(a.Shards*a.Pods, "node", "nodes"), words.Count(a.Shards*a.Pods, "router", "routers")))
	}
	for _, c := range a.Controllers[:min(shownShards, len(a.Controllers))] {
		out.Texts = append(out.Texts, v1alpha1.Text{Title: c.Path, Language: "yaml", Body: c.Text})
	}
	if left := a.Shards - 1 - shownShards; left > 0 && !a.isThree() {
		out.Lead = append(out.Lead, fmt.Sprintf("The controllers of %s more are like the one shown; "+
			"--write and JSON have them all.", words.Count(left, "shard", "shards")))
	}
	return out
}

// shownShards are the controllers beside the first that an answer shows.
const shownShards = 1

// servedByOthers says which routes the other shards serve.
func (a Advice) servedByOthers() string {
	label := func(n int) string { return fmt.Sprintf("%s=%d", shardLabel, n) }
	name := shardName
	if a.isThree() {
		name = func(n int) string { return fmt.Sprintf("router-%d", n) }
	}
	if a.Shards == 2 {
		return name(2) + " those with " + label(2)
	}
	return fmt.Sprintf("%s to %s those with %s to %s", name(2), name(a.Shards), label(2), label(a.Shards))
}

// isThree says whether the advice is for 3.x, which has no controllers.
func (a Advice) isThree() bool { return a.Environment != "" }
