package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const readmeFile = "README.md"

// add renders a manifest and keeps it with what the README says of it.
func (r *renderer) add(path string, s stage, why string, h header, body any) {
	r.out = append(r.out, written{File{path, r.document(h, body), oneLine(why)}, s, h.apply})
}

// readme says what there is, what to fill in, and in which order to apply it.
func (r *renderer) readme() {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: manifests for OpenShift %s on %s\n\n", r.Metadata.Name, r.release, r.Platform.Provider)
	if d := oneLine(r.Metadata.Description); d != "" {
		b.WriteString(d + "\n\n")
	}
	if r.Running && len(r.out) == 0 {
		b.WriteString("Nothing is to change: the scenario states nothing that differs from what runs.\n")
	} else {
		r.readmeIntro(&b)
		r.readmeFiles(&b)
		r.readmeOrder(&b)
		r.readmeFilling(&b)
	}
	list := func(title string, items []string) {
		if len(items) > 0 {
			b.WriteString("\n## " + title + "\n\n- " + strings.Join(items, "\n- ") + "\n")
		}
	}
	list("What stays as it runs", r.Left)
	list("What these files can't do", r.remarks)
	r.out = append(r.out, written{File: File{Path: readmeFile, Content: []byte(b.String()),
		Why: "what the files are and in which order they are applied"}})
}

func (r *renderer) readmeIntro(b *strings.Builder) {
	b.WriteString("Each manifest says at its top which decision of the plan it carries out, " +
		"and how to ask for the reason.\n")
	in := func(dir string) bool {
		return slices.ContainsFunc(r.out, func(w written) bool { return strings.HasPrefix(w.Path, dir) })
	}
	if in(installDir) {
		fmt.Fprintf(b, "Everything in `%s` is for openshift-install and must not reach a running cluster.\n", installDir)
	}
	if in(fillInDir) {
		fmt.Fprintf(b, "Everything in `%s` has values to fill in; the API server refuses it until that is done.\n", fillInDir)
	}
	b.WriteString("The other YAML files can be applied as they are, in the order below.\n")
	if r.MadeBy.Version != "" {
		fmt.Fprintf(b, "\nMade by Plimsoll %s.\n", r.MadeBy)
	}
}

func (r *renderer) readmeFiles(b *strings.Builder) {
	b.WriteString("\n## Files\n\n| file | decision |\n|---|---|\n")
	files := slices.Clone(r.out)
	slices.SortFunc(files, func(x, y written) int { return cmp.Compare(x.Path, y.Path) })
	for _, f := range files {
		fmt.Fprintf(b, "| `%s` | %s |\n", f.Path, strings.ReplaceAll(f.Why, "|", `\|`))
	}
}

// stages are the headings of the order and what to wait for after each.
var stages = []struct {
	stage stage
	title string
	wait  string
}{
	{stageInstall, "Before the installation (new cluster only)", ""},
	{stagePools, "Machine config pools", "Wait until UPDATED is True: `oc get machineconfigpool`"},
	{stageKubelet, "Kubelet settings, which reboot the nodes; best before the cluster grows",
		"Wait until UPDATED is True: `oc get machineconfigpool`"},
	{stageHugePages, "Huge pages, before the pods that use them", "Wait until UPDATED is True: " +
		"`oc get machineconfigpool`; then each node has its pages: `oc describe nodes | grep hugepages`"},
	{stageHealth, "Health checks of the machines, before the cluster grows large", ""},
	{stageMachines, "Machines, step by step as growth.txt says", "Wait until all nodes are Ready: `oc get nodes`"},
	{stageServices, "Monitoring and routers, when the nodes that they are to run on are Ready", ""},
}

func (r *renderer) readmeOrder(b *strings.Builder) {
	b.WriteString("\n## Order\n")
	step := 0
	for _, s := range stages {
		files := r.inStage(s.stage)
		if len(files) == 0 {
			continue
		}
		step++
		fmt.Fprintf(b, "\n%d. %s:\n", step, s.title)
		if s.stage != stageMachines {
			b.WriteString("\n   ```\n")
			for _, line := range commands(files) {
				b.WriteString("   " + line + "\n")
			}
			b.WriteString("   ```\n")
		}
		if s.wait != "" {
			b.WriteString("\n   " + s.wait + "\n")
		}
	}
}

// inStage are the files of a stage in the order in which they are applied: the
// default router last, so that its routes have been taken over by the shards.
func (r *renderer) inStage(s stage) []written {
	var out []written
	for _, f := range r.out {
		if f.stage == s {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(x, y written) int {
		last := func(w written) int {
			if w.Path == "ingresscontroller-"+defaultRouter+".yaml" {
				return 1
			}
			return 0
		}
		return last(x) - last(y)
	})
	return out
}

// commands are the apply lines of several files. A line that several files
// have, such as the start of the installation, stands where the last has it.
func commands(files []written) []string {
	var out []string
	for _, f := range files {
		for _, line := range f.apply {
			if !isCommand(line) {
				line = "# " + f.Path + ": " + line
			}
			out = slices.DeleteFunc(out, func(s string) bool { return s == line })
			out = append(out, line)
		}
	}
	return out
}

// isCommand tells the lines that a shell can run from prose.
func isCommand(line string) bool {
	for _, program := range []string{"oc ", "openshift-install ", "cp "} {
		if strings.HasPrefix(line, program) {
			return true
		}
	}
	return false
}

func sortedAnyKeys(m obj) []string { return slices.Sorted(maps.Keys(m)) }

// readmeFilling lists the placeholders, with the commands that fill them in and
// the check that nothing was forgotten before the guard is removed.
func (r *renderer) readmeFilling(b *strings.Builder) {
	names := r.placeholders()
	if len(names) == 0 {
		return
	}
	b.WriteString("\n## Values to fill in\n\n" +
		"A plan can't know these. A machine set of the installer shows most of them:\n" +
		"`oc get machineset -n " + machineNamespace + " -o yaml`, under spec.template.spec.providerSpec.value.\n\n" +
		"| placeholder | meaning | where to find it |\n|---|---|---|\n")
	for _, p := range names {
		h := holeOf(p)
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", p, h.meaning, h.find)
	}
	files := strings.Join(r.filesWithPlaceholders(), " ")
	b.WriteString("\nWrite the values into `" + fillInFile +
		"`, apply it, look for what is left, and only then remove the label that makes\n" +
		"the API server refuse the files:\n\n```\n")
	fmt.Fprintf(b, "sed -i -f %s %s\n", fillInFile, files)
	fmt.Fprintf(b, "grep -n '%s' %s    # must print nothing but %s\n", placeholderPattern, files,
		strings.Trim(fillInValue, "<>"))
	fmt.Fprintf(b, "sed -i '/%s/d' %s*.yaml\n```\n", strings.ReplaceAll(fillInLabel, "/", `\/`), fillInDir)
}
