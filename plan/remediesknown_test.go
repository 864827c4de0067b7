package plan_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// advised is what the plan of a scenario advises about the nodes, and the plan of what it says first.
func advised(t *testing.T, s map[string]any, known []remedy) (string, *v1alpha1.Plan) {
	t.Helper()
	p, err := replanned(t, s)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(p.Findings, func(f v1alpha1.Finding) bool { return strings.Contains(f.ID, ".option[") })
	if i < 0 {
		t.Fatalf("%+v", p.Findings)
	}
	f := p.Findings[i]
	changed := copied(s)
	way, _, _ := strings.Cut(f.Remedy, "; or ")
	if !follow(changed, way, f, known) {
		return f.Remedy, nil
	}
	after, err := replanned(t, changed)
	if err != nil {
		t.Fatal(err)
	}
	return f.Remedy, after
}

// beside are pods that want to be beside others, which there are none of.
func beside(replicas int) map[string]any {
	return map[string]any{"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.KindScenario,
		"platform": map[string]any{"type": "kubernetes", "release": "1.33"},
		"hardware": map[string]any{"nodeTypes": []any{map[string]any{"name": "t", "cpus": 64, "memory": "256Gi"}}},
		"workload": map[string]any{"podTypes": []any{map[string]any{"name": "p", "replicas": replicas, "cpu": "100m",
			"memory": "64Mi", "affinity": map[string]any{"podAffinity": map[string]any{
				"requiredDuringSchedulingIgnoredDuringExecution": []any{map[string]any{"topologyKey": "kubernetes.io/hostname",
					"labelSelector": map[string]any{"matchLabels": map[string]any{"app": "absent"}}}}}}}}}}
}

// TestMoreNodesAreNoRemedyOfAffinity: pods that no number of nodes gives a place are not told to take
// more; of so many pods that nothing is tried the cause is named.
func TestMoreNodesAreNoRemedyOfAffinity(t *testing.T) {
	says, after := advised(t, beside(20), remedies)
	if says != "make the required podAffinity of p a preferred one" || after == nil || !after.Verdict.Fits {
		t.Errorf("%q", says)
	}
	if says, _ := advised(t, beside(9000), remedies); says !=
		"more nodes do not help: what keeps the pods out is the podAffinity of p" {
		t.Errorf("%q", says)
	}
}

// roomy is a cloud of two computes' kind, for some flavors of a server each.
func roomy(rules string, policy map[string]any, servers, flavors []any) map[string]any {
	disk := func(use, size string) any { return map[string]any{"use": use, "size": size, "media": "ssd"} }
	return map[string]any{"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.KindScenario,
		"platform": map[string]any{"type": "helion", "release": "4.0"}, "policy": policy,
		"scheduling": map[string]any{"rules": rules},
		"hardware": map[string]any{"nodeTypes": []any{
			map[string]any{"name": "cmp", "memory": "128Gi", "topology": "2 sockets x 8 cores",
				"disks": []any{disk("system", "240G"), disk("local", "960G")}},
			map[string]any{"name": "ctl", "role": "controller", "count": 2, "memory": "128Gi",
				"topology": "2 sockets x 8 cores x 2 threads", "disks": []any{disk("system", "960G"), disk("lvm", "1200G")}}}},
		"workload": map[string]any{"servers": servers, "flavors": flavors,
			"images": []any{map[string]any{"name": "g", "count": 2, "size": "1G", "diskSize": "8G", "cached": true}}}}
}

func flavored(name string, vcpus int, ram string, properties map[string]any) any {
	return map[string]any{"name": name, "vcpus": vcpus, "ram": ram, "properties": properties}
}

func serving(name string, count int, zone string) any {
	s := map[string]any{"name": name, "count": count, "flavor": name, "image": "g", "volumes": []any{"10G"},
		"ports": []any{map[string]any{"network": "oam"}}}
	if zone != "" {
		s["availabilityZone"] = zone
	}
	return s
}

// TestRemediesInACircle: VMs that float find no floating core, and when they do no small pages beside
// others' huge ones; VMs of two NUMA nodes want cores with threads. What mends one points to the next:
// it is told what mends all.
func TestRemediesInACircle(t *testing.T) {
	shared := map[string]any{"hw:cpu_policy": "shared"}
	pages := map[string]any{"hw:cpu_policy": "shared", "hw:mem_page_size": "1048576"}
	wide := map[string]any{"hw:cpu_policy": "dedicated", "hw:cpu_thread_policy": "require"}
	says, after := advised(t, roomy("nova", map[string]any{"spareNodes": 1},
		[]any{serving("a", 10, ""), serving("b", 4, ""), serving("c", 4, "")},
		[]any{flavored("a", 2, "16Gi", shared), flavored("b", 1, "4Gi", pages), flavored("c", 2, "2Gi", wide)}),
		cloudRemedies)
	if !strings.Contains(says, "compute.floatingCores") || !strings.Contains(says, ", and ") ||
		!strings.Contains(says, "in the flavor c") || after == nil || !after.Verdict.Fits {
		t.Errorf("%q", says)
	}
}

// TestRemedyOfAZoneThatCannotBeLost: VMs that are bound to a zone are lost with it, however many hosts
// there are.
func TestRemedyOfAZoneThatCannotBeLost(t *testing.T) {
	says, after := advised(t, roomy("nova", map[string]any{"spareNodes": 0, "zones": 3, "surviveZoneLoss": true},
		[]any{serving("a", 4, "zone-1")},
		[]any{flavored("a", 2, "2Gi", map[string]any{"hw:cpu_policy": "dedicated"})}), cloudRemedies)
	if !strings.HasPrefix(says, "no availability zone for a; or ") || after == nil || !after.Verdict.Fits {
		t.Errorf("%q", says)
	}
}
