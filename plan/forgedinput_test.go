package plan

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/source/scenario"
)

// savedInput is what the plan of an example carries of its input, as its JSON has it.
func savedInput(t *testing.T, name string) any {
	t.Helper()
	doc, err := scenario.ReadFile(filepath.Join("..", "examples", name), strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	return tree(&v1alpha1.Plan{Scenario: doc.Scenario, Assumptions: doc.Assumptions})
}

// toldOf is what verification says of what a plan has from files, and what it does not prove.
func toldOf(p *v1alpha1.Plan) (told, unproven string) {
	saved, invalid, wrong := scenario.ReadSaved(p.Scenario, p.Assumptions)
	for _, err := range append(invalid, wrong...) {
		told += err.Error() + "\n"
	}
	return told, fmt.Sprint(saved.Unlisted, saved.Taken)
}

// Each word of each assumption changed, each assumption taken away: all are told. One that is
// taken away says that its field was written, which only the file can tell.
func TestNoForgedAssumptionPasses(t *testing.T) {
	for _, name := range append(forging, "hcg-figure-16.yaml") {
		honest := savedInput(t, name)
		told, unproven := toldOf(plainly(t, honest))
		if told != "" {
			t.Errorf("%s itself: %s", name, told)
		}
		list := honest.(map[string]any)["assumptions"].([]any)
		var all []string
		for i := range list {
			places(list[i], fmt.Sprint("/assumptions/", i), &all)
			without := plainly(t, honest)
			without.Assumptions = append(without.Assumptions[:i:i], without.Assumptions[i+1:]...)
			if told, left := toldOf(without); told == "" && left == unproven {
				t.Errorf("%s passes without assumption %d", name, i)
			}
		}
		for _, at := range all {
			if told, _ := toldOf(plainly(t, forged(honest, "", at))); told == "" {
				t.Errorf("%s: %s passes", name, at)
			}
		}
	}
}

// A value of the scenario that an assumption tells otherwise is told, whether or not it
// changes anything in the plan.
func TestNoForgedDefaultPasses(t *testing.T) {
	for _, name := range append(forging, "hcg-figure-16.yaml") {
		honest, changed := savedInput(t, name), 0
		var all []string
		places(honest.(map[string]any)["scenario"], "/scenario", &all)
		for _, a := range plainly(t, honest).Assumptions {
			at := "/scenario/" + strings.ReplaceAll(a.Field, ".", "/")
			for _, place := range all {
				if place != at {
					continue
				}
				changed++
				p, err := read(forged(honest, "", at))
				if err != nil {
					continue // the reader refuses it
				}
				if told, _ := toldOf(p); told == "" {
					t.Errorf("%s: another %s passes", name, a.Field)
				}
			}
		}
		if changed < 10 {
			t.Errorf("%s: only %d values were changed", name, changed)
		}
	}
}

// What no file may say, the scenario of a plan may not. The words are those that the
// fields' documentation does not list.
func TestNoForgedScenarioPasses(t *testing.T) {
	for _, c := range []struct{ example, set, told string }{
		{"shop.yaml", `{"kind": "Rubbish"}`, "scenario.kind: \"Rubbish\" is not a Scenario"},
		{"shop.yaml", `{"apiVersion": "x"}`, "scenario.apiVersion: \"x\" is not allowed"},
		{"shop.yaml", `{"scheduling": {"order": "nonsense"}}`, "scenario.scheduling.order: \"nonsense\" is not allowed"},
		{"shop.yaml", `{"router": {"spare": 2}}`, "assumption router.spare = 1: the scenario has 2"},
		{"shop.yaml", `{"policy": {"node": "m9"}}`, "scenario.policy.node: "},
		{"hcg-figure-16.yaml", `{"scheduling": {"hostStrategy": "nonsense"}}`,
			"scenario.scheduling.hostStrategy: \"nonsense\" is not allowed"},
		{"hcg-figure-16.yaml", `{"scheduling": {"numaStrategy": "nonsense"}}`,
			"scenario.scheduling.numaStrategy: \"nonsense\" is not allowed"},
		{"hcg-figure-16.yaml", `{"policy": {"doubtful": "careful x"}}`,
			"scenario.policy.doubtful: \"careful x\" is not allowed"},
		{"hcg-figure-16.yaml", `{"storage": {"ceph": {"replicas": 3}}}`,
			"assumption storage.ceph.replicas = 2: the scenario has 3"},
	} {
		p := plainly(t, savedInput(t, c.example))
		if err := json.Unmarshal([]byte(c.set), p.Scenario); err != nil {
			t.Fatal(err)
		}
		if told, _ := toldOf(p); !strings.Contains(told, c.told) {
			t.Errorf("%s with %s: got %q, want %q", c.example, c.set, told, c.told)
		}
	}
}

// Beside its input, whatever a plan says otherwise is told.
func TestAgainstTellsWhatWasPassedOver(t *testing.T) {
	doc, err := scenario.ReadFile("../examples/hcg-dedicated.yaml", strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	made := Make(doc.Scenario, doc.Assumptions, facts.Load())
	says := *made
	says.Skipped = []v1alpha1.Skipped{{Place: "a.yaml:1", What: "Job a", Why: "it ends"}}
	says.MadeBy = &v1alpha1.Build{Version: "v0.0.1"}
	if wrong := Against(&says, made); len(wrong) != 1 || !strings.Contains(wrong[0].Error(), "skipped: ") {
		t.Errorf("got %v, want the skipped Job alone", wrong)
	}
}
