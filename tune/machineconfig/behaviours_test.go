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
	renders := func(e release.Release, mc ...openshift.MachineConfig) bool { return worker(e, mc...).Failure == "" }
	seen := map[string]func(e release.Release) string{
		"machineConfig.ignition.written": func(e release.Release) string {
			mc, _ := Generate(settings(Settings{RPS: &RPS{CPUs: []int{8}}}), e)
			return mc.Spec.Config["ignition"].(map[string]any)["version"].(string)
		},
		"machineConfig.ignition.accepted": func(e release.Release) string {
			var out []string
			for _, v := range []string{"1.0.0", "2.0.0", "2.1.0", "2.2.0", "2.3.0", "3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.4.0", "3.5.0", "3.6.0", "2.2", ""} {
				mc := file("3" + v)
				if strings.HasPrefix(v, "2") {
					mc = file("2" + v)
				}
				mc.Spec.Config["ignition"] = map[string]any{"version": v}
				if renders(e, mc) {
					out = append(out, v)
				}
			}
			return strings.Join(out, ", ")
		},
		"machineConfig.ignition.empty": func(e release.Release) string {
			return yesNo(renders(e, openshift.MachineConfig{Metadata: named("50-x", "worker"), Spec: openshift.MachineConfigSpec{Config: map[string]any{}}}))
		},
		"machineConfig.render.byPath": func(e release.Release) string {
			a, b := config2("50-a", "/x", "data:,"), config2("60-b", "/x", "data:,")
			fileOf(a)["mode"] = int64(0o600)
			delete(fileOf(b), "mode")
			return yesNo(worker(e, a, b).Files[0].Mode == "0600")
		},
		"machineConfig.render.workerFirst": func(e release.Release) string {
			a, b := config2("50-a", "/x", "data:,"), config2("60-b", "/x", "data:,")
			a.Metadata.Labels[openshift.LabelRole] = "infra"
			return yesNo(inOrder(&b, &a, e) < 0)
		},
		"machineConfig.render.firstFIPS": func(e release.Release) string {
			mc := config2("50-a", "/x", "data:,")
			mc.Spec.FIPS = true
			return yesNo(worker(e, mc).FIPS)
		},
		"machineConfig.render.osImageURL": func(e release.Release) string {
			mc := config2("50-a", "/x", "data:,")
			mc.Spec.OSImageURL = "quay.io/x"
			return yesNo(worker(e, mc).OSImageURL.Text != "")
		},
		"machineConfig.kernelTypes": func(e release.Release) string {
			var out []string
			for _, k := range []string{"default", "realtime", "64k-pages", "x"} {
				mc := config2("50-a", "/x", "data:,")
				mc.Spec.KernelType = k
				mc.Kind, mc.Spec.KernelType = "MachineConfig", k
				if len(Check(split(t, toYAML(t, mc)), e)) == 0 {
					out = append(out, k)
				}
			}
			return strings.Join(out, ", ")
		},
		"machineConfig.mode.plain": func(e release.Release) string {
			mc := config2("50-a", "/x", "data:,")
			fileOf(mc)["mode"] = int64(0o1000)
			return yesNo(!renders(e, mc))
		},
		"machineConfig.compression": func(e release.Release) string {
			mc := config2("50-a", "/x", "data:;base64,H4sIAAAAAAACAytITM5OTeECAEPgQS8HAAAA")
			fileOf(mc)["contents"].(map[string]any)["compression"] = "gzip"
			return yesNo(string(worker(e, mc).Files[0].Content) == "packed\n")
		},
		"machineConfig.refused.byController": func(e release.Release) string {
			r := React(worker(e, file("2.2.0")), worker(e, with(file("2.2.0"), "passwd.groups", one(map[string]any{"name": "g"}))), e)
			return yesNo(r.By == "controller")
		},
		"machineConfig.refused.version": func(e release.Release) string {
			return yesNo(len(React(worker(e, file("2.2.0")), worker(e, file("2.1.0")), e).Refused) > 0)
		},
		"machineConfig.refused.password": func(e release.Release) string {
			user := func(hash string) openshift.MachineConfig {
				return with(file("2.2.0"), "passwd.users", one(map[string]any{"name": "core", "sshAuthorizedKeys": []any{"k"}, "passwordHash": hash}))
			}
			return yesNo(len(React(worker(e, user("a")), worker(e, user("b")), e).Refused) == 0)
		},
		"machineConfig.react.policies": func(e release.Release) string {
			return yesNo(!React(worker(e, file("2.2.0")), worker(e, file("2.2.0"), config2("60-b", "/etc/nmstate/openshift/x.yml", "data:,")), e).Drain)
		},
		"machineConfig.react.arguments": func(e release.Release) string {
			return yesNo(commandLine([]string{"a", "b"}, []string{"c", "a", "b"}, e)[0] == "c")
		},
		"machineConfig.rps.defaultMask": func(e release.Release) string {
			_, findings := Generate(settings(Settings{RPS: &RPS{CPUs: []int{8}, Virtual: true}}), e)
			return yesNo(len(findings) == 0)
		},
		"machineConfig.routes.keyfile": func(e release.Release) string {
			mc, _ := Generate(settings(Settings{Routes: []Routes{{Device: "eth0", Routes: []Route{{To: "192.0.2.0/24"}}}}}), e)
			return yesNo(strings.HasPrefix(worker(e, mc).Files[0].Path, keyfilesDir))
		},
		"machineConfig.hugePages.several": func(e release.Release) string {
			mc := file("2.2.0")
			mc.Spec.KernelArguments = strings.Fields("hugepagesz=1G hugepages=1 hugepagesz=2M hugepages=2")
			mc.Kind = "MachineConfig"
			return yesNo(len(Check(split(t, toYAML(t, mc)), e)) == 0)
		},
	}
	for _, row := range Behaviours() {
		see, ok := seen[row.ID]
		if !ok || row.Title == "" || row.Source.Code == "" {
			t.Errorf("%s: no test, title or source", row.ID)
			continue
		}
		for _, e := range release.Documented() {
			if got := see(e); got != row.In(e) {
				t.Errorf("%s in %s: %s, the table says %s", row.ID, e, got, row.In(e))
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
