package main

import (
	"fmt"
	"io"
)

// cloudTypes is the number of kinds of VM of a made up cloud.
const cloudTypes = 20

// writeCloud writes a scenario of many VMs of 20 kinds on hosts that have room for
// them: floating, pinned, with two NUMA nodes, with pages of 1 GB, with devices.
func writeCloud(w io.Writer, name string, vms, hosts int) error {
	fmt.Fprintf(w, `apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
metadata:
  name: %s
  description: Made by benchgen to time the placement of many VMs on many hosts.
platform: {type: helion, release: "4.0"}
hardware:
  nodeTypes:
    - name: compute
      count: %d
      memory: 256Gi
      topology: 2 sockets x 16 cores x 2 threads
      hugePagesPerNUMANode: {1Gi: [32Gi, 32Gi], 2Mi: [80Gi, 84Gi]}
      disks: [{use: local, size: 2T}]
      nics:
        - {use: data, numaNode: 0, physicalNetworks: [provider]}
        - {use: sriov, numaNode: 1, virtualFunctions: 32, physicalNetworks: [fast]}
workload:
  flavors:
`, name, hosts)
	properties := []string{
		`"hw:cpu_policy": shared`,
		`"hw:cpu_policy": dedicated`,
		`"hw:cpu_policy": dedicated, "hw:numa_nodes": "2"`,
		`"hw:cpu_policy": dedicated, "hw:mem_page_size": "1048576", "hw:cpu_thread_policy": require`,
		`"hw:cpu_policy": dedicated, "hw:wrs:vswitch_numa_affinity": prefer`,
	}
	for i := range cloudTypes {
		fmt.Fprintf(w, "    - {name: f%02d, vcpus: %d, ram: %dGi, properties: {%s}}\n", i, 2+2*(i%3/2), 2*(1+i%4),
			properties[i%len(properties)])
	}
	fmt.Fprint(w, "  servers:\n")
	for i := range cloudTypes {
		count := vms*(i+1)/cloudTypes - vms*i/cloudTypes // which add up to all VMs
		port := ""
		if i%4 == 3 {
			port = ", ports: [{network: fast, physicalNetwork: fast, vnicType: direct}]"
		}
		fmt.Fprintf(w, "    - {name: vm-%02d, count: %d, flavor: f%02d%s}\n", i, count, i, port)
	}
	_, err := fmt.Fprint(w, "policy: {spareNodes: 0}\n")
	return err
}
