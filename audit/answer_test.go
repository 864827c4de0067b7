package audit_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/audit"
	"plimsoll.dev/place/nova"
)

// nodesSeen is that nodes and pods were read.
var nodesSeen = map[string]any{"kind": "Seen", "read": []string{"nodes", "pods"}}

// Against an earlier audit the verdict is about what is new: it says how much is known, never that nothing is wrong,
// and tells no problem that is not shown.
func TestVerdictSince(t *testing.T) {
	earlier := func(objects []map[string]any) v1alpha1.Answer {
		a := audit.Answer(audit.Input{Cloud: cloud(t, objects, nodesSeen)})
		r := a.Result.(audit.Result)
		r.Time = "2026-01-08T00:00:00Z"
		a.Result = &r
		return a
	}
	here := cloud(t, sick, nodesSeen)
	same := audit.Answer(audit.Input{Cloud: here})
	audit.Since(&same, here, earlier(sick))
	for _, want := range []string{"Nothing is new since 2026-01-08; ", " known and not shown"} {
		if !strings.Contains(same.Verdict.Summary, want) {
			t.Errorf("%q is missing in %q", want, same.Verdict.Summary)
		}
	}
	if strings.Contains(same.Verdict.Summary, "Nothing is wrong") || same.Verdict.Problem != "" || !same.Verdict.OK {
		t.Errorf("known: %+v", same.Verdict)
	}
	waived := audit.Answer(audit.Input{Cloud: here, Waivers: []audit.Waiver{
		{Rule: "node.notReady", Reason: "moved", Owner: "ops", Until: "2030-01-01"}}})
	if audit.Since(&waived, here, earlier(sick)); strings.Contains(waived.Verdict.Summary, "gone") {
		t.Errorf("waived: %s", waived.Verdict.Summary)
	}
	more := audit.Answer(audit.Input{Cloud: here})
	audit.Since(&more, here, earlier(nil))
	if !strings.HasPrefix(more.Verdict.Summary, "New: ") || !strings.Contains(more.Verdict.Problem, "Node/a") {
		t.Errorf("new: %+v", more.Verdict)
	}
}

// What is waived, known by an earlier audit or gone since, and rules that say nothing, stand aside: for formats that
// have a word for that.
func TestAside(t *testing.T) {
	before := audit.Answer(audit.Input{Cloud: cloud(t, sick[:1], nodesSeen)})
	r := before.Result.(audit.Result)
	before.Result = &r
	before.Findings = append(before.Findings, v1alpha1.Finding{ID: "node.gone", Severity: v1alpha1.Warning})
	here := cloud(t, sick, nodesSeen)
	told := func(waivers ...audit.Waiver) map[string]string {
		a := audit.Answer(audit.Input{Cloud: here, Waivers: waivers})
		audit.Since(&a, here, before)
		out := map[string]string{}
		for _, x := range a.Aside {
			object := ""
			if x.Place != nil {
				object = " " + x.Place.Object
			}
			out[x.ID+object] = strings.TrimSpace(x.Baseline + " " + x.Skipped)
		}
		return out
	}
	known := told()
	waiver := audit.Waiver{Rule: "node.notReady", Objects: []string{"Node/b"}, Reason: "moved", Owner: "ops",
		Until: "2030-01-01"}
	waived := told(waiver)
	for name, want := range map[string]string{"node.notReady Node/a": "unchanged", "node.gone": "absent",
		"net.serviceEmpty":     "not seen: services: there is none in what was given",
		"cap.noOvercommitType": "not applicable: no pod asks for huge pages",
		"node.notReady Node/b": ""} {
		if known[name] != want {
			t.Errorf("%s: %q, want %q", name, known[name], want)
		}
	}
	if waived["node.notReady Node/b"] != "new waived until 2030-01-01 by ops: moved" ||
		waived["node.notReady Node/a"] != "unchanged" {
		t.Errorf("waived: %q", waived)
	}
}

