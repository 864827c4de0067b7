package infra

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/infra/placement"
	"plimsoll.dev/tune/monitoring"
)

// told is a finding that no file says.
func told(r object.Rule, what, fix string) v1alpha1.Finding {
	return v1alpha1.Finding{Severity: r.Severity, ID: r.ID, Message: what, Remedy: fix, Sources: r.Sources}
}

// findings are what comes with the move.
func (o Options) findings(r release.Release, router openshift.IngressController) []v1alpha1.Finding {
	out := []v1alpha1.Finding{told(profile, "TuneD gives the nodes the profile openshift-control-plane in place of "+
		"openshift-node: the CR default matches the label infra ("+changes()+")",
		"where that matters, recommend openshift-node for the label infra with a priority below 30 in a Tuned of your own")}
	if reboots.In(r) {
		out = append(out, told(reboot, "each node is drained and rebooted when it comes into the pool",
			"allow more than one at once with maxUnavailable, if the workload can spare them"))
	}
	n := len(o.Nodes)
	for _, name := range o.Nodes {
		if !namesNode(name) {
			out = append(out, told(badName, fmt.Sprintf("%q is not the name of a node", name),
				"write it as oc get nodes shows it: small letters, digits, dots and hyphens"))
		}
	}
	if least := int(facts.Load().Must("ocp.prometheus.infraNodes").Number); n > 0 && n < least {
		out = append(out, told(fewNodes, fmt.Sprintf("%s where %d are recommended",
			words.Count(n, "infrastructure node", "infrastructure nodes"), least), fmt.Sprintf("relabel %d more", least-n)))
	}
	if replicas := routers(router); n > 0 && n < replicas {
		out = append(out, told(fewRouters, fmt.Sprintf("%s for %s: no two share a node", words.Count(replicas, "router",
			"routers"), words.Count(n, "node", "nodes")), "relabel more nodes, or write fewer replicas"))
	}
	if !monitoring.Knows(o.Release, "thanosQuerier") {
		out = append(out, told(behind, "the pods of thanos-querier stay on the workers: they have no key before 4.5", ""))
	}
	return append(out, o.evicted()...)
}

// namesNode says whether a node can have a name. Other names stand in no command: a
// shell might run them.
func namesNode(name string) bool { return len(validation.IsDNS1123Subdomain(name)) == 0 }

// routers is the number of routers that will run.
func routers(ic openshift.IngressController) int {
	if ic.Spec.Replicas != nil {
		return int(*ic.Spec.Replicas)
	}
	return int(facts.Load().Must("ocp.router.replicas").Number)
}

// changes are the settings that the nodes lose with the profile.
func changes() string {
	var lost []string
	for _, name := range []string{"net.ipv4.tcp_fastopen", "fs.inotify.max_user_watches",
		"fs.inotify.max_user_instances"} {
		f := facts.Load().Must("ocp.tuned." + name + "/openshift-node")
		lost = append(lost, fmt.Sprintf("%s=%.0f", name, f.Number))
	}
	return "they lose " + strings.Join(lost, ", ") + ", and get other times of the CPU scheduler"
}

// evicted tells what taints do to daemon sets.
func (o Options) evicted() []v1alpha1.Finding {
	for _, t := range o.Taints {
		if t.Effect == placement.NoExecute {
			return []v1alpha1.Finding{told(evicts, fmt.Sprintf(
				"the taint %s with NoExecute also evicts pods of daemon sets that don't tolerate it, such as dns-default", t.Key),
				"use NoSchedule, or give them tolerations (that of the DNS stands in its nodePlacement)")}
		}
	}
	return nil
}
