package kubeletconfig

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/release"
)

// OCP 2.1: podsPerCore 10 on 4 cores allows 40 pods; 0 switches the limit off; the
// lower of the two counts; the default is 250.
func TestPodsPerCoreTenOnFourCores(t *testing.T) {
	base := Base("worker", release.V44)
	for _, c := range []struct {
		config map[string]any
		cores  int
		want   int
	}{
		{map[string]any{"podsPerCore": int64(10)}, 4, 40},
		{map[string]any{"podsPerCore": int64(0)}, 4, 250},
		{map[string]any{"podsPerCore": int64(10), "maxPods": int64(250)}, 26, 250},
		{map[string]any{"podsPerCore": int64(10), "maxPods": int64(500)}, 26, 260},
		{nil, 4, 250},
	} {
		conf, _ := Merge(base, c.config)
		if got := conf.Pods(c.cores); got != c.want {
			t.Errorf("%v on %d cores: %d pods, want %d", c.config, c.cores, got, c.want)
		}
	}
}

// OCP 2.2: the pool is labelled, and its nodes take 500 pods.
func TestSetMaxPods(t *testing.T) {
	a := Explain(documents(t, "set-max-pods", "pool-large-pods"), Options{Release: release.V44})
	r := a.Result.(Result).Pools[0]
	if !a.Verdict.OK || r.Pool != "worker" || r.Wins != "set-max-pods" || r.Pods != 500 {
		t.Errorf("%+v %+v", a.Verdict, r)
	}
	if len(r.Changes) != 1 || r.Changes[0] != (Change{"maxPods", int64(250), int64(500)}) {
		t.Errorf("changes %v", r.Changes)
	}
	if !strings.Contains(r.Diff, "-  \"maxPods\": 250,\n+  \"maxPods\": 500,\n") {
		t.Error(r.Diff)
	}
	var conf map[string]any
	if err := json.Unmarshal([]byte(r.Conf), &conf); err != nil || conf["maxPods"] != 500.0 || conf["kubeAPIQPS"] != 50.0 {
		t.Errorf("%v %v", err, conf)
	}
}

// OCP 2.2: the pool must be labelled first.
func TestSetMaxPodsWithoutLabel(t *testing.T) {
	found := Check(documents(t, "set-max-pods"), release.V44)
	if f, ok := find(found, "unlabelled"); !ok ||
		!strings.Contains(f.Remedy, "oc label machineconfigpool worker custom-kubelet=large-pods") {
		t.Errorf("%v", found)
	}
	if a := Explain(documents(t, "set-max-pods"), Options{Release: release.V44}); a.Verdict.OK ||
		!strings.Contains(a.Verdict.Problem, "reaches") {
		t.Errorf("%+v", a.Verdict)
	}
}

// OCP 6.1: cpumanager-enabled.
func TestCPUManagerEnabled(t *testing.T) {
	r := Explain(documents(t, "cpumanager-enabled", "pool-cpumanager"),
		Options{Release: release.V44}).Result.(Result).Pools[0]
	for _, want := range []string{`+  "cpuManagerPolicy": "static"`, `+  "cpuManagerReconcilePeriod": "5s"`} {
		if !strings.Contains(r.Diff, want) {
			t.Errorf("no %s in\n%s", want, r.Diff)
		}
	}
}

// OCP 7.1: 4.4 needs the feature set before the policy; later releases don't.
func TestTopologyManagerNeedsFeatureSet(t *testing.T) {
	const gate = "apiVersion: config.openshift.io/v1\nkind: FeatureGate\nmetadata: {name: cluster}\n" +
		"spec: {featureSet: LatencySensitive}\n"
	with := append(documents(t, "topologymanager", "pool-cpumanager"), objectsOf(t, gate)...)
	for _, r := range release.Documented() {
		without := Check(documents(t, "topologymanager", "pool-cpumanager"), r)
		if _, ok := find(without, "topologyGate"); ok != (r.Minor() <= release.V44) {
			t.Errorf("%v: %v", r, ids(without))
		}
		if r.Minor() <= release.V45 {
			if found := Check(with, r); len(found) > 0 {
				t.Errorf("%v with the feature set: %v", r, found)
			}
		}
	}
	a := Explain(with, Options{Release: release.V44})
	if !strings.Contains(a.Result.(Result).Pools[0].Diff, `+    "TopologyManager": true`) {
		t.Error(a.Result.(Result).Pools[0].Diff)
	}
}

