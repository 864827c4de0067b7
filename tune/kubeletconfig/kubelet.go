package kubeletconfig

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/facts"
	"plimsoll.dev/unit"
)

// Pods is the number of pods that a node of so many cores takes: maxPods, or
// podsPerCore times the cores if that is set and less.
func (c Conf) Pods(cores int) int {
	most := int(c.int("maxPods"))
	if most == 0 { // not set, as for the kubelet
		most = int(facts.Load().Must("k8s.kubelet.maxPods").Number)
	}
	if perCore := int(c.int("podsPerCore")); perCore > 0 {
		return min(perCore*cores, most)
	}
	return most
}

// judge finds what the kubelet itself says to a configuration that the operator
// let through. Only fields that the KubeletConfig touches are judged; the template
// is sound.
func judge(r Rendered, cr *openshift.KubeletConfig, f *openshift.FeatureGate) (out []Problem) {
	out = append(out, negatives(r.Conf)...)
	out = append(out, choices(r.Conf)...)
	out = append(out, managers(r)...)
	out = append(out, options(r.Conf)...)
	out = append(out, enforcement(r.Conf)...)
	of, from := r.Conf.release, r.Conf.tree
	if !operatorChecksEvictionSoft.In(of) {
		out = append(out, softThresholds(from, "the kubelet doesn't start")...)
	}
	if !operatorChecksReserved.In(of) {
		out = append(out, reservedQuantities(newReading(of, cr.Spec.KubeletConfig).from, "the kubelet doesn't start")...)
	}
	return append(out, pods(r.Conf)...)
}

func stops(field, format string, args ...any) Problem {
	return Problem{Rule: kubeletStops, Path: inConfig(field),
		What: fmt.Sprintf(format, args...) + ": the kubelet doesn't start"}
}

// negatives finds numbers and durations below their least value.
func negatives(c Conf) (out []Problem) {
	for _, field := range []string{"maxPods", "podsPerCore", "kubeAPIQPS", "kubeAPIBurst", "registryPullQPS",
		"registryBurst", "eventRecordQPS", "eventBurst", "maxOpenFiles"} {
		if n := c.int(field); n < 0 {
			p := stops(field, "%s %d is negative", field, n)
			p.Fix = "write 0 or more"
			out = append(out, p)
		}
	}
	high, low := c.Get("imageGCHighThresholdPercent"), c.Get("imageGCLowThresholdPercent")
	h, l := int64(85), int64(80)
	if high != nil {
		h = high.(int64)
	}
	if low != nil {
		l = low.(int64)
	}
	if l >= h {
		p := stops("imageGCLowThresholdPercent", "imageGCLowThresholdPercent %d is not below imageGCHighThresholdPercent %d",
			l, h)
		p.Fix = "write a lower one, such as " + fmt.Sprint(max(0, h-5))
		out = append(out, p)
	}
	return out
}

// policies are the values that a field takes; empty is its default.
var policies = []struct {
	field  string
	values []string
}{
	{"cpuManagerPolicy", []string{"none", "static"}},
	{"topologyManagerPolicy", []string{"none", "best-effort", "restricted", "single-numa-node"}},
	{"topologyManagerScope", []string{"container", "pod"}},
	{"memoryManagerPolicy", []string{"None", "Static"}},
	{"hairpinMode", []string{"none", "hairpin-veth", "promiscuous-bridge"}},
}

func choices(c Conf) (out []Problem) {
	for _, w := range policies {
		if v := c.text(w.field); v != "" && !slices.Contains(w.values, v) {
			p := stops(w.field, "%s %q is not %s", w.field, v, strings.Join(w.values, ", "))
			p.Fix = "write " + w.values[len(w.values)-1]
			out = append(out, p)
		}
	}
	return out
}

