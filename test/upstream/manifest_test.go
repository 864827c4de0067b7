package upstream

import (
	"path"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/sink/manifest"
	"plimsoll.dev/sink/manifest/manifesttest"
)

// Outside of these releases the manifests of a plan that decides on OpenShiftSDN or
// IPsec are refused.
const (
	lastOpenShiftSDN release.Release = 14
	firstIPsec       release.Release = 7
)

// manifests are a plan's files that an API or the installer reads.
func manifests(t *testing.T, p v1alpha1.Plan) []manifest.File {
	t.Helper()
	files, err := manifest.Render(manifest.FromPlan(&p, ""))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(files, func(f manifest.File) bool {
		return path.Ext(f.Path) != ".yaml" && path.Ext(f.Path) != ".yml"
	})
}

// TestEveryReleaseIsValid renders the cases for every release and provider, in
// so far as their decisions can be carried out there.
func TestEveryReleaseIsValid(t *testing.T) {
	for minor := 1; minor <= 22; minor++ {
		for _, provider := range []string{"aws", "azure", "gcp", "openstack", "vsphere", "baremetal", "ibmz", "none"} {
			names := []string{"aws-4.4-three-zones-infra", "gcp-4.18-shards"}
			if provider == "baremetal" {
				names = []string{"azure-4.12", "baremetal-4.17-ipsec"}
			}
			for _, name := range names {
				rel, p := release.Release(minor), manifesttest.Plans()[name]
				p.Platform.Release, p.Platform.Provider = rel.String(), provider
				if rel > lastOpenShiftSDN {
					p.Decisions.Network.Type = "OVNKubernetes"
				}
				p.Decisions.Network.IPsec = p.Decisions.Network.IPsec && rel >= firstIPsec
				for _, f := range manifests(t, p) {
					for _, err := range checkManifest(rel, f) {
						t.Errorf("%s on %s %s/%s: %v", name, provider, rel, f.Path, err)
					}
				}
			}
		}
	}
}

func TestManifestsAreValid(t *testing.T) {
	for name, p := range manifesttest.Plans() {
		rel, _ := release.Parse(p.Platform.Release)
		for _, f := range manifests(t, p) {
			for _, err := range checkManifest(rel, f) {
				t.Errorf("%s/%s: %v", name, f.Path, err)
			}
		}
	}
}

// TestCheckerCatches plants the mistakes that the documents make, and others,
// into good files: a checker that lets them pass would prove nothing.
func TestCheckerCatches(t *testing.T) {
	for _, c := range []struct{ name, file, from, to, want string }{
		{"ZTIP's telemetryClient", "cluster-monitoring-config.yaml", "telemeterClient:", "telemetryClient:",
			"does not read telemetryClient.nodeSelector"},
		{"OCP 8.2's baseImage", "cluster-monitoring-config.yaml", "      retention: 15d",
			"      retention: 15d\n      baseImage: openshift/prometheus", "does not read prometheusK8s.baseImage"},
		{"OCP 8.2's suffix K", "cluster-monitoring-config.yaml", "storage: 195G", "storage: 195K",
			"unable to parse quantity's suffix"},
		{"an unrendered template", "cluster-monitoring-config.yaml", "storage: 195G", "storage: {{SIZE}}", "invalid map key"},
		{"thanosQuerier before 4.5", "cluster-monitoring-config.yaml", "telemeterClient:", "thanosQuerier:",
			"does not read thanosQuerier"},
		{"letter case", "cluster-monitoring-config.yaml", "nodeSelector:", "nodeselector:", "does not read"},
		{"tuningOptions before 4.8", "ingresscontroller-default.yaml", "  replicas: 3",
			"  replicas: 3\n  tuningOptions:\n    threadCount: 8", "is not known to 4.4"},
		{"the router's environment", "ingresscontroller-default.yaml", "  replicas: 3", "  replicas: 3\n  env: []",
			"unknown field"},
		{"a kubelet field that is none", "kubeletconfig-worker.yaml", "maxPods:", "maxpods:", "unknown field"},
		{"text for a number", "kubeletconfig-worker.yaml", "maxPods: 500", "maxPods: many", "maxPods"},
		{"a pool field that is none", "machineconfigpool-infra.yaml", "nodeSelector:", "nodeSelectors:", "unknown field"},
		{"an instance type in the wrong place", "fill-in/machineset-worker-z1.yaml", "instanceType:", "vmSize:",
			"unknown field"},
		{"MTU of the wrong plug-in", "install/cluster-network-03-config.yml", "openshiftSDNConfig:", "ovnKubernetesConfig:",
			"mode"},
		{"IPsec before 4.7", "install/cluster-network-03-config.yml", "    openshiftSDNConfig:\n      mode: NetworkPolicy",
			"    ovnKubernetesConfig:\n      ipsecConfig: {}", "is not known to 4.4"},
		{"machineCIDR since 4.4", "install/00-install-config-networking.yaml", "networkType: OpenShiftSDN",
			"networkType: OpenShiftSDN\n  machineCIDR: 10.0.0.0/16", "machineCIDR"},
		{"a key twice", "machineconfigpool-worker.yaml", "spec:", "spec:\n  maxUnavailable: 3", "already"},
		{"a name that no object can have", "machineconfigpool-worker.yaml", "name: worker", "name: Worker_1", "lowercase"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, f := range manifests(t, manifesttest.Plans()["aws-4.4-three-zones-infra"]) {
				if f.Path != c.file {
					continue
				}
				text := string(f.Content)
				if !strings.Contains(text, c.from) {
					t.Fatalf("%s has no %q", c.file, c.from)
				}
				f.Content = []byte(strings.ReplaceAll(text, c.from, c.to))
				found := ""
				for _, err := range checkManifest(release.Release(4), f) {
					found += err.Error() + "\n"
				}
				if !strings.Contains(found, c.want) {
					t.Errorf("want %q, got: %s", c.want, found)
				}
				return
			}
			t.Fatalf("no file %s", c.file)
		})
	}
}
