package machineconfig

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// As printed, the lines of the URL stand at the margin: that is no YAML.
func TestDocumentRPSAsPrinted(t *testing.T) {
	objects, problems := object.Split("enable-rps.yaml", []byte(readFileText(t, "document001-rps-printed.yaml")))
	if len(objects) != 0 || len(problems) == 0 || problems[0].Line != 15 {
		t.Errorf("%d objects, %v", len(objects), problems)
	}
}

// Indented as YAML asks for, every fault of section 9 of the notes is told at once.
func TestDocumentRPS(t *testing.T) {
	findings := Check(split(t, readFileText(t, "document001-rps.yaml")), release.V45)
	wellSaid(t, findings)
	want := []string{
		"error foldedURL 16", "error oneQueue 16",
		"error misplaced 20", "error misplaced 21", "error misplaced 22",
		"warning allDevices 16", "warning maskDiffers 16",
	}
	if d := cmp.Diff(want, saidOf(findings)); d != "" {
		t.Error(d)
	}
	for _, f := range findings {
		if f.ID == maskDiffersRule.ID && f.Message != "the content says mask fff, the text around it ff" {
			t.Error(f.Message)
		}
	}
}

func TestDocumentRoute(t *testing.T) {
	for _, r := range release.Documented() {
		findings := Check(split(t, readFileText(t, "document001-route.yaml")), r)
		wellSaid(t, findings)
		want := []string{"misplaced", "onLink", "route", "routeFile"}
		if d := cmp.Diff(want, ids(findings)); d != "" {
			t.Errorf("%s: %s", r, d)
		}
	}
}

// With its nodes: S14, S15, the mask against their CPUs, two rollouts.
func TestDocumentCluster(t *testing.T) {
	text := readFileText(t, "document001-rps.yaml") + "---\n" + readFileText(t, "document001-route.yaml") + "---\n" +
		readFileText(t, "nodes.yaml")
	findings := Check(split(t, text), release.V44)
	wellSaid(t, findings)
	var all []string
	for _, f := range findings {
		all = append(all, f.Message)
	}
	for _, want := range []string{
		"node master-0 of role worker is in pool master, which does not take it: it never reaches it",
		"node worker-0 is in no pool: no MachineConfig reaches it",
		"the mask fff is wider than the CPUs (node worker-1 has 8 CPUs): unless more are possible there, " +
			"the kernel refuses it and the old mask stays",
		"2 MachineConfigs of role worker: created one after the other, they are as many rollouts of the pool",
	} {
		if !slices.Contains(all, want) {
			t.Errorf("%q is not among\n%s", want, strings.Join(all, "\n"))
		}
	}
}

func TestRepairedPassesWithoutFinding(t *testing.T) {
	workers := "---\nkind: Node\nmetadata: {name: w, labels: {node-role.kubernetes.io/worker: \"\"}}\n" +
		"status: {capacity: {cpu: 8}}\n"
	for _, r := range []release.Release{release.V43, release.V44, release.V45} {
		if findings := Check(split(t, readFileText(t, "repaired-4.4.yaml")+workers), r); len(findings) > 0 {
			t.Errorf("%s: %v", r, findings)
		}
	}
	s := settings(Settings{RPS: &RPS{CPUs: []int{8}, Virtual: true},
		Routes:    []Routes{{Device: "enc9000", Routes: []Route{{To: "192.0.2.0/24", Via: "198.51.100.1"}}}},
		HugePages: &HugePages{Pages: map[string]int64{"1Gi": 4}, PerNode: []NodePages{{1, "2Mi", 4}}}})
	mc, _ := Generate(s, release.Current)
	if findings := Check(split(t, toYAML(t, mc)+workers), release.Current); len(findings) > 0 {
		t.Errorf("today: %v", findings)
	}
}

// manifest is a MachineConfig with one file, whose fields are given.
func manifest(version, fields string) string {
	return "kind: MachineConfig\nmetadata: {name: 50-x, labels: {machineconfiguration.openshift.io/role: worker}}\n" +
		"spec:\n  config:\n    ignition: {version: " + version + "}\n    storage:\n      files:\n      - " +
		strings.NewReplacer("\n- ", "\n      - ", "\n", "\n        ").Replace(fields) + "\n"
}

