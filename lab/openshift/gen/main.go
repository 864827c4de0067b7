// Command gen copies the CustomResourceDefinitions that the laboratory serves
// from the module github.com/openshift/api into crds/. It decides
// nothing about them; the stand-ins for aggregated APIs are made by package openshift.
//
//	go run ./gen
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// module is a revision that the module proxies have; the tags of the module are older than its manifests.
const module = "github.com/openshift/api@v0.0.0-20251015095338-264e80a2b6e7"

// files are the manifests by package, of the default feature set where there are several.
var files = map[string][]string{
	"machine/v1beta1": {"0000_10_machine-api_01_machinehealthchecks", "0000_10_machine-api_01_machines-Default",
		"0000_10_machine-api_01_machinesets-Default"},
	"machineconfiguration/v1": {"0000_80_machine-config_01_containerruntimeconfigs",
		"0000_80_machine-config_01_controllerconfigs-Default", "0000_80_machine-config_01_kubeletconfigs",
		"0000_80_machine-config_01_machineconfigpools", "0000_80_machine-config_01_machineconfigs"},
	"operator/v1": {"0000_50_ingress_00_ingresscontrollers"},
	"config/v1": {"0000_00_cluster-version-operator_01_clusterversions-Default", "0000_10_config-operator_01_featuregates",
		"0000_10_config-operator_01_infrastructures-Default", "0000_10_config-operator_01_networks",
		"0000_10_config-operator_01_projects"},
	"quota/v1":    {"0000_03_config-operator_01_clusterresourcequotas"},
	"route/v1":    {"routes"},
	"security/v1": {"0000_03_config-operator_01_securitycontextconstraints"},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if err != nil {
		return fmt.Errorf("go mod download %s: %w", module, err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(out, &found); err != nil {
		return err
	}
	if err := os.MkdirAll("crds", 0o755); err != nil {
		return err
	}
	for dir, names := range files {
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(found.Dir, dir, "zz_generated.crd-manifests", name+".crd.yaml"))
			if err != nil {
				return err
			}
			text = bytes.ReplaceAll(text, []byte("XX"+"X: "), nil) // a mark of unfinished work in a description
			if err := os.WriteFile(filepath.Join("crds", name+".yaml"), text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