// managers judges the CPU Manager and the Topology Manager.
func managers(r Rendered) (out []Problem) {
	c := r.Conf
	static := c.text("cpuManagerPolicy") == "static"
	policy := c.text("topologyManagerPolicy")
	aligned := policy != "" && policy != "none"
	gate, _ := c.Get("featureGates.TopologyManager").(bool)
	if aligned && !gate && topologyNeedsGate.In(c.release) {
		out = append(out, Problem{Rule: topologyGate, Path: inConfig("topologyManagerPolicy"),
			What: fmt.Sprintf("topologyManagerPolicy %s needs the feature gate TopologyManager in %v: "+
				"without it the kubelet doesn't start", policy, c.release),
			Fix: "set featureSet LatencySensitive in the FeatureGate cluster first"})
	}
	if aligned && !static {
		out = append(out, Problem{Rule: topologyAlone, Path: inConfig("topologyManagerPolicy"),
			What: fmt.Sprintf("topologyManagerPolicy %s aligns no CPUs without the static CPU Manager", policy),
			Fix:  "set cpuManagerPolicy static too"})
	}
	if static && c.text("reservedSystemCPUs") == "" && reservedCPU(r).Sign() <= 0 {
		out = append(out, Problem{Rule: staticUnreserved, Path: inConfig("cpuManagerPolicy"),
			What: "cpuManagerPolicy static needs CPU that is kept back for the system, and none is: the kubelet doesn't start",
			Fix:  "set systemReserved cpu, such as 500m, or reservedSystemCPUs"})
	}
	if text := c.text("reservedSystemCPUs"); text != "" {
		if _, err := unit.ParseCPUSet(text); err != nil {
			p := stops("reservedSystemCPUs", "reservedSystemCPUs %q is not a list of CPUs", text)
			p.Fix = "write it like 0-3,8"
			out = append(out, p)
		}
	}
	return out
}

// reservedCPU is the CPU that is kept back for the system and Kubernetes.
func reservedCPU(r Rendered) *resource.Quantity {
	sum := resource.Quantity{}
	texts := []string{r.Conf.text("systemReserved.cpu"), r.Conf.text("kubeReserved.cpu")}
	if reservedInFile.In(r.Conf.release) {
		texts[0] = sizingUsual[1]
		for _, f := range r.Files {
			if _, rest, ok := strings.Cut(f.Text, "SYSTEM_RESERVED_CPU="); ok {
				texts[0], _, _ = strings.Cut(rest, "\n")
			}
		}
	}
	for _, t := range texts {
		if q, err := unit.ParseQuantity(t); err == nil {
			sum.Add(q)
		}
	}
	return &sum
}

// enforcement finds reservations that are enforced without a cgroup, or twice.
func enforcement(c Conf) (out []Problem) {
	ways, _ := c.Get("enforceNodeAllocatable").([]any)
	if slices.ContainsFunc(ways, enforcesSystem) && c.text("systemReservedCgroup") == "" {
		p := stops("enforceNodeAllocatable",
			"enforceNodeAllocatable enforces the system's reservation, and systemReservedCgroup is not set")
		p.Fix = "set systemReservedCgroup, or enforce pods alone"
		out = append(out, p)
	}
	for _, cgroup := range []string{"systemReservedCgroup", "kubeReservedCgroup"} {
		if c.text("reservedSystemCPUs") != "" && c.text(cgroup) != "" {
			p := stops("reservedSystemCPUs", "reservedSystemCPUs and %s can't be used together", cgroup)
			p.Fix = "remove one of them"
			out = append(out, p)
		}
	}
	return out
}

// pods finds pod limits that say more than they do.
func pods(c Conf) (out []Problem) {
	most, perCore := c.int("maxPods"), c.int("podsPerCore")
	if perCore > 0 && perCore > most {
		out = append(out, Problem{Rule: podsPerCoreAbove, Path: inConfig("podsPerCore"),
			What: fmt.Sprintf("podsPerCore %d exceeds maxPods %d: already a node of one core is limited by maxPods", perCore,
				most), Fix: "raise maxPods, or lower podsPerCore"})
	}
	if most > testedPods(c.release) {
		out = append(out, Problem{Rule: podsAboveTested, Path: inConfig("maxPods"),
			What: fmt.Sprintf("maxPods %d is more than the %d pods a node that have been tested", most, testedPods(c.release)),
			Fix:  fmt.Sprintf("write at most %d", testedPods(c.release))})
	}
	return out
}
