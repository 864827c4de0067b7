// Command crdgen writes what the API server of each release checks of the kinds that package tune/crd knows:
// the structure of their definitions, without a sentence of them.
//
// It judges nothing. It reads the definitions from git checkouts that have the releases as branches:
//
//	go run ./tools/crdgen CHECKOUTS   # a directory with api, machine-api-operator, machine-config-operator and
//	                                  # cluster-node-tuning-operator of github.com/openshift
//	go run ./tools/crdgen CHECKOUTS OUT   # writes the definitions themselves into OUT, for an API server
package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) != 2 && len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "crdgen: name the directory of the checkouts")
		os.Exit(2)
	}
	out := ""
	if len(os.Args) == 3 {
		out = os.Args[2]
	}
	for _, k := range kinds {
		if err := write(os.Args[1], out, k); err != nil {
			fmt.Fprintf(os.Stderr, "crdgen: %s: %v\n", k.name, err)
			os.Exit(1)
		}
	}
}

// kind is a kind and where its definitions stand: the file of a release is of the first place that has one.
type kind struct {
	name   string
	places []place
}

// place is a pattern of files of a repository, from a release on.
type place struct {
	repo  string
	since int
	files string
}

const machineConfigs = `^machineconfiguration/v1/(zz_generated.crd-manifests/)?0000_80_(machine-config_01_)?`

func ofMachineConfigs(name, singular, plural string) kind {
	return kind{name, []place{
		{"api", 15, machineConfigs + `(` + singular + `|` + plural + `(-[A-Za-z]+)?)\.crd\.yaml$`},
		{"machine-config-operator", 1, `^(manifests|install)/([0-9]+_80_machine-config-operator_01_)?` + singular +
			`\.crd\.yaml$`}}}
}

var kinds = []kind{
	ofMachineConfigs("ContainerRuntimeConfig", "containerruntimeconfig", "containerruntimeconfigs"),
	{"IngressController", []place{{"api", 1, `^operator/v1/(zz_generated.crd-manifests/)?0000_50_ingress(-operator)?` +
		`_00[-_](ingresscontrollers?(-[A-Za-z]+)?\.crd|custom-resource-definition)\.yaml$`}}},
	ofMachineConfigs("KubeletConfig", "kubeletconfig", "kubeletconfigs"),
	ofMachineConfigs("MachineConfig", "machineconfig", "machineconfigs"),
	ofMachineConfigs("MachineConfigPool", "machineconfigpool", "machineconfigpools"),
	{"MachineConfiguration", []place{{"api", 16, `^operator/v1/zz_generated.crd-manifests/` +
		`0000_80_machine-config_01_machineconfigurations(-[A-Za-z]+)?\.crd\.yaml$`}}},
	{"MachineHealthCheck", []place{
		{"api", 10, `^machine/v1beta1/(zz_generated.crd-manifests/)?0000_10_(machine-api_01_)?` +
			`machinehealthchecks?(\.crd)?\.yaml$`},
		{"machine-api-operator", 1, `^install/.*_07_machinehealthcheck\.crd\.yaml$`}}},
	{"PerformanceProfile", []place{{"cluster-node-tuning-operator", 11, `^manifests/20-performance-profile\.crd\.yaml$`}}},
	{"Tuned", []place{{"cluster-node-tuning-operator", 1, `^manifests/(02-crd|[0-9]+-crd-tuned|20-tuned\.crd)\.yaml$`}}},
}

// The releases, and the feature sets with the letters that stand before a release in the data.
const oldest, newest = 3, 23

var sets = []struct{ letter, name string }{{"", "Default"}, {"T", "TechPreviewNoUpgrade"}, {"C", "CustomNoUpgrade"}}

// column is the definition of one release and feature set.
type column struct {
	set     string
	release int
}

// write writes the facts about a kind or, into a directory out, its definitions.
func write(dir, out string, k kind) error {
	root := &node{}
	var all []column
	for _, s := range sets {
		for r := oldest; r <= newest; r++ {
			text, err := definition(dir, k, r, s.name)
			if err != nil {
				return err
			}
			if text == nil {
				continue
			}
			c := column{s.letter, r}
			if out != "" {
				name := filepath.Join(out, fmt.Sprintf("%s-%s%d.yaml", k.name, c.set, c.release))
				if err := os.WriteFile(name, text, 0o644); err != nil {
					return err
				}
				continue
			}
			if err := add(root, text, c); err != nil {
				return fmt.Errorf("4.%d %s: %w", r, s.name, err)
			}
			all = append(all, c)
		}
	}
	if out != "" {
		return nil
	}
	var lines strings.Builder
	lines.WriteString("releases " + span(all, nil) + "\n")
	for _, c := range root.sorted() {
		c.write(&lines, 0, all, all)
	}
	name := filepath.Join("tune", "crd", "data", strings.ToLower(k.name)+".txt")
	return os.WriteFile(name, []byte(lines.String()), 0o644)
}

