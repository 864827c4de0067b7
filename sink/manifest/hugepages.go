package manifest

import (
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/machineconfig"
	"plimsoll.dev/tune/profile"
	"plimsoll.dev/unit"
)

// Priorities of the profiles that are written: that of pool worker, and before it
// one for each other pool, which tie with none of the default profiles.
const (
	workerPriority = 19
	customPriority = workerPriority - 3
)

// taken says whether one of the release's default profiles has a priority.
func (r *renderer) taken(priority int64) bool {
	return slices.ContainsFunc(profile.Default(r.release).Value.Spec.Recommend, func(t openshift.TunedRecommend) bool {
		return t.Priority != nil && *t.Priority == priority
	})
}

// hugePages writes what has the nodes of a pool allocate huge pages: a profile for
// pages of the size that the kernel takes while it runs, and boot arguments for all
// others.
func (r *renderer) hugePages() {
	priority := int64(customPriority)
	for _, g := range r.groups() {
		pages := g.members[0].HugePages
		switch {
		case !g.samePages():
			r.remark(fmt.Sprintf("Huge pages of pool %s: its node types want different ones, and a pool is set up alike; "+
				"give each type a pool of its own.", g.name))
		case len(pages) == 0:
		case !r.whileRunning(pages):
			r.bootPages(g, pages)
		case custom(g.name):
			for r.taken(priority) {
				priority--
			}
			r.tuned(g, max(0, priority))
			priority--
		default:
			r.tuned(g, workerPriority)
		}
	}
}

// samePages says whether all node types of a pool want the same huge pages.
func (g group) samePages() bool {
	return !slices.ContainsFunc(g.members, func(m member) bool { return !maps.Equal(m.HugePages, g.members[0].HugePages) })
}

// whileRunning says whether all pages have the size of vm.nr_hugepages.
func (r *renderer) whileRunning(pages map[string]int64) bool {
	for size := range pages {
		if b, err := unit.ParseBytes(size); err != nil || int(b) != r.number("linux.hugePages.runtimeDefault") {
			return false
		}
	}
	return true
}

// pageWords describes pages: "64 pages of 1Gi on each node".
func pageWords(pages map[string]int64) string {
	var parts []string
	for _, size := range slices.Sorted(maps.Keys(pages)) {
		parts = append(parts, fmt.Sprintf("%d pages of %s", pages[size], size))
	}
	return words.And(parts) + " on each node"
}

// evenly is what both ways have in common.
const evenly = "The kernel spreads the pages evenly over the NUMA nodes. Pages are taken from the node's memory at " +
	"once, and are never overcommitted."

func (r *renderer) pagesHeader(g group, title, path string) header {
	return header{
		title:    title,
		decision: []string{pageWords(g.members[0].HugePages)},
		figures:  r.figures(topicHugePages, g.members[0].Type),
		apply:    []string{"oc apply -f " + path},
		notes:    []string{evenly},
		sources:  append(ocp("13.2", "13.3"), derive.Source{Code: "Linux kernel", Section: "admin-guide/mm/hugetlbpage"}),
	}
}

