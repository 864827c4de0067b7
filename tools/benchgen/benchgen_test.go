package main

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	kube "plimsoll.dev/object"
)

func made(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// scenario reads YAML with unknown fields as errors.
func scenario(t *testing.T, text []byte) v1alpha1.Scenario {
	t.Helper()
	var s v1alpha1.Scenario
	if err := yaml.UnmarshalStrict(text, &s); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return s
}

func TestMix(t *testing.T) {
	mix := func(w io.Writer) error { return writeMix(w, 200, 10) }
	text := made(t, mix)
	if !bytes.Equal(text, made(t, mix)) {
		t.Error("the same mix is written differently")
	}
	s := scenario(t, text)
	if n := len(s.Workload.PodTypes); n != 200 {
		t.Errorf("%d pod types, want 200", n)
	}
	names := map[string]bool{}
	for _, n := range s.Hardware.NodeTypes {
		names[n.Name] = true
		if n.Price <= 0 || n.CPUs <= 0 || n.Memory <= 0 {
			t.Errorf("node type %+v is incomplete", n)
		}
	}
	if len(names) != 10 {
		t.Errorf("%d names of node types, want 10", len(names))
	}
}

func TestSnapshot(t *testing.T) {
	cluster := func(w io.Writer) error { return writeSnapshot(w, 10, 300) }
	text := made(t, cluster)
	if !bytes.Equal(text, made(t, cluster)) {
		t.Error("the same snapshot is written differently")
	}
	var list struct {
		Kind  string
		Items []struct {
			Kind     string
			Metadata struct{ Namespace, Name, UID string }
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	kinds, uids, namespaces := map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, o := range list.Items {
		kinds[o.Kind]++
		uids[o.Metadata.UID] = true
		if o.Kind == "Namespace" {
			namespaces[o.Metadata.Name] = true
		}
		if ns := o.Metadata.Namespace; ns != "" && !namespaces[ns] {
			t.Errorf("%s %s stands before its namespace %s", o.Kind, o.Metadata.Name, ns)
		}
	}
	if kinds["Node"] != 10 || kinds["Pod"] != 300 || kinds["DaemonSet"] != len(daemons) || kinds["Deployment"] == 0 ||
		kinds["Service"] == 0 {
		t.Errorf("kinds: %v", kinds)
	}
	if len(uids) != len(list.Items) {
		t.Errorf("%d uids for %d objects", len(uids), len(list.Items))
	}
}

func TestSnapshotScenario(t *testing.T) {
	s := scenario(t, made(t, func(w io.Writer) error { return writeSnapshotScenario(w, "x.json") }))
	if s.Workload.Snapshot != "x.json" {
		t.Errorf("snapshot %q, want x.json", s.Workload.Snapshot)
	}
}

func TestTooFewPods(t *testing.T) {
	if err := run([]string{"-out", t.TempDir(), "-nodes", "10", "-pods", "100"}); err == nil {
		t.Error("10 nodes take 100 pods, fewer than their daemon sets have")
	}
}

func TestLarge(t *testing.T) {
	s := scenario(t, made(t, func(w io.Writer) error { return writeLarge(w, "large", 150_000, 2000) }))
	pods, nodes := 0, 0
	for _, p := range s.Workload.PodTypes {
		pods += p.Replicas
	}
	for _, n := range s.Hardware.Options[0].Nodes {
		nodes += n.Count
	}
	if pods != 150_000 || nodes != 2000 || len(s.Workload.PodTypes) != 50 {
		t.Errorf("%d pods of %d types on %d nodes", pods, len(s.Workload.PodTypes), nodes)
	}
}

func TestCloud(t *testing.T) {
	s := scenario(t, made(t, func(w io.Writer) error { return writeCloud(w, "a", 1003, 100) }))
	vms, flavors := 0, map[string]bool{}
	for _, f := range s.Workload.Flavors {
		flavors[f.Name] = true
	}
	for _, server := range s.Workload.Servers {
		vms += server.Count
		if !flavors[server.Flavor] {
			t.Errorf("%s has the flavor %s, which there is not", server.Name, server.Flavor)
		}
	}
	if vms != 1003 || *s.Hardware.NodeTypes[0].Count != 100 {
		t.Errorf("%d VMs on %d hosts", vms, *s.Hardware.NodeTypes[0].Count)
	}
}

func TestTuneds(t *testing.T) {
	objects, problems := kube.Split("tuneds.yaml", made(t, func(w io.Writer) error { return writeTuneds(w, 200) }))
	tuneds, found := kube.All[openshift.Tuned](objects, "Tuned")
	if len(tuneds) != 200 || len(problems)+len(found) > 0 {
		t.Errorf("%d CRs, %v, %v", len(tuneds), problems, found)
	}
}
