package kubeletconfig

import (
	"encoding/json"
	"strings"
	"testing"

	"plimsoll.dev/release"
)

// Two pools, of which the custom one has a KubeletConfig of its own.
func TestExplainPools(t *testing.T) {
	text := cr("all", "k: v", "kubeletConfig: {maxPods: 300, podsPerCore: 20}") +
		cr("of-rt", "k: rt", "kubeletConfig: {cpuManagerPolicy: static}") +
		onPool("worker", "k: v") + onPool("rt", "k: rt")
	a := Explain(objectsOf(t, text), Options{Release: release.Current, Cores: 4})
	r := a.Result.(Result)
	if len(r.Pools) != 2 || r.Pools[0].Wins != "all" || r.Pools[0].Pods != 80 || r.Pools[1].Wins != "of-rt" ||
		r.Pools[1].Pods != 250 {
		t.Fatalf("%+v", r)
	}
	if l := r.Pools[1].Lose; len(l) != 1 || l[0].Name != "all" || l[0].Lost != "maxPods 300, podsPerCore 20" ||
		l[0].MachineConfig != "99-worker-generated-kubelet" {
		t.Errorf("%+v", l)
	}
	if !a.Verdict.OK || a.Release != "current" ||
		!strings.Contains(a.Verdict.Summary, "pool worker gets all (maxPods 250 -> 300, podsPerCore not set -> 20): "+
			"a node of 4 cores takes 80 pods") || a.Verdict.Problem == "" {
		t.Errorf("%+v", a.Verdict)
	}
	if _, err := json.Marshal(a); err != nil {
		t.Error(err)
	}
	one := Explain(objectsOf(t, text), Options{Release: release.Current, Pool: "rt"}).Result.(Result)
	if len(one.Pools) != 1 || one.Pools[0].Pool != "rt" {
		t.Errorf("%+v", one)
	}
}

// Without cores a podsPerCore leaves the number of pods open.
func TestExplainWithoutCores(t *testing.T) {
	a := Explain(objectsOf(t, cr("x", "k: v", "kubeletConfig: {podsPerCore: 20}")+onPool("worker", "k: v")),
		Options{Release: release.V44})
	if r := a.Result.(Result).Pools[0]; r.Pods != 0 || !strings.Contains(a.Verdict.Summary, "depend on its cores") ||
		a.Verdict.OK || !strings.Contains(a.Verdict.Problem, "the cores of the nodes of pool worker are not given") {
		t.Errorf("%d %+v", r.Pods, a.Verdict)
	}
}

// A refused KubeletConfig leaves the template.
func TestExplainRefused(t *testing.T) {
	a := Explain(objectsOf(t, cr("x", "k: v", "kubeletConfig: {clusterDomain: x}")+onPool("worker", "k: v")),
		Options{Release: release.V44, HostPrefix: 23})
	r := a.Result.(Result).Pools[0]
	if a.Verdict.OK || r.Wins != "" || r.Diff != "" || len(r.Lose) != 1 || !r.Lose[0].Refused ||
		r.Lose[0].Lost != "all of it" {
		t.Errorf("%+v %+v", a.Verdict, r)
	}
	if !strings.Contains(a.Verdict.Summary, "keeps the template") {
		t.Error(a.Verdict.Summary)
	}
}

// A pool that isn't there, and one that no KubeletConfig reaches.
func TestExplainOthers(t *testing.T) {
	none := Explain(objectsOf(t, cr("x", "k: v", "kubeletConfig: {maxPods: 300}")+onPool("worker", "k: v")),
		Options{Release: release.V44, Pool: "gpu"})
	if v := none.Verdict; v.OK || v.Problem != `there is no pool "gpu" (the pools are worker, master)` ||
		v.Summary != "no pool gets anything" {
		t.Error(none.Verdict)
	}
	plain := Explain(nil, Options{Release: release.V44, Pool: "worker", DNS: "10.1.0.10"}).Result.(Result).Pools[0]
	if plain.Pods != 250 || !strings.Contains(plain.Conf, `"10.1.0.10"`) || plain.Diff != "" {
		t.Errorf("%+v", plain)
	}
}

// Of two with one name the cluster has the later one: it has no rival.
func TestExplainOneNameTwice(t *testing.T) {
	text := cr("x", "k: v", "kubeletConfig: {maxPods: 300}") + cr("x", "k: v", "kubeletConfig: {podsPerCore: 10}") +
		onPool("worker", "k: v")
	for _, of := range release.Documented() {
		a := Explain(objectsOf(t, text), Options{Release: of})
		r := a.Result.(Result).Pools[0]
		if len(a.Findings) > 0 || len(r.Lose) > 0 || len(r.Changes) != 1 || r.Changes[0].Field != "podsPerCore" ||
			strings.HasSuffix(r.MachineConfig, "-1") {
			t.Errorf("%s: %+v %v", of, r, a.Findings)
		}
	}
}

