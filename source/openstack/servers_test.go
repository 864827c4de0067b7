package openstack

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
)

var wantServers = []v1alpha1.Server{
	{Name: "vnf-a", Count: 1, Flavor: "vnf.dpdk", Host: "compute-0", AvailabilityZone: "az1", BootFrom: "volume"},
	{Name: "web-7c1d9d55", Count: 1, Flavor: "m1.small", Host: "compute-1", Image: "debian-13", BootFrom: "image"},
	{Name: "web-8d2e0e66", Count: 1, Flavor: "m1.small", Host: "compute-1", Image: "debian-13", BootFrom: "image"},
}

func TestServers(t *testing.T) {
	for _, name := range []string{"servers-new.json", "servers-old.json", "servers-api.json"} {
		got, skipped, err := ReadServers(open(t, name), name)
		if diff := cmp.Diff(wantServers, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
		if len(skipped) != 2 || skipped[0].What != "server old" || !strings.Contains(skipped[0].Why, "SHELVED_OFFLOADED") ||
			skipped[1].What != "server failed" || !strings.HasPrefix(skipped[1].Place, name+":") {
			t.Errorf("%s: skipped %+v", name, skipped)
		}
	}
}

// rows makes a list of servers of "name flavor host status" each.
func rows(lines ...string) *strings.Reader {
	var b strings.Builder
	for i, l := range lines {
		f := strings.Fields(l)
		fmt.Fprintf(&b, `,{"ID":"%08x-0000","Name":%q,"Flavor Name":%q,"Host":%q,"Status":%q,"Availability `+
			`Zone":"nova","Image Name":""}`+"\n", i, f[0], f[1], strings.Trim(f[2], "-"), f[3])
	}
	return strings.NewReader("[" + strings.TrimPrefix(b.String(), ",") + "]")
}

func TestStatus(t *testing.T) {
	got, skipped, err := ReadServers(rows("a f h ACTIVE", "b f h SHELVED", "c f h ERROR", "d f - BUILD",
		"e f h SOFT_DELETED", "f f h DELETED", "g f - SHELVED_OFFLOADED", "h f - DELETED", "i f h DELETED"), "s")
	var names []string
	for _, s := range got {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d", "e"}, names); diff != "" || err != nil || got[3].Host != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	want := []v1alpha1.Skipped{
		{Place: "s:3", What: "server c", Needed: true,
			Why: "status ERROR: it counts as if it ran, with all that its flavor asks of its host"},
		{Place: "s:6", What: "servers", Why: "status DELETED: it holds nothing on a host", Count: 3},
		{Place: "s:7", What: "server g", Why: "status SHELVED_OFFLOADED: it holds nothing on a host"},
	}
	if diff := cmp.Diff(want, skipped); diff != "" {
		t.Error(diff)
	}
}

func TestServerColumns(t *testing.T) {
	text := `[{"ID": "1", "Name": "a", "Status": "UNKNOWN", "Flavor": null},
		{"ID": "2", "Name": "b", "Flavor": "f", "Availability Zone": "az1", "Pinned Availability Zone": null},
		{"ID": "3", "Name": "c", "Flavor": "f", "Availability Zone": "az1", "Pinned Availability Zone": "az2"},
		{"ID": "4", "Name": "", "Flavor": {"name": "g"}, "Image": "x"}]`
	got, skipped, err := ReadServers(strings.NewReader(text), "s")
	want := []v1alpha1.Server{
		{Name: "b", Count: 1, Flavor: "f", BootFrom: "volume"},
		{Name: "c", Count: 1, Flavor: "f", AvailabilityZone: "az2", BootFrom: "volume"},
		{Name: "4", Count: 1, Flavor: "g", Image: "x", BootFrom: "image"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || len(skipped) != 2 ||
		skipped[1].What != "the servers' hosts" {
		t.Errorf("%v, %v\n%s", skipped, err, diff)
	}
	_, _, err = ReadServers(strings.NewReader(`[{"Name": "a"}, {"Flavor": "f"}]`), "s")
	const problems = "s:1:2: server \"a\" has no flavor (a column Flavor Name or Flavor; list with --long)\n" +
		"s:1:17: the server has no name (a column Name)"
	if fmt.Sprint(err) != problems {
		t.Error(err)
	}
}

// TestManyServers: equal ones are put together, and none is lost.
func TestManyServers(t *testing.T) {
	var lines []string
	for i := range mostServers + 1 {
		lines = append(lines, fmt.Sprintf("vm%d f%d h%d ACTIVE", i, i%2, i%10))
	}
	got, _, err := ReadServers(rows(lines...), "s")
	sum := 0
	names := map[string]bool{}
	for _, s := range got {
		sum += s.Count
		names[s.Name] = true
	}
	if err != nil || len(got) != 10 || sum != len(lines) || len(names) != 10 || got[0].Name != "f0 on h0" ||
		got[0].Count != 501 {
		t.Errorf("%d entries, %d servers, %v: %+v", len(got), sum, err, got[0])
	}
	got, _, err = ReadServers(rows(lines[:mostServers]...), "s")
	if err != nil || len(got) != mostServers || got[4999].Name != "vm4999" {
		t.Errorf("%d entries, %v", len(got), err)
	}
}

// TestTakenNames: a name that is made may be there already.
func TestTakenNames(t *testing.T) {
	got, _, err := ReadServers(rows("a f h ACTIVE", "a f h ACTIVE", "a-00000000 f h ACTIVE"), "s")
	if err != nil || got[0].Name != "a-00000000-2" || got[1].Name != "a-00000001" || got[2].Name != "a-00000000" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestImages(t *testing.T) {
	text := `[{"id": "1", "name": "debian-13", "size": 412876800, "virtual_size": 3221225472, "properties": {"hw_cpu_policy": "dedicated", "os_type": "linux"}},
		{"ID": "2", "Name": "rhel", "Size": 100, "Disk Format": "qcow2"},
		{"id": "3", "name": "queued", "size": null}, {"id": "4", "name": "rhel", "size": 5},
		{"id": "5", "name": null, "size": 7, "hw_numa_nodes": "2", "tags": []}]`
	got, skipped, err := ReadImages(strings.NewReader(text), "i")
	want := []v1alpha1.Image{
		{Name: "debian-13", Count: 1, Size: 412876800, DiskSize: 3221225472,
			Properties: map[string]string{"hw_cpu_policy": "dedicated", "os_type": "linux"}},
		{Name: "rhel", Count: 1, Size: 100, Properties: map[string]string{}},
		{Name: "5", Count: 1, Size: 7, Properties: map[string]string{"hw_numa_nodes": "2"}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || len(skipped) != 2 || skipped[0].What != "image queued" {
		t.Errorf("%v, %v\n%s", skipped, err, diff)
	}
}
