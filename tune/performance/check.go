// Package performance knows PerformanceProfiles: what the Node Tuning Operator refuses of
// one, and what it makes of one, release by release.
//
// It also makes the Tuned, KubeletConfig, MachineConfig and RuntimeClass that the operator
// makes of one, since 4.14: what these hold is data, which says of each line in which
// releases it is and which field it comes from.
//
// It knows no types and fields, which package crd does, nor what the objects come to: the
// packages beside it do.
//
//	found := performance.Check(objects, release.Current)
//	made := performance.Render(objects, release.Current)
package performance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/unit"
)

// checker judges one profile.
type checker struct {
	object.Typed[openshift.PerformanceProfile]
	release release.Release
	// arch of the nodes that the profile selects; empty where none is known.
	arch  string
	found []v1alpha1.Finding
}

// Check judges PerformanceProfiles as the operator of a release does. Nodes among the
// objects that a profile selects say which sizes of pages there are.
func Check(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	profiles, found := object.All[openshift.PerformanceProfile](objects, "PerformanceProfile")
	if len(profiles) == 0 {
		return found
	}
	a := see(objects)
	for i, p := range profiles {
		c := &checker{Typed: p, release: r}
		c.cpus()
		c.selectors()
		c.same(profiles[:i])
		c.nodes(a.nodes)
		c.kernelPages()
		c.hugePages()
		c.devices()
		c.hints()
		c.others()
		c.kubelet(&a)
		c.pool(&a)
		c.onNodes(&a)
		c.notes()
		c.arguments(&a)
		found = append(found, c.found...)
	}
	return found
}

// refused ends what is wrong.
const refused = ": the operator refuses the profile"

func (c *checker) bad(r object.Rule, path, what, fix string) {
	c.found = append(c.found, c.Finding(r, path, what+refused, fix))
}

// cpus judges the sets of CPUs, those of the two that there must be, and that no CPU is in two. Sets that a release
// doesn't know are dropped before the operator sees them.
func (c *checker) cpus() {
	cpu := &c.Value.Spec.CPU
	type set struct {
		name string
		cpus unit.CPUSet
	}
	var sets []set
	read := func(name, text string) {
		cpus, err := unit.ParseCPUSet(text)
		at := "spec.cpu." + name
		switch n := c.Tree.Node(at); {
		case n != nil && n.Kind != yamlpos.Text: // of which the decoder tells
		case errors.Is(err, unit.ErrBeyond):
			c.found = append(c.found, c.Finding(cpusBeyond, at, fmt.Sprintf("%s: %v in Plimsoll: what the operator does "+
				"with it isn't known here", name, err), "leave out the CPUs above to see what becomes of the others"))
		case err != nil || strings.Contains(text, " "):
			c.bad(badCPUs, at, fmt.Sprintf("%s: %q is no list of CPUs", name, yamlpos.Shorten(text)),
				"write it like 0-3,8, without blanks")
		case cpus.IsEmpty() && (name == "reserved" || name == "isolated"):
			c.bad(badCPUs, at, name+" holds no CPU", "write a list such as 0-3,8")
		default:
			sets = append(sets, set{name, cpus})
		}
	}
	if n := c.Tree.Node("spec"); n == nil || n.Kind == yamlpos.Null {
		c.bad(badCPUs, "spec", "the profile has no spec", "write spec.cpu with reserved and isolated, and spec.nodeSelector")
	}
	if !complete(&c.Value) {
		return
	}
	read("reserved", *cpu.Reserved)
	read("isolated", *cpu.Isolated)
	read("offlined", cpu.Offlined)
	if sharedJudged.In(c.release) {
		read("shared", cpu.Shared)
	}
	if dpdkJudged.In(c.release) {
		read("ovsDpdk", cpu.OVSDPDK)
	}
	for i, s := range sets {
		for _, before := range sets[:i] {
			if both := s.cpus.Intersect(before.cpus); !both.IsEmpty() {
				c.bad(overlap, "spec.cpu."+s.name, fmt.Sprintf("CPUs %s are %s and %s", both, before.name, s.name),
					"leave them in one of the two")
			}
		}
	}
}

