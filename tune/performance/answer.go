package performance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
		r.tell()
		out.Findings = append(out.Findings, r.findings()...)
		parts := r.parts()
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
			"the nodes%s", r.Profile, len(r.Objects()), words.Count(len(r.Files), "file or unit", "files and units"),
			r.arguments(), ofPool(r.Pool)))
		for _, o := range r.open {
			if len(made) > 1 {
				o = r.Profile + ": " + o
			}
			out.Verdict.Open = append(out.Verdict.Open, o)
		}
	}
	out.Verdict.OK = len(made) > 0
	out.Verdict.Summary = cmp.Or(strings.Join(told, "; "), "nothing is made of the profiles")
	return out
}

// arguments counts those of the kernel that a node gets: by maker where it isn't known and matters.
func (r *Rendering) arguments() string {
	var out []string
	counts := map[int]bool{}
	for _, l := range r.CommandLines {
		n := 0
		for _, k := range r.Kernel {
			if slices.Contains(k.On, l.On) {
				n++
			}
		}
		counts[n] = true
		text := fmt.Sprintf("%d on those of %s", n, l.On)
		if len(out) == 0 {
			text = fmt.Sprintf("%s on CPUs of %s", words.Count(n, "kernel argument", "kernel arguments"), l.On)
		}
		out = append(out, text)
	}
	if len(counts) == 1 {
		only, _, _ := strings.Cut(out[0], " on CPUs")
		return only
	}
	return words.And(out)
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
func (r *Rendering) parts() []v1alpha1.Part {
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
			Tables: []v1alpha1.Table{r.kernelTable()}},
		{Title: "Kubelet", Tables: []v1alpha1.Table{r.kubeletTable()}},
		{Title: "Files and units", Tables: []v1alpha1.Table{r.pieceTable()}},
		{Title: "Other settings of TuneD", Wide: true, Tables: []v1alpha1.Table{r.tunedTable()}},
	}
	for _, l := range r.CommandLines {
		parts[1].Texts = append(parts[1].Texts, v1alpha1.Text{Title: "all in order, on CPUs of " + l.On,
			Body: broken(l.Arguments)})
	}
	if len(r.HugePages) > 0 {
		parts = slices.Insert(parts, 1, v1alpha1.Part{Title: "Huge pages", Tables: []v1alpha1.Table{r.pageTable()}})
	}
	return parts
}

// broken are words in lines that no output format has to break.
func broken(list []string) string {
	const most = 72
	var b strings.Builder
	width := 0
	for i, w := range list {
		switch {
		case i > 0 && width+1+len(w) > most:
			b.WriteByte('\n')
			width = 0
		case i > 0:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(w)
		width += len(w)
	}
	return b.String() + "\n"
}

func (r *Rendering) cpuTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "cpus", Columns: cell.Columns("CPUs", ">Number", "For", "From")}
	for _, c := range r.CPUs {
		t.Rows = append(t.Rows,
			[]v1alpha1.Cell{cell.Text(c.CPUs), cell.Count(c.Number), cell.Text(c.For), cell.Text(c.From)})
	}
	return t
}

func (r *Rendering) pageTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "hugePages", Columns: cell.Columns("Size", ">Number", "NUMA node", "Allocated by", "From")}
	for _, p := range r.HugePages {
		node := "all"
		if p.Node != nil {
			node = fmt.Sprint(*p.Node)
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Text(p.Size), cell.Count(int(p.Number)), cell.Text(node),
			cell.Text(p.By), cell.Text(p.From)})
	}
	return t
}

// always is where every profile has something.
const always = "every profile"

func origin(fields []string) string { return cmp.Or(strings.Join(fields, ", "), always) }

func (r *Rendering) kernelTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "kernel", Columns: cell.Columns("Argument", "On", "From")}
	for _, k := range r.Kernel {
		on := strings.Join(k.On, ", ")
		if len(k.On) == len(r.CommandLines) {
			on = "all"
		}
		t.Rows = append(t.Rows, cell.Texts(k.Argument, on, origin(k.From)))
	}
	return t
}

func (r *Rendering) kubeletTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "kubelet", Columns: cell.Columns("Field", "Value", "From")}
	for _, k := range r.Kubelet {
		t.Rows = append(t.Rows, cell.Texts(k.Field, k.Value, origin(k.From)))
	}
	return t
}

func (r *Rendering) pieceTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "files", Columns: cell.Columns("Path or unit", "Text", "From", "*SHA-256")}
	for _, f := range r.Files {
		text := words.Count(f.Lines, "line", "lines")
		if f.Kept {
			text = "the operator's own, not reproduced"
		}
		t.Rows = append(t.Rows, cell.Texts(f.Name, text, origin(f.From), f.SHA256))
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
