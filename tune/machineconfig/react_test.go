package machineconfig

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// with changes a copy of a configuration's part.
func with(mc openshift.MachineConfig, part string, v any) openshift.MachineConfig {
	config := map[string]any{}
	for k, old := range mc.Spec.Config {
		config[k] = old
	}
	if section, name, ok := strings.Cut(part, "."); ok {
		inner := map[string]any{}
		if old, ok := config[section].(map[string]any); ok {
			for k, w := range old {
				inner[k] = w
			}
		}
		inner[name] = v
		config[section] = inner
	} else {
		config[part] = v
	}
	mc.Spec.Config = config
	return mc
}

func one(v any) []any { return []any{v} }

// What a running node refuses, by release.
func TestRefused(t *testing.T) {
	base := map[bool]openshift.MachineConfig{true: config3("00-worker", "/a", "data:,"),
		false: config2("00-worker", "/a", "data:,")}
	core := func(more ...string) map[string]any {
		u := map[string]any{"name": "core", "sshAuthorizedKeys": []any{"ssh-ed25519 A"}}
		for _, k := range more {
			u[k] = "x"
		}
		return u
	}
	for _, c := range []struct {
		part   string
		v      any
		old    string // reason up to 4.5, empty for none
		now    string
		before any
	}{
		{part: "storage.disks", v: one(map[string]any{"device": "/dev/sda"}), old: "disks change", now: "disks change"},
		{part: "storage.raid", v: one(map[string]any{"name": "r"}), old: "raid change", now: "raid change"},
		{part: "storage.directories", v: one(map[string]any{"path": "/d", "filesystem": "root"}), old: "directories change",
			now: "directories change"},
		{part: "storage.links", v: one(map[string]any{"path": "/l", "target": "/a", "filesystem": "root"}),
			old: "links change", now: "links change"},
		{part: "storage.links", v: []any{}, before: one(map[string]any{"path": "/l", "target": "/a", "filesystem": "root"})},
		{part: "passwd.groups", v: one(map[string]any{"name": "g"}), old: "groups change", now: "groups change"},
		{part: "passwd.users", v: one(map[string]any{"name": "joe"}), before: one(core()), old: "other than core",
			now: "other than core"},
		{part: "passwd.users", v: one(core()), now: ""},
		{part: "passwd.users", v: one(core("shell")), before: one(core()), old: "shell of user core",
			now: "shell of user core"},
		{part: "passwd.users", v: one(core("passwordHash")), before: one(core()), old: "passwordHash of user core", now: ""},
		{part: "passwd.users", v: one(map[string]any{"name": "core"}), before: one(core()), old: "no key", now: "no key"},
		// 4.4 looks only when there were users
		{part: "passwd.users", v: one(map[string]any{"name": "joe"}), now: "other than core"},
	} {
		for _, of := range release.Documented() {
			mc := base[of == release.Current]
			before := worker(of, mc)
			if c.before != nil {
				before = worker(of, with(mc, c.part, c.before))
			}
			want := c.old
			if of == release.Current {
				want = c.now
			}
			r := React(before, worker(of, with(mc, c.part, c.v)), Policies{}, of)
			if got := strings.Join(r.Refused, "; "); (want == "") != (got == "") || !strings.Contains(got, want) {
				t.Errorf("%s: %s %v: refused %q, want %q", of, c.part, c.v, got, want)
			}
			if by := map[bool]string{true: "controller", false: "node"}[of == release.Current]; want != "" && r.By != by {
				t.Errorf("%s: refused by %s", of, r.By)
			}
		}
	}
}