// Of a pool that stands in the files twice the last counts, and it is shown once.
func TestExplainPoolTwice(t *testing.T) {
	text := cr("a", "k: v", "kubeletConfig: {maxPods: 300}") + onPool("infra", "k: v") + onPool("infra", "k: v, l: w")
	r := Explain(objectsOf(t, text), Options{Release: release.Current}).Result.(Result)
	if len(r.Pools) != 1 || r.Pools[0].Pool != "infra" {
		t.Errorf("%+v", r.Pools)
	}
}

// Where nothing could be explained, the verdict is not that all is well.
func TestExplainNothing(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "there is no KubeletConfig among 0 objects",
		"kind: Tuned\nmetadata: {name: x}\n": "there is no KubeletConfig among 1 object",
		onPool("worker", "k: v") + onPool("rt", "k: rt"):                    "there is no KubeletConfig among 2 objects",
		cr("x", "k: other", "kubeletConfig: {}") + onPool("worker", "k: v"): "none of 1 KubeletConfig reaches a pool",
	} {
		for _, r := range release.Documented() {
			if v := Explain(objectsOf(t, text), Options{Release: r}).Verdict; v.OK || v.Problem != want ||
				v.Summary != "no pool gets anything" {
				t.Errorf("%s: %+v", text, v)
			}
		}
	}
	shown := Explain(nil, Options{Release: release.V44, Pool: "worker"})
	if shown.Verdict.OK || len(shown.Parts) != 1 {
		t.Errorf("the template of a pool: %+v", shown.Verdict)
	}
}

// maxPods is held against the network when its hostPrefix is known.
func TestExplainHostPrefix(t *testing.T) {
	objects := documents(t, "set-max-pods", "pool-large-pods")
	for prefix, want := range map[int]string{22: "", 23: "hostPrefixTight", 24: "hostPrefixShort"} {
		a := Explain(objects, Options{Release: release.V44, HostPrefix: prefix})
		got := strings.Join(ids(a.Findings), " ")
		if got != want {
			t.Errorf("hostPrefix %d: %s, want %s", prefix, got, want)
		}
	}
}

// A pool of which only the label is written down is the pool of every cluster.
func TestExplainPatchedPool(t *testing.T) {
	patch := "---\nkind: MachineConfigPool\nmetadata: {name: worker, labels: {k: v}}\n"
	for _, of := range release.Documented() {
		a := Explain(objectsOf(t, cr("x", "k: v", "kubeletConfig: {maxPods: 300}")+patch), Options{Release: of})
		if r := a.Result.(Result); len(r.Pools) != 1 || r.Pools[0].Wins != "x" || len(a.Findings) != 0 {
			t.Errorf("%v: %+v %v", of, r, a.Findings)
		}
	}
}

// What goes to files beside kubelet.conf changes the nodes as well, and is told in the verdict.
func TestExplainFilesBeside(t *testing.T) {
	for spec, want := range map[string]string{
		`kubeletConfig: {systemReserved: {cpu: "1"}}`: "(/etc/node-sizing-enabled.env is written)",
		"autoSizingReserved: true":                    "(/etc/node-sizing-enabled.env is written)",
		"logLevel: 5":                                 "(/etc/systemd/system/kubelet.service.d/20-logging.conf is written)",
		"kubeletConfig: {maxPods: 250}":               "(kubelet.conf stays the same)",
	} {
		a := Explain(objectsOf(t, cr("x", "k: v", spec)+onPool("worker", "k: v")), Options{Release: release.Current})
		if !strings.Contains(a.Verdict.Summary, "pool worker gets x "+want) {
			t.Errorf("%s: %s", spec, a.Verdict.Summary)
		}
	}
}

// A KubeletConfig for a label that no given pool has may be the one that counts: what the
// others come to is no good answer then.
func TestExplainUnseenPool(t *testing.T) {
	own := cr("own", "pools.operator.machineconfiguration.openshift.io/worker: ''", "kubeletConfig: {maxPods: 300}")
	if a := Explain(objectsOf(t, own), Options{Release: release.Current}); !a.Verdict.OK {
		t.Errorf("%+v", a.Verdict)
	}
	a := Explain(objectsOf(t, own+cr("other", "k: v", "kubeletConfig: {maxPods: 400}")), Options{Release: release.Current})
	if a.Verdict.OK || a.Findings[0].ID != unlabelled.ID || !strings.Contains(a.Verdict.Summary, "pool worker gets own") {
		t.Errorf("%+v %v", a.Verdict, a.Findings)
	}
}
