package manifest

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/plan"
	"plimsoll.dev/unit"
)

// runningPlan is a plan of a cluster that runs, with every decision that defaults make.
func runningPlan() *v1alpha1.Plan {
	count := 6
	return &v1alpha1.Plan{Metadata: v1alpha1.Metadata{Name: "today"},
		Platform: v1alpha1.Platform{Type: "openshift", Release: "4.14", Provider: "aws"},
		Snapshot: &v1alpha1.Inventory{},
		Scenario: &v1alpha1.Scenario{Hardware: v1alpha1.Hardware{
			NodeTypes: []v1alpha1.NodeType{{Name: "w", Role: "worker", Count: &count}},
			Options: []v1alpha1.HardwareOption{{Name: plan.TodaysNodes,
				Nodes: []v1alpha1.OptionNodes{{Type: "w", Count: 6}}}}}},
		Assumptions: []v1alpha1.Assumption{{Field: "policy.maxUnavailable"}, {Field: "monitoring.retention"},
			{Field: "monitoring.alertmanagerSize"}},
		Decisions: v1alpha1.Decisions{
			Network: v1alpha1.NetworkDecision{Type: "OVNKubernetes"},
			Pools: []v1alpha1.PoolDecision{{Name: "worker", Role: "worker", Type: "w", Count: 6, CPUs: 8, Memory: 32 << 30,
				PerZone: []int{6}, MaxUnavailable: "1", SystemReserved: &v1alpha1.Reserved{CPU: 500, Memory: 1 << 30}}},
			Routers:    []v1alpha1.RouterDecision{{Name: "default", Replicas: 2, Publishing: "HostNetwork"}},
			Monitoring: v1alpha1.MonitoringDecision{Retention: 15 * 24 * 3600 * unit.Duration(1), Replicas: 2},
		}}
}

func writtenRunning(t *testing.T, p *v1alpha1.Plan) (names []string, readme string) {
	t.Helper()
	files, err := Render(FromPlan(p, ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Path == readmeFile {
			readme = string(f.Content)
		} else {
			names = append(names, f.Path)
		}
	}
	return names, readme
}

// A snapshot alone changes nothing: oc apply of what is written reboots no node, and
// moves neither routers nor Prometheus.
func TestRunningClusterIsLeftAlone(t *testing.T) {
	names, readme := writtenRunning(t, runningPlan())
	if len(names) > 0 || !strings.Contains(readme, "Nothing is to change") || !strings.Contains(readme, "Routers stay") ||
		strings.Contains(readme, "growth.txt") {
		t.Errorf("wrote %v and\n%s", names, readme)
	}
}

// What the scenario states is written, and nothing else.
func TestRunningClusterGetsWhatIsStated(t *testing.T) {
	p := runningPlan()
	p.Scenario.Router.Traffic = []v1alpha1.Traffic{{Name: "web"}}
	p.Assumptions = p.Assumptions[1:] // policy.maxUnavailable is stated
	p.Decisions.Pools[0].MaxUnavailable = "3"
	names, _ := writtenRunning(t, p)
	want := []string{"ingresscontroller-default.yaml", "machineconfigpool-worker.yaml"}
	if !slices.Equal(names, want) {
		t.Errorf("wrote %v, want %v", names, want)
	}
}

// Of other machines beside three that run, the machine sets of the other ones alone are written,
// and the steps are theirs: 30 of 33 in batches of 25, over 3 zones.
func TestRunningMachinesAreNotMadeAgain(t *testing.T) {
	p := runningPlan()
	infra := p.Decisions.Pools[0]
	infra.Count, infra.PerZone, infra.Labels = 3, []int{1, 1, 1}, map[string]string{"node-role.kubernetes.io/infra": ""}
	other := infra
	other.Type, other.Count, other.PerZone, other.Labels = "other", 30, []int{10, 10, 10}, nil
	p.Decisions.Pools = []v1alpha1.PoolDecision{infra, other}
	p.Scenario.Hardware.Options[0].Nodes[0].Count = 3
	p.Decisions.Growth = []v1alpha1.GrowthBatch{
		{Step: 1, Pool: "worker", Add: []int{9, 8, 8}, Total: 25, Replicas: []int{9, 8, 8}},
		{Step: 2, Pool: "worker", Add: []int{2, 3, 3}, Total: 33, Replicas: []int{11, 11, 11}}}
	files, err := Render(FromPlan(p, ""))
	if err != nil {
		t.Fatal(err)
	}
	var sets []string
	for _, f := range files {
		if strings.Contains(f.Path, "machineset") {
			sets = append(sets, f.Path)
		}
		if text := string(f.Content); f.Path == growthFile && (strings.Contains(text, "New cluster") ||
			strings.Contains(text, "machinehealthcheck-") ||
			!strings.Contains(text, "# Step 1: worker +22, 22 in all.") ||
			!strings.Contains(text, "# Step 2: worker +8, 30 in all.")) {
			t.Errorf("growth.txt:\n%s", text)
		}
	}
	if want := []string{"fill-in/machineset-worker-other-z1.yaml", "fill-in/machineset-worker-other-z2.yaml",
		"fill-in/machineset-worker-other-z3.yaml"}; !slices.Equal(sets, want) {
		t.Errorf("machine sets %v, want %v", sets, want)
	}
}

// What a pool has now is named beside what it is to get; what it has already is not written, and
// the default of 1 is, where the pool has another.
func TestRunningPoolsAreNamedBeforeAndAfter(t *testing.T) {
	for _, c := range []struct{ now, stated, says string }{
		{"2", "3", "3 nodes of pool worker may be updated at once, in place of 2"},
		{"2", "1", "1 node of pool worker may be updated at once, in place of 2"},
		{"25%", "10%", "10% of the nodes of pool worker may be updated at once, in place of 25%"},
		{"", "3", "oc get machineconfigpool worker"},
		{"", "1", "oc get machineconfigpool worker"},
		{"3", "3", ""},
	} {
		p := runningPlan()
		p.Assumptions = p.Assumptions[1:] // policy.maxUnavailable is stated
		p.Decisions.Pools[0].MaxUnavailable = c.stated
		if c.now != "" {
			p.Snapshot.Pools = []v1alpha1.MachinePool{{Name: "worker", MaxUnavailable: c.now}}
		}
		files, err := Render(FromPlan(p, ""))
		if err != nil {
			t.Fatal(err)
		}
		var written, readme string
		for _, f := range files {
			switch f.Path {
			case readmeFile:
				readme = string(f.Content)
			case "machineconfigpool-worker.yaml":
				written = string(f.Content)
			}
		}
		switch {
		case c.says == "" && (written != "" || !strings.Contains(readme, "its maxUnavailable is 3 already")):
			t.Errorf("%v: wrote %s and\n%s", c, written, readme)
		case !strings.Contains(written, c.says):
			t.Errorf("%v: wrote %s", c, written)
		}
	}
}
