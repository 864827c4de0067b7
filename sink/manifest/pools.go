package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/infra"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/unit"
)

const roleLabel = "node-role.kubernetes.io/"

// pool returns the pool called name.
func (r *renderer) pool(name string) (v1alpha1.PoolDecision, bool) {
	for _, p := range r.Decisions.Pools {
		if p.Name == name {
			return p, true
		}
	}
	return v1alpha1.PoolDecision{}, false
}

// custom says whether the pool is one that the platform doesn't bring along.
func custom(pool string) bool { return pool != poolWorker && pool != poolMaster }

// machineConfigPools writes the pools that don't exist yet, so that their nodes
// stay managed, and the maxUnavailable of all that differ from the default.
func (r *renderer) machineConfigPools() {
	for _, g := range r.allGroups() {
		most, _ := pool.ReadMaxUnavailable(g.members[0].MaxUnavailable)
		now := r.poolNow(g.name)
		switch {
		case now != "" && now == g.members[0].MaxUnavailable:
			r.Left = append(r.Left, fmt.Sprintf("Pool %s stays as it is: its maxUnavailable is %s already.", g.name, now))
			continue
		case now != "" && most != nil:
			r.builtInPool(g, most)
			continue
		case (!r.Running || custom(g.name)) && most == int64(r.number("ocp.rollout.maxUnavailable")):
			most = nil
		}
		if custom(g.name) {
			r.customPool(g, most)
		} else if most != nil {
			r.builtInPool(g, most)
		}
	}
}

// poolNow is the maxUnavailable that a pool of a running cluster has; empty where it is not known.
func (r *renderer) poolNow(name string) string {
	for _, p := range r.Pools {
		if p.Name == name {
			return p.MaxUnavailable
		}
	}
	return ""
}

// allGroups are the control plane's pool and the plan's.
func (r *renderer) allGroups() []group {
	master := group{name: poolMaster, members: []member{{PoolDecision: r.Decisions.ControlPlane, tag: poolMaster}}}
	return append([]group{master}, r.groups()...)
}

// atOnce describes a maxUnavailable: "5 nodes" or "10% of the nodes".
func atOnce(most any) string {
	if s, ok := most.(string); ok {
		return s + " of the nodes"
	}
	n, _ := most.(int64)
	return words.Count(int(n), "node")
}

func (r *renderer) customPool(g group, most any) {
	decision := []string{fmt.Sprintf("pool %s for %s", g.name, g.machines())}
	if most != nil {
		decision = append(decision, atOnce(most)+" may be updated at once")
	}
	path := "machineconfigpool-" + g.name + ".yaml"
	h := header{
		title:    fmt.Sprintf("Machine config pool %s: keeps its nodes managed.", g.name),
		decision: decision,
		figures:  r.figures(poolTopic(g.members[0].PoolDecision), g.members[0].Type),
		apply:    []string{"oc apply -f " + path},
		notes: []string{
			fmt.Sprintf("A node labelled %s without this pool, and without the label of worker, is in no pool: "+
				"it gets no more machine configs and no kubelet settings.", g.name),
			"The pool takes the machine configs of role worker as well as its own. " +
				"A node must not carry the labels of two custom pools.",
		},
		sources: ocp("2.2"),
	}
	if g.name == poolInfra {
		h.notes = append(h.notes, r.moveNotes("")...)
	}
	r.add(path, stagePools, decision[0], h, infra.Pool(r.release, g.name, most))
}

// staysBehind is the finding of a move to infra nodes about what can't be moved.
const staysBehind = "infra.staysBehind"

// moveNotes are what comes with the move to infra nodes: the finding of an id, or
// all but what stays behind.
func (r *renderer) moveNotes(id string) []string {
	pool, _ := r.pool(poolInfra)
	var out []string
	for _, f := range infra.Plan(infra.Options{Release: r.release, Taints: pool.Taints}).Findings {
		if f.ID == id || id == "" && f.ID != staysBehind {
			out = append(out, sentences(f))
		}
	}
	return out
}

// sentences are a finding and its remedy as sentences.
func sentences(f v1alpha1.Finding) string {
	var b strings.Builder
	for _, text := range []string{f.Message, f.Remedy} {
		if text != "" {
			b.WriteString(" " + strings.ToUpper(text[:1]) + text[1:] + ".")
		}
	}
	return strings.TrimSpace(b.String())
}

// builtInPool changes only maxUnavailable of a pool that the operator owns.
func (r *renderer) builtInPool(g group, most any) {
	name, metadata := g.name, obj{"name": g.name}
	if len(r.labelPool(name)) > 0 && !allUsual(r.kubeletSettings(g.members[0].PoolDecision)) {
		metadata["labels"] = r.poolLabels(name)
	}
	path := "machineconfigpool-" + name + ".yaml"
	decision := fmt.Sprintf("%s of pool %s may be updated at once", atOnce(most), name)
	notes := []string{"The workload has to fit on the nodes that are left while so many are drained."}
	switch now := r.poolNow(name); {
	case now != "":
		decision += ", in place of " + now
	case r.Running:
		notes = append(notes, fmt.Sprintf("What the pool has now is not in the snapshot: "+
			"oc get machineconfigpool %s -o jsonpath='{.spec.maxUnavailable}' (nothing means 1).", name))
	}
	h := header{
		title:    fmt.Sprintf("Change to machine config pool %s, which exists already.", name),
		decision: []string{decision},
		figures:  r.figures(topicRollout, name),
		apply:    []string{fmt.Sprintf(`oc patch machineconfigpool %s --type=merge --patch "$(cat %s)"`, name, path)},
		notes:    notes,
		sources:  ocp("2.2"),
	}
	r.add(path, stagePools, decision, h, obj{
		"apiVersion": "machineconfiguration.openshift.io/v1",
		"kind":       "MachineConfigPool",
		"metadata":   metadata,
		"spec":       obj{"maxUnavailable": most},
	})
}

// kubeletLabel is the label by which older releases find a pool: they set none.
const kubeletLabel = "custom-kubelet"

// poolLabels is the label by which kubelet settings find the pool.
func (r *renderer) poolLabels(pool string) map[string]string {
	return infra.Pool(r.release, pool, nil).Metadata.Labels
}

// machines describes a pool: "12 x m5.xlarge", or by size where no type has a
// name: "3 machines with 8 CPUs and 32 GB".
func machines(p v1alpha1.PoolDecision) string {
	switch {
	case p.Type != "":
		return fmt.Sprintf("%d x %s", p.Count, p.Type)
	case p.CPUs > 0:
		return fmt.Sprintf("%d machines with %d CPUs and %s", p.Count, p.CPUs, unit.FormatBytes(p.Memory))
	}
	return fmt.Sprintf("%d machines", p.Count)
}

func sum(numbers []int) int {
	total := 0
	for _, n := range numbers {
		total += n
	}
	return total
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
