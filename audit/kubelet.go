package audit

import (
	"fmt"
	"math"
	"slices"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/kubeletconfig"
	"plimsoll.dev/tune/pool"
)

// kubeletTests are about KubeletConfigs and what became of them.
var kubeletTests = []test{{kubeletFailed, (*look).kubeletFailed}, {maxPodsElsewhere, (*look).maxPodsElsewhere},
	{kubeletRate, (*look).kubeletRate}}

// last condition that the operator wrote, which is the one that counts.
func (k *KubeletConfig) last() (c Condition) {
	for _, one := range k.Status.Conditions {
		if !one.LastTransitionTime.Before(c.LastTransitionTime) {
			c = one
		}
	}
	return c
}

// failed says whether the operator made nothing of it.
func (k *KubeletConfig) failed() bool {
	c := k.last()
	return c.Type == "Failure" || c.Type == "Success" && c.Status == "False"
}

func (l *look) kubeletFailed() {
	var bad []where
	for i := range l.Kubelets {
		if k := &l.Kubelets[i]; k.failed() {
			bad = append(bad, at("KubeletConfig", k.Metadata.Name, "%s", k.last().Reason))
		}
	}
	if len(bad) > 0 {
		l.find(bad, l.tell("describe kubeletconfig %s", names(l.told(bad)))+
			" tells the reason at its last condition; mend the field, or delete the object",
			"the operator refuses it")
	}
}

// pools as package tune takes them.
func (l *look) pools() []openshift.MachineConfigPool {
	var out []openshift.MachineConfigPool
	for i := range l.Pools {
		p := &l.Pools[i]
		to := openshift.MachineConfigPool{Metadata: openshift.ObjectMeta{Name: p.Metadata.Name, Labels: p.Metadata.Labels}}
		to.Spec = openshift.MachineConfigPoolSpec{MachineConfigSelector: p.Spec.MachineConfigSelector,
			NodeSelector: p.Spec.NodeSelector, MaxUnavailable: p.Spec.MaxUnavailable, Paused: p.Spec.Paused}
		if n, ok := p.Spec.MaxUnavailable.(float64); ok { // as JSON has all numbers
			to.Spec.MaxUnavailable = int64(n)
		}
		out = append(out, to)
	}
	return out
}

// kubelets says which KubeletConfig counts on the nodes of each pool: none where the operator's own settings do.
func (l *look) kubelets() map[string]*KubeletConfig {
	var all []openshift.KubeletConfig
	for i := range l.Kubelets {
		k := &l.Kubelets[i]
		all = append(all, openshift.KubeletConfig{Spec: k.Spec, Metadata: openshift.ObjectMeta{Name: k.Metadata.Name,
			UID: k.Metadata.UID, CreationTimestamp: k.Metadata.Created.Format(time.RFC3339)}})
	}
	out, pools := map[string]*KubeletConfig{}, l.pools()
	for i := range pools {
		refused := func(k int) bool { return l.Kubelets[k].failed() }
		if list := kubeletconfig.Contenders(&pools[i], pools, all, l.Release, refused); len(list) > 0 {
			out[pools[i].Metadata.Name] = &l.Kubelets[list[len(list)-1].Index]
		}
	}
	return out
}

// memberships are the pools whose configuration the nodes get; empty for none, and on Windows.
func (l *look) memberships() []string {
	pools := l.pools()
	out := make([]string, len(l.Nodes))
	for i := range l.Nodes {
		if l.Nodes[i].windows() {
			continue
		}
		out[i] = pool.Of(l.Nodes[i].Metadata.Labels, pools, l.Release).Primary
	}
	return out
}

// number of a field of a KubeletConfig; 0 where it is not set.
func (k *KubeletConfig) number(field string) int64 {
	n, _ := k.Spec.KubeletConfig[field].(float64)
	return int64(n)
}

// text of a field of a KubeletConfig.
func (k *KubeletConfig) text(field string) string {
	s, _ := k.Spec.KubeletConfig[field].(string)
	return s
}

// maxPodsElsewhere: a pool is said to be up to date, and its nodes take another number of pods than their KubeletConfig
// says.
func (l *look) maxPodsElsewhere() {
	wins, pools := l.kubelets(), map[string]*Pool{}
	for i := range l.Pools {
		pools[l.Pools[i].Metadata.Name] = &l.Pools[i]
	}
	var bad []where
	for i, name := range l.memberships() {
		k, p, n := wins[name], pools[name], &l.Nodes[i]
		if k == nil || p.Spec.Paused || p.Status.Conditions.of("Updated").Status != "True" || k.number("maxPods") == 0 {
			continue
		}
		want := k.number("maxPods")
		if perCore := k.number("podsPerCore"); perCore > 0 {
			want = min(want, perCore*n.capacity("cpu")/1000)
		}
		if has := n.allocatable("pods"); has != 0 && has != want {
			bad = append(bad, at("Node", n.Metadata.Name, "%d pods, KubeletConfig %s says %d", has, k.Metadata.Name, want))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "see whether the pool has rendered it: "+l.tell("get mcp,mc,kubeletconfig")+
			"; a second KubeletConfig or a MachineConfig of the pool may win", "maxPods is not in force")
	}
}

// kubeletRate: many pods on a node ask the API server more often than the kubelet does by default.
func (l *look) kubeletRate() {
	all := facts.Load()
	usual := int64(all.Must("ocp.kubelet.maxPods").Number)
	rate, burst := int64(all.Must("ocp.kubelet.kubeAPIQPS").Number), int64(all.Must("ocp.kubelet.kubeAPIBurst").Number)
	count, most := map[string]int64{}, map[string]int64{}
	for i := range l.Pods {
		if p := &l.Pods[i]; !p.ended() {
			count[p.Node]++
		}
	}
	for i, name := range l.memberships() {
		most[name] = max(most[name], count[l.Nodes[i].Metadata.Name])
	}
	for name, k := range inOrder(l.kubelets()) {
		pods := k.number("maxPods")
		if pods <= usual || k.number("kubeAPIQPS") > rate && k.number("kubeAPIBurst") > burst {
			continue
		}
		severity := v1alpha1.Info
		if most[name] > usual {
			severity = v1alpha1.Warning
		}
		times := math.Ceil(float64(pods) / float64(usual))
		l.findAs(severity, []where{at("KubeletConfig", k.Metadata.Name, "pool %s, maxPods %d", name, pods)},
			fmt.Sprintf("set kubeAPIQPS: %.0f and kubeAPIBurst: %.0f, as much more as there are pods by this program's own "+
				"choice", times*float64(rate), times*float64(burst)),
			"kubelets ask the API server %d times a second at most, in bursts of %d, and the fullest node has %s",
			rate, burst, words.Count(most[name], "pod"))
	}
}

// inOrder goes through a map by its keys.
func inOrder[V any](m map[string]V) func(func(string, V) bool) {
	return func(yield func(string, V) bool) {
		keys := make([]string, 0, len(m))
		for k := range m {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
