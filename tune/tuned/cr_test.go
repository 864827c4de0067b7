package tuned

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"plimsoll.dev/facts"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// checked are the findings of a manifest as line:col id.
func checked(t *testing.T, name string, text []byte, r release.Release) []string {
	t.Helper()
	objects, problems := object.Split(name, text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var out []string
	for _, f := range Check(objects, r) {
		out = append(out, fmt.Sprintf("%d:%d %s", f.Place.Line, f.Place.Col, strings.TrimPrefix(f.ID, "tuned.")))
		if f.Place.File != name || f.Remedy == "" {
			t.Errorf("%+v", f)
		}
	}
	return out
}

// TestDefaultAsPrinted: each blank that the document prints for an underscore is
// found where it stands; a sysfs path that isn't there is nobody's mistake.
func TestDefaultAsPrinted(t *testing.T) {
	text, err := os.ReadFile("testdata/documents/default-as-printed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := "20:7 blankInKey, 21:7 blankInKey, 24:7 blankInKey, 25:7 blankInKey, 29:7 blankInKey, " +
		"15:7 unknownOption, 17:7 unknownOption"
	for _, r := range release.Documented() {
		if got := strings.Join(checked(t, "default.yaml", text, r), ", "); got != want {
			t.Errorf("%s: %s\nwant %s", r, got, want)
		}
	}
	clean := string(text)
	for _, name := range []string{"avc_cache_threshold", "nf_conntrack_hashsize", "nf_conntrack_max", "pid_max",
		"gc_thresh", "max_map_count"} {
		clean = strings.ReplaceAll(clean, strings.ReplaceAll(name, "_", " "), name)
	}
	if got := checked(t, "default.yaml", []byte(clean), release.V44); len(got) > 0 {
		t.Errorf("with underscores: %v", got)
	}
}

// TestIngressExample: the document's own example is fine, and its quotes are gone
// when the value is written.
func TestIngressExample(t *testing.T) {
	text, err := os.ReadFile("testdata/documents/ingress.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range release.Documented() {
		if got := checked(t, "ingress.yaml", text, r); len(got) > 0 {
			t.Errorf("%s: %v", r, got)
		}
	}
	objects, _ := object.Split("ingress.yaml", text)
	body := objects[0].Tree.Node("spec.profile[0].data").Text
	set := NewSet(Directory{Path: "/etc/tuned",
		Profiles: []Profile{{Name: "openshift-ingress", Source: SourceAt(objects[0], "spec.profile[0].data", body)},
			{Name: "openshift-control-plane", Source: Source{Body: "[main]\n"}}}})
	f := flatten(t, set, "openshift-ingress", Machine{})
	o := f.Section("sysctl").Option("net.ipv4.ip_local_port_range")
	if o.Value != "1024 65535" || o.Written != `"1024 65535"` || o.From.Place.Line != 14 || o.From.Place.Col != 7 ||
		o.From.Place.Object != "Tuned/ingress" {
		t.Errorf("%+v", o)
	}
}

// TestCheck: what is wrong inside profiles, in their places in the manifest, each
// once although several profiles are merged of it.
func TestCheck(t *testing.T) {
	text := `apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {name: a}
spec:
  profile:
  - name: base
    data: |
      [main]
      include=throughput-performance
      [bootloader]
      cmdline=quiet
      [sysctl]
      a=1 ; one
        b=2
      [nett]
      mtu=1
      [vm]
      transparent_hugepages=on
      transparent_hugepage.defrag=defer
  - name: child
    data: |
      [main]
      include=base
      [variables]
      type=1
      [sysctl]
      a=${f:cpulist2hx:1}
      replace=yes
  - name: other
    data: "[main]\ninclude=base\nno equals\n"
  - name: bad name
    data: |
      [main]
      summary=x
  - {name: "..", data: "[main]\nsummary=x\n"}
  - {name: -x, data: "[main]\nsummary=x\n"}
`
	want := []string{"14:9 joined", "15:7 unknownPlugin", "18:7 pageValue", "25:7 lostVariable", "27:7 unknownFunction",
		"30:12 unreadable",
		"30:34 noValue", "33:7 profileName", "35:25 profileName", "36:23 profileName",
		"10:7 unsupportedPlugin", "13:7 commentKept", "28:7 notABoolean"}
	for _, r := range release.Documented() {
		got := map[string]int{}
		for _, f := range checked(t, "a.yaml", []byte(text), r) {
			got[f]++
		}
		for _, w := range want {
			if n := got[w]; n != 1 && !(w == "10:7 unsupportedPlugin" && r == release.Current && n == 0) {
				t.Errorf("%s: %s is found %d times among %v", r, w, n, got)
			}
		}
	}
}

// TestSupportedPlugins: the list of 4.4 is the document's; bootloader came later, and what the operator itself uses.
func TestSupportedPlugins(t *testing.T) {
	if want := facts.Load().Must("ocp.tuned.plugins").Value().Text; supportedPlugins.In(release.V44) != want {
		t.Errorf("%q, the document has %q", supportedPlugins.In(release.V44), want)
	}
	for _, r := range release.Documented() {
		for _, name := range strings.Split(supportedPlugins.In(r), ", ") {
			if _, known := plugins[name]; !known {
				t.Errorf("%s: TuneD has no plug-in %s", r, name)
			}
		}
		for _, name := range []string{"bootloader", "irqbalance", "rtentsk", "service", "systemd"} {
			if got := strings.Contains(supportedPlugins.In(r), name); got != (r == release.Current) {
				t.Errorf("%s supports %s: %v", r, name, got)
			}
		}
	}
}
