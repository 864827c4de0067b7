package performance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/cell"
)

// Answer tells people and programs what the operator makes of the profiles among the objects. found is what was found
// in them before.
func Answer(objects []*object.Object, of release.Release, found []v1alpha1.Finding) v1alpha1.Answer {
	made := Render(objects, of)
	out := v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "PerformanceRender",
		Title: "What the operator makes of PerformanceProfiles", Release: of.String(), Findings: found, Result: made}
	if of > release.Newest {
		out.Release = of.Rules()
	}
	var told []string
	for i := range made {
		r := &made[i]
		names, lines := r.kernelOf()
		out.Findings = append(out.Findings, r.findings()...)
		parts := r.parts(names, lines)
		for j := range parts {
			if p := &parts[j]; len(made) > 1 {
				p.Title, p.Tables[0].ID = r.Profile+": "+p.Title, p.Tables[0].ID+"."+r.Profile
			}
		}
		out.Parts = append(out.Parts, parts...)
		for _, o := range r.Objects() {
			out.Names = append(out.Names, fmt.Sprint(o["kind"], "/", o["metadata"].(map[string]any)["name"]))
		}
		told = append(told, fmt.Sprintf("%s becomes %d objects, with %s and %s; a change of it drains and reboots "+
			"the nodes%s", r.Profile, len(r.Objects()), words.Count(len(r.pieces), "file or unit", "files and units"),
			words.Count(len(r.Kernel), "kernel argument", "kernel arguments"), ofPool(r.Pool)))
	}
	out.Verdict = v1alpha1.AnswerVerdict{OK: true, Summary: strings.Join(told, "; ")}
	return out
}

// ofPool names the pool of nodes.
func ofPool(name string) string {
	if name == "" {
		return ""
	}
	return " of pool " + name
}

// findings are what is to be known about the objects.
func (r *Rendering) findings() (out []v1alpha1.Finding) {
	add := func(rule object.Rule, path, what, fix string) {
		out = append(out, r.of.Finding(rule, path, what, fix))
	}
	if r.of.Value.Metadata.Annotations["performance.openshift.io/pause-reconcile"] == "true" {
		add(paused, "metadata.annotations", "the profile is paused: the operator makes nothing of it",
			"remove the annotation performance.openshift.io/pause-reconcile")
	}
	if r.Pool == "" {
		add(noPool, "spec.nodeSelector", "no MachineConfigPool is known whose nodes these are: the operator makes nothing "+
			"of a profile without one, and takes the labels for the KubeletConfig from it", "give the MachineConfigPool as well")
	}
	_, on := r.values.by["mixed"]
	if !on && r.of.Value.Spec.WorkloadHints.MixedCPUs && sharedJudged.In(r.values.release) {
		add(mixedOff, "spec.workloadHints.mixedCpus", "mixedCpus has no effect while the feature gate MixedCPUsAllocation "+
			"is off, as it is by default", "give the cluster's FeatureGate, if it is on")
	}
	add(keptTexts, "", fmt.Sprintf("the MachineConfig is not whole: of %s the text is the operator's own and not "+
		"reproduced", words.And(r.Kept)), "take them from a cluster, or from the command render of the operator")
	return out
}

// parts show the rendering to people.
func (r *Rendering) parts(makers, lines []string) []v1alpha1.Part {
	cost := "A change of the profile reaches the nodes as a MachineConfig, a KubeletConfig and kernel arguments in a " +
		"MachineConfig of their own: each node drains and reboots."
	if !waits.In(r.values.release) {
		cost += " These don't wait for one another: it may reboot more than once."
	}
	if r.NodeConfig != nil {
		cost += " All nodes of the cluster, whatever their pool, are set to cgroups of version 1, and reboot where they " +
			"have another."
	}
	parts := []v1alpha1.Part{
		{Title: "CPUs", Lead: []string{cost}, Tables: []v1alpha1.Table{r.cpuTable()}},
		{Title: "Kernel arguments", Lead: []string{"The kernel is the " + map[string]string{"realtime": "real-time one",
			"64k-pages": "one with pages of 64 KiB", "default": "usual one"}[r.kernelType()] +
			". TuneD works the arguments out with CPUs " + r.online().String() + " online."},
			Tables: []v1alpha1.Table{r.kernelTable(makers)}},
		{Title: "Kubelet", Tables: []v1alpha1.Table{r.kubeletTable()}},
		{Title: "Files and units", Tables: []v1alpha1.Table{r.pieceTable()}},
		{Title: "Other settings of TuneD", Wide: true, Tables: []v1alpha1.Table{r.tunedTable()}},
	}
	for i, m := range makers {
		parts[1].Texts = append(parts[1].Texts, v1alpha1.Text{Title: "all in order, on CPUs of " + m, Body: lines[i] + "\n"})
	}
	if h := r.of.Value.Spec.HugePages; h != nil && len(h.Pages) > 0 {
		parts = slices.Insert(parts, 1, v1alpha1.Part{Title: "Huge pages", Tables: []v1alpha1.Table{pageTable(h.Pages)}})
	}
	return parts
}

