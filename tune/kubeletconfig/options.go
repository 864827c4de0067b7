package kubeletconfig

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// cpuOptions are the options of the static CPU Manager that any release knows.
var cpuOptions = []string{"align-by-socket", "distribute-cpus-across-cores", "distribute-cpus-across-numa",
	"full-pcpus-only", "prefer-align-cpus-by-uncorecache", "strict-cpu-reservation"}

// options finds options of the CPU Manager, and a Memory Manager, that the kubelet
// doesn't start with.
func options(c Conf) (out []Problem) {
	const field = "cpuManagerPolicyOptions"
	given, _ := c.Get(field).(map[string]any)
	if len(given) > 0 && c.text("cpuManagerPolicy") != "static" {
		return append(out, stops(field, "set cpuManagerPolicy static too, or remove them",
			"%s %s are for cpuManagerPolicy static alone", field, strings.Join(slices.Sorted(maps.Keys(given)), ", ")))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		text, _ := given[name].(string)
		_, err := strconv.ParseBool(text)
		switch {
		case !slices.Contains(cpuOptions, name):
			out = append(out, stops(field+"."+name, "write one of "+strings.Join(cpuOptions, ", "), "%s has no option %q",
				field, name))
		case err != nil:
			out = append(out, stops(field+"."+name, `write "true"`, "%s %s %q is not true or false", field, name, text))
		}
	}
	if reserved, _ := c.Get("reservedMemory").([]any); c.text("memoryManagerPolicy") == "Static" && len(reserved) == 0 {
		out = append(out, stops("memoryManagerPolicy",
			"set reservedMemory, such as [{numaNode: 0, limits: {memory: 1124Mi}}] for 1Gi and 100Mi",
			"memoryManagerPolicy Static needs reservedMemory, by NUMA node as much together "+
				"as the system's reservation and the hard eviction threshold"))
	}
	return append(out, topologyOptions(c)...)
}

// topologyOptions judges the options of the Topology Manager.
func topologyOptions(c Conf) (out []Problem) {
	const field, closest, most, fewest = "topologyManagerPolicyOptions", "prefer-closest-numa-nodes",
		"max-allowable-numa-nodes", 8
	given, _ := c.Get(field).(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		text, _ := given[name].(string)
		_, notBool := strconv.ParseBool(text)
		n, notNumber := strconv.Atoi(text)
		switch {
		case name != closest && name != most:
			out = append(out, stops(field+"."+name, "write "+closest+" or "+most, "%s has no option %q", field, name))
		case name == closest && notBool != nil:
			out = append(out, stops(field+"."+name, `write "true"`, "%s %s %q is not true or false", field, name, text))
		case name == most && (notNumber != nil || n < fewest):
			out = append(out, stops(field+"."+name, `write "8" or more`, "%s %s %q is not a number of %d or more", field, name,
				text, fewest))
		}
	}
	return out
}
