package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// P11, OCP table 10.2 with the sentences of 10.2.1 that restrict it: where the
// table says configurable and the text "not recommended", the text holds.
func TestDocumentStorageTable(t *testing.T) {
	for use, want := range map[string]string{
		"registry":       "object (recommended), block (configurable), file (not recommended)",
		"scaledRegistry": "object (recommended), file (not recommended), block (not configurable)",
		"metrics":        "block (recommended), file (not recommended), object (not configurable)",
		"logging":        "block (recommended), file (not recommended), object (not configurable)",
		"apps":           "block (recommended), file (recommended), object (not configurable)",
	} {
		p := storing("aws", "use: "+use).plan(t)
		stated(t, p, map[string]string{"storage.advice[u]": want})
		for _, verdict := range strings.Split(want, ", ") {
			judged(t, use, verdict)
		}
	}
}

func storing(provider, use string) small {
	return small{Provider: provider, Rest: "storage: {uses: [{name: u, " + use + "}]}"}
}

// judged gives the technology as chosen, and wants the verdict of the ranking.
func judged(t *testing.T, use, verdict string) {
	t.Helper()
	technology, word, _ := strings.Cut(strings.TrimSuffix(verdict, ")"), " (")
	p := storing("aws", "use: "+use+", technology: "+technology).plan(t)
	severity, id := map[string]v1alpha1.Severity{"not configurable": v1alpha1.Error, "not recommended": v1alpha1.Warning,
		"configurable": v1alpha1.Info}[word],
		map[string]string{"not configurable": "notConfigurable", "not recommended": "notRecommended",
			"configurable": "configurable"}[word]
	for _, f := range p.Findings {
		if strings.HasPrefix(f.ID, "storage.choice.") && (f.Severity != severity || f.ID != "storage.choice."+id) {
			t.Errorf("%s on %s is %s, the plan says %s %s", use, technology, word, f.Severity, f.ID)
		}
	}
	if severity != "" {
		expectFinding(t, p, severity, "storage.choice."+id, true)
	}
	if p.Verdict.Fits != (word != "not configurable") {
		t.Errorf("%s on %s is %s, and fits is %v", use, technology, word, p.Verdict.Fits)
	}
}

// P11, OCP 10.2.1.2: on vSphere and bare metal only file storage is
// configurable for a scaled registry.
func TestDocumentScaledRegistryOffCloud(t *testing.T) {
	const off = "file (not recommended), object (not configurable), block (not configurable)"
	const cloud = "object (recommended), file (not recommended), block (not configurable)"
	for provider, want := range map[string]string{"vsphere": off, "baremetal": off, "aws": cloud, "gcp": cloud,
		"azure": cloud, "openstack": cloud} {
		stated(t, storing(provider, "use: scaledRegistry, accessMode: RWX").plan(t),
			map[string]string{"storage.advice[u]": want})
	}
}

// P11, the columns ROX and RWX with footnotes 4, 5 and 6.
func TestDocumentAccessModes(t *testing.T) {
	for use, refused := range map[string]bool{
		"use: apps, accessMode: RWX, technology: block":                             true,
		"use: apps, accessMode: RWX, technology: file":                              false,
		"use: apps, accessMode: ROX, technology: block":                             false,
		"use: apps, accessMode: ROX, technology: file":                              false,
		"use: apps, accessMode: ROX, technology: block, product: aws-ebs":           true,
		"use: apps, accessMode: ROX, technology: block, product: azure-disk":        true,
		"use: apps, accessMode: ROX, technology: block, product: vmdk":              true,
		"use: apps, accessMode: ROX, technology: block, product: physical-disk":     true,
		"use: apps, accessMode: ROX, technology: block, product: vm-physical-disk":  true,
		"use: apps, accessMode: ROX, technology: file, product: loopback-nfs":       true,
		"use: apps, accessMode: ROX, technology: block, product: cinder":            false,
		"use: apps, accessMode: RWO, technology: block, product: aws-ebs":           false,
		"use: metrics, accessMode: RWX, technology: file":                           true,
		"use: metrics, accessMode: RWO, technology: file":                           false,
		"use: logging, accessMode: RWX, technology: file":                           true,
		"use: registry, accessMode: RWO, technology: block":                         false,
		"use: scaledRegistry, accessMode: RWX, technology: block, product: aws-ebs": true,
	} {
		p := storing("none", use).plan(t)
		if got := found(p, v1alpha1.Error, "storage.choice.notConfigurable"); got != refused {
			t.Errorf("%s: refused is %v, want %v", use, got, refused)
		}
	}
}

