package performance

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/release"
)

// What decides and was not seen is named beside the verdict.
func TestOpen(t *testing.T) {
	const pool = "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {name: a, " +
		"labels: {a: b}}\nspec: {nodeSelector: {matchLabels: {node-role.kubernetes.io/worker-cnf: ''}}, " +
		"machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: worker-cnf}}}\n"
	const infrastructure = "---\napiVersion: config.openshift.io/v1\nkind: Infrastructure\nmetadata: {name: cluster}\n"
	const status = "status: {cpuPartitioning: None}\n"
	const runtime = "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: ContainerRuntimeConfig\n" +
		"metadata: {name: c}\nspec: {containerRuntimeConfig: {defaultRuntime: runc}}\n"
	const gate = "---\napiVersion: config.openshift.io/v1\nkind: FeatureGate\nmetadata: {name: cluster}\nspec: {}\n"
	amd := strings.Replace(node("n", "amd64", "8"), "labels: {", "labels: {"+makerLabel+": AMD, ", 1)
	mixed := strings.Replace(good, "reserved: 0-1}", "reserved: 0-1, shared: '8'}\n  workloadHints: {mixedCpus: true}", 1)
	const noPool, noNodes, noInfrastructure, noRuntime, noGate, pstate = "the MachineConfigPool", "the nodes",
		"the Infrastructure", "the ContainerRuntimeConfigs", "the FeatureGate", "intel_pstate"
	all := pool + amd + infrastructure + status + runtime
	// A pool as a cluster has it tells the MachineConfigs that become of ContainerRuntimeConfigs.
	of := func(config string) string {
		return strings.Replace(pool, "spec: {", "spec: {configuration: {source: [{name: 01-a-container-runtime}, {name: "+
			config+"}]}, ", 1) + amd + infrastructure + status
	}
	for _, c := range []struct {
		text string
		want []string
		// since and until are releases in which that is so; 0 is any.
		since, until release.Release
	}{
		{good, []string{noPool, noNodes, noInfrastructure, noRuntime}, 0, 15},
		{good, []string{noPool, noNodes, noInfrastructure, noRuntime, pstate}, 16, 17},
		{good, []string{noPool, noNodes, noInfrastructure, pstate}, 18, 0},
		{good + pool + node("n", "amd64", "8") + infrastructure + status + runtime, []string{pstate}, 16, 0},
		{good + pool + amd + infrastructure + runtime, []string{noInfrastructure}, 0, 0},
		{good + pool + amd + infrastructure + status, []string{noRuntime}, 0, 17},
		{good + pool + amd + infrastructure + status, nil, 18, 0},
		{good + of("99-a-generated-kubelet"), nil, 0, 0},
		{good + of("99-a-generated-containerruntime"), []string{noRuntime}, 0, 17},
		{good + all, nil, 0, 0},
		{mixed + all, []string{noGate}, 15, 0},
		{mixed + all + gate, nil, 0, 0},
	} {
		for _, r := range []release.Release{14, 17, 18, release.Current} {
			if r.Minor() < c.since || c.until > 0 && r.Minor() > c.until {
				continue
			}
			a := Answer(read(t, c.text), r, nil)
			var got []string
			for _, o := range a.Verdict.Open {
				for _, w := range []string{noPool, noNodes, noInfrastructure, noRuntime, noGate, pstate} {
					if strings.HasPrefix(o, w) {
						got = append(got, w)
					}
				}
			}
			if d := cmp.Diff(c.want, got); d != "" || !a.Verdict.OK {
				t.Errorf("%s in %v: %s", c.text, r, d)
			}
		}
	}
}

// Programs get what the tables say.
func TestForPrograms(t *testing.T) {
	raw, err := json.Marshal(Answer(read(t, good, node("n", "amd64", "16")), release.Current, nil).Result)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"cpus":"8-15","number":8`, `"from":"in no set"`,
		`{"on":"AMD","arguments":["skew_tick=1",`,
		`{"field":"reservedSystemCPUs","value":"0-1","from":["spec.cpu.reserved"]}`,
		`{"size":"1G","number":4,"node":1,"allocatedBy":"a unit, before the kubelet starts",`,
		`{"name":"/etc/systemd/system/ovs.slice","lines":3`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s isn't there", want)
		}
	}
}

// The command line is broken between words alone.
func TestBroken(t *testing.T) {
	long := strings.Repeat("x", 80)
	for _, c := range []struct {
		in   []string
		want string
	}{{[]string{"a", "b"}, "a b\n"}, {[]string{"a", long, "b"}, "a\n" + long + "\nb\n"}} {
		if got := broken(c.in); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}
