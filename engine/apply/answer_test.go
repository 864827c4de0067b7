package apply

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
)

// some is a result with values of each state.
func some() *Result {
	v := func(s string) *string { return &s }
	place := &v1alpha1.Place{File: "p/tuned.conf", Line: 7, Col: 1}
	return &Result{Profile: "p", Chain: []string{"parent", "p"}, Node: "node", Applied: true, RolledBack: true,
		Restored: true, Entries: 1234, HashBefore: "a", HashAfter: "a",
		ApplySeconds: 0.62, RollbackSeconds: 0.14, Values: []Value{
			{Section: "sysctl", Plugin: "sysctl", Option: "vm.swappiness", Path: "/proc/sys/vm/swappiness", Want: "10",
				Before: v("60"), After: v("10"), RolledBack: v("60"), State: Changed, Profile: "parent", Place: place},
			{Section: "sysctl", Plugin: "sysctl", Option: "net.core.somaxconn", Want: ">128", Before: v("4096"),
				After: v("4096"), State: Kept, Place: place},
			{Section: "sysctl", Plugin: "sysctl", Option: "kernel.gone", Path: "/proc/sys/kernel/gone", Want: "1",
				State: Missing, Place: place, Note: "Failed to read sysctl parameter 'kernel.gone', the parameter does not exist"},
			{Section: "fast", Plugin: "disk", Option: "readahead", Device: "sda", Want: "1", Before: v("128"), After: v("4096"),
				State: Changed},
			{Section: "fast", Plugin: "disk", Option: "readahead", Device: "sdb", Want: "1", Before: v("128"), After: v("4096"),
				State: Changed},
			{Section: "sysfs", Plugin: "sysfs", Option: "/sys/none", Want: "1", State: Skipped,
				Note: "nothing on the node matches the path", Place: place},
			{Section: "vm", Plugin: "vm", Option: "transparent_hugepages", Want: "never", Before: v("always"),
				After: v("always"), State: Differs},
		}, Log: []Line{{Level: "ERROR", Text: "sysctl option kernel.gone will not be set, " +
			"failed to read the original value."}, {Level: "ERROR", Text: "something else"}}}
}

func TestAnswer(t *testing.T) {
	a := some().Answer()
	if want := "TuneD applied p in 0.6 s: 3 values changed, 1 kept, 1 not as asked, 1 missing on the node, " +
		"1 left alone; rolled back in 0.1 s, all 1,234 entries are byte for byte what they were."; a.Verdict.Summary != want {
		t.Errorf("%s", a.Verdict.Summary)
	}
	var found []string
	for _, f := range a.Findings {
		found = append(found, string(f.Severity)+" "+f.ID+" "+f.Message)
		if strings.HasSuffix(f.Message, ".") || f.Remedy == "" {
			t.Errorf("%+v", f)
		}
	}
	want := []string{
		`error apply.valueDiffers vm transparent_hugepages is "always", not "never"`,
		"error apply.valueMissing sysctl kernel.gone is not on the node: Failed to read sysctl parameter 'kernel.gone', " +
			"the parameter does not exist",
		"warning apply.logError TuneD logs: something else",
		"warning apply.valueSkipped sysfs /sys/none is left alone: nothing on the node matches the path",
	}
	if d := cmp.Diff(want, found); d != "" {
		t.Error(d)
	}
	if a.Verdict.OK || a.Verdict.Problem != a.Findings[0].Message || a.Kind != "Apply" {
		t.Errorf("%+v", a.Verdict)
	}
	table := a.Parts[0].Tables[0]
	if len(table.Rows) != 6 || table.Rows[3][0].Text != "fast readahead of sda to sdb (2)" ||
		table.Rows[0][6].Text != "parent:7" {
		t.Errorf("%+v", table.Rows)
	}
	text, err := json.Marshal(a)
	if err != nil || !strings.Contains(string(text), `"state":"missing"`) ||
		!strings.Contains(string(text), `"applySeconds":0.62`) {
		t.Errorf("%v, %s", err, text)
	}
}

func TestAnswerOfARefusal(t *testing.T) {
	r := &Result{Profile: "p", Refusal: "Requested profile 'p' doesn't exist.", RolledBack: true, Restored: true,
		HashAfter: "a"}
	a := r.Answer()
	if a.Verdict.OK || !strings.HasPrefix(a.Verdict.Summary, "TuneD applied nothing of p; all 0 entries are") ||
		len(a.Findings) != 1 {
		t.Errorf("%+v", a)
	}
	if p := a.Parts[0]; p.Title != "" || len(p.Tables) > 0 {
		t.Errorf("values are told of: %+v", p)
	}
	if a.Title != "What profile p does to this machine" {
		t.Errorf("%s", a.Title)
	}
}

func TestRulesAreToldOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || !strings.HasPrefix(r.ID, "apply.") || r.Title == "" || len(r.Sources) == 0 {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
}
