package scenario_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/source/scenario"
	"plimsoll.dev/unit"
)

const head = "apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\n"

func readText(t testing.TB, text string) *scenario.Document {
	t.Helper()
	doc, err := scenario.Read("scenario.yaml", []byte(head+text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// assumed is the assumption about a field as "value [fact] why"; empty without.
func assumed(doc *scenario.Document, field string) string {
	for _, a := range doc.Assumptions {
		if a.Field == field {
			return fmt.Sprintf("%s [%s] %s", a.Value, a.Fact, a.Why)
		}
	}
	return ""
}

const node = "hardware: {nodeTypes: [{name: a, cpus: 8, memory: 32Gi}]}\n"

func TestDefaults(t *testing.T) {
	for _, c := range []struct{ text, field, want string }{
		// OCP 2.1: "maxPods: 250"; "podsPerCore ... The default is 0".
		{`platform: {release: "4.4"}` + "\n" + node, "hardware.nodeTypes[0].maxPods",
			"250 [ocp.kubelet.maxPods] Pods that the kubelet accepts on a node by default (maxPods) (OCP 2.1)"},
		{`platform: {release: "4.4"}` + "\n" + node, "hardware.nodeTypes[0].podsPerCore", "0 [ocp.kubelet.podsPerCore] "},
		{`platform: {type: kubernetes, release: "1.36"}` + "\n" + node, "hardware.nodeTypes[0].maxPods",
			"110 [k8s.kubelet.maxPods] "},
		// OCP 2.3: 500 millicores are reserved by the system.
		{`platform: {release: "4.4"}` + "\n" + node, "hardware.nodeTypes[0].systemReserved.cpu",
			"500m [ocp.systemReserved.cpu/4.4] CPU that the system keeps on each node (OCP 2.3)"},
		{`platform: {release: "4.9"}` + "\n" + node, "hardware.nodeTypes[0].systemReserved.cpu",
			"500m [ocp.systemReserved.cpu/4.5] "},
		{`platform: {release: "4.4"}` + "\n" + node, "hardware.nodeTypes[0].systemReserved.memory",
			"1Gi [ocp.systemReserved.memory/4.4] "},
		{`platform: {type: kubernetes, release: "1.36"}` + "\n" + node, "hardware.nodeTypes[0].systemReserved.cpu", ""},
		{`platform: {release: "4.4"}` + "\n" + node, "hardware.nodeTypes[0].evictionHard",
			"100Mi [ocp.evictionHard.memory] "},
		// OCP 1.1: the install-config.yaml of 4.4 has networkType: OpenShiftSDN.
		{`platform: {release: "4.4"}`, "network.type",
			"OpenShiftSDN [ocp.network.type/4.4] Network type that OpenShift 4.4 installs by default (OCP 1.1)"},
		{`platform: {release: "4.4.12"}`, "network.type",
			"OpenShiftSDN [ocp.network.type/4.4] Network type that OpenShift 4.4.12 installs by default (OCP 1.1)"},
		{`platform: {release: "3.11"}`, "network.type", "OpenShiftSDN [ocp.network.type/3.x] Network type that OpenShift " +
			"3.11 installs by default (OpenShift docs 3.11, Configuring the SDN)"},
		{`platform: {release: "4.8"}`, "storage.etcdQuota", "7Gi [ocp.etcd.quota/4.4] "},
		{`platform: {release: "4.9"}`, "storage.etcdQuota", "8Gi [ocp.etcd.quota/4.9] "},
		// etcd: DefaultQuotaBytes = 2 * 1024 * 1024 * 1024.
		{`platform: {type: kubernetes, release: "1.36"}`, "storage.etcdQuota", "2Gi [k8s.etcd.quota] Size of the etcd " +
			"database at which it stops taking writes (etcd source server/storage/quota.go, DefaultQuotaBytes)"},
		{`platform: {release: "4.11"}`, "network.type", "OpenShiftSDN [ocp.network.type/4.4] "},
		{`platform: {release: "4.12"}`, "network.type", "OVNKubernetes [ocp.network.type/4.12] "},
		{`platform: {release: "4.17"}`, "network.type", "OVNKubernetes [ocp.network.type/4.12] "},
		{`platform: {type: kubernetes, release: "1.36"}`, "network.type", ""}, // it has none of its own
		{`platform: {release: "4.4"}`, "network.machineNetwork", "10.0.0.0/16 [ocp.network.machineNetwork] "},
		{"platform: {release: \"4.4\"}\nnetwork: {clusterNetwork: [{cidr: 10.128.0.0/14}]}",
			"network.clusterNetwork[0].hostPrefix", "23 [ocp.network.hostPrefix] "},
		{"platform: {release: \"4.4\"}\nnetwork: {clusterNetwork: [{cidr: \"fd01::/48\"}]}",
			"network.clusterNetwork[0].hostPrefix", "64 [ocp.network.hostPrefixIPv6] "},
		{"platform: {type: kubernetes, release: \"1.36\"}\nnetwork: {clusterNetwork: [{cidr: 10.244.0.0/16}]}",
			"network.clusterNetwork[0].hostPrefix", "24 [k8s.network.nodeMask] "},
		{`platform: {release: "4.4", provider: aws}`, "router.publishing",
			"LoadBalancerService [] Provider aws has load balancers"},
		{`platform: {release: "4.4", provider: ibmz}`, "router.publishing", "HostNetwork [] "},
		{`platform: {release: "4.4"}`, "router.publishing", "HostNetwork [] "},
		{`platform: {release: "4.14", service: rosa}`, "platform.provider", "aws [] "},
		{`platform: {release: "4.4"}`, "platform.provider", "none [] "},
		{`platform: {release: "4.4"}`, "policy.spareNodes",
			"1 [] spareNodes are worker nodes beyond what the workload needs, so that as many may fail"},
		{"platform: {release: \"4.4\"}\npolicy: {spareNodes: 0}", "policy.spareNodes", ""},
		// OCP 13.2: no overcommit of huge pages.
		{"platform: {release: \"4.4\"}\nworkload: {podTypes: [{name: a, hugePages: {2Mi: 2Mi}}]}",
			"workload.podTypes[0].overcommit", "cpuOnly [ocp.hugePages.overcommit] "},
		{"platform: {release: \"4.4\"}\nworkload: {podTypes: [{name: a, daemonSet: true}]}",
			"workload.podTypes[0].replicas", ""},
		{"platform: {release: \"4.4\"}\nworkload: {podTypes: [{name: a, tolerations: [{key: a}]}]}",
			"workload.podTypes[0].tolerations[0].operator", ""},
	} {
		doc := readText(t, c.text)
		got := assumed(doc, c.field)
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s\n%s: got %q, want %q", c.text, c.field, got, c.want)
		}
	}
}

// Defaults land in the scenario, and what was given stays, zero or not.
func TestDefaultsAreFilledIn(t *testing.T) {
	s := readText(t, `platform: {release: "4.4"}
hardware:
  nodeTypes:
    - {name: a, cpus: 8, memory: 32Gi, podsPerCore: 10, systemReserved: {cpu: 2}}
workload:
  podTypes: [{name: a, replicas: 0, tolerations: [{key: a}]}, {name: b}]
policy: {systemPodsPerNode: 0, overcommit: {cpu: 2}}
`).Scenario
	n := s.Hardware.NodeTypes[0]
	got := map[string]any{
		"podsPerCore": *n.PodsPerCore, "maxPods": n.MaxPods, "reserved": *n.SystemReserved, "eviction": *n.EvictionHard,
		"kubeReserved": n.KubeReserved == nil,
		"replicas":     []int{s.Workload.PodTypes[0].Replicas, s.Workload.PodTypes[1].Replicas},
		"operator":     s.Workload.PodTypes[0].Tolerations[0].Operator, "systemPods": s.Policy.SystemPodsPerNode,
		"overcommit": s.Policy.Overcommit, "services": s.Network.ServiceNetwork, "retention": s.Monitoring.Retention,
	}
	want := map[string]any{
		"podsPerCore": 10, "maxPods": 250, "reserved": v1alpha1.Reserved{CPU: 2000, Memory: unit.GiB},
		"eviction": 100 * unit.MiB, "kubeReserved": true, "replicas": []int{0, 1}, "operator": "Equal", "systemPods": 0,
		"overcommit": v1alpha1.Overcommit{CPU: 2, Memory: 1}, "services": []string{"172.30.0.0/16"},
		"retention": unit.Duration(15 * 86400),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Defaults that are equal in a list are one assumption.
func TestAssumptionsAreCollapsed(t *testing.T) {
	doc := readText(t, `platform: {release: "4.4"}
hardware:
  nodeTypes:
    - {name: a, cpus: 8, memory: 32Gi}
    - {name: b, cpus: 8, memory: 32Gi, maxPods: 500}
    - {name: c, cpus: 8, memory: 32Gi, maxPods: 500, evictionHard: 1Gi}
workload:
  podTypes: [{name: a}, {name: b, containers: 2}, {name: c}, {name: d, hugePages: {2Mi: 2Mi}}]
`)
	var got []string
	for _, a := range doc.Assumptions {
		if strings.HasSuffix(a.Field, "maxPods") || strings.HasSuffix(a.Field, "Hard") ||
			strings.HasSuffix(a.Field, "containers") || strings.HasSuffix(a.Field, "].overcommit") {
			_, tail, _ := strings.Cut(a.Why, ";")
			got = append(got, a.Field+" "+a.Value+tail)
		}
	}
	want := []string{
		"hardware.nodeTypes[0].maxPods 250",
		"hardware.nodeTypes[*].evictionHard 100Mi left open by 2 of 3",
		"workload.podTypes[*].containers 1 left open by 3 of 4",
		"workload.podTypes[*].overcommit allowed left open by 3 of 4",
		"workload.podTypes[3].overcommit cpuOnly",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A scenario that was made in Go gets the same defaults as one that was read.
func TestDefaultsWithoutAFile(t *testing.T) {
	doc := readText(t, "platform: {release: \"4.4\"}\n"+node+"workload: {podTypes: [{name: a, replicas: 2}]}\n")
	s := &v1alpha1.Scenario{
		APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.KindScenario, Platform: v1alpha1.Platform{Release: "4.4"},
		Hardware: v1alpha1.Hardware{NodeTypes: []v1alpha1.NodeType{{Name: "a", CPUs: 8, Memory: 32 * unit.GiB}}},
		Workload: v1alpha1.Workload{PodTypes: []v1alpha1.PodType{{Name: "a", Replicas: 2}}},
	}
	assumptions := scenario.Defaults(s)
	if diff := cmp.Diff(doc.Scenario, s); diff != "" {
		t.Errorf("scenario (-read +made):\n%s", diff)
	}
	if diff := cmp.Diff(doc.Assumptions, assumptions); diff != "" {
		t.Errorf("assumptions (-read +made):\n%s", diff)
	}
	if again := scenario.Defaults(s); len(again) > 0 && again[0].Field == "platform.type" {
		t.Errorf("a second run fills in again: %+v", again[0])
	}
}

// A default that comes from a fact is the fact's figure.
func TestDefaultsAgreeWithFacts(t *testing.T) {
	n := 0
	eachField(reflect.TypeFor[v1alpha1.Scenario](), map[reflect.Type]bool{}, func(f reflect.StructField) {
		id, text := f.Tag.Get("fact"), f.Tag.Get("default")
		if id == "" {
			return
		}
		n++
		fact, ok := facts.Load().Get(id)
		if !ok {
			t.Errorf("%s: there is no fact %s", f.Name, id)
			return
		}
		if got := defaultOf(t, f.Type, text); got != fact.Text && got != fmt.Sprint(fact.Number) {
			t.Errorf("%s: the default %s is not the fact %s (%s)", f.Name, text, id, fact.Printed())
		}
	})
	if n < 15 {
		t.Errorf("only %d defaults come from facts", n)
	}
}

// defaultOf is a default in the base units of facts.
func defaultOf(t *testing.T, typ reflect.Type, text string) string {
	var v float64
	switch typ.String() {
	case "unit.Bytes", "*unit.Bytes":
		b, err := unit.ParseBytes(text)
		if err != nil {
			t.Fatal(err)
		}
		v = float64(b)
	case "unit.BitRate":
		r, err := unit.ParseBitRate(text)
		if err != nil {
			t.Fatal(err)
		}
		v = float64(r)
	case "unit.Duration":
		d, err := unit.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		v = float64(d)
	default:
		return text
	}
	return fmt.Sprint(v)
}

// eachField calls do for every field of a struct type and of those below it.
func eachField(t reflect.Type, seen map[reflect.Type]bool, do func(reflect.StructField)) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for i := range t.NumField() {
		do(t.Field(i))
		eachField(t.Field(i).Type, seen, do)
	}
}

// TestAutoSizing keeps back what the Machine Config Operator's script does: the
// shares of 25, 20, 10, 6 and 2 % of memory, and the CPU of each form. From 4.21 on it
// does so for workers unless told otherwise.
func TestAutoSizing(t *testing.T) {
	for _, c := range []struct {
		release, node string
		cpu           unit.CPU
		memory        unit.Bytes
	}{
		{"4.10", "cpus: 4, memory: 16Gi, autoSizingReserved: true", 80, 3 * unit.GiB},    // 60 + 10 + 5 + 5; 1.0 + .8 + .8
		{"4.18", "cpus: 4, memory: 16Gi, autoSizingReserved: true", 500, 3 * unit.GiB},   // at least 500m
		{"4.21", "cpus: 64, memory: 128Gi, autoSizingReserved: true", 820, 8 * unit.GiB}, // 60 + 63 x 12 to tens; 1 + 7.2
		{"4.21", "cpus: 4, memory: 16Gi, systemReserved: {cpu: 1, memory: 2Gi}", 1000, 2 * unit.GiB},
		{"4.21", "cpus: 16, memory: 64Gi", 500, 4 * unit.GiB}, // 60 + 15 x 12; 1 + 3.36
		{"4.21", "cpus: 16, memory: 64Gi, autoSizingReserved: false", 500, unit.GiB},
		{"4.21", "role: infra, cpus: 16, memory: 64Gi", 500, unit.GiB},
		{"4.20", "cpus: 16, memory: 64Gi", 500, unit.GiB},
	} {
		doc, err := scenario.Read("t.yaml",
			[]byte(fmt.Sprintf("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: {release: %q}\nhardware:\n"+
				"  nodeTypes:\n    - {name: n, %s}\n", c.release, c.node)))
		if err != nil {
			t.Fatal(err)
		}
		if r := doc.Scenario.Hardware.NodeTypes[0].SystemReserved; r == nil || r.CPU != c.cpu || r.Memory != c.memory {
			t.Errorf("%s, %s: %+v, want %s and %s", c.release, c.node, r, c.cpu, c.memory)
		}
	}
}
