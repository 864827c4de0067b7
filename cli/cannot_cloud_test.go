package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cannotCloud are clouds that can't be built, or don't bear what is asked of them: the computes
// beside two good controllers, the workload, the policy, and what the plan says of it.
var cannotCloud = map[string]struct{ computes, workload, policy, why string }{
	"VM larger than a host": {"count: 4, memory: 128Gi", "flavors: [{name: f, vcpus: 40, ram: 8Gi, " +
		"properties: {\"hw:cpu_policy\": dedicated}}], servers: [{name: a, flavor: f}]", "",
		"no host of this type takes VMs of a"},
	"more memory than a NUMA node": {"count: 4, memory: 128Gi", "flavors: [{name: f, vcpus: 2, ram: 100Gi, " +
		"properties: {\"hw:mem_page_size\": \"1048576\"}}], servers: [{name: a, flavor: f}]", "",
		"no host of this type takes VMs of a"},
	"network that no NIC is on": {"count: 4, memory: 128Gi", "flavors: [{name: f, vcpus: 2, ram: 4Gi}], servers: " +
		"[{name: a, flavor: f, ports: [{network: x, physicalNetwork: fast, vnicType: direct}]}]", "",
		"no host of this type takes VMs of a"},
	"too few hosts for the VMs": {"count: 2, memory: 128Gi", twelve("12"), "spareNodes: 0",
		"the scenario states 2 hosts, and the VMs need 4"},
	"no spare host":           {"count: 4, memory: 128Gi", twelve("12"), "spareNodes: 1", "the VMs need 4 and 1 spare"},
	"two to spare, one there": {"count: 5, memory: 128Gi", twelve("12"), "spareNodes: 2", "the VMs need 4 and 2 spare"},
	"a zone that can't be lost": {"count: 4, memory: 128Gi", twelve("12"),
		"spareNodes: 0, zones: 2, surviveZoneLoss: true", "after the loss of zone zone-1"},
	"the only zone": {"count: 1, memory: 128Gi", twelve("2"), "spareNodes: 0, zones: 2, surviveZoneLoss: true",
		"no host is left"},
	"apart on fewer hosts": {"count: 2, memory: 128Gi", strings.Replace(twelve("3"), "flavor: f",
		"flavor: f, group: g", 1) + ", serverGroups: [{name: g, policy: anti-affinity}]", "spareNodes: 0", "find"},
	"zone of no host": {"count: 4, memory: 128Gi, labels: {zone: az1}", strings.Replace(twelve("2"), "flavor: f",
		"flavor: f, availabilityZone: az2", 1), "spareNodes: 0", "find no host"},
	"memory below the least": {"count: 4, memory: 16Gi", twelve("1"), "spareNodes: 0", "mandatory"},
	"Swift without storage hosts": {"count: 4, memory: 128Gi", twelve("1") + ", objectStore: {objects: 10, size: 1M}",
		"spareNodes: 0", "no node type has the role storage"},
	"remote disks without storage hosts": {"count: 4, memory: 128Gi", strings.Replace(twelve("1"), "flavor: f",
		"flavor: f, bootFrom: remoteImage, image: g", 1), "spareNodes: 0", "no node type has the role storage"},
	"live migration with disks on the hosts": {"count: 4, memory: 128Gi, compute: {localBacking: lvm}",
		strings.Replace(twelve("1"), "flavor: f", "flavor: f, bootFrom: image, image: g, liveMigration: true", 1),
		"spareNodes: 0", "the disks of VMs are on the host (backing lvm), not in Ceph"},
	"101 VMs without storage hosts": {"count: 10, memory: 256Gi", "flavors: [{name: f, vcpus: 1, ram: 1Gi, " +
		"properties: {\"hw:cpu_policy\": shared}}], servers: [{name: a, flavor: f, count: 101}]", "spareNodes: 0",
		"no node type has the role storage"},
	"more operations than a disk does": {"count: 4, memory: 128Gi", strings.Replace(twelve("2"), "flavor: f",
		"flavor: f, volumes: [10G], iops: 2000000", 1), "spareNodes: 0", "no such disk is sold for more"},
	"stock without the spare host": {"available: 4, memory: 128Gi", twelve("12"), "spareNodes: 1", "are in stock"},
}

// twelve VMs, or another number, of which three fill a host.
func twelve(count string) string {
	return "flavors: [{name: f, vcpus: 8, ram: 8Gi, properties: {\"hw:cpu_policy\": dedicated}}], " +
		"images: [{name: g, size: 1G, diskSize: 2G}], servers: [{name: a, flavor: f, count: " + count + "}]"
}

