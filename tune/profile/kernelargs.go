package profile

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/tune/tuned"
)

// MachineConfig is the MachineConfig with kernel arguments that the operator makes,
// or would make, for a pool.
type MachineConfig struct {
	// Name is 50-nto-<pool>.
	Name string `json:"name"`
	Pool string `json:"pool,omitempty"`
	// Labels of the MachineConfig: the machineConfigLabels of the items.
	Labels map[string]string `json:"labels"`
	// Items that selected nodes by these labels.
	Items []int `json:"items"`
	// State is "created", "empty" (no arguments, so none is made), "refused", "unknown"
	// (the arguments can't be told) or "undecided" (nodes disagree, and the last one wins).
	State string `json:"state"`
	// Why it is not simply created.
	Why string `json:"why,omitempty"`
	// KernelArguments, where State is created.
	KernelArguments []string `json:"kernelArguments,omitempty"`
	// Assumed is what the arguments hold by: "that the node's CPUs are 0-3, all online".
	// Empty where they hold in any case.
	Assumed string `json:"assumed,omitempty"`
	// Nodes that it is for, and those among them that disagree with the first.
	Nodes    []string `json:"nodes"`
	Disagree []string `json:"disagree,omitempty"`
	// Reason of the operator's condition Degraded, if that follows.
	Degraded string `json:"degraded,omitempty"`
}

// want is machineConfigLabels by which nodes got their profile.
type want struct {
	labels map[string]string
	items  []int
	nodes  []int // in the numbers of cluster.nodes
}

// wants collects the nodes whose profile was chosen by machineConfigLabels.
func (e *explainer) wants() []*want {
	var out []*want
	known := map[string]*want{}
	for i := range e.nodes {
		c := &e.x.Classes[e.class[i]]
		if c.By != "machineConfigLabels" {
			continue
		}
		labels := e.m.items[c.Item].MachineConfigLabels
		w := known[pairs(labels)]
		if w == nil {
			w = &want{labels: labels}
			known[pairs(labels)] = w
			out = append(out, w)
		}
		if !slices.Contains(w.items, c.Item) {
			w.items = append(w.items, c.Item)
		}
		w.nodes = append(w.nodes, i)
	}
	return out
}