func TestRefusedVersionAppendFIPS(t *testing.T) {
	worker0, other := config2("00-worker", "/a", "data:,"), config2("00-aaa", "/b", "data:,")
	other.Spec.Config["ignition"] = map[string]any{"version": "2.1.0"}
	for of, want := range map[release.Release]bool{release.V43: true, release.V44: true, release.V45: false,
		release.Current: false} {
		r := React(worker(of, worker0), worker(of, worker0, other), Policies{}, of)
		if got := strings.Contains(strings.Join(r.Refused, ""), "version"); got != want {
			t.Errorf("%s: %v", of, r.Refused)
		}
	}
	appends := config2("50-x", "/etc/hosts", "data:,x")
	fileOf(appends)["append"] = true
	fips := config2("50-x", "/x", "data:,x")
	fips.Spec.FIPS = true
	for _, of := range release.Documented() {
		for _, c := range []struct {
			mc   openshift.MachineConfig
			want string
		}{{appends, "appended to /etc/hosts"}, {fips, "FIPS"}} {
			if r := React(worker(of, worker0), worker(of, worker0, c.mc),
				Policies{}, of); !strings.Contains(strings.Join(r.Refused, ""),
				c.want) && !strings.Contains(strings.Join(r.Refused, ""), "no source") {
				t.Errorf("%s: %v does not say %s", of, r.Refused, c.want)
			}
		}
	}
	force := config3("50-x", forceFile, "data:,x")
	if r := React(worker(release.Current), worker(release.Current, force),
		Policies{}, release.Current); len(r.Refused) != 1 {
		t.Errorf("%+v", r)
	}
}

// Up to 4.5 every change drains and reboots; today some files need less.
func TestDrainAndReboot(t *testing.T) {
	base := config3("00-worker", "/a", "data:,")
	for _, c := range []struct {
		path          string
		drain, reboot bool
		services      []string
	}{
		{"/etc/udev/rules.d/99-plimsoll-rps.rules", true, true, nil},
		{"/var/lib/kubelet/config.json", false, false, nil},
		{"/etc/nmstate/openshift/cluster.yml", false, false, nil},
		{"/etc/containers/registries.d/x.yaml", false, false, []string{"crio.service reload"}},
		{"/etc/containers/registries.conf", true, false, []string{"crio.service reload"}},
		{"/etc/containers/registries.conf.d/x.conf", true, true, nil},
		{"/etc/containers/policy.json", false, false, []string{"crio.service reload"}},
		{"/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt", false, false,
			[]string{"coreos-update-ca-trust.service restart", "crio.service restart"}},
	} {
		r := React(worker(release.Current, base),
			worker(release.Current, base, config3("50-x", c.path, "data:,x")), Policies{},
			release.Current)
		if r.Drain != c.drain || r.Reboot != c.reboot || !slices.Equal(r.Services, c.services) || len(r.Refused) > 0 {
			t.Errorf("%s: %+v", c.path, r)
		}
		old := React(worker(release.V44, config2("00-worker", "/a", "data:,")),
			worker(release.V44, config2("00-worker", "/a", "data:,"), config2("50-x", c.path, "data:,x")),
			Policies{}, release.V44)
		if !old.Drain || !old.Reboot || !strings.Contains(old.Why, "4.4") {
			t.Errorf("4.4, %s: %+v", c.path, old)
		}
	}
	for _, of := range release.Documented() {
		mc := config2("00-worker", "/a", "data:,")
		if r := React(worker(of, mc), worker(of, mc), Policies{}, of); r.Drain || r.Reboot || len(r.Changes) > 0 {
			t.Errorf("%s: nothing changed: %+v", of, r)
		}
		// The same bytes in another encoding are a change to a node.
		if r := React(worker(of, mc), worker(of, config2("00-worker", "/a", "data:;base64,")), Policies{}, of); !r.Reboot {
			t.Errorf("%s: %+v", of, r)
		}
	}
	keys := with(base, "passwd.users", one(map[string]any{"name": "core", "sshAuthorizedKeys": []any{"k"}}))
	if r := React(worker(release.Current, base), worker(release.Current, keys),
		Policies{}, release.Current); r.Drain || r.Reboot ||
		!slices.Equal(r.Changes, []string{"users"}) {
		t.Errorf("%+v", r)
	}
	unit := with(base, "systemd.units", one(map[string]any{"name": "x.service", "enabled": true}))
	if r := React(worker(release.Current, unit), worker(release.Current, base), Policies{}, release.Current); !r.Reboot ||
		r.Why != "unit x.service" {
		t.Errorf("%+v", r)
	}
}

