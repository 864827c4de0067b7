package kubeletconfig

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

func TestGenerate(t *testing.T) {
	got := Generate("plimsoll-worker", map[string]string{"custom-kubelet": "large-pods"},
		Settings{MaxPods: 500, PodsPerCore: 10, KubeAPIQPS: 100, KubeAPIBurst: 200,
			CPUManagerPolicy: "static", CPUManagerReconcilePeriod: 5, TopologyManagerPolicy: "single-numa-node",
			ReservedSystemCPUs: "0-1", SystemReserved: map[string]string{"cpu": "1", "memory": ""}})
	want := openshift.KubeletConfig{APIVersion: "machineconfiguration.openshift.io/v1", Kind: "KubeletConfig",
		Metadata: openshift.ObjectMeta{Name: "plimsoll-worker"},
		Spec: openshift.KubeletConfigSpec{MachineConfigPoolSelector: &openshift.LabelSelector{
			MatchLabels: map[string]string{"custom-kubelet": "large-pods"},
		},
			KubeletConfig: map[string]any{"maxPods": int64(500), "podsPerCore": int64(10), "kubeAPIQPS": int64(100),
				"kubeAPIBurst": int64(200), "cpuManagerPolicy": "static",
				"cpuManagerReconcilePeriod": "5s", "topologyManagerPolicy": "single-numa-node", "reservedSystemCPUs": "0-1",
				"systemReserved": map[string]any{"cpu": "1"}}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// What is generated is rendered as it was asked for, without a finding, in every
// release.
func TestGeneratedIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SampledFrom(release.Documented()).Draw(t, "release")
		s := Settings{MaxPods: rapid.IntRange(0, 500).Draw(t, "maxPods"), KubeAPIQPS: rapid.IntRange(0, 500).Draw(t, "qps"),
			KubeAPIBurst:              rapid.IntRange(0, 500).Draw(t, "burst"),
			CPUManagerPolicy:          rapid.SampledFrom([]string{"", "none", "static"}).Draw(t, "cpu"),
			CPUManagerReconcilePeriod: unit.Duration(rapid.IntRange(0, 90).Draw(t, "period"))}
		if s.CPUManagerPolicy == "static" {
			s.TopologyManagerPolicy = rapid.SampledFrom([]string{"", "none", "best-effort", "restricted", "single-numa-node"}).
				Draw(t, "topology")
		}
		s.PodsPerCore = rapid.IntRange(0, max(250, s.MaxPods)).Draw(t, "perCore")
		if s.MaxPods != 0 {
			s.PodsPerCore = min(s.PodsPerCore, s.MaxPods)
		}
		cr := Generate("x", map[string]string{"k": "v"}, s)
		p := poolsOf("worker")[0]
		var f *openshift.FeatureGate
		if topologyNeedsGate.In(of) {
			f = &openshift.FeatureGate{Spec: openshift.FeatureGateSpec{FeatureSet: latencySensitive}}
		}
		r, problems := Render(Base("worker", of), &p, &cr, f)
		problems = append(problems, judge(r, &cr, f)...)
		if len(problems) > 0 {
			t.Fatalf("%v", problems)
		}
		for field, n := range map[string]int{"maxPods": s.MaxPods, "kubeAPIQPS": s.KubeAPIQPS, "kubeAPIBurst": s.KubeAPIBurst,
			"podsPerCore": s.PodsPerCore} {
			if n != 0 && r.Conf.int(field) != int64(n) {
				t.Fatalf("%s is %v, not %d", field, r.Conf.Get(field), n)
			}
		}
		if r.Conf.text("cpuManagerPolicy") != s.CPUManagerPolicy ||
			r.Conf.text("topologyManagerPolicy") != s.TopologyManagerPolicy {
			t.Fatalf("%v", r.Conf)
		}
	})
}
