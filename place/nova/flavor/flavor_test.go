package flavor

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// made is a flavor of vcpus and MiB with extra specs as "key=value key=value".
func made(vcpus int, ram int64, specs string) *v1alpha1.Flavor {
	return &v1alpha1.Flavor{Name: "f", VCPUs: vcpus, RAM: unit.Bytes(ram) * unit.MiB, Properties: pairs(specs)}
}

func image(props string) *v1alpha1.Image { return &v1alpha1.Image{Name: "i", Properties: pairs(props)} }

func pairs(text string) map[string]string {
	out := map[string]string{}
	for _, pair := range strings.Fields(text) {
		key, value, _ := strings.Cut(pair, "=")
		out[key] = value
	}
	return out
}

func cpus(text string) unit.CPUSet {
	s, err := unit.ParseCPUSet(text)
	if err != nil {
		panic(err)
	}
	return s
}

// cell is a virtual node that is not pinned to a node of the host.
func cell(id int, floating, pinned string, memory int64, page nova.PageSize) nova.GuestCell {
	return nova.GuestCell{ID: id, VCPUs: cpus(floating), PCPUs: cpus(pinned), Memory: memory, PageSize: page, HostNode: -1}
}

func TestNovaRequests(t *testing.T) {
	cells := func(c ...nova.GuestCell) []nova.GuestCell { return c }
	for name, test := range map[string]struct {
		specs, image, policy, thread, emulator string
		cells                                  []nova.GuestCell
	}{
		"nothing is asked for": {policy: "shared"},
		"shared alone makes no topology": {
			specs: "hw:cpu_policy=shared hw:emulator_threads_policy=share", policy: "shared"},
		"pinned draws on the smallest pool": {
			specs: "hw:cpu_policy=dedicated", policy: "dedicated", cells: cells(cell(0, "", "0-3", 4096, 0))},
		"pages make a node": {
			specs: "hw:mem_page_size=1GB", policy: "shared", cells: cells(cell(0, "0-3", "", 4096, 1048576))},
		"even nodes": {
			specs: "hw:numa_nodes=2 hw:mem_page_size=large", policy: "shared",
			cells: cells(cell(0, "0-1", "", 2048, nova.LargePages), cell(1, "2-3", "", 2048, nova.LargePages))},
		"uneven nodes with lists": {
			specs: "hw:numa_nodes=2 hw:numa_cpus.0=0,2-3 hw:numa_cpus.1=1 hw:numa_mem.0=3072 hw:numa_mem.1=1024 " +
				"hw:cpu_policy=dedicated hw:cpu_thread_policy=require",
			policy: "dedicated", thread: "require", cells: cells(cell(0, "", "0,2-3", 3072, 0), cell(1, "", "1", 1024, 0))},
		"mixed": {
			specs: "hw:cpu_policy=mixed hw:cpu_dedicated_mask=^0 hw:numa_nodes=2", policy: "mixed",
			cells: cells(cell(0, "0", "1", 2048, 0), cell(1, "", "2-3", 2048, 0))},
		"mixed by the realtime mask": {
			specs: "hw:cpu_policy=mixed hw:cpu_realtime=yes hw:cpu_realtime_mask=2-3", policy: "mixed",
			cells: cells(cell(0, "0-1", "2-3", 4096, 0))},
		"emulator threads": {
			specs: "hw:cpu_policy=dedicated hw:emulator_threads_policy=isolate", policy: "dedicated", emulator: "isolate",
			cells: cells(cell(0, "", "0-3", 4096, 0))},
		"realtime for all with an emulator policy": {
			specs: "hw:cpu_policy=dedicated hw:emulator_threads_policy=share hw:cpu_realtime=1", policy: "dedicated",
			emulator: "share",
			cells:    cells(cell(0, "", "0-3", 4096, 0))},
		"a policy written as resources": {
			specs: "resources:PCPU=4 trait:HW_CPU_HYPERTHREADING=forbidden", policy: "dedicated", thread: "isolate",
			cells: cells(cell(0, "", "0-3", 4096, 0))},
		"emulator threads count among the resources": {
			specs: "resources:PCPU=5 hw:emulator_threads_policy=isolate", policy: "dedicated", emulator: "isolate",
			cells: cells(cell(0, "", "0-3", 4096, 0))},
		"an image pins a flavor that leaves it open": {
			image: "hw_cpu_policy=dedicated", policy: "dedicated", cells: cells(cell(0, "", "0-3", 4096, 0))},
		"a dedicated flavor keeps its policy against a shared image": {
			specs: "hw:cpu_policy=dedicated", image: "hw_cpu_policy=shared", policy: "dedicated",
			cells: cells(cell(0, "", "0-3", 4096, 0))},
		"prefer of the flavor overrules the image": {
			specs: "hw:cpu_policy=dedicated hw:cpu_thread_policy=prefer", image: "hw_cpu_thread_policy=isolate",
			policy: "dedicated", thread: "prefer",
			cells: cells(cell(0, "", "0-3", 4096, 0))},
		"an image narrows large": {
			specs: "hw:mem_page_size=large", image: "hw_mem_page_size=2048", policy: "shared",
			cells: cells(cell(0, "0-3", "", 4096, 2048))},
		"an image's nodes": {
			image: "hw_numa_nodes=2", policy: "shared", cells: cells(cell(0, "0-1", "", 2048, 0), cell(1, "2-3", "", 2048, 0))},
	} {
		got, _, errs := Request(made(4, 4096, test.specs), image(test.image), nil, nova.Nova)
		want := &nova.Request{VCPUs: 4, Memory: 4096, Cells: test.cells, CPUPolicy: test.policy, ThreadPolicy: test.thread,
			EmulatorThreads: test.emulator, SharedVCPU: -1}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || errs != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, errs, diff)
		}
	}
}

