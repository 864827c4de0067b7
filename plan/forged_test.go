package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/source/scenario"
)

// forging are the examples that need no other file.
var forging = []string{"ocp-9.4.yaml", "shop.yaml", "hcg-dedicated.yaml", "nfv.yaml", "topology-manager.yaml"}

// asRead are the parts of a plan that come from files: Confirm takes them as they stand, and
// what the reader of scenarios says of them is tested below.
var asRead = []string{"scenario", "machines", "assumptions", "skipped", "madeBy"}

// One word, number or judgement of a plan changed, one entry taken away: none of the
// plans passes. What the scenario gives is planned once for each example.
func TestNoForgedPlanPasses(t *testing.T) {
	for _, name := range forging {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, uint64(len(name))))
			honest := savedExample(t, name)
			gives := tree(plainly(t, honest))
			for _, f := range forgeries(r, honest, 105) {
				p, err := read(f.tree)
				if err != nil {
					continue // the reader refuses it
				}
				d := differences{}
				d.compare("", tree(p), gives)
				if len(d.found) == 0 && len(Verify(p, facts.Load())) == 0 {
					t.Errorf("%s passes", f.what)
				}
			}
		})
	}
}

// The same by the way that the command takes, which plans each again.
func TestConfirmPlansAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2026))
	honest := savedExample(t, "hcg-dedicated.yaml")
	for _, err := range Confirm(plainly(t, honest), facts.Load()) {
		t.Errorf("the plan itself: %v", err)
	}
	for _, f := range forgeries(r, honest, 25) {
		if p, err := read(f.tree); err == nil && len(Confirm(p, facts.Load())) == 0 {
			t.Errorf("%s passes", f.what)
		}
	}
	p := plainly(t, honest)
	p.MadeBy = &v1alpha1.Build{Version: "v0.0.1"} // another build may plan the same
	for _, err := range Confirm(p, facts.Load()) {
		t.Errorf("made by another build: %v", err)
	}
	p.Scenario = nil
	if wrong := Confirm(p, facts.Load()); len(wrong) != 1 || !strings.Contains(wrong[0].Error(), "which scenario") {
		t.Errorf("a plan without its scenario: got %v", wrong)
	}
}

// A scenario that no reader would let pass breaks nothing down.
func TestConfirmSurvivesAHostileScenario(t *testing.T) {
	p := plainly(t, savedExample(t, "ocp-9.4.yaml"))
	p.Scenario = &v1alpha1.Scenario{}
	if len(Confirm(p, facts.Load())) == 0 {
		t.Error("an empty scenario gives the plan")
	}
}

type forgery struct {
	what string
	tree any
}

// savedExample is the plan of an example as its JSON has it.
func savedExample(t *testing.T, name string) any {
	t.Helper()
	doc, err := scenario.ReadFile(filepath.Join("..", "examples", name), strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	p := Make(doc.Scenario, doc.Assumptions, facts.Load())
	p.Scenario = doc.Scenario
	return tree(p)
}

// plainly reads a tree as a plan.
func plainly(t *testing.T, tree any) *v1alpha1.Plan {
	t.Helper()
	p, err := read(tree)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func read(tree any) (*v1alpha1.Plan, error) {
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	var p v1alpha1.Plan
	return &p, json.Unmarshal(text, &p)
}

// forgeries change a plan at so many places, one at a time.
func forgeries(r *rand.Rand, plan any, n int) []forgery {
	var all []string
	places(plan, "", &all)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var out []forgery
	for _, at := range all[:min(n, len(all))] {
		out = append(out, forgery{at, forged(plan, "", at)})
	}
	return out
}

// places are the leaves and lists of a plan.
func places(v any, path string, out *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if path == "" && slices.Contains(asRead, name) {
				continue
			}
			places(v[name], path+"/"+name, out)
		}
	case []any:
		if len(v) > 0 {
			*out = append(*out, path)
		}
		for i := range v {
			places(v[i], fmt.Sprint(path, "/", i), out)
		}
	default:
		*out = append(*out, path)
	}
}

// forged is the tree with another value at a place; the rest is shared.
func forged(v any, path, at string) any {
	if path == at {
		return other(v)
	}
	if !strings.HasPrefix(at, path+"/") {
		return v
	}
	switch old := v.(type) {
	case map[string]any:
		changed := map[string]any{}
		for name, child := range old {
			changed[name] = forged(child, path+"/"+name, at)
		}
		return changed
	case []any:
		changed := slices.Clone(old)
		for i, child := range old {
			changed[i] = forged(child, fmt.Sprint(path, "/", i), at)
		}
		return changed
	}
	return v
}

// other is a value that is not v: the other answer, one more, no text, a shorter list.
func other(v any) any {
	switch v := v.(type) {
	case bool:
		return !v
	case json.Number:
		f, _ := v.Float64()
		if f == 0 {
			return json.Number("1")
		}
		return json.Number("0")
	case string:
		if len(v)%2 == 1 {
			return ""
		}
		return v + " or fewer"
	case []any:
		return v[1:]
	}
	return "something"
}
