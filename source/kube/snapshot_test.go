package kube

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/source/kube/kubetest"
	"plimsoll.dev/unit"
)

// made is a snapshot of a made-up cluster.
func made(t testing.TB, nodes, pods int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := kubetest.Snapshot(&b, nodes, pods); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSnapshot counts what kubetest put into a snapshot: of 200 pods there are
// 12 static ones of the control plane, 50 of daemon sets, and 138 of owners.
func TestSnapshot(t *testing.T) {
	inv := snapshot(t, string(made(t, 10, 200)))
	var plain, owned, held int
	for _, p := range inv.PodTypes {
		switch {
		case p.Held:
			held += p.Replicas
		case p.DaemonSet:
			owned++
			if p.Replicas != 10 {
				t.Errorf("%s has %d pods, want one on each of 10 nodes", p.Name, p.Replicas)
			}
		default:
			plain += p.Replicas
		}
	}
	// Pod 150 was evicted; pods 0, 50 and 100 are not of a deployment.
	if owned != kubetest.DaemonSets || plain != 138-1 || held != 12 {
		t.Errorf("%d daemon sets, %d other pods and %d held", owned, plain, held)
	}
	want := []string{
		"s.json:4: attachable-volumes-aws-ebs: the number of volumes that a node can attach is not planned (10)",
	}
	got := skips(inv)
	if diff := cmp.Diff(want, got[:1]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, s := range []string{"static pods of the control plane: the control plane is sized by a table of its own (12)",
		"finished pods: they hold nothing any more"} {
		if !strings.HasSuffix(got[1+i], s) {
			t.Errorf("%s, want %s", got[1+i], s)
		}
	}
	wantTypes := []string{
		"team-0000/app-00000 x8 Burstable cpu=250m mem=256Mi memLimit=512Mi",
		"team-0000/app-00001 x8 BestEffort cpu=0 mem=0",
		"team-0000/app-00002 x8 Guaranteed cpu=1 mem=2Gi cpuLimit=1 memLimit=2Gi",
		"team-0000/app-00003 x8 Burstable cpu=100m mem=128Mi",
		"team-0000/app-00004 x8 Burstable cpu=250m mem=256Mi memLimit=512Mi storage=10Gi",
	}
	if diff := cmp.Diff(wantTypes, lines(inv)[kubetest.DaemonSets:][:5]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSnapshotForms reads the same cluster as JSON, without blanks, as YAML in
// two forms, split in two lists, and in small pieces.
func TestSnapshotForms(t *testing.T) {
	text := made(t, 8, 150)
	want := snapshot(t, string(text))
	asYAML, err := yaml.JSONToYAML(text)
	if err != nil {
		t.Fatal(err)
	}
	indented := strings.ReplaceAll(string(asYAML), "\n", "\n  ")
	indented = strings.NewReplacer("\n  items:\n", "\nitems:\n  # the list\n", "\n  kind: List\n", "\nkind: List\n",
		"\n  metadata:\n    resource", "\nmetadata:\n  resource").Replace(indented)
	compact := compactJSON(t, text)
	forms := map[string]io.Reader{
		"compact":       bytes.NewReader(compact),
		"yaml":          bytes.NewReader(asYAML),
		"indented yaml": strings.NewReader("# from kubectl\n---\n" + indented),
		"pieces":        iotest.HalfReader(bytes.NewReader(text)),
		"mark":          io.MultiReader(strings.NewReader("\ufeff \n"), bytes.NewReader(text)),
	}
	for name, in := range forms {
		t.Run(name, func(t *testing.T) {
			got, err := ReadSnapshot(in, "s.json", Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(withoutPlaces(want), withoutPlaces(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func compactJSON(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, line := range bytes.Split(text, []byte("\n")) {
		b.Write(bytes.TrimSpace(line))
	}
	return b.Bytes()
}

// withoutPlaces is what is the same however the text is laid out.
func withoutPlaces(inv *v1alpha1.Inventory) []string {
	out := append(lines(inv), fmt.Sprintf("%+v", inv.Objects))
	for _, n := range inv.NodeTypes {
		out = append(out, fmt.Sprintf("%s %d %d", n.Name, *n.Count, n.Memory))
	}
	seen := map[string]bool{}
	for _, s := range skips(inv) {
		_, what, _ := strings.Cut(s, ": ")
		seen[what] = true
	}
	return append(out, fmt.Sprint(seen))
}

// TestSameBytes: whichever goroutine reads what, the result is the same.
func TestSameBytes(t *testing.T) {
	text := string(made(t, 20, 1500))
	want := snapshot(t, text)
	for range 5 {
		if diff := cmp.Diff(want, snapshot(t, text)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

func TestPlaces(t *testing.T) {
	text := "{\n  \"items\": [\n    " + barePod("a") + ",\n\n    " + barePod("b") +
		"\n  ],\n  \"kind\": \"List\"\n}\n{\"kind\":\"List\",\"items\":[\n" + barePod("c") + "]}\n" + barePod("d")
	asYAML := "items:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{}]}}\n# b\n-\n" +
		"  apiVersion: v1\n  kind: Pod\n  metadata: {name: b}\n  spec: {containers: [{}]}\nkind: List\n---\n" +
		"apiVersion: v1\nkind: Pod\nmetadata: {name: c}\nspec: {containers: [{}]}\n"
	for _, test := range []struct {
		text string
		want []string
	}{
		{text, []string{"a s.json:3", "b s.json:5", "c s.json:10", "d s.json:11"}},
		{asYAML, []string{"a s.json:2", "b s.json:5", "c s.json:11"}},
	} {
		var got []string
		for _, p := range snapshot(t, test.text).PodTypes {
			got = append(got, p.Name+" "+p.Origin)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// barePod is a pod with nothing but a name.
func barePod(name string) string {
	return `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "` + name + `"}, "spec": {"containers": [{}]}}`
}

func TestSnapshotProblems(t *testing.T) {
	long, few := Options{MaxFile: 1 << 10}, Options{MaxObjects: 1}
	const node = `{"apiVersion": "v1", "kind": "Node"}`
	huge := `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "` + strings.Repeat("x", 2<<20) + `"}}`
	tests := []struct {
		name, text, want string
		opt              Options
	}{
		{"empty", " \n", "s.json:1:1: the snapshot is empty (write one with 'kubectl get " +
			"nodes,pods,services,deployments -A -o json')", Options{}},
		{"cut", "{\"items\": [\n  " + barePod("a") + ",\n", "s.json:3:1: the JSON ends in the middle (is the file complete?)",
			Options{}},
		{"cut in a string", "{\"items\": [\n  " + barePod("a") + ",\n {\"kind",
			"s.json:3:8: the JSON ends in the middle (is the file complete?)", Options{}},
		{"no JSON", "{\"items\": [\n  {\n    \"kind\": \"Pod\",\n    \"spec\" {}}]}",
			"s.json:4:12: the JSON can't be read: invalid character '{' after object name (expecting ':')", Options{}},
		{"behind the list", "{\"items\": []}\n}",
			"s.json:2:1: the JSON can't be read: invalid character '}' at start of value", Options{}},
		{"a quantity", "{\"items\": [\n" + strings.Replace(barePod("a"), "{}",
			"{\n\"resources\": {\"limits\": {\"memory\": \"16 GiB\"}}}", 1) + "]}",
			`s.json:3:36: memory: "16 GiB" is not a byte quantity (did you mean 16Gi?)`, Options{}},
		{"an object that is too long", "{\"items\": [\n" + huge + "]}",
			"s.json:2:1: an object is longer than 1 KiB (is this what kubectl wrote?)", long},
		{"an item that is too long", "items:\n- a\n- " + huge,
			"s.json:3:1: an object is longer than 1 KiB (is this what kubectl wrote?)", long},
		{"too many objects", "{\"items\": [\n" + barePod("a") + ",\n" + barePod("b") + ",\n" + barePod("c") + "]}",
			"s.json:3:1: there are more than 1 object (ask kubectl for fewer kinds, or for one namespace)", few},
		{"too many documents", barePod("a") + "\n " + barePod("b") + barePod("c"),
			"s.json:2:2: there are more than 1 object (ask kubectl for fewer kinds, or for one namespace)", few},
		{"too many in YAML", "items:\n- a: 1\n- b: 2\n- c: 3\n",
			"s.json:3:1: there are more than 1 object (ask kubectl for fewer kinds, or for one namespace)", few},
		{"too many nodes", `{"items": [` + "\n" + node + ",\n" + node + ",\n" + barePod("c") + "]}",
			"s.json:3:1: there are more than 1 node (plan a part of them, by a selector of kubectl's)", Options{MaxNodes: 1}},
		{"bad YAML", "items:\n- a: 1\n- kind: Pod\n  x: [\n", "s.json:4:6: the [ is not closed (add ])", Options{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadSnapshot(strings.NewReader(test.text), "s.json", test.opt)
			if err == nil || err.Error() != test.want {
				t.Errorf("%v\nwant %s", err, test.want)
			}
		})
	}
}

func TestSnapshotReadError(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, head := range []string{"", "{\"items\": [", "items:\n- a"} {
		in := io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken))
		if _, err := ReadSnapshot(in, "s.json", Options{}); !errors.Is(err, broken) {
			t.Errorf("after %q: %v", head, err)
		}
	}
}

// TestLiveOwners names pods by the controllers that people know.
func TestLiveOwners(t *testing.T) {
	live := func(name, labels, kind, owner string) string {
		return `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "` + name + `", "namespace": "n", "labels": {` +
			labels +
			`}, "ownerReferences": [{"kind": "` + kind + `", "name": "` + owner +
			`", "controller": true}]}, "spec": {"nodeName": "x", "containers": [{}]}}`
	}
	text := `{"kind": "List", "items": [` + strings.Join([]string{
		live("a-5d-1", `"pod-template-hash": "5d"`, "ReplicaSet", "a-5d"),
		live("a-77-1", `"pod-template-hash": "77"`, "ReplicaSet", "a-77"),
		live("b-1-x", `"deploymentconfig": "b", "deployment": "b-1"`, "ReplicationController", "b-1"),
		live("c-27891234-x", ``, "Job", "c-27891234"),
		live("d-x", ``, "Job", "d-7"),
		live("e-0", `"statefulset.kubernetes.io/pod-name": "e-0"`, "StatefulSet", "e"),
		live("e-1", `"statefulset.kubernetes.io/pod-name": "e-1"`, "StatefulSet", "e"),
		barePod("load-1"), barePod("load-2"), barePod("solo-1x"),
		`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "n"}, ` +
			`"spec": {"replicas": 9, "template": {"spec": {"containers": [{}]}}}}`,
		`{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h", "namespace": "n"}, ` +
			`"spec": {"maxReplicas": 5, "scaleTargetRef": {"kind": "Deployment", "name": "a"}}}`,
	}, ",\n") + "]}"
	inv := snapshot(t, text)
	var got []string
	for _, p := range inv.PodTypes {
		got = append(got, fmt.Sprintf("%s x%d", p.Name, p.Replicas))
	}
	if diff := cmp.Diff([]string{"load x2", "solo-1x x1", "n/a x2", "n/b x1", "n/c x1", "n/d-7 x1", "n/e x2"},
		got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []string{
		"s.json:12: HorizontalPodAutoscaler n/h: Deployment a has 2 pods now, which are counted; it may grow to 5",
	}
	if diff := cmp.Diff(want, skips(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if inv.Objects.Deployments != 1 {
		t.Errorf("objects %+v", inv.Objects)
	}
}

// TestControllersOnly: without pods the controllers count.
func TestControllersOnly(t *testing.T) {
	inv := snapshot(t, `{"kind": "List", "items": [{"apiVersion": "apps/v1", "kind": "Deployment", `+
		`"metadata": {"name": "a"}, "spec": {"replicas": 9, "template": {"spec": {"containers": [{}]}}}}]}`)
	if diff := cmp.Diff([]string{"a x9 BestEffort cpu=0 mem=0"}, lines(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFewTypes puts types together when there are too many.
func TestFewTypes(t *testing.T) {
	text := made(t, 8, 400)
	count := func(most int) (types, pods int, names []string) {
		inv, err := ReadSnapshot(bytes.NewReader(text), "s.json", Options{MaxPodTypes: most})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range inv.PodTypes {
			pods += p.Replicas
			if !p.Held {
				names = append(names, p.Name)
			}
		}
		return len(names), pods, names
	}
	types, pods, _ := count(0)
	fewer, samePods, _ := count(types - 1)
	fewest, stillPods, names := count(1)
	if fewer >= types || fewest > fewer || pods != samePods || pods != stillPods {
		t.Errorf("%d, %d and %d types of %d, %d and %d pods", types, fewer, fewest, pods, samePods, stillPods)
	}
	if !strings.Contains(strings.Join(names, " "), "team-0000/app-00000-and-") {
		t.Errorf("names %q", names)
	}
}

// TestControlPlanePods stay there, by a node selector.
func TestControlPlanePods(t *testing.T) {
	node := func(name, role, taint string) string {
		return `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "` + name +
			`", "labels": {"node-role.kubernetes.io/` + role + `": "", "topology.kubernetes.io/zone": "z"}},
			"spec": {` + taint + `}, "status": {"capacity": {"cpu": "4", "memory": "16Gi", "pods": "250"}, ` +
			`"allocatable": {"cpu": "3500m", "memory": "15Gi", "pods": "250"}}}`
	}
	on := func(name, node, extra string) string {
		return `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "` + name + `"` + extra +
			`}, "spec": {"nodeName": "` + node + `", "nodeSelector": {"topology.kubernetes.io/zone": "z"}, "containers": [{}]}}`
	}
	owned := `, "ownerReferences": [{"kind": "StatefulSet", "name": "op", "controller": true}]`
	mirror := `, "annotations": {"kubernetes.io/config.mirror": "x"}`
	taint := `"taints": [{"key": "node-role.kubernetes.io/master", "effect": "NoSchedule"}]`
	text := `{"kind": "List", "items": [` + strings.Join([]string{
		on("op-0", "m", owned), on("op-1", "w", owned), on("haproxy-w", "w", mirror), on("etcd-m", "m", mirror),
		on("op-2", "", owned), node("m", "master", taint), node("w", "worker", ""),
	}, ",\n") + "]}"
	inv := snapshot(t, text)
	want := []string{"haproxy-w x1 BestEffort cpu=0 mem=0 perNode=1", "op x2 BestEffort cpu=0 mem=0",
		"op-2 x1 BestEffort cpu=0 mem=0 on:node-role.kubernetes.io/master=",
		"etcd-m x1 BestEffort cpu=0 mem=0 held"}
	if diff := cmp.Diff(want, lines(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const zone = "not counted: node selector topology.kubernetes.io/zone=z"
	wantSkips := []string{
		"s.json:1: StatefulSet op: " + zone + " (3)",
		"s.json:1: pods on control plane nodes: they are no load for workers: " +
			"they count with a node selector that keeps them there",
		"s.json:3: Pod haproxy-w: " + zone,
		"s.json:4: static pods of the control plane: the control plane is sized by a table of its own",
	}
	if diff := cmp.Diff(wantSkips, skips(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := inv.NodeTypes; len(n) != 2 || n[0].Role != "controlPlane" ||
		n[0].Taints[0].Key != "node-role.kubernetes.io/master" {
		t.Errorf("nodes %+v", n)
	}
}

func TestClaimsOfPods(t *testing.T) {
	claim := func(name, size string) string {
		return `{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "` + name +
			`"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}, "status": {"capacity": {"storage": "` + size + `"}}}`
	}
	with := func(name, volume string) string {
		return strings.Replace(barePod(name), `[{}]`, `[{}], "volumes": [`+volume+`]`, 1)
	}
	text := `{"kind": "List", "items": [` + strings.Join([]string{
		with("db-0", `{"name": "d", "persistentVolumeClaim": {"claimName": "d-0"}}`),
		with("db-1", `{"name": "d", "persistentVolumeClaim": {"claimName": "d-1"}}`),
		with("scratch", `{"name": "tmp", "ephemeral": {"volumeClaimTemplate": {}}}`),
		claim("d-0", "10Gi"), claim("d-1", "21Gi"), claim("scratch-tmp", "3Gi"), claim("left", "4Gi"), claim("over", "5Gi"),
	}, ",\n") + "]}"
	inv := snapshot(t, text)
	var got []unit.Bytes
	for _, p := range inv.PodTypes {
		got = append(got, p.Storage)
	}
	if diff := cmp.Diff([]unit.Bytes{31 * unit.GiB / 2, 3 * unit.GiB}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []string{"s.json:7: volume claims: no counted pod mounts them; they hold 9 GiB (2)"}
	if diff := cmp.Diff(want, skips(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A fault of a reader is one of the caller's goroutine, who tells of it.
func TestFaultReachesTheCaller(t *testing.T) {
	defer func() {
		if got := recover(); got != "never" {
			t.Errorf("caught %v", got)
		}
	}()
	p := &pipeline{name: "s.json", set: Options{}.withDefaults(), work: make(chan *batch), free: make(chan *batch)}
	text := strings.Repeat(barePod(strings.Repeat("x", batchSize)), 9)
	_, err := p.run(strings.NewReader(text), func() *reader {
		r := newReader(p.set, true)
		r.take = func(value, string, int) { panic("never") }
		return r
	})
	t.Errorf("no panic, but %v", err)
}
