package schedulertest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/place/scheduler"
)

func TestRunsInJSON(t *testing.T) {
	got, err := json.Marshal(Runs{3, 7, 7, 7, -1, -1, 2})
	if err != nil || string(got) != "[3,[7,3],[-1,2],2]" {
		t.Errorf("%s, %v", got, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		want := Runs(rapid.SliceOf(rapid.Int32Range(-1, 3)).Draw(t, "runs"))
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Runs
		if err := json.Unmarshal(text, &got); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s became %v: %v", text, got, err)
		}
	})
}

func TestRunsThatAreDamaged(t *testing.T) {
	for _, text := range []string{`{}`, `["a"]`, `[[1,0]]`, `[[1,-3]]`, `[[1,99999999999]]`, `[[1,20000000]]`, `[1.5]`,
		`[3000000000]`} {
		var r Runs
		if err := json.Unmarshal([]byte(text), &r); err == nil {
			t.Errorf("%s was read as %d numbers", text, len(r))
		}
	}
}

func TestFixturesReadAsWritten(t *testing.T) {
	s := Random(3)
	want := []Recorded{
		{Session: s, Release: "v1.36.3", Placed: make(Runs, len(s.Arrivals))},
		{Session: HandMade()[5], Release: "v1.36.3", Placed: make(Runs, len(HandMade()[5].Arrivals)),
			Diagnoses: []Diagnosis{{Pod: 1, Reasons: []scheduler.Reason{{Reason: "x", Nodes: 2}}, Message: "0/2"}},
			Scores:    []Scored{{Pod: 0, Nodes: []int32{0, 1}, Plugins: map[string][]int64{"a": {1, 2}}}}},
	}
	var b, again bytes.Buffer
	if err := Write(&b, want); err != nil {
		t.Fatal(err)
	}
	if err := Write(&again, want); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("written twice, the bytes differ: %v", err)
	}
	var got []Recorded
	for one, err := range Read(&b) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, one)
	}
	if text, err := json.Marshal(got); err != nil || string(text) != mustJSON(t, want) {
		t.Errorf("read back it is\n%.300s\n%v", text, err)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFixturesThatAreDamaged(t *testing.T) {
	for _, err := range Read(strings.NewReader("not gzip")) {
		if err == nil {
			t.Error("no gzip, and no error")
		}
	}
	base := HandMade()[0]
	base.Arrivals = Runs{0, 0}
	one := 1
	cases := map[string]Recorded{
		"1 pods were placed and 2 arrived": {Session: base, Placed: Runs{0}},
		"pod 1 is on node 99":              {Session: base, Placed: Runs{0, 99}},
		"pod 0 is of class 7": {Session: Session{Classes: base.Classes, Nodes: base.Nodes, Arrivals: Runs{7}},
			Placed: Runs{0}},
		"bound 0 has class 9": {
			Session: Session{Classes: base.Classes, Nodes: base.Nodes, Bound: []Bound{{Class: 9, Count: 1}}},
		},
		"pod 1 leaves before arrival 1": {Session: withEvents(base, Event{Before: 1, Leave: &one}), Placed: Runs{0, 0}},
		"does 0 things":                 {Session: withEvents(base, Event{Before: 1}), Placed: Runs{0, 0}},
		"does 2 things": {Session: withEvents(base, Event{Before: 1, Cordon: &one, Remove: &one}),
			Placed: Runs{0, 0}},
		"is before arrival 2": {Session: withEvents(base, Event{Before: 2, Cordon: &one}), Placed: Runs{0, 0}},
	}
	for want, r := range cases {
		if err := Write(&bytes.Buffer{}, []Recorded{r}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func withEvents(s Session, events ...Event) Session {
	s.Events = events
	return s
}

func TestSessionsRepeatAndAreWhole(t *testing.T) {
	sessions := HandMade()
	for _, m := range Clusters() {
		sessions = append(sessions, m.Session())
		if diff := cmp.Diff(m.Session(), m.Session()); diff != "" {
			t.Errorf("%s drawn twice differs:\n%s", m.Name, diff)
		}
	}
	for seed := range uint64(40) {
		sessions = append(sessions, Random(seed))
	}
	names := map[string]bool{}
	for _, s := range sessions {
		if err := s.Check(); err != nil {
			t.Error(err)
		}
		if names[s.Name] {
			t.Errorf("two sessions are called %q", s.Name)
		}
		names[s.Name] = true
	}
}

// The clusters must hold what they are there for.
func TestClustersHaveEverything(t *testing.T) {
	found := map[string]int{}
	nodes, pods := []int{}, 0
	for _, m := range Clusters() {
		s := m.Session()
		nodes = append(nodes, len(s.Nodes))
		pods += len(s.Arrivals)
		note(found, s)
	}
	for _, what := range features {
		if found[what] == 0 {
			t.Errorf("no cluster has %s", what)
		}
	}
	if len(nodes) < 20 || slices.Min(nodes) != 10 || slices.Max(nodes) != 2000 || pods < 60000 {
		t.Errorf("%d clusters of %d to %d nodes with %d pods", len(nodes), slices.Min(nodes), slices.Max(nodes), pods)
	}
}

var features = []string{
	"zones", "regions", "racks", "cordoned", "NoSchedule", "PreferNoSchedule", "NoExecute", "scalars", "storage",
	"selector", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "fields", "preferred",
	"tolerations", "DoNotSchedule", "ScheduleAnyway", "minDomains", "policies", "spread keys", "default spread",
	"affinity", "anti-affinity", "wishes", "namespaces", "namespaceSelector", "keys", "mismatch", "ports", "protocol",
	"address",
	"zero requests", "silent", "bound", "events", "strategy MostAllocated", "strategy RequestedToCapacityRatio", "weights",
	"percentage",
}

func note(found map[string]int, s Session) {
	add := func(what string, yes bool) {
		if yes {
			found[what]++
		}
	}
	add("strategy "+s.Profile.ScoringStrategy, true)
	add("weights", len(s.Profile.Weights) > 0)
	add("percentage", s.Profile.PercentageOfNodesToScore > 0)
	add("bound", len(s.Bound) > 0)
	add("events", len(s.Events) > 0)
	for _, n := range s.Nodes {
		add("zones", n.Labels[zone] != "")
		add("regions", n.Labels[region] != "")
		add("racks", n.Labels[rack] != "")
		add("cordoned", n.Unschedulable)
		add("scalars", len(n.Allocatable.Scalar) > 0)
		add("storage", n.Allocatable.EphemeralStorage > 0)
		for _, t := range n.Taints {
			add(t.Effect, true)
		}
	}
	for _, c := range s.Classes {
		noteClass(add, c)
	}
}

func noteClass(add func(string, bool), c scheduler.PodClass) {
	add("selector", len(c.NodeSelector) > 0)
	add("tolerations", len(c.Tolerations) > 0)
	add("default spread", c.DefaultSpread != nil)
	add("zero requests", c.Request.CPU == 0 && c.NonZeroCPU == 0)
	add("silent", c.NonZeroCPU > c.Request.CPU && c.NonZeroMemory > c.Request.Memory)
	for _, p := range c.HostPorts {
		add("ports", true)
		add("protocol", p.Protocol == "UDP")
		add("address", p.HostIP != "")
	}
	for _, t := range c.TopologySpreadConstraints {
		add(t.WhenUnsatisfiable, true)
		add("minDomains", t.MinDomains != nil)
		add("policies", t.NodeAffinityPolicy != "" && t.NodeTaintsPolicy != "")
		add("spread keys", len(t.MatchLabelKeys) > 0)
	}
	if c.Affinity == nil {
		return
	}
	if a := c.Affinity.NodeAffinity; a != nil {
		add("preferred", len(a.Preferred) > 0)
		if a.Required != nil {
			for _, t := range a.Required.NodeSelectorTerms {
				add("fields", len(t.MatchFields) > 0)
				for _, r := range t.MatchExpressions {
					add(r.Operator, true)
				}
			}
		}
	}
	if a := c.Affinity.PodAffinity; a != nil {
		add("affinity", len(a.Required) > 0)
		add("wishes", len(a.Preferred) > 0)
	}
	if a := c.Affinity.PodAntiAffinity; a != nil {
		add("anti-affinity", len(a.Required) > 0)
		for _, t := range a.Preferred {
			add("namespaces", len(t.PodAffinityTerm.Namespaces) > 0)
			add("namespaceSelector", t.PodAffinityTerm.NamespaceSelector != nil)
			add("keys", len(t.PodAffinityTerm.MatchLabelKeys) > 0)
			add("mismatch", len(t.PodAffinityTerm.MismatchLabelKeys) > 0)
		}
	}
}
