package cli_test

import "fmt"

// cannotClouds are clouds that can't be built, or don't bear what is asked: the number of computes, the
// flavor and the server of all VMs, and what follows below workload or as policy.
var cannotClouds = map[string][4]string{
	"more vCPUs than a host has":  {"1", "vcpus: 20, ram: 1Gi, " + dedicated(""), "count: 1", ""},
	"more memory than a host has": {"1", "vcpus: 2, ram: 70Gi", "count: 1", ""},
	"three apart on two hosts": {"2", "vcpus: 2, ram: 1Gi", "count: 3, group: g",
		"  serverGroups: [{name: g, policy: anti-affinity}]"},
	"together, and more than a host": {"2", "vcpus: 6, ram: 1Gi, " + dedicated(""), "count: 3, group: g",
		"  serverGroups: [{name: g, policy: affinity}]"},
	"more virtual functions than a host has": {"1", "vcpus: 1, ram: 1Gi",
		"count: 3, ports: [{network: a, physicalNetwork: fast, vnicType: direct}]", ""},
	"physical network that no host carries": {"1", "vcpus: 1, ram: 1Gi",
		"count: 1, ports: [{network: a, physicalNetwork: other}]", ""},
	"three NUMA nodes on hosts of two": {"2", "vcpus: 6, ram: 3Gi, " + dedicated(`, "hw:numa_nodes": "3"`),
		"count: 1", ""},
	"pages beyond a NUMA node": {"1", "vcpus: 2, ram: 40Gi, " + dedicated(`, "hw:mem_page_size": "1048576"`), "count: 1",
		""},
	"beside the vSwitch, cores gone": {"1", "vcpus: 4, ram: 1Gi, " + dedicated(`, "hw:wrs:vswitch_numa_affinity": strict`),
		"count: 3, ports: [{network: a, physicalNetwork: provider}]", ""},
	"threads of one core without hyper-threading": {"2", "vcpus: 2, ram: 1Gi, " +
		dedicated(`, "hw:cpu_thread_policy": require`), "count: 1", ""},
	"no host to spare":           {"2", "vcpus: 6, ram: 1Gi, " + dedicated(""), "count: 4", "policy: {spareNodes: 1}"},
	"volumes larger than a disk": {"1", "vcpus: 2, ram: 1Gi", "count: 1, volumes: [10T]", ""},
	"disk larger than a host's":  {"1", "vcpus: 2, ram: 1Gi, disk: 900G", "count: 1, image: i, bootFrom: image", image},
	"growth beyond the hosts": {"1", "vcpus: 4, ram: 1Gi, " + dedicated(""), "count: 3",
		"policy: {growth: 100%, spareNodes: 0}"},
	"packets beyond the vSwitch": {"1", "vcpus: 1, ram: 1Gi", flood, ""},
}

const (
	image = "  images: [{name: i, size: 1G, diskSize: 4G}]"
	flood = "count: 4, ports: [{network: a, physicalNetwork: provider, bandwidth: 5G}]"
)

// dedicated are the properties of a flavor with CPUs of its own, and more.
func dedicated(more string) string { return `properties: {"hw:cpu_policy": dedicated` + more + `}` }

// smallCloud is a cloud of two controllers and some computes of two sockets with 8 cores and 32 GiB.
func smallCloud(c [4]string) string {
	return fmt.Sprintf(`apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {type: helion, release: "4.0"}
hardware:
  nodeTypes:
    - name: controller
      role: controller
      count: 2
      memory: 64Gi
      topology: 2 sockets x 8 cores x 2 threads
      disks: [{use: system, size: 500G, media: ssd}, {use: lvm, size: 500G, media: ssd}]
    - name: compute
      count: %s
      memory: 64Gi
      topology: 2 sockets x 8 cores
      disks: [{use: system, size: 240G}, {use: local, size: 500G}]
      nics:
        - {name: data0, use: data, speed: 10G, numaNode: 0, physicalNetworks: [provider]}
        - {name: vf0, use: sriov, speed: 10G, numaNode: 0, virtualFunctions: 2, physicalNetworks: [fast]}
workload:
  flavors: [{name: f, %s}]
  servers: [{name: vm, flavor: f, %s}]
%s
`, c[0], c[1], c[2], c[3])
}
