package machineconfig

import (
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/facts"
	"plimsoll.dev/release"
)

// Each behaviour that differs by release, seen in what comes out of it.
func TestBehaviours(t *testing.T) {
	file := func(version string) openshift.MachineConfig {
		return configOf("50-x", version, []string{"/etc/x", "data:,x"})
	}
	renders := func(of release.Release, mc ...openshift.MachineConfig) bool { return worker(of, mc...).Failure == "" }
	seen := map[string]func(of release.Release) string{
		"machineConfig.ignition.written": func(of release.Release) string {
			mc, _ := Generate(settings(Settings{RPS: &RPS{CPUs: []int{8}}}), of)
			return mc.Spec.Config["ignition"].(map[string]any)["version"].(string)
		},
		"machineConfig.ignition.accepted": func(of release.Release) string {
			var out []string
			for _, v := range []string{"1.0.0", "2.0.0", "2.1.0", "2.2.0", "2.3.0", "3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.4.0",
				"3.5.0", "3.6.0", "2.2", ""} {
				mc := file("3" + v)
				if strings.HasPrefix(v, "2") {
					mc = file("2" + v)
				}
				mc.Spec.Config["ignition"] = map[string]any{"version": v}
				if renders(of, mc) {
					out = append(out, v)
				}
			}
			return strings.Join(out, ", ")
		},
		"machineConfig.ignition.empty": func(of release.Release) string {
			return yesNo(renders(of, openshift.MachineConfig{Metadata: named("50-x", "worker"),
				Spec: openshift.MachineConfigSpec{Config: map[string]any{}}}))
		},
		"machineConfig.render.byPath": func(of release.Release) string {
			a, b := config2("50-a", "/x", "data:,"), config2("60-b", "/x", "data:,")
			fileOf(a)["mode"] = int64(0o600)
			delete(fileOf(b), "mode")
			return yesNo(worker(of, a, b).Files[0].Mode == "0600")
		},
		"machineConfig.render.workerFirst": func(of release.Release) string {
			a, b := config2("50-a", "/x", "data:,"), config2("60-b", "/x", "data:,")
			a.Metadata.Labels[openshift.LabelRole] = "infra"
			return yesNo(inOrder(&b, &a, of) < 0)
		},
		"machineConfig.render.firstFIPS": func(of release.Release) string {
			mc := config2("50-a", "/x", "data:,")
			mc.Spec.FIPS = true
			return yesNo(worker(of, mc).FIPS)
		},
		"machineConfig.render.osImageURL": func(of release.Release) string {
			mc := config2("50-a", "/x", "data:,")
			mc.Spec.OSImageURL = "quay.io/x"
			return yesNo(worker(of, mc).OSImageURL.Text != "")
		},
		"machineConfig.kernelTypes": func(of release.Release) string {
			var out []string
			for _, k := range []string{"default", "realtime", "64k-pages", "x"} {
				mc := config2("50-a", "/x", "data:,")
				mc.Spec.KernelType = k
				mc.Kind, mc.Spec.KernelType = "MachineConfig", k
				if len(Check(split(t, toYAML(t, mc)), of)) == 0 {
					out = append(out, k)
				}
			}
			return strings.Join(out, ", ")
		},
		"machineConfig.extensions": func(of release.Release) string {
			var out []string
			for _, x := range []string{"ipsec", "kerberos", "kernel-devel", "sandboxed-containers", "sysstat", "two-node-ha",
				"usbguard", "wasm", "x"} {
				mc := config2("50-a", "/x", "data:,")
				mc.Kind, mc.Spec.Extensions = "MachineConfig", []string{x}
				if len(Check(split(t, toYAML(t, mc)), of)) == 0 {
					out = append(out, x)
				}
			}
			return strings.Join(out, ", ")
		},
		"machineConfig.extensions.rendered": func(of release.Release) string {
			mc := config2("50-a", "/x", "data:,")
			mc.Spec.Extensions = []string{"x"}
			return yesNo(!renders(of, mc))
		},
		"machineConfig.crioDropIns": func(of release.Release) string {
			mc := config2("00-a", "/etc/crio/crio.conf", "data:,")
			mc.Kind = "MachineConfig"
			return yesNo(len(Check(split(t, toYAML(t, mc)), of)) == 0)
		},
		"machineConfig.mode.plain": func(of release.Release) string {
			mc := config2("50-a", "/x", "data:,")
			fileOf(mc)["mode"] = int64(0o1000)
			return yesNo(!renders(of, mc))
		},
		"machineConfig.compression": func(of release.Release) string {
			mc := config2("50-a", "/x", "data:;base64,H4sIAAAAAAACAytITM5OTeECAEPgQS8HAAAA")
			fileOf(mc)["contents"].(map[string]any)["compression"] = "gzip"
			return yesNo(string(worker(of, mc).Files[0].Content) == "packed\n")
		},
		"machineConfig.refused.byController": func(of release.Release) string {
			r := React(worker(of, file("2.2.0")),
				worker(of, with(file("2.2.0"), "passwd.groups", one(map[string]any{"name": "g"}))), Policies{}, of)
			return yesNo(r.By == "controller")
		},
		"machineConfig.refused.version": func(of release.Release) string {
			return yesNo(len(React(worker(of, file("2.2.0")), worker(of, file("2.1.0")), Policies{}, of).Refused) > 0)
		},
		"machineConfig.refused.password": func(of release.Release) string {
			user := func(hash string) openshift.MachineConfig {
				return with(file("2.2.0"), "passwd.users",
					one(map[string]any{"name": "core", "sshAuthorizedKeys": []any{"k"}, "passwordHash": hash}))
			}
			return yesNo(len(React(worker(of, user("a")), worker(of, user("b")), Policies{}, of).Refused) == 0)
		},
		"machineConfig.react.policies": func(of release.Release) string {
			return yesNo(!React(worker(of, file("2.2.0")),
				worker(of, file("2.2.0"), config2("60-b", "/etc/nmstate/openshift/x.yml", "data:,")), Policies{}, of).Drain)
		},
		"machineConfig.react.ownPolicies": func(of release.Release) string {
			own := PoliciesOf(of, split(t, "kind: MachineConfiguration\nmetadata: {name: cluster}\nspec: "+
				"{nodeDisruptionPolicy: {files: [{path: /etc/x, actions: [{type: None}]}]}}\n"))
			return yesNo(len(own.files) == 1)
		},
		"machineConfig.react.registries": registryRuleSeen,
		"machineConfig.react.arguments": func(of release.Release) string {
			return yesNo(commandLine([]string{"a", "b"}, []string{"c", "a", "b"}, of)[0] == "c")
		},
		"machineConfig.unit.enablesMasked": func(of release.Release) string {
			found := Check(split(t, unitsOf("50-a", "{name: a.service, mask: true, enabled: true}", "")), of)
			return yesNo(strings.Contains(found[0].Message, "can't enable it"))
		},
		"machineConfig.rps.defaultMask": func(of release.Release) string {
			_, findings := Generate(settings(Settings{RPS: &RPS{CPUs: []int{8}, Virtual: true}}), of)
			return yesNo(len(findings) == 0)
		},
		"machineConfig.routes.keyfile": func(of release.Release) string {
			mc, _ := Generate(settings(Settings{Routes: []Routes{{Device: "eth0", Routes: []Route{{To: "192.0.2.0/24"}}}}}), of)
			return yesNo(strings.HasPrefix(worker(of, mc).Files[0].Path, keyfilesDir))
		},
		"machineConfig.hugePages.several": func(of release.Release) string {
			mc := file("2.2.0")
			mc.Spec.KernelArguments = strings.Fields("hugepagesz=1G hugepages=1 hugepagesz=2M hugepages=2")
			mc.Kind = "MachineConfig"
			return yesNo(len(Check(split(t, toYAML(t, mc)), of)) == 0)
		},
	}
	for _, row := range Behaviours() {
		see, ok := seen[row.ID]
		if !ok || row.Title == "" || row.Source.Code == "" {
			t.Errorf("%s: no test, title or source", row.ID)
			continue
		}
		for _, of := range release.Documented() {
			if got := see(of); got != row.In(of) {
				t.Errorf("%s in %s: %s, the table says %s", row.ID, of, got, row.In(of))
			}
		}
	}
}

func yesNo(b bool) string { return map[bool]string{true: "true", false: "false"}[b] }

// Rules have ids, titles and sources, each its own.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || !strings.HasPrefix(r.ID, "machineConfig.") || r.Title == "" || strings.HasSuffix(r.Title, ".") {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
}

// Figures that don't differ by release are those of the facts.
func TestFacts(t *testing.T) {
	c := facts.Load()
	for id, want := range map[string]float64{
		"linux.hugePages.runtimeDefault": float64(usualSize),
		"mco.ignition.maxMode":           plainMode,
	} {
		if got := c.Must(id).Number; got != want {
			t.Errorf("%s is %v, the code has %v", id, got, want)
		}
	}
	now, then := accepted.In(release.Current), accepted.In(release.V45)
	if now[len(now)-1] != c.Must("mco.ignition.newest").Text || then[len(then)-1] != c.Must("mco.ignition.newest45").Text {
		t.Errorf("%s; %s", now, then)
	}
}