// osds is a cloud with storage hosts of such OSDs, whose VMs do so many operations a second each.
func osds(media, iops string) string {
	s := cloudOf("count: 4, memory: 128Gi", strings.Replace(twelve("4"), "flavor: f",
		"flavor: f, volumes: [10G], iops: "+iops, 1), "spareNodes: 0, model: dedicated-storage")
	return strings.Replace(s, "\nworkload:", "\n  - {name: store, role: storage, count: 2, memory: 128Gi, topology: "+
		"2 sockets x 8 cores x 2 threads, disks: [{use: system, size: 240G}, {use: osd, size: 1200G, count: 8, media: "+
		media+"}, {use: journal, size: 240G}]}\nworkload:", 1)
}

func cloudOf(computes, workload, policy string) string {
	if policy == "" {
		policy = "zones: 1"
	}
	return fmt.Sprintf(`apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {type: helion, release: "4.0"}
hardware:
  nodeTypes:
  - {name: controller, role: controller, count: 2, memory: 64Gi, topology: 2 sockets x 8 cores x 2 threads,
     disks: [{use: system, size: 960G}, {use: lvm, size: 1600G}]}
  - {name: compute, role: compute, %s, topology: 2 sockets x 8 cores x 2 threads,
     disks: [{use: system, size: 240G}, {use: local, size: 960G}],
     nics: [{name: d, use: data, speed: 10G, numaNode: 0, count: 2}]}
workload: {%s}
policy: {%s}
`, computes, workload, policy)
}

// What can't be built, or does not bear what is asked, is never good, and the plan names
// what is wrong. So does place: where VMs find no host or the policy's losses don't hold by itself, and
// else by what the plan says.
func TestCloudsThatCannotBeBuilt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	says := func(name, command, text, why string) {
		file := filepath.Join(dir, "s.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, stderr := run(command, file)
		if code != 3 || !strings.Contains(strings.Join(strings.Fields(out+stderr), " "), why) {
			t.Errorf("%s, %s: exit code %d, want 3 and %q\n%s%s\n%s", name, command, code, why, out, stderr, text)
		}
	}
	for name, c := range cannotCloud {
		says(name, "plan", cloudOf(c.computes, c.workload, c.policy), c.why)
		if name != "memory below the least" { // of which no host can be made to place on: exit code 2
			says(name, "place", cloudOf(c.computes, c.workload, c.policy), "Problem")
		}
	}
	for _, name := range []string{"VM larger than a host", "more memory than a NUMA node", "network that no NIC is on",
		"too few hosts for the VMs", "apart on fewer hosts", "zone of no host", "live migration with disks on the hosts"} {
		c := cannotCloud[name]
		says(name, "place", cloudOf(c.computes, c.workload, c.policy), "no host for")
	}
	for _, name := range []string{"no spare host", "two to spare, one there", "a zone that can't be lost",
		"the only zone"} {
		c := cannotCloud[name]
		says(name, "place", cloudOf(c.computes, c.workload, c.policy), "which the policy asks for")
	}
	few := cannotCloud["too few hosts for the VMs"]
	says("too few hosts for the VMs", "plan", cloudOf(few.computes, few.workload, few.policy), "-> take 4 hosts")
	says("no SAS disk does so many", "plan", osds("sas15k", "10000"), "no device of sas15k is sold for more than")
	says("no SAS disk does so many", "place", osds("sas15k", "10000"), "no device of sas15k is sold for more than")
	says("nobody measured the OSDs", "plan", osds("ssd", "50000"), "Not known what an OSD sustains")
	says("nobody measured the OSDs", "place", osds("ssd", "50000"), "what an OSD sustains")
	for name, why := range map[string]string{"volumes larger than a disk": "volumes", "growth beyond the hosts": "need",
		"packets beyond the vSwitch": "packets", "physical network that no host carries": "physical network other"} {
		says(name, "place", smallCloud(cannotClouds[name]), "plimsoll plan says: ")
		says(name, "place", smallCloud(cannotClouds[name]), why)
	}
}

// The same cloud with one host more, or with what nobody asks of it, is good: what the test
// above finds is what it names.
func TestCloudsThatCanBeBuilt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.yaml")
	for name, text := range map[string]string{
		"one to spare":  cloudOf("count: 5, memory: 128Gi", twelve("12"), "spareNodes: 1"),
		"none to spare": cloudOf("count: 4, memory: 128Gi", twelve("12"), "spareNodes: 0"),
		"the default zone": cloudOf("count: 4, memory: 128Gi",
			strings.Replace(twelve("2"), "flavor: f", "flavor: f, availabilityZone: nova", 1), ""),
		"what every SSD does": osds("ssd", "5000"),
		"a zone may be lost": cloudOf("count: 8, memory: 128Gi", twelve("12"),
			"spareNodes: 0, zones: 2, surviveZoneLoss: true"),
		"stock for the spares": cloudOf("available: 5, memory: 128Gi", twelve("12"), "spareNodes: 1"),
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"plan", "place"} {
			if code, out, stderr := run(command, file); code != 0 {
				t.Errorf("%s, %s: exit code %d\n%s%s\n%s", name, command, code, out, stderr, text)
			}
		}
	}
}
