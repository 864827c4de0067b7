package machineconfig

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// settings are complete with a name and a role.
func settings(s Settings) Settings {
	s.Name, s.Role = "50-tuning", "worker"
	return s
}

// got is what a node gets of generated settings: text by path.
func got(t *testing.T, s Settings, r release.Release) (map[string]string, []v1alpha1.Finding) {
	t.Helper()
	mc, findings := Generate(settings(s), r)
	wellSaid(t, findings)
	p := worker(r, mc)
	if p.Failure != "" {
		t.Fatal(p.Failure)
	}
	out := map[string]string{}
	for _, f := range p.Files {
		out[f.Path+" "+f.Mode] = string(f.Content)
	}
	return out, findings
}

// The rules that udev 252 was seen to follow: for queues and for devices, without
// virtual ones.
func TestRPSRules(t *testing.T) {
	for _, c := range []struct {
		rps  RPS
		want string
	}{
		{RPS{CPUs: []int{8}}, `# Receive Packet Steering for all NICs that are no virtual devices.
ACTION=="add", SUBSYSTEM=="queues", KERNEL=="rx-*", DEVPATH!="/devices/virtual/*", ATTR{rps_cpus}="ff"
ACTION=="add|move", SUBSYSTEM=="net", DEVPATH!="/devices/virtual/*", RUN+="/bin/sh -c 'for q in /sys$devpath/queues/rx-*; do echo ff > $$q/rps_cpus; done'"
`},
		{RPS{CPUs: []int{64}, Only: []int{0, 1, 32}, Driver: "mlx5_core"},
			`# Receive Packet Steering for NICs of the driver mlx5_core.
ACTION=="add", SUBSYSTEM=="queues", KERNEL=="rx-*", DRIVERS=="mlx5_core", ATTR{rps_cpus}="00000001,00000003"
ACTION=="add|move", SUBSYSTEM=="net", DRIVERS=="mlx5_core", RUN+="/bin/sh -c 'for q in /sys$devpath/queues/rx-*; do echo 00000001,00000003 > $$q/rps_cpus; done'"
`},
		{RPS{CPUs: []int{2}, NamePattern: "enc*"}, `# Receive Packet Steering for devices named enc*.
ACTION=="add", SUBSYSTEM=="queues", KERNEL=="rx-*", SUBSYSTEMS=="net", KERNELS=="enc*", ATTR{rps_cpus}="3"
ACTION=="add|move", SUBSYSTEM=="net", KERNEL=="enc*", RUN+="/bin/sh -c 'for q in /sys$devpath/queues/rx-*; do echo 3 > $$q/rps_cpus; done'"
`},
	} {
		for _, r := range release.Documented() {
			files, findings := got(t, Settings{RPS: &c.rps}, r)
			if d := cmp.Diff(map[string]string{"/etc/udev/rules.d/99-plimsoll-rps.rules 0644": c.want}, files); d != "" ||
				len(findings) > 0 {
				t.Errorf("%s %v", d, findings)
			}
		}
	}
}

// As documented: the rule of "Red Hat OpenShift on IBM Z", with what is wrong told.
func TestRPSAsDocumented(t *testing.T) {
	mc, findings := Generate(Settings{Name: "50-enable-rps", Role: "worker", RPS: &RPS{CPUs: []int{8}},
		AsDocumented: true}, release.V44)
	if d := cmp.Diff([]string{"allDevices", "oneQueue"}, ids(findings)); d != "" {
		t.Error(d)
	}
	want := openshift.MachineConfig{APIVersion: "machineconfiguration.openshift.io/v1", Kind: "MachineConfig",
		Metadata: named("50-enable-rps", "worker"),
		Spec: openshift.MachineConfigSpec{Config: map[string]any{
			"ignition": map[string]any{"version": "2.2.0"},
			"storage": map[string]any{"files": []any{map[string]any{
				"contents": map[string]any{"source": documentURL}, "filesystem": "root", "mode": int64(0o644),
				"path": "/etc/udev/rules.d/71-net-tunings.rules"}}}}}}
	if d := cmp.Diff(want, mc); d != "" {
		t.Error(d)
	}
}