// uses say what the sets of CPUs are for.
var uses = []struct{ field, use string }{
	{"reserved", "the system's services, the kubelet and management; no pod gets one whole"},
	{"isolated", "pods, guaranteed ones alone on theirs; the kernel keeps its own work off"},
	{"shared", "containers that ask for shared CPUs, beside their own"},
	{"ovsDpdk", "Open vSwitch with DPDK; no pods"},
	{"offlined", "nothing: turned off when the node starts"},
}

func (r *Rendering) cpuTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "cpus", Columns: cell.Columns("CPUs", ">Number", "For", "From")}
	left := r.online()
	for _, u := range uses {
		set, ok := r.cpus[u.field]
		if !ok {
			continue
		}
		left = left.Minus(set)
		if _, on := r.values.by["mixed"]; u.field == "shared" && !on {
			u.use = "nothing of their own: mixedCpus, or its feature gate, is off"
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Text(set.String()), cell.Count(set.Len()), cell.Text(u.use),
			cell.Text("spec.cpu." + u.field)})
	}
	if !left.IsEmpty() {
		t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Text(left.String()), cell.Count(left.Len()),
			cell.Text("pods, and the kernel's own work as well"), cell.Text("in no set")})
	}
	return t
}

func pageTable(pages []openshift.HugePage) v1alpha1.Table {
	t := v1alpha1.Table{ID: "hugePages", Columns: cell.Columns("Size", ">Number", "NUMA node", "Allocated by", "From")}
	for i, p := range pages {
		node, by := "all", "kernel argument, when the node starts"
		if p.Node != nil {
			node, by = fmt.Sprint(*p.Node), "a unit, before the kubelet starts"
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Text(p.Size), cell.Count(int(p.Count)), cell.Text(node), cell.Text(by),
			cell.Text(fmt.Sprintf("spec.hugepages.pages[%d]", i))})
	}
	return t
}

// always is where every profile has something.
const always = "every profile"

func origin(fields []string) string { return cmp.Or(strings.Join(fields, ", "), always) }

func (r *Rendering) kernelTable(makers []string) v1alpha1.Table {
	t := v1alpha1.Table{ID: "kernel", Columns: cell.Columns("Argument", "On", "From")}
	for _, k := range r.Kernel {
		on := strings.Join(k.On, ", ")
		if len(k.On) == len(makers) {
			on = "all"
		}
		t.Rows = append(t.Rows, cell.Texts(k.Argument, on, origin(k.From)))
	}
	return t
}

func (r *Rendering) kubeletTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "kubelet", Columns: cell.Columns("Field", "Value", "From")}
	for _, s := range r.settings {
		t.Rows = append(t.Rows, cell.Texts(s.field, s.value, cmp.Or(s.from, always)))
	}
	return t
}

func (r *Rendering) pieceTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "files", Columns: cell.Columns("Path or unit", "Text", "From", "*SHA-256")}
	for _, p := range r.pieces {
		from := slices.Clone(p.from)
		for _, l := range p.lines {
			from = append(from, l.from...)
		}
		slices.Sort(from)
		text := words.Count(len(p.lines), "line", "lines")
		if p.kind == "kept" {
			text = "the operator's own, not reproduced"
		}
		t.Rows = append(t.Rows, cell.Texts(p.name, text, origin(slices.Compact(from)), p.digest))
	}
	return t
}

func (r *Rendering) tunedTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "tuned", Columns: cell.Columns("Profile", "Section", "Setting", "From")}
	for _, p := range r.profiles {
		section := ""
		for _, l := range p.lines {
			if strings.HasPrefix(l.text, "[") {
				section = strings.Trim(l.text, "[]")
			} else if section != "main" && section != "bootloader" {
				t.Rows = append(t.Rows, cell.Texts(p.name, section, l.text, origin(l.from)))
			}
		}
	}
	return t
}
