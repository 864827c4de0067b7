package place_test

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/examples"
	"plimsoll.dev/facts"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// agreed is a scenario with its plan.
type agreed struct {
	doc  *scenario.Document
	made *v1alpha1.Plan
}

// on places the scenario on so many nodes more than are planned, asking for all that
// the policy does, and says what is not borne; empty is nothing.
func (a agreed) on(t interface{ Fatal(...any) }, more int) string {
	s := a.doc.Scenario
	pools, err := cluster.Pools(s, a.made, "", true)
	if err != nil {
		t.Fatal(err)
	}
	pools[0].Count += more
	c := cluster.Build(cluster.Input{Scenario: s, Pools: pools, Platform: a.made.Decisions.WorkerPods,
		Assumptions: a.doc.Assumptions, Facts: facts.Load()})
	p, err := place.Make(c, s, place.Options{Order: s.Scheduling.Order, Seed: uint64(s.Scheduling.Seed),
		Failures: max(1, *s.Policy.SpareNodes), MaxUnavailable: s.Policy.MaxUnavailable,
		Stated: place.Stated(s, a.doc.Assumptions)})
	if err != nil {
		t.Fatal(err)
	}
	if !p.Verdict.Fits {
		return p.Verdict.Problem
	}
	for _, l := range p.Losses {
		asked := s.Policy.SurviveZoneLoss
		if !strings.Contains(l.What, "zone") {
			asked = *s.Policy.SpareNodes > 0
		}
		if asked && l.Worst != "" {
			return l.What
		}
	}
	for _, d := range p.Drains {
		if d.Worst != "" && (*s.Policy.SpareNodes > 0 || place.Stated(s, a.doc.Assumptions).MaxUnavailable != "") {
			return d.What
		}
	}
	return ""
}

func agree(t interface{ Fatal(...any) }, text string) agreed {
	doc, err := scenario.Read("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return agreed{doc, plan.Make(doc.Scenario, doc.Assumptions, facts.Load())}
}

func (a agreed) chosen() *v1alpha1.Option {
	for i := range a.made.Options {
		if a.made.Options[i].Chosen {
			return &a.made.Options[i]
		}
	}
	return nil
}

// What a plan of an example calls verified, placement confirms; and what placement
// refutes, no plan calls good.
func TestPlansOfExamplesAreConfirmed(t *testing.T) {
	files := examples.Scenarios("../examples")
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "type: helion") || strings.Contains(string(text), "manifests:") ||
			strings.Contains(string(text), "snapshot:") || strings.Contains(string(text), "topologyFile:") {
			continue // read with other files: the command line's test has them
		}
		a := agree(t, string(text))
		o := a.chosen()
		if o == nil || o.Verified == nil {
			if a.made.Verdict.Good() && o != nil {
				t.Errorf("%s: the plan is good, and was not placed", file)
			}
			continue
		}
		seen++
		broken := a.on(t, 0)
		if good := o.Verified.Status == v1alpha1.Verified; good != (broken == "") {
			t.Errorf("%s: the plan says %+v, placement: %q", file, *o.Verified, broken)
		}
		if o.Verified.Status == v1alpha1.NotVerified && a.made.Verdict.Good() {
			t.Errorf("%s: placement refutes it, and the plan is good: %s", file, broken)
		}
	}
	if seen < 4 {
		t.Errorf("%d examples were compared", seen)
	}
}

// A plan of many types, of which only the chosen option is proven, is confirmed, too.
func TestPlansOfManyTypesAreConfirmed(t *testing.T) {
	var pods []string
	for i := range 60 {
		pods = append(pods, fmt.Sprintf("{name: p%d, replicas: %d, cpu: %dm, memory: %dMi}", i, 1+i%7, 100*(1+i%13),
			256*(1+i%11)))
	}
	a := agree(t, "apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: {type: kubernetes, release: '1.36'}\n"+
		"hardware: {nodeTypes: [{name: a, cpus: 8, memory: 32Gi, price: 1}, "+
		"{name: b, cpus: 16, memory: 64Gi, price: 1.9}]}\nworkload: {podTypes: ["+strings.Join(pods, ", ")+"]}\n")
	o := a.chosen()
	if o == nil || o.Verified == nil || o.Verified.Status != v1alpha1.Verified {
		t.Fatalf("the plan chooses %+v", o)
	}
	if broken := a.on(t, 0); broken != "" {
		t.Errorf("%d nodes are called verified; placement: %s", o.Total, broken)
	}
	if fewer := a.on(t, -1); fewer == "" {
		t.Errorf("%d nodes are planned, one fewer holds as well", o.Total)
	}
}

