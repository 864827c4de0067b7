// Command crdsuites gives package tune/crd the cases of github.com/openshift/api's own suites about what the API server
// takes and refuses when an object is created, and says where the package decides otherwise.
//
// It needs a git checkout that has the releases as branches, and keeps nothing of it.
//
//	go run ./tools/crdsuites CHECKOUT
package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/crd"
)

// oldest is the first release with suites in directories of their own.
const oldest = release.Release(16)

// bar is the share of cases that must be decided as the API server decides them.
const bar = 0.95

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "crdsuites: name the checkout of github.com/openshift/api")
		os.Exit(2)
	}
	t := tally{dir: os.Args[1]}
	for r := oldest; r <= release.Newest; r++ {
		if err := t.release(r); err != nil {
			fmt.Fprintln(os.Stderr, "crdsuites:", err)
			os.Exit(1)
		}
	}
	fmt.Printf("%d of %d cases are decided alike; %d of %d refusals name the field\n",
		t.alike, t.cases, t.named, t.refused)
	if float64(t.alike) < bar*float64(t.cases) {
		os.Exit(1)
	}
}

// tally counts over all releases.
type tally struct {
	dir                          string
	cases, alike, refused, named int
}

// suite is the part of a suite that is read.
type suite struct {
	FeatureGates []string
	FeatureGate  string // of 4.16
	Tests        struct {
		OnCreate []struct{ Name, Initial, ExpectedError string }
	}
}

var suites = regexp.MustCompile(
	`/tests/(containerruntimeconfigs|kubeletconfigs|machineconfigs|machineconfigpools|machineconfigurations|` +
		`ingresscontrollers|machinehealthchecks)\.[a-z.]+/.*\.yaml$`)

func (t *tally) release(r release.Release) error {
	branch := "release-" + r.String()
	files, err := t.git("ls-tree", "-r", "--name-only", branch)
	if err != nil {
		return err
	}
	for f := range strings.Lines(files) {
		if f = strings.TrimSpace(f); !suites.MatchString(f) {
			continue
		}
		text, err := t.git("show", branch+":"+f)
		if err != nil {
			return err
		}
		var s suite
		if err := yaml.Unmarshal([]byte(text), &s); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		set := ""
		if len(s.FeatureGates) > 0 || s.FeatureGate != "" {
			set = "CustomNoUpgrade" // which has all features
		}
		for _, c := range s.Tests.OnCreate {
			t.judge(r, set, f+": "+c.Name, c.Initial, c.ExpectedError)
		}
	}
	return nil
}

// judge compares one case.
func (t *tally) judge(r release.Release, set, name, text, wrong string) {
	objects, problems := object.Split(name, []byte(text))
	t.cases++
	if len(objects) != 1 || len(problems) > 0 {
		fmt.Printf("%v %s: can't be read: %v\n", r, name, problems)
		return
	}
	var found []v1alpha1.Finding
	for _, f := range crd.Validate(objects[0], r, set) {
		if f.Severity == v1alpha1.Error {
			found = append(found, f)
		}
	}
	if (len(found) > 0) != (wrong != "") {
		fmt.Printf("%v %s: expected %q, found %s\n", r, name, wrong, texts(found))
		return
	}
	t.alike++
	if wrong == "" {
		return
	}
	t.refused++
	for _, f := range found {
		if strings.Contains(wrong, f.Place.Field) || !strings.Contains(wrong, "spec.") {
			t.named++
			return
		}
	}
	fmt.Printf("%v %s: expected %q, at other fields: %s\n", r, name, wrong, texts(found))
}

func texts(found []v1alpha1.Finding) string {
	var out []string
	for _, f := range found {
		out = append(out, f.Place.Field+": "+f.Message)
	}
	return strings.Join(out, "; ")
}

func (t *tally) git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", t.dir}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
