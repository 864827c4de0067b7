package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/unit"
)

// The answers that the tests write stand in testdata as format json writes them: what
// is written as JSON must be the file that was read.

// inputs are the names of the files that were read.
var inputs sync.Map

// stored is the answer in a file of testdata.
func stored[T any](name string) *T {
	inputs.Store(name+".json", true)
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		panic(err)
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	v := new(T)
	if err := in.Decode(v); err != nil {
		panic(fmt.Sprintf("testdata/%s.json: %v", name, err))
	}
	return v
}

// sampleFacts is the small catalogue that the samples' figures come from, so that they
// stay as they are when the built-in one grows.
var sampleFacts = facts.New(*stored[[]facts.Fact]("facts"))

// samplePlan is a likely plan: OCP 9.4 on OpenShift 4.4 with a cluster network that is
// too small for the growth in mind; later is it after its network was mended and its
// workload has grown.
func samplePlan() *v1alpha1.Plan { return stored[v1alpha1.Plan]("plan") }

// placements are placements of every shape, by name: the two cores of
// examples/cpu-manager.yaml as the program places them, two machines with NUMA nodes
// where a kubelet refuses without end, 500 nodes, a machine of 256 CPUs.
func placements() map[string]*v1alpha1.Placement {
	out := map[string]*v1alpha1.Placement{"hostile": hostilePlacement()}
	for _, name := range []string{"small", "numa", "cluster", "large", "empty"} {
		out[name] = placementNamed(name)
	}
	return out
}

func placementNamed(name string) *v1alpha1.Placement {
	return stored[v1alpha1.Placement]("placement-" + name)
}

// serverPlacements are placements of VMs: examples/hcg-figure-16.yaml as the program
// places it, twelve hosts by the rules of StarlingX where some VMs find no host.
func serverPlacements() map[string]*v1alpha1.ServerPlacement {
	return map[string]*v1alpha1.ServerPlacement{"figure-16": serversNamed("figure-16"), "cloud": serversNamed("cloud"),
		"empty": serversNamed("empty"), "hostile": hostileServers()}
}

func serversNamed(name string) *v1alpha1.ServerPlacement {
	return stored[v1alpha1.ServerPlacement]("servers-" + name)
}

// answers are answers of every shape, by name.
func answers() map[string]*v1alpha1.Answer {
	hostile := rollout()
	hostile.Findings, hostile.Parts = check().Findings, append(hostile.Parts, check().Parts...)
	spoilAll(hostile)
	return map[string]*v1alpha1.Answer{"check": check(), "rollout": rollout(), "many": many(), "load": answerNamed("load"),
		"empty": {Verdict: v1alpha1.AnswerVerdict{OK: true}}, "hostile": hostile}
}

// shown is an answer in a file, with the parts that JSON leaves to people.
type shown struct {
	v1alpha1.Answer
	Parts []v1alpha1.Part
}

func answerNamed(name string) *v1alpha1.Answer {
	s := stored[shown]("answers/" + name)
	s.Answer.Parts = s.Parts
	return &s.Answer
}

// check is what a check of two files finds: places with excerpts, a finding of no
// file, a remark, a difference.
func check() *v1alpha1.Answer {
	a := answerNamed("check")
	a.Findings[0].Place.Excerpt = "        priority: 30\n                  ^\n"
	return a
}

// rollout is a timeline of three nodes of which one hangs, with the nodes that are
// left.
func rollout() *v1alpha1.Answer { return answerNamed("rollout") }

// samplePacking is a problem with two kinds of node and three of item, a packing with
// spares that is not proven to be the cheapest, one without spares, and what other
// planners would buy.
func samplePacking() Packing { return *stored[Packing]("answers/packing") }

// many is an answer with hundreds of rows and dozens of findings.
func many() *v1alpha1.Answer {
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "HealthSimulation", Title: "What the health check does",
		Verdict: v1alpha1.AnswerVerdict{Summary: "300 nodes are not healed"}}
	line := v1alpha1.Timeline{Title: "300 nodes", Description: "Each node is down for a minute, one after the other.",
		End:   2 * 86400,
		Level: &v1alpha1.Level{Title: "Healthy nodes", Unit: "nodes", Steps: []v1alpha1.LevelStep{{Amount: 300}}}}
	for i := range 300 {
		at := unit.Duration(i * 500)
		row := v1alpha1.TimelineRow{Name: fmt.Sprintf("node-%d", i),
			Spans: []v1alpha1.TimelineSpan{{From: at, To: at + 500, State: "down"}}}
		if i%60 == 7 {
			row.Spans[0].Mark, row.Spans[0].State = "bad", "lost"
		}
		line.Rows = append(line.Rows, row)
		line.Level.Steps = append(line.Level.Steps, v1alpha1.LevelStep{At: at, Amount: 299},
			v1alpha1.LevelStep{At: at + 400, Amount: 300})
		line.Events = append(line.Events, v1alpha1.TimelineEvent{At: at, Text: "down"})
	}
	for i := range 16 {
		a.Findings = append(a.Findings, v1alpha1.Finding{Severity: v1alpha1.Severities()[i%3], ID: "health.shortTimeout",
			Message: "timeout 60 s is shorter than a restart", Remedy: "600 s or more",
			Place: &v1alpha1.Place{File: fmt.Sprintf("mhc-%d.yaml", i%2), Line: 40 - i, Col: 5,
				Excerpt: "    timeout: 60s\n             ^\n"}})
	}
	a.Parts = []v1alpha1.Part{{Title: "Timeline", Timeline: &line}}
	return a
}

