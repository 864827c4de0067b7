package place_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/scheduler/schedulertest"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/kube"
	"plimsoll.dev/source/scenario"
)

// placedPod is a pod that arrived: its type and its node, empty for none.
type placedPod struct{ Type, Node string }

// fromSnapshot places the pods of a snapshot that wait, as "plimsoll place --snapshot"
// does.
func fromSnapshot(t *testing.T, text []byte, name string) ([]placedPod, *v1alpha1.Placement) {
	t.Helper()
	inv, err := kube.ReadSnapshot(bytes.NewReader(text), name, kube.Options{})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := scenario.Read("test.yaml", []byte(head))
	if err != nil {
		t.Fatal(err)
	}
	assumed := plan.Merge(doc.Scenario, inv, doc.Assumptions)
	c := cluster.Build(cluster.Input{Scenario: doc.Scenario, Snapshot: inv, Assumptions: assumed, Facts: facts.Load()})
	var pods []placedPod
	p, err := place.Make(c, doc.Scenario, place.Options{Order: cluster.Runs, Each: func(kind, node int) {
		pod := placedPod{Type: c.Kinds[kind].Type.Name}
		if node >= 0 {
			pod.Node = c.Nodes[node].Name
		}
		pods = append(pods, pod)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return pods, p
}

// TestSnapshots replays what kube-scheduler 1.36.3 decided about the pods of each
// snapshot that wait: the nodes one by one, and the message of the first of each type
// that fits nowhere. However the text is written, the answer is the same.
func TestSnapshots(t *testing.T) {
	files, err := filepath.Glob("testdata/snapshots/*")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, ".answers") })
	if len(files) < 20 {
		t.Fatalf("%d snapshots", len(files))
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text := snapshotText(t, name)
			recorded, err := os.ReadFile(name + ".answers")
			if err != nil {
				t.Fatal(err)
			}
			var answers []schedulertest.FileAnswer
			if err := json.Unmarshal(recorded, &answers); err != nil {
				t.Fatal(err)
			}
			for form, text := range forms(t, text) {
				pods, p := fromSnapshot(t, text, filepath.Base(name))
				if diff := unlikeAnswers(pods, p, answers); diff != "" {
					t.Errorf("%s: (-kube-scheduler +here)\n%s", form, diff)
				}
			}
		})
	}
}

// snapshotText is a snapshot, unpacked where it is packed.
func snapshotText(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := io.Reader(f)
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// unlikeAnswers is the difference of what was decided, and of the messages.
func unlikeAnswers(pods []placedPod, p *v1alpha1.Placement, answers []schedulertest.FileAnswer) string {
	var want, got []schedulertest.FileAnswer
	told := map[string]bool{}
	for i, a := range answers {
		if i >= len(pods) {
			return cmp.Diff(len(answers), len(pods))
		}
		here := schedulertest.FileAnswer{Pod: a.Pod, Node: pods[i].Node, Message: a.Message}
		if kind := pods[i].Type; here.Node == "" && !told[kind] {
			told[kind] = true
			here.Message = outcomeOf(p, kind).Message
		}
		want, got = append(want, a), append(got, here)
	}
	if len(pods) != len(answers) {
		return cmp.Diff(len(answers), len(pods))
	}
	return cmp.Diff(want, got)
}

func outcomeOf(p *v1alpha1.Placement, name string) v1alpha1.PodOutcome {
	for _, o := range p.PodTypes {
		if o.Name == name {
			return o
		}
	}
	return v1alpha1.PodOutcome{}
}

// forms are the same objects on one line, indented, and as YAML.
func forms(t *testing.T, text []byte) map[string][]byte {
	t.Helper()
	var line, indented bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		t.Fatal(err)
	}
	if err := json.Indent(&indented, text, "", "    "); err != nil {
		t.Fatal(err)
	}
	var objects any
	if err := yaml.Unmarshal(text, &objects); err != nil {
		t.Fatal(err)
	}
	written, err := yaml.Marshal(objects)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"on one line": line.Bytes(), "indented": indented.Bytes(), "YAML": written}
}

