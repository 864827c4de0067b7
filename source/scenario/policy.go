package scenario

import (
	"fmt"
	"strings"

	"plimsoll.dev/facts"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
)

// policy checks the planner's choices.
func (v *validator) policy() {
	p := v.s.Policy
	fromNodes := (v.running || v.s.Workload.Snapshot != "") && !v.given("policy.zones") // they tell how many there are
	if p.SurviveZoneLoss && p.Zones < 2 && !fromNodes && v.good("policy.zones", "policy.surviveZoneLoss") {
		v.bad("policy.surviveZoneLoss", "the loss of the only zone can't be survived", "write policy.zones: 2 or more")
	}
	const slip = 10 // times the workload; who writes 30 means 30%
	if text := v.written("policy.growth"); p.Growth >= slip && v.good("policy.growth") && !strings.HasSuffix(text, "%") {
		v.bad("policy.growth", fmt.Sprintf("%s makes %g times the workload", text, 1+float64(p.Growth)),
			"did you mean "+text+"%?")
	}
	if p.ControlPlaneNodes == 0 && v.s.Platform.Type == openshift &&
		v.given("policy.controlPlaneNodes") && v.good("policy.controlPlaneNodes") {
		v.bad("policy.controlPlaneNodes", "OpenShift is planned with its control plane", "write 1 to 9, as a rule 3")
	}
	v.cores("policy.defaultRequests.cpu", p.DefaultRequests.CPU)
	v.memory("policy.defaultRequests.memory", p.DefaultRequests.Memory)
	v.policyNode()
}

func (v *validator) policyNode() {
	name := v.s.Policy.Node
	if name == "" || !v.good("policy.node") || !v.nodeTypeExists("policy.node", name) {
		return
	}
	for _, t := range v.s.Hardware.NodeTypes {
		if main := roles[v.s.Platform.Type]; t.Name == name && len(main) > 0 && t.Role != main[0] {
			v.bad("policy.node", fmt.Sprintf("%s has the role %s", yamlpos.Quote(name), t.Role),
				"name a node type with the role "+main[0])
		}
	}
}

// measurements may replace facts that are numbers.
func (v *validator) measurements() {
	c := facts.Load()
	for i, m := range v.s.Measurements {
		path := fmt.Sprintf("measurements[%d].fact", i)
		f, ok := c.Get(m.Fact)
		switch {
		case m.Fact == "" || !v.good(path):
		case !ok:
			v.unknownFact(path, m.Fact, c)
		case f.Text != "":
			v.bad(path, yamlpos.Quote(m.Fact)+" is not a number but "+yamlpos.Quote(f.Text), "only numbers can be replaced")
		}
		if at := fmt.Sprintf("measurements[%d].value", i); v.good(at) && v.given(at) && !(m.Value > 0) {
			v.bad(at, fmt.Sprintf("%v is no measurement", m.Value), "more than 0")
		}
	}
}

func (v *validator) unknownFact(path, id string, c *facts.Catalogue) {
	known := make([]string, 0, len(c.All()))
	for _, f := range c.All() {
		known = append(known, f.ID)
	}
	fix := `"plimsoll facts" lists them`
	if near := schema.Nearest(id, known); near != "" {
		fix = "did you mean " + near + "?"
	}
	v.bad(path, "there is no fact "+yamlpos.Quote(id), fix)
}
