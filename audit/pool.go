package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/selector"
	"plimsoll.dev/tune/pool"
)

// poolTests are about machine config pools and the control plane.
var poolTests = slices.Concat([]test{{poolSlow, (*look).poolSlow}, {poolStalled, (*look).poolStalled},
	{poolNone, (*look).poolNone}, {poolSeveral, (*look).poolSeveral}}, controlTests)

// rollout is how long an update of so many nodes takes with so many at once, at least and at most (OCP 2.2's example).
func rollout(nodes, atOnce int) (low, high time.Duration) {
	all := facts.Load()
	waves := float64(pool.Waves(nodes, atOnce)) / all.Must("ocp.rollout.nodes").Number
	of := func(fact string) time.Duration {
		return time.Duration(waves * all.Must(fact).Number * float64(time.Second))
	}
	return of("ocp.rollout.minMin"), of("ocp.rollout.minMax")
}

// updateWindow is how long the update of a pool may take, by this program's own choice.
const updateWindow = 24 * time.Hour

func (l *look) poolSlow() {
	if len(l.Pools) == 0 {
		l.notApplicable("there is no machine config pool")
		return
	}
	var slow []where
	var fixes []string
	for i, p := range l.pools() {
		n := l.Pools[i].Status.MachineCount
		atOnce, err := pool.Budget(&p, n, l.Release)
		if err != nil || atOnce < 1 || p.Metadata.Name == pool.Master {
			continue // tune check says so
		}
		low, high := rollout(n, atOnce)
		if high <= updateWindow {
			continue
		}
		_, one := rollout(1, 1)
		waves := int(updateWindow / one)
		slow = append(slow, at("MachineConfigPool", p.Metadata.Name, "%d nodes, %d at once: %s to %s", n, atOnce,
			lasting(low), lasting(high)))
		fixes = append(fixes, l.tell(`patch mcp %s --type merge -p '{"spec":{"maxUnavailable":%d}}'`, p.Metadata.Name,
			(n+waves-1)/waves))
	}
	if len(slow) > 0 {
		l.find(slow, strings.Join(fixes, "; ")+", where the others can hold the pods of so many (plimsoll plan says)",
			"an update takes more than %s", lasting(updateWindow))
	}
}

// updateSettled is how long an update may take beside what was expected, by this program's own choice.
const updateSettled = time.Hour

func (l *look) poolStalled() {
	if len(l.Pools) == 0 {
		l.notApplicable("there is no machine config pool")
		return
	}
	var failed, slow []where
	nodes := l.inState("Degraded")
	for i, as := range l.pools() {
		p := &l.Pools[i]
		if c := p.Status.Conditions.of("Degraded"); c.Status == "True" {
			failed = append(failed, at("MachineConfigPool", p.Metadata.Name, "%s", p.degraded(nodes[p.Metadata.Name])))
			continue
		}
		c := p.Status.Conditions.of("Updating")
		atOnce, err := pool.Budget(&as, p.Status.MachineCount, l.Release)
		if c.Status != "True" || p.Spec.Paused || err != nil || atOnce < 1 || c.LastTransitionTime.IsZero() {
			continue
		}
		_, most := rollout(p.Status.MachineCount, atOnce)
		if takes := l.Now.Sub(c.LastTransitionTime); takes > max(2*most, updateSettled) {
			slow = append(slow, at("MachineConfigPool", p.Metadata.Name, "%d of %d nodes after %s, expected %s",
				p.Status.UpdatedMachineCount, p.Status.MachineCount, lasting(takes), lasting(most)))
		}
	}
	if len(failed) > 0 {
		l.findAs(v1alpha1.Error, failed, l.degradedFix(l.told(failed), nodes), "the pool is Degraded")
	}
	if len(slow) > 0 {
		l.find(slow, l.tell("describe mcp %s", names(l.told(slow)))+" tells the reason; "+
			"a PodDisruptionBudget that lets no pod go, or a node that is not Ready, stops it",
			"the update takes more than twice as long as it should")
	}
}

// degradedFix says where the reason stands: at the nodes of the first pool that has some.
func (l *look) degradedFix(failed []where, nodes map[string][]where) string {
	for _, f := range failed {
		if list := nodes[nameOf(f)]; len(list) > 0 {
			return l.tell("describe node %s", names(list)) +
				" tells the reason in the annotation machineconfiguration.openshift.io/reason"
		}
	}
	return l.tell("describe mcp %s", names(failed)) + " tells the reason"
}

