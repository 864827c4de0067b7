package kubeletconfig

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// TestStarts replays what the kubelet's own code said of configurations (oracle/kubeletconf): of those with one fault
// made by hand, and of random ones.
func TestStarts(t *testing.T) {
	file, err := os.Open("testdata/oracle/starts.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	kinds, n, starts := 0, 0, 0
	pool := openshift.MachineConfigPool{Metadata: openshift.ObjectMeta{Name: "worker"}}
	for d := json.NewDecoder(unzip); d.More(); n++ {
		var r struct {
			Config json.RawMessage
			Stops  bool
			Kind   string
		}
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		cr := openshift.KubeletConfig{Spec: openshift.KubeletConfigSpec{KubeletConfig: jsonMap(t, r.Config)}}
		rendered, problems := Render(Base("worker", release.Current), &pool, &cr, nil)
		if refused(problems) {
			t.Errorf("%s: the operator refuses it: %v", r.Config, problems)
			continue
		}
		found := judge(rendered, &cr, nil)
		// A field that needs a feature gate stops the kubelet where the gate is off, as it is by itself.
		gated := slices.ContainsFunc(found, func(p Problem) bool {
			return p.Rule.ID == kubeletStops.ID && p.Rule.Severity == v1alpha1.Warning
		})
		if stops := refused(found) || gated; stops != r.Stops {
			t.Errorf("%s %s: the kubelet stops: %v; we say %v", r.Kind, r.Config, r.Stops, found)
		}
		if r.Kind != "" {
			kinds++
		}
		if !r.Stops {
			starts++
		}
	}
	if kinds < 90 || n < 2000 || starts < 500 {
		t.Errorf("only %d kinds of fault and %d configurations, of which %d are sound", kinds, n, starts)
	}
}

// The Memory Manager starts if reservedMemory is what the node keeps back, known where nodes don't work it out.
func TestReservedMemory(t *testing.T) {
	auto := true
	for _, c := range []struct {
		memory, more string
		since, until release.Release
		auto         *bool
		stops        bool
	}{
		{"1124Mi", "", 12, 23, nil, false},
		{"3Gi", "", 12, 20, nil, true},
		{"3Gi", "", 21, 23, nil, false},
		{"3Gi", "", 12, 23, &auto, false},
		{"1636Mi", "", 12, 20, nil, true},
		{"1124Mi", `, "systemReserved": {"cpu": "1"}`, 12, 23, nil, false},
		{"1600Mi", `, "systemReserved": {"memory": "1000Mi"}, "kubeReserved": {"memory": "500Mi"}`, 12, 23, nil, false},
		{"1500Mi", `, "systemReserved": {"memory": "1000Mi"}, "kubeReserved": {"memory": "500Mi"}`, 12, 23, nil, true},
		{"1Gi", `, "systemReserved": {"memory": "1Gi"}, "evictionHard": {"nodefs.available": "10%"}`, 12, 23, nil, false},
		{"1124Mi", `, "systemReserved": {"memory": "1Gi"}, "evictionHard": {"nodefs.available": "10%"}`, 12, 23, nil, true},
		{"1Gi", `, "systemReserved": {"memory": "1Gi"}, "evictionHard": {"memory.available": "0%"}`, 12, 23, nil, false},
		{"3Gi", `, "systemReserved": {"memory": "1Gi"}, "evictionHard": {"memory.available": "5%"}`, 12, 23, nil, false},
		{"1124Mi", `, "systemReserved": {"memory": "1Gi"}, "mergeDefaultEvictionSettings": true, ` +
			`"evictionHard": {"nodefs.available": "10%"}`, 20, 23, nil, false},
		{`1124Mi", "hugepages-1Gi": "1Gi`, "", 12, 23, nil, true},
	} {
		config := `{"memoryManagerPolicy": "Static", "reservedMemory": [{"numaNode": 0, "limits": {"memory": "` + c.memory +
			`"}}]` + c.more + "}"
		cr := openshift.KubeletConfig{Spec: openshift.KubeletConfigSpec{AutoSizingReserved: c.auto,
			KubeletConfig: jsonMap(t, []byte(config))}}
		for r := c.since; r <= c.until; r++ {
			for _, name := range []string{"worker", "a", "master", "arbiter"} {
				pool := openshift.MachineConfigPool{Metadata: openshift.ObjectMeta{Name: name}}
				// Nodes of the control plane, and arbiters, work nothing out where nothing is said.
				want := c.stops || c.memory == "3Gi" && c.more == "" && c.auto == nil && controlPlane(name)
				rendered, problems := Render(Base(name, r), &pool, &cr, nil)
				if stops := refused(judge(rendered, &cr, nil)); refused(problems) || stops != want {
					t.Errorf("%s of %s in %v: %v %v", config, name, r, stops, problems)
				}
			}
		}
	}
}

// The two nodes of a control plane with fencing keep more back, and nobody tells that they are such.
func TestFencedMemory(t *testing.T) {
	no := false
	for _, c := range []struct {
		pool  string
		of    release.Release
		auto  *bool
		stops bool
	}{{"master", 21, nil, true}, {"master", 22, nil, false}, {"arbiter", 22, nil, true}, {"master", 22, &no, true}} {
		pool := openshift.MachineConfigPool{Metadata: openshift.ObjectMeta{Name: c.pool}}
		cr := openshift.KubeletConfig{Spec: openshift.KubeletConfigSpec{AutoSizingReserved: c.auto,
			KubeletConfig: jsonMap(t, []byte(`{"memoryManagerPolicy": "Static", "reservedMemory": [{"numaNode": 0, `+
				`"limits": {"memory": "1636Mi"}}]}`))}}
		rendered, _ := Render(Base(c.pool, c.of), &pool, &cr, nil)
		if stops := refused(judge(rendered, &cr, nil)); stops != c.stops {
			t.Errorf("%s in %v: %v", c.pool, c.of, stops)
		}
	}
}
