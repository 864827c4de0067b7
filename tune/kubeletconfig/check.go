package kubeletconfig

import (
	"fmt"
	"maps"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
)

// Check finds what is wrong with KubeletConfigs and FeatureGates, pools beside them
// included. Without MachineConfigPools among the objects it supposes the pools that
// every cluster has, with the labels that the operator gives them.
func Check(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	in := read(objects, r)
	for i := range in.crs {
		in.check(i)
	}
	for p := range in.pools {
		in.rivals(&in.pools[p])
		in.onNodes(&in.pools[p])
	}
	in.checkGates()
	return unique(in.findings)
}

// input is what stands in the objects.
type input struct {
	objects  []*object.Object
	release  release.Release
	crs      []object.Typed[openshift.KubeletConfig]
	pools    []openshift.MachineConfigPool
	gates    []object.Typed[openshift.FeatureGate]
	gate     *openshift.FeatureGate
	findings []v1alpha1.Finding
	// listed says that the pools among the objects are taken for all that the cluster has,
	// with all labels: worker, which people label without a file, is among them.
	listed bool
	// unreadable are KubeletConfigs with values of the wrong type.
	unreadable []bool
	// latest are the KubeletConfigs without those that a later one of the same name
	// replaces, index is where they stand among all.
	latest []openshift.KubeletConfig
	index  []int
	// nodes are those of the cluster, by the pool whose configuration they get.
	nodes map[string][]*openshift.Node
	// refused keeps the answers of refuses.
	refused map[asked]bool
}

// asked is a pool and a KubeletConfig of an input.
type asked struct {
	pool string
	cr   int
}

func read(objects []*object.Object, r release.Release) *input {
	in := &input{objects: objects, release: r, refused: map[asked]bool{}}
	var found []v1alpha1.Finding
	in.crs, found = object.All[openshift.KubeletConfig](objects, "KubeletConfig")
	in.findings = append(in.findings, found...)
	in.gates, found = object.All[openshift.FeatureGate](objects, "FeatureGate")
	in.findings = append(in.findings, found...)
	pools, _ := object.All[openshift.MachineConfigPool](objects, "MachineConfigPool")
	in.pools = pool.Complete(object.Values(pools), r)
	in.listed = pool.ListedWhole(object.Values(pools))
	if len(in.crs) > 0 {
		in.nodes = nodesOf(objects, in.pools, r)
	}
	for i := range in.gates {
		if in.gates[i].Name == "cluster" {
			in.gate = &in.gates[i].Value
		}
	}
	in.markUnreadable()
	at := map[*object.Object]int{}
	for i := range in.crs {
		at[in.crs[i].Object] = i
	}
	for _, t := range object.Latest(in.crs) {
		in.latest, in.index = append(in.latest, t.Value), append(in.index, at[t.Object])
	}
	return in
}

// markUnreadable finds the KubeletConfigs that can't be read by the findings so far.
func (in *input) markUnreadable() {
	type place struct{ file, object string }
	bad := map[place]bool{}
	for _, f := range in.findings {
		if f.Severity == v1alpha1.Error && f.Place != nil {
			bad[place{f.Place.File, f.Place.Object}] = true
		}
	}
	in.unreadable = make([]bool, len(in.crs))
	for i := range in.crs {
		in.unreadable[i] = bad[place{in.crs[i].Tree.Name, in.crs[i].String()}]
	}
}

// find places problems in the file of a KubeletConfig.
func (in *input) find(o *object.Object, problems ...Problem) {
	for _, p := range problems {
		in.findings = append(in.findings, o.Finding(p.Rule, p.Path, p.What, p.Fix))
	}
}

// check judges one KubeletConfig, once for each pool that it is for; for none, as
// if it were for worker.
func (in *input) check(i int) {
	cr := &in.crs[i]
	pools, reach := pool.Selection(cr.Value.Spec.MachineConfigPoolSelector, in.pools, in.listed)
	in.find(cr.Object, in.selects(&cr.Value, reach)...)
	if in.unreadable[i] {
		return
	}
	if len(pools) == 0 {
		pools = pool.Standard(in.release)[1:]
	}
	for p := range pools {
		rendered, problems := in.render(&pools[p], i)
		in.find(cr.Object, unmeant(&cr.Value, problems)...)
		judged := &cr.Value
		if refused(problems) { // the rest is judged as if that were mended
			judged = without(judged, problems)
			rendered, problems = Render(Base(pools[p].Metadata.Name, in.release), &pools[p], judged, in.gate)
			if refused(problems) {
				continue
			}
		}
		in.find(cr.Object, judge(rendered, judged, in.gate)...)
	}
}

