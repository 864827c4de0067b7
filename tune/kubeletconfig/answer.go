package kubeletconfig

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// Options of Explain.
type Options struct {
	Release release.Release
	// Pool to explain; empty for all that a KubeletConfig reaches.
	Pool string
	// Cores of the pool's nodes, for podsPerCore; 0 when not known.
	Cores int
	// HostPrefix is the prefix length of each node's part of the cluster network; 0 when not known.
	HostPrefix int
	// DNS is the address of the cluster's DNS; empty for that of the usual service network.
	DNS string
}

// Result is what becomes of the KubeletConfigs, pool by pool.
type Result struct {
	Pools []PoolResult `json:"pools"`
}

// PoolResult is the kubelet.conf of a pool's nodes.
type PoolResult struct {
	Pool string `json:"pool"`
	// Wins is the KubeletConfig whose MachineConfig counts; empty when there is none.
	Wins          string `json:"wins,omitempty"`
	MachineConfig string `json:"machineConfig,omitempty"`
	// Lose are the other KubeletConfigs that reach the pool's nodes, and what is lost of them.
	Lose []Loser `json:"lose,omitempty"`
	// Changes are the fields that differ from the template.
	Changes []Change `json:"changes,omitempty"`
	// Pods that a node takes; 0 when podsPerCore counts and the cores aren't known.
	Pods int `json:"pods,omitempty"`
	// Conf is the file, Diff its difference to the template, Files those beside it.
	Conf  string `json:"conf"`
	Diff  string `json:"diff,omitempty"`
	Files []File `json:"files,omitempty"`
}

// Loser is a KubeletConfig that has no effect on a pool's nodes.
type Loser struct {
	Name          string `json:"name"`
	MachineConfig string `json:"machineConfig,omitempty"`
	// Refused says that the operator makes nothing of it.
	Refused bool `json:"refused,omitempty"`
	// Lost are its fields that the winner doesn't have.
	Lost string `json:"lost"`
}

// Change is a field of kubelet.conf that differs from the template.
type Change struct {
	Field string `json:"field"`
	// Template and Now are the values as JSON has them; nil for a field that isn't there.
	Template any `json:"template"`
	Now      any `json:"now"`
}

// Explain answers what the kubelets of each pool get of the KubeletConfigs among
// the objects, and why.
func Explain(objects []*object.Object, o Options) v1alpha1.Answer {
	in := read(objects, o.Release)
	a := v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "KubeletMerge",
		Title: "What the kubelets of each pool get", Release: o.Release.Rules(),
		Findings: Check(objects, o.Release)}
	var result Result
	var said []string
	lacks := ""
	for i := range in.pools {
		p := &in.pools[i]
		list := in.contenders(p)
		if o.Pool != p.Metadata.Name && (o.Pool != "" || len(list) == 0) {
			continue
		}
		r, more := in.explain(p, list, o)
		result.Pools = append(result.Pools, r)
		a.Findings = append(a.Findings, more...)
		a.Parts = append(a.Parts, r.part())
		said = append(said, r.sentence(o))
		if r.Pods == 0 {
			lacks = fmt.Sprintf("the cores of the nodes of pool %s are not given, on which their pods depend (--cores)", r.Pool)
		}
	}
	if len(said) == 0 {
		said = append(said, "no pool gets anything")
	}
	a.Findings = unique(a.Findings)
	for i := range a.Findings {
		if f := &a.Findings[i]; f.ID == unlabelled.ID {
			f.Severity = v1alpha1.Error // whom it reaches, if anybody, isn't known here
		}
	}
	object.Sort(a.Findings)
	a.Result = result
	a.Verdict = v1alpha1.AnswerVerdict{OK: true, Summary: strings.Join(said, "; ")}
	if problem := nothing(in, len(objects), len(result.Pools), o); problem != "" {
		a.Verdict.OK, a.Verdict.Problem = false, problem
	} else if len(a.Findings) > 0 && a.Findings[0].Severity != v1alpha1.Info {
		a.Verdict.OK, a.Verdict.Problem = a.Findings[0].Severity != v1alpha1.Error, a.Findings[0].Message
	}
	if lacks != "" {
		a.Verdict.OK, a.Verdict.Problem = false, cmp.Or(a.Verdict.Problem, lacks)
	}
	return a
}

