package upstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	machinev1alpha1 "github.com/openshift/api/machine/v1alpha1"
	machinev1beta1 "github.com/openshift/api/machine/v1beta1"
	mcov1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	kubeletv1beta1 "k8s.io/kubelet/config/v1beta1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/sink/manifest"
	"plimsoll.dev/sink/manifest/manifesttest"
)

// installPart is what install-config.yaml knows of the keys that we write, from
// the installer's documentation; its own types can't be imported.
type installPart struct {
	Networking struct {
		NetworkType    string `json:"networkType"`
		MachineCIDR    string `json:"machineCIDR"`
		MachineNetwork []struct {
			CIDR string `json:"cidr"`
		} `json:"machineNetwork"`
		ClusterNetwork []struct {
			CIDR       string `json:"cidr"`
			HostPrefix int    `json:"hostPrefix"`
		} `json:"clusterNetwork"`
		ServiceNetwork []string `json:"serviceNetwork"`
	} `json:"networking"`
	ControlPlane installMachines   `json:"controlPlane"`
	Compute      []installMachines `json:"compute"`
}

type installMachines struct {
	Name     string `json:"name"`
	Replicas int    `json:"replicas"`
	Platform struct {
		AWS struct {
			Type       string   `json:"type"`
			Zones      []string `json:"zones"`
			RootVolume struct {
				Size int `json:"size"`
			} `json:"rootVolume"`
		} `json:"aws"`
		Azure struct {
			Type   string   `json:"type"`
			Zones  []string `json:"zones"`
			OSDisk struct {
				DiskSizeGB int `json:"diskSizeGB"`
			} `json:"osDisk"`
		} `json:"azure"`
		GCP struct {
			Type   string   `json:"type"`
			Zones  []string `json:"zones"`
			OSDisk struct {
				DiskSizeGB int `json:"DiskSizeGB"`
			} `json:"osDisk"`
		} `json:"gcp"`
		OpenStack struct {
			Type  string   `json:"type"`
			Zones []string `json:"zones"`
		} `json:"openstack"`
		VSphere struct {
			CPUs     int `json:"cpus"`
			MemoryMB int `json:"memoryMB"`
			OSDisk   struct {
				DiskSizeGB int `json:"diskSizeGB"`
			} `json:"osDisk"`
		} `json:"vsphere"`
	} `json:"platform"`
}

// monitoringPart is what the monitoring operator reads of a component's keys
// that we write; which components there are is in testdata/manifest-monitoring.
type monitoringPart struct {
	NodeSelector        map[string]string             `json:"nodeSelector"`
	Tolerations         []corev1.Toleration           `json:"tolerations"`
	Retention           string                        `json:"retention"`
	Resources           *corev1.ResourceRequirements  `json:"resources"`
	VolumeClaimTemplate *corev1.PersistentVolumeClaim `json:"volumeClaimTemplate"`
}

// objects are the types that documents are decoded into, by kind.
var objects = map[string]func() any{
	"MachineSet":                 func() any { return &machinev1beta1.MachineSet{} },
	"AWSMachineProviderConfig":   func() any { return &machinev1beta1.AWSMachineProviderConfig{} },
	"AzureMachineProviderSpec":   func() any { return &machinev1beta1.AzureMachineProviderSpec{} },
	"GCPMachineProviderSpec":     func() any { return &machinev1beta1.GCPMachineProviderSpec{} },
	"VSphereMachineProviderSpec": func() any { return &machinev1beta1.VSphereMachineProviderSpec{} },
	"OpenstackProviderSpec":      func() any { return &machinev1alpha1.OpenstackProviderSpec{} },
	"MachineConfigPool":          func() any { return &mcov1.MachineConfigPool{} },
	"MachineConfig":              func() any { return &mcov1.MachineConfig{} },
	"MachineHealthCheck":         func() any { return &machinev1beta1.MachineHealthCheck{} },
	"Tuned":                      func() any { return &openshift.Tuned{} }, // not among openshift/api's
	"KubeletConfig":              func() any { return &mcov1.KubeletConfig{} },
	"KubeletConfiguration":       func() any { return &kubeletv1beta1.KubeletConfiguration{} },
	"IngressController":          func() any { return &operatorv1.IngressController{} },
	"Network":                    func() any { return &operatorv1.Network{} },
	"ConfigMap":                  func() any { return &corev1.ConfigMap{} },
	"InstallConfig":              func() any { return &installPart{} },
}

// checkManifest finds everything that the API of a release, and the program that reads the
// document, would object to.
func checkManifest(rel release.Release, f manifest.File) []error {
	var tree map[string]any
	content := manifesttest.FilledIn(string(f.Content))
	if err := yaml.UnmarshalStrict([]byte(content), &tree); err != nil {
		return []error{err}
	}
	kind, _ := tree["kind"].(string)
	if path.Base(f.Path) == "00-install-config-networking.yaml" {
		kind = "InstallConfig"
	}
	errs := checkObject(rel, kind, tree)
	switch kind {
	case "MachineSet":
		value := dig(tree, "spec", "template", "spec", "providerSpec", "value").(map[string]any)
		errs = append(errs, checkObject(rel, value["kind"].(string), value)...)
	case "KubeletConfig":
		errs = append(errs, checkObject(rel, "KubeletConfiguration", dig(tree, "spec", "kubeletConfig").(map[string]any))...)
	case "ConfigMap":
		errs = append(errs, checkMonitoring(rel, dig(tree, "data", "config.yaml").(string))...)
	}
	if kind != "InstallConfig" {
		for _, text := range validation.IsDNS1123Subdomain(dig(tree, "metadata", "name").(string)) {
			errs = append(errs, errors.New(text))
		}
	}
	return errs
}