// What a change of a path costs, release by release: the first from which on it is so.
func TestPathPolicies(t *testing.T) {
	const anchors = "/etc/pki/ca-trust/source/anchors/"
	costs := func(of release.Release, change string) string {
		base := config3("00-worker", "/a", "data:,")
		more := config3("50-x", change, "data:,x")
		if unit, ok := strings.CutPrefix(change, "unit "); ok {
			more = with(config3("50-x", "/a", "data:,"), "systemd.units", one(map[string]any{"name": unit, "enabled": true}))
		}
		r := React(worker(of, base), worker(of, base, more), Policies{}, of)
		switch {
		case len(r.Refused) > 0:
			return "refused: " + r.Refused[0]
		case r.Reboot:
			return "reboot"
		}
		return map[bool]string{true: "drain"}[r.Drain] + strings.Join(r.Services, ", ")
	}
	for change, want := range map[string]map[release.Release]string{
		"/etc/other":                                              {6: "reboot"},
		"/var/lib/kubelet/config.json":                            {6: "reboot", 7: ""},
		"/etc/kubernetes/kubelet-ca.crt":                          {6: "reboot", 7: "", 17: "reboot"},
		"/etc/mco/internal-registry-pull-secret.json":             {6: "reboot", 14: "", 16: "reboot"},
		"/etc/containers/policy.json":                             {6: "reboot", 10: "crio.service reload"},
		"/etc/machine-config-daemon/no-reboot/containers-gpg.pub": {6: "reboot", 10: "crio.service reload"},
		"/etc/containers/registries.conf":                         {6: "reboot", 7: "draincrio.service reload"},
		"/etc/containers/registries.d/x.yaml":                     {6: "reboot", 16: "crio.service reload"},
		"/etc/containers/registries.d/d/x.yaml":                   {6: "reboot", 17: "crio.service reload"},
		"/etc/crio/policies/x.json":                               {6: "reboot", 18: "crio.service reload"},
		"/etc/nmstate/openshift/cluster.yml":                      {6: "reboot", 16: ""},
		anchors + "openshift-config-user-ca-bundle.crt": {6: "reboot",
			14: "coreos-update-ca-trust.service restart, crio.service restart"},
		"/etc/kubernetes/credential-providers/x.yaml": {6: "reboot", 22: "kubelet.service restart"},
		"/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf": {6: "reboot",
			22: "systemd reload, kubelet.service restart"},
		"/etc/iri-registry/config.yml":          {6: "reboot", 22: "iri-registry.service restart"},
		"/usr/local/bin/load-registry-image.sh": {6: "reboot", 22: "iri-registry.service restart"},
		anchors + "iri-root-ca.crt":             {6: "reboot", 22: "coreos-update-ca-trust.service restart"},
		"unit iri-registry.service":             {6: "reboot", 22: "systemd reload, iri-registry.service restart"},
	} {
		now := ""
		for of := release.Release(6); of <= release.Newest; of++ {
			if w, turns := want[of]; turns {
				now = w
			}
			if got := costs(of, change); got != now {
				t.Errorf("%s, %s: %q, want %q", of, change, got, now)
			}
		}
	}
}

// Up to 4.5 arguments that stay keep their place, so that a changed count of huge
// pages lands behind another size.
func TestKernelArgumentsKeepTheirPlace(t *testing.T) {
	args := func(list string) openshift.MachineConfig {
		mc := config2("00-worker", "/a", "data:,")
		mc.Spec.KernelArguments = strings.Fields(list)
		return mc
	}
	before, after := args("hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=512"),
		args("hugepagesz=1G hugepages=8 hugepagesz=2M hugepages=512")
	old := React(worker(release.V45, before), worker(release.V45, after), Policies{}, release.V45)
	if d := cmp.Diff(strings.Fields("hugepagesz=1G hugepagesz=2M hugepages=512 hugepages=8"), old.CommandLine); d != "" ||
		!old.Misplaced {
		t.Errorf("%s %+v", d, old)
	}
	now := React(worker(release.Current, before), worker(release.Current, after), Policies{}, release.Current)
	if d := cmp.Diff(after.Spec.KernelArguments, now.CommandLine); d != "" || now.Misplaced {
		t.Errorf("%s %+v", d, now)
	}
	blank := args("")
	blank.Spec.KernelArguments = []string{"a=1 b=2", `c="d e"`}
	now = React(worker(release.Current, before), worker(release.Current, blank), Policies{}, release.Current)
	if d := cmp.Diff([]string{"a=1", "b=2", `c="d e"`}, now.CommandLine); d != "" {
		t.Error(d)
	}
}

