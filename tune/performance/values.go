package performance

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/selector"
	"plimsoll.dev/unit"
)

// take fills the values that the data asks for.
func (r *Rendering) take(a *around, poolLabels map[string]string) {
	s, v := &r.of.Value.Spec, r.values
	h, notes := &s.WorkloadHints, r.of.Value.Metadata.Annotations
	dpdk := r.cpus["ovsDpdk"]
	isolated := r.cpus["isolated"].Union(dpdk)
	v.set("name", true, r.Profile)
	v.set("isolated", true, isolated.String())
	if !isolatedPacked.In(v.release) {
		v.by["isolated"] = *s.CPU.Isolated
	}
	v.set("reserved", true, *s.CPU.Reserved)
	v.set("rpsMask", true, mask(r.cpus["reserved"], true))
	v.set("static", s.CPU.BalanceIsolated != nil && !*s.CPU.BalanceIsolated)
	v.set("irqOff", s.GloballyDisableIrqLoadBalancing)
	v.set("realTime", h.RealTime == nil || *h.RealTime)
	v.set("highPower", h.HighPowerConsumption)
	v.set("perPodPower", h.PerPodPowerManagement)
	v.set("args", len(s.AdditionalKernelArgs) > 0, strings.Join(s.AdditionalKernelArgs, " "))
	v.set("execAffinity", notes["performance.openshift.io/exec-cpu-affinity"] != "disable")
	v.set("pinned", a.pinned)
	v.set("mixed", mixes(a, &r.of.Value, v.release))
	v.set("shared", true, s.CPU.Shared)
	v.set("offlined", r.of.Tree.Has("spec.cpu.offlined"), each(r.cpus["offlined"]))
	v.set("ovsDpdk", !dpdk.IsEmpty(), s.CPU.OVSDPDK)
	v.set("dpdkMask", true, mask(dpdk, false))
	v.set("irqCPUs", true, isolated.Union(r.cpus["reserved"]).Union(r.cpus["shared"]).Minus(dpdk).String())
	v.set("crun", slices.ContainsFunc(a.crun, func(l *openshift.LabelSelector) bool {
		return l != nil && selector.Selects(l, poolLabels)
	}))
	v.set("rps", r.rps(notes["performance.openshift.io/enable-rps"]))
	v.set("physicalRPS", notes["performance.openshift.io/enable-physical-dev-rps"] == "true")
	v.set("net", s.Net.UserLevelNetworking || conntrackHash.In(v.release), r.net())
	if t := s.HardwareTuning; frequenciesJudged.In(v.release) && t != nil { // with both, or it was refused
		v.set("frequencies", true, frequencies(isolated, *t.IsolatedCPUFreq), "\n",
			frequencies(r.cpus["reserved"], *t.ReservedCPUFreq))
	}
	r.takePages()
}

// mixes says whether containers may use shared CPUs.
func mixes(a *around, p *openshift.PerformanceProfile, r release.Release) bool {
	return a.mixed && p.Spec.WorkloadHints.MixedCPUs && p.Spec.CPU.Shared != "" && sharedJudged.In(r)
}

// rps says whether packets of virtual devices are spread over the reserved CPUs.
func (r *Rendering) rps(asked string) bool {
	_, realTime := r.values.by["realTime"]
	switch rpsBy.In(r.values.release) {
	case "by true alone":
		return asked == "true" || asked == "enable"
	case "for real time unless false":
		return asked == "true" || asked != "false" && realTime
	}
	return asked == "true" || realTime
}

// takePages takes huge pages apart: those of a NUMA node are allocated by a unit, the others by kernel arguments. So
// that there are files of 2M for the units, the kernel is asked for none of them where its default is 1G.
func (r *Rendering) takePages() {
	h := r.of.Value.Spec.HugePages
	if h == nil {
		return
	}
	var words []string
	size := ""
	if h.DefaultHugepagesSize != nil {
		size = *h.DefaultHugepagesSize
		r.values.set("pageSize", true, size)
	}
	onNodes, everywhere := false, false
	for _, p := range h.Pages {
		if p.Node == nil {
			words = append(words, "hugepagesz="+p.Size, "hugepages="+strconv.FormatInt(p.Count, 10))
			everywhere = everywhere || p.Size == "2M"
			continue
		}
		onNodes = onNodes || p.Size == "2M"
		bytes, _ := unit.ParseQuantity(strings.ToUpper(p.Size) + "i")
		r.values.pages = append(r.values.pages, map[string]string{"kB": strconv.FormatInt(bytes.Value()>>10, 10),
			"count": strconv.FormatInt(p.Count, 10), "node": strconv.FormatInt(*p.Node, 10)})
	}
	if onNodes && !everywhere && size == "1G" {
		words = append(words, "hugepagesz=2M", "hugepages=0")
	}
	r.values.set("pages", true, strings.Join(words, " "))
}

// net are the sections of network devices, which get as many queues as there are reserved CPUs.
func (r *Rendering) net() string {
	n := &r.of.Value.Spec.Net
	var tail []string
	if n.UserLevelNetworking {
		tail = append(tail, fmt.Sprintf("channels=combined %d", r.cpus["reserved"].Len()))
	}
	if conntrackHash.In(r.values.release) {
		tail = append(tail, "nf_conntrack_hashsize=131072")
	}
	if !n.UserLevelNetworking || len(n.Devices) == 0 {
		return strings.Join(append([]string{"[net]"}, tail...), "\n")
	}
	var out []string
	for i, d := range n.Devices {
		var asked []string
		if d.DeviceID != nil {
			asked = append(asked, "^ID_MODEL_ID="+*d.DeviceID)
		}
		if d.VendorID != nil {
			asked = append(asked, "^ID_VENDOR_ID="+*d.VendorID)
		}
		if d.InterfaceName != nil {
			name := strings.ReplaceAll(*d.InterfaceName, "*", ".*")
			if not, ok := strings.CutPrefix(name, "!"); ok {
				name = "(?!" + not + ")"
			}
			asked = append(asked, "^INTERFACE="+name)
		}
		section := "[net]"
		if i > 0 {
			section = fmt.Sprintf("[net_%d]", i)
		}
		out = append(append(out, section, "type=net", "devices_udev_regex="+strings.Join(asked, `[\s\S]*`)), tail...)
	}
	return strings.Join(out, "\n")
}

// frequencies sets the highest frequency of CPUs.
func frequencies(cpus unit.CPUSet, kHz int64) string {
	var out []string
	for c := range cpus.All() {
		out = append(out, fmt.Sprintf("/sys/devices/system/cpu/cpufreq/policy%d/scaling_max_freq=%d", c, kHz))
	}
	return strings.Join(out, "\n")
}

// each is a list of CPUs without ranges.
func each(cpus unit.CPUSet) string {
	var out []string
	for c := range cpus.All() {
		out = append(out, strconv.Itoa(c))
	}
	return strings.Join(out, ",")
}

// mask is a set as a hexadecimal number, in words of 32 bits where it is for the kernel.
func mask(cpus unit.CPUSet, words bool) string {
	n := new(big.Int)
	for c := range cpus.All() {
		n.SetBit(n, c, 1)
	}
	text := fmt.Sprintf("%x", n)
	if !words {
		return text
	}
	text = strings.Repeat("0", (8-len(text)%8)%8) + text
	var out []string
	for part := range slices.Chunk([]byte(text), 8) {
		out = append(out, string(part))
	}
	return strings.Join(out, ",")
}
