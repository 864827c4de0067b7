package manifest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/kubeletconfig"
	"plimsoll.dev/tune/pool"
)

// kubeletOf is the kubelet.conf of a pool's nodes once all files are applied.
func kubeletOf(name string, r release.Release, pools []openshift.MachineConfigPool,
	crs []openshift.KubeletConfig) kubeletconfig.Conf {
	conf := kubeletconfig.Base(name, r)
	for i := range pools {
		if pools[i].Metadata.Name != name {
			continue
		}
		list := kubeletconfig.Contenders(&pools[i], pools, crs, r, func(int) bool { return false })
		if len(list) > 0 {
			conf, _ = kubeletconfig.Merge(conf, crs[list[len(list)-1].Index].Spec.KubeletConfig)
		}
	}
	return conf
}

// TestSection8_19_KubeletConfigsDontAddUp: what a pool's nodes get of all that is
// written, of which only one KubeletConfig counts, is what the plan decides for the
// pool, or the README says that it isn't.
func TestSection8_19_KubeletConfigsDontAddUp(t *testing.T) {
	compared, remarked, set := 0, 0, 0
	rapid.Check(t, func(r *rapid.T) {
		in := drawInput(r)
		of, err := release.Parse(in.Platform.Release)
		if err != nil {
			return
		}
		files := mustRender(t, in)
		list, _ := object.All[openshift.MachineConfigPool](objectsOf(t, files, "machineconfigpool-"), "MachineConfigPool")
		crs, _ := object.All[openshift.KubeletConfig](objectsOf(t, files, "kubeletconfig-"), "KubeletConfig")
		pools := pool.Complete(object.Values(list), of)
		for i := range pools {
			pools[i].Metadata.Labels[kubeletLabel] = pools[i].Metadata.Name // as the files' own commands do
		}
		for _, p := range in.Decisions.Pools {
			if strings.Contains(contentOf(files, readmeFile), "Kubelet settings of pool "+p.Name+":") {
				remarked++
				continue
			}
			compared++
			if p.MaxPods != 0 || p.PodsPerCore != 0 || p.KubeAPIQPS != 0 || p.SystemReserved != nil {
				set++
			}
			checkKubelet(r, p, kubeletOf(p.Name, of, pools, object.Values(crs)))
		}
	})
	if compared < 2*remarked || set < compared/2 || set == 0 {
		t.Errorf("%d pools compared, %d of them with settings, and %d passed over for a remark: too few are compared",
			compared, set, remarked)
	}
}

// checkKubelet compares a kubelet.conf with what a plan decides.
func checkKubelet(t *rapid.T, p v1alpha1.PoolDecision, conf kubeletconfig.Conf) {
	usual := kubeletconfig.Base(p.Name, conf.Release())
	for field, want := range map[string]int{"maxPods": p.MaxPods, "podsPerCore": p.PodsPerCore, "kubeAPIQPS": p.KubeAPIQPS,
		"kubeAPIBurst": p.KubeAPIBurst} {
		got := conf.Get(field)
		if want == 0 && got != usual.Get(field) || want != 0 && got != int64(want) {
			t.Errorf("pool %s, %v: %s is %v, want %d", p.Name, conf.Release(), field, got, want)
		}
	}
	reserved := conf.Get("systemReserved") != nil && conf.Get("systemReserved.memory") == "2Gi"
	if conf.Release() != release.Current && reserved != (p.SystemReserved != nil) {
		t.Errorf("pool %s, %v: systemReserved %v", p.Name, conf.Release(), conf.Get("systemReserved"))
	}
}
