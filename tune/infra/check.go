package infra

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/kube"
	"plimsoll.dev/tune/era"
	"plimsoll.dev/tune/object"
	"plimsoll.dev/tune/pool"
)

// Check finds nodes that no pool selects, and pools without what workers get. The
// pools worker and master need not be among the objects: every cluster has them.
func Check(objects []*object.Object, e era.Era) []v1alpha1.Finding {
	var all []openshift.MachineConfigPool
	var out []v1alpha1.Finding
	for _, o := range objects {
		if o.Kind != "MachineConfigPool" {
			continue
		}
		p, _ := object.Decode[openshift.MachineConfigPool](o)
		all = append(all, p.Value)
		out = append(out, checkPool(p)...)
	}
	all = WithBuiltIn(all)
	for _, o := range objects {
		if o.Kind == "Node" {
			n, _ := object.Decode[openshift.Node](o)
			out = append(out, checkNode(n, all, e)...)
		}
	}
	return out
}

// WithBuiltIn are pools and those that every cluster has, where they are missing
// or were written without their selectors, as to change one field.
func WithBuiltIn(pools []openshift.MachineConfigPool) []openshift.MachineConfigPool {
	out := slices.Clone(pools)
	for _, name := range []string{pool.Master, pool.Worker} {
		selector := &openshift.LabelSelector{MatchLabels: map[string]string{roleLabel(name): ""}}
		i := slices.IndexFunc(out, func(p openshift.MachineConfigPool) bool { return p.Metadata.Name == name })
		if i < 0 {
			i = len(out)
			out = append(out, openshift.MachineConfigPool{Metadata: openshift.ObjectMeta{Name: name}})
		}
		if out[i].Spec.NodeSelector == nil {
			out[i].Spec.NodeSelector = selector
		}
	}
	return out
}

// checkPool looks whether a custom pool takes what workers get.
func checkPool(p object.Typed[openshift.MachineConfigPool]) []v1alpha1.Finding {
	s := p.Value.Spec.MachineConfigSelector
	name := p.Value.Metadata.Name
	if s == nil || name == pool.Master || name == pool.Worker || kube.Selects(s, map[string]string{openshift.LabelRole: pool.Worker}) {
		return nil
	}
	return []v1alpha1.Finding{p.Finding(withoutWorker, "spec.machineConfigSelector",
		fmt.Sprintf("pool %s does not take MachineConfigs of role worker: its nodes lose the kubelet's configuration and all else that workers get", name),
		fmt.Sprintf("select %s In [worker, %s]", openshift.LabelRole, name))}
}

// checkNode looks whether a node with a role is in a pool.
func checkNode(n object.Typed[openshift.Node], pools []openshift.MachineConfigPool, e era.Era) []v1alpha1.Finding {
	roles := rolesOf(n.Value.Metadata.Labels)
	m := pool.Of(n.Value.Metadata.Labels, pools, e)
	if len(roles) == 0 || m.Primary != "" || m.Problem != "" || n.Value.Metadata.Labels["kubernetes.io/os"] == "windows" {
		return nil
	}
	what := fmt.Sprintf("node %s has the role %s, and no pool selects it: it gets no more MachineConfigs, KubeletConfigs and updates of the system", n.Value.Metadata.Name, strings.Join(roles, ", "))
	if slices.Contains(roles, Role) {
		what += ", and TuneD gives it openshift-control-plane"
	}
	role := roles[0]
	return []v1alpha1.Finding{n.Finding(noPool, "metadata.labels."+roleLabel(role), what,
		fmt.Sprintf("first make a MachineConfigPool %s that takes the MachineConfigs of worker and %s, or keep the label worker", role, role))}
}

// rolesOf are the roles in a node's labels, in order.
func rolesOf(labels map[string]string) []string {
	var out []string
	for key := range labels {
		if role, ok := strings.CutPrefix(key, rolePrefix); ok {
			out = append(out, role)
		}
	}
	slices.Sort(out)
	return out
}
