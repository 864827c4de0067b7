package performance

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
)

// CPUs are those of one purpose.
type CPUs struct {
	CPUs   string `json:"cpus"`
	Number int    `json:"number"`
	For    string `json:"for"`
	From   string `json:"from"`
}

// HugePages are an item of the profile's.
type HugePages struct {
	Size   string `json:"size"`
	Number int64  `json:"number"`
	// Node is the NUMA node; nil for all.
	Node *int64 `json:"node,omitempty"`
	By   string `json:"allocatedBy"`
	From string `json:"from"`
}

// CommandLine are the kernel arguments in order, some twice, on CPUs of one maker.
type CommandLine struct {
	On        string   `json:"on"`
	Arguments []string `json:"arguments"`
}

// Setting is a field of the kubelet's configuration. From is empty where every profile has it.
type Setting struct {
	Field string   `json:"field"`
	Value string   `json:"value"`
	From  []string `json:"from,omitempty"`
}

// File is a file or a unit. From is empty where every profile has it.
type File struct {
	Name  string   `json:"name"`
	Lines int      `json:"lines,omitempty"`
	From  []string `json:"from,omitempty"`
	// Kept is a text that is not reproduced.
	Kept   bool   `json:"kept,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// uses say what the sets of CPUs are for.
var uses = []struct{ field, use string }{
	{"reserved", "the system's services, the kubelet and management; no pod gets one whole"},
	{"isolated", "pods, guaranteed ones alone on theirs; the kernel keeps its own work off"},
	{"shared", "containers that ask for shared CPUs, beside their own"},
	{"ovsDpdk", "Open vSwitch with DPDK; no pods"},
	{"offlined", "nothing: turned off when the node starts"},
}

// tell fills in what people and programs are shown beside the objects.
func (r *Rendering) tell() {
	r.kernelOf()
	r.tellCPUs()
	if h := r.of.Value.Spec.HugePages; h != nil {
		for i, p := range h.Pages {
			by := "kernel argument, when the node starts"
			if p.Node != nil {
				by = "a unit, before the kubelet starts"
			}
			r.HugePages = append(r.HugePages,
				HugePages{p.Size, p.Count, p.Node, by, fmt.Sprintf("spec.hugepages.pages[%d]", i)})
		}
	}
	for _, s := range r.settings {
		k := Setting{Field: s.field, Value: s.value}
		if s.from != "" {
			k.From = strings.Split(s.from, ", ")
		}
		r.Kubelet = append(r.Kubelet, k)
	}
	for _, p := range r.pieces {
		from := slices.Clone(p.from)
		for _, l := range p.lines {
			from = append(from, l.from...)
		}
		slices.Sort(from)
		r.Files = append(r.Files, File{p.name, len(p.lines), slices.Compact(from), p.kind == "kept", p.digest})
	}
	for _, k := range r.Kernel {
		if strings.Contains(k.Argument, "${") {
			r.open = append(r.open, fmt.Sprintf("%s on CPUs of %s, which TuneD works out on the node", k.Argument,
				strings.Join(k.On, ", ")))
		}
	}
}

func (r *Rendering) tellCPUs() {
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
		r.CPUs = append(r.CPUs, CPUs{set.String(), set.Len(), u.use, "spec.cpu." + u.field})
	}
	if !left.IsEmpty() {
		r.CPUs = append(r.CPUs, CPUs{left.String(), left.Len(), "pods, and the kernel's own work as well", "in no set"})
	}
}

// unseen names what of the cluster decides and is not among the objects.
func (r *Rendering) unseen(a *around) (out []string) {
	h := &r.of.Value.Spec
	if r.Pool == "" {
		out = append(out, "the MachineConfigPool of the nodes, without which the operator makes nothing of the profile")
	}
	if r.nodes == 0 {
		out = append(out, "the nodes, whose CPUs the kernel arguments depend on")
	}
	if !a.infrastructure {
		out = append(out, "the Infrastructure with its status, which says whether workloads are partitioned")
	}
	if !a.runtimes && !a.unconfigured(r.Pool) && within(r.values.release, "", "4.17") {
		out = append(out, "the ContainerRuntimeConfigs, which say whether containers run with runc or crun (where there "+
			"are none, the MachineConfigPool as the cluster has it says so)")
	}
	if !a.gates && h.WorkloadHints.MixedCPUs && h.CPU.Shared != "" && sharedJudged.In(r.values.release) {
		out = append(out, "the FeatureGate, which says whether containers may share CPUs")
	}
	return out
}

// unconfigured says whether a pool of a cluster names the MachineConfigs that its nodes have, and none of them becomes
// of a ContainerRuntimeConfig.
func (a *around) unconfigured(pool string) bool {
	return slices.ContainsFunc(a.pools, func(p openshift.MachineConfigPool) bool {
		of := p.Spec.Configuration.Source
		return p.Metadata.Name == pool && len(of) > 0 && !slices.ContainsFunc(of, func(c map[string]any) bool {
			return strings.Contains(fmt.Sprint(c["name"]), "containerruntime")
		})
	})
}
