package apply

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/engine/apply"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/profile"
	language "plimsoll.dev/tune/tuned"
)

// tunedObjects are the custom resources of the guide of 4.4: chapter 4.6's ingress
// nodes and chapter 13.3's huge pages, the latter with priority 20, because its 30
// ties with the default's openshift-control-plane.
const tunedObjects = `apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {name: ingress, namespace: openshift-cluster-node-tuning-operator}
spec:
  profile:
  - data: |
      [main]
      summary=A custom OpenShift ingress profile
      include=openshift-control-plane
      [sysctl]
      net.ipv4.ip_local_port_range="1024 65535"
      net.ipv4.tcp_tw_reuse=1
    name: openshift-ingress
  recommend:
  - match:
    - label: tuned.openshift.io/ingress-node-label
    priority: 10
    profile: openshift-ingress
---
apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {name: hugepages, namespace: openshift-cluster-node-tuning-operator}
spec:
  profile:
  - data: |
      [main]
      summary=Configuration for hugepages
      include=openshift-node
      [vm]
      transparent_hugepages=never
      [sysctl]
      vm.nr_hugepages=1024
    name: node-hugepages
  recommend:
  - match:
    - label: hugepages
    priority: 20
    profile: node-hugepages
`

// every are the values of profile openshift of the default custom resource of 4.4
// (guide, 4.3), which all nodes get, with those before.
var every = map[string][2]string{
	"net.ipv4.ip_forward": {"0", "1"}, "kernel.pid_max": {"32768", "4194304"},
	"net.netfilter.nf_conntrack_max": {"262144", "1048576"},
	"net.ipv4.conf.all.arp_announce": {"0", "2"}, "vm.max_map_count": {"65530", "262144"},
	"net.ipv4.neigh.default.gc_thresh1": {"128", "8192"}, "net.ipv4.neigh.default.gc_thresh2": {"512", "32768"},
	"net.ipv4.neigh.default.gc_thresh3": {"1024", "65536"},
	"net.ipv6.neigh.default.gc_thresh1": {"128", "8192"}, "net.ipv6.neigh.default.gc_thresh2": {"512", "32768"},
	"net.ipv6.neigh.default.gc_thresh3": {"1024", "65536"},
	"avc_cache_threshold":               {"512", "8192"}, "nf_conntrack_hashsize": {"65536", "131072"},
	"vm.dirty_background_ratio": {"10", "10"},
	"net.core.somaxconn":        {"128", "2048"},
}

// throughput-performance and virtual-guest of TuneD 2.20.0, of which the node's
// hardware decides, and what the guide's profiles add.
var (
	onMetal = map[string][2]string{"vm.dirty_ratio": {"20", "40"}, "vm.swappiness": {"60", "10"},
		"/sys/module/nvme_core/parameters/io_timeout":  {"30", "4294967295"},
		"/sys/module/nvme_core/parameters/max_retries": {"5", "10"}}
	asGuest = map[string][2]string{"vm.dirty_ratio": {"20", "30"}, "vm.swappiness": {"60", "30"}}
	nodes   = map[string][2]string{"net.ipv4.tcp_fastopen": {"1", "3"}, "fs.inotify.max_user_watches": {"8192", "65536"},
		"fs.inotify.max_user_instances": {"128", "8192"}}
	control = map[string][2]string{"kernel.sched_min_granularity_ns": {"3000000", "10000000"},
		"kernel.sched_migration_cost_ns":     {"500000", "5000000"},
		"kernel.sched_wakeup_granularity_ns": {"4000000", "4000000"}}
	ingress = map[string][2]string{"net.ipv4.ip_local_port_range": {"32768\t60999", "1024 65535"},
		"net.ipv4.tcp_tw_reuse": {"2", "1"}}
	hugepages = map[string][2]string{"vm.nr_hugepages": {"0", "1024"}, "transparent_hugepages": {"always", "never"}}
)

type role struct {
	name     string
	labels   map[string]string
	hardware hardware
	virtual  string
	profile  string
	values   []map[string][2]string
	// lacks are values that the hardware doesn't have.
	lacks []string
}

var oldGuest = func() hardware { h := guest; h.granularity = true; return h }()