func TestRPSOfVirtualDevices(t *testing.T) {
	files, findings := got(t, Settings{RPS: &RPS{CPUs: []int{8}, Only: []int{0, 4}, Virtual: true}}, release.Current)
	if text := files["/etc/sysctl.d/99-plimsoll-rps.conf 0644"]; !strings.HasSuffix(text,
		"\nnet.core.rps_default_mask = 11\n") || len(findings) > 0 {
		t.Errorf("%q %v", text, findings)
	}
	files, findings = got(t, Settings{RPS: &RPS{CPUs: []int{8}, Virtual: true}}, release.V45)
	if len(files) != 1 || len(findings) != 1 || !strings.Contains(findings[0].Message, "OpenShift 4.5") {
		t.Errorf("%v %v", files, findings)
	}
}

func TestRPSFindings(t *testing.T) {
	for _, c := range []struct {
		rps  RPS
		want string
	}{
		{RPS{}, "settings"},
		{RPS{CPUs: []int{0}}, "settings"},
		{RPS{CPUs: []int{9000}}, "settings"},
		{RPS{CPUs: []int{8}, Only: []int{}}, "settings"},
		{RPS{CPUs: []int{8}, Only: []int{9}}, "settings"},
		{RPS{CPUs: []int{8}, Driver: "x", NamePattern: "y"}, "settings"},
		{RPS{CPUs: []int{8}, Driver: `x", RUN+="/bin/sh`}, "settings"},
		{RPS{CPUs: []int{8}, NamePattern: "a b"}, "settings"},
		{RPS{CPUs: []int{16, 8, 16}}, "cpuCounts"},
	} {
		files, findings := got(t, Settings{RPS: &c.rps}, release.Current)
		if d := cmp.Diff([]string{c.want}, ids(findings)); d != "" {
			t.Errorf("%+v: %s", c.rps, d)
		}
		if made := len(files) > 0; made != (c.want == "cpuCounts") {
			t.Errorf("%+v: %v", c.rps, files)
		}
	}
	_, findings := got(t, Settings{RPS: &RPS{CPUs: []int{16, 8, 32}}}, release.Current)
	if want := "the nodes of the pool have 8, 16 and 32 CPUs: " +
		"the mask ff uses 8 of them on each"; findings[0].Message != want {
		t.Errorf("%q", findings[0].Message)
	}
}

func TestStaticRoutes(t *testing.T) {
	routes := []Routes{
		{Device: "enc9000", Routes: []Route{{To: "192.0.2.0/24"}, {To: "203.0.113.0/24", Via: "198.51.100.1", Metric: 100},
			{To: "2001:db8::/32", Via: "fe80::1"}, {To: "198.18.0.0/15", Metric: 7}}},
	}
	files, findings := got(t, Settings{Routes: routes}, release.V44)
	want := map[string]string{
		"/etc/sysconfig/network-scripts/route-enc9000 0644": "192.0.2.0/24 dev enc9000\n" +
			"203.0.113.0/24 via 198.51.100.1 dev enc9000 metric 100\n198.18.0.0/15 dev enc9000 metric 7\n",
		"/etc/sysconfig/network-scripts/route6-enc9000 0644": "2001:db8::/32 via fe80::1 dev enc9000\n",
	}
	if d := cmp.Diff(want, files); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"onLink", "returnPath", "routeFile"}, ids(findings)); d != "" {
		t.Error(d)
	}
	files, findings = got(t, Settings{Routes: routes}, release.Current)
	want = map[string]string{"/etc/NetworkManager/system-connections/enc9000.nmconnection 0600": `[connection]
id=enc9000
type=ethernet
interface-name=enc9000
autoconnect-priority=10

[ipv4]
method=auto
route1=192.0.2.0/24
route2=203.0.113.0/24,198.51.100.1,100
route3=198.18.0.0/15,0.0.0.0,7

[ipv6]
method=auto
route1=2001:db8::/32,fe80::1
`}
	if d := cmp.Diff(want, files); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"keyfile", "onLink", "returnPath"}, ids(findings)); d != "" {
		t.Error(d)
	}
	files, findings = got(t, Settings{Routes: routes, AsDocumented: true}, release.Current)
	if len(files) != 2 || !slices.Contains(ids(findings), "routeFile") {
		t.Errorf("%v %v", files, ids(findings))
	}
}

