package flavor

import (
	"strings"
	"testing"

	"plimsoll.dev/place/nova"
)

func TestRemarks(t *testing.T) {
	for _, test := range []struct {
		specs, image string
		rules        nova.Rules
		key, text    string
	}{
		{"quota:cpu_shares=1024", "", nova.Nova, "quota:cpu_shares", "no effect on placement"},
		{"hw_rng:allowed=True", "", nova.Nova, "hw_rng:allowed", "no effect on placement"},
		{"hw:cpu_max_sockets=2", "", nova.Nova, "hw:cpu_max_sockets", "no effect on placement"},
		{"trait:HW_CPU_X86_AVX512F=required", "", nova.Nova, "trait:HW_CPU_X86_AVX512F",
			"the hosts' own HW_CPU_X86_AVX512F is not known"},
		{"resources:CUSTOM_X=1", "", nova.Nova, "resources:CUSTOM_X", "not known"},
		{"resources:PCPU=4", "", nova.HCG40, "resources:PCPU", "nearest is hw:cpu_policy"},
		{"trait:HW_CPU_HYPERTHREADING=required", "", nova.StarlingX, "trait:HW_CPU_HYPERTHREADING",
			"nearest is hw:cpu_thread_policy"},
		{"sw:wrs:auto_recovery=true", "", nova.StarlingX, "sw:wrs:auto_recovery", "no effect on placement"},
		{"hw:wrs:min_vcpus=2", "", nova.HCG40, "hw:wrs:min_vcpus", "no effect on placement"},
		{"hw:wrs:vswitch_numa_affinity=strict", "", nova.Nova, "hw:wrs:vswitch_numa_affinity",
			"means nothing to Nova; nearest is the NUMA nodes that nova.conf"},
		{"vswitch_numa_affinity=strict", "", nova.Nova, "vswitch_numa_affinity", "means nothing to Nova"},
		{"hw:wrs:vswitch_numa_affinity=strict", "", nova.StarlingX, "hw:wrs:vswitch_numa_affinity",
			"binds nothing: the VM has no virtual nodes"},
		{"vswitch_numa_affinity=prefer", "", nova.StarlingX, "hw:wrs:vswitch_numa_affinity", "hw:numa_nodes=1 gives it one"},
		{"pci_passthrough:alias=qat:1 hw:pci_numa_affinity_policy=required", "", nova.Nova, "hw:pci_numa_affinity_policy",
			"binds nothing"},
		{"hw:numa_mempolicy=prefer", "", nova.HCG40, "hw:numa_mempolicy", "is read as strict"},
		{"hw:numa_mempolicy=strict", "", nova.Nova, "hw:numa_mempolicy",
			"means nothing to Nova; nearest is what Nova always does"},
		{"hw:cpu_dedicated_mask=1", "", nova.StarlingX, "hw:cpu_dedicated_mask",
			"means nothing to StarlingX; nearest is hw:wrs:shared_vcpu"},
		{"hw:emulator_threads_policy=isolate", "", nova.HCG40, "hw:emulator_threads_policy",
			"means nothing to Helion Carrier Grade 4.0"},
		{"hw:pci_numa_affinity_policy=required", "", nova.HCG40, "hw:pci_numa_affinity_policy",
			"nearest is hw:wrs:pci_numa_affinity"},
		{"hw_cpu_policy=dedicated", "", nova.Nova, "hw_cpu_policy", "a flavor's is hw:cpu_policy"},
		{"ssd=true", "", nova.Nova, "ssd", "no namespace"},
		{"vendor:thing=1", "", nova.Nova, "vendor:thing", "not known"},
		{"hw:numa_cpus.0=0-3 hw:numa_mem.0=4096", "", nova.Nova, "hw:numa_cpus.0", "nothing asks for virtual nodes"},
		{"hw:numa_nodes=1 hw:numa_mem.2=1", "", nova.Nova, "hw:numa_mem.2", "must begin with 0"},
		{"hw:numa_nodes=1 hw:numa_cpus.0=0-3 hw:numa_mem.0=4096 hw:numa_mem.2=1", "", nova.Nova, "hw:numa_mem.2",
			"without a gap"},
		{"hw:cpu_policy=dedicated hw:cpu_thread_policy=prefer", "", nova.HCG40, "hw:cpu_thread_policy",
			"offers isolate and require"},
		{"hw:mem_page_size=any", "", nova.HCG40, "hw:mem_page_size", "same as large"},
		{"hw:mem_page_size=3072KB", "", nova.Nova, "hw:mem_page_size",
			"4096 MiB of virtual node 0 are no multiple of 3072 KiB"},
		{"hw:mem_page_size=0", "", nova.Nova, "hw:mem_page_size", "no page size"},
		{"pci_passthrough:alias=qat:0", "", nova.Nova, "pci_passthrough:alias", "asks for no device"},
		{"", "hw_cpu_polcy=dedicated", nova.Nova, "hw_cpu_polcy", "did you mean hw_cpu_policy"},
		{"", "hw:cpu_policy=dedicated", nova.Nova, "hw:cpu_policy", "an image's is hw_cpu_policy"},
		{"", "hw_pci_numa_affinity_policy=required", nova.HCG40, "hw_pci_numa_affinity_policy", "means nothing to Helion"},
	} {
		got, remarks, errs := Request(made(4, 4096, test.specs), image(test.image), nil, test.rules)
		found := false
		for _, r := range remarks {
			found = found || r.Key == test.key && strings.Contains(r.Text, test.text)
		}
		if got == nil || errs != nil || !found {
			t.Errorf("%s %s %s: %v, %v; want %s: %s", test.rules, test.specs, test.image, remarks, errs, test.key, test.text)
		}
	}
}

