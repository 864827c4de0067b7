package audit_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/audit"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/source/openstack"
)

// stackSaid is what a rule says of a cloud whose rows these are, all exports being read: its state, or severity
// and message, and the remedy.
func stackSaid(t *testing.T, rules nova.Rules, rule string, rows []map[string]any) string {
	t.Helper()
	c := audit.NewStack("cloud", now, rules)
	var read []string
	for _, e := range openstack.Exports {
		read = append(read, e.Name)
	}
	for _, o := range append(rows, map[string]any{"kind": "Seen", "read": read}) {
		text, _ := json.Marshal(o)
		c.Add(fmt.Sprint(o["kind"]), text)
	}
	o := outcome(t, c, rule)
	out := string(o.State) + " " + o.Why
	for _, f := range o.Findings {
		out += fmt.Sprint("\n", f.Severity, " ", f.Message, " -> ", f.Remedy)
	}
	return strings.TrimSpace(out)
}

// TestOddStacks: clouds whose lists lack columns, and what others look like than the usual one.
func TestOddStacks(t *testing.T) {
	text, err := os.ReadFile("testdata/stacks/odd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Rule, Says string
		Rules      nova.Rules
		Rows       []map[string]any
	}
	if err := yaml.UnmarshalStrict(text, &list); err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		got := stackSaid(t, cmp.Or(c.Rules, nova.Nova), c.Rule, c.Rows)
		for _, want := range strings.Split(c.Says, "|") {
			if !strings.Contains(got, want) || want == "ok" && got != "ok" {
				t.Errorf("%s of %v:\n%s\nwant %s", c.Rule, c.Rows, got, c.Says)
			}
		}
	}
}

// A placement says what the loss of a host does if all servers are in it, on the hosts that there are.
func TestTried(t *testing.T) {
	up, down := audit.Daemon{Binary: "nova-compute", State: "up"}, audit.Daemon{Binary: "nova-compute", State: "down"}
	hosts := []v1alpha1.PlacedHost{{Name: "a", Count: 2}}
	part := &v1alpha1.ServerPlacement{Hosts: hosts}
	part.Find(v1alpha1.Error, "place.elsewhere", "3 servers left out", "")
	open := &v1alpha1.ServerPlacement{Hosts: hosts}
	open.Verdict.Open = []string{"server x is in ERROR"}
	whole := &v1alpha1.ServerPlacement{Hosts: hosts}
	for want, s := range map[string]struct {
		*audit.Stack
		p *v1alpha1.ServerPlacement
	}{
		"":                            {&audit.Stack{Computes: []audit.Daemon{up, up}}, whole},
		"3 servers left out":          {&audit.Stack{Computes: []audit.Daemon{up, up}}, part},
		"server x is in ERROR":        {&audit.Stack{Computes: []audit.Daemon{up, up}}, open},
		"counts 2 hosts, and there":   {&audit.Stack{Computes: []audit.Daemon{up}}, whole},
		"1 host is down or disabled":  {&audit.Stack{Computes: []audit.Daemon{up, down}}, whole},
		"how many hosts there are is": {&audit.Stack{}, whole},
	} {
		s.Try(s.p)
		if s.Tried != (want == "") || !strings.Contains(s.Untried, want) {
			t.Errorf("%v %q, want %q", s.Tried, s.Untried, want)
		}
	}
}