// What is no audit is refused, with what would be right.
func TestEarlierRefuses(t *testing.T) {
	for _, text := range []string{`{"kind": "Plan"}`, `{"kind": "Audit", "result": null}`, `{"kind": "Audit"}`,
		"# no JSON"} {
		if _, err := audit.Earlier([]byte(text)); err == nil || !strings.Contains(err.Error(), "plimsoll audit -o json") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Each finding stands somewhere, those about waivers in their file, so that code scanners take them.
func TestWaiversHavePlaces(t *testing.T) {
	a := audit.Answer(audit.Input{Cloud: cloud(t, sick, nodesSeen), Waivers: []audit.Waiver{
		{Rule: "node.notReady", Reason: "r", Owner: "o", Until: "2020-01-01"}},
		WaiverPlaces: []v1alpha1.Place{{File: "waivers.yaml", Line: 2, Col: 3}}})
	for _, f := range a.Findings {
		if f.Place == nil || f.Place.File == "" {
			t.Errorf("%s stands nowhere", f.ID)
		} else if f.ID == "waiver.expired" && (f.Place.File != "waivers.yaml" || f.Place.Line != 2) {
			t.Errorf("%+v", f.Place)
		}
	}
}

// The tables hold all: every limit under its own name, what is waived and by whom, limits and settings in the count.
func TestTables(t *testing.T) {
	a := audit.Answer(audit.Input{Cloud: cloud(t, sick, nodesSeen), Waivers: []audit.Waiver{
		{Rule: "node.notReady", Reason: "moved", Owner: "ops", Until: "2030-01-01"}}})
	tables := map[string]v1alpha1.Table{}
	for _, p := range a.Parts {
		for _, table := range p.Tables {
			if tables[table.ID].ID != "" {
				t.Errorf("two tables are %s", table.ID)
			}
			tables[table.ID] = table
		}
	}
	if w := tables["audit.waived"].Rows; len(w) != 1 || w[0][2].Text != "ops" || w[0][3].Text != "moved" {
		t.Errorf("waived: %v", w)
	}
	if !strings.Contains(a.Verdict.Summary, "; 1 rule waived") {
		t.Errorf("%s", a.Verdict.Summary)
	}
	for _, id := range []string{"audit.subjects", "audit.fine"} {
		for _, row := range tables[id].Rows {
			if some := row[2].Text+row[3].Text+row[4].Text != "000"; some != (id == "audit.subjects") {
				t.Errorf("%s: %v", id, row)
			}
		}
	}
}

// An audit by another release's limits than the cluster's says so, and so does one of a cluster that tells no release.
func TestLimitsOf(t *testing.T) {
	for _, c := range []struct{ has, asked, want string }{
		{"4.17.9", "4.17", ""}, {"4.17.9", "4.1", ", limits of OpenShift 4.1"}, {"", "4.14", ", limits of OpenShift 4.14"},
	} {
		made := cloud(t, nil, nodesSeen)
		made.OpenShift = c.has
		plan := &v1alpha1.Plan{Scenario: &v1alpha1.Scenario{Platform: v1alpha1.Platform{Type: "openshift", Release: c.asked}}}
		if a := audit.Answer(audit.Input{Cloud: made, Plan: plan}); a.Title != "Audit of "+made.Name+c.want {
			t.Errorf("%+v: %s", c, a.Title)
		}
	}
}

// Files of one cluster have a name for each day, and one audit is no trend, which is said once.
func TestHistoryOfFiles(t *testing.T) {
	one, two := ran(1, 400), ran(5, 500)
	one.Result.(*audit.Result).Cluster, two.Result.(*audit.Result).Cluster = "monday.json", "friday.json"
	a, err := audit.History([]*v1alpha1.Answer{one, two})
	if err != nil {
		t.Fatal(err)
	}
	if a.Title != "History of monday.json, friday.json" ||
		a.Verdict.Summary != "No trend yet: 2 audits over 4 days; 3 over 14 days are needed." {
		t.Errorf("%s: %s", a.Title, a.Verdict.Summary)
	}
	single, err := audit.History([]*v1alpha1.Answer{one})
	if err != nil || strings.Contains(single.Verdict.Summary, "-0") {
		t.Errorf("%s, %v", single.Verdict.Summary, err)
	}
	one.Result.(*audit.Result).Cluster, two.Result.(*audit.Result).Cluster = "cluster a", "cluster b"
	if _, err := audit.History([]*v1alpha1.Answer{one, two}); err == nil {
		t.Error("two clusters have a history together")
	}
}

// Of a history the quantities that grow have rows, the others a sentence.
func TestHistoryOfGrowth(t *testing.T) {
	for pods, want := range map[float64]string{0: "Without growth: Pods.", 10: ""} {
		var runs []*v1alpha1.Answer
		for _, day := range []int{1, 11, 21, 31} {
			runs = append(runs, ran(day, 100+pods*float64(day)))
		}
		a, err := audit.History(runs)
		if err != nil {
			t.Fatal(err)
		}
		p := a.Parts[0]
		if got := strings.Join(p.Lead, ""); got != want || (len(p.Tables[0].Rows) == 1) != (want == "") {
			t.Errorf("%v pods a day: %q, %v", pods, got, p.Tables)
		}
	}
}

// What is found in a setting counts with its subject, which is not fine then.
func TestSubjectsOfSettings(t *testing.T) {
	made := cloud(t, sick, nodesSeen)
	a := audit.Answer(audit.Input{Cloud: made, Checked: []v1alpha1.Finding{
		{ID: "pool.paused", Severity: v1alpha1.Warning, Place: &v1alpha1.Place{Object: "MachineConfigPool/worker"}}}})
	for _, p := range a.Parts {
		for _, table := range p.Tables {
			for _, row := range table.Rows {
				if row[0].Text == "Pools" && (table.ID != "audit.subjects" || row[2].Text != "1") {
					t.Errorf("%s: %v", table.ID, row)
				}
			}
		}
		if text := strings.Join(p.Lead, ""); strings.Contains(text, "Pools") {
			t.Error(text)
		}
	}
}

// A cloud that does not outlive the loss of one host is in error, whatever its scenario says of spare hosts.
func TestStackLoss(t *testing.T) {
	c := audit.NewStack("cloud", now, nova.Nova)
	placed := &v1alpha1.ServerPlacement{}
	placed.Find(v1alpha1.Info, "place.loss[any 1 host]", "not all VMs run again", "")
	placed.Verdict.Open = []string{"what server x holds is not known"}
	a := audit.Answer(audit.Input{Cloud: c, Placed: placed})
	if len(a.Findings) != 1 || a.Findings[0].Severity != v1alpha1.Error || a.Verdict.OK ||
		!slices.Contains(a.Verdict.Open, "what server x holds is not known") {
		t.Errorf("%+v %+v", a.Verdict, a.Findings)
	}
}

// Three limits that are near at once hold less than each alone.
func TestCombined(t *testing.T) {
	c := audit.NewStack("cloud", now, nova.HCG40)
	add := func(kind, row string, n int) {
		for range n {
			c.Add(kind, []byte(row))
		}
	}
	c.Add("Seen", []byte(`{"kind": "Seen", "read": ["routers", "subnets", "compute-services", "neutron-networks"]}`))
	add("Router", `{"id": "r"}`, 15)
	add("Subnet", `{"id": "s"}`, 600)
	said := func() bool {
		return slices.ContainsFunc(audit.Answer(audit.Input{Cloud: c}).Findings, func(f v1alpha1.Finding) bool {
			return f.ID == "limit.combined" && strings.Contains(f.Message, "Virtual routers, Compute hosts and Subnets are all")
		})
	}
	if said() {
		t.Error("two are told")
	}
	add("ComputeService", `{"binary": "nova-compute", "host": "h", "state": "up", "status": "enabled"}`, 72)
	if !said() {
		t.Error("three are not told")
	}
}