// The cluster's own policies stand in place of the operator's.
func TestOwnPolicies(t *testing.T) {
	const text = `kind: MachineConfiguration
metadata: {name: cluster}
spec:
  nodeDisruptionPolicy:
    files:
    - {path: /etc/a, actions: [{type: None}]}
    - {path: /etc/a/deep, actions: [{type: Drain}, {type: Restart, restart: {serviceName: x.service}}]}
    - {path: /etc/containers/registries.conf, actions: [{type: Reload, reload: {serviceName: crio.service}}]}
    - {path: /etc/nmstate/openshift, actions: [{type: Reboot}]}
    units:
    - {name: x.service, actions: [{type: DaemonReload}, {type: Restart, restart: {serviceName: x.service}}]}
    sshkey: {actions: [{type: Drain}]}
`
	r := release.Current
	own := PoliciesOf(r, split(t, text))
	base := config2("00-worker", "/x", "data:,")
	for _, c := range []struct {
		name          string
		after         openshift.MachineConfig
		drain, reboot bool
		services      string
		own           bool
	}{
		{"none", config2("60-b", "/etc/a/file", "data:,"), false, false, "", true},
		{"the longer path", config2("60-b", "/etc/a/deep/file", "data:,"), true, false, "x.service restart", true},
		{"a path that only begins so", config2("60-b", "/etc/ab", "data:,"), true, true, "", false},
		{"in place of the operator's", config2("60-b", "/etc/containers/registries.conf", "data:,a"), false, false,
			"crio.service reload", true},
		{"a reboot", config2("60-b", "/etc/nmstate/openshift/a.yml", "data:,"), true, true, "", true},
		{"the operator's own", config2("60-b", "/etc/containers/policy.json", "data:,"), false, false,
			"crio.service reload", false},
		{"a unit", with(base, "systemd.units", one(map[string]any{"name": "x.service", "enabled": true})), false, false,
			"systemd reload,x.service restart", true},
		{"another unit", with(base, "systemd.units", one(map[string]any{"name": "y.service", "enabled": true})), true, true,
			"", false},
		{"keys", with(base, "passwd.users", one(map[string]any{"name": "core", "sshAuthorizedKeys": []any{"k"}})), true,
			false, "", true},
	} {
		got := React(worker(r, base), worker(r, base, c.after), own, r)
		if got.Drain != c.drain || got.Reboot != c.reboot || strings.Join(got.Services, ",") != c.services ||
			(len(got.Policies) > 0) != c.own {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	for name, c := range map[string]struct {
		text string
		of   release.Release
		want []string
	}{
		"read":         {text, r, nil},
		"another name": {strings.Replace(text, "cluster", "other", 1), r, []string{"warning policy 2"}},
		"too early":    {text, 16, []string{"warning policy 5"}},
	} {
		if d := cmp.Diff(c.want, saidOf(Check(split(t, c.text), c.of))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	// Of the lists the last that has one counts, and only the object named cluster.
	if own := PoliciesOf(r, split(t, text), split(t, strings.Replace(text, "cluster", "other", 1))); len(own.files) != 4 {
		t.Errorf("%+v", own)
	}
	if own := PoliciesOf(r, split(t, strings.Replace(text, "    - {path: /etc/a,", "    - {path: /etc/b,", 1)),
		split(t, text)); own.files[0].path != "/etc/a" {
		t.Errorf("%+v", own)
	}
}
