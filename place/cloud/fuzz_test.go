package cloud

import (
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// FuzzNew: whatever a scenario says, it is understood or told as a problem; and
// what is placed adds up.
func FuzzNew(f *testing.F) {
	f.Add("2 sockets x 8 cores x 2 threads", int64(64<<30), "hw:cpu_policy", "dedicated", "compute-1", "2Mi", int64(8<<30),
		2, uint8(0))
	f.Add("", int64(1), "hw:numa_nodes", "2", "x", "1Gi", int64(-1), -1, uint8(1))
	f.Add("1 socket x 4 cores", int64(1<<40), "pci_passthrough:alias", "x:1", "", "7", int64(1<<62), 3000, uint8(2))
	f.Fuzz(func(t *testing.T, topology string, memory int64, key, value, host, size string, pages int64, n int,
		rules uint8) {
		if n < 0 || n > 4096 || memory < 1 || pages < 0 {
			return // the reader of scenarios refuses it
		}
		s := scenario([]nova.Rules{nova.HCG40, nova.StarlingX, nova.Nova}[rules%3], v1alpha1.NodeType{Name: "compute",
			Role: "compute", Topology: topology,
			Memory: unit.Bytes(memory), Count: ref(2), CPUs: n, NUMANodes: 1 + n%64,
			HugePages: map[string]unit.Bytes{size: unit.Bytes(pages)},
			Devices:   map[string]int64{"x": int64(n)}, DeviceNUMANodes: map[string][]int{"x": {n, 0}},
			NICs: []v1alpha1.NIC{
				{Use: "sriov", Count: 1 + n%64, VirtualFunctions: n % 257, NUMANode: ref(n), PhysicalNetworks: []string{key}},
			},
			Compute: &v1alpha1.Compute{PlatformCores: []int{n}, SharedCores: []int{0, n}}, Labels: map[string]string{key: value},
			Domains: map[string]int{"zone": n}},
			vms("a", 3, 2, "1Gi", "").with(func(v *v1alpha1.Server) { v.Host, v.AvailabilityZone = host, size }),
			vms("b", 2, 1, "2Gi", "").with(func(v *v1alpha1.Server) {
				v.Ports = []v1alpha1.Port{{PhysicalNetwork: key, VNICType: "direct"}}
			}))
		for i := range s.Workload.Flavors {
			s.Workload.Flavors[i].Properties[key] = value
		}
		c, problems := New(s, poolsOf(s))
		if (c == nil) != (len(problems) > 0) {
			t.Fatalf("%v, %v", c, problems)
		}
		if c == nil {
			return
		}
		p := Make(c, Options{Failures: 1, Compare: true})
		for _, o := range p.ServerTypes {
			if o.Placed+o.Refused != o.Wanted {
				t.Fatalf("%+v", o)
			}
		}
		for _, r := range p.Resources {
			if r.Requested < 0 || r.Stranded < 0 || r.Requested+r.Stranded > r.Allocatable &&
				r.Resource != "memory" && r.Resource != floatingVCPUs {
				t.Fatalf("%+v", r)
			}
		}
	})
}