// TestNotTried: kube-scheduler leaves pods with gates, and those of other schedulers,
// alone; they don't run, and the verdict says so.
func TestNotTried(t *testing.T) {
	for name, want := range map[string][2]string{
		"schedulingGates": {"default/gated",
			"SchedulingGated: Scheduling is blocked due to non-empty scheduling gates (wait)"},
		"schedulerName": {"default/other", "the scheduler volcano decides about it, whose rules are not known here"},
	} {
		text, err := os.ReadFile("testdata/snapshots/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		_, p := fromSnapshot(t, text, name)
		if o := outcomeOf(p, want[0]); o.Message != want[1] || o.Pending != 1 || o.Placed+o.More != 0 ||
			p.Verdict.Fits ||
			!strings.HasSuffix(p.Verdict.Problem, want[1]) {
			t.Errorf("%s: %+v, %+v", name, o, p.Verdict)
		}
	}
}

// TestQueueIsTold: the pod of the higher priority comes first, although the other is older and listed
// before it, and the rules say so.
func TestQueueIsTold(t *testing.T) {
	text, err := os.ReadFile("testdata/snapshots/priorityOrder.json")
	if err != nil {
		t.Fatal(err)
	}
	pods, p := fromSnapshot(t, text, "priorityOrder.json")
	if pods[0] != (placedPod{"default/b-high", "n1"}) ||
		!slices.Contains(p.Rules, "pods arrive in the queue's order, by priority and then by age") {
		t.Errorf("%v by %q", pods, p.Rules)
	}
}

// TestPendingDaemon: the pod of a DaemonSet that waits is counted, here for a full node.
func TestPendingDaemon(t *testing.T) {
	text, err := os.ReadFile("testdata/snapshots/dsNoRoom.json")
	if err != nil {
		t.Fatal(err)
	}
	_, p := fromSnapshot(t, text, "dsNoRoom.json")
	if o := outcomeOf(p, "default/ds"); o.Wanted != 2 || o.Bound != 1 || o.Pending != 1 || p.Verdict.Fits {
		t.Errorf("%+v, %+v", o, p.Verdict)
	}
}

// TestScenarioSpreads: the pods of a type stand for a Deployment's, which the scheduler
// spreads over nodes: 12 of them on one node of 32 CPUs and three of 8, as the real one
// does with those of a ReplicaSet (default-spread-deployment.json).
func TestScenarioSpreads(t *testing.T) {
	p := made(t, `
hardware:
  nodeTypes:
    - {name: big, cpus: 32, memory: 128Gi, systemReserved: {cpu: 0, memory: 0}, evictionHard: 0}
    - {name: small, cpus: 8, memory: 32Gi, systemReserved: {cpu: 0, memory: 0}, evictionHard: 0}
  options: [{name: both, nodes: [{type: big, count: 1}, {type: small, count: 3}]}]
workload: {podTypes: [{name: web, replicas: 12, cpu: 500m, memory: 1Gi}]}
policy: {spareNodes: 0, systemPodsPerNode: 0}
`, 0)
	most := 0
	for _, n := range p.Nodes {
		most = max(most, n.Pods[0].Count)
	}
	if most > 4 {
		t.Errorf("%d pods on one node: %+v", most, p.Nodes)
	}
}

// TestRefusedForGood: nobody makes a bare pod again that a kubelet has refused: it wants 6
// CPUs of a machine with 4 on each NUMA node. It is named as in its manifest.
func TestRefusedForGood(t *testing.T) {
	inv, err := kube.ReadManifests(fstest.MapFS{"p.yaml": {Data: []byte(`
{apiVersion: v1, kind: Pod, metadata: {name: lonely, namespace: prod}, spec: {containers: [{name: app, resources: {limits: {cpu: 6, memory: 1Gi}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: small, namespace: prod}, spec: {containers: [{name: app, resources: {limits: {cpu: 2, memory: 1Gi}}}]}}
`)}}, []string{"p.yaml"}, kube.Options{})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := scenario.Read("test.yaml", []byte(head+`
hardware: {nodeTypes: [{name: m, topology: 2 sockets x 4 cores, memory: 32Gi, count: 1, systemReserved: {cpu: 1, memory: 1Gi}, kubelet: {cpuManagerPolicy: static, topologyManagerPolicy: single-numa-node}}]}
policy: {spareNodes: 0, systemPodsPerNode: 0}
`))
	if err != nil {
		t.Fatal(err)
	}
	assumed := plan.Merge(doc.Scenario, inv, doc.Assumptions)
	c := cluster.Build(cluster.Input{Scenario: doc.Scenario, Pools: []v1alpha1.PoolDecision{{Type: "m", Count: 1}},
		Assumptions: assumed, Facts: facts.Load()})
	p, err := place.Make(c, doc.Scenario, place.Options{Order: cluster.Runs})
	if err != nil {
		t.Fatal(err)
	}
	o := outcomeOf(p, "prod/lonely")
	if o.Failed != 1 || o.Refused != 1 || o.Pending != 0 || o.Runaway || p.Verdict.Fits ||
		p.Verdict.Problem != "1 pod of prod/lonely: a kubelet refuses it, and no controller makes another" {
		t.Errorf("%+v, %+v", o, p.Verdict)
	}
	if got := p.Machines[0].Owners[0].Pod; got != "prod/small" {
		t.Errorf("the pod is called %s", got)
	}
	if got := p.Machines[0].Owners[0].Container; got != "app" {
		t.Errorf("its container is called %s", got)
	}
}

// TestDoubted: what can change where pods go, and is not known, is a finding beside a
// verdict that is not green.
func TestDoubted(t *testing.T) {
	p := &v1alpha1.Placement{}
	p.Verdict.Fits = true
	place.Skip(p, []v1alpha1.Skipped{{What: "a", Why: "of no weight"}}, nil)
	if !p.Verdict.Fits || len(p.Skipped) != 1 {
		t.Errorf("%+v", p)
	}
	skipped := []v1alpha1.Skipped{{What: "claims", Why: "in doubt", Decides: true}, {What: "b", Planning: true}}
	place.Skip(p, skipped, v1alpha1.Undecided(skipped))
	if p.Verdict.Good() || !slices.Equal(p.Verdict.Open, []string{"claims: in doubt"}) ||
		len(p.Findings) != 1 || len(p.Skipped) != 2 {
		t.Errorf("%+v", p)
	}
}
