package flavor

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
)

func TestDevices(t *testing.T) {
	ports := []v1alpha1.Port{
		{Network: "oam"}, {Network: "left", PhysicalNetwork: "physnet1", VNICType: "normal"},
		{VNICType: "direct", PhysicalNetwork: "physnet0"}, {VNICType: "direct", PhysicalNetwork: "physnet0"},
		{VNICType: "direct-physical", PhysicalNetwork: "physnet2"},
		{Network: "right", PhysicalNetwork: "physnet1"}, {Network: "up", PhysicalNetwork: "physnet0"},
	}
	f := made(4, 4096, "hw:pci_numa_affinity_policy=preferred")
	f.Properties["pci_passthrough:alias"] = "qat:2, gpu:1,qat:1"
	got, _, errs := Request(f, nil, ports, nova.Nova)
	if errs != nil {
		t.Fatal(errs)
	}
	const p = nova.Preferred
	want := []nova.DeviceRequest{{Kind: "qat", Count: 2, Policy: p}, {Kind: "gpu", Count: 1, Policy: p},
		{Kind: "qat", Count: 1, Policy: p},
		{Kind: "physnet0", Count: 1, Policy: p}, {Kind: "physnet0", Count: 1, Policy: p},
		{Kind: PortKind("physnet2"), Count: 1, Policy: p}}
	if diff := cmp.Diff(want, got.Devices); diff != "" {
		t.Errorf("devices (-want +got):\n%s", diff)
	}
	if !slices.Equal(got.Physnets, []string{"physnet0", "physnet1", "physnet2"}) || !got.Tunneled {
		t.Errorf("networks %v, tunnelled %v", got.Physnets, got.Tunneled)
	}
	if got, _, _ := Request(f, nil, ports, nova.HCG40); got.Physnets != nil || got.Tunneled {
		t.Errorf("%+v: before Nova's own rules networks bind no VM", got)
	}
}

func TestBadDevices(t *testing.T) {
	for _, alias := range []string{"", "a", "a:", ":1", "a:b", "a:1:2", "a:1,", "a:-1", "a:1.5", "a:99999999999"} {
		f := made(4, 4096, "")
		f.Properties["pci_passthrough:alias"] = alias
		if got, _, errs := Request(f, nil, nil, nova.Nova); got != nil || len(errs) != 1 ||
			errs[0].Key != "pci_passthrough:alias" {
			t.Errorf("alias %q: %+v, %v", alias, got, errs)
		}
	}
	for want, p := range map[string]v1alpha1.Port{
		"ports[0].vnicType":        {VNICType: "macvtap"},
		"ports[0].physicalNetwork": {VNICType: "direct-physical", Network: "n"},
	} {
		if _, _, errs := Request(made(1, 512, ""), nil, []v1alpha1.Port{p}, nova.Nova); len(errs) != 1 ||
			errs[0].Key != want {
			t.Errorf("%+v: %v", p, errs)
		}
	}
}

func TestHostConstraints(t *testing.T) {
	const scope = "aggregate_instance_extra_specs:"
	for _, test := range []struct {
		properties map[string]string
		want       Constraints
	}{
		{nil, Constraints{}},
		{map[string]string{scope + "storage": "local_lvm", scope + "ssd": "true", "quota:cpu_shares": "1"},
			Constraints{LocalBacking: "lvm", Aggregate: map[string]string{"ssd": "true"}}},
		{map[string]string{scope + "storage": "local_image"}, Constraints{LocalBacking: "image"}},
		{map[string]string{scope + "storage": "remote"}, Constraints{LocalBacking: "remote"}},
		{map[string]string{scope + "storage": "s== remote"}, Constraints{LocalBacking: "remote"}},
		{map[string]string{scope + "storage": "nvme", scope + "cpu:gen": "<or> skylake <or> icelake"},
			Constraints{Aggregate: map[string]string{"storage": "nvme", "cpu:gen": "<or> skylake <or> icelake"}}},
	} {
		got, errs := HostConstraints(&v1alpha1.Flavor{Properties: test.properties})
		if diff := cmp.Diff(test.want, got); diff != "" || errs != nil {
			t.Errorf("%v: %v\n%s", test.properties, errs, diff)
		}
	}
	if _, errs := HostConstraints(&v1alpha1.Flavor{Properties: map[string]string{scope: "x"}}); len(errs) != 1 ||
		errs[0].Fix == "" {
		t.Errorf("a key without metadata: %v", errs)
	}
}
