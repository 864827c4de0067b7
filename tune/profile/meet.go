package profile

import (
	"slices"

	"plimsoll.dev/api/openshift"
)

// contender is an item with the ways to match it.
type contender struct {
	*Item
	sides []side
}

// contenders are items, compiled for one universe.
func (u *universe) contenders(items []Item) []contender {
	out := make([]contender, len(items))
	for i := range items {
		t := u.compile(&items[i])
		out[i] = contender{&items[i], sides(&items[i], &t)}
	}
	return out
}

// meet says whether some node may match both items, as far as the items tell: labels
// of a node have one value, and a node of the control plane is in no other pool.
func (u *universe) meet(a, b *contender) bool {
	for _, p := range a.sides {
		for _, q := range b.sides {
			if !p.impossible && !q.impossible && !contradict(p.steps, q.steps) && u.poolsMeet(a.Item, p, b.Item, q) {
				return true
			}
		}
	}
	return false
}

// side is one way to match an item: a path of its tree, or by its pool.
type side struct {
	path
	byPool bool
}

// sides are the ways to match an item; an empty path matches everything.
func sides(i *Item, t *tree) []side {
	var out []side
	for _, p := range t.paths {
		out = append(out, side{path: p})
	}
	if t.always && len(t.paths) == 0 {
		out = append(out, side{})
	}
	if i.MachineConfigLabels != nil {
		out = append(out, side{byPool: true})
	}
	return out
}

// controlPlane is the role of the pool of the control plane.
const controlPlane = "master"

// masters are the labels of nodes of the control plane.
var masters = []string{openshift.LabelMaster, roleLabel + "control-plane"}

// poolsMeet says whether a node can be on both sides by its pools. The pools are those
// that a role stands for by convention: a custom pool takes what worker takes as well.
func (u *universe) poolsMeet(a *Item, p side, b *Item, q side) bool {
	x, y := u.role(a, p), u.role(b, q)
	switch {
	case x == "" || y == "" || x == y:
		return true
	case !p.byPool || !q.byPool:
		return false // one is the control plane, the other another pool
	case x == controlPlane || y == controlPlane:
		return false
	}
	return x == "worker" || y == "worker"
}

// role is the role of the pool that a side asks for; empty where it may be any.
func (u *universe) role(i *Item, s side) string {
	if s.byPool {
		return i.MachineConfigLabels[openshift.LabelRole]
	}
	for _, st := range s.steps {
		if !st.pod && slices.Contains(masters, u.keys[st.id]) {
			return controlPlane
		}
	}
	return ""
}