func TestStaticRoutesFindings(t *testing.T) {
	cluster := func(r Route) Routes {
		return Routes{Device: "enc9000", Routes: []Route{r}, Machine: []string{"10.0.0.0/16"},
			Pods: []string{"10.128.0.0/14"}, Services: []string{"172.30.0.0/16"}}
	}
	for _, c := range []struct {
		routes Routes
		want   []string
	}{
		{cluster(Route{To: "192.0.2.0/24", Via: "10.0.0.1"}), []string{"keyfile", "returnPath"}},
		{cluster(Route{To: "192.0.2.0/24", Via: "10.9.0.1"}), []string{"keyfile", "returnPath", "route"}},
		{cluster(Route{To: "A.B.D.0/24"}), []string{"route", "settings"}},
		{cluster(Route{To: "192.0.2.1/24", Via: "10.0.0.1"}), []string{"route", "settings"}},
		{cluster(Route{To: "0.0.0.0/0", Via: "10.0.0.1"}), []string{"route", "settings"}},
		{cluster(Route{To: "::/0"}), []string{"route", "settings"}},
		{cluster(Route{To: "10.130.0.0/16", Via: "10.0.0.1"}), []string{"route", "settings"}},
		{cluster(Route{To: "172.16.0.0/12", Via: "10.0.0.1"}), []string{"route", "settings"}},
		{cluster(Route{To: "10.0.4.0/24", Via: "10.0.0.1"}), []string{"route", "settings"}},
		{cluster(Route{To: "192.0.2.0/24", Via: "192.0.2.1"}), []string{"route", "settings"}},
		{cluster(Route{To: "192.0.2.0/24", Via: "fe80::1"}), []string{"route", "settings"}},
		{cluster(Route{To: "2001:db8::/32", Via: "fe80::1%eth0"}), []string{"route", "settings"}},
		{cluster(Route{To: "192.0.2.0/24", Via: "x"}), []string{"route", "settings"}},
		{cluster(Route{To: "192.0.2.0/24", Via: "10.0.0.1", Metric: -1}), []string{"route", "settings"}},
		{Routes{Device: "br-ex", Routes: []Route{{To: "192.0.2.0/24"}}}, []string{"route"}},
		{Routes{Device: "much-too-long-a-name", Routes: []Route{{To: "192.0.2.0/24"}}}, []string{"settings"}},
		{Routes{Device: "../etc"}, []string{"settings"}},
		{Routes{Device: "eth0"}, []string{"settings"}},
		{Routes{Device: "eth0", Pods: []string{"x"}, OVN: true, Routes: []Route{{To: "192.0.2.0/24"}}},
			[]string{"keyfile", "onLink", "podRoutes", "returnPath", "settings"}},
	} {
		_, findings := got(t, Settings{Routes: []Routes{c.routes}}, release.Current)
		if d := cmp.Diff(c.want, ids(findings)); d != "" {
			t.Errorf("%+v: %s", c.routes.Routes, d)
		}
	}
	twice := Routes{Device: "eth0", Routes: []Route{{To: "192.0.2.0/24", Via: "10.0.0.1"}}}
	if _, findings := got(t, Settings{Routes: []Routes{twice, twice}}, release.Current); !slices.Contains(ids(findings),
		"settings") {
		t.Error("one device twice is not told")
	}
}

// One object carries everything: one rollout.
func TestOneMachineConfig(t *testing.T) {
	s := settings(Settings{RPS: &RPS{CPUs: []int{8}}, Base64: true,
		Routes:    []Routes{{Device: "enc9000", Routes: []Route{{To: "192.0.2.0/24", Via: "198.51.100.1"}}}},
		HugePages: &HugePages{Pages: map[string]int64{"1Gi": 4}}})
	for _, r := range release.Documented() {
		mc, _ := Generate(s, r)
		p := worker(r, mc)
		if p.Failure != "" || len(p.Files) != 2 || len(p.KernelArguments) != 3 ||
			!strings.Contains(toYAML(t, mc), ";base64,") {
			t.Errorf("%s: %+v", r, p)
		}
	}
	if _, findings := Generate(Settings{Name: "Upper", Role: ""}, release.Current); len(findings) != 2 {
		t.Errorf("%v", findings)
	}
}
