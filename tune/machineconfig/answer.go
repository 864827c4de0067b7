package machineconfig

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/cell"
)

// Result is what an Answer of this package has for programs.
type Result struct {
	Rendering
	// Reactions compare with the configurations before, when some were given; otherwise
	// with what the operator rendered, of pools that it differs from.
	Reactions []Reaction `json:"reactions,omitempty"`
	// Comparisons hold the pools against what the operator rendered of them.
	Comparisons []Comparison `json:"comparisons,omitempty"`
	// Nodes say which of them have what their pool names; nil where none tells.
	Nodes *Nodes `json:"nodes,omitempty"`
}

// Answer renders the MachineConfigs among the objects for each pool. With objects
// from before the change (nil for none), it says as well what the nodes do.
func Answer(objects, before []*object.Object, of release.Release) v1alpha1.Answer {
	out := v1alpha1.Answer{APIVersion: "plimsoll.dev/v1alpha1", Kind: "MachineConfigRender",
		Title: "What each pool gets from its MachineConfigs", Release: of.Rules()}
	d := newDecoder()
	out.Findings = check(objects, of, d)
	result := resultOf(objects, before, of, d)
	out.Findings = append(out.Findings, result.findings()...)
	object.Sort(out.Findings)
	out.Result, out.Verdict = result, result.verdict(out.Findings)
	if !holds(objects) && !holds(before) {
		out.Verdict = v1alpha1.AnswerVerdict{Summary: "nothing is rendered",
			Problem: fmt.Sprintf("there is no MachineConfig among %s", words.Count(len(objects), "object", "objects"))}
		return out
	}
	for _, c := range result.Comparisons {
		out.Parts = append(out.Parts, c.part())
	}
	if result.Nodes != nil {
		out.Parts = append(out.Parts, result.Nodes.part())
	}
	for _, r := range result.Reactions {
		out.Parts = append(out.Parts, r.part())
	}
	for _, p := range result.Pools {
		out.Parts = append(out.Parts, p.parts()...)
	}
	if len(result.Unclaimed) > 0 {
		out.Parts = append(out.Parts, v1alpha1.Part{Title: "In no pool", Lead: []string{
			"No pool here takes these, so that they have no effect: " + strings.Join(result.Unclaimed, ", ") + ".",
		}})
	}
	return out
}

func resultOf(objects, before []*object.Object, r release.Release, d *decoder) Result {
	configs, old := configsOf(objects), configsOf(before)
	all := slices.Concat(configs, old)
	pools, known := suppose(objects, all, r)
	out := Result{Rendering: render(configs, pools, r, d)}
	for i := range out.Pools[known:] {
		out.Pools[known+i].Supposed = true
	}
	out.Comparisons = compare(configs, pools, out.Rendering, r, d)
	out.Nodes = nodesOf(objects, pools, r)
	policies := PoliciesOf(r, before, objects)
	if before == nil {
		out.Reactions = reactions(out.Comparisons, out.Pools, policies, r)
		return out
	}
	pools, _ = suppose(before, all, r)
	was := render(old, pools, r, d)
	for _, p := range out.Pools {
		i := slices.IndexFunc(was.Pools, func(o PoolConfig) bool { return o.Pool == p.Pool })
		if i >= 0 && len(was.Pools[i].Order)+len(p.Order) > 0 {
			out.Reactions = append(out.Reactions, React(was.Pools[i], p, policies, r))
		}
	}
	return out
}

// holds says whether a MachineConfig is among the objects.
func holds(objects []*object.Object) bool {
	return slices.ContainsFunc(objects, func(o *object.Object) bool { return o.Kind == "MachineConfig" })
}

func configsOf(objects []*object.Object) []openshift.MachineConfig {
	typed, _ := object.All[openshift.MachineConfig](objects, "MachineConfig")
	return object.Values(object.Latest(typed))
}