// selectors judges the labels that say which nodes it is for.
func (c *checker) selectors() {
	s := &c.Value.Spec
	for _, l := range []struct {
		name   string
		labels map[string]string
	}{{"machineConfigLabel", s.MachineConfigLabel}, {"machineConfigPoolSelector", s.MachineConfigPoolSelector},
		{"nodeSelector", s.NodeSelector}} {
		if len(l.labels) > 1 {
			c.bad(badSelector, "spec."+l.name, fmt.Sprintf("%s has %d labels", l.name, len(l.labels)), "leave one")
		}
	}
	told := s.MachineConfigLabel != nil && s.MachineConfigPoolSelector != nil
	if told || s.NodeSelector == nil || len(s.NodeSelector) > 1 {
		return
	}
	for key := range s.NodeSelector {
		if strings.Count(key, "/") == 1 {
			return
		}
	}
	c.bad(badSelector, "spec.nodeSelector", "nodeSelector names no role, and machineConfigLabel and "+
		"machineConfigPoolSelector are not both there to say it",
		`write a label with a domain, such as node-role.kubernetes.io/worker-cnf: ""`)
}

// same finds a profile before this one that is for the same nodes.
func (c *checker) same(before []object.Typed[openshift.PerformanceProfile]) {
	for _, p := range before {
		selector := p.Value.Spec.NodeSelector
		if p.Name != c.Name && len(selector) > 0 && maps.Equal(selector, c.Value.Spec.NodeSelector) {
			c.bad(sameNodes, "spec.nodeSelector", fmt.Sprintf("%s has this node selector, too", p.Name),
				"make one profile of the two, or select other nodes")
		}
	}
}

// nodes judges whether the nodes are alike, and takes their architecture. Manifests of nodes, which have no status, say
// neither.
func (c *checker) nodes(all []object.Typed[openshift.Node]) {
	if !byArchitecture.In(c.release) {
		c.arch = amd64
		return
	}
	var first *openshift.Node
	for i := range all {
		n := &all[i].Value
		if !carries(n.Metadata.Labels, c.Value.Spec.NodeSelector) || n.Status.NodeInfo.Architecture == "" ||
			pool.CPUs(n) == 0 {
			continue
		}
		if first == nil {
			first, c.arch = n, n.Status.NodeInfo.Architecture
			continue
		}
		for _, d := range [][3]string{{"architecture", first.Status.NodeInfo.Architecture, n.Status.NodeInfo.Architecture},
			{"number of CPUs", strconv.Itoa(pool.CPUs(first)), strconv.Itoa(pool.CPUs(n))}} {
			if d[1] != d[2] {
				c.bad(unlikeNodes, "spec.nodeSelector", fmt.Sprintf("of the nodes that it selects, %s has the %s %s, and %s %s",
					first.Metadata.Name, d[0], d[1], n.Metadata.Name, d[2]), "make a profile, and a pool, of each kind of nodes")
				return
			}
		}
	}
}

// carries says whether labels have all that a selector asks for.
func carries(labels, selector map[string]string) bool {
	for key, value := range selector {
		if v, ok := labels[key]; !ok || v != value {
			return false
		}
	}
	return true
}

// others judges what stands by itself: the topology policy and the frequencies.
func (c *checker) others() {
	policies := []string{"none", "best-effort", "restricted", "single-numa-node"}
	if p := c.Value.Spec.NUMA.TopologyPolicy; p != nil && !slices.Contains(policies, *p) {
		c.bad(badPolicy, "spec.numa.topologyPolicy", fmt.Sprintf("there is no topology policy %q", yamlpos.Shorten(*p)),
			"write none, best-effort, restricted or single-numa-node")
	}
	h := c.Value.Spec.HardwareTuning
	if h == nil || !frequenciesJudged.In(c.release) {
		return
	}
	if h.IsolatedCPUFreq == nil || h.ReservedCPUFreq == nil {
		c.bad(badFrequency, "spec.hardwareTuning", "hardwareTuning has not both frequencies",
			"write isolatedCpuFreq and reservedCpuFreq, in kHz")
		return
	}
	for name, f := range map[string]int64{"isolatedCpuFreq": *h.IsolatedCPUFreq, "reservedCpuFreq": *h.ReservedCPUFreq} {
		if f == 0 {
			c.bad(badFrequency, "spec.hardwareTuning."+name, name+" is 0", "write a frequency in kHz, such as 2500000")
		}
	}
}