// nothing says why there is nothing to explain; empty where there is something.
func nothing(in *input, objects, explained int, o Options) string {
	switch {
	case o.Pool != "" && explained == 0:
		var names []string
		for _, p := range in.pools {
			names = append(names, p.Metadata.Name)
		}
		return fmt.Sprintf("there is no pool %q (the pools are %s)", o.Pool, strings.Join(names, ", "))
	case len(in.crs) == 0:
		return fmt.Sprintf("there is no KubeletConfig among %s", words.Count(objects, "object", "objects"))
	case explained == 0:
		return "none of " + words.Count(len(in.crs), "KubeletConfig", "KubeletConfigs") + " reaches a pool"
	}
	return ""
}

// explain works out one pool.
func (in *input) explain(p *openshift.MachineConfigPool, list []Contender, o Options) (PoolResult, []v1alpha1.Finding) {
	base := Base(p.Metadata.Name, in.release)
	if o.DNS != "" {
		base = base.WithDNS(o.DNS)
	}
	r := PoolResult{Pool: p.Metadata.Name}
	rendered := Rendered{Conf: base}
	var found []v1alpha1.Finding
	if n := len(list); n > 0 && list[n-1].MachineConfig != "" {
		winner := &in.crs[list[n-1].Index]
		r.Wins, r.MachineConfig = winner.Value.Metadata.Name, list[n-1].MachineConfig
		rendered, _ = Render(base, p, &winner.Value, in.gate)
		for _, q := range judgeNetwork(rendered.Conf, o.HostPrefix) {
			found = append(found, winner.Finding(q.Rule, q.Path, q.What, q.Fix))
		}
		r.Lose = in.losers(list[:n-1], list[n-1].Index)
	} else {
		r.Lose = in.losers(list, -1)
	}
	r.Conf, r.Diff, r.Files, r.Changes = rendered.Conf.Text(), rendered.Conf.Diff(base), rendered.Files,
		changes(base, rendered.Conf)
	if o.Cores > 0 || rendered.Conf.int("podsPerCore") == 0 {
		r.Pods = rendered.Conf.Pods(o.Cores)
	}
	return r, found
}

func (in *input) losers(list []Contender, winner int) (out []Loser) {
	for _, c := range list {
		l := Loser{Name: in.crs[c.Index].Value.Metadata.Name, MachineConfig: c.MachineConfig, Refused: c.MachineConfig == "",
			Lost: "all of it"}
		if winner >= 0 {
			l.Lost = strings.TrimPrefix(in.lost(c.Index, winner), "is ")
		}
		out = append(out, l)
	}
	return out
}

// changes lists the fields of the second configuration that the first has not alike.
func changes(before, after Conf) (out []Change) {
	var walk func(path string, t *typ, a, b any)
	walk = func(path string, t *typ, a, b any) {
		x, isMap := a.(map[string]any)
		y, also := b.(map[string]any)
		if isMap && also && (t.kind == "struct" || t.kind == "map") {
			for _, key := range slices.Sorted(maps.Keys(union(x, y))) {
				inner := t.elem
				if t.kind == "struct" {
					f, _ := t.find(key)
					inner = f.typ
				}
				walk(join(path, key), inner, x[key], y[key])
			}
			return
		}
		if !same(t, a, b) {
			out = append(out, Change{path, written(t, a), written(t, b)})
		}
	}
	walk("", schemaOf(before.release), before.tree, after.tree)
	return out
}

// written is a value as the file has it; nil when it is left out.
func written(t *typ, v any) any {
	if omitted(t, v) {
		return nil
	}
	return plain(v)
}

func union(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
