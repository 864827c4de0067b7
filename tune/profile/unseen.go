package profile

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/tune/pool"
)

// unless are the items before the winner that name another profile, and that may match
// a node for all that is known: by a custom pool or by pods that nobody showed.
func (c *cluster) unless(winner int, v *view) []int {
	var out []int
	for i := range c.before(winner) {
		if c.profileOf(i) != c.profileOf(winner) && (c.byUnseenPool(i, v) || c.byUnseenPods(i, v)) {
			out = append(out, i)
		}
	}
	return out
}

// byUnseenPool says whether a custom pool might take the item's labels, and the node. What
// is for masters none of them takes, and what is for workers all do. A master stays one in
// a custom pool, but counts for worker as well where it has the label.
func (c *cluster) byUnseenPool(i int, v *view) bool {
	item := &c.m.items[i]
	_, worker := v.labels[openshift.LabelWorker]
	switch {
	case !c.in.Unseen.Pools || item.MachineConfigLabels == nil || badLabels(item.MachineConfigLabels) != "":
		return false
	case v.pools.Primary == pool.Master:
		return worker && item.takenBy(pool.Worker)
	case v.pools.Primary != pool.Worker && v.pools.Primary != "": // no node is in two custom pools
		return false
	}
	return !item.takenBy(pool.Master)
}

// byUnseenPods says whether the item lacks nothing on the node but pods.
func (c *cluster) byUnseenPods(i int, v *view) bool {
	return c.in.Unseen.Pods && slices.ContainsFunc(c.m.items[i].ways, func(w way) bool {
		return slices.ContainsFunc(w, condition.onPod) && !w.impossible() && len(v.missing(w).labels) == 0
	})
}

// judgeUnseen names what isn't known of nodes, item by item.
func (e *explainer) judgeUnseen() {
	if e.in.Unseen.Tuneds {
		e.add(tunedsUnseen, -1, nil, "no Tuned is given: what nodes get by others than CR default isn't known",
			"give what oc get tuneds -A -o yaml writes")
	}
	byItem := map[int][]int{}
	for i := range e.x.Classes {
		for _, item := range e.x.Classes[i].Unless {
			byItem[item] = append(byItem[item], i)
		}
	}
	for i := range e.x.Items {
		classes := byItem[i]
		if classes == nil {
			continue
		}
		item := &e.x.Items[i]
		rule, missing := podsUnseen, "pod of an application"
		if e.byUnseenPool(i, &e.views[e.x.Classes[classes[0]].first]) {
			rule, missing = poolsUnseen, "MachineConfigPool"
			if len(e.in.Pools) > len(pool.Standard(e.in.Release)) {
				missing = "other MachineConfigPool"
			}
		}
		e.add(rule, i, classes, fmt.Sprintf("no %s is given: %s may be the profile of %s, by %s", missing, item.Profile,
			list(e.of(classes...)), item.Match), "give what kubectl get nodes,pods,machineconfigpools -A -o json writes")
	}
}
