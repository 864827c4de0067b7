package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/limit"
)

// changesOf compares the sample with what edit makes of it.
func changesOf(t *testing.T, edit func(p *v1alpha1.Plan)) []change {
	t.Helper()
	p := samplePlan()
	edit(p)
	d, err := compare(newIndex(samplePlan(), options(JSON)), newIndex(p, options(JSON)))
	if err != nil {
		t.Fatal(err)
	}
	return d.Changes
}

func TestEachChangeIsSeen(t *testing.T) {
	tests := map[string]struct {
		edit func(p *v1alpha1.Plan)
		want change
	}{
		"verdict": {func(p *v1alpha1.Plan) { p.Verdict.Summary = "less" },
			change{Group: "verdict", Change: altered, ID: "verdict.summary", New: "less"}},
		"limit gone": {func(p *v1alpha1.Plan) { p.Gauges = p.Gauges[1:] },
			change{Group: "limits", Change: removed, ID: "network.nodes"}},
		"limit better": {func(p *v1alpha1.Plan) { p.Gauges[0].Verdict = limit.Near },
			change{Group: "limits", Change: altered, ID: "network.nodes", Effect: better, New: "234 % near, 150 of 64 nodes"}},
		"finding gone": {func(p *v1alpha1.Plan) { p.Findings = p.Findings[1:] },
			change{Group: "findings", Change: removed, ID: "network.cidr.tooSmall (network.nodes)", Effect: better}},
		"remark gone": {func(p *v1alpha1.Plan) { p.Findings = p.Findings[:2] },
			change{Group: "findings", Change: removed, ID: "control.size.growth (control.cores)"}},
		"option": {func(p *v1alpha1.Plan) { p.Options[1].Total = 58 },
			change{Group: "options", Change: altered, ID: "option 2: ... placed, by the policy", New: "58"}},
		"option gone": {func(p *v1alpha1.Plan) { p.Options = p.Options[:2] },
			change{Group: "options", Change: removed, ID: "option 3: Verdict"}},
		"pool": {func(p *v1alpha1.Plan) { p.Decisions.Pools[0].MaxPods = 500 },
			change{Group: "decisions", Change: altered, ID: "pools[worker].maxPods", New: "500"}},
		"pool in between": {func(p *v1alpha1.Plan) { p.Decisions.Pools = p.Decisions.Pools[1:] },
			change{Group: "decisions", Change: removed, ID: "pools[worker].count"}},
		"figure": {func(p *v1alpha1.Plan) {
			p.Figures[0].Value.Number, p.Figures[0].Value.Text = 825e3,
				"825 cores"
		}, change{Group: "figures", Change: altered, ID: "workload.cpu", New: "825 cores"}},
		"formula": {func(p *v1alpha1.Plan) { p.Figures[0].Formula = "550000" },
			change{Group: "figures", Change: altered, ID: "workload.cpu", New: "550000"}},
		"figure gone": {func(p *v1alpha1.Plan) { p.Figures = p.Figures[1:] },
			change{Group: "figures", Change: removed, ID: "workload.cpu"}},
		"layer": {func(p *v1alpha1.Plan) { p.Nodes[0].Resources[0].Layers[0].Value.Text = "1 core" },
			change{Group: "nodes", Change: altered, ID: "m5.2xlarge/worker/cpu/system", New: "1 core"}},
		"table": {func(p *v1alpha1.Plan) { p.Sections[0].Tables[0].Rows[0][1].Text = "101" },
			change{Group: "tables", Change: altered, ID: "workload.podTypes/apache",
				New: "apache, 101, 0.5 cores, 500 MB, 1 GB, yes"}},
		"assumption": {func(p *v1alpha1.Plan) { p.Assumptions[0].Value = "2" },
			change{Group: "assumptions", Change: altered, ID: "policy.zones", New: "2"}},
		"release": {func(p *v1alpha1.Plan) { p.Platform.Release = "4.5" },
			change{Group: "scenario", Change: altered, ID: "platform.release", New: "4.5"}},
		"skipped": {func(p *v1alpha1.Plan) { p.Skipped = p.Skipped[:1] },
			change{Group: "skipped", Change: removed, ID: "manifests/helm/values.yaml"}},
		"a note": {func(p *v1alpha1.Plan) { p.Gauges[0].Notes = []string{"new"} },
			change{Group: "other", Change: altered, ID: "plan"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := changesOf(t, tt.edit)
			match := func(c change) bool {
				return c.Group == tt.want.Group && c.Change == tt.want.Change && c.ID == tt.want.ID && c.Effect == tt.want.Effect &&
					(tt.want.New == "" || c.New == tt.want.New)
			}
			if !slices.ContainsFunc(got, match) {
				t.Errorf("want %+v, got %+v", tt.want, got)
			}
		})
	}
}

func TestRelativeChange(t *testing.T) {
	got := changesOf(t, func(p *v1alpha1.Plan) { p.Figures[0].Value.Number = 825e3 })
	if len(got) != 1 || got[0].By() != "+50 %" {
		t.Errorf("got %+v", got)
	}
	got = changesOf(t, func(p *v1alpha1.Plan) { p.Figures[0].Value.Number = 275e3 })
	if len(got) != 1 || got[0].By() != "-50 %" {
		t.Errorf("got %+v", got)
	}
}

func TestWorstFirst(t *testing.T) {
	got := changesOf(t, func(p *v1alpha1.Plan) {
		p.Gauges[0].Verdict = limit.Within // better
		p.Gauges[3].Verdict = limit.Passed // worse
		p.Gauges[4].Share = 0.4            // neither
	})
	var effects []string
	for _, c := range got {
		effects = append(effects, c.Effect)
	}
	if want := []string{worse, better, ""}; !slices.Equal(effects, want) {
		t.Errorf("order %q, want %q: %+v", effects, want, got)
	}
}

func TestNoDifference(t *testing.T) {
	for name, p := range plans() {
		for _, format := range WholeFormats() {
			var b bytes.Buffer
			changed, err := Diff(&b, p, p, format, options(format))
			if err != nil || changed {
				t.Errorf("%s as %s: %v, %v", name, format, changed, err)
			}
			if format != JSON && format != YAML && format != Name && !strings.Contains(b.String(), "no difference") {
				t.Errorf("%s as %s does not say so: %s", name, format, b.String())
			}
		}
	}
}

func TestTwiceTheSameID(t *testing.T) {
	got := changesOf(t, func(p *v1alpha1.Plan) { p.Findings = append(p.Findings, p.Findings[0]) })
	if len(got) != 1 || got[0].Change != added || got[0].Effect != worse {
		t.Errorf("got %+v", got)
	}
}

func TestDiffJSON(t *testing.T) {
	var b bytes.Buffer
	if _, err := Diff(&b, samplePlan(), stored[v1alpha1.Plan]("later"), JSON, options(JSON)); err != nil {
		t.Fatal(err)
	}
	var d difference
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Kind != "PlanDiff" || !d.Changed || d.Old.Fits || !d.New.Fits {
		t.Errorf("got %+v", d)
	}
}
