package kubeletconfig

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// standard is the label of pool worker that today's clusters have.
const standard = `pools.operator.machineconfiguration.openshift.io/worker: ""`

// faults are KubeletConfigs of pool worker's label k, each with what Check finds in
// a release.
var faults = []struct {
	name    string
	release release.Release
	lines   []string
	want    []string
}{
	{"sound", release.V44, []string{"kubeletConfig: {maxPods: 400, podsPerCore: 10, kubeAPIQPS: 100, kubeAPIBurst: 200}"},
		nil},
	{"text for a number", release.V44, []string{`kubeletConfig: {maxPods: "500"}`}, []string{"wrongType"}},
	{"half a pod", release.Current, []string{"kubeletConfig: {maxPods: 1.5}"}, []string{"wrongType"}},
	{"beyond int32", release.Current, []string{"kubeletConfig: {maxPods: 5000000000}"}, []string{"wrongType"}},
	{"number for text", release.V44, []string{"kubeletConfig: {systemReserved: {cpu: 1}}"}, []string{"wrongType"}},
	{"number for text today", release.Current, []string{"kubeletConfig: {systemReserved: {cpu: 1}}"}, nil},
	{"period without unit", release.V44,
		[]string{`kubeletConfig: {cpuManagerPolicy: static, cpuManagerReconcilePeriod: "5"}`}, []string{"wrongType"}},
	{"period as a number", release.V44,
		[]string{"kubeletConfig: {cpuManagerPolicy: static, cpuManagerReconcilePeriod: 5}"}, []string{"wrongType"}},
	{"decimal period", release.V44, []string{"kubeletConfig: {cpuManagerPolicy: static, cpuManagerReconcilePeriod: 1.5s}"},
		nil},
	{"unknown field", release.V44, []string{"kubeletConfig: {maxPod: 500}"}, []string{"unknownField"}},
	{"field of later kubelets", release.V44, []string{"kubeletConfig: {memoryManagerPolicy: Static}"},
		[]string{"unknownField"}},
	{"wrong case", release.V44, []string{"kubeletConfig: {maxpods: 400}"}, []string{"wrongCase"}},
	{"zero", release.V44, []string{"kubeletConfig: {maxPods: 0}"}, []string{"zeroIgnored"}},
	{"a cgroup that isn't enforced goes", release.Current,
		[]string{`kubeletConfig: {systemReservedCgroup: "", enforceNodeAllocatable: [pods]}`}, nil},
	{"and stays where it is", release.Current,
		[]string{`kubeletConfig: {systemReservedCgroup: "", enforceNodeAllocatable: [system-reserved-compressible]}`},
		[]string{"zeroIgnored"}},
	{"zero behind a pointer", release.V44, []string{"kubeletConfig: {kubeAPIQPS: 0}"}, nil},
	{"zero behind a pointer today", release.Current, []string{"kubeletConfig: {kubeAPIQPS: 0}"}, []string{"zeroIgnored"}},
	{"cgroup driver", release.V44, []string{"kubeletConfig: {cgroupDriver: cgroupfs}"}, []string{"refusedField"}},
	{"all refused fields", release.V45, []string{"kubeletConfig: {cgroupDriver: a, clusterDNS: [a], clusterDomain: " +
		"a, featureGates: {A: true}, runtimeRequestTimeout: 5m, staticPodPath: /a}"},
		[]string{"refusedField", "refusedField", "refusedField", "refusedField", "refusedField", "refusedField"}},
	{"empty values are not refused", release.V44,
		[]string{`kubeletConfig: {cgroupDriver: "", featureGates: {}, staticPodPath: ""}`},
		[]string{"zeroIgnored", "zeroIgnored", "zeroIgnored"}},
	{"swap is refused whatever it says", release.Current,
		[]string{"kubeletConfig: {failSwapOn: false, memorySwap: {swapBehavior: LimitedSwap}}"},
		[]string{"refusedField", "refusedField"}},
	{"swap was not", release.V44, []string{"kubeletConfig: {failSwapOn: false, runtimeRequestTimeout: 0s}"}, nil},
	{"runtime timeout is free today", release.Current, []string{"kubeletConfig: {runtimeRequestTimeout: 5m}"}, nil},
	{"static pods of workers", release.Current, []string{"kubeletConfig: {staticPodPath: /a}"}, []string{"refusedField"}},
	{"no kubeletConfig", release.V44, []string{"logLevel: 5"}, []string{"missingConfig"}},
	{"no kubeletConfig today", release.Current, []string{"logLevel: 5"}, nil},
	{"TLS profile", release.Current,
		[]string{"tlsSecurityProfile: {type: Modern, modern: {}}", "kubeletConfig: {maxPods: 300}"}, []string{"tlsNotShown"}},
	{"TLS profile of one's own", release.Current, []string{"tlsSecurityProfile: {type: Custom, custom: {minTLSVersion: " +
		"VersionTLS12, ciphers: [AES128-SHA, TLS_AES_128_GCM_SHA256]}}", "kubeletConfig: {maxPods: 300}"},
		[]string{"tlsNotShown"}},
	{"a cipher that is none", release.Current, []string{"tlsSecurityProfile: {type: Custom, custom: {minTLSVersion: " +
		"VersionTLS12, ciphers: [AES128-SHA, AES256-SHA256]}}", "kubeletConfig: {maxPods: 300}"},
		[]string{"tlsNotShown", "tlsIgnored"}},
	{"only such ciphers", release.Current, []string{"tlsSecurityProfile: {type: Custom, custom: {minTLSVersion: " +
		"VersionTLS12, ciphers: [AES256-SHA256]}}", "kubeletConfig: {maxPods: 300}"},
		[]string{"tlsNotShown", "tlsIgnored", "tlsIgnored"}},
	{"a profile without its text", release.Current,
		[]string{"tlsSecurityProfile: {type: Custom}", "kubeletConfig: {maxPods: 300}"},
		[]string{"tlsNotShown", "tlsIgnored"}},
	{"usual TLS profile", release.Current,
		[]string{"tlsSecurityProfile: {type: Intermediate}", "kubeletConfig: {maxPods: 300}"}, nil},
	{"log level", release.Current, []string{"logLevel: 11"}, []string{"contradiction"}},
	{"log level then", release.V44, []string{"logLevel: 5", "kubeletConfig: {maxPods: 300}"}, []string{"unknownField"}},
	{"auto sizing and a reservation", release.Current,
		[]string{"autoSizingReserved: true", "kubeletConfig: {systemReserved: {cpu: 1000m}}"}, []string{"contradiction"}},
	{"no auto sizing and a reservation", release.Current,
		[]string{"autoSizingReserved: false", "kubeletConfig: {systemReserved: {cpu: 1000m}}"}, nil},
	{"two cgroups", release.Current, []string{"kubeletConfig: {systemReservedCgroup: /a, systemCgroups: /b}"},
		[]string{"contradiction"}},
	{"a cgroup against the template", release.Current, []string{"kubeletConfig: {systemReservedCgroup: /a}"},
		[]string{"contradiction"}},
	{"soft threshold", release.V44, []string{"kubeletConfig: {evictionSoft: {memory.available: 500Mi}}"},
		[]string{"softWithoutGrace"}},
	{"soft threshold with grace", release.V44,
		[]string{
			"kubeletConfig: {evictionSoft: {memory.available: 500Mi}, evictionSoftGracePeriod: {memory.available: 1m30s}}",
		}, nil},
	{"reservation", release.V45, []string{`kubeletConfig: {systemReserved: {cpu: "-1", memory: 1K, pid: x}}`},
		[]string{"badReserved", "badReserved"}},
	{"more a core than at all", release.V44, []string{"kubeletConfig: {podsPerCore: 300}"}, []string{"podsPerCoreAbove"}},
	{"more than tested", release.V44, []string{"kubeletConfig: {maxPods: 501}"}, []string{"podsAboveTested"}},
	{"tested later", release.Current, []string{"kubeletConfig: {maxPods: 501}"}, nil},
	{"negative", release.V44, []string{"kubeletConfig: {maxPods: -1, kubeAPIBurst: -5}"},
		[]string{"kubeletStops", "kubeletStops"}},
	{"how secrets are watched", release.Current,
		[]string{"kubeletConfig: {configMapAndSecretChangeDetectionStrategy: Poll}"}, []string{"kubeletStops"}},
	{"authorization", release.Current, []string{"kubeletConfig: {authorization: {mode: RBAC}}"},
		[]string{"kubeletStops"}},
	{"a resource that can't be kept back", release.Current, []string{"kubeletConfig: {kubeReserved: {gpu: '1'}}"},
		[]string{"kubeletStops"}},
	{"a gate that was off", 20, []string{"kubeletConfig: {crashLoopBackOff: {maxContainerRestartPeriod: 10s}}"},
		[]string{"kubeletStops"}},
	{"a gate that is on", 22, []string{"kubeletConfig: {crashLoopBackOff: {maxContainerRestartPeriod: 10s}}"}, nil},
	{"what the operator refuses and what the kubelet stops with", release.Current,
		[]string{"logLevel: 15", "kubeletConfig: {clusterDomain: a, evictionSoftGracePeriod: {memory.available: '5'}}"},
		[]string{"refusedField", "contradiction", "kubeletStops"}},
	{"some thresholds", release.Current, []string{"kubeletConfig: {evictionHard: {memory.available: 500Mi}}"},
		[]string{"evictionPartial"}},
	{"all thresholds", release.Current, []string{"kubeletConfig: {evictionHard: {memory.available: 500Mi, " +
		"nodefs.available: 10%, nodefs.inodesFree: 5%, imagefs.available: 15%}}"}, nil},
	{"a soft threshold that is off", release.Current, []string{"kubeletConfig: {evictionSoft: {memory.available: 100%}}"},
		nil},
	{"no such policy", release.V44, []string{"kubeletConfig: {cpuManagerPolicy: Static}"}, []string{"kubeletStops"}},
	{"image limits", release.V44, []string{"kubeletConfig: {imageGCHighThresholdPercent: 70}"}, []string{"kubeletStops"}},
	{"CPU list", release.V44, []string{`kubeletConfig: {reservedSystemCPUs: "0-"}`}, []string{"kubeletStops"}},
	{"CPUs and a cgroup", release.V44, []string{`kubeletConfig: {reservedSystemCPUs: 0-1, kubeReservedCgroup: /a}`},
		[]string{"kubeletStops"}},
	{"enforced without a cgroup", release.V44,
		[]string{"kubeletConfig: {enforceNodeAllocatable: [pods, system-reserved]}"}, []string{"kubeletStops"}},
	{"topology without static CPUs", release.V45, []string{"kubeletConfig: {topologyManagerPolicy: restricted}"},
		[]string{"topologyAlone"}},
	{"topology in 4.4", release.V44,
		[]string{"kubeletConfig: {cpuManagerPolicy: static, topologyManagerPolicy: restricted}"}, []string{"topologyGate"}},
	{"topology none in 4.4", release.V44,
		[]string{"kubeletConfig: {cpuManagerPolicy: static, topologyManagerPolicy: none}"}, nil},
	{"static CPUs, nothing kept back", release.V44,
		[]string{`kubeletConfig: {cpuManagerPolicy: static, systemReserved: {cpu: "0"}}`}, []string{"staticUnreserved"}},
	{"static CPUs, nothing kept back today", release.Current,
		[]string{`kubeletConfig: {cpuManagerPolicy: static, systemReserved: {cpu: "0"}}`}, []string{"staticUnreserved"}},
	{"options without static CPUs", release.Current,
		[]string{`kubeletConfig: {cpuManagerPolicyOptions: {full-pcpus-only: "true", align-by-socket: "true"}}`},
		[]string{"kubeletStops"}},
	{"options of none that are empty", release.Current,
		[]string{`kubeletConfig: {cpuManagerPolicy: none, cpuManagerPolicyOptions: {}}`}, nil},
	{"unknown option, wrong value", release.Current,
		[]string{`kubeletConfig: {cpuManagerPolicy: static, cpuManagerPolicyOptions: {fullpcpusonly: ` +
			`"true", full-pcpus-only: "on", strict-cpu-reservation: "1"}}`}, []string{"kubeletStops", "kubeletStops"}},
	{"Memory Manager without memory", release.Current, []string{`kubeletConfig: {memoryManagerPolicy: Static}`},
		[]string{"kubeletStops"}},
	{"Memory Manager with memory", release.Current,
		[]string{`kubeletConfig: {memoryManagerPolicy: Static, reservedMemory: [{numaNode: 0, limits: {memory: 1124Mi}}]}`},
		nil},
	{"static CPUs with a list", release.V44,
		[]string{`kubeletConfig: {cpuManagerPolicy: static, systemReserved: {cpu: "0"}, reservedSystemCPUs: "0"}`}, nil},
}