// bootPages writes the boot arguments of a pool.
func (r *renderer) bootPages(g group, pages map[string]int64) {
	if !kernelArguments.In(r.release) {
		r.remark(fmt.Sprintf("Huge pages of pool %s (%s): a MachineConfig of OpenShift %s has no boot arguments; "+
			"the first release with them is %s.",
			g.name, pageWords(pages), r.release, release.SpanOf(&kernelArguments).Since))
		return
	}
	mc, found := machineconfig.Generate(machineconfig.Settings{Name: "50-hugepages-" + g.name, Role: g.name,
		HugePages: &machineconfig.HugePages{Pages: pages}}, r.release)
	path := "machineconfig-" + g.name + ".yaml"
	h := r.pagesHeader(g, fmt.Sprintf("Boot arguments of machine config pool %s: its huge pages.", g.name), path)
	h.notes = append(h.notes, "The nodes of the pool are drained and rebooted, as many at once as maxUnavailable says.",
		"Write all boot arguments for huge pages into this one: those of several are joined, "+
			"and the kernel refuses a size that comes twice.")
	for _, f := range found {
		if f.Severity == v1alpha1.Error {
			r.remark(fmt.Sprintf("Huge pages of pool %s: %s", g.name, sentences(f)))
			return
		}
		h.notes = append(h.notes, sentences(f))
		h.answered = map[string]string{mc.Spec.KernelArguments[0]: f.ID}
	}
	if others := r.customPools(); g.name == poolWorker && len(others) > 0 {
		text := fmt.Sprintf("Pools that take the machine configs of role worker (%s) get these boot arguments, too; "+
			"give the nodes with huge pages a pool of their own.", words.And(others))
		h.notes = append(h.notes, text)
		r.remark("Huge pages of pool worker alone: " + text)
	}
	r.add(path, stageHugePages, h.decision[0], h, mc)
}

// tuned writes the profile of a pool.
func (r *renderer) tuned(g group, priority int64) {
	var pages int64
	for _, n := range g.members[0].HugePages {
		pages += n
	}
	cr, found := machineconfig.HugePagesProfile{Name: "hugepages-" + g.name, Label: roleLabel + g.name, Count: pages,
		Priority: priority}.Tuned(r.release)
	path := "tuned-" + g.name + ".yaml"
	h := r.pagesHeader(g, fmt.Sprintf("Profile of the nodes of pool %s: its huge pages.", g.name), path)
	h.notes = append(h.notes, "The pages are allocated while the node runs, from memory in one piece: "+
		"apply it while the nodes are fresh, before the pods come. Transparent huge pages are off on these nodes.",
		"A node has one profile: what else you tune on these nodes belongs into this one, or into one that includes it.")
	// A pool's nodes have the label of their role from the start.
	found = slices.DeleteFunc(found, func(f v1alpha1.Finding) bool { return f.ID == "machineConfig.lateHugePages" })
	for _, f := range found {
		h.notes = append(h.notes, sentences(f))
	}
	if recommendConf.In(r.release) {
		h.notes = append(h.notes, fmt.Sprintf("OpenShift %s looks for the label with a regular expression: "+
			"nodes with a label that ends in it have the profile, too.", r.release))
		h.answered = map[string]string{"label:": "profile.conf43.wordBoundary"}
	}
	if !custom(g.name) {
		h.notes = append(h.notes, "Nodes of another role may have the label of worker as well: "+
			"the items before keep them at the profile that they have without this file.")
		cr.Spec.Recommend = append(r.keepProfiles(priority), cr.Spec.Recommend...)
	}
	r.add(path, stageHugePages, h.decision[0], h, cr)
}

// keepProfiles recommend the default profiles for the nodes of other roles, before
// an item of a priority that asks for the label of worker.
func (r *renderer) keepProfiles(priority int64) []openshift.TunedRecommend {
	control, node := []string{openshift.LabelMaster, openshift.LabelControlPlane}, []string{}
	for _, name := range r.customPools() {
		if name == poolInfra {
			control = append(control, openshift.LabelInfra)
		} else {
			node = append(node, roleLabel+name)
		}
	}
	out := []openshift.TunedRecommend{recommend("openshift-control-plane", priority-2, control)}
	if len(node) > 0 {
		out = append(out, recommend("openshift-node", priority-1, node))
	}
	return out
}

// recommend gives a profile to the nodes with one of the labels.
func recommend(profile string, priority int64, labels []string) openshift.TunedRecommend {
	out := openshift.TunedRecommend{Profile: &profile, Priority: &priority}
	for _, l := range labels {
		out.Match = append(out.Match, openshift.TunedMatch{Label: &l})
	}
	return out
}