// OCP 9.1: 500 user pods need a hostPrefix of 22.
func TestHostPrefix(t *testing.T) {
	for _, c := range []struct {
		pods, prefix int
		want         string
	}{{500, 0, ""}, {500, 22, ""}, {500, 23, "hostPrefixTight"}, {520, 23, "hostPrefixShort"}, {250, 23, ""},
		{500, 24, "hostPrefixShort"}} {
		conf, _ := Merge(Base("worker", release.V44), map[string]any{"maxPods": int64(c.pods)})
		problems := judgeNetwork(conf, c.prefix)
		got := ""
		if len(problems) > 0 {
			got = strings.TrimPrefix(problems[0].Rule.ID, "kubelet.")
			if c.pods <= 500 && !strings.Contains(problems[0].Fix, "hostPrefix 22") {
				t.Errorf("%v: %s", c, problems[0].Fix)
			}
		}
		if got != c.want {
			t.Errorf("%d pods, hostPrefix %d: %q, want %q", c.pods, c.prefix, got, c.want)
		}
	}
}

// Section 8, line 18: 0, false, "" and empty lists can't override; behind a pointer
// they can in the old releases; podsPerCore 0 over nothing is no loss.
func TestSection8_18_zero_values_cannot_override(t *testing.T) {
	part := map[string]any{"maxPods": int64(0), "rotateCertificates": false, "clusterDomain": "", "clusterDNS": []any{},
		"kubeAPIBurst": int64(0),
		"kubeAPIQPS":   int64(0), "serializeImagePulls": true, "cpuCFSQuota": false, "podsPerCore": int64(0),
		"systemReserved": map[string]any{"cpu": "1"}}
	for _, r := range release.Documented() {
		conf, problems := Merge(Base("worker", r), part)
		for field, want := range map[string]any{"maxPods": int64(250), "rotateCertificates": true,
			"clusterDomain": "cluster.local", "kubeAPIBurst": int64(100),
			"cpuCFSQuota": false, "podsPerCore": nil, "systemReserved.cpu": "1"} {
			if got := conf.Get(field); got != want {
				t.Errorf("%v: %s is %v, want %v", r, field, got, want)
			}
		}
		qps := int64(0)
		if r == release.Current {
			qps = 50
		}
		if got := conf.Get("kubeAPIQPS"); got != qps {
			t.Errorf("%v: kubeAPIQPS is %v, want %v", r, got, qps)
		}
		if r.Minor() <= release.V45 && conf.Get("systemReserved.memory") != "1Gi" {
			t.Errorf("%v: a mapping is not merged key by key", r)
		}
		want := []string{"clusterDNS", "clusterDomain", "kubeAPIBurst", "maxPods", "rotateCertificates"}
		if r == release.Current {
			want = slices.Insert(want, 3, "kubeAPIQPS")
		}
		var got []string
		for _, p := range problems {
			got = append(got, p.Path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: without effect %v, want %v", r, got, want)
		}
	}
}

// Section 8, line 19: set-max-pods and cpumanager-enabled on one pool: one is lost.
func TestSection8_19_second_KubeletConfig_erases_the_first(t *testing.T) {
	one := cr("set-max-pods", "custom: k", "kubeletConfig: {maxPods: 500}")
	two := cr("cpumanager-enabled", "custom: k",
		"kubeletConfig: {cpuManagerPolicy: static, cpuManagerReconcilePeriod: 5s}")
	for _, of := range release.Documented() {
		a := Explain(objectsOf(t, one+two+onPool("worker", "custom: k")), Options{Release: of})
		r := a.Result.(Result).Pools[0]
		if r.Wins != "cpumanager-enabled" || len(r.Lose) != 1 || r.Lose[0].Name != "set-max-pods" ||
			r.Lose[0].Lost != "maxPods 500" || r.Pods != 250 {
			t.Errorf("%v: %+v", of, r)
		}
		if f, ok := find(a.Findings, "severalOnPool"); !ok || !strings.Contains(f.Message, "lost is maxPods 500") {
			t.Errorf("%v: %v", of, a.Findings)
		}
	}
}

// Section 8, line 20: a label of nodes selects no pool.
func TestSection8_20_pool_labels_versus_node_labels(t *testing.T) {
	text := cr("k", `node-role.kubernetes.io/worker: ""`, "kubeletConfig: {maxPods: 500}")
	for _, r := range release.Documented() {
		for _, more := range []string{"", onPool("worker", "a: b")} {
			found := Check(objectsOf(t, text+more), r)
			if len(found) != 1 || found[0].ID != "kubelet.nodeLabels" || found[0].Place.Line != 6 {
				t.Errorf("%v: %+v", r, found)
			}
		}
	}
}

// S8: the document says that no reboot is needed.
func TestRebootIsTold(t *testing.T) {
	a := Explain(documents(t, "cpumanager-enabled", "pool-cpumanager"), Options{Release: release.V44})
	if lead := a.Parts[0].Lead[0]; !strings.Contains(lead, "drained and rebooted") {
		t.Error(lead)
	}
}
