package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/profile"
)

// paged is a cluster of pools with the huge pages given, by pool.
func paged(release string, pools ...v1alpha1.PoolDecision) Input {
	in := Input{Metadata: v1alpha1.Metadata{Name: "x"},
		Platform: v1alpha1.Platform{Release: release, Provider: "baremetal"}}
	for _, p := range pools {
		p.Role, p.Count = "worker", 3
		if p.Name == poolInfra {
			p.Role = "infra"
		}
		in.Decisions.Pools = append(in.Decisions.Pools, p)
	}
	return in
}

func withPages(name string, pages map[string]int64) v1alpha1.PoolDecision {
	return v1alpha1.PoolDecision{Name: name, Type: "big", HugePages: pages}
}

// objectsOf are the objects of the files whose names begin so.
func objectsOf(t *testing.T, files []File, prefix string) []*object.Object {
	t.Helper()
	var out []*object.Object
	for _, f := range files {
		if strings.HasPrefix(f.Path, prefix) {
			list, problems := object.Split(f.Path, f.Content)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			out = append(out, list...)
		}
	}
	return out
}

// oneText is a text without line ends and comment signs.
func oneText(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "\n#", "")), " ")
}

// TestHugePagesReachTheirPool: as the operator of each release chooses,
// nodes get the pages of their own pool and no others, also where they keep the
// label of worker beside that of another role.
func TestHugePagesReachTheirPool(t *testing.T) {
	pools := []v1alpha1.PoolDecision{withPages("worker", map[string]int64{"2Mi": 100}), withPages("infra", nil),
		withPages("gpu", nil),
		withPages("dpdk", map[string]int64{"2Mi": 200}), withPages("zeta", map[string]int64{"2Mi": 300})}
	roles := func(names ...string) map[string]string {
		out := map[string]string{}
		for _, n := range names {
			out[roleLabel+n] = ""
		}
		return out
	}
	want := map[string]struct {
		labels  map[string]string
		profile string
	}{
		"worker":  {roles("worker"), "node-hugepages-worker"},
		"infra":   {roles("worker", "infra"), "openshift-control-plane"},
		"moved":   {roles("infra"), "openshift-control-plane"},
		"gpu":     {roles("worker", "gpu"), "openshift-node"},
		"dpdk":    {roles("worker", "dpdk"), "node-hugepages-dpdk"},
		"zeta":    {roles("worker", "zeta"), "node-hugepages-zeta"},
		"master":  {roles("master", "worker"), "openshift-control-plane"},
		"today":   {roles("control-plane", "worker"), "openshift-control-plane"},
		"unknown": {roles(), "openshift-node"},
	}
	for _, r := range release.Documented() {
		tuneds, found := object.All[openshift.Tuned](
			objectsOf(t, mustRender(t, paged(r.Minor().String(), pools...)), "tuned-"), "Tuned")
		if len(found) > 0 || len(tuneds) != 3 {
			t.Fatal(r, found, len(tuneds))
		}
		in := profile.Input{Tuneds: tuneds, Release: r}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			in.Nodes = append(in.Nodes, profile.Node{Name: name, Labels: want[name].labels})
		}
		x := profile.Explain(in)
		for _, n := range x.Nodes {
			if n.Profile != want[n.Name].profile {
				t.Errorf("%v: node %s gets %s, want %s", r, n.Name, n.Profile, want[n.Name].profile)
			}
		}
		for _, c := range x.Classes {
			if len(c.Ties) > 0 {
				t.Errorf("%v: ties %v", r, c.Ties)
			}
		}
	}
}

