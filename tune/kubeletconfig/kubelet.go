package kubeletconfig

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/facts"
	"plimsoll.dev/tune/pool"
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
	for _, judged := range []func(Conf) []Problem{numbers, durations, choices, enforcement, evictions, texts, taints,
		pairs, partial} {
		out = append(out, judged(r.Conf)...)
	}
	out = append(out, reservedMemory(r)...)
	out = append(out, managers(r)...)
	out = append(out, options(r.Conf)...)
	out = append(out, gates(r.Conf, cr)...)
	of, from := r.Conf.release, r.Conf.tree
	if !operatorChecksEvictionSoft.In(of) {
		out = append(out, softThresholds(from, "the kubelet doesn't start", "0%", "100%")...)
	}
	if !operatorChecksReserved.In(of) {
		out = append(out, reservedQuantities(newReading(of, cr.Spec.KubeletConfig).from, "the kubelet doesn't start")...)
	}
	return append(out, pods(r.Conf)...)
}

// stops is a value of a field that the kubelet doesn't start with, and what would be right.
func stops(field, fix, format string, args ...any) Problem {
	return Problem{Rule: kubeletStops, Path: inConfig(field),
		What: fmt.Sprintf(format, args...) + ": the kubelet doesn't start", Fix: fix}
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
	if cpu, _ := reserved(r, 1); static && c.text("reservedSystemCPUs") == "" && cpu.Sign() <= 0 {
		out = append(out, Problem{Rule: staticUnreserved, Path: inConfig("cpuManagerPolicy"),
			What: "cpuManagerPolicy static needs CPU that is kept back for the system, and none is: the kubelet doesn't start",
			Fix:  "set systemReserved cpu, such as 500m, or reservedSystemCPUs"})
	}
	if text := c.text("reservedSystemCPUs"); text != "" {
		if _, err := unit.ParseCPUSet(text); err != nil {
			out = append(out, stops("reservedSystemCPUs", "write it like 0-3,8", "reservedSystemCPUs %q is not a list of CPUs",
				text))
		}
	}
	return out
}

// reserved is what is kept back for the system and Kubernetes of one of sizing, and whether that is known: nodes may
// work it out themselves, those of the control plane where they are told to alone.
func reserved(r Rendered, i int) (sum resource.Quantity, known bool) {
	texts := []string{r.Conf.text("systemReserved." + sizing[i]), r.Conf.text("kubeReserved." + sizing[i])}
	known = true
	if reservedInFile.In(r.Conf.release) {
		texts[0], known = sizingUsual[i], controlPlane(r.pool) || !sizedByNodes.In(r.Conf.release)
		for _, f := range r.Files {
			if _, rest, ok := strings.Cut(f.Text, "SYSTEM_RESERVED_"+sizingNames[i]+"="); ok {
				texts[0], _, _ = strings.Cut(rest, "\n")
				known = !strings.Contains(f.Text, "=true")
			}
		}
	}
	for _, t := range texts {
		if q, err := unit.ParseQuantity(t); err == nil {
			sum.Add(q)
		}
	}
	return sum, known
}

// fencedMemory is what nodes keep back beyond the usual if they are the two of a control plane with fencing, which
// nothing here tells.
func fencedMemory(r Rendered) (more resource.Quantity) {
	told := slices.ContainsFunc(r.Files, func(f File) bool { return f.Path == sizingPath })
	if r.pool == pool.Master && fencedKeepMore.In(r.Conf.release) && !told {
		more = resource.MustParse("512Mi")
	}
	return more
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
