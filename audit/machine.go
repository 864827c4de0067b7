package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/part"
	"plimsoll.dev/selector"
	"plimsoll.dev/unit"
)

// machineTests are about machines, machine sets and health checks.
var machineTests = []test{{scaleZones, (*look).scaleZones}, {scaleBatch, (*look).scaleBatch},
	{scaleOneType, (*look).scaleOneType}, {machineStuck, (*look).machineStuck}, {routerNodes, (*look).routerNodes},
	{drainBlocked, (*look).drainBlocked}, {checkMissing, (*look).checkMissing}, {checkStopped, (*look).checkStopped}}

// uneven is how far the numbers of workers in the zones may differ, by this program's own choice.
const uneven = 0.2

func (l *look) scaleZones() {
	_, workers := l.masters()
	count, all := map[string]int{}, 0
	for i := range l.Nodes {
		if z := l.Nodes[i].zone(); z != "" {
			count[z] += 0
		}
	}
	for _, n := range workers {
		if z := n.zone(); z != "" {
			count[z]++
			all++
		}
	}
	if len(count) < 2 || all == 0 {
		l.notApplicable("the labels of the nodes name no two zones with workers")
		return
	}
	var zones []where
	least, largest := all, 0
	for z, n := range inOrder(count) {
		zones = append(zones, at("zone", z, "%s", words.Count(n, "worker")))
		least, largest = min(least, n), max(largest, n)
	}
	fix := fmt.Sprintf("spread them: %d in each zone", all/len(count))
	if all%len(count) > 0 {
		fix += fmt.Sprintf(", one more in %d of them", all%len(count))
	}
	if len(l.MachineSets) > 0 {
		fix += ", by a MachineSet for each"
	}
	switch {
	case largest == all && all > 1:
		l.find(zones, fix, "all workers are in one zone")
	case largest-least > 1 && float64(largest-least) > uneven*float64(largest):
		l.findAs(v1alpha1.Info, zones, fix, "the zones have unequal numbers of workers")
	}
}

func (l *look) scaleBatch() {
	few, most := facts.Load().Must("ocp.scale.batchMin").Number, facts.Load().Must("ocp.scale.batchMax").Number
	var sets []where
	missing, stuck := 0, l.machinesStuck()
	for i := range l.MachineSets {
		s := &l.MachineSets[i]
		if lacks := s.wanted() - s.Status.ReadyReplicas; lacks > 0 {
			missing += lacks
			sets = append(sets, at("MachineSet", s.path(), "%d of %d ready", s.Status.ReadyReplicas, s.wanted()))
		}
	}
	missing -= stuck
	severity := v1alpha1.Info
	switch n := float64(missing); {
	case n <= few:
		return
	case n > most:
		severity = v1alpha1.Warning
	}
	l.findAs(severity, sets, fmt.Sprintf("scale by %.0f to %.0f machines, and wait until they are ready", few, most),
		"%s are being made at once", words.Count(missing, "machine"))
}

// machinesStuck are those of which machineStuck or notReady tells: nothing is asked of the cloud for them now.
func (l *look) machinesStuck() (n int) {
	ready := map[string]bool{}
	for i := range l.Nodes {
		ready[l.Nodes[i].Metadata.Name] = l.Nodes[i].ready()
	}
	for i := range l.Machines {
		m := &l.Machines[i]
		since := l.Now.Sub(later(m.Metadata.Created, m.Status.LastUpdated))
		switch m.Status.Phase {
		case "Failed":
			n++
		case "Running":
			if m.Status.NodeRef != nil && !ready[m.Status.NodeRef.Name] {
				n++
			}
		default:
			if since > joining() {
				n++
			}
		}
	}
	return n
}

// wanted is the number of machines of a set.
func (s *MachineSet) wanted() int {
	if s.Spec.Replicas == nil {
		return 1
	}
	return *s.Spec.Replicas
}

// oneType is the number of nodes of a zone above which a second type of machine is advised, by this program's own
// choice.
const oneType = 50