// TestHugePagesByBoot: what the kernel can't allocate while it runs, or not in one
// setting, becomes arguments of one MachineConfig, in the order that the kernel reads.
func TestHugePagesByBoot(t *testing.T) {
	for _, c := range []struct {
		pages map[string]int64
		want  string
	}{
		{map[string]int64{"1Gi": 4}, "default_hugepagesz=1G hugepagesz=1G hugepages=4"},
		{map[string]int64{"1Gi": 4, "2Mi": 8}, "hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=8"},
	} {
		files := mustRender(t, paged("4.19", withPages("dpdk", c.pages)))
		list, found := object.All[openshift.MachineConfig](objectsOf(t, files, "machineconfig-"), "MachineConfig")
		if len(found) > 0 || len(list) != 1 || contentOf(files, "tuned-dpdk.yaml") != "" {
			t.Fatal(c.pages, found, len(list))
		}
		args := list[0].Value.Spec.KernelArguments
		if got := strings.Join(args, " "); !strings.Contains(got, c.want) {
			t.Errorf("%v: %s, want %s", c.pages, got, c.want)
		}
		if got := list[0].Value.Metadata.Labels[openshift.LabelRole]; got != "dpdk" {
			t.Errorf("role %s", got)
		}
		if out := lint(t, "4.19", forClusters(files)); len(out) > 0 {
			t.Error(out)
		}
	}
}

// TestHugePagesThatCantBe: what a pool or a release can't have is told.
func TestHugePagesThatCantBe(t *testing.T) {
	one, other := withPages("worker", map[string]int64{"2Mi": 1}), withPages("worker", map[string]int64{"2Mi": 2})
	other.Type = "bigger"
	gib, both := map[string]int64{"1Gi": 1}, map[string]int64{"1Gi": 1, "2Mi": 1}
	for _, c := range []struct {
		in         Input
		file, want string
	}{
		{paged("4.17", one, other), "", "its node types want different ones"},
		{paged("4.1", withPages("dpdk", gib)), "", "the first release with them is 4.2"},
		{paged("4.17", withPages("worker", gib), withPages("gpu", nil)), "machineconfig-worker.yaml",
			"Pools that take the machine configs of role worker (gpu) get these boot arguments, too"},
		{paged("4.4", withPages("dpdk", both)), "machineconfig-dpdk.yaml", "4.4 offers pods one size a node"},
		{paged("4.17", withPages("dpdk", map[string]int64{"3Mi": 1})), "", "is no size of huge pages"},
	} {
		files := mustRender(t, c.in)
		said := contentOf(files, readmeFile)
		if c.file != "" {
			if said = contentOf(files, c.file); said == "" {
				t.Errorf("no %s", c.file)
			}
		} else if list := append(objectsOf(t, files, "tuned-"), objectsOf(t, files, "machineconfig-")...); len(list) > 0 {
			t.Errorf("%v in spite of it", list)
		}
		if text := oneText(said); !strings.Contains(strings.ToLower(text), strings.ToLower(c.want)) {
			t.Errorf("want %q, got: %s", c.want, text)
		}
		if out := lint(t, c.in.Platform.Release, forClusters(files)); len(out) > 0 {
			t.Error(out)
		}
	}
}

// TestManyPoolsWithPages: priorities stay those of nobody else, and differ.
func TestManyPoolsWithPages(t *testing.T) {
	var pools []v1alpha1.PoolDecision
	for i := range 12 {
		pools = append(pools, withPages(fmt.Sprintf("p%d", i), map[string]int64{"2Mi": 1}))
	}
	pools = append(pools, withPages("worker", map[string]int64{"2Mi": 1}))
	for release, seen := range map[string]map[int64]bool{"4.3": {10: true, 20: true, 30: true, 40: true},
		"4.17": {20: true, 30: true, 40: true}} {
		list, _ := object.All[openshift.Tuned](objectsOf(t, mustRender(t, paged(release, pools...)), "tuned-"), "Tuned")
		for _, cr := range list {
			for _, r := range cr.Value.Spec.Recommend {
				if seen[*r.Priority] || *r.Priority < 0 {
					t.Errorf("%s, %s: priority %d", release, cr.Name, *r.Priority)
				}
				seen[*r.Priority] = true
			}
		}
		if len(list) != 13 {
			t.Error(release, len(list))
		}
	}
}
