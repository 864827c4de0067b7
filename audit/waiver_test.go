package audit_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/audit"
)

// two nodes that are not ready.
var sick = []map[string]any{
	{"kind": "Node", "metadata": map[string]any{"name": "a"}, "status": notReady},
	{"kind": "Node", "metadata": map[string]any{"name": "b"}, "status": notReady},
}

var notReady = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "False"}}}

func ids(list []v1alpha1.Finding) (out []string) {
	for _, f := range list {
		out = append(out, f.ID)
	}
	return out
}

// A waiver covers the findings of its rule that are about its objects, until its last day, and one that covers
// nothing, or has ended, is told.
func TestWaivers(t *testing.T) {
	known := audit.Waiver{Rule: "node.notReady", Reason: "moved", Owner: "ops", Until: "2026-01-15"}
	for name, c := range map[string]struct {
		change func(*audit.Waiver)
		want   []string
	}{
		"covers":       {func(*audit.Waiver) {}, nil},
		"of all rules": {func(w *audit.Waiver) { w.Rule = "node.*" }, nil},
		"its objects":  {func(w *audit.Waiver) { w.Objects = []string{"Node/a", "Node/b*"} }, nil},
		"ended":        {func(w *audit.Waiver) { w.Until = "2026-01-14" }, []string{"node.notReady", "waiver.expired"}},
		"other":        {func(w *audit.Waiver) { w.Rule = "node.podsUse" }, []string{"node.notReady", "waiver.unused"}},
	} {
		w := known
		c.change(&w)
		seen := map[string]any{"kind": "Seen", "read": []string{"nodes", "pods"}}
		a := audit.Answer(audit.Input{Cloud: cloud(t, sick, seen), Waivers: []audit.Waiver{w}})
		got := slices.DeleteFunc(ids(a.Findings), func(id string) bool {
			return !strings.HasPrefix(id, "node.notReady") && !strings.HasPrefix(id, "waiver.")
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if r := a.Result.(audit.Result); (len(r.Waived) == 1) != (c.want == nil) {
			t.Errorf("%s: waived %v", name, r.Waived)
		}
	}
}

// A waiver of one node of two leaves the other: in the message, in the place and in the remedy.
func TestWaiverOfSome(t *testing.T) {
	w := audit.Waiver{Rule: "node.notReady", Objects: []string{"Node/a"}, Reason: "moved", Owner: "ops",
		Until: "2026-01-15"}
	seen := map[string]any{"kind": "Seen", "read": []string{"nodes", "clusterversions"}}
	release := map[string]any{"kind": "ClusterVersion", "status": map[string]any{
		"desired": map[string]any{"version": "4.14.9"}}}
	a := audit.Answer(audit.Input{Cloud: cloud(t, append(slices.Clone(sick), release), seen), Waivers: []audit.Waiver{w}})
	i := slices.IndexFunc(a.Findings, func(f v1alpha1.Finding) bool { return f.ID == "node.notReady" })
	waived := a.Result.(audit.Result).Waived
	if i < 0 || len(waived) != 1 || slices.Contains(ids(a.Findings), "waiver.unused") {
		t.Fatalf("left %v, waived %v", a.Findings, waived)
	}
	left := a.Findings[i]
	if left.Place.Object != "Node/b" || waived[0].Place.Object != "Node/a" || strings.Contains(left.Message, "Node/a") ||
		!strings.Contains(left.Remedy, "node-logs b ") || !strings.Contains(waived[0].Remedy, "node-logs a ") {
		t.Errorf("left %+v, waived %+v", left, waived)
	}
}

// Of a waiver all that is wrong is told.
func TestWaiverFaults(t *testing.T) {
	got := audit.Waiver{Rule: "node.nothing", Until: "soon", Owner: "o"}.Faults()
	if len(got) != 3 || got[0].Field != "rule" || got[1].Field != "reason" || got[2].Field != "until" {
		t.Errorf("%v", got)
	}
	for _, rule := range []string{"limit.nodes", "limit.*", "network.mtu"} { // what an audit tells beside its rules
		if got := (audit.Waiver{Rule: rule, Until: "2026-02-28", Reason: "r", Owner: "o"}).Faults(); len(got) > 0 {
			t.Errorf("%s: %v", rule, got)
		}
	}
	if got := (audit.Waiver{Rule: "profile.*", Until: "2026-02-28", Reason: "r", Owner: "o"}).Faults(); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// Against an earlier audit only what is new stays: another rule, another object, or worse; what is gone is named.
func TestSince(t *testing.T) {
	seen := map[string]any{"kind": "Seen", "read": []string{"nodes", "pods"}}
	run := func(objects []map[string]any) v1alpha1.Answer {
		return audit.Answer(audit.Input{Cloud: cloud(t, objects, seen)})
	}
	since := func(objects []map[string]any, before v1alpha1.Answer) v1alpha1.Answer {
		c := cloud(t, objects, seen)
		a := audit.Answer(audit.Input{Cloud: c})
		audit.Since(&a, c, before)
		return a
	}
	saved := func(a v1alpha1.Answer) v1alpha1.Answer {
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		out, err := audit.Earlier(text)
		if err != nil {
			t.Fatal(err)
		}
		return *out
	}
	if one := since(sick[:1], saved(run(sick))); slices.Contains(ids(one.Findings), "node.notReady") {
		t.Errorf("known: %v", one.Findings)
	}
	both := since(sick, saved(run(sick[:1])))
	i := slices.Index(ids(both.Findings), "node.notReady")
	if i < 0 || both.Findings[i].Place.Object != "Node/b" ||
		!strings.Contains(both.Findings[i].Message, "1 other is not new") {
		t.Errorf("another node: %v", both.Findings)
	}
	none := since(nil, saved(run(sick)))
	if r := none.Result.(audit.Result); !slices.Contains(r.Gone, "node.notReady") ||
		!strings.Contains(none.Verdict.Summary, "gone: ") {
		t.Errorf("gone: %+v", none.Verdict)
	}
	if _, err := audit.Earlier([]byte(`{"kind": "Plan"}`)); err == nil {
		t.Error("a plan is an audit")
	}
}
