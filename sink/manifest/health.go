package manifest

import (
	"fmt"
	"math"
	"strconv"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/health"
)

// healthChecks writes one MachineHealthCheck for each pool of machine sets; the
// control plane has none (OCP 3.5).
func (r *renderer) healthChecks() {
	if r.provider == nil {
		return
	}
	if !machineHealthCheck.In(r.release) {
		r.remark(fmt.Sprintf("Machine health checks: the first release that has them as they are written here is %s.",
			release.SpanOf(&machineHealthCheck).Since))
		return
	}
	for _, g := range r.groups() {
		if g.count() > 0 {
			r.healthCheck(g)
		}
	}
}

// hasHealthChecks says whether healthChecks writes any.
func (r *renderer) hasHealthChecks() bool {
	return !r.Running && r.provider != nil && machineHealthCheck.In(r.release)
}

func (r *renderer) healthCheck(g group) {
	timeout := fmt.Sprintf("%ds", r.number("ocp.machineHealthCheck.timeout"))
	limit := r.maxUnhealthy(g)
	path := "machinehealthcheck-" + g.name + ".yaml"
	h := header{
		title: fmt.Sprintf("Health check of the machines of pool %s.", g.name),
		decision: []string{
			fmt.Sprintf("machines whose node is not Ready for %s are replaced, while no more than %s are unhealthy",
				timeout, limit),
		},
		figures: r.figures(topicGrowth, g.name),
		apply:   []string{"oc apply -f " + path},
		notes:   r.healthNotes(g, limit, timeout),
		sources: ocp("3.1", "3.4", "3.5"),
	}
	h.answered = map[string]string{}
	if r.blocks(limit, g.least(), r.number("ocp.scale.batchMin")) {
		h.answered["maxUnhealthy:"] = "health.burst"
	}
	if g.exists() { // its machine sets are not among the files
		h.answered["matchLabels:"] = "health.selectsNothing"
	}
	var conditions []openshift.UnhealthyCondition
	for _, status := range []string{"False", "Unknown"} {
		conditions = append(conditions, openshift.UnhealthyCondition{Type: "Ready", Status: status, Timeout: timeout})
	}
	r.add(path, stageHealth, h.decision[0], h, openshift.MachineHealthCheck{APIVersion: machineV1beta1,
		Kind:     "MachineHealthCheck",
		Metadata: openshift.ObjectMeta{Name: "plimsoll-" + g.name, Namespace: machineNamespace},
		Spec: openshift.MachineHealthCheckSpec{Selector: openshift.LabelSelector{
			MatchLabels: map[string]string{health.LabelMachineRole: g.name},
		},
			UnhealthyConditions: conditions, MaxUnhealthy: limit}})
}

// maxUnhealthy is the share that the guide's example allows, or what is one machine
// of the pool at its smallest: of a lower share nothing would be left.
func (r *renderer) maxUnhealthy(g group) string {
	percent := int(math.Round(100 * r.Facts.Must("ocp.machineHealthCheck.maxUnhealthy").Number))
	return strconv.Itoa(max(percent, (100+g.least()-1)/g.least())) + "%"
}

// least is the size of a pool before it grows.
func (g group) least() int {
	if len(g.steps) == 0 {
		return g.count()
	}
	return max(1, min(g.count(), g.steps[0].Total))
}

// blocks says whether adding machines to a pool of a size stops the healing until
// their nodes have joined.
func (r *renderer) blocks(limit string, size, add int) bool {
	return !health.LimitOf(limit, r.release).Allows(size+add, add)
}

// healing says which growth stops the healing.
func (r *renderer) healing(g group, limit string) string {
	size := g.count()
	if !r.blocks(limit, size, size+1) {
		return "Nothing stops the replacement, however many are unhealthy: the pool is too small for a share."
	}
	largest := 0
	for !r.blocks(limit, size, largest+1) {
		largest++
	}
	text := fmt.Sprintf("Machines that start count as unhealthy: adding more than %d at once to %d stops the healing "+
		"until their nodes have joined.", largest, size)
	var steps []string
	for _, s := range g.steps {
		if add := sum(s.Add); add < s.Total && r.blocks(limit, s.Total-add, add) {
			steps = append(steps, fmt.Sprintf("%d to %d", s.Total-add, s.Total))
		}
	}
	if len(steps) > 0 {
		text += fmt.Sprintf(" So do steps of %s: from %s machines.", growthFile, words.And(steps))
	}
	return text
}

func (r *renderer) healthNotes(g group, limit, timeout string) []string {
	return []string{r.healing(g, limit),
		fmt.Sprintf("A reboot that takes longer than %s counts as a failure, also one for new machine configs.", timeout),
		fmt.Sprintf("The machines are found by their role, as in the machine sets written here and by the installer: "+
			"oc get machine -n %s -l %s=%s", machineNamespace, health.LabelMachineRole, g.name)}
}
