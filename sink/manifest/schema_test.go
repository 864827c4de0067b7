package manifest

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/facts"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/ingresscontroller"
)

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
				rel, in := release.Release(minor), cases()[name]
				in.Platform.Release, in.Platform.Provider = rel.String(), provider
				if !openShiftSDN.In(rel) {
					in.Decisions.Network.Type = "OVNKubernetes"
				}
				in.Decisions.Network.IPsec = in.Decisions.Network.IPsec && ipsecConfig.In(rel)
				for _, f := range manifests(mustRender(t, in)) {
					for _, err := range checkManifest(rel, f) {
						t.Errorf("%s on %s %s/%s: %v", name, provider, rel, f.Path, err)
					}
				}
			}
		}
	}
}

func TestManifestsAreValid(t *testing.T) {
	for name, in := range cases() {
		rel, _ := release.Parse(in.Platform.Release)
		for _, f := range manifests(mustRender(t, in)) {
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
		{"ZTIP's telemetryClient", "cluster-monitoring-config.yaml", "telemeterClient:", "telemetryClient:", "does not read telemetryClient.nodeSelector"},
		{"OCP 8.2's baseImage", "cluster-monitoring-config.yaml", "      retention: 15d", "      retention: 15d\n      baseImage: openshift/prometheus", "does not read prometheusK8s.baseImage"},
		{"OCP 8.2's suffix K", "cluster-monitoring-config.yaml", "storage: 195G", "storage: 195K", "unable to parse quantity's suffix"},
		{"an unrendered template", "cluster-monitoring-config.yaml", "storage: 195G", "storage: {{SIZE}}", "invalid map key"},
		{"thanosQuerier before 4.5", "cluster-monitoring-config.yaml", "telemeterClient:", "thanosQuerier:", "does not read thanosQuerier"},
		{"letter case", "cluster-monitoring-config.yaml", "nodeSelector:", "nodeselector:", "does not read"},
		{"tuningOptions before 4.8", "ingresscontroller-default.yaml", "  replicas: 3", "  replicas: 3\n  tuningOptions:\n    threadCount: 8", "is not known to 4.4"},
		{"the router's environment", "ingresscontroller-default.yaml", "  replicas: 3", "  replicas: 3\n  env: []", "unknown field"},
		{"a kubelet field that is none", "kubeletconfig-worker.yaml", "maxPods:", "maxpods:", "unknown field"},
		{"text for a number", "kubeletconfig-worker.yaml", "maxPods: 500", "maxPods: many", "maxPods"},
		{"a pool field that is none", "machineconfigpool-infra.yaml", "nodeSelector:", "nodeSelectors:", "unknown field"},
		{"an instance type in the wrong place", "fill-in/machineset-worker-z1.yaml", "instanceType:", "vmSize:", "unknown field"},
		{"MTU of the wrong plug-in", "install/cluster-network-03-config.yml", "openshiftSDNConfig:", "ovnKubernetesConfig:", "mode"},
		{"IPsec before 4.7", "install/cluster-network-03-config.yml", "    openshiftSDNConfig:\n      mode: NetworkPolicy", "    ovnKubernetesConfig:\n      ipsecConfig: {}", "is not known to 4.4"},
		{"machineCIDR since 4.4", "install/00-install-config-networking.yaml", "networkType: OpenShiftSDN", "networkType: OpenShiftSDN\n  machineCIDR: 10.0.0.0/16", "machineCIDR"},
		{"a key twice", "machineconfigpool-worker.yaml", "spec:", "spec:\n  maxUnavailable: 3", "already"},
		{"a name that no object can have", "machineconfigpool-worker.yaml", "name: worker", "name: Worker_1", "lowercase"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, f := range mustRender(t, awsInfra()) {
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

// TestFillInIsRefused proves that no file with placeholders can be applied by
// accident: the API server refuses the guard's value, and most names as well.
func TestFillInIsRefused(t *testing.T) {
	for name, in := range cases() {
		for _, f := range manifests(mustRender(t, in)) {
			holes := placeholdersIn(f.Content)
			if strings.HasPrefix(f.Path, installDir) {
				continue // no object of an API server
			}
			if (len(holes) > 0) != strings.HasPrefix(f.Path, fillInDir) {
				t.Errorf("%s/%s: placeholders %v belong into %s only", name, f.Path, holes, fillInDir)
			}
			var o struct {
				Kind     string
				Metadata struct {
					Name   string
					Labels map[string]string
				}
			}
			if err := yaml.Unmarshal(f.Content, &o); err != nil {
				t.Fatal(err)
			}
			guarded := len(validation.IsValidLabelValue(o.Metadata.Labels[fillInLabel])) > 0
			if guarded != (len(holes) > 0) {
				t.Errorf("%s/%s: guarded %v with placeholders %v", name, f.Path, guarded, holes)
			}
			if o.Kind == "MachineSet" && len(validation.IsDNS1123Subdomain(o.Metadata.Name)) == 0 {
				t.Errorf("%s/%s: the name %s would be accepted", name, f.Path, o.Metadata.Name)
			}
		}
	}
}

// TestPlaceholdersAreExplained keeps the README complete.
func TestPlaceholdersAreExplained(t *testing.T) {
	for name, in := range cases() {
		for _, f := range mustRender(t, in) {
			for _, p := range placeholdersIn(f.Content) {
				if h := holeOf(p); p != fillInValue && (h.meaning == "" || h.find == "") {
					t.Errorf("%s/%s: %s is not explained", name, f.Path, p)
				}
			}
		}
	}
}

// TestTableAgreesWithTheCatalogue: where the catalogue knows since when a field
// can be set, the table of releases says the same.
func TestTableAgreesWithTheCatalogue(t *testing.T) {
	c := facts.Load()
	for minor := 1; minor <= 22; minor++ {
		rel := release.Release(minor)
		for quantity, option := range map[string]string{"ocp.router.canSetThreads": "threadCount", "ocp.router.canSetMaxConnections": "maxConnections"} {
			fact, _, _, ok := c.ForRelease(quantity, rel.String())
			if !ok || (fact.Text == "Yes") != ingresscontroller.Knows(rel, "tuningOptions."+option) {
				t.Errorf("%s/%s is %q, the table says %v", quantity, rel, fact.Text, !(fact.Text == "Yes"))
			}
		}
		fact, _, _, ok := c.ForRelease("ocp.network.openShiftSDN", rel.String())
		forbidden := fact.Text == "removed" || fact.Text == "not for new installations"
		if !ok || forbidden == openShiftSDN.In(rel) {
			t.Errorf("ocp.network.openShiftSDN/%s is %q, the table says %v", rel, fact.Text, openShiftSDN.In(rel))
		}
	}
}
