package machineconfig

import (
	"cmp"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/selector"
	"plimsoll.dev/tune/pool"
)

// Rendering is what the pools get.
type Rendering struct {
	Pools []PoolConfig `json:"pools"`
	// Unclaimed are MachineConfigs that no pool takes, by name, without those that the
	// operator rendered.
	Unclaimed []string `json:"unclaimed,omitempty"`
}

// PoolConfig is the configuration of a pool, and where each piece comes from. Its
// name, rendered-POOL- and a sum over its content, is not computed.
type PoolConfig struct {
	Pool string `json:"pool"`
	// Supposed says that the pool is not among the objects: a MachineConfig has its role.
	Supposed bool `json:"supposed,omitempty"`
	// Order are the names of the MachineConfigs as they are joined: what comes later wins.
	Order []string `json:"order"`
	// Failure says why the pool is not rendered; it then keeps what it has.
	Failure string `json:"failure,omitempty"`
	// Version is the version of the Ignition specification of the result.
	Version string       `json:"version,omitempty"`
	Files   []FileResult `json:"files,omitempty"`
	Units   []UnitResult `json:"units,omitempty"`
	// KernelArguments in the order of the command line.
	KernelArguments []Sourced `json:"kernelArguments,omitempty"`
	KernelType      Sourced   `json:"kernelType"`
	FIPS            bool      `json:"fips"`
	// FIPSFrom asked for it; FIPSIgnored did as well, without effect.
	FIPSFrom    []string `json:"fipsFrom,omitempty"`
	FIPSIgnored []string `json:"fipsIgnored,omitempty"`
	// OSImageURL is empty for the release's own image.
	OSImageURL Sourced   `json:"osImageURL,omitzero"`
	Extensions []Sourced `json:"extensions,omitempty"`

	sections map[string][]any
	users    []any
	groups   []any
	appends  []string
}

// Sourced is a text and the MachineConfig that it comes from; nothing when it is a
// default.
type Sourced struct {
	Text string `json:"text"`
	From string `json:"from,omitempty"`
}

// FileResult is a file on the node.
type FileResult struct {
	Path string `json:"path"`
	// Mode in octal: "0644".
	Mode  string `json:"mode"`
	Owner string `json:"owner,omitempty"`
	Size  int    `json:"size"`
	// From has the content, ModeFrom the mode where that is another one.
	From     string `json:"from"`
	ModeFrom string `json:"modeFrom,omitempty"`
	// Shadows are those whose content for the path is lost.
	Shadows []string `json:"shadows,omitempty"`
	// Problem says why a node can't write the file, or why its content isn't told.
	Problem string `json:"problem,omitempty"`
	// Content as written; files of other pools may share it, so that it is not to be changed.
	Content []byte `json:"content,omitempty"`

	// raw is the file as it stands in the configuration: nodes compare that.
	raw rawFile
}

// UnitResult is a systemd unit on the node.
type UnitResult struct {
	Name string `json:"name"`
	// State is "enabled", "disabled", "masked" or nothing, which leaves it as it is.
	State    string `json:"state,omitempty"`
	Contents string `json:"contents,omitempty"`
	// From has the contents, StateFrom the state.
	From      string         `json:"from,omitempty"`
	StateFrom string         `json:"stateFrom,omitempty"`
	Shadows   []string       `json:"shadows,omitempty"`
	Dropins   []DropinResult `json:"dropins,omitempty"`
}

// DropinResult is a piece of a unit in a file of its own.
type DropinResult struct {
	Name     string   `json:"name"`
	Contents string   `json:"contents"`
	From     string   `json:"from"`
	Shadows  []string `json:"shadows,omitempty"`
}

// Render joins the MachineConfigs of each pool as the operator of the release does.
// Pools without a MachineConfig are there with a failure.
func Render(configs []openshift.MachineConfig, pools []openshift.MachineConfigPool, r release.Release) Rendering {
	return render(configs, pools, r, newDecoder())
}

func render(configs []openshift.MachineConfig, pools []openshift.MachineConfigPool, r release.Release,
	d *decoder) Rendering {
	var out Rendering
	all := prepare(configs, r, d)
	claimed := make([]bool, len(all))
	for _, p := range pools {
		var own []*prepared
		for i := range all {
			if takes(p, all[i].Metadata.Labels) {
				own, claimed[i] = append(own, &all[i]), true
			}
		}
		out.Pools = append(out.Pools, renderPool(p, own, r, d))
	}
	for i := range all {
		if !claimed[i] && !rendered(all[i].MachineConfig) {
			out.Unclaimed = append(out.Unclaimed, all[i].Metadata.Name)
		}
	}
	slices.Sort(out.Unclaimed)
	return out
}