// findings are what the joined configurations and the nodes' reactions show.
func (r Result) findings() []v1alpha1.Finding {
	m := &maker{}
	failed := map[string]bool{}
	for _, p := range r.Pools {
		failed[p.Pool] = p.Failure != ""
		if p.Failure != "" && len(p.Order) > 0 {
			m.note(refusedRule, v1alpha1.Error, "", "pool "+p.Pool+" is not rendered and keeps what it has: "+p.Failure,
				"repair it; until then no change reaches the pool")
		}
		for _, f := range p.Files {
			if f.Problem != "" {
				m.note(refusedRule, v1alpha1.Error, "", "pool "+p.Pool+": "+f.Path+" of "+f.From+": "+f.Problem, "repair "+f.From)
			}
		}
		bootPages(asWords(texts(p.KernelArguments), release.Current), func(_ int, what, fix string) {
			m.add(hugePagesRule, "", "pool "+p.Pool+", all its kernel arguments together: "+what, fix)
		})
	}
	for _, c := range r.Comparisons {
		if slices.ContainsFunc(c.Missing, basic) {
			m.note(renderedRule, v1alpha1.Error, "", "pool "+c.Pool+": "+strings.Join(c.Missing, ", ")+" went into "+c.Rendered+
				" and "+are(c.Missing)+" not given: what the pool gets isn't known", "give all MachineConfigs of the cluster")
		}
		if len(c.Differences) > 0 && len(c.Added) == 0 {
			m.add(renderedRule, "", "pool "+c.Pool+": "+c.Rendered+", which the pool names, is not what its MachineConfigs "+
				"come to: "+words.Some(c.Differences, 3),
				"see whether the pool is degraded, or a MachineConfig was changed since")
		}
	}
	if r.Nodes != nil {
		r.Nodes.findings(m)
	}
	for _, re := range r.Reactions {
		if len(re.Refused) > 0 && !failed[re.Pool] {
			m.note(refusedRule, v1alpha1.Error, "", "pool "+re.Pool+": the change is refused: "+strings.Join(re.Refused, "; "),
				"take the change back, or install the nodes anew")
		}
		if re.Misplaced {
			m.add(argumentRule, "", "pool "+re.Pool+": the nodes will have the kernel arguments in "+
				"another order than asked for: "+strings.Join(re.CommandLine, " "),
				"take the old ones off in one rollout and put the new ones on in another")
		}
	}
	return m.findings
}

func (r Result) verdict(findings []v1alpha1.Finding) v1alpha1.AnswerVerdict {
	rendered, files, lacks, supposed := 0, 0, "", ""
	for _, p := range r.Pools {
		if p.Failure != "" {
			continue
		}
		rendered, files = rendered+1, files+len(p.Files)
		if !slices.ContainsFunc(p.Order, basic) {
			lacks = "; the cluster's own MachineConfigs, such as 00-worker, are not among these"
		}
		if p.Supposed {
			supposed += "; pool " + p.Pool + " is not given but supposed"
		}
	}
	out := v1alpha1.AnswerVerdict{OK: supposed == "" && (rendered > 0 || len(r.Unclaimed) == 0),
		Summary: fmt.Sprintf("%s of %d rendered, with %s%s%s%s", words.Count(rendered, "pool", "pools"), len(r.Pools),
			words.Count(files, "file", "files"), compared(r.Comparisons), supposed, lacks)}
	for _, f := range findings {
		if f.Severity == v1alpha1.Error {
			out.OK = false
		}
	}
	if len(findings) > 0 && findings[0].Severity != v1alpha1.Info {
		out.Problem = findings[0].Message
	}
	for _, re := range r.Reactions {
		out.Open = append(out.Open, re.Open...)
	}
	slices.Sort(out.Open)
	out.Open = slices.Compact(out.Open)
	return out
}

// basic says whether a MachineConfig is one of those that the operator itself makes, without
// which no pool is.
func basic(name string) bool { return strings.HasPrefix(name, "00-") }

const undrained = "None is drained, since the control plane has one node."

// part shows a reaction.
func (r Reaction) part() v1alpha1.Part {
	p := v1alpha1.Part{Title: "What the nodes of pool " + r.Pool + " do"}
	switch {
	case len(r.Refused) > 0:
		p.Lead = append(p.Lead, "The change is refused by the "+r.By+": "+strings.Join(r.Refused, "; ")+".")
	case len(r.Changes) == 0:
		p.Lead = append(p.Lead, "Nothing: the configuration is the same.")
		return p
	case r.Reboot && r.Undrained:
		p.Lead = append(p.Lead, "Each node is rebooted, because of this: "+r.Why+". "+undrained)
	case r.Undrained:
		p.Lead = append(p.Lead, "No reboot. "+undrained)
	case r.Reboot:
		p.Lead = append(p.Lead, "Each node is drained and rebooted, because of this: "+r.Why+".")
	case r.Drain:
		p.Lead = append(p.Lead, "Each node is drained and not rebooted, because of this: "+r.Why+".")
	default:
		p.Lead = append(p.Lead, "Neither drain nor reboot.")
	}
	if len(r.Policies) > 0 {
		p.Lead = append(p.Lead, "MachineConfiguration cluster says what they do after this: "+strings.Join(r.Policies, ", ")+
			".")
	}
	if len(r.Services) > 0 {
		p.Lead = append(p.Lead, "Told to services: "+strings.Join(r.Services, ", ")+".")
	}
	t := v1alpha1.Table{ID: "machineConfig.changes." + r.Pool, Title: "What changes", Columns: cell.Columns("change")}
	for _, c := range r.Changes {
		t.Rows = append(t.Rows, cell.Texts(c))
	}
	if t.Rows != nil {
		p.Tables = append(p.Tables, t)
	}
	return p
}