// P11, OCP 10.2.1: RHEL's NFS not under core services; 10.2.2: databases on
// block, etcd on NVMe or SSD and never on Ceph, NFS or spinning disks.
func TestDocumentOtherStorage(t *testing.T) {
	const warn = v1alpha1.Warning
	for use, bad := range map[string]bool{
		"use: registry, product: rhel-nfs": true, "use: scaledRegistry, accessMode: RWX, product: rhel-nfs": true,
		"use: metrics, product: rhel-nfs": true, "use: logging, product: rhel-nfs": true,
		"use: apps, product: rhel-nfs": false,
		"use: etcd, product: nvme":     false, "use: etcd, product: ssd": false, "use: etcd, product: hdd": true,
		"use: etcd, product: ceph-rbd": true, "use: etcd, product: rhel-nfs": true, "use: database, technology: block": false,
	} {
		p := storing("aws", use).plan(t)
		if got := found(p, warn, "storage.choice.notRecommended"); got != bad {
			t.Errorf("%s: not recommended is %v, want %v", use, got, bad)
		}
	}
	got := figure(t, storing("aws", "use: database").plan(t), "storage.advice[u]").Value.Text
	if !strings.HasPrefix(got, "block (recommended)") {
		t.Errorf("databases perform best with block storage; the plan says %s", got)
	}
}

// P12, OCP 10.3: 50 GB at 16 GB of memory and 20-25 GB for every 8 GB more;
// 10 to 30 GB of logs; etcd less than 20 GB, its database up to 8 GB.
func TestDocumentDirectories(t *testing.T) {
	for memory, steps := range map[int]float64{8: 0, 16: 0, 24: 1, 32: 2, 64: 6, 128: 14} {
		p := small{Node: fmt.Sprintf("cpus: 8, memory: %dG", memory), Rest: "storage: {etcdQuota: 8G}"}.plan(t)
		for id, want := range map[string]float64{
			"storage.disk.containersMin[w/worker]": 50 + 20*steps, "storage.disk.containersMax[w/worker]": 50 + 25*steps,
			"storage.disk.logMin[w/worker]": 10, "storage.disk.logMax[w/worker]": 30, "storage.disk.kubelet[w/worker]": 0,
			"storage.disk.min[w/worker]": 60 + 20*steps, "storage.disk.max[w/worker]": 80 + 25*steps,
			"storage.disk.etcdMin[/controlPlane]": 8, "storage.disk.etcdMax[/controlPlane]": 20,
		} {
			number(t, p, id, want*1e9)
		}
	}
}

// P12: /var/lib/kubelet by the ephemeral storage of the fullest node, /var/log by one's own figure.
// Of two nodes, one of them spare, the scheduler gives each two of the four pods.
func TestDocumentGrowingDirectories(t *testing.T) {
	p := small{
		Node: "cpus: 8, memory: 16G, disk: 200G", Pods: "{name: a, replicas: 4, cpu: 100m, ephemeralStorage: 10G}",
		Rest: "storage: {logsPerNodePerDay: 2G, logRetention: 14d}",
	}.plan(t)
	number(t, p, "storage.disk.kubelet[w/worker]", 20e9)
	number(t, p, "storage.disk.log[w/worker]", 28e9)
	number(t, p, "storage.disk.max[w/worker]", 98e9)
	for disk, tooSmall := range map[int]bool{179: true, 180: false} { // 50 GB + 6 * 20 GB and at least 10 GB of logs
		p := small{Node: fmt.Sprintf("cpus: 8, memory: 64G, disk: %dG", disk)}.plan(t)
		expectFinding(t, p, v1alpha1.Warning, "storage.disk.tooSmall", tooSmall)
	}
}

// A machine whose disk is below the 100 GB that the installer asks of each ("Minimum resource requirements for
// cluster installation") can't be built; plain Kubernetes has no such minimum, nor has a managed service.
func TestDiskBelowTheInstallersMinimum(t *testing.T) {
	for _, c := range []struct {
		platform, disk string
		severity       v1alpha1.Severity
	}{
		{`release: "4.14"`, "20Gi", v1alpha1.Error}, {`release: "4.4"`, "99G", v1alpha1.Error},
		{`release: "4.14"`, "100G", ""}, {`release: "4.14", provider: aws, service: rosa`, "75Gi", v1alpha1.Warning},
		{`type: kubernetes, release: "1.33"`, "75Gi", v1alpha1.Warning},
	} {
		p := planOf(t, "platform: {"+c.platform+"}\nhardware: {nodeTypes: [{name: w, cpus: 8, memory: 16G, disk: "+c.disk+
			"}]}\nworkload: {podTypes: [{name: a, replicas: 4, cpu: 1, memory: 1G}]}\n")
		for _, s := range []v1alpha1.Severity{v1alpha1.Error, v1alpha1.Warning} {
			expectFinding(t, p, s, "storage.disk.belowMinimum", s == c.severity)
		}
		if p.Verdict.Fits != (c.severity != v1alpha1.Error) {
			t.Errorf("%+v: %+v", c, p.Verdict)
		}
	}
}