// prepared is a MachineConfig that was read, once for all pools.
type prepared struct {
	openshift.MachineConfig
	// c is of specification 3 where the release joins field by field.
	c config
	// fatal says why the operator can't render a pool with it; empty when it can.
	fatal string
}

// prepare reads MachineConfigs and puts them in the order in which they are joined.
func prepare(configs []openshift.MachineConfig, r release.Release, d *decoder) []prepared {
	out := make([]prepared, len(configs))
	for i, mc := range configs {
		c, problems := validate(mc, r, d)
		if byPath.In(r) && !c.three {
			c = c.translated()
		}
		out[i] = prepared{MachineConfig: mc, c: c}
		if at := slices.IndexFunc(problems, func(p problem) bool { return p.fatal }); at >= 0 {
			out[i].fatal = problems[at].what
		}
	}
	slices.SortStableFunc(out, func(a, b prepared) int { return inOrder(&a.MachineConfig, &b.MachineConfig, r) })
	return out
}

// takes says whether a pool takes a MachineConfig. An empty selector takes none.
func takes(p openshift.MachineConfigPool, labels map[string]string) bool {
	s := p.Spec.MachineConfigSelector
	return !selector.Empty(s) && selector.Selects(s, labels)
}

// inOrder compares MachineConfigs by the order in which they are joined.
func inOrder(a, b *openshift.MachineConfig, r release.Release) int {
	if workerFirst.In(r) {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
	}
	return cmp.Compare(a.Metadata.Name, b.Metadata.Name)
}

func rank(mc *openshift.MachineConfig) int {
	if mc.Metadata.Labels[openshift.LabelRole] == pool.Worker {
		return 0
	}
	return 1
}

// renderPool joins MachineConfigs that are in order.
func renderPool(p openshift.MachineConfigPool, own []*prepared, r release.Release, d *decoder) PoolConfig {
	out := PoolConfig{Pool: p.Metadata.Name, Order: []string{}, KernelType: Sourced{Text: "default"}}
	if len(own) == 0 {
		out.Failure = "no MachineConfig has the labels that it selects"
		return out
	}
	m := newMerger(r, d)
	for _, mc := range own {
		name := mc.Metadata.Name
		out.Order = append(out.Order, name)
		if mc.fatal != "" && out.Failure == "" {
			out.Failure = "MachineConfig " + name + ": " + mc.fatal
		}
		m.join(name, mc.c)
	}
	if out.Failure == "" {
		out.Failure = m.failure()
	}
	if out.Failure != "" {
		return out
	}
	m.result(&out)
	for i, mc := range own {
		out.spec(&mc.MachineConfig, i == 0, r)
	}
	if slices.ContainsFunc(out.Extensions, func(x Sourced) bool { return x.Text == "kernel-devel" }) &&
		out.KernelType.Text != "default" {
		out.Failure = "the extension kernel-devel goes with the default kernel only"
	}
	return out
}

// spec joins what Ignition doesn't know.
func (out *PoolConfig) spec(mc *openshift.MachineConfig, first bool, r release.Release) {
	name, s := mc.Metadata.Name, &mc.Spec
	for _, a := range s.KernelArguments {
		out.KernelArguments = append(out.KernelArguments, Sourced{a, name})
	}
	if slices.Contains(kernelTypes.In(r), s.KernelType) && s.KernelType != "default" {
		out.KernelType = Sourced{s.KernelType, name}
	}
	switch {
	case s.FIPS && (!first || firstFIPS.In(r)):
		out.FIPS, out.FIPSFrom = true, append(out.FIPSFrom, name)
	case s.FIPS:
		out.FIPSIgnored = append(out.FIPSIgnored, name)
	}
	if !ownImage.In(r) {
		return // the fields below are of later releases
	}
	for _, x := range s.Extensions {
		out.Extensions = append(out.Extensions, Sourced{x, name})
	}
	if s.OSImageURL != "" && !generated(*mc) {
		out.OSImageURL = Sourced{s.OSImageURL, name}
	}
}