func (l *look) scaleOneType() {
	_, workers := l.masters()
	if len(l.MachineSets) == 0 {
		l.notApplicable("there is no machine set")
		return
	}
	if p := l.cloudProvider(); p != "" && !part.Cloud(p) {
		l.notApplicable("machines of %s are no type that a provider can run out of", p)
		return
	}
	zones := map[string]map[string]bool{}
	count := map[string]int{}
	for _, n := range workers {
		kind := n.Metadata.Labels["node.kubernetes.io/instance-type"]
		if kind == "" {
			continue
		}
		if zones[n.zone()] == nil {
			zones[n.zone()] = map[string]bool{}
		}
		zones[n.zone()][kind] = true
		count[n.zone()]++
	}
	var bad []where
	for zone, kinds := range inOrder(zones) {
		if count[zone] > oneType && len(kinds) == 1 {
			bad = append(bad, at("zone", cmp.Or(zone, "none"), "%d nodes of %s", count[zone], inSet(kinds)[0]))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "add a MachineSet of another type of similar size in each zone, "+
			"as the documents' m5d.large beside m5.large",
			"all nodes are of one type")
	}
}

// deleting is how long the deletion of a machine may take, by this program's own choice: draining waits for budgets.
const deleting = time.Hour

// joining is how long a machine may take to become a node: three times what health checks grant, by this program's own
// choice, since bare metal takes longer than a cloud.
func joining() time.Duration {
	return 3 * time.Duration(facts.Load().Must("tune.health.startupDefault").Number) * time.Second
}

func (l *look) machineStuck() {
	var failed, masters, late, leaving []where
	for i := range l.Machines {
		m := &l.Machines[i]
		since := l.Now.Sub(later(m.Metadata.Created, m.Status.LastUpdated))
		object := func(note string) where { return at("Machine", m.path(), "%s", note) }
		switch phase := m.Status.Phase; {
		case phase == "Failed":
			if m.Metadata.Labels["machine.openshift.io/cluster-api-machine-role"] == "master" {
				masters = append(masters, object(m.Status.ErrorReason))
			} else {
				failed = append(failed, object(m.Status.ErrorReason))
			}
		case phase == "Deleting" && since > deleting:
			leaving = append(leaving, object(lasting(since)))
		case (phase == "" || phase == "Provisioning" || phase == "Provisioned") && since > joining():
			if phase == "" {
				phase = "no phase"
			}
			late = append(late, object(phase+" for "+lasting(since)))
		}
	}
	ask := func(list []where) string {
		namespace, name, _ := strings.Cut(names(l.told(list)[:1]), "/")
		return l.tell("-n %s describe machine %s", namespace, name)
	}
	if len(failed) > 0 {
		l.find(failed, ask(failed)+" tells the provider's answer: quota, limits of its API, image; then delete the machine, "+
			"so that its set makes another", "the machine has failed")
	}
	if len(masters) > 0 {
		l.findAs(v1alpha1.Error, masters, ask(masters)+" tells the provider's answer; don't delete it before the other "+
			"members of etcd are healthy and the document on replacing a member of the control plane was read: no "+
			"MachineSet makes another", "the machine of the control plane has failed")
	}
	if len(late) > 0 {
		l.find(late, ask(late)+" tells whether there is an instance; look at its console for Ignition, and approve what "+
			l.tell("get csr")+" shows as Pending", "the machine does not become a node")
	}
	if len(leaving) > 0 {
		l.find(leaving, ask(leaving)+" tells what stops the drain: a PodDisruptionBudget that lets no pod go, or a volume "+
			"that stays attached", "the machine is not gone")
	}
}

// routerSelector is where routers go unless they are told.
var routerSelector = &openshift.LabelSelector{MatchLabels: map[string]string{"node-role.kubernetes.io/worker": ""}}

func (l *look) routerNodes() {
	var gone, last []where
	for i := range l.Routers {
		r := &l.Routers[i]
		s := routerSelector
		if p := r.Spec.NodePlacement; p != nil && p.NodeSelector != nil {
			s = p.NodeSelector
		}
		if r.Spec.Replicas != nil && *r.Spec.Replicas == 0 || slices.ContainsFunc(l.Nodes, func(n Node) bool {
			return n.takes() && !n.windows() && selector.Selects(s, n.Metadata.Labels)
		}) {
			continue
		}
		w := at("IngressController", r.path(), "%s", selected(s))
		if r.Status.AvailableReplicas == 0 {
			gone = append(gone, w)
		} else {
			last = append(last, w)
		}
	}
	fix := "scale up the MachineSet of such nodes, or set spec.nodePlacement.nodeSelector to nodes that are there: " +
		l.tell("-n openshift-ingress-operator edit ingresscontroller")
	if len(gone) > 0 {
		l.find(gone, fix, "no node takes the routers, and none runs")
	}
	if len(last) > 0 {
		l.findAs(v1alpha1.Warning, last, fix, "no node takes the routers once those that run end")
	}
}

