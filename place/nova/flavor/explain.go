package flavor

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/place/nova"
)

// does says what the extra specs that choose a place ask for, and with which values.
var does = map[string]string{
	"hw:cpu_policy":                "shared: vCPUs float; dedicated: a CPU each; mixed (nova): some of both",
	"hw:cpu_thread_policy":         "isolate: siblings stay idle; require: whole cores; prefer: those if there are any",
	"hw:cpu_dedicated_mask":        "the vCPUs of a mixed VM that are pinned, as 0-3 or ^0",
	"hw:emulator_threads_policy":   "share: on shared CPUs; isolate: on one CPU more",
	"hw:numa_nodes":                "number of virtual NUMA nodes, over which vCPUs and memory are spread evenly",
	"hw:numa_cpus.N":               "vCPUs of virtual NUMA node N",
	"hw:numa_mem.N":                "memory of virtual NUMA node N in MiB",
	"hw:numa_node.N":               "NUMA node of the host for virtual NUMA node N",
	"hw:numa_mempolicy":            "strict: memory of its own NUMA node; prefer: of another where it is short",
	"hw:mem_page_size":             "small, large, any, or a size: 2MB, 1GB, 2048 (KiB)",
	"hw:pci_numa_affinity_policy":  "required, preferred, legacy or socket: how near devices are",
	"hw:wrs:pci_numa_affinity":     "strict or prefer: on the NUMA node of its devices",
	"hw:wrs:vswitch_numa_affinity": "strict or prefer: on a NUMA node with cores of the vSwitch",
	"hw:wrs:shared_vcpu":           "the vCPU of a dedicated VM that runs on the shared core",
	"pci_passthrough:alias":        "devices by alias, as gpu:2",
}

// Explain says what an extra spec or an image property is for, and which rules know it; ok is false
// for one that none knows. A name that ends with a colon or an underscore lists those that begin so
// and choose a place.
func Explain(name string) (text string, ok bool) {
	list := slices.Concat(keys, props)
	if !strings.HasSuffix(name, ":") && !strings.HasSuffix(name, "_") {
		list = slices.DeleteFunc(list, func(k key) bool { return k.name != name && k.name != withN(name) })
	} else {
		list = slices.DeleteFunc(list, func(k key) bool { return !strings.HasPrefix(k.name, name) || k.idle })
	}
	var out []string
	for _, k := range list {
		out = append(out, k.explain())
	}
	return strings.Join(out, "\n"), len(out) > 0
}

// withN is a name with N in place of its number.
func withN(name string) string {
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return name
	}
	return name[:at] + ".N"
}

func (k key) explain() string {
	var in []string
	for _, rules := range []nova.Rules{nova.HCG40, nova.StarlingX, nova.Nova} {
		if k.in(rules) {
			in = append(in, string(rules))
		}
	}
	what := does[k.name]
	if spec := does["hw:"+strings.TrimPrefix(k.name, "hw_")]; what == "" {
		what = spec
	}
	switch {
	case k.idle:
		what = "chooses no place"
	case what == "" && k.values != "":
		what = strings.ReplaceAll(k.values, "|", ", ")
	}
	text := fmt.Sprintf("%s (%s)", k.name, strings.Join(in, ", "))
	if what != "" {
		text += "\n  " + what
	}
	if k.nearest != "" {
		text += "\n  elsewhere the nearest is " + k.nearest
	}
	return text
}
