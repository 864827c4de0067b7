package pool

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/selector"
)

// Check finds what is wrong with MachineConfigPools, and which of the nodes beside
// them are in none. Pools that every cluster has are supposed where they are not
// among the objects.
func Check(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	pools, out := object.All[openshift.MachineConfigPool](objects, "MachineConfigPool")
	nodes, _ := object.All[openshift.Node](objects, "Node")
	all := Complete(object.Values(pools), r)
	for i := range pools {
		c := checker{pools[i].Object, r, nil}
		c.maxUnavailable(&pools[i].Value)
		c.atOnce(&pools[i].Value, nodes, all)
		c.selectors(&Complete(object.Values(pools[i:i+1]), r)[0])
		out = append(out, c.found...)
	}
	return append(out, checkNodes(nodes, all, r)...)
}

// nodeFault is what is wrong with a node, whichever node it is.
type nodeFault struct{ rule, what string }

// apart is how many nodes with one fault are told one by one.
const apart = 3

// checkNodes judges the roles of nodes. Many nodes with one fault are told at the first.
func checkNodes(nodes []object.Typed[openshift.Node], pools []openshift.MachineConfigPool,
	r release.Release) (out []v1alpha1.Finding) {
	var faults []nodeFault
	count, told := map[nodeFault]int{}, map[nodeFault]bool{}
	compact := !slices.ContainsFunc(nodes, func(n object.Typed[openshift.Node]) bool { // its own form of a cluster
		_, master := n.Value.Metadata.Labels[openshift.LabelMaster]
		_, worker := n.Value.Metadata.Labels[openshift.LabelWorker]
		return worker && !master
	})
	for i := range nodes {
		c := checker{nodes[i].Object, r, nil}
		c.node(&nodes[i].Value, pools, compact)
		for _, f := range c.found {
			same := nodeFault{f.ID, strings.TrimPrefix(f.Message, "node "+nodes[i].Value.Metadata.Name)}
			out, faults = append(out, f), append(faults, same)
			count[same]++
		}
	}
	kept := out[:0]
	for i, f := range out {
		same := faults[i]
		switch many := count[same] > apart; {
		case many && told[same]:
			continue
		case many:
			f.Message += fmt.Sprintf(" (%d more nodes likewise)", count[same]-1)
			told[same] = true
		}
		kept = append(kept, f)
	}
	return kept
}

// checker collects the findings of an object.
type checker struct {
	*object.Object
	release release.Release
	found   []v1alpha1.Finding
}

func (c *checker) find(r object.Rule, path, fix, format string, args ...any) {
	c.found = append(c.found, c.Finding(r, path, fmt.Sprintf(format, args...), fix))
}

func (c *checker) maxUnavailable(p *openshift.MachineConfigPool) {
	const path = "spec.maxUnavailable"
	if p.Spec.Paused {
		but := "renewed certificates included"
		if certificatesApart.In(c.release) {
			but = "but renewed certificates"
		}
		c.find(isPaused, "spec.paused", "resume it when the change is done",
			"pool %s is paused: its nodes get no configuration, %s", p.Metadata.Name, but)
	}
	if p.Spec.MaxUnavailable == nil {
		return
	}
	n, err := asWritten(p.Spec.MaxUnavailable, 100, c.release)
	text, isText := p.Spec.MaxUnavailable.(string)
	switch {
	case err != nil:
		c.find(badMaxUnavailable, path, "write it like 3 or \"10%\"", "maxUnavailable %v is not a number or a percentage: "+
			"the operator does nothing for pool %s", quoted(p.Spec.MaxUnavailable), p.Metadata.Name)
	case isText && !strings.HasSuffix(text, "%"):
		c.find(textNumber, path, fmt.Sprintf("write %d without quotes for nodes, or %d%% for a percentage; "+
			"later releases refuse the text", n, n), "maxUnavailable %q is text, which %v reads as %d %%", text, c.release, n)
	case n < 0:
		c.find(negative, path, "write 1 or more", "maxUnavailable %v is below 0: nothing is ever updated",
			p.Spec.MaxUnavailable)
	case n == 0:
		c.find(zeroIsOne, path, "pause the pool if nothing is to be updated", "maxUnavailable %v is taken for 1",
			p.Spec.MaxUnavailable)
	case p.Metadata.Name == Master && n > 1:
		c.masters(p.Spec.MaxUnavailable)
	case isText && n >= 100 && p.Metadata.Name != arbiter:
		r := allAtOnce
		r.Severity = v1alpha1.Info // who writes that means it
		c.find(r, path, "write a number of nodes that the cluster can do without", "maxUnavailable %v: "+
			"all nodes of pool %s are drained and updated at once", p.Spec.MaxUnavailable, p.Metadata.Name)
	}
}

// atOnce tells of a number that takes in all nodes of the pool that are known.
func (c *checker) atOnce(p *openshift.MachineConfigPool, nodes []object.Typed[openshift.Node],
	pools []openshift.MachineConfigPool) {
	n, isNumber := p.Spec.MaxUnavailable.(int64)
	if !isNumber || n < 2 || p.Metadata.Name == Master || p.Metadata.Name == arbiter {
		return
	}
	size := 0
	for i := range nodes {
		if Of(nodes[i].Value.Metadata.Labels, pools, c.release).Primary == p.Metadata.Name {
			size++
		}
	}
	if size > 1 && n >= int64(size) {
		c.find(allAtOnce, "spec.maxUnavailable", "write fewer than the pool has",
			"maxUnavailable %d: all %d nodes of pool %s are drained and updated at once", n, size, p.Metadata.Name)
	}
}