// dig follows keys into a tree.
func dig(tree any, keys ...string) any {
	for _, k := range keys {
		tree = tree.(map[string]any)[k]
	}
	return tree
}

// checkObject decodes an object strictly, and looks up each of its fields.
func checkObject(rel release.Release, kind string, tree map[string]any) []error {
	make, ok := objects[kind]
	if !ok {
		return []error{fmt.Errorf("unknown kind %q", kind)}
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return []error{err}
	}
	var errs []error
	for _, err := range decodeStrictly(text, make()) {
		errs = append(errs, fmt.Errorf("%s: %w", kind, err))
	}
	known := fieldTable()
	for _, p := range fieldPaths(kind, "", tree) {
		row, ok := known[kind+" "+p]
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("%s: field %s is not in testdata/manifest-fields.tsv", kind, p))
		case !row.Has(rel):
			errs = append(errs, fmt.Errorf("%s: field %s is not known to %s (%s)", kind, p, rel, row.source))
		}
	}
	return append(errs, checkQuantities(kind, tree)...)
}

// decodeStrictly decodes as the API server does when it is asked to refuse
// unknown fields: letter case counts.
func decodeStrictly(text []byte, into any) []error {
	strict, err := kjson.UnmarshalStrict(text, into)
	if err != nil {
		return []error{err}
	}
	return strict
}

// freeKeys are mappings whose keys are not fields.
var freeKeys = regexp.MustCompile(
	`(^|\.)(labels|matchLabels|nodeSelector|data|systemReserved|requests|serverMetadata)$`)

// fieldPaths are the paths of all fields of a tree. Below labels and the like
// the keys are the user's.
func fieldPaths(kind, at string, tree any) []string {
	var out []string
	switch t := tree.(type) {
	case map[string]any:
		selector := strings.HasSuffix(at, "nodeSelector") && (kind == "MachineConfigPool" || kind == "IngressController")
		if freeKeys.MatchString(at) && !selector || at == "spec.kubeletConfig" ||
			strings.HasSuffix(at, "providerSpec.value") {
			return nil
		}
		for k, v := range t {
			p := strings.TrimPrefix(at+"."+k, ".")
			out = append(append(out, p), fieldPaths(kind, p, v)...)
		}
	case []any:
		for _, v := range t {
			out = append(out, fieldPaths(kind, at+"[]", v)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// span is the range of releases that know a field, and where that was looked up.
type span struct {
	release.Span
	source string
}

// fieldTable reads testdata/manifest-fields.tsv: kind, field, first and last release
// (empty: all, and no end), and where it was looked up.
var fieldTable = sync.OnceValue(func() map[string]span {
	content, err := os.ReadFile("testdata/manifest-fields.tsv")
	if err != nil {
		panic(err)
	}
	out := map[string]span{}
	for _, line := range strings.Split(strings.TrimSpace(string(content)), "\n") {
		cells := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(cells) != 5 {
			panic("testdata/manifest-fields.tsv: " + line)
		}
		row := span{source: cells[4]}
		if cells[2] != "" {
			row.Since, err = release.Parse(cells[2])
		}
		if err == nil && cells[3] != "" {
			row.Until, err = release.Parse(cells[3])
		}
		if err != nil {
			panic(err)
		}
		out[cells[0]+" "+cells[1]] = row
	}
	return out
})

// checkQuantities parses whatever stands below requests and systemReserved.
func checkQuantities(at string, tree any) []error {
	var errs []error
	m, ok := tree.(map[string]any)
	if !ok {
		return nil
	}
	for k, v := range m {
		if amounts, ok := v.(map[string]any); ok && (k == "requests" || k == "systemReserved") {
			for name, q := range amounts {
				if _, err := resource.ParseQuantity(fmt.Sprint(q)); err != nil {
					errs = append(errs, fmt.Errorf("%s.%s.%s: %v: %w", at, k, name, q, err))
				}
			}
			continue
		}
		errs = append(errs, checkQuantities(at+"."+k, v)...)
	}
	return errs
}

// checkMonitoring checks config.yaml against the keys that the release reads.
func checkMonitoring(rel release.Release, config string) []error {
	var tree map[string]map[string]any
	if err := yaml.UnmarshalStrict([]byte(config), &tree); err != nil {
		return []error{err}
	}
	var errs []error
	known := monitoringKeys()[rel]
	for component, settings := range tree {
		for key := range settings {
			if !slices.Contains(known[component], key) {
				errs = append(errs, fmt.Errorf("config.yaml: release %s does not read %s.%s", rel, component, key))
			}
		}
		text, _ := json.Marshal(settings)
		for _, err := range decodeStrictly(text, &monitoringPart{}) {
			errs = append(errs, fmt.Errorf("config.yaml: %s: %w", component, err))
		}
		errs = append(errs, checkQuantities(component, settings)...)
	}
	return errs
}

// monitoringKeys reads testdata/manifest-monitoring.tsv: release, component, keys.
var monitoringKeys = sync.OnceValue(func() map[release.Release]map[string][]string {
	content, err := os.ReadFile("testdata/manifest-monitoring.tsv")
	if err != nil {
		panic(err)
	}
	out := map[release.Release]map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(content)), "\n") {
		cells := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		rel, err := release.Parse(cells[0])
		if err != nil || len(cells) != 3 {
			panic("testdata/manifest-monitoring.tsv: " + line)
		}
		if out[rel] == nil {
			out[rel] = map[string][]string{}
		}
		out[rel][cells[1]] = strings.Fields(cells[2])
	}
	return out
})
