package scenario

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/strict"
	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/unit"
)

// Releases from which the second form of autoSizingReserved holds, for CPU and
// for memory (the conditions of ocp.autoReserved.current).
const (
	secondFormCPU    = "4.17"
	secondFormMemory = "4.21"
)

// autoSizing is on by default for the workers of new clusters, from the release on that
// the catalogue names.
func autoSizing(s *v1alpha1.Scenario) strict.Rule {
	return func(parent any) (any, string, string) {
		t, since := parent.(*v1alpha1.NodeType), facts.Load().Must("ocp.autoReserved.defaultSince")
		if s.Platform.Type != openshift || t.Role != "worker" || t.SystemReserved != nil || s.Workload.Snapshot != "" ||
			!later(s.Platform.Release, since.Text) {
			return nil, "", ""
		}
		return true, since.ID, ""
	}
}

// autoSized is what a node type with autoSizingReserved keeps for the system.
func autoSized(s *v1alpha1.Scenario) strict.Rule {
	return func(parent any) (any, string, string) {
		t := parent.(*v1alpha1.NodeType)
		if !t.AutoSizingReserved || t.CPUs <= 0 || t.Memory <= 0 {
			return nil, "", ""
		}
		cpu, memory := sizingForm(s.Platform.Release).Keep(t.CPUs, t.Memory)
		fact := "ocp.autoReserved.cpuFirstCore"
		if later(s.Platform.Release, secondFormCPU) {
			fact = "ocp.autoReserved.current.cpuFurtherCore"
		}
		return &v1alpha1.Reserved{CPU: cpu, Memory: memory}, fact, "autoSizingReserved, by the rule of the release"
	}
}

// sizingForm is the rule of a release, with the figures of the catalogue.
func sizingForm(release string) kubelet.AutoSizing {
	c := facts.Load()
	share := func(name string) int64 { return int64(c.Must("ocp.autoReserved."+name).Number*tenThousand + 0.5) }
	f := kubelet.AutoSizing{
		Memory: []kubelet.Tier{{Width: 4, Share: share("memoryFirst4GiB")}, {Width: 4, Share: share("memoryNext4GiB")},
			{Width: 8, Share: share("memoryNext8GiB")},
			{Width: 112, Share: share("memoryNext112GiB")}, {Share: share("memoryBeyond")}},
		CPU: []kubelet.Tier{{Width: 1, Share: share("cpuFirstCore")}, {Width: 1, Share: share("cpuSecondCore")},
			{Width: 2, Share: share("cpuNext2Cores")}, {Share: share("cpuBeyond")}},
	}
	if later(release, secondFormCPU) {
		f.CPU = []kubelet.Tier{{Width: 1, Share: share("current.cpuFirstCore")}, {Share: share("current.cpuFurtherCore")}}
		f.CPUStep, f.CPUMin = 10, unit.CPU(c.Must("ocp.autoReserved.current.cpuMin").Number)
	}
	if later(release, secondFormMemory) {
		base := int64(c.Must("ocp.autoReserved.current.memoryBase").Number / float64(unit.GiB) * tenThousand)
		f.Memory = []kubelet.Tier{{Width: 8, Fixed: base},
			{Width: 120, Share: share("current.memoryNext120GiB"), Counted: 112}, {Share: share("current.memoryBeyond")}}
	}
	return f
}

// tenThousand is the scale of package kubelet's shares.
const tenThousand = 10000

// later says whether a release is that one or a later one.
func later(release, than string) bool { return facts.CompareReleases(release, than) >= 0 }