func TestCheck(t *testing.T) {
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			found := Check(objectsOf(t, cr("x", "k: v", c.lines...)+onPool("worker", "k: v")), c.release)
			if got := ids(found); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v: %v", got, c.want, found)
			}
			for _, f := range found {
				if f.Place == nil || f.Place.Line < 6 || f.Remedy == "" || strings.HasSuffix(f.Message, ".") {
					t.Errorf("%+v %+v", f, f.Place)
				}
			}
		})
	}
}

// groups are faults of several objects together.
var groups = []struct {
	name    string
	release release.Release
	text    string
	want    []string
}{
	{"no selector", release.V44, "apiVersion: v1\nkind: KubeletConfig\nmetadata: {name: x}\nspec:\n" +
		"  kubeletConfig: {maxPods: 300}\n", []string{"noSelector"}},
	{"empty selector", release.Current, "apiVersion: v1\nkind: KubeletConfig\nmetadata: {name: x}\nspec:\n" +
		"  machineConfigPoolSelector: {}\n  kubeletConfig: {maxPods: 300}\n", []string{"noSelector"}},
	{"no pool has it", release.V44, cr("x", "k: v", "kubeletConfig: {maxPods: 300}") + onPool("worker", "k: other"),
		[]string{"noPool"}},
	{"a pool that is only changed", release.V44, cr("x", "k: v", "kubeletConfig: {maxPods: 300}") +
		"---\nkind: MachineConfigPool\nmetadata: {name: worker}\nspec: {maxUnavailable: 2}\n", []string{"unlabelled"}},
	{"a custom pool without it: worker may have the label", release.V44,
		cr("x", "k: v", "kubeletConfig: {maxPods: 300}") + onPool("infra", "k: other"), []string{"unlabelled"}},
	{"a label for people to set", release.V44, cr("x", "k: v", "kubeletConfig: {maxPods: 300}"), []string{"unlabelled"}},
	{"a label that pools have today", release.Current, cr("x", standard, "kubeletConfig: {maxPods: 300}"), nil},
	{"a label that pools have today", release.V44, cr("x", standard, "kubeletConfig: {maxPods: 300}"),
		[]string{"unlabelled"}},
	{"two on one pool", release.V44, cr("a", "k: v", "kubeletConfig: {maxPods: 300}") +
		cr("b", "k: v", "kubeletConfig: {podsPerCore: 5}") + onPool("worker", "k: v"), []string{"severalOnPool"}},
	{"two, of which one is refused", release.V44, cr("a", "k: v", "kubeletConfig: {maxPods: 300}") +
		cr("b", "k: v", "kubeletConfig: {clusterDomain: x}") + onPool("worker", "k: v"), []string{"refusedField"}},
	{"two on two pools", release.V44, cr("a", "k: v", "kubeletConfig: {maxPods: 300}") +
		cr("b", "k: w", "kubeletConfig: {podsPerCore: 5}") + onPool("worker", "k: v") + onPool("master", "k: w"), nil},
	{"worker's and infra's", release.V44, cr("a", "k: v", "kubeletConfig: {maxPods: 300}") + cr("b", "k: w",
		"kubeletConfig: {podsPerCore: 5}") + onPool("worker", "k: v") + onPool("infra", "k: w"), []string{"fromWorker"}},
	{"static pods of masters", release.Current, cr("a", "k: v", `kubeletConfig: {staticPodPath: ""}`) +
		onPool("master", "k: v"), []string{"refusedField"}},
	{"FeatureGate of another name", release.V44, gate("mine", "LatencySensitive"), []string{"gateName"}},
	{"LatencySensitive today", release.Current, gate("cluster", "LatencySensitive"), []string{"unknownSet"}},
	{"LatencySensitive, the last time", 15, gate("cluster", "LatencySensitive"), nil},
	{"LatencySensitive, no longer", 16, gate("cluster", "LatencySensitive"), []string{"unknownSet"}},
	{"IPv6DualStackNoUpgrade, no longer", 11, gate("cluster", "IPv6DualStackNoUpgrade"), []string{"unknownSet"}},
	{"DevPreviewNoUpgrade then", release.V44, gate("cluster", "DevPreviewNoUpgrade"), []string{"unknownSet"}},
	{"no way back", release.Current, gate("cluster", "TechPreviewNoUpgrade"), []string{"noUpgrades"}},
	{"latency sensitive", release.V44, gate("cluster", "LatencySensitive"), nil},
	{"CR and unknown set", release.V44, cr("x", "k: v", "kubeletConfig: {maxPods: 300}") + onPool("worker", "k: v") +
		gate("cluster", "No"), []string{"unknownSet", "unknownSet"}},
}

