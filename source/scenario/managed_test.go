package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/source/scenario"
	"plimsoll.dev/unit"
)

// What the providers' pages give as examples: AKS's two machines and its table of CPUs, the tiers of GKE by
// hand, and EKS's 11 MiB a pod and 255 MiB, of an m5.large with 29 pods.
func TestManagedReservations(t *testing.T) {
	for _, c := range []struct {
		service, memory string
		cpus, maxPods   int
		cpu             unit.CPU
		keeps           unit.Bytes
	}{
		{"aks", "8G", 1, 30, 60, 650 * unit.MB}, {"aks", "4G", 2, 70, 100, 1000 * unit.MB},
		{"aks", "64G", 4, 30, 140, 650 * unit.MB}, {"aks", "64G", 8, 30, 180, 650 * unit.MB},
		{"aks", "64G", 16, 30, 260, 650 * unit.MB}, {"aks", "64G", 32, 30, 420, 650 * unit.MB},
		{"aks", "64G", 64, 30, 740, 650 * unit.MB},
		{"gke", "4Gi", 1, 110, 60, unit.GiB}, {"gke", "8Gi", 2, 110, 70, 1843 * unit.MiB},
		{"gke", "16Gi", 4, 110, 80, 2662 * unit.MiB}, {"gke", "512Mi", 1, 110, 60, 255 * unit.MiB},
		{"eks", "8Gi", 2, 29, 70, 574 * unit.MiB}, {"eks", "64Gi", 16, 234, 110, 2829 * unit.MiB},
	} {
		text := fmt.Sprintf("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\n"+
			"platform: {type: kubernetes, release: \"1.30\", service: %s}\n"+
			"hardware: {nodeTypes: [{name: n, cpus: %d, memory: %s, maxPods: %d}]}\n", c.service, c.cpus, c.memory, c.maxPods)
		doc, err := scenario.Read("t.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r := doc.Scenario.Hardware.NodeTypes[0].KubeReserved
		if off := r.Memory - c.keeps; r.CPU != c.cpu || off < -unit.MiB || off > unit.MiB {
			t.Errorf("%+v: %s and %s", c, r.CPU, r.Memory)
		}
		if n := doc.Scenario.Policy.ControlPlaneNodes; n != 0 {
			t.Errorf("%s: %d control plane nodes are planned", c.service, n)
		}
	}
}

// A managed service has one product and one provider, and what is stated goes before its formula.
func TestManagedServices(t *testing.T) {
	const head = "apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: "
	for platform, want := range map[string]string{
		`{type: openshift, release: "4.17", service: gke}`:                   "gke is a service of Kubernetes",
		`{type: kubernetes, release: "1.30", service: eks, provider: azure}`: "eks runs on aws only",
		`{type: kubernetes, release: "1.30", service: rosa, provider: aws}`:  "rosa is a service of OpenShift",
		`{type: kubernetes, release: "1.30", service: aks}`:                  "",
	} {
		_, err := scenario.Read("t.yaml", []byte(head+platform+"\n"))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", platform, err, want)
		}
	}
	doc, err := scenario.Read("t.yaml", []byte(head+`{type: kubernetes, release: "1.30", service: gke}`+
		"\nhardware: {nodeTypes: [{name: n, cpus: 4, memory: 16Gi, kubeReserved: {cpu: 1, memory: 1Gi}}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s := doc.Scenario; s.Hardware.NodeTypes[0].KubeReserved.CPU != 1000 || s.Platform.Provider != "gcp" {
		t.Errorf("%v on %s", s.Hardware.NodeTypes[0].KubeReserved, s.Platform.Provider)
	}
}