// degraded says in which way a pool is, and of how many nodes, some of them by name.
func (p *Pool) degraded(nodes []where) string {
	var has []string
	for _, kind := range []string{"NodeDegraded", "RenderDegraded"} {
		if p.Status.Conditions.of(kind).Status == "True" {
			has = append(has, kind)
		}
	}
	if n := p.Status.DegradedMachineCount; n > 0 {
		has = append(has, words.Count(n, "node"))
	}
	for _, n := range nodes[:min(len(nodes), shown)] {
		has = append(has, n.object)
	}
	return strings.Join(has, ", ")
}

// inState are the nodes of each pool whose daemon of the machine config operator says so.
func (l *look) inState(state string) map[string][]where {
	out := map[string][]where{}
	for i, pool := range l.memberships() {
		n := &l.Nodes[i]
		if n.Metadata.Annotations["machineconfiguration.openshift.io/state"] == state {
			out[pool] = append(out[pool], at("Node", n.Metadata.Name, ""))
		}
	}
	return out
}

// memberOf has a rule look at the pools of the nodes, where they can be told.
func (l *look) memberOf(bad func(n *Node, m pool.Membership) string) []where {
	pools := l.pools()
	if len(pools) == 0 {
		l.notApplicable("there is no machine config pool")
		return nil
	}
	for i := range pools {
		if wrong := selector.Wrong(pools[i].Spec.NodeSelector); wrong != "" {
			l.notSeen("the selector of pool %s is not valid: %s", pools[i].Metadata.Name, wrong)
			return nil
		}
	}
	var out []where
	for i := range l.Nodes {
		n := &l.Nodes[i]
		if note := bad(n, pool.Of(n.Metadata.Labels, pools, l.Release)); note != "" {
			out = append(out, at("Node", n.Metadata.Name, "%s", note))
		}
	}
	return out
}

func (l *look) poolNone() {
	bad := l.memberOf(func(n *Node, m pool.Membership) string {
		if m.Primary != "" || m.Problem != "" || n.windows() {
			return ""
		}
		return "roles: " + n.roles()
	})
	if len(bad) > 0 {
		l.find(bad, l.tell("label node %s node-role.kubernetes.io/worker=", names(l.told(bad)))+
			", or make a MachineConfigPool with a nodeSelector that takes them", "no pool takes the nodes")
	}
}

func (l *look) poolSeveral() {
	bad := l.memberOf(func(_ *Node, m pool.Membership) string { return strings.TrimSuffix(m.Problem, noConfig) })
	if len(bad) > 0 {
		l.find(bad, "take away the labels of all pools but one, such as: "+
			l.tell("label node %s", l.parted(names(l.told(bad)[:1]))),
			"pools that exclude each other take the nodes")
	}
}

// parted is a node and what takes the labels away by which its last pool takes it.
func (l *look) parted(node string) string {
	i := slices.IndexFunc(l.Nodes, func(n Node) bool { return n.Metadata.Name == node })
	for _, p := range slices.Backward(l.Pools) {
		s := p.Spec.NodeSelector
		if i < 0 || p.Metadata.Name == pool.Worker || selector.Empty(s) || !selector.Selects(s, l.Nodes[i].Metadata.Labels) {
			continue
		}
		for _, key := range selector.Keys(s) {
			node += " " + key + "-"
		}
		break
	}
	return node
}

// noConfig ends the reason of package tune, which the effect repeats.
const noConfig = ": it gets no configuration"

// roles of a node, as its labels say.
func (n *Node) roles() string {
	var out []string
	for label := range inOrder(n.Metadata.Labels) {
		if role, ok := strings.CutPrefix(label, "node-role.kubernetes.io/"); ok {
			out = append(out, role)
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return words.And(out)
}

// hardware of a node for people.
func (n *Node) hardware() string {
	zone := ""
	if z := n.zone(); z != "" {
		zone = ", zone " + z
	}
	return fmt.Sprintf("%s, %s%s", inCores(n.capacity("cpu")), inBytes(n.capacity("memory")), zone)
}