func TestNovaRefuses(t *testing.T) {
	for _, test := range []struct{ specs, image, key string }{
		{"hw:numa_nodes=3", "", "hw:numa_nodes"}, // uneven
		{"hw:numa_nodes=0", "", "hw:numa_nodes"},
		{"hw:numa_nodes=1000000000", "", "hw:numa_nodes"},
		{"hw:numa_nodes=99999999999999999999999999", "", "hw:numa_nodes"},
		{"hw:numa_nodes=2 hw:numa_cpus.0=0-3 hw:numa_mem.0=4096", "", "hw:numa_nodes"},
		{"hw:numa_nodes=2 hw:numa_mem.0=2048 hw:numa_mem.1=2048", "", "hw:numa_nodes"},
		{"hw:numa_nodes=1 hw:numa_cpus.0=0-3 hw:numa_mem.0=4095", "", "hw:numa_mem.0"},
		{"hw:numa_nodes=1 hw:numa_cpus.0=0-2 hw:numa_mem.0=4096", "", "hw:numa_cpus.0"},
		{"hw:numa_nodes=1 hw:numa_cpus.0=0-4 hw:numa_mem.0=4096", "", "hw:numa_cpus.0"},
		{"hw:numa_nodes=1 hw:numa_cpus.0=0-4000000000 hw:numa_mem.0=4096", "", "hw:numa_cpus.0"},
		{"hw:numa_nodes=2", "hw_numa_nodes=2", "hw_numa_nodes"},
		{"hw:cpu_policy=shared", "hw_cpu_policy=dedicated", "hw_cpu_policy"},
		{"hw:cpu_policy=shared", "hw_cpu_policy=mixed", "hw_cpu_policy"},
		{"hw:cpu_policy=mixed hw:cpu_dedicated_mask=0", "hw_cpu_policy=dedicated", "hw_cpu_policy"},
		{"hw:cpu_policy=dedicated hw:cpu_thread_policy=require", "hw_cpu_thread_policy=isolate", "hw_cpu_thread_policy"},
		{"hw:cpu_policy=pinned", "", "hw:cpu_policy"},
		{"hw:cpu_thread_policy=isolate", "", "hw:cpu_thread_policy"},
		{"hw:emulator_threads_policy=isolate", "", "hw:emulator_threads_policy"},
		{"hw:cpu_policy=mixed", "", "hw:cpu_policy"},
		{"hw:cpu_policy=mixed hw:cpu_dedicated_mask=0-3", "", "hw:cpu_dedicated_mask"},
		{"hw:cpu_policy=mixed hw:cpu_dedicated_mask=^0-3", "", "hw:cpu_dedicated_mask"},
		{"hw:cpu_policy=mixed hw:cpu_dedicated_mask=3-4", "", "hw:cpu_dedicated_mask"},
		{"hw:cpu_policy=dedicated hw:cpu_dedicated_mask=0", "", "hw:cpu_dedicated_mask"},
		{"hw:cpu_policy=mixed hw:cpu_dedicated_mask=0 hw:cpu_realtime=yes hw:cpu_realtime_mask=1", "",
			"hw:cpu_dedicated_mask"},
		{"hw:cpu_policy=dedicated hw:cpu_realtime=yes", "", "hw:cpu_realtime_mask"},
		{"hw:cpu_realtime=yes hw:cpu_realtime_mask=^0", "", "hw:cpu_realtime"},
		{"hw:mem_page_size=2M", "", "hw:mem_page_size"},
		{"hw:mem_page_size=2048", "hw_mem_page_size=2048", "hw_mem_page_size"},
		{"", "hw_mem_page_size=2048", "hw_mem_page_size"},
		{"hw:pci_numa_affinity_policy=strict", "", "hw:pci_numa_affinity_policy"},
		{"hw:pci_numa_affinity_policy=required", "hw_pci_numa_affinity_policy=socket", "hw_pci_numa_affinity_policy"},
		{"resources:PCPU=3", "", "resources:PCPU"},
		{"resources:PCPU=4 hw:cpu_policy=dedicated", "", "resources:PCPU"},
		{"resources:PCPU=4 resources:VCPU=4", "", "resources:PCPU"},
		{"hw:cpu_policy=dedicated hw:cpu_thread_policy=require trait:HW_CPU_HYPERTHREADING=required", "",
			"trait:HW_CPU_HYPERTHREADING"},
		{"hw:locked_memory=true", "", "hw:locked_memory"},
		{"pci_passthrough:alias=qat", "", "pci_passthrough:alias"},
		{"hw:watchdog_action=bark", "", "hw:watchdog_action"},
		{"hw:cpu_sockets=0", "", "hw:cpu_sockets"},
	} {
		got, _, errs := Request(made(4, 4096, test.specs), image(test.image), nil, nova.Nova)
		if got != nil || len(errs) == 0 || errs[0].Key != test.key || errs[0].Text == "" || errs[0].Fix == "" {
			t.Errorf("%s with image %s: %v, want an error of %s", test.specs, test.image, errs, test.key)
		}
	}
}