// without is a KubeletConfig without the fields that the operator refuses it for.
func without(cr *openshift.KubeletConfig, problems []Problem) *openshift.KubeletConfig {
	out := *cr
	out.Spec.KubeletConfig = maps.Clone(cr.Spec.KubeletConfig)
	for _, p := range problems {
		if p.Rule.Severity != v1alpha1.Error {
			continue
		}
		field, inside := strings.CutPrefix(p.Path, "spec.kubeletConfig.")
		name, _, _ := strings.Cut(field, ".")
		name, _, _ = strings.Cut(name, "[")
		switch {
		case inside:
			delete(out.Spec.KubeletConfig, name)
		case p.Path == "spec.logLevel":
			out.Spec.LogLevel = nil
		case p.Path == "spec.autoSizingReserved":
			out.Spec.AutoSizingReserved = nil
		}
	}
	return &out
}

// unmeant makes remarks of zero durations that nobody wrote: programs in Go write out
// all that a KubeletConfiguration has.
func unmeant(cr *openshift.KubeletConfig, problems []Problem) []Problem {
	zeros := 0
	for _, v := range cr.Spec.KubeletConfig {
		if v == "0s" {
			zeros++
		}
	}
	for i := range problems {
		p := &problems[i]
		name := strings.TrimPrefix(p.Path, "spec.kubeletConfig.")
		if p.Rule.ID == zeroIgnored.ID && cr.Spec.KubeletConfig[name] == "0s" &&
			(zeros > fewZeros || len(cr.Metadata.OwnerReferences) > 0) {
			p.Rule.Severity = v1alpha1.Info
		}
	}
	return problems
}

// fewZeros is how many zero durations people may write; programs write a dozen.
const fewZeros = 3

func (in *input) render(p *openshift.MachineConfigPool, i int) (Rendered, []Problem) {
	return Render(Base(p.Metadata.Name, in.release), p, &in.crs[i].Value, in.gate)
}

// refuses says whether the operator makes nothing of a KubeletConfig for a pool.
func (in *input) refuses(p *openshift.MachineConfigPool, i int) bool {
	key := asked{p.Metadata.Name, i}
	no, done := in.refused[key]
	if !done {
		no = in.unreadable[i]
		if !no {
			_, problems := in.render(p, i)
			no = refused(problems)
		}
		in.refused[key] = no
	}
	return no
}

// selects judges machineConfigPoolSelector.
func (in *input) selects(cr *openshift.KubeletConfig, reach pool.Reach) []Problem {
	s := cr.Spec.MachineConfigPoolSelector
	p := Problem{Path: "spec.machineConfigPoolSelector", Fix: pool.LabelFix(s, "custom-kubelet=large-pods")}
	switch reach {
	case pool.Reached:
		return nil
	case pool.NoSelector:
		p.Rule, p.What = noSelector, "machineConfigPoolSelector is missing or empty: it selects no pool, not all"
		p.Fix = "select a label of the pool: matchLabels: {custom-kubelet: large-pods}"
	case pool.NodeLabel:
		p.Rule, p.What = nodeLabels, "machineConfigPoolSelector asks for "+pool.RoleLabel(s)+
			", a label of nodes: no pool has it"
	case pool.Nowhere:
		p.Rule, p.What = noPool, "no MachineConfigPool has the labels that machineConfigPoolSelector asks for: "+
			"the operator refuses the KubeletConfig"
	default:
		p.Rule = unlabelled
		p.What = "the pools of a new cluster don't have the labels that machineConfigPoolSelector asks for"
	}
	return []Problem{p}
}

// checkGates judges FeatureGates.
func (in *input) checkGates() {
	for _, g := range in.gates {
		if g.Name != "cluster" {
			in.find(g.Object, Problem{Rule: gateName, Path: "metadata.name",
				What: fmt.Sprintf("FeatureGate %q has no effect: only the one named cluster counts", g.Name),
				Fix:  "name it cluster"})
			continue
		}
		if _, err := Gates(&g.Value, in.release); err != nil {
			in.find(g.Object, Problem{Rule: unknownSet, Path: "spec.featureSet", What: err.Error(), Fix: "use one of them"})
		} else if strings.HasSuffix(g.Value.Spec.FeatureSet, "NoUpgrade") {
			in.find(g.Object, Problem{Rule: noUpgrades, Path: "spec.featureSet",
				What: fmt.Sprintf("feature set %s can't be taken back, and the cluster can't be upgraded with it",
					g.Value.Spec.FeatureSet), Fix: "use it on clusters that may be thrown away"})
		}
	}
}

// unique leaves out findings that came up for several pools alike.
func unique(list []v1alpha1.Finding) (out []v1alpha1.Finding) {
	type key struct {
		id, message string
		place       v1alpha1.Place
	}
	seen := map[key]bool{}
	for _, f := range list {
		k := key{id: f.ID, message: f.Message}
		if f.Place != nil {
			k.place = *f.Place
		}
		if !seen[k] {
			seen[k] = true
			out = append(out, f)
		}
	}
	return out
}
