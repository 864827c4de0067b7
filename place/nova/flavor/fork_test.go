package flavor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
)

// TestDefaults: HCG 7 gives each VM one virtual node and pages of 2 MB; the fork
// and Nova give it neither.
func TestDefaults(t *testing.T) {
	for _, test := range []struct {
		rules nova.Rules
		specs string
		want  []nova.GuestCell
	}{
		{nova.HCG40, "", []nova.GuestCell{cell(0, "0-3", "", 4096, 2048)}},
		{nova.HCG40, "hw:cpu_policy=dedicated", []nova.GuestCell{cell(0, "", "0-3", 4096, 2048)}},
		{nova.HCG40, "hw:mem_page_size=small", []nova.GuestCell{cell(0, "0-3", "", 4096, nova.SmallPages)}},
		{nova.HCG40, "hw:mem_page_size=any", []nova.GuestCell{cell(0, "0-3", "", 4096, nova.LargePages)}},
		{nova.HCG40, "hw:numa_nodes=2", []nova.GuestCell{cell(0, "0-1", "", 2048, 2048), cell(1, "2-3", "", 2048, 2048)}},
		{nova.StarlingX, "", nil},
		{nova.StarlingX, "hw:mem_page_size=any", []nova.GuestCell{cell(0, "0-3", "", 4096, nova.AnyPages)}},
		{nova.StarlingX, "hw:cpu_policy=dedicated", []nova.GuestCell{cell(0, "", "0-3", 4096, 0)}},
		{nova.Nova, "", nil},
	} {
		got, _, errs := Request(made(4, 4096, test.specs), nil, nil, test.rules)
		if errs != nil {
			t.Errorf("%s %s: %v", test.rules, test.specs, errs)
		} else if diff := cmp.Diff(test.want, got.Cells, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.rules, test.specs, diff)
		}
	}
}

func TestSharedVCPU(t *testing.T) {
	specs := "hw:cpu_policy=dedicated hw:wrs:shared_vcpu=2 hw:numa_nodes=2"
	for _, rules := range []nova.Rules{nova.HCG40, nova.StarlingX} {
		got, _, errs := Request(made(4, 4096, specs), nil, nil, rules)
		page := nova.PageSize(0)
		if rules == nova.HCG40 {
			page = 2048
		}
		want := []nova.GuestCell{cell(0, "", "0-1", 2048, page), cell(1, "2", "3", 2048, page)}
		if errs != nil || got.SharedVCPU != 2 || got.CPUPolicy != nova.Dedicated || !cmp.Equal(got.Cells, want) {
			t.Errorf("%s: %+v, %v", rules, got, errs)
		}
	}
	got, remarks, errs := Request(made(4, 4096, specs), nil, nil, nova.Nova)
	if errs != nil || got.SharedVCPU != -1 || len(remarks) != 1 ||
		!strings.Contains(remarks[0].Text, "hw:cpu_policy=mixed with hw:cpu_dedicated_mask") {
		t.Errorf("nova: %+v, %v, %v", got, remarks, errs)
	}
}

func TestHostNodes(t *testing.T) {
	got, _, errs := Request(made(4, 4096, "hw:numa_nodes=2 hw:numa_node.0=1 hw:numa_node.1=0"), nil, nil, nova.StarlingX)
	if errs != nil || got.CPUPolicy != nova.Dedicated || got.Cells[0].HostNode != 1 || got.Cells[1].HostNode != 0 {
		t.Errorf("%+v, %v; pinning to nodes makes a VM dedicated", got, errs)
	}
	got, _, errs = Request(made(4, 4096, ""), image("hw_numa_node.0=1"), nil, nova.HCG40)
	if errs != nil || len(got.Cells) != 1 || got.Cells[0].HostNode != 1 {
		t.Errorf("%+v, %v; an image pins as well", got, errs)
	}
	got, remarks, errs := Request(made(4, 4096, "hw:numa_node.0=1"), nil, nil, nova.Nova)
	if errs != nil || got.Cells != nil || len(remarks) != 1 || remarks[0].Text != "means nothing to Nova" {
		t.Errorf("%+v, %v, %v; Nova pins to no node of the host", got, remarks, errs)
	}
}

