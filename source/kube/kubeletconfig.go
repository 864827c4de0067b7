package kube

import (
	"reflect"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/kubeletconfig"
	"plimsoll.dev/tune/pool"
)

// kubeletPolicies are a KubeletConfig and what it says of the admission of pods.
type kubeletPolicies struct {
	config openshift.KubeletConfig
	sets   v1alpha1.Kubelet
}

// kubeletConfig keeps the policies by which kubelets admit pods.
func (r *reader) kubeletConfig(o *object) {
	r.skip(o.place(), o.kind, reasons[o.kind])
	from := o.spec.get("kubeletConfig")
	k := kubeletPolicies{openshift.KubeletConfig{Metadata: r.objectMeta(o.meta)}, v1alpha1.Kubelet{
		CPUManagerPolicy:        from.get("cpuManagerPolicy").text(),
		CPUManagerPolicyOptions: r.texts(from.get("cpuManagerPolicyOptions")),
		MemoryManagerPolicy:     from.get("memoryManagerPolicy").text(),
		TopologyManagerPolicy:   from.get("topologyManagerPolicy").text()}}
	k.config.Spec.MachineConfigPoolSelector = r.labelSelector(o.spec.get("machineConfigPoolSelector"))
	r.kubelets = append(r.kubelets, k)
}

// setKubelets tells each node the policies of the KubeletConfig that its pool has.
func (t *tally) setKubelets(nodes []v1alpha1.Node) {
	if len(t.kubelets) == 0 {
		return
	}
	rel, err := release.Parse(t.version)
	if err != nil {
		rel = release.Newest
	}
	slices.SortFunc(t.kubelets, func(a, b kubeletPolicies) int {
		return compare(a.config.Metadata.Name, b.config.Metadata.Name)
	})
	var configs []openshift.KubeletConfig
	for _, k := range t.kubelets {
		configs = append(configs, k.config)
	}
	pools := pool.Complete(t.configPools, rel)
	sets := map[string]*v1alpha1.Kubelet{}
	for i := range pools {
		list := kubeletconfig.Contenders(&pools[i], pools, configs, rel, func(int) bool { return false })
		if n := len(list); n > 0 && list[n-1].MachineConfig != "" {
			if k := &t.kubelets[list[n-1].Index].sets; !reflect.ValueOf(*k).IsZero() {
				sets[pools[i].Metadata.Name] = k
			}
		}
	}
	for i := range nodes {
		nodes[i].Kubelet = sets[pool.Of(nodes[i].Labels, pools, rel).Primary]
	}
}
