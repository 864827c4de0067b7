package machineconfig

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// What is asked for in the documents' form is made, with warnings.
func TestAsDocumentedIsMade(t *testing.T) {
	for _, of := range release.Documented() {
		s := settings(Settings{AsDocumented: true, RPS: &RPS{CPUs: []int{8}},
			Routes: []Routes{{Device: "enc9000", Routes: []Route{{To: "192.0.2.0/24"}}}}})
		mc, findings := Generate(s, of)
		wellSaid(t, findings)
		for _, f := range findings {
			if f.Severity == v1alpha1.Error {
				t.Errorf("%s: %+v", of, f)
			}
			// as udev 252 was seen to do
			if f.ID == oneQueueRule.ID && !strings.Contains(f.Message, "the first that its directory lists") {
				t.Errorf("%s: %+v", of, f)
			}
		}
		p := worker(of, mc)
		if len(p.Files) != 2 || !strings.Contains(string(p.Files[1].Content), `ATTR{queues/*/rps_cpus}="ff"`) {
			t.Errorf("%s: %+v", of, p)
		}
	}
	for _, r := range []RPS{{CPUs: []int{8}, Driver: "mlx5_core"}, {CPUs: []int{8}, NamePattern: "enc*"},
		{CPUs: []int{8}, Virtual: true}} {
		mc, findings := Generate(settings(Settings{AsDocumented: true, RPS: &r}), release.Current)
		if d := cmp.Diff([]string{"settings"}, ids(findings)); d != "" || mc.Spec.Config != nil {
			t.Errorf("%+v: %s %v", r, d, mc.Spec.Config)
		}
	}
}

// Findings name what the user gave, not fields of this package.
func TestFindingsNameFlags(t *testing.T) {
	bad := Settings{Name: "A", Role: "B", AsDocumented: true, RPS: &RPS{},
		HugePages: &HugePages{Pages: map[string]int64{"2Mi": 0, "x y": 1}, PerNode: []NodePages{{3, "2Mi", 0}}},
		Routes: []Routes{{Device: "eth0", Pods: []string{"x"}, Routes: []Route{{To: "192.0.2.0/24", Via: "no way"},
			{To: "10.128.0.0/14"}}}, {Device: "eth0"}, {Device: "a\x1bb c"}}}
	_, findings := Generate(bad, release.Current)
	var got []string
	for _, f := range findings {
		got = append(got, f.Field)
	}
	want := []string{"--name", "--role", "--rps-cpus", "--networks", "--route eth0 192.0.2.0/24 via \"no way\"",
		"--route eth0", `--route "a\x1bb c"`,
		"--huge-pages 2Mi", "--huge-pages \"x y\"", "huge pages of NUMA node 3", "--route eth0 10.128.0.0/14", "--route eth0",
		"--route eth0"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s\n%v", d, findings)
	}
	for _, f := range findings {
		if text := f.Message + f.Remedy; strings.Contains(text, "asDocumented") || strings.Contains(text, "routes[") {
			t.Errorf("%+v", f)
		}
	}
}

// A network of the cluster may be of pods or of services: who gives it doesn't say.
func TestOverlapSaysWhose(t *testing.T) {
	r := Routes{Device: "eth0", Pods: []string{"172.30.0.0/16"}, Machine: []string{"10.0.0.0/16"},
		Routes: []Route{{To: "172.30.1.0/24"}, {To: "10.0.1.0/24"}}}
	_, findings := Generate(settings(Settings{Routes: []Routes{r}}), release.Current)
	var got []string
	for _, f := range findings[:2] {
		got = append(got, f.Message)
	}
	want := []string{"172.30.1.0/24 overlaps 172.30.0.0/16, a network of the cluster",
		"10.0.1.0/24 overlaps 10.0.0.0/16, the network of the cluster's nodes, which reach it already"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestHowManyPages(t *testing.T) {
	for n, want := range map[int64]string{
		0:           "no number of pages was given (write a number from 1 to 4294967296)",
		-4:          "-4 is no number of pages (write a number from 1 to 4294967296)",
		99999999999: "99999999999 pages are more than any node holds (write a number from 1 to 4294967296)",
		1 << 32:     "",
	} {
		_, findings := HugePagesProfile{Name: "a", Label: "a", Count: n}.Tuned(release.Current)
		got := ""
		for _, f := range findings {
			if f.Severity == v1alpha1.Error {
				got += f.Message + " (" + f.Remedy + ")"
			}
		}
		if got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// A label that no node can have is told; those with a prefix are fine.
func TestHugePagesLabel(t *testing.T) {
	for label, want := range map[string]bool{"hugepages": true, "node-role.kubernetes.io/nfv": true,
		"hugepages=true": false, "huge pages": false, "-a": false, strings.Repeat("a", 64): false} {
		_, findings := HugePagesProfile{Name: "a", Label: label, Count: 1}.Tuned(release.Current)
		wellSaid(t, findings)
		if (findings[0].Severity == v1alpha1.Info) != want {
			t.Errorf("%s: %v", label, findings)
		}
	}
}

// Files without paths are no rivals.
func TestFilesWithoutPathAreNotCompared(t *testing.T) {
	const two = `
kind: MachineConfig
metadata: {name: 50-a, labels: {machineconfiguration.openshift.io/role: worker}}
spec: {config: {ignition: {version: 2.2.0}, storage: {files: [{contents: {source: "data:,a"}}, {path: "", contents: {source: "data:,b"}}]}}}
---
kind: MachineConfig
metadata: {name: 51-b, labels: {machineconfiguration.openshift.io/role: worker}}
spec: {config: {ignition: {version: 2.2.0}, storage: {files: [{contents: {source: "data:,c"}}, {path: "", contents: {source: "data:,d"}}]}}}
`
	for _, r := range release.Documented() {
		for _, f := range Check(split(t, two), r) {
			if f.ID == orderRule.ID {
				t.Errorf("%s: %+v", r, f)
			}
		}
	}
}

// Of two with one name the cluster has the later one.
func TestAnswerOfOneNameTwice(t *testing.T) {
	const two = `
kind: MachineConfig
metadata: {name: 50-a, labels: {machineconfiguration.openshift.io/role: worker}}
spec: {kernelArguments: [first]}
---
kind: MachineConfig
metadata: {name: 50-a, labels: {machineconfiguration.openshift.io/role: worker}}
spec: {kernelArguments: [second]}
`
	for _, r := range release.Documented() {
		p := Answer(split(t, two), nil, r).Result.(Result).Pools[1]
		if len(p.Order) != 1 || len(p.KernelArguments) != 1 || p.KernelArguments[0].Text != "second" {
			t.Errorf("%s: %+v", r, p)
		}
	}
}

// Where there is no MachineConfig, nothing is said to be fine.
func TestAnswerOfNothing(t *testing.T) {
	tuned := split(t, "kind: Tuned\nmetadata: {name: x}\n")
	a := Answer(tuned, nil, release.Current)
	if a.Verdict.OK || a.Verdict.Problem != "there is no MachineConfig among 1 object" || len(a.Parts) > 0 {
		t.Errorf("%+v %v", a.Verdict, a.Parts)
	}
	before := split(t, readFileText(t, "repaired-4.4.yaml"))
	if a := Answer(nil, before, release.V44); !a.Verdict.OK ||
		!strings.Contains(printed(a), "What the nodes of pool worker do") {
		t.Errorf("everything removed: %+v\n%s", a.Verdict, printed(a))
	}
}