// machineConfigs are the MachineConfigs with kernel arguments, by name.
func (e *explainer) machineConfigs() []MachineConfig {
	var out []MachineConfig
	for _, w := range e.wants() {
		if onePool.In(e.in.Release) {
			out = append(out, e.forPool(w))
		} else {
			out = append(out, e.forNodes(w)...)
		}
	}
	slices.SortStableFunc(out, func(a, b MachineConfig) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// The reasons of the operator's condition Degraded.
const (
	degradedConflict = "ProfileConflict"
	degradedAcross   = "MCLabelsAcrossMCPs"
)

// refuse says that it is not made, because nodes disagree.
func (mc *MachineConfig) refuse() {
	mc.State, mc.KernelArguments, mc.Degraded = "refused", nil, degradedConflict
	mc.Why = "nodes of the pool disagree on the kernel arguments"
}

// ofPool are the nodes of a pool, in the numbers of cluster.nodes.
func (e *explainer) ofPool(name string) []int {
	var out []int
	for i := range e.nodes {
		if e.views[i].pools.Primary == name {
			out = append(out, i)
		}
	}
	return out
}

// forPool is the rule from 4.14 on: the labels name one pool, and all its nodes must
// agree, by whatever item each got its profile.
func (e *explainer) forPool(w *want) MachineConfig {
	names := e.pools.taking(w.labels)
	mc := MachineConfig{Name: "50-nto-" + names[0], Pool: names[0], Labels: w.labels, Items: w.items}
	if len(names) > 1 {
		if mc.State = "refused"; acrossReported.In(e.in.Release) {
			mc.Degraded = degradedAcross
		}
		mc.Why = "the labels hit the pools " + strings.Join(names, " and ")
		mc.Nodes = e.names(w.nodes)
		return mc
	}
	nodes := e.ofPool(names[0])
	mc.Nodes = e.names(nodes)
	if len(nodes) == 0 {
		// Nodes of a custom pool got their profile by labels of pool worker, which has no node of its own.
		nodes = w.nodes[:1]
	}
	if e.args(&mc, nodes); len(mc.Disagree) > 0 {
		mc.refuse()
		return mc
	}
	// Nodes of a custom pool beside it write the same MachineConfig, and are not compared.
	writers := MachineConfig{}
	if e.args(&writers, append(slices.Clip(nodes), w.nodes...)); len(writers.Disagree) > 0 {
		mc.State, mc.KernelArguments, mc.Disagree = "undecided", nil, writers.Disagree
		mc.Why = "nodes of another pool, selected by the same labels, write other kernel arguments: " +
			"the last that is looked at wins, and may lose again"
	}
	return mc
}

// forNodes is the rule up to 4.13: each node writes the MachineConfig of its own pool,
// whose nodes must agree from 4.12 on.
func (e *explainer) forNodes(w *want) []MachineConfig {
	var out []MachineConfig
	byPool := map[string][]int{}
	for _, i := range w.nodes {
		pool := e.views[i].pools.Primary
		byPool[pool] = append(byPool[pool], i)
	}
	for _, pool := range slices.Sorted(maps.Keys(byPool)) {
		nodes, agree := byPool[pool], nodesAgree.In(e.in.Release)
		if agree {
			nodes = e.ofPool(pool)
		}
		mc := MachineConfig{Name: "50-nto-" + pool, Pool: pool, Labels: w.labels, Items: w.items, Nodes: e.names(nodes)}
		switch e.args(&mc, nodes); {
		case len(mc.Disagree) > 0 && agree:
			mc.refuse()
		case len(mc.Disagree) > 0:
			mc.State, mc.KernelArguments = "undecided", nil
			mc.Why = "nodes of the pool disagree on the kernel arguments: the last that is looked at wins, and may lose again"
		}
		out = append(out, mc)
	}
	return out
}

// args compares the kernel arguments of nodes.
func (e *explainer) args(mc *MachineConfig, nodes []int) {
	mc.State, mc.Why = "unknown", "the kernel arguments of the profile were not told"
	if e.in.Kernel == nil {
		return
	}
	var first tuned.CommandLine
	for n, i := range nodes {
		node := &e.in.Nodes[e.nodes[i]]
		profile := e.x.Classes[e.class[i]].Profile
		line, ok := e.in.Kernel(node, profile)
		switch {
		case !ok:
			mc.Why = "TuneD loads nothing of profile " + profile
			return
		case len(line.Unknown) > 0:
			mc.Why = "the kernel arguments of profile " + profile + " depend on the node: " + strings.Join(line.Unknown, ", ")
			return
		case n == 0:
			first = line
		case line.Text != first.Text:
			mc.Disagree = append(mc.Disagree, node.Name)
		}
	}
	mc.KernelArguments, mc.Assumed = splitArguments(first.Text), first.Assumed
	mc.State, mc.Why = "created", ""
	if len(mc.KernelArguments) == 0 {
		mc.State, mc.Why = "empty", "the profile has no kernel arguments: none is made, which spares a reboot"
	}
}

// splitArguments cuts kernel arguments at blanks outside double quotes.
func splitArguments(text string) []string {
	quoted := false
	return strings.FieldsFunc(text, func(c rune) bool {
		if c == '"' {
			quoted = !quoted
		}
		return c == ' ' && !quoted
	})
}

func (e *explainer) names(nodes []int) []string {
	out := make([]string, len(nodes))
	for n, i := range nodes {
		out[n] = e.in.Nodes[e.nodes[i]].Name
	}
	return out
}

// Status is what the operator reports, from 4.7 on.
type Status struct {
	// Tuneds are the conditions Valid of the CRs, which have them from 4.19 on.
	Tuneds []Reported `json:"tuneds"`
	// Profiles are the conditions of the nodes' Profile objects, by profile: what is sure
	// from the CRs alone.
	Profiles []Reported `json:"profiles"`
	// Operator is the condition Degraded of ClusterOperator node-tuning, as far as it follows.
	Operator openshift.Condition `json:"operator"`
}

// Reported is conditions of an object.
type Reported struct {
	Name       string                `json:"name"`
	Conditions []openshift.Condition `json:"conditions"`
	Message    string                `json:"message,omitempty"`
}
