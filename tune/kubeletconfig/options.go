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
		p := stops(field, "%s %s are for cpuManagerPolicy static alone", field,
			strings.Join(slices.Sorted(maps.Keys(given)), ", "))
		p.Fix = "set cpuManagerPolicy static too, or remove them"
		return append(out, p)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		text, _ := given[name].(string)
		_, err := strconv.ParseBool(text)
		switch {
		case !slices.Contains(cpuOptions, name):
			p := stops(field+"."+name, "%s has no option %q", field, name)
			p.Fix = "write one of " + strings.Join(cpuOptions, ", ")
			out = append(out, p)
		case err != nil:
			p := stops(field+"."+name, "%s %s %q is not true or false", field, name, text)
			p.Fix = `write "true"`
			out = append(out, p)
		}
	}
	if reserved, _ := c.Get("reservedMemory").([]any); c.text("memoryManagerPolicy") == "Static" && len(reserved) == 0 {
		p := stops("memoryManagerPolicy", "memoryManagerPolicy Static needs reservedMemory, by NUMA node as much together "+
			"as the system's reservation and the hard eviction threshold")
		p.Fix = "set reservedMemory, such as [{numaNode: 0, limits: {memory: 1124Mi}}] for 1Gi and 100Mi"
		out = append(out, p)
	}
	return out
}