var roles = []role{
	{"worker on metal", map[string]string{"node-role.kubernetes.io/worker": ""}, metal, "", "openshift-node",
		[]map[string][2]string{every, onMetal, nodes}, nil},
	{"worker in a VM", map[string]string{"node-role.kubernetes.io/worker": ""}, guest, "kvm", "openshift-node",
		[]map[string][2]string{every, asGuest, nodes},
		[]string{"/sys/module/nvme_core/parameters/io_timeout", "/sys/module/nvme_core/parameters/max_retries"}},
	{"worker with huge pages", map[string]string{"node-role.kubernetes.io/worker": "", "hugepages": "true"}, metal, "",
		"node-hugepages", []map[string][2]string{every, onMetal, nodes, hugepages}, nil},
	{"master", map[string]string{"node-role.kubernetes.io/master": ""}, oldGuest, "vmware", "openshift-control-plane",
		[]map[string][2]string{every, asGuest, control},
		[]string{"/sys/module/nvme_core/parameters/io_timeout", "/sys/module/nvme_core/parameters/max_retries"}},
	{"infra", map[string]string{"node-role.kubernetes.io/infra": ""}, metal, "", "openshift-control-plane",
		[]map[string][2]string{every, onMetal, control}, nil},
	{"ingress", map[string]string{"node-role.kubernetes.io/worker": "", "tuned.openshift.io/ingress-node-label": "any"},
		metal, "", "openshift-ingress", []map[string][2]string{every, onMetal, control, ingress}, nil},
}

// TestEachRoleGetsItsProfile: chosen by the labels, written, applied, verified and
// taken back.
func TestEachRoleGetsItsProfile(t *testing.T) {
	objects, problems := object.Split("tuned.yaml", []byte(tunedObjects))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	custom, findings := object.All[openshift.Tuned](objects, "Tuned")
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			labels := map[string]string{"kubernetes.io/os": "linux"}
			maps.Copy(labels, r.labels)
			x := profile.Explain(profile.Input{Tuneds: custom, Nodes: []profile.Node{{Name: "node", Labels: labels}},
				Release: release.V44})
			if got := x.Nodes[0].Profile; got != r.profile {
				t.Fatalf("profile %s is chosen, not %s", got, r.profile)
			}
			n := newNode(t, r.hardware)
			result := applied(t, n, apply.Options{Profile: r.profile, Profiles: texts(custom...), Virtual: r.virtual})
			r.compare(t, result)
		})
	}
}

// texts are the profiles of custom resources, those of the default first.
func texts(custom ...object.Typed[openshift.Tuned]) []language.Profile {
	var out []language.Profile
	for _, o := range append([]object.Typed[openshift.Tuned]{profile.Default(release.V44)}, custom...) {
		for i, p := range o.Value.Spec.Profile {
			field := fmt.Sprintf("spec.profile[%d].data", i)
			out = append(out, language.Profile{Name: *p.Name, Source: language.SourceAt(o.Object, field, *p.Data)})
		}
	}
	return out
}

// compare demands each value, and that none beside them changed.
func (r role) compare(t *testing.T, result *apply.Result) {
	t.Helper()
	if !result.Applied || !result.Verified || !result.RolledBack || len(result.Others) > 0 {
		t.Errorf("%+v\n%+v\n%+v", result.Answer().Verdict, result.Findings(), result.Others)
	}
	want, seen := map[string][2]string{}, map[string]bool{}
	for _, m := range r.values {
		maps.Copy(want, m)
	}
	for _, v := range result.Values {
		if v.Device != "" || v.State == apply.Unknown || v.Plugin == "cpu" {
			continue
		}
		seen[v.Option] = true
		w, ok := want[v.Option]
		switch {
		case v.State == apply.Skipped:
			if ok || !slices.Contains(r.lacks, v.Option) {
				t.Errorf("%s is skipped: %s", v.Option, v.Note)
			}
		case !ok:
			t.Errorf("%s is not expected", v.Option)
		case *v.Before != w[0] || *v.After != w[1] || *v.RolledBack != w[0]:
			t.Errorf("%s was %q, then %q, at last %q; not %q and %q", v.Option, *v.Before, *v.After, *v.RolledBack, w[0], w[1])
		}
	}
	for option := range want {
		if !seen[option] {
			t.Errorf("%s is not told", option)
		}
	}
}
