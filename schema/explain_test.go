package schema

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
)

func TestExplain(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"hardware.nodeTypes[0].maxPods", `KIND:     Scenario
VERSION:  plimsoll.dev/v1alpha1
FIELD:    hardware.nodeTypes.maxPods
TYPE:     whole number
DEFAULT:  250 (fact ocp.kubelet.maxPods)
ALLOWED:  1 to 100000
PLATFORM: openshift, kubernetes

DESCRIPTION:
  maxPods is the kubelet's maxPods on this type.
`},
		{"scenario.policy.overcommit", `KIND:     Scenario
VERSION:  plimsoll.dev/v1alpha1
FIELD:    policy.overcommit
TYPE:     object
PLATFORM: openshift, kubernetes

DESCRIPTION:
  Overcommit divides what pods request before they are packed.

FIELDS:
  cpu  <factor (1.5, 30%)>
      CPU factor; 1.375 packs 550 cores on 400.
  memory  <factor (1.5, 30%)>
      Memory factor.
`},
		{"platform.release", `KIND:     Scenario
VERSION:  plimsoll.dev/v1alpha1
FIELD:    platform.release
TYPE:     text, required

DESCRIPTION:
  Release of the product, such as "4.4" or "4.17"; for kubernetes "1.36", for
  helion "4.0". Quote it: 4.10 without quotes is the number 4.1.
`},
		{"network.type", `KIND:     Scenario
VERSION:  plimsoll.dev/v1alpha1
FIELD:    network.type
TYPE:     text
DEFAULT:  depends, see the description
ALLOWED:  OpenShiftSDN, OVNKubernetes
PLATFORM: openshift, kubernetes

DESCRIPTION:
  Type of the network plug-in. The default is that of the release:
  OpenShiftSDN before 4.12, OVNKubernetes since.
`},
	} {
		got, err := Explain(c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.path, diff)
		}
	}
}

func TestExplainRoot(t *testing.T) {
	got, err := Explain("")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"TYPE:     object\n", "  platform  <object, required>\n",
		"  measurements  <list of objects>\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, c := range []struct{ path, typ, def, fact, allowed string }{
		{"network.machineNetwork[*]", "list of texts", "10.0.0.0/16", "ocp.network.machineNetwork", ""},
		{"workload.podTypes[3].hugePages.2Mi", "mapping of names to byte quantities", "", "", ""},
		{"workload.podTypes.devices.nvidia.com/gpu", "mapping of names to whole numbers", "", "", ""},
		{"workload.podTypes.label", "", "", "", ""},
		{"hardware.nodeTypes.deviceNUMANodes", "mapping of names to lists of whole numbers", "", "", ""},
		{"hardware.nodeTypes[0].hugePagesPerNUMANode.1Gi", "mapping of names to lists of byte quantities", "", "", ""},
		{"hardware.nodeTypes.kubelet.cpuManagerPolicy", "text", "none", "", "none, static"},
		{"policy.maxUnavailable", "whole number or text", "1", "ocp.rollout.maxUnavailable", ""},
		{"policy.growth", "factor (1.5, 30%)", "0", "", "at most 1000"},
		{"storage.etcd", "text", "", "", "nvme, ssd, hdd, ceph, nfs"},
		{"workload.podTypes.replicas", "whole number", "1", "", "0 to 10000000"},
		{"HARDWARE.NODETYPES.CPUS", "whole number", "", "", "1 to 4096"},
	} {
		f, err := Lookup(c.path)
		if (err != nil) != (c.typ == "") {
			t.Errorf("%s: %v", c.path, err)
		}
		if f.Type != c.typ || f.Default != c.def || f.Fact != c.fact || f.Allowed != c.allowed {
			t.Errorf("%s: got %+v", c.path, f)
		}
	}
}

func TestUnknownPaths(t *testing.T) {
	for path, want := range map[string]string{
		"hardware.nodeTypes.memry": `hardware.nodeTypes has no field "memry" (did you mean memory?)`,
		"hardwre":                  `the scenario has no field "hardwre" (did you mean hardware?)`,
		"workload.podTypes.cpu.x":  `workload.podTypes.cpu has no fields, so no "x"`,
		"monitoring.colour": `monitoring has no field "colour" (its fields are retention, replicas, ` +
			`storageClass, alertmanagerSize)`,
		"workload.podTypes[0].origin": `workload.podTypes has no field "origin"`,
		"policy..zones":               `policy has no field ""`,
	} {
		if _, err := Explain(path); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

// Every field of the types is explained, in words.
func TestEveryFieldIsExplained(t *testing.T) {
	var walk func(t reflect.Type, path string)
	n := 0
	walk = func(typ reflect.Type, path string) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct {
			return
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			if strings.Contains(f.Tag.Get("check"), "output") {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			p := strings.TrimPrefix(path+"."+name, ".")
			got, err := Lookup(p)
			if err != nil || got.Type == "" || len(got.Description) < 10 {
				t.Errorf("%s: %+v, %v", p, got, err)
			}
			n++
			walk(f.Type, p)
		}
	}
	walk(reflect.TypeFor[v1alpha1.Scenario](), "")
	if n < 120 {
		t.Errorf("only %d fields", n)
	}
}

func TestNearest(t *testing.T) {
	fields := []string{"cpus", "memory", "maxPods", "podsPerCore", "overcommit", "zones"}
	for word, want := range map[string]string{
		"memry": "memory", "mmeory": "memory", "cpu": "cpus", "CPUS": "cpus", "maxpods": "maxPods",
		"podPerCore": "podsPerCore",
		"colour":     "", "": "", "x": "", "over": "overcommit", "pods": "", strings.Repeat("x", 200): "",
	} {
		if got := Nearest(word, fields); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
	if d := editDistance([]rune("ca"), []rune("abc")); d != 3 {
		t.Errorf("distance of ca and abc is %d", d)
	}
}