func TestForkRefuses(t *testing.T) {
	for _, test := range []struct{ specs, image, key string }{
		{"hw:cpu_policy=mixed", "", "hw:cpu_policy"},
		{"hw:wrs:shared_vcpu=0", "", "hw:wrs:shared_vcpu"},
		{"hw:cpu_policy=dedicated hw:wrs:shared_vcpu=4", "", "hw:wrs:shared_vcpu"},
		{"hw:cpu_policy=dedicated hw:wrs:shared_vcpu=x", "", "hw:wrs:shared_vcpu"},
		{"hw:cpu_policy=dedicated hw:wrs:shared_vcpu=0 hw:cpu_thread_policy=isolate", "", "hw:wrs:shared_vcpu"},
		{"hw:cpu_policy=dedicated hw:wrs:shared_vcpu=0 hw:cpu_thread_policy=require", "", "hw:wrs:shared_vcpu"},
		{"hw:cpu_policy=dedicated hw:wrs:shared_vcpu=0 hw:numa_nodes=4", "", "hw:wrs:shared_vcpu"},
		{"hw:cpu_policy=dedicated hw:wrs:shared_vcpu=1 hw:cpu_realtime=yes hw:cpu_realtime_mask=^0", "",
			"hw:wrs:shared_vcpu"},
		{"hw:cpu_policy=dedicated hw:cpu_realtime=yes hw:emulator_threads_policy=share", "", "hw:cpu_realtime_mask"},
		{"hw:numa_nodes=2 hw:numa_node.0=1", "", "hw:numa_node.1"},
		{"hw:numa_nodes=2 hw:numa_node.0=1 hw:numa_node.1=1", "", "hw:numa_node.1"},
		{"hw:numa_node.0=4", "", "hw:numa_node.0"},
		{"hw:numa_node.0=0 hw:cpu_policy=shared", "", "hw:numa_node.0"},
		{"hw:numa_node.0=0", "hw_numa_node.0=0", "hw_numa_node.0"},
		{"hw:wrs:vswitch_numa_affinity=required", "", "hw:wrs:vswitch_numa_affinity"},
		{"hw:wrs:pci_numa_affinity=preferred", "", "hw:wrs:pci_numa_affinity"},
		{"pci_numa_affinity=strict hw:wrs:pci_numa_affinity=prefer", "", "pci_numa_affinity"},
	} {
		got, _, errs := Request(made(4, 4096, test.specs), image(test.image), nil, nova.StarlingX)
		if got != nil || len(errs) != 1 || errs[0].Key != test.key {
			t.Errorf("%s with image %s: %v, want one error of %s", test.specs, test.image, errs, test.key)
		}
	}
}

// TestDocumentIsSilent: what only the fork refuses is a remark for the document.
func TestDocumentIsSilent(t *testing.T) {
	for _, specs := range []string{
		"hw:cpu_policy=dedicated hw:wrs:shared_vcpu=0 hw:cpu_thread_policy=isolate",
		"hw:cpu_policy=dedicated hw:wrs:shared_vcpu=0 hw:numa_nodes=4",
	} {
		got, remarks, errs := Request(made(4, 4096, specs), nil, nil, nova.HCG40)
		if got == nil || errs != nil || len(remarks) != 1 || !strings.Contains(remarks[0].Text, "StarlingX") {
			t.Errorf("%s: %v, %v", specs, remarks, errs)
		}
	}
}

func TestAffinities(t *testing.T) {
	port := []v1alpha1.Port{{VNICType: "direct", PhysicalNetwork: "sriov-a"}}
	for _, test := range []struct {
		specs           string
		rules           nova.Rules
		vswitch, device string
	}{
		{"", nova.HCG40, "", nova.Required},
		{"", nova.StarlingX, "", nova.Required},
		{"", nova.Nova, "", nova.Legacy},
		{"hw:wrs:vswitch_numa_affinity=strict hw:wrs:pci_numa_affinity=prefer", nova.StarlingX, nova.Required,
			nova.Preferred},
		{"vswitch_numa_affinity=prefer pci_numa_affinity=strict", nova.HCG40, nova.Preferred, nova.Required},
		{"vswitch_numa_affinity=prefer pci_numa_affinity=strict", nova.Nova, "", nova.Legacy},
		{"hw:pci_numa_affinity_policy=socket", nova.Nova, "", nova.Socket},
		{"hw:pci_numa_affinity_policy=socket", nova.HCG40, "", nova.Required},
	} {
		got, _, errs := Request(made(4, 4096, test.specs), nil, port, test.rules)
		if errs != nil || got.VSwitchAffinity != test.vswitch || got.Devices[0].Policy != test.device {
			t.Errorf("%s %q: %+v, %v", test.rules, test.specs, got, errs)
		}
	}
}
