package kubeletconfig

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// found says whether a KubeletConfig for worker has a finding, and its message.
func found(t *testing.T, r release.Release, id, line string) (string, bool) {
	f, ok := find(Check(objectsOf(t, cr("x", "k: v", line)+onPool("worker", "k: v")), r), id)
	return f.Message, ok
}

// Each behaviour that differs by release, seen in what comes out of it.
func TestBehaviours(t *testing.T) {
	refusesBy := func(id, line string) func(release.Release) string {
		return func(of release.Release) string {
			what, ok := found(t, of, id, line)
			return fmt.Sprint(ok && strings.Contains(what, "the operator refuses"))
		}
	}
	seen := map[string]func(of release.Release) string{
		"kubelet.zeroBehindPointer": func(of release.Release) string {
			conf, _ := Merge(Base("worker", of), map[string]any{"kubeAPIQPS": int64(0)})
			return fmt.Sprint(conf.Get("kubeAPIQPS") == int64(0))
		},
		"kubelet.textFromNumber": func(of release.Release) string {
			_, problems := Merge(Base("worker", of), map[string]any{"cpuManagerPolicy": int64(1)})
			return fmt.Sprint(!refused(problems))
		},
		"kubelet.confIsYAML": func(of release.Release) string { return fmt.Sprint(Base("worker", of).Text()[0] != '{') },
		"kubelet.templates": func(of release.Release) string {
			return fmt.Sprint([2]string{templateSeen(Base("master", of)), templateSeen(Base("worker", of))})
		},
		"kubelet.refusedFields": refusedSeen,
		"kubelet.staticPodsByPool": func(of release.Release) string {
			_, ok := find(Check(objectsOf(t, cr("x", "k: v", `kubeletConfig: {staticPodPath: ""}`)+onPool("master", "k: v")),
				of), "refusedField")
			return fmt.Sprint(ok)
		},
		"kubelet.operatorChecksEvictionSoft": refusesBy("softWithoutGrace",
			"kubeletConfig: {evictionSoft: {memory.available: 500Mi}}"),
		"kubelet.operatorChecksReserved": refusesBy("badReserved", `kubeletConfig: {kubeReserved: {cpu: "-1"}}`),
		"kubelet.specExtras": func(of release.Release) string {
			_, dropped := found(t, of, "unknownField", "kubeletConfig: {maxPods: 300}\n  logLevel: 3")
			return fmt.Sprint(!dropped)
		},
		"kubelet.reservedInFile": func(of release.Release) string {
			r, _ := renderOf(t, "worker", of, config("systemReserved", map[string]any{"cpu": "1"}), nil)
			return fmt.Sprint(len(r.Files) == 1 && r.Conf.text("systemReserved.cpu") == "")
		},
		"kubelet.sizedByNodes": func(of release.Release) string {
			r, _ := renderOf(t, "worker", of, config("maxPods", int64(100)), nil)
			_, known := reserved(r, 0)
			return fmt.Sprint(!known)
		},
		"kubelet.fencedKeepMore": func(of release.Release) string {
			r, _ := renderOf(t, "master", of, config("maxPods", int64(100)), nil)
			more := fencedMemory(r)
			return fmt.Sprint(more.String() == "512Mi")
		},
		"kubelet.topologyNeedsGate": func(of release.Release) string {
			_, ok := found(t, of, "topologyGate", "kubeletConfig: {cpuManagerPolicy: static, topologyManagerPolicy: restricted}")
			return fmt.Sprint(ok)
		},
		"kubelet.naming": func(of release.Release) string {
			pools := poolsOf("worker")
			last := Contenders(&pools[0], pools, []openshift.KubeletConfig{crOf("a", 1), crOf("b", 2)}, of,
				none)[1].MachineConfig
			return map[string]string{"99-worker-0-kubelet": ByUID.String(),
				"99-worker-generated-kubelet-1": Numbered.String()}[last]
		},
		"kubelet.featureSets": func(of release.Release) string {
			var known sets = sets{}
			for _, name := range []string{"", "TechPreviewNoUpgrade", "LatencySensitive", "CustomNoUpgrade",
				"DevPreviewNoUpgrade", "OKD", "No"} {
				if _, err := Gates(&openshift.FeatureGate{Spec: openshift.FeatureGateSpec{FeatureSet: name}}, of); err == nil {
					known[name] = nil
				}
			}
			return known.String()
		},
	}
	for _, row := range Behaviours() {
		see, ok := seen[row.ID]
		if !ok || row.Title == "" || row.Source.Code == "" || !strings.Contains(row.Values(), "4.") {
			t.Errorf("%s: no test, title, source or difference", row.ID)
			continue
		}
		for _, of := range release.Documented() {
			if got := see(of); got != row.In(of) {
				t.Errorf("%s in %s: %s, the table says %s", row.ID, of, got, row.In(of))
			}
		}
	}
}

// templateSeen names a template by what it alone has.
func templateSeen(c Conf) string {
	switch {
	case c.Get("failSwapOn") == true && c.Get("podPidsLimit") != nil:
		return "current-master"
	case c.Get("podPidsLimit") != nil:
		return "current-worker"
	case c.Get("featureGates.SCTPSupport") == true:
		return "4.4"
	}
	return "4.3"
}

// refusedSeen lists the fields that the operator refuses.
func refusedSeen(r release.Release) string {
	var out []string
	for _, c := range []struct {
		field string
		part  map[string]any
	}{
		{"cgroupDriver", map[string]any{"cgroupDriver": "cgroupfs"}}, {"clusterDNS",
			map[string]any{"clusterDNS": []any{"10.0.0.10"}}}, {"clusterDomain", map[string]any{"clusterDomain": "x"}},
		{"featureGates", map[string]any{"featureGates": map[string]any{"X": true}}}, {"runtimeRequestTimeout",
			map[string]any{"runtimeRequestTimeout": "5m"}}, {"staticPodPath", map[string]any{"staticPodPath": "/x"}},
		{"failSwapOn", map[string]any{"failSwapOn": false}},
		{"memorySwap.swapBehavior", map[string]any{"memorySwap": map[string]any{"swapBehavior": "LimitedSwap"}}},
		{"maxPods", map[string]any{"maxPods": int64(9)}}, {"podsPerCore", map[string]any{"podsPerCore": int64(9)}},
	} {
		spec := openshift.KubeletConfigSpec{KubeletConfig: c.part}
		if len(refuse(&spec, newReading(r, c.part).from, r)) > 0 {
			out = append(out, c.field)
		}
	}
	return strings.Join(out, ", ")
}