// parts show the configuration of a pool, and the content of its files in wide
// output.
func (p PoolConfig) parts() []v1alpha1.Part {
	main := v1alpha1.Part{Title: "Pool " + p.Pool}
	if p.Supposed {
		main.Lead = append(main.Lead, "The pool is not among these. It is supposed to take the roles worker and "+p.Pool+
			"; what the cluster has of role worker besides is not here.")
	}
	if len(p.Order) > 0 {
		main.Lead = append(main.Lead, "Joined in this order, what comes later wins: "+strings.Join(p.Order, ", ")+".")
	}
	if p.Failure != "" {
		main.Lead = append(main.Lead, "Not rendered: "+p.Failure+".")
		return []v1alpha1.Part{main}
	}
	main.Lead = append(main.Lead, p.rest()...)
	main.Tables = append(main.Tables, p.fileTable(), p.unitTable(), p.argumentTable())
	main.Tables = slices.DeleteFunc(main.Tables, func(t v1alpha1.Table) bool { return len(t.Rows) == 0 })
	return []v1alpha1.Part{main, p.contents()}
}

// rest tells of what has no table.
func (p PoolConfig) rest() []string {
	var out []string
	if p.KernelType.From != "" {
		out = append(out, "Kernel: "+p.KernelType.Text+", from "+p.KernelType.From+".")
	}
	if p.FIPS {
		out = append(out, "FIPS: on, from "+strings.Join(p.FIPSFrom, ", ")+".")
	}
	if len(p.FIPSIgnored) > 0 {
		out = append(out, "FIPS of "+strings.Join(p.FIPSIgnored, ", ")+" is ignored, because it is the first.")
	}
	if p.OSImageURL.From != "" {
		out = append(out, "Image: "+p.OSImageURL.Text+", from "+p.OSImageURL.From+".")
	}
	if len(p.Extensions) > 0 {
		out = append(out, "Extensions: "+strings.Join(texts(p.Extensions), ", ")+".")
	}
	return out
}

func (p PoolConfig) fileTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "machineConfig.files." + p.Pool, Title: "Files",
		Columns: cell.Columns("path", "mode", ">bytes", "from", "lost of", "*mode from")}
	for _, f := range p.Files {
		row := []v1alpha1.Cell{cell.Text(f.Path), cell.Text(f.Mode), cell.Count(f.Size), cell.Text(f.From),
			cell.Text(strings.Join(f.Shadows, ", ")), cell.Text(f.ModeFrom)}
		if f.Problem != "" {
			row[0].Mark = "bad"
			t.Notes = append(t.Notes, f.Path+": "+f.Problem+".")
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (p PoolConfig) unitTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "machineConfig.units." + p.Pool, Title: "Systemd units",
		Columns: cell.Columns("unit", "state", "from", "lost of", "drop-ins")}
	for _, u := range p.Units {
		var names []string
		for _, d := range u.Dropins {
			names = append(names, d.Name+" ("+d.From+")")
		}
		t.Rows = append(t.Rows, cell.Texts(u.Name, u.State, u.From, strings.Join(u.Shadows, ", "), strings.Join(names, ", ")))
	}
	return t
}

func (p PoolConfig) argumentTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "machineConfig.arguments." + p.Pool, Title: "Kernel arguments",
		Columns: cell.Columns("argument", "from")}
	for _, a := range p.KernelArguments {
		t.Rows = append(t.Rows, cell.Texts(a.Text, a.From))
	}
	return t
}

// contents are the files and units as the nodes have them.
func (p PoolConfig) contents() v1alpha1.Part {
	out := v1alpha1.Part{Title: "Contents of pool " + p.Pool, Wide: true}
	for _, f := range p.Files {
		if f.Size > 0 && utf8.Valid(f.Content) {
			out.Texts = append(out.Texts, v1alpha1.Text{Title: f.Path, Body: strings.TrimSuffix(string(f.Content), "\n") + "\n"})
		}
	}
	for _, u := range p.Units {
		if u.Contents != "" {
			out.Texts = append(out.Texts, v1alpha1.Text{Title: u.Name, Language: "ini",
				Body: strings.TrimSuffix(u.Contents, "\n") + "\n"})
		}
	}
	return out
}
