package audit_test

import (
	"strings"
	"testing"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/audit"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
)

// ran is an audit at a day of January with so many pods of 1,000.
func ran(day int, pods float64) *v1alpha1.Answer {
	at := time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)
	gauge := limit.Measure("pods", "Pods", "cluster", derive.Of(pods, "pods"), derive.Of(1000, "pods"), limit.Tested)
	return &v1alpha1.Answer{Result: &audit.Result{Cluster: "cluster prod", Time: at.Format(time.RFC3339),
		Gauges: []limit.Gauge{gauge}}}
}

// Ten pods a day, 700 at the end: the limit is passed 30 days later.
func TestHistory(t *testing.T) {
	for name, c := range map[string]struct {
		runs        []*v1alpha1.Answer
		passes, why string
		perWeek     float64
	}{
		"a line":         {[]*v1alpha1.Answer{ran(31, 700), ran(1, 400), ran(11, 500), ran(21, 600)}, "2026-03-02", "", 70},
		"too short":      {[]*v1alpha1.Answer{ran(1, 400), ran(5, 500), ran(10, 600)}, "", "3 audits over 9 days", 0},
		"too few":        {[]*v1alpha1.Answer{ran(1, 400), ran(31, 500)}, "", "2 audits over 30 days", 0},
		"the same twice": {[]*v1alpha1.Answer{ran(1, 400), ran(1, 400), ran(31, 500)}, "", "2 audits over 30 days", 0},
		"chance": {[]*v1alpha1.Answer{ran(1, 400), ran(11, 430), ran(21, 390), ran(31, 405)}, "",
			"does not grow", -1.75},
		"passed": {[]*v1alpha1.Answer{ran(1, 900), ran(11, 1000), ran(21, 1100)}, "", "it is passed", 70},
		"slow":   {[]*v1alpha1.Answer{ran(1, 100), ran(11, 101), ran(21, 102)}, "", "not in ten years", 0.7},
	} {
		a, err := audit.History(c.runs)
		if err != nil {
			t.Fatal(err)
		}
		got := a.Result.(audit.HistoryResult).Trends[0]
		if got.Passes != c.passes || !strings.Contains(got.Why, c.why) || (c.why == "") != (got.Why == "") ||
			got.PerWeek < c.perWeek-0.01 || got.PerWeek > c.perWeek+0.01 {
			t.Errorf("%s: %+v", name, got)
		}
		if (len(a.Findings) == 1) != (c.passes != "") {
			t.Errorf("%s: %v", name, a.Findings)
		}
	}
	fullest := ran(31, 700).Result.(*audit.Result)
	fullest.Gauges = []limit.Gauge{fullest.Gauges[0].AsLocal()}
	a, err := audit.History([]*v1alpha1.Answer{ran(1, 1), {Result: fullest}})
	if err != nil || len(a.Result.(audit.HistoryResult).Trends) > 0 {
		t.Errorf("the fullest node, which is another each day, has a trend: %v, %+v", err, a.Result)
	}
	files := []*v1alpha1.Answer{ran(1, 1), ran(2, 1)} // two files of one cluster
	for i, name := range []string{"monday.json", "tuesday.json"} {
		r := files[i].Result.(*audit.Result)
		r.Cluster, r.Identity = name, "5d2c"
	}
	if _, err := audit.History(files); err != nil {
		t.Error(err)
	}
	other := ran(2, 1)
	other.Result.(*audit.Result).Cluster = "cluster test"
	if _, err := audit.History([]*v1alpha1.Answer{ran(1, 1), other}); err == nil {
		t.Error("two clusters have a history together")
	}
}
