package audit_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/audit"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/source/openstack"
)

// now is the time of the examples.
var now = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// example is a cluster on which a rule finds something, one on which it does not, and words of the finding.
// Otherwise is the state of a rule that can find something and can't find that nothing is wrong.
type example struct {
	Fails, Passes []map[string]any
	Says          string
	Otherwise     audit.State
}

// cloud of some objects, beside which all kinds of the rules' needs were read and are empty.
func cloud(t *testing.T, objects []map[string]any, seen map[string]any) *audit.Cloud {
	t.Helper()
	c := audit.New("test", now)
	if said := fmt.Sprint(seen["read"], seen["absent"], seen["notSeen"]); ofStack(said) {
		c = audit.NewStack("test", now, nova.Nova)
		if slices.ContainsFunc(objects, func(o map[string]any) bool { return o["kind"] == "Port" }) {
			c.Stack.Rules = nova.HCG40
		}
	}
	for _, o := range append(slices.Clone(objects), seen) {
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		kind, _ := o["kind"].(string)
		c.Add(kind, text)
	}
	for kind, why := range c.Unread {
		t.Errorf("%s: %s", kind, why)
	}
	c.Sort()
	return c
}

// ofStack says whether some resources are of clouds of OpenStack, all of them.
func ofStack(said string) bool {
	known := func(r string) bool {
		return slices.ContainsFunc(openstack.Exports, func(e openstack.Export) bool { return e.Name == r })
	}
	said = regexp.MustCompile(`([a-z-])\.\w+`).ReplaceAllString(said, "$1")
	names := strings.FieldsFunc(strings.NewReplacer("what", "", "why", "", "forbidden", "", "map", "", "nil", "").Replace(
		said), func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
	return len(names) > 0 && !slices.ContainsFunc(names, func(r string) bool { return !known(r) })
}

// outcome of a rule.
func outcome(t *testing.T, c *audit.Cloud, rule string) audit.Outcome {
	t.Helper()
	for _, o := range audit.Run(c) {
		if o.Rule == rule {
			return o
		}
	}
	t.Fatalf("there is no outcome of %s", rule)
	return audit.Outcome{}
}

func examples(t *testing.T) map[string]example {
	t.Helper()
	out := map[string]example{}
	files, _ := filepath.Glob("testdata/*.yaml")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var some map[string]example
		if err := yaml.UnmarshalStrict(text, &some); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for rule, e := range some {
			if _, twice := out[rule]; twice {
				t.Errorf("%s: %s stands twice", file, rule)
			}
			out[rule] = e
		}
	}
	return out
}

// Each rule finds something in its failing example and nothing in its passing one; where one of its needs was not seen
// it says so, and where the cluster has no such kind it is not about this cluster.
func TestExamples(t *testing.T) {
	all := examples(t)
	for _, r := range audit.Rules() {
		if strings.HasPrefix(r.ID, "waiver.") {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			e, ok := all[r.ID]
			if !ok || len(e.Fails) == 0 || len(e.Passes) == 0 || e.Says == "" {
				t.Fatal("no example fails and passes, and says what is found")
			}
			seen := map[string]any{"kind": "Seen", "read": r.Needs}
			if o := outcome(t, cloud(t, e.Passes, seen), r.ID); o.State != cmp.Or(e.Otherwise, audit.OK) {
				t.Errorf("passing: %+v", o)
			}
			o := outcome(t, cloud(t, e.Fails, seen), r.ID)
			if o.State != audit.Found || len(o.Findings) == 0 || !strings.Contains(o.Findings[0].Message, e.Says) ||
				!strings.HasSuffix(o.Findings[0].Message, r.Effect) || o.Findings[0].Remedy == "" {
				t.Errorf("failing: %+v", o)
			}
			for i, need := range r.Needs {
				others := slices.Delete(slices.Clone(r.Needs), i, i+1)
				hidden := map[string]any{"kind": "Seen", "read": others,
					"notSeen": []any{map[string]any{"what": need, "why": "forbidden"}}}
				for _, objects := range [][]map[string]any{e.Fails, e.Passes} {
					if o := outcome(t, cloud(t, objects, hidden), r.ID); o.State != audit.NotSeen || o.Why == "" {
						t.Errorf("without %s: %+v", need, o)
					}
				}
				absent := map[string]any{"kind": "Seen", "read": others, "absent": []any{need}}
				if o := outcome(t, cloud(t, nil, absent), r.ID); o.State == audit.OK || o.State == audit.Found {
					t.Errorf("no %s in the cluster: %+v", need, o)
				}
			}
		})
	}
	for _, r := range audit.Rules() {
		delete(all, r.ID)
	}
	for rule := range all {
		t.Errorf("%s is no rule", rule)
	}
}

// Of a cluster in which nothing is no rule says that it is fine.
func TestNothingThere(t *testing.T) {
	for _, o := range audit.Run(read(t, "")) {
		if o.State != audit.NotApplicable && o.State != audit.NotSeen || o.Why == "" {
			t.Errorf("%+v", o)
		}
	}
}

// A rule is not about a cluster that has no such kind, even where another kind that it needs was not seen.
func TestNotHereBeforeNotSeen(t *testing.T) {
	c := cloud(t, nil, map[string]any{"kind": "Seen", "read": []string{"pods"}, "absent": []string{"kubeletconfigs"},
		"notSeen": []any{map[string]any{"what": "nodes", "why": "forbidden"}}})
	if o := outcome(t, c, "node.kubeletQPS"); o.State != audit.NotApplicable {
		t.Errorf("%+v", o)
	}
}