// nasty ends every text of what is hostile: markup, quotes, template and Markdown
// syntax, a terminal escape, a direction override, wide characters, a line break, and
// a word that is longer than any line.
const nasty = ` "'><script>alert(1)</script><img src=x onerror=alert(2)>{{.}}|` +
	"`*_[x](javascript:y)\x1b[31m\u202e節點\nend-of-" +
	"a-very-long-word-that-does-not-want-to-be-broken-anywhere-at-all-because-nobody-gave-it-a-place-to-break"

// hostilePlan is the plan with nasty behind every text that could come from a file,
// and with a formula that can't be computed.
func hostilePlan() *v1alpha1.Plan {
	p := samplePlan()
	spoilAll(p)
	p.APIVersion, p.Kind = v1alpha1.APIVersion, v1alpha1.KindPlan
	p.Figures = append(p.Figures, derive.Figure{ID: "loop", Title: "A figure that needs itself", Value: derive.Of(1, ""),
		Formula: "</code><script>alert(3)</script>", Inputs: []derive.Input{
			{Name: "loop", Value: derive.Value{Text: "1", From: &derive.Ref{Kind: derive.FromFigure, ID: "loop"}}},
			{Name: "gone", Value: derive.Value{Text: "2", From: &derive.Ref{Kind: derive.FromFigure, ID: "no such figure"}}},
			{Name: "odd", Value: derive.Value{Text: "3", From: &derive.Ref{Kind: "oracle", ID: "delphi"}}},
			{Name: "bare", Value: derive.Value{Text: "4"}}}})
	p.Sections[0].Figures = append(p.Sections[0].Figures, "loop", "not a figure")
	p.Sections[1].ID = p.Sections[0].ID
	return p
}

// hostilePlacement is numa and cluster together, spoilt, and with numbers that point
// nowhere.
func hostilePlacement() *v1alpha1.Placement {
	p, c := placementNamed("numa"), placementNamed("cluster")
	p.Losses, p.Drains, p.Comparison = c.Losses, c.Drains, c.Comparison
	p.Findings = append(p.Findings, v1alpha1.Finding{Severity: v1alpha1.Info, ID: "place.remark", Message: "nothing"})
	p.Losses[0].Homeless = append(p.Losses[0].Homeless, v1alpha1.PodsCount{PodType: 99, Count: 1})
	spoilAll(p)
	p.APIVersion, p.Kind = v1alpha1.APIVersion, v1alpha1.KindPlacement
	p.Nodes[0].Pods = append(p.Nodes[0].Pods, v1alpha1.PodsCount{PodType: -1, Count: 2})
	p.Machines[0].NUMANodes[0].Cores[1].Threads[0] = v1alpha1.ThreadMap{CPU: 999, Use: "exclusive", Owner: 99}
	p.Machines[0].NUMANodes[0].Cores[2].Threads[0] = v1alpha1.ThreadMap{CPU: -1, Use: "exclusive", Owner: -4}
	return p
}

// hostileServers is cloud, spoilt, and with numbers that point nowhere.
func hostileServers() *v1alpha1.ServerPlacement {
	p := serversNamed("cloud")
	p.Losses[2].Homeless = append(p.Losses[2].Homeless, v1alpha1.ServerCount{ServerType: 99, Count: 1})
	spoilAll(p)
	p.APIVersion, p.Kind = v1alpha1.APIVersion, v1alpha1.KindServerPlacement
	p.Machines[0].NUMANodes[0].Cores[1].Threads[0] = v1alpha1.ThreadMap{CPU: 999, Use: "exclusive", Owner: 99}
	p.Machines[0].NUMANodes[0].Cores[2].Threads[0] = v1alpha1.ThreadMap{CPU: -1, Use: "warp", Owner: -4}
	p.Refusals = append(p.Refusals, v1alpha1.ServerRefusal{ServerType: -1, Count: 0, Nodes: []string{"<b>"}})
	p.Servers[0].ServerType, p.Servers[1].Devices = 42, []v1alpha1.PlacedDevice{{Kind: "x", Node: -1, Count: 1}}
	return p
}

// spared are the fields that are code rather than text.
var spared = []string{"Formula", "Unit", "Mark", "Use"}

// spoilAll appends nasty to every text of what v points to.
func spoilAll(v any) { spoil(reflect.ValueOf(v).Elem()) }

// spoil appends nasty to every plain string below v, keys of maps included.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if !slices.Contains(spared, name) && (v.Type() != reflect.TypeFor[derive.Input]() || name != "Name") {
				spoil(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			k, x := reflect.New(key.Type()).Elem(), reflect.New(v.Type().Elem()).Elem()
			k.Set(key)
			x.Set(v.MapIndex(key))
			spoil(k)
			spoil(x)
			v.SetMapIndex(key, reflect.Value{})
			v.SetMapIndex(k, x)
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() && v.String() != "" {
			v.SetString(v.String() + nasty)
		}
	}
}

// TestHostileIsEverywhere: what is hostile is so in all its texts.
func TestHostileIsEverywhere(t *testing.T) {
	for want, v := range map[int]any{500: hostilePlan(), 200: hostilePlacement(), 201: hostileServers()} {
		if s := toText(t, v); strings.Count(s, "alert(1)") < want {
			t.Errorf("%T has only %d hostile texts", v, strings.Count(s, "alert(1)"))
		}
	}
}

func toText(t *testing.T, v any) string {
	t.Helper()
	s, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(s)
}

// TestFiguresHold: the figures of the samples are those of their formulas.
func TestFiguresHold(t *testing.T) {
	for _, p := range []*v1alpha1.Plan{samplePlan(), stored[v1alpha1.Plan]("later")} {
		for _, f := range p.Figures {
			if err := f.Check(); err != nil {
				t.Error(err)
			}
		}
	}
}
