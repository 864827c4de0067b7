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

// A waiver covers the findings of its rule whose objects are all its own, until its last day, and one that covers
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
		"one of two": {func(w *audit.Waiver) { w.Objects = []string{"Node/a"} },
			[]string{"node.notReady", "waiver.unused"}},
		"ended": {func(w *audit.Waiver) { w.Until = "2026-01-14" }, []string{"node.notReady", "waiver.expired"}},
		"other": {func(w *audit.Waiver) { w.Rule = "node.podsUse" }, []string{"node.notReady", "waiver.unused"}},
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

// Of a waiver all that is wrong is told.
func TestWaiverFaults(t *testing.T) {
	got := audit.Waiver{Rule: "node.nothing", Until: "soon", Owner: "o"}.Faults()
	if len(got) != 3 || got[0].Field != "rule" || got[1].Field != "reason" || got[2].Field != "until" {
		t.Errorf("%v", got)
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
	both, one := run(sick), run(sick[:1])
	if audit.Since(&one, saved(both)); slices.Contains(ids(one.Findings), "node.notReady") {
		t.Errorf("known: %v", one.Findings)
	}
	if audit.Since(&both, saved(run(sick[:1]))); !slices.Contains(ids(both.Findings), "node.notReady") {
		t.Errorf("another node: %v", both.Findings)
	}
	none := run(nil)
	audit.Since(&none, saved(run(sick)))
	if r := none.Result.(audit.Result); !slices.Contains(r.Gone, "node.notReady") ||
		!strings.Contains(none.Verdict.Summary, "gone: ") {
		t.Errorf("gone: %+v", none.Verdict)
	}
	if _, err := audit.Earlier([]byte(`{"kind": "Plan"}`)); err == nil {
		t.Error("a plan is an audit")
	}
}
