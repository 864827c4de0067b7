package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// rbac is the role that the program prints, without the line that separates objects.
func (p *loader) rbac(args ...string) ([]byte, error) {
	text, err := exec.Command(p.path, append([]string{"rbac"}, args...)...).Output()
	return bytes.TrimPrefix(text, []byte("---\n")), err
}

// reads the laboratory while pods run in it: with the rights that are printed, each of which is needed; and what is
// written of it gives the answers that it gives itself.
func (p *loader) reads(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "load.yaml")
	if err := os.WriteFile(file, []byte(shared), 0o600); err != nil {
		t.Fatal(err)
	}
	p.namespace("reads")
	p.loads(t, file)
	var role rbacv1.ClusterRole
	text, err := p.rbac("audit")
	if err == nil {
		err = yaml.UnmarshalStrict(text, &role)
	}
	if err != nil {
		t.Fatal(err)
	}
	cases := p.oneLess(t, role.Rules)
	if len(cases) < 25 {
		t.Fatalf("cases %v", cases)
	}
	var all sync.WaitGroup
	two := make(chan struct{}, 2)
	for less, rules := range cases {
		account := fmt.Sprintf("reads-%d", len(less)) + strings.NewReplacer(".", "-", "/", "-").Replace(less)
		p.accountIn(t, "reads", account, rules)
		access := p.accessOf(t, "reads", account)
		all.Go(func() {
			two <- struct{}{}
			defer func() { <-two }()
			out, err := exec.Command(p.path, "audit", "--kubeconfig", access, "--release", "4.17", "-o", "json").CombinedOutput()
			lost := less
			switch less {
			case "/metrics":
				lost = "secrets"
			case "configmaps": // of which one is read
				lost = "configmaps/cluster-monitoring-config"
			}
			var ended *exec.ExitError
			seen := !strings.Contains(string(out), lost+": not seen: ")
			if less == "" && strings.Contains(string(out), "not seen: ") ||
				less != "" && (!errors.As(err, &ended) || ended.ExitCode() != 3 || seen) {
				t.Errorf("without %q: %v: %s", less, err, out)
			}
		})
	}
	all.Wait()
	p.sameAnswer(t, dir)
	p.withoutRuns(t)
}

// loads runs a load by the rights that are printed for it, first without the clean-up, which another run has.
func (p *loader) loads(t *testing.T, file string) {
	var role rbacv1.ClusterRole
	text, err := p.rbac("load", file, "--kubeconfig", filepath.Join(p.dir, "kubeconfig"))
	if err == nil {
		err = yaml.UnmarshalStrict(text, &role)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.accountIn(t, "reads", "loads", role.Rules)
	access := p.accessOf(t, "reads", "loads")
	for _, cleanup := range []string{"always", "never"} {
		out, err := exec.Command(p.path, "load", file, "--kubeconfig", access, "--cleanup", cleanup).CombinedOutput()
		if err != nil {
			t.Errorf("--cleanup %s: %v: %s", cleanup, err, out)
		}
	}
}

// oneLess are rules without each resource, or path, that there is; "" is all of them.
func (p *loader) oneLess(t *testing.T, rules []rbacv1.PolicyRule) map[string][]rbacv1.PolicyRule {
	_, lists, err := p.Discovery().ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, list := range lists {
		group, _, grouped := strings.Cut(list.GroupVersion, "/")
		for _, r := range list.APIResources {
			name := r.Name
			if grouped {
				name += "." + group
			}
			there[name] = true
		}
	}
	cases := map[string][]rbacv1.PolicyRule{"": rules}
	for i, rule := range rules {
		rest := append(append([]rbacv1.PolicyRule{}, rules[:i]...), rules[i+1:]...)
		for _, url := range rule.NonResourceURLs {
			cases[url] = rest
		}
		for j, name := range rule.Resources {
			what := strings.TrimSuffix(name+"."+rule.APIGroups[0], ".")
			if !there[what] {
				continue
			}
			less := rule
			less.Resources = append(append([]string{}, rule.Resources[:j]...), rule.Resources[j+1:]...)
			cases[what] = rest
			if len(less.Resources) > 0 {
				cases[what] = append(append([]rbacv1.PolicyRule{}, rest...), less)
			}
		}
	}
	return cases
}

// places are where pods were found.
var places = regexp.MustCompile(`"(the cluster|[^"]*cloud\.json\.gz:\d+)"`)

// sameAnswer demands that a snapshot gives the figures and limits of the cluster that it was written of.
func (p *loader) sameAnswer(t *testing.T, dir string) {
	taken := filepath.Join(dir, "cloud.json.gz")
	if out, err := p.command("snapshot", "--output-file", taken).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	plan := func(args ...string) string {
		out, _ := exec.Command(p.path, append([]string{"plan", "--release", "4.17", "-o", "json", "-q"}, args...)...).Output()
		var made struct{ Figures, Gauges, Verdict json.RawMessage }
		if err := json.Unmarshal(out, &made); err != nil || len(made.Figures) == 0 {
			t.Fatalf("%v: %s", err, out)
		}
		return places.ReplaceAllString(fmt.Sprintf("%s\n%s\n%s", made.Figures, made.Gauges, made.Verdict), `"here"`)
	}
	of := plan("--kubeconfig", filepath.Join(p.dir, "kubeconfig"))
	if written := plan("--snapshot", taken); written != of {
		t.Errorf("the snapshot differs from the cluster:\n%s\nand\n%s", written, of)
	}
	if !strings.Contains(of, `"here"`) {
		t.Errorf("no pods are counted: %.2000s", of)
	}
}
