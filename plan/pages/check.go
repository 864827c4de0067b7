package pages

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/unit"
)

var apiServer = derive.Source{Code: "kubernetes.io", Section: "Manage HugePages"}

// checkGiven compares pages that the scenario pre-allocates with the pods' need.
func (p *planner) checkGiven(n Node, s Size, have derive.Value) {
	page := bytesOf(s.Name)
	find := func(severity v1alpha1.Severity, id, message, remedy string) {
		p.FindAt(severity, id, have.From.ID, n.Type+": "+message, remedy, chapter)
	}
	switch {
	case unit.Bytes(have.Int())%page != 0:
		find(v1alpha1.Error, "hugePages.given.fraction",
			fmt.Sprintf("%s is no whole number of pages of %s", have.Text, s.Name),
			fmt.Sprintf("write a multiple of %s", s.Name))
	case have.Number < s.Need.Number:
		find(v1alpha1.Error, "hugePages.given.tooFew",
			fmt.Sprintf("%s of pages of %s are given, the pods of the fullest node use %s", have.Text, s.Name, s.Need.Text),
			"give as much as the pods use, or leave hugePages out so that the plan derives them")
	case s.Need.Number == 0:
		find(v1alpha1.Info, "hugePages.given.unused",
			fmt.Sprintf("%s of pages of %s are given and no pod uses them; they are lost to other pods", have.Text, s.Name),
			"leave hugePages out unless pods that the scenario does not have use them")
	case have.Number > s.Need.Number:
		find(v1alpha1.Info, "hugePages.given.unused",
			fmt.Sprintf("%s of pages of %s are given and the pods of the fullest node use %s; the rest is lost to other pods",
				have.Text, s.Name, s.Need.Text),
			"give no more than the pods use, or leave hugePages out so that the plan derives them")
	}
}

// checkPods applies the rules of OCP 13.2 and of the API server to the pods.
func (p *planner) checkPods(nodes []Allocation) {
	for i, t := range p.in.PodTypes {
		if len(t.HugePages) == 0 {
			continue
		}
		path := fmt.Sprintf("workload.podTypes[%d].hugePages", i)
		p.checkPod(t, path)
		for _, size := range slices.Sorted(maps.Keys(t.HugePages)) {
			p.checkAmount(t, path, size)
			p.checkNUMA(t, path, size, nodes)
		}
	}
}

func (p *planner) checkPod(t v1alpha1.PodType, path string) {
	if t.CPU == 0 && t.Memory == 0 {
		p.FindAt(v1alpha1.Error, "hugePages.pod.alone", path,
			t.Name+": a pod with huge pages must also request CPU or memory; the API server refuses it",
			"give the pod a memory request for what it keeps outside the huge pages", apiServer)
	}
	if allowed := p.sizesAllowed(); float64(len(t.HugePages)) > allowed.Number {
		p.FindAt(v1alpha1.Error, "hugePages.pod.sizes", path,
			fmt.Sprintf("%s: uses pages of %s; with %s %s a node has %s", t.Name,
				strings.Join(largestFirst(slices.Collect(maps.Keys(t.HugePages))), " and "),
				p.platform(), p.in.Release, allowed.Text), "use one page size in this pod", *allowed.From.Source)
	}
}

// checkAmount checks page size and amount of one pod.
func (p *planner) checkAmount(t v1alpha1.PodType, path, size string) {
	page, amount := bytesOf(size), t.HugePages[size]
	if page == 0 {
		return
	}
	if amount%page != 0 {
		p.FindAt(v1alpha1.Error, "hugePages.pod.fraction", path+"."+size,
			fmt.Sprintf("%s: %s is no whole number of pages of %s; the API server refuses it", t.Name, amount, size),
			fmt.Sprintf("write %s, which is %d pages", unit.Bytes(Count(amount, page))*page, Count(amount, page)), apiServer)
	}
	if !p.common(page) {
		p.FindAt(v1alpha1.Warning, "hugePages.pod.unusualSize", path+"."+size,
			fmt.Sprintf("%s: pages of %s are not among those of x86_64 (2Mi and 1Gi)", t.Name, size),
			"check that the processor of the nodes has this size", derive.Source{Code: "OCP", Section: "13.1"})
	}
}

// common says whether a page size is one of x86_64.
func (p *planner) common(page unit.Bytes) bool {
	return slices.ContainsFunc(p.Facts.Quantity("ocp.hugePages.sizes"),
		func(f facts.Fact) bool { return unit.Bytes(f.Number) == page })
}

// checkNUMA warns when one pod uses more than one NUMA node of any type has. On
// a machine of one NUMA node nothing can lie on several.
func (p *planner) checkNUMA(t v1alpha1.PodType, path, size string, nodes []Allocation) {
	page, most, several := bytesOf(size), int64(0), false
	for _, a := range nodes {
		for _, s := range a.Sizes {
			if s.Name == size {
				most, several = max(most, s.PerNUMA.Int()), several || a.NUMANodes > 1
			}
		}
	}
	if page == 0 || most == 0 || !several || Count(t.HugePages[size], page) <= most {
		return
	}
	p.FindAt(v1alpha1.Warning, "hugePages.pod.numa", path+"."+size,
		fmt.Sprintf("%s: uses %d pages of %s, a NUMA node has %d: the pod's pages lie on several NUMA nodes", t.Name,
			Count(t.HugePages[size], page), size, most),
		"give the node type more huge pages if the pod must keep to one NUMA node (Topology Manager)", kernel)
}