// selected says which labels a selector asks for.
func selected(s *openshift.LabelSelector) string {
	var out []string
	for k, v := range inOrder(s.MatchLabels) {
		out = append(out, strings.TrimSuffix(k+"="+v, "="))
	}
	for _, e := range s.MatchExpressions {
		out = append(out, e.Key+" "+e.Operator)
	}
	return strings.Join(out, ", ")
}

// manyWorkers is the number of workers above which a health check is expected, by this program's own choice.
const manyWorkers = 50

func (l *look) checkMissing() {
	_, workers := l.masters()
	if len(workers) <= manyWorkers {
		l.notApplicable("there are no more than %d workers", manyWorkers)
		return
	}
	var bad []where
	for i := range l.MachineSets {
		s := &l.MachineSets[i]
		labels := s.Spec.Template.Metadata.Labels
		if s.wanted() > 0 && !slices.ContainsFunc(l.Checks, func(c HealthCheck) bool {
			return c.Metadata.Namespace == s.Metadata.Namespace && selector.Selects(&c.Spec.Selector, labels)
		}) {
			bad = append(bad, at("MachineSet", s.path(), "%s", words.Count(s.wanted(), "machine")))
		}
	}
	if len(bad) == 0 {
		return
	}
	_, path, _ := strings.Cut(l.told(bad)[0].object, "/")
	namespace, name, _ := strings.Cut(path, "/")
	l.find(bad, "a check for each: "+healthCheck(namespace, name), "no health check covers them")
}

// healthCheck of the machines of a set, as the documents' example has it.
func healthCheck(namespace, set string) string {
	all := facts.Load()
	timeout := unit.Duration(all.Must("ocp.machineHealthCheck.timeout").Number)
	return fmt.Sprintf("{apiVersion: machine.openshift.io/v1beta1, kind: MachineHealthCheck, "+
		"metadata: {name: %s, namespace: %s}, spec: {selector: {matchLabels: {machine.openshift.io/cluster-api-machineset: "+
		"%[1]s}}, maxUnhealthy: %.0[3]f%%, unhealthyConditions: [{type: Ready, status: \"False\", timeout: %[4]s}, "+
		"{type: Ready, status: Unknown, timeout: %[4]s}]}}", set, namespace,
		100*all.Must("ocp.machineHealthCheck.maxUnhealthy").Number, timeout)
}

func (l *look) checkStopped() {
	alert := time.Duration(facts.Load().Must("tune.health.alert").Number) * time.Second
	var long, counted []where
	for i := range l.Checks {
		h := &l.Checks[i]
		s, c := h.Status, h.Status.Conditions.of("RemediationAllowed")
		if s.ExpectedMachines == nil || s.CurrentHealthy == nil || *s.CurrentHealthy >= *s.ExpectedMachines {
			continue
		}
		w := at("MachineHealthCheck", h.path(), "%d of %d healthy", *s.CurrentHealthy, *s.ExpectedMachines)
		switch {
		case c.Status == "False" && l.Now.Sub(c.LastTransitionTime) > alert:
			long = append(long, w)
		case c.Status == "" && s.RemediationsAllowed != nil && *s.RemediationsAllowed == 0:
			counted = append(counted, w)
		}
	}
	fix := "mend the machines by hand, those that nothing stops first, until fewer than maxUnhealthy are left: " +
		l.tell("get machines -A -o wide")
	if len(long) > 0 {
		l.find(long, fix, "too many machines are unhealthy, for more than %s", lasting(alert))
	}
	if len(counted) > 0 {
		l.findAs(v1alpha1.Warning, counted, fix, "too many machines are unhealthy")
	}
}
