package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
)

// cloudRemedies are those of clouds that name what to set.
var cloudRemedies = []remedy{
	says(`(?:no \w+ \()?(hw:[\w:]+)=(\w+)\)?(?: without the keys that are numbered by node)? in the flavor (\w+)`,
		func(s map[string]any, said []string) {
			within(named(s, "workload", "flavors", said[3]), "properties")[said[1]] = said[2]
		}),
	says(`(\d+) vCPUs? instead of \d+ in the flavor (\w+)`, func(s map[string]any, said []string) {
		named(s, "workload", "flavors", said[2])["vcpus"] = value(said[1])
	}),
	says(`(\d+) (\w)iB of memory instead of \S+ \w+ in the flavor (\w+)`, func(s map[string]any, said []string) {
		named(s, "workload", "flavors", said[3])["ram"] = said[1] + said[2] + "i"
	}),
	says(`compute\.(\w+): \[(\d+), (\d+)\] of the node type (\w+)`, func(s map[string]any, said []string) {
		within(nodeType(s, said[4]), "compute")[said[1]] = []any{value(said[2]), value(said[3])}
	}),
	says(`(\S+) in place of \S+ in the server group (\w+)`, func(s map[string]any, said []string) {
		named(s, "workload", "serverGroups", said[2])["policy"] = said[1]
	}),
	says(`the availability zone (\S+) for (\w+)`, func(s map[string]any, said []string) {
		named(s, "workload", "servers", said[2])["availabilityZone"] = said[1]
	}),
	says(`no availability zone for (\w+)`, func(s map[string]any, said []string) {
		delete(named(s, "workload", "servers", said[1]), "availabilityZone")
	}),
	says(`set policy\.(\w+) to (\w+)`,
		func(s map[string]any, said []string) { within(s, "policy")[said[1]] = value(said[2]) }),
	says(`take larger hosts than (\w+), such as some of (.*?) and (\d+Gi)`, func(s map[string]any, said []string) {
		nodeType(s, said[1])["topology"], nodeType(s, said[1])["memory"] = said[2], said[3]
	}),
	says(`take larger hosts: all holds on those with twice the cores and memory`, func(s map[string]any, _ []string) {
		t := nodeType(s, "cmp")
		var sockets, cores, memory int
		_, _ = fmt.Sscanf(t["topology"].(string), "%d sockets x %d cores", &sockets, &cores)
		_, _ = fmt.Sscanf(t["memory"].(string), "%dGi", &memory)
		t["topology"] = strings.Replace(t["topology"].(string), fmt.Sprint(cores, " cores"), fmt.Sprint(2*cores, " cores"), 1)
		t["memory"] = fmt.Sprint(2*memory, "Gi")
	}),
	says(`give (\w+) a disk of ([\d.]+) ([GT])B of use local`, func(s map[string]any, said []string) {
		for _, d := range nodeType(s, said[1])["disks"].([]any) {
			if d := d.(map[string]any); d["use"] == "local" {
				d["size"] = said[2] + said[3]
			}
		}
	}),
	says(`give the NIC (\w+) of (\w+) (\d+) virtual functions`, func(s map[string]any, said []string) {
		for _, n := range nodeType(s, said[2])["nics"].([]any) {
			if n := n.(map[string]any); n["name"] == said[1] {
				n["virtualFunctions"] = value(said[3])
			}
		}
	}),
	says(`take (\d+) hosts(?:: then all holds(?:; with .*)?)?`, func(s map[string]any, said []string) {
		nodeType(s, "cmp")["count"] = value(said[1])
	}),
	says(`place with (?:scheduling\.(\w+): (\w+)|the largest VMs first.*|hostStrategy and numaStrategy: pack and .*)`+
		`: then all holds on (\d+) hosts`, func(s map[string]any, said []string) {
		if said[1] != "" {
			within(s, "scheduling")[said[1]] = said[2]
		} else {
			within(s, "scheduling")["order"] = "largestFirst"
		}
		if strings.Contains(said[0], "and numaStrategy") {
			within(s, "scheduling")["hostStrategy"], within(s, "scheduling")["numaStrategy"] = "pack", "pack"
		}
		nodeType(s, "cmp")["count"] = value(said[3])
	}),
	says(`^take (\d+)(?: or \d+)?$`,
		func(s map[string]any, said []string) { nodeType(s, "storage")["count"] = value(said[1]) }),
	says(`^give it one disk of ([\d.]+) ([GT])B for volumes(?:, or .*)?`, func(s map[string]any, said []string) {
		t := nodeType(s, "controller")
		kept := []any{map[string]any{"use": "lvm", "size": said[1] + said[2], "media": "ssd"}}
		for _, d := range t["disks"].([]any) {
			if d.(map[string]any)["use"] != "lvm" {
				kept = append(kept, d)
			}
		}
		t["disks"] = kept
	}),
}