// TestNoRemarks: what is common and right is passed over in silence.
func TestNoRemarks(t *testing.T) {
	props := "hw_disk_bus=scsi hw_scsi_model=virtio-scsi hw_vif_multiqueue_enabled=true os_type=linux hw_cpu_cores=2 " +
		"hw_machine_type=q35 description=x"
	specs := "hw:cpu_policy=dedicated hw:mem_page_size=1GB hw:numa_nodes=1 aggregate_instance_extra_specs:nfv=true"
	if _, remarks, errs := Request(made(4, 4096, specs), image(props), nil, nova.Nova); remarks != nil || errs != nil {
		t.Errorf("%v, %v", remarks, errs)
	}
	specs = "hw:numa_nodes=1 hw:numa_mempolicy=strict vswitch_numa_affinity=strict"
	if _, remarks, errs := Request(made(4, 4096, specs), nil, nil, nova.StarlingX); remarks != nil || errs != nil {
		t.Errorf("%v, %v", remarks, errs)
	}
}

// TestKnownKeys: each key of the table is found by the rules that know it.
func TestKnownKeys(t *testing.T) {
	for _, k := range keys {
		name := strings.Replace(k.name, ".N", ".0", 1)
		for _, rules := range []nova.Rules{nova.HCG40, nova.StarlingX, nova.Nova} {
			_, _, errs := Request(made(4, 4096, name+"=1"), nil, nil, rules)
			for _, e := range errs {
				if strings.Contains(e.Text, "no extra spec") {
					t.Errorf("%s: %v", rules, e)
				}
			}
		}
	}
	if len(known) != len(keys) || len(knownProps) != len(props) {
		t.Error("a key stands in its table twice")
	}
}

func TestTooLong(t *testing.T) {
	f := made(4, 4096, "")
	f.Properties["hw:numa_cpus.0"] = strings.Repeat("0,", 1<<20)
	if _, _, errs := Request(f, nil, nil, nova.Nova); len(errs) != 1 || errs[0].Key != "hw:numa_cpus.0" {
		t.Errorf("%.200v", errs)
	}
}

func FuzzRequest(f *testing.F) {
	f.Add(4, int64(4096), "hw:cpu_policy=mixed hw:cpu_dedicated_mask=^0 hw:numa_nodes=2", "hw_cpu_policy=shared")
	f.Add(8, int64(8192), "hw:numa_nodes=2 hw:numa_cpus.0=0-5 hw:numa_cpus.1=6,7 hw:numa_mem.0=6144 "+
		"hw:numa_mem.1=2048 hw:mem_page_size=1GB", "hw_numa_mem.0=1")
	f.Add(4, int64(4096), "hw:numa_nodes=1000000000 hw:cpu_realtime=yes hw:cpu_realtime_mask=^0-99999999999",
		"hw_mem_page_size=2MB")
	f.Add(4, int64(4096), "hw:cpu_policy=dedicated hw:wrs:shared_vcpu=0 hw:numa_node.0=1 vswitch_numa_affinity=strict",
		"hw_numa_node.0=1")
	f.Add(1024, int64(1)<<40, "pci_passthrough:alias=a:1,b:2 resources:PCPU=1025 trait:HW_CPU_HYPERTHREADING=forbidden",
		"hw_numa_nodes=2")
	f.Fuzz(func(t *testing.T, vcpus int, ram int64, specs, props string) {
		for _, rules := range []nova.Rules{nova.HCG40, nova.StarlingX, nova.Nova} {
			got, _, errs := Request(made(vcpus, ram%(1<<43), specs), image(props), nil, rules)
			if (got == nil) != (len(errs) > 0) {
				t.Fatalf("a request and errors exclude each other: %+v, %v", got, errs)
			}
			if got != nil {
				checkRequest(t, got)
			}
		}
	})
}

// checkRequest demands what every engine relies on: the cells hold each vCPU
// once and all of the memory.
func checkRequest(t *testing.T, r *nova.Request) {
	if r.VCPUs < 1 || r.CPUPolicy == "" || r.SharedVCPU < -1 || r.SharedVCPU >= r.VCPUs {
		t.Fatalf("a request that makes no sense: %+v", r)
	}
	left, memory := firstCPUs(r.VCPUs), int64(0)
	for i, c := range r.Cells {
		all := c.VCPUs.Union(c.PCPUs)
		if c.ID != i || !all.SubsetOf(left) || !c.VCPUs.Intersect(c.PCPUs).IsEmpty() || c.Memory < 1 || c.HostNode < -1 ||
			c.PageSize < nova.AnyPages {
			t.Fatalf("cell %d makes no sense: %+v", i, r)
		}
		if r.CPUPolicy == nova.Shared && !c.PCPUs.IsEmpty() || r.CPUPolicy == nova.Dedicated &&
			!c.VCPUs.IsEmpty() && (c.VCPUs.Len() != 1 || !c.VCPUs.Has(r.SharedVCPU)) {
			t.Fatalf("cell %d contradicts the policy: %+v", i, r)
		}
		left, memory = left.Minus(all), memory+c.Memory
	}
	if len(r.Cells) > 0 && (!left.IsEmpty() || memory != r.Memory) {
		t.Fatalf("the cells are not the VM: %+v", r)
	}
}