// masters says what becomes of a maxUnavailable above 1 for masters.
func (c *checker) masters(v any) {
	if masterQuorum.In(c.release) {
		c.find(mastersAtOnce, "spec.maxUnavailable", "leave it at 1",
			"maxUnavailable %v of pool master is cut to what the quorum of etcd allows: 1 of three masters, 2 of five", v)
		return
	}
	c.find(mastersAtOnce, "spec.maxUnavailable", "leave it at 1", "maxUnavailable %v of pool master is not cut to the "+
		"quorum of etcd: the disruption budget of etcd's guard alone holds the drains back", v)
}

func quoted(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(v)
}

func (c *checker) selectors(p *openshift.MachineConfigPool) {
	name := p.Metadata.Name
	role := fmt.Sprintf("select its role: matchLabels: {node-role.kubernetes.io/%s: \"\"}", name)
	switch s := p.Spec.NodeSelector; {
	case selector.Empty(s):
		c.find(selectsNothing, "spec.nodeSelector", role, "pool %s has no nodeSelector or an empty one: it has no nodes",
			name)
	case selector.Wrong(s) != "":
		c.find(badSelector, "spec.nodeSelector", role, "nodeSelector of pool %s is not valid, which leaves every node of "+
			"the cluster without a pool: %s", name, selector.Wrong(s))
	case RoleLabel(s) == "":
		c.find(noRole, "spec.nodeSelector", role, "nodeSelector of pool %s asks for no role", name)
	}
	own, worker := map[string]string{openshift.LabelRole: name}, map[string]string{openshift.LabelRole: Worker}
	both := fmt.Sprintf("matchExpressions: [{key: %s, operator: In, values: [worker, %s]}]", openshift.LabelRole, name)
	switch s := p.Spec.MachineConfigSelector; {
	case selector.Empty(s):
		c.find(noConfigs, "spec.machineConfigSelector", both,
			"pool %s has no machineConfigSelector or an empty one: it takes no MachineConfigs", name)
	case name == Master || name == Worker || name == arbiter:
	case !selector.Selects(s, worker) && !selector.Selects(s, own):
		c.find(noConfigs, "spec.machineConfigSelector", both,
			"machineConfigSelector of pool %s takes neither role worker nor role %s", name, name)
	case !selector.Selects(s, worker):
		c.find(withoutWorker, "spec.machineConfigSelector", both,
			"pool %s doesn't take the MachineConfigs of role worker, which hold what every node needs", name)
	}
}

// node judges a node's roles; in a compact cluster all workers are masters, too.
func (c *checker) node(n *openshift.Node, pools []openshift.MachineConfigPool, compact bool) {
	labels, path := n.Metadata.Labels, "metadata.labels"
	m := Of(labels, pools, c.release)
	_, master := labels[openshift.LabelMaster]
	_, worker := labels[openshift.LabelWorker]
	_, infra := labels[openshift.LabelInfra]
	name := n.Metadata.Name
	switch {
	case m.Problem != "":
		c.find(severalPools, path, "leave the node one role beside worker", "node %s gets no configuration: %s", name,
			strings.TrimSuffix(m.Problem, without))
	case m.Primary == "" && infra:
		c.find(unmanaged, path, "keep the label node-role.kubernetes.io/worker, or make a pool infra that takes the "+
			"MachineConfigs of worker and infra",
			"node %s with role infra is in no pool: it gets no MachineConfigs and KubeletConfigs any more", name)
	case m.Primary == "" && len(rolesOf(labels)) > 0 && labels["kubernetes.io/os"] != "windows":
		c.find(unmanaged, path, "give it the role of a pool, or make one", "node %s with role %s is in no pool: "+
			"it gets no MachineConfigs and KubeletConfigs", name, strings.Join(rolesOf(labels), ", "))
	case m.Primary == Master && customOf(labels, pools, c.release) != "":
		c.find(masterAndCustom, path, "take one of the roles off", "node %s is a master: it gets nothing of pool %s", name,
			customOf(labels, pools, c.release))
	case master && worker && !compact:
		c.find(masterAndWorker, path, "make MachineConfigs and KubeletConfigs for pool master too", "node %s is master and "+
			"worker: MachineConfigs and KubeletConfigs of pool worker don't reach it, though pods do", name)
	}
}

// rolesOf are the roles that a node's labels give it.
func rolesOf(labels map[string]string) (out []string) {
	for key := range labels {
		if r, ok := strings.CutPrefix(key, roleLabel); ok {
			out = append(out, r)
		}
	}
	slices.Sort(out)
	return out
}

// customOf is the custom pool that would have a node if it were no master.
func customOf(labels map[string]string, pools []openshift.MachineConfigPool, r release.Release) string {
	others := slices.DeleteFunc(slices.Clone(pools), func(p openshift.MachineConfigPool) bool {
		return p.Metadata.Name == Master || p.Metadata.Name == Worker
	})
	return Of(labels, others, r).Primary
}