// definition is the text of a definition, nil where the release has none, or the feature set none of its own.
func definition(dir string, k kind, release int, set string) ([]byte, error) {
	branch := fmt.Sprintf("release-4.%d", release)
	for _, p := range k.places {
		if release < p.since {
			continue
		}
		files, err := git(filepath.Join(dir, p.repo), "ls-tree", "-r", "--name-only", branch)
		if err != nil {
			return nil, err
		}
		match := regexp.MustCompile(p.files)
		var found []string
		for f := range strings.Lines(string(files)) {
			if f = strings.TrimSpace(f); match.MatchString(f) {
				found = append(found, f)
			}
		}
		f := choose(found, set)
		if f == "" {
			if len(found) > 0 {
				return nil, nil
			}
			continue
		}
		return git(filepath.Join(dir, p.repo), "show", branch+":"+f)
	}
	return nil, nil
}

// choose takes the file of a feature set: one without a set is of all, and is taken once, as Default.
func choose(files []string, set string) string {
	named := func(s string) int {
		return slices.IndexFunc(files, func(f string) bool { return strings.Contains(f, "-"+s+".crd") })
	}
	if i := named(set); i >= 0 {
		return files[i]
	}
	if len(files) == 0 || set != "Default" {
		return ""
	}
	for _, f := range files {
		if !strings.Contains(f, "NoUpgrade") && !strings.Contains(f, "OKD") && !strings.Contains(f, "-Hypershift") {
			return f
		}
	}
	return ""
}

func git(dir string, args ...string) ([]byte, error) {
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("git -C %s %s: %w", dir, strings.Join(args, " "), err)
	}
	return out, nil
}

// definitionFile is what is read of a definition; older ones have the schema beside the versions.
type definitionFile struct {
	APIVersion, Kind string
	Spec             struct {
		Names                 struct{ Kind string }
		PreserveUnknownFields *bool
		Validation            *struct{ OpenAPIV3Schema map[string]any }
		Subresources          struct {
			Scale *struct{ SpecReplicasPath string }
		}
		Versions []struct {
			Served       bool
			Storage      bool
			Subresources struct {
				Scale *struct{ SpecReplicasPath string }
			}
			Schema *struct{ OpenAPIV3Schema map[string]any }
		}
	}
}

// scaled bounds spec.replicas, which all definitions with a scale name for it, as API servers do.
func scaled(schema map[string]any) {
	spec, _ := schema["properties"].(map[string]any)["spec"].(map[string]any)
	fields, _ := spec["properties"].(map[string]any)
	if replicas, ok := fields["replicas"].(map[string]any); ok {
		replicas["minimum"], replicas["maximum"] = 0, math.MaxInt32
	}
}

// add puts the facts of a definition into the tree.
func add(root *node, text []byte, c column) error {
	for part := range strings.SplitSeq("\n"+string(text), "\n---") {
		var d definitionFile
		if err := yaml.Unmarshal([]byte(part), &d); err != nil {
			return err
		}
		if d.Kind != "CustomResourceDefinition" || d.Spec.Names.Kind == "Profile" {
			continue
		}
		var schema map[string]any
		if d.Spec.Validation != nil {
			schema = d.Spec.Validation.OpenAPIV3Schema
		}
		for _, v := range d.Spec.Versions {
			if v.Schema != nil && v.Served && (v.Storage || schema == nil) {
				schema = v.Schema.OpenAPIV3Schema
				d.Spec.Subresources = v.Subresources
			}
		}
		if len(schema) == 0 {
			schema = map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
		}
		if d.Spec.Subresources.Scale != nil {
			scaled(schema)
		}
		top := root.child(typed("object", schema), c)
		keep := d.Spec.PreserveUnknownFields
		if keep != nil && *keep || keep == nil && strings.HasSuffix(d.APIVersion, "beta1") {
			top.child("=preserveAll true", c)
		}
		for _, drop := range []string{"status", "apiVersion", "kind", "metadata"} {
			if p, ok := schema["properties"].(map[string]any); ok {
				delete(p, drop)
			}
		}
		return top.schema(schema, c)
	}
	return fmt.Errorf("no definition")
}
