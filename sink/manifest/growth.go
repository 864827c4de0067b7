package manifest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

const growthFile = "growth.txt"

// growth writes the steps in which the cluster grows, as commands to be run one
// step at a time.
func (r *renderer) growth() {
	if len(r.Decisions.Growth) == 0 {
		return
	}
	var b bytes.Buffer
	comment(&b, "", []string{
		"The growth of the cluster, one step at a time: wait after each until all machines are there.",
	})
	b.WriteString("#\n")
	comment(&b, "Plan:", []string{r.planLine()})
	comment(&b, "Why:", r.why(r.figures(topicGrowth, "")))
	if r.provider != nil { // whose quota the advice is about
		comment(&b, "Note:",
			[]string{fmt.Sprintf("Scale up by no more than %d to %d machines at once; "+
				"the provider's API quota may ask for less.", r.number("ocp.scale.batchMin"), r.number("ocp.scale.batchMax")),
				r.healthAdvice()})
		comment(&b, "Source:", []string{"OCP 3.1, OCP 3.2"})
		r.scaling(&b)
	} else {
		r.joining(&b)
	}
	size := unit.Format(float64(len(r.Decisions.Growth)), "steps") + " of growth"
	r.out = append(r.out, written{File: File{Path: growthFile, Content: b.Bytes(), Why: size}, stage: stageMachines})
}

// healthAdvice says when health checks are due.
func (r *renderer) healthAdvice() string {
	if r.hasHealthChecks() {
		return "Apply the machine health checks (machinehealthcheck-*.yaml) before the cluster grows large (OCP 3.1)."
	}
	return "Enable machine health checks before the cluster grows large (OCP 3.1)."
}

// variable is the shell variable that holds a machine set's name.
func variable(tag string, zone int) string {
	return "SET_" + strings.ToUpper(strings.ReplaceAll(tag, "-", "_")+"_"+zoneName(zone))
}

// scaling writes the steps for machine sets.
func (r *renderer) scaling(b *bytes.Buffer) {
	b.WriteString("\n# Names of the machine sets (oc get machineset -n " + machineNamespace + ").\n")
	fmt.Fprintf(b, "INFRA_ID='%s'\n", infraID)
	for _, g := range r.groups() {
		if len(g.steps) > 0 {
			r.setNames(b, g)
		}
	}
	before := map[string][]int{}
	for i, s := range r.Decisions.Growth {
		g, _ := r.group(s.Pool)
		fmt.Fprintf(b, "\n# Step %d: %s %+d, %d in all.\n", i+1, s.Pool, sum(s.Add), s.Total)
		for k, m := range g.members {
			now := g.after(k, s)
			if before[m.tag] == nil && g.exists() && len(g.members) == 1 {
				before[m.tag] = minus(now, s.Add)
			}
			r.step(b, g, m, before[m.tag], now)
			before[m.tag] = now
		}
	}
	fmt.Fprintf(b, "\n# After each step, until READY is DESIRED everywhere:\n#   oc get machineset -n %s\n",
		machineNamespace)
}

// minus is a - b, zone by zone.
func minus(a, b []int) []int {
	out := slices.Clone(a)
	for i := range min(len(a), len(b)) {
		out[i] -= b[i]
	}
	return out
}

// setNames writes the variables of a pool's machine sets.
func (r *renderer) setNames(b *bytes.Buffer, g group) {
	for _, m := range g.members {
		switch {
		case g.exists():
			fmt.Fprintf(b, "# Put the names of the sets that exist in the place of those of %s.\n", m.tag)
		case r.installed(g, m.PoolDecision):
			fmt.Fprintf(b, "# New cluster: put the names of the installer's sets in the place of those of %s.\n", m.tag)
		}
		for z := range zones(m.PoolDecision) {
			fmt.Fprintf(b, "%s=\"$INFRA_ID-%s-%s\"\n", variable(m.tag, z+1), m.tag, zoneName(z+1))
		}
	}
}

// step makes the machine sets of a member or scales those that change.
func (r *renderer) step(b *bytes.Buffer, g group, m member, before, now []int) {
	if sum(now) == 0 {
		return
	}
	if sum(before) == 0 && !g.exists() {
		if r.installed(g, m.PoolDecision) {
			fmt.Fprintf(b, "# New cluster: the installer has made the machines of %s; leave out these lines.\n", m.tag)
		}
		for z := range now {
			fmt.Fprintf(b, "oc apply -f %s\n", machineSetPath(m.tag, z+1))
		}
		return
	}
	for z, n := range now {
		if z >= len(before) || before[z] != n {
			fmt.Fprintf(b, "oc scale --replicas=%d machineset \"$%s\" -n %s\n", n, variable(m.tag, z+1), machineNamespace)
		}
	}
}

// joining writes the steps for machines that are installed one by one.
func (r *renderer) joining(b *bytes.Buffer) {
	if r.Platform.Provider == "baremetal" {
		b.WriteString("\n# Where the installer made the workers: register the hosts, then scale its machine set " +
			"in place of joining by hand.\n")
	}
	for i, s := range r.Decisions.Growth {
		g, _ := r.group(s.Pool)
		fmt.Fprintf(b, "\n# Step %d: %s %+d, %d in all (%s). Let %d more machines join%s.\n",
			i+1, s.Pool, sum(s.Add), s.Total, oneLine(g.machines()), sum(s.Add), perZoneWords(s.Add))
		b.WriteString("# Approve their certificates: oc get csr; then oc adm certificate approve NAME\n")
		for _, m := range g.members {
			for _, line := range labelNode(m.PoolDecision) {
				fmt.Fprintf(b, "# For each new %s NODE: %s\n", oneLine(m.Type), line)
			}
		}
	}
	b.WriteString("\n# After each step, until all nodes are Ready:\n#   oc get nodes\n")
}

// perZoneWords says how the machines spread over several zones.
func perZoneWords(add []int) string {
	if len(add) < 2 {
		return ""
	}
	parts := make([]string, len(add))
	for i, n := range add {
		parts[i] = fmt.Sprintf("%d in zone %d", n, i+1)
	}
	return ": " + words.And(parts)
}

// labelNode are the commands that make a worker a node of a custom pool.
func labelNode(pool v1alpha1.PoolDecision) []string {
	var out []string
	labels := nodeLabels(pool)
	if len(labels) > 0 {
		parts := []string{"oc label node NODE"}
		for _, key := range sortedAnyKeys(labels) {
			parts = append(parts, fmt.Sprintf("%s=%v", key, labels[key]))
		}
		out = append(out, strings.Join(parts, " "))
	}
	if pool.Role == "infra" {
		out = append(out, "oc label node NODE "+roleLabel+poolWorker+"-")
	}
	for _, t := range pool.Taints {
		out = append(out, fmt.Sprintf("oc adm taint node NODE %s=%s:%s", t.Key, t.Value, t.Effect))
	}
	return out
}