// TestAllErrors: nothing hides behind the first error.
func TestAllErrors(t *testing.T) {
	_, _, errs := Request(made(4, 4096,
		"hw:cpu_polcy=dedicated hw:numa_nodes=3 hw:mem_page_size=huge pci_passthrough:alias=a hw:wrs:x=1"), nil,
		[]v1alpha1.Port{{VNICType: "direct"}}, nova.Nova)
	var keys []string
	for _, e := range errs {
		keys = append(keys, e.Key)
	}
	want := []string{"hw:cpu_polcy", "hw:mem_page_size", "hw:numa_nodes", "hw:numa_nodes", "hw:wrs:x",
		"pci_passthrough:alias", "ports[0].physicalNetwork"}
	if slices.Sort(keys); !slices.Equal(keys, want) {
		t.Errorf("errors of %v, want of %v", keys, want)
	}
	if text := errs[0].Error(); text != "hw:cpu_polcy: no extra spec has this name (did you mean hw:cpu_policy?)" {
		t.Errorf("the error reads %q", text)
	}
}

func TestSizes(t *testing.T) {
	for want, f := range map[string]v1alpha1.Flavor{
		"0 vCPUs can't be placed (1 to 1024)":                                          {RAM: unit.GiB},
		"2000 vCPUs can't be placed (1 to 1024)":                                       {VCPUs: 2000, RAM: unit.GiB},
		"RAM of 8G is not a whole number of MiB, in which Nova counts (write 8Gi)":     {VCPUs: 1, RAM: 8 * unit.GB},
		"RAM of 1536Ki is not a whole number of MiB, in which Nova counts (write 1Mi)": {VCPUs: 1, RAM: 1536 * unit.KiB},
		"5 bytes of RAM are not enough (at least 1Mi)":                                 {VCPUs: 1, RAM: 5},
	} {
		if got, _, errs := Request(&f, nil, nil, nova.HCG40); got != nil || len(errs) != 1 || errs[0].Error() != want {
			t.Errorf("%v, want %s", errs, want)
		}
	}
}