// named is the entry of a list of a section that has a name.
func named(s map[string]any, section, list, name string) map[string]any {
	for _, t := range within(s, section)[list].([]any) {
		if t := t.(map[string]any); t["name"] == name {
			return t
		}
	}
	return map[string]any{}
}

// crampedCloud draws a small cloud of VMs of which some may find no host.
func crampedCloud(t *rapid.T) map[string]any {
	pick := func(label string, list ...any) any { return rapid.SampledFrom(list).Draw(t, label) }
	likely := func(label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 0 }
	host := map[string]any{"name": "cmp", "memory": pick("memory", "64Gi", "128Gi"),
		"topology": pick("topology", "2 sockets x 8 cores", "2 sockets x 8 cores x 2 threads"),
		"disks": []any{map[string]any{"use": "system", "size": "240G", "media": "ssd"},
			map[string]any{"use": "local", "size": "960G", "media": "ssd"}},
		"nics": []any{map[string]any{"name": "d0", "use": "data", "speed": "25G", "numaNode": pick("node", 0, 1), "count": 2,
			"physicalNetworks": []any{"prov"}},
			map[string]any{"name": "v0", "use": "sriov", "speed": "25G", "numaNode": 0, "virtualFunctions": 8,
				"physicalNetworks": []any{"fast"}}}}
	if likely("counted") {
		host["count"] = rapid.IntRange(2, 6).Draw(t, "count")
	}
	flavors, servers, groups := []any{}, []any{}, []any{}
	for i := range rapid.IntRange(1, 3).Draw(t, "kinds") {
		policy := pick("cpu policy", "shared", "dedicated", "dedicated").(string)
		properties := map[string]any{"hw:cpu_policy": policy}
		if policy == "dedicated" && likely("wide") {
			properties["hw:numa_nodes"] = "2"
		}
		if policy == "dedicated" && likely("threads") {
			properties["hw:cpu_thread_policy"] = pick("thread policy", "require", "isolate")
		}
		if likely("pages") {
			properties["hw:mem_page_size"] = pick("page size", "2048", "1048576", "large")
		}
		flavors = append(flavors, map[string]any{"name": fmt.Sprint("f", i), "vcpus": pick("vcpus", 2, 4, 8),
			"ram": pick("ram", "1Gi", "4Gi", "16Gi"), "properties": properties})
		ports := []any{map[string]any{"network": "oam"}}
		if likely("direct") {
			ports = append(ports, map[string]any{"network": "e", "physicalNetwork": "fast", "vnicType": "direct"})
		}
		server := map[string]any{"name": fmt.Sprint("s", i), "count": pick("VMs", 1, 2, 4, 8), "flavor": fmt.Sprint("f", i),
			"image": "g", "volumes": []any{"10G"}, "ports": ports}
		if likely("grouped") {
			server["group"] = fmt.Sprint("g", i)
			groups = append(groups, map[string]any{"name": server["group"],
				"policy": pick("group", "affinity", "anti-affinity")})
		}
		if likely("in a zone") {
			server["availabilityZone"] = "zone-1"
		}
		servers = append(servers, server)
	}
	policy := map[string]any{"spareNodes": rapid.IntRange(0, 1).Draw(t, "spare")}
	if zones := rapid.IntRange(1, 3).Draw(t, "zones"); zones > 1 {
		policy["zones"], policy["surviveZoneLoss"] = zones, rapid.Bool().Draw(t, "loses a zone")
	}
	return map[string]any{"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.KindScenario,
		"platform": map[string]any{"type": "helion", "release": "4.0"}, "policy": policy,
		"scheduling": map[string]any{"rules": pick("rules", "hcg-4.0", "starlingx", "nova")},
		"hardware": map[string]any{"nodeTypes": []any{host, map[string]any{"name": "ctl", "role": "controller", "count": 2,
			"memory": "128Gi", "topology": "2 sockets x 8 cores x 2 threads", "disks": []any{
				map[string]any{"use": "system", "size": "960G", "media": "ssd"},
				map[string]any{"use": "lvm", "size": "1200G", "media": "ssd"}}}}},
		"workload": map[string]any{"flavors": flavors, "servers": servers, "serverGroups": groups,
			"images": []any{map[string]any{"name": "g", "count": 2, "size": "1G", "diskSize": "8G", "cached": true}}}}
}

// TestRemediesOfCloudsHelp is TestRemediesHelp for clouds of VMs.
func TestRemediesOfCloudsHelp(t *testing.T) {
	tried, left := map[string]int{}, map[string]int{}
	rapid.Check(t, func(t *rapid.T) { tryRemedies(t, crampedCloud(t), cloudRemedies, tried, left) })
	if tried["compute.option"] < 10 {
		t.Errorf("only %v were tried", tried)
	}
	t.Logf("tried: %v, left to people: %v", tried, left)
}