// cloudToConfirm draws a small cluster with zones, spares, spread and affinity.
func cloudToConfirm(t *rapid.T) string {
	zones := rapid.IntRange(1, 3).Draw(t, "zones")
	var pods []string
	for i := range rapid.IntRange(1, 5).Draw(t, "types") {
		pod := fmt.Sprintf("name: p%d, replicas: %d, cpu: %dm, memory: %dMi, labels: {app: p%d}", i,
			rapid.IntRange(1, 24).Draw(t, "replicas"), rapid.IntRange(1, 38).Draw(t, "cpu")*100,
			rapid.IntRange(1, 40).Draw(t, "memory")*128, i)
		selector := fmt.Sprintf("labelSelector: {matchLabels: {app: p%d}}", i)
		switch rapid.IntRange(0, 7).Draw(t, "rule") {
		case 0:
			pod += ", maxPerNode: " + fmt.Sprint(rapid.IntRange(1, 3).Draw(t, "maxPerNode"))
		case 1:
			pod += ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, " + selector + "}]"
		case 2:
			pod += ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{" + selector +
				", topologyKey: kubernetes.io/hostname}]}}"
		}
		pods = append(pods, "{"+pod+"}")
	}
	return fmt.Sprintf("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: {type: kubernetes, release: %q}\n"+
		"hardware: {nodeTypes: [{name: a, cpus: %d, memory: 32Gi, price: 1}, "+
		"{name: b, cpus: %d, memory: 48Gi, price: 1.7}]}\n"+
		"workload: {podTypes: [%s]}\npolicy: {spareNodes: %d, zones: %d, surviveZoneLoss: %v, maxUnavailable: %d}\n"+
		"scheduling: {order: %s}\n",
		rapid.SampledFrom([]string{"1.30", "1.36"}).Draw(t, "release"), rapid.IntRange(5, 12).Draw(t, "a"),
		rapid.IntRange(6, 20).Draw(t, "b"), strings.Join(pods, ", "), rapid.IntRange(0, 2).Draw(t, "spare"),
		zones, zones > 1 && rapid.Bool().Draw(t, "loss"), rapid.IntRange(1, 2).Draw(t, "away"),
		rapid.SampledFrom([]string{cluster.Runs, cluster.Shuffled, cluster.LargestFirst}).Draw(t, "order"))
}

// TestPlansAreConfirmed has random clusters: what the plan calls verified, placement
// confirms, failures and updates included, and one node fewer does not hold unless
// the plan's floor forbids it.
func TestPlansAreConfirmed(t *testing.T) {
	verified, refuted := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := agree(t, cloudToConfirm(t))
		o := a.chosen()
		if o == nil || o.Verified == nil {
			if a.made.Verdict.Good() && o != nil {
				t.Fatal("the plan is good, and was not placed")
			}
			return
		}
		if o.Verified.Status != v1alpha1.Verified {
			refuted++
			if a.made.Verdict.Good() {
				t.Fatalf("the plan is good, and not verified: %+v", *o.Verified)
			}
			return
		}
		verified++
		if broken := a.on(t, 0); broken != "" {
			t.Fatalf("%d nodes are called verified; placement: %s", o.Total, broken)
		}
		least := o.Floor + *a.doc.Scenario.Policy.SpareNodes
		if z := a.doc.Scenario.Policy.Zones; z > 1 && a.doc.Scenario.Policy.SurviveZoneLoss {
			least = max(least, plan.ZoneLossCount(o.Floor, z))
		}
		if o.Total > cmp.Or(least, 1) && a.on(t, -1) == "" {
			t.Fatalf("%d nodes are planned, %d hold as well", o.Total, o.Total-1)
		}
	})
	if verified < 50 || refuted == 0 {
		t.Errorf("%d verified, %d refuted", verified, refuted)
	}
}