func gate(name, set string) string {
	return "---\napiVersion: config.openshift.io/v1\nkind: FeatureGate\nmetadata: {name: " + name +
		"}\nspec: {featureSet: " + set + "}\n"
}

func TestCheckTogether(t *testing.T) {
	for _, c := range groups {
		t.Run(c.name, func(t *testing.T) {
			if got := ids(Check(objectsOf(t, c.text), c.release)); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// Zero durations that a program in Go wrote are no mistake of people.
func TestZeroDurationsOfPrograms(t *testing.T) {
	const one = "kubeletConfig: {nodeStatusUpdateFrequency: 0s"
	const rest = ", nodeStatusReportFrequency: 0s, syncFrequency: 0s, fileCheckFrequency: 0s, httpCheckFrequency: 0s}"
	pool := onPool("worker", "k: v")
	owned := strings.Replace(cr("x", "k: v", one+"}"), "{name: x",
		"{name: x, ownerReferences: [{kind: PerformanceProfile, name: p}]", 1)
	for text, want := range map[string]v1alpha1.Severity{cr("x", "k: v", one+"}"): v1alpha1.Warning,
		cr("x", "k: v", one+rest): v1alpha1.Info, owned: v1alpha1.Info} {
		found := Check(objectsOf(t, text+pool), release.Current)
		if len(found) == 0 {
			t.Errorf("%s: nothing found", text)
		}
		for _, f := range found {
			if f.ID != zeroIgnored.ID || f.Severity != want {
				t.Errorf("%s: %v", text, f)
			}
		}
	}
}

// An unknown feature set: the sets that there are, none by its empty name, and when
// one of the past ended.
func TestUnknownFeatureSetText(t *testing.T) {
	for _, c := range []struct {
		set  string
		e    release.Release
		want string
	}{
		{"LatencySensitive", release.Current, `feature set "LatencySensitive" is not known in OpenShift today, ` +
			`only up to 4.15 ("" for none, CustomNoUpgrade, DevPreviewNoUpgrade, OKD, TechPreviewNoUpgrade)`},
		{"No", release.Current, `feature set "No" is not known in OpenShift today ("" for none, CustomNoUpgrade, ` +
			`DevPreviewNoUpgrade, OKD, TechPreviewNoUpgrade)`},
		{"DevPreviewNoUpgrade", release.V44, `feature set "DevPreviewNoUpgrade" is not known in OpenShift 4.4 ("" for ` +
			`none, CustomNoUpgrade, LatencySensitive, TechPreviewNoUpgrade)`},
	} {
		found := Check(objectsOf(t, gate("cluster", c.set)), c.e)
		if len(found) != 1 || found[0].Message != c.want {
			t.Errorf("%s: %v", c.set, found)
		}
	}
}

// Every rule is found by a case above or by a test of its own, and its id is its own.
func TestRulesAreCovered(t *testing.T) {
	found := map[string]bool{"hostPrefixShort": true, "hostPrefixTight": true, "nodeLabels": true, "tooMany": true,
		"badSuffix": true, "reservedBeyond": true}
	for _, c := range faults {
		for _, id := range c.want {
			found[id] = true
		}
	}
	for _, c := range groups {
		for _, id := range c.want {
			found[id] = true
		}
	}
	seen := map[string]bool{}
	for _, r := range Rules() {
		id := strings.TrimPrefix(r.ID, "kubelet.")
		if !found[id] || seen[id] || r.Title == "" || len(r.Sources) == 0 {
			t.Errorf("rule %s: found %v, twice %v", r.ID, found[id], seen[id])
		}
		seen[id] = true
	}
}

// A value of the wrong type outside of kubeletConfig is the reader's finding, and
// the KubeletConfig counts for no pool.
func TestUnreadable(t *testing.T) {
	found := Check(objectsOf(t, cr("x", "k: v", "kubeletConfig: []")+onPool("worker", "k: v")), release.V44)
	if len(found) != 1 || found[0].ID != "object.wrongType" {
		t.Errorf("%v", found)
	}
}

// Who minds: the operator in some releases, the kubelet in the others.
func TestWhoRefuses(t *testing.T) {
	for _, c := range []struct {
		id, line string
		operator []release.Release
	}{
		{"softWithoutGrace", "kubeletConfig: {evictionSoft: {memory.available: 500Mi}}",
			[]release.Release{release.V44, release.V45}},
		{"badReserved", `kubeletConfig: {kubeReserved: {cpu: "-1"}}`, []release.Release{release.V45}},
	} {
		for _, r := range release.Documented() {
			f, ok := find(Check(objectsOf(t, cr("x", "k: v", c.line)+onPool("worker", "k: v")), r), c.id)
			if !ok || strings.Contains(f.Message, "operator refuses") != slices.Contains(c.operator, r) {
				t.Errorf("%s in %v: %v %s", c.id, r, ok, f.Message)
			}
		}
	}
}