func TestCheckOfFiles(t *testing.T) {
	const plain = "path: /etc/x\nmode: 420\ncontents: {source: \"data:,x\"}"
	for _, c := range []struct {
		name, version, fields string
		release               release.Release
		want                  []string
	}{
		{"right", "3.2.0", plain, release.Current, nil},
		{"right, old", "2.2.0", plain + "\nfilesystem: root", release.V44, nil},
		{"octal", "3.2.0", strings.Replace(plain, "420", "0644", 1), release.Current, nil},
		{"octal of YAML 1.2", "3.2.0", strings.Replace(plain, "420", "0o644", 1), release.Current, nil},
		{"decimal", "3.2.0", strings.Replace(plain, "420", "644", 1), release.Current, []string{"error mode 9"}},
		{"decimal, old", "2.2.0", strings.Replace(plain, "420", "644", 1) + "\nfilesystem: root", release.V44,
			[]string{"warning mode 9"}},
		{"decimal 400", "3.2.0", strings.Replace(plain, "420", "400", 1), release.Current, []string{"warning modeDecimal 9"}},
		{"384 is 0600", "3.2.0", strings.Replace(plain, "420", "384", 1), release.Current, nil},
		{"quoted", "3.2.0", strings.Replace(plain, "420", `"0644"`, 1), release.Current, []string{"error type 9"}},
		{"beyond", "3.2.0", strings.Replace(plain, "420", "4096", 1), release.Current, []string{"error mode 9"}},
		{"filesystem in 3", "3.2.0", plain + "\nfilesystem: root", release.Current, []string{"warning filesystem 11"}},
		{"no filesystem in 2", "2.2.0", plain, release.V44, []string{"error filesystem 8"}},
		{"relative", "3.2.0", strings.Replace(plain, "/etc/x", "etc/x", 1), release.Current, []string{"error path 8"}},
		{"not clean", "3.2.0", strings.Replace(plain, "/etc/x", "/etc//x", 1), release.Current, []string{"error path 8"}},
		{"twice", "3.2.0", plain + "\n- " + plain, release.Current, []string{"error duplicate 11"}},
		{"version of today in 4.4", "3.2.0", plain + "\nfilesystem: root", release.V44,
			[]string{"error version 5", "warning filesystem 11"}},
		{"3.0 in 4.5", "3.0.0", plain, release.V45, nil},
		{"3.1 in 4.5", "3.1.0", plain, release.V45, []string{"error version 5"}},
		{"3.6 today", "3.6.0", plain, release.Current, []string{"error version 5"}},
		{"2.2 today", "2.2.0", plain + "\nfilesystem: root", release.Current, nil},
		{"base64 without padding", "3.2.0", strings.Replace(plain, "data:,x", "data:;base64,QUI", 1), release.Current,
			[]string{"error source 10"}},
		{"plus", "3.2.0", strings.Replace(plain, "data:,x", "data:,a+b", 1), release.Current, []string{"warning plus 10"}},
		{"plus in base64", "3.2.0", strings.Replace(plain, "data:,x", "data:;base64,++++", 1), release.Current, nil},
		{"blank", "3.2.0", strings.Replace(plain, "data:,x", "data:,a b", 1), release.Current,
			[]string{"error foldedURL 10"}},
		{"remote", "3.2.0", strings.Replace(plain, "data:,x", "https://example.com/x", 1), release.Current,
			[]string{"error remote 10"}},
		{"scheme", "3.2.0", strings.Replace(plain, "data:,x", "ftp://example.com/x", 1), release.Current,
			[]string{"error source 10"}},
		{"no source", "3.2.0", "path: /etc/x\nmode: 420", release.Current, []string{"error noSource 8"}},
		{"gzip in 4.4", "2.2.0", "path: /etc/x\nfilesystem: root\ncontents: {source: \"data:,x\", compression: gzip}",
			release.V44, []string{"error compression 10"}},
		{"no gzip", "3.2.0", "path: /etc/x\ncontents: {source: \"data:,x\", compression: gzip}", release.Current,
			[]string{"error compression 9"}},
		{"bzip2", "3.2.0", "path: /etc/x\ncontents: {source: \"data:,x\", compression: bzip2}", release.Current,
			[]string{"error compression 9"}},
		{"append", "3.2.0", "path: /etc/x\nappend: [{source: \"data:,x\"}]", release.Current, []string{"error append 9"}},
		{"hash", "3.2.0", "path: /etc/x\ncontents: {source: \"data:,x\", verification: {hash: sha1-00}}", release.Current,
			[]string{"error hash 9"}},
		{"two owners", "3.2.0", plain + "\nuser: {id: 0, name: root}", release.Current, []string{"error owner 8"}},
	} {
		findings := Check(split(t, manifest(c.version, c.fields)), c.release)
		wellSaid(t, findings)
		if d := cmp.Diff(c.want, saidOf(findings)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// What a node can't do with what it gets, and the operator with its name.
func TestCheckOfHosts(t *testing.T) {
	const head = "kind: MachineConfig\nmetadata: {name: 50-x, labels: {machineconfiguration.openshift.io/role: worker}}\n"
	spec := func(path, more string) string {
		return head + "spec:\n  config:\n    ignition: {version: 3.2.0}\n    storage: {files: [{path: " + path +
			", contents: {source: 'data:,a'}}]}\n" + more
	}
	unit := func(text string) string { return spec("/etc/a", "    systemd: {units: ["+text+"]}\n") }
	extension := func(name string) string { return spec("/etc/a", "  extensions: ["+name+"]\n") }
	const kubelet = "---\nkind: KubeletConfig\nmetadata: {name: k}\nspec: {machineConfigPoolSelector: {matchLabels: " +
		"{pools.operator.machineconfiguration.openshift.io/%s: ''}}}\n"
	conf := spec("/etc/kubernetes/kubelet.conf", "")
	for _, c := range []struct {
		name, text string
		release    release.Release
		want       []string
	}{
		{"below /usr", spec("/usr/bin/x", ""), release.Current, []string{"error readOnly 6"}},
		{"below a link to /usr", spec("/lib/x", ""), release.Current, []string{"error readOnly 6"}},
		{"below /usr/local", spec("/usr/local/bin/x", ""), release.Current, nil},
		{"below /run", spec("/run/x", ""), release.Current, []string{"error volatile 6"}},
		{"a path that only begins so", spec("/run-x/x", ""), release.Current, nil},
		{"masked", unit("{name: kubelet.service, mask: true}"), release.Current, []string{"error vitalUnit 7"}},
		{"not enabled", unit("{name: kubelet.service, enabled: false}"), release.Current, []string{"error vitalUnit 7"}},
		{"not enabled, which the kubelet starts", unit("{name: crio.service, enabled: false}"), release.Current, nil},
		{"CRI-O masked", unit("{name: crio.service, mask: true}"), release.Current, []string{"error vitalUnit 7"}},
		{"the network masked", unit("{name: NetworkManager.service, mask: true}"), release.Current,
			[]string{"error vitalUnit 7"}},
		{"the network not enabled", unit("{name: NetworkManager.service, enabled: false}"), release.Current, nil},
		{"what the kubelet asks for", unit("{name: kubelet-dependencies.target, mask: true}"), 12,
			[]string{"error vitalUnit 7"}},
		{"which isn't there yet", unit("{name: kubelet-dependencies.target, mask: true}"), 11, nil},
		{"the bridge of OVN-Kubernetes masked", unit("{name: ovs-configuration.service, mask: true}"), release.Current,
			[]string{"warning vitalUnit 7"}},
		{"the bridge of OVN-Kubernetes not enabled", unit("{name: ovs-configuration.service, enabled: false}"), 16,
			[]string{"warning vitalUnit 7"}},
		{"masked and enabled", unit("{name: a.service, mask: true, enabled: true}"), 13, []string{"error unit 7"}},
		{"masked and enabled, where it may not be there", unit("{name: a.service, mask: true, enabled: true}"), 20,
			[]string{"warning unit 7"}},
		{"masked and enabled, with contents", unit("{name: a.service, mask: true, enabled: true, contents: '[Install]'}"),
			20, []string{"error unit 7"}},
		{"the size of the node masked", unit("{name: kubelet-auto-node-size.service, mask: true}"), 8,
			[]string{"error vitalUnit 7"}},
		{"Open vSwitch masked", unit("{name: openvswitch.service, mask: true}"), 16, []string{"warning vitalUnit 7"}},
		{"Open vSwitch masked, of another network", unit("{name: openvswitch.service, mask: true}") + "---\nkind: Network\n" +
			"metadata: {name: cluster}\nspec: {networkType: Calico}\n", 16, nil},
		{"Open vSwitch masked, of the network of before", unit("{name: openvswitch.service, mask: true}") +
			"---\nkind: Network\nmetadata: {name: cluster}\nspec: {networkType: OpenShiftSDN}\n", 14,
			[]string{"warning vitalUnit 7"}},
		{"masked and enabled, which is passed over", unit("{name: a.service, mask: true, enabled: true}"), 12,
			[]string{"warning unit 7"}},
		{"masked, with contents", unit("{name: a.service, mask: true, contents: '[Service]'}"), release.Current,
			[]string{"warning unit 7"}},
		{"masked and not enabled", unit("{name: a.service, mask: true, enabled: false}"), release.Current, nil},
		{"another one", unit("{name: rpcbind.service, mask: true}"), release.Current, nil},
		{"a drop-in", unit("{name: kubelet.service, dropins: [{name: 20-a.conf, contents: '[Service]'}]}"),
			release.Current, nil},
		{"extension", extension("usbguard"), release.Current, nil},
		{"extension of later releases", extension("ipsec"), 13, []string{"error extension 7"}},
		{"extension that went", extension("wasm"), release.Current, []string{"error extension 7"}},
		{"slip", extension("kerneldevel"), 16, []string{"error extension 7"}},
		{"KubeletConfig of the pool", conf + fmt.Sprintf(kubelet, "worker"), release.Current, []string{"warning rival 6"}},
		{"KubeletConfig that loses", strings.Replace(conf, "50-x", "99-x", 1) + fmt.Sprintf(kubelet, "worker"),
			release.Current, []string{"warning rival 6"}},
		{"KubeletConfig of another pool", conf + fmt.Sprintf(kubelet, "master"), release.Current, nil},
	} {
		findings := Check(split(t, c.text), c.release)
		wellSaid(t, findings)
		if d := cmp.Diff(c.want, saidOf(findings)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	for name, want := range map[string]string{"50-x": "this content is lost", "99-x": "which has no effect"} {
		text := strings.Replace(conf, "50-x", name, 1) + fmt.Sprintf(kubelet, "worker")
		if got := Check(split(t, text), release.Current); !strings.HasSuffix(got[0].Message, want) {
			t.Errorf("%s: %s", name, got[0].Message)
		}
	}
}

// What the kernel and udev make of a file.
func TestCheckOfContents(t *testing.T) {
	const rules, sysctl = "/etc/udev/rules.d/99-x.rules", "/etc/sysctl.d/99-x.conf"
	const queues = `ACTION=="add", SUBSYSTEM=="queues", KERNEL=="rx-*", DRIVERS=="x", ATTR{rps_cpus}="%"` + "\n"
	const devices = `SUBSYSTEM=="net", KERNEL=="e*", RUN+="/bin/sh -c 'for q in /sys$devpath/queues/rx-*; ` +
		`do echo % > $$q/rps_cpus; done'"` + "\n"
	both := func(mask string) string { return strings.ReplaceAll(queues+devices, "%", mask) }
	for _, c := range []struct {
		name, path, text string
		release          release.Release
		want             []string
	}{
		{"right", rules, both("ff"), release.Current, nil},
		{"said CPUs", rules, "# nodes with 8 CPUs\n" + both("fff"), release.Current, []string{"mask"}},
		{"said cores, right", rules, "# 12-core nodes\n" + both("ff") + "# for 12 vCPUs", release.Current, nil},
		{"0x", rules, both("0xff"), release.Current, []string{"mask"}},
		{"long group", rules, both("0000000ff"), release.Current, []string{"mask"}},
		{"no rule for devices", rules, strings.ReplaceAll(queues, "%", "ff"), release.Current, []string{"lateQueues"}},
		{"one queue", rules, `SUBSYSTEM=="net", KERNEL=="eth*", ATTR{queues/*/rps_cpus}="ff"`, release.Current,
			[]string{"oneQueue"}},
		{"one queue by number", rules, `SUBSYSTEM=="net", KERNEL=="eth*", ATTR{queues/rx-0/rps_cpus}="ff"`,
			release.Current, nil},
		{"all devices", rules, `SUBSYSTEM=="net", ATTR{queues/rx-0/rps_cpus}="ff"`, release.Current, []string{"allDevices"}},
		{"syntax", rules, `SUBSYSTEM=="net" KERNEL=eth0, ATTR{queues/rx-0/rps_cpus}="ff"`, release.Current,
			[]string{"udevSyntax"}},
		{"continued", rules, "SUBSYSTEM==\"net\", KERNEL==\"eth*\", \\\n ATTR{queues/rx-0/rps_cpus}=\"ff\"",
			release.Current, nil},
		{"other rules", rules, `SUBSYSTEM=="block", ATTR{queue/scheduler}="none"`, release.Current, nil},
		{"default mask", sysctl, "net.core.rps_default_mask = ff\n", release.Current, nil},
		{"default mask in 4.5", sysctl, "net/core/rps_default_mask = ff\n", release.V45, []string{"mask"}},
		{"bad default mask", sysctl, "-net.core.rps_default_mask=0xff\n", release.Current, []string{"mask"}},
		{"a sysctl that is right", sysctl, "vm.swappiness = 10\n# vm.swapiness = 1\nnet/ipv4/conf/eth0.100/rp_filter=1\n",
			release.Current, nil},
		{"a sysctl that is none", sysctl, "vm.swapiness=10\n", release.Current, []string{"sysctl"}},
		{"a sysctl that is gone", sysctl, "-net.ipv4.tcp_tw_recycle=1\n", release.V44, []string{"sysctl"}},
		{"a value that is none", sysctl, "vm.swappiness=1000\n", release.Current, []string{"sysctl"}},
		{"a number in words", sysctl, "kernel.shmmax = 1k\n", release.Current, []string{"sysctl"}},
		{"ports in the wrong order", sysctl, "net.ipv4.ip_local_port_range = 65535 1024\n", release.Current,
			[]string{"sysctl"}},
		{"two that exclude each other", sysctl, "vm.dirty_bytes = 8192\nvm.dirty_ratio = 10\n", release.Current,
			[]string{"sysctl"}},
		{"an interface with a dot", sysctl, "net.ipv4.conf.eth0.100.rp_filter=1\n", release.Current, []string{"sysctl"}},
		{"route", scriptsDir + "route-eth0", "192.0.2.0/24 via 10.0.0.1\n# x\n\n192.0.2.9 via 10.0.0.1\n", release.V44,
			[]string{"routeFile"}},
		{"routes", scriptsDir + "route-eth0", "default via 10.0.0.1\n192.0.2.1/24 via 10.0.0.1\n" +
			"x via y\n198.51.100.0/24 dev eth0", release.V44, []string{"onLink", "route", "routeFile"}},
		{"key file", keyfilesDir + "eth0.nmconnection", "[connection]\n", release.Current, []string{"keyfile"}},
		{"key file, name", keyfilesDir + "eth0", "[connection]\n", release.Current, []string{"keyfile"}},
	} {
		mc := config3("50-x", c.path, EncodeDataURL([]byte(c.text)))
		if c.release != release.Current {
			mc = config2("50-x", c.path, EncodeDataURL([]byte(c.text)))
		}
		mc.Kind = "MachineConfig"
		findings := Check(split(t, toYAML(t, mc)), c.release)
		wellSaid(t, findings)
		if d := cmp.Diff(c.want, ids(findings)); d != "" {
			t.Errorf("%s: %s%v", c.name, d, findings)
		}
	}
}
