package cli_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"plimsoll.dev/cli"
)

const stackExports = "../examples/hcg-export"

// A cloud's exports and a snapshot of them give the same audit, and the same placement.
func TestStackSnapshot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cloud.json.gz")
	if code, _, errs := run("snapshot", "--openstack", stackExports, "--output-file", file); code != cli.ExitNegative ||
		!strings.Contains(errs, "there is no ports.json (openstack port list") {
		t.Fatal(code, errs)
	}
	same := func(text string) string {
		text = regexp.MustCompile(`"time": "[^"]*"`).ReplaceAllString(text, "")
		return strings.ReplaceAll(strings.ReplaceAll(text, file, "X"), stackExports, "X")
	}
	code, of, _ := run("audit", "--openstack", stackExports, "-o", "json")
	again, taken, _ := run("audit", "--openstack", file, "-o", "json")
	if code != cli.ExitNegative || again != code || same(of) != same(taken) || !strings.Contains(of, "host.computeDown") {
		t.Errorf("%d %d\n%s\n%s", code, again, of, taken)
	}
	for _, scenario := range []string{"../examples/hcg-export.yaml", "../examples/hcg-dedicated.yaml"} {
		_, of, _ := run("audit", "--openstack", stackExports, "--scenario", scenario, "-o", "csv", "--table", "audit.rules")
		_, taken, errs := run("audit", "--openstack", file, "--scenario", scenario, "-o", "csv", "--table", "audit.rules")
		if of != taken || !strings.Contains(of, "host.spare,notSeen,\"whether the servers of any host find room") {
			t.Errorf("%s: %s\n%s%s", scenario, of, taken, errs)
		}
	}
	text, err := os.ReadFile("../examples/hcg-export.yaml")
	if err != nil {
		t.Fatal(err)
	}
	placed := filepath.Join(filepath.Dir(file), "cloud.yaml")
	changed := regexp.MustCompile(`hcg-export/\w+\.json`).ReplaceAllString(string(text), filepath.Base(file))
	if err := os.WriteFile(placed, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := run("place", placed)
	if code != cli.ExitOK || !strings.Contains(out, "32 of 32 VMs run on 4 hosts") {
		t.Error(code, out, errs)
	}
}

// Pseudonyms stand for what somebody has named, and the audit finds the same.
func TestStackAnonymised(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cloud.json")
	packed := file + ".gz"
	run("snapshot", "--openstack", stackExports, "--anonymise", "--output-file", packed)
	_, out, _ := run("audit", "--openstack", packed, "-o", "csv", "--table", "audit.rules")
	_, want, _ := run("audit", "--openstack", stackExports, "-o", "csv", "--table", "audit.rules")
	if out != want || !strings.Contains(out, "vm.group,finding") {
		t.Errorf("%s\n%s", out, want)
	}
	_, all, _ := run("audit", "--openstack", packed, "-o", "json")
	for _, named := range []string{"compute-3", "SECRET", "control-1", "nfv.wide", "storage-0", "oam"} {
		if strings.Contains(all, named) {
			t.Errorf("%s is told", named)
		}
	}
}

// What somebody has named inside of an extra spec is not told either, nor is what no rule reads.
func TestStackAnonymisedSpecs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"flavors": `[{"ID": "1", "Name": "SECRETf", "VCPUs": 1, "RAM": 1, "Properties": {"password": "SECRET1",
			"hw:cpu_policy": "dedicated", "trait:CUSTOM_SECRET": "required", "quota:x": "SECRET2",
			"pci_passthrough:alias": "SECRETnic:2", "aggregate_instance_extra_specs:SECRET": "SECRET3"}}]`,
		"ports": `[{"ID": "p", "Device Owner": "compute:SECRETzone"}]`,
		"images": `[{"ID": "i", "Name": "SECRETi", "Size": 1, "Properties": {
			"hw_x": "SECRET4", "trait:CUSTOM_SECRET": "a"}}]`,
		"hypervisors": `[{"Hypervisor Hostname": "c0.SECRET.com", "Memory MB": 9}]`,
		"servers":     `[{"ID": "s", "Name": "SECRETs", "Host": "c0", "Flavor": "SECRETf", "Status": "ACTIVE"}]`,
		"ceph-health": `{"checks": {"OSD_DOWN": {"severity": "HEALTH_WARN", "summary": {"message": "SECRET host down"}}}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "cloud.gz")
	run("snapshot", "--openstack", dir, "--anonymise", "--output-file", file)
	packed, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	plain, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil || strings.Contains(string(text), "SECRET") || !strings.Contains(string(text), `:2"`) {
		t.Errorf("%v %s", err, text)
	}
	var taken struct {
		Servers     []struct{ Host string }
		Hypervisors []struct{ Hostname string }
	}
	if err := json.Unmarshal(text, &taken); err != nil || taken.Hypervisors[0].Hostname != taken.Servers[0].Host+".x" {
		t.Errorf("%v %+v", err, taken)
	}
}

// The limits of Helion count where its rules do, and the plan of the hosts stands beside.
func TestStackOfHelion(t *testing.T) {
	_, out, _ := run("audit", "--openstack", stackExports, "--rules", "hcg-4.0", "-o", "csv", "--table", "audit.limits")
	for _, want := range []string{"OSDs,6 OSDs,16 OSDs,38 %", "Virtual routers,1 router,20 routers,5 %",
		"Storage hosts,3 storage hosts,8"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	text, _ := os.ReadFile("../examples/hcg-export.yaml")
	few := filepath.Join(t.TempDir(), "few.yaml")
	short := strings.Replace(string(text), "count: 4", "count: 3", 1)
	short = regexp.MustCompile(`(?ms)^workload:.*^scheduling`).ReplaceAllString(short, "scheduling")
	if err := os.WriteFile(few, []byte(short), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := run("audit", "--openstack", stackExports, "--scenario", few, "-o", "json")
	if code != cli.ExitNegative || !strings.Contains(out, "7 servers of ") ||
		strings.Contains(out, "give the hosts with --scenario") {
		t.Errorf("%d %s %s", code, errs, out)
	}
}

// All that is wrong with the exports is told at once, with its place.
func TestStackBadFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"flavors": `[{"Name": "a", "VCPUs": "many", "RAM": -1}]`,
		"servers": "+------+\n", "ceph-df": `{"pools": []}`, "ceph-health": `{"overall_status": "HEALTH_OK"}`} {
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, _, errs := run("audit", "--openstack", dir)
	for _, want := range []string{"flavors.json:1:25", "flavors.json:1:40", "servers.json:1:1", "ceph-df.json:1:1",
		"ceph-health.json:1:1"} {
		if !strings.Contains(errs, want) {
			t.Errorf("%s is not in\n%s", want, errs)
		}
	}
	if code != cli.ExitBadInput {
		t.Error(code)
	}
	for _, args := range [][]string{{"--openstack", "nope"}, {"--openstack", "../examples/ocp-9.4.yaml"},
		{"--rules", "nova"},
		{"--openstack", stackExports, "--rules", "x"}, {"--openstack", stackExports, "--live"},
		{"--openstack", stackExports, "--scenario", "../examples/ocp-9.4.yaml"}} {
		if code, out, errs := run(append([]string{"audit"}, args...)...); code != cli.ExitBadInput || errs == "" {
			t.Errorf("%v: %d %s %s", args, code, out, errs)
		}
	}
}
