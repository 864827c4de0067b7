// Command performancesuites holds what package tune/performance makes of PerformanceProfiles against what the
// operator's own suite in github.com/openshift/cluster-node-tuning-operator expects, release by release, key by key.
//
// It needs a git checkout that has the releases as branches, and keeps nothing of it. Comments, descriptions and
// summaries are passed over; of texts that are not reproduced the SHA-256 is compared. With --made DIR RELEASE it reads
// profiles and what the operator's command render made of them from a directory: each case a folder with in/ and out/.
//
//	go run ./tools/performancesuites CHECKOUT
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/performance"
)

// Where the suite is in the repository.
const (
	setup    = "test/e2e/performanceprofile/cluster-setup/"
	expected = "test/e2e/performanceprofile/testdata/render-expected-output/"
)

// suites are the directories of the inputs, by that of what is expected.
var suites = []struct {
	out string
	in  []string
}{
	{"default", []string{"base/performance", "manual-cluster/performance"}},
	{"no-ref", []string{"base/performance", "manual-cluster/performance"}},
	{"default/cpuFrequency", []string{"base/performance", "manual-cluster/cpuFrequency"}},
	{"default/arm", []string{"base/performance", "manual-cluster/arm"}},
	{"default/pp-norps", []string{"base/performance", "manual-cluster/performance-norps"}},
	{"bootstrap/no-mcp", []string{"bootstrap-cluster/performance", "pinned-cluster/default"}},
	{"bootstrap/extra-mcp", []string{"bootstrap-cluster/performance", "pinned-cluster/default",
		"bootstrap-cluster/extra-mcp"}},
	{"bootstrap/extra-ctrcfg", []string{"bootstrap-cluster/performance", "pinned-cluster/default",
		"container-runtime-crun"}},
}

func main() {
	t := tally{}
	var err error
	switch {
	case len(os.Args) == 2:
		err = t.checkout(os.Args[1])
	case len(os.Args) == 4 && os.Args[1] == "--made":
		err = t.made(os.Args[2], os.Args[3])
	default:
		fmt.Fprintln(os.Stderr, "performancesuites: name the checkout of github.com/openshift/cluster-node-tuning-operator, "+
			"or --made DIR RELEASE")
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "performancesuites:", err)
		os.Exit(1)
	}
	fmt.Printf("%d of %d objects are equal, %d of %d keys\n", t.alike, t.objects, t.same, t.keys)
	if t.alike < t.objects {
		os.Exit(1)
	}
}

// tally counts over all cases.
type tally struct{ objects, alike, keys, same int }

// checkout compares all releases of a checkout.
func (t *tally) checkout(dir string) error {
	for r := performance.Oldest; r <= release.Newest; r++ {
		git := func(args ...string) (string, error) {
			out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).Output()
			return string(out), err
		}
		branch := "release-" + r.String()
		texts := func(dir string) (map[string]string, error) {
			out := map[string]string{}
			files, err := git("ls-tree", "--name-only", branch, dir+"/")
			for f := range strings.Lines(files) {
				if f = strings.TrimSpace(f); err == nil && path.Ext(f) == ".yaml" {
					out[path.Base(f)], err = git("show", branch+":"+f)
				}
			}
			return out, err
		}
		before := *t
		for _, s := range suites {
			want, err := texts(expected + s.out)
			if err != nil {
				return err
			}
			if len(want) == 0 { // the release has no such case
				continue
			}
			if r == performance.Oldest && s.out == "bootstrap/extra-ctrcfg" { // of other inputs in this release
				s.in = []string{"base/performance", "manual-cluster/performance", "container-runtime-crun"}
			}
			in := map[string]string{}
			for _, d := range s.in {
				more, err := texts(setup + d)
				if err != nil {
					return err
				}
				for name, text := range more {
					in[d+"/"+name] = text
				}
			}
			t.compare(r, s.out, in, want)
		}
		fmt.Printf("%v: %d of %d objects\n", r, t.alike-before.alike, t.objects-before.objects)
	}
	return nil
}

// made compares the cases of a directory.
func (t *tally) made(dir, of string) error {
	r, err := release.Parse(of)
	if err != nil {
		return err
	}
	cases, err := os.ReadDir(dir)
	for _, c := range cases {
		texts := map[string]map[string]string{"in": {}, "out": {}}
		for part := range texts {
			files, _ := filepath.Glob(filepath.Join(dir, c.Name(), part, "*.yaml"))
			for _, f := range files {
				text, err := os.ReadFile(f)
				if err != nil {
					return err
				}
				texts[part][filepath.Base(f)] = string(text)
			}
		}
		t.compare(r, c.Name(), texts["in"], texts["out"])
	}
	return err
}

// compare compares what is made of files with what is expected.
func (t *tally) compare(r release.Release, name string, in, want map[string]string) {
	var objects []*object.Object
	for file, text := range in {
		more, _ := object.Split(file, []byte(text))
		objects = append(objects, more...)
	}
	got := map[string]map[string]string{}
	for _, p := range performance.Render(objects, r) {
		for _, o := range p.Objects() {
			got[nameOf(o)] = facts(o)
		}
	}
	if len(want) == 0 { // what the operator gave up
		t.objects++
		if len(got) == 0 {
			t.alike++
		} else {
			fmt.Printf("%v %s: it is made, and the operator makes nothing of it\n", r, name)
		}
	}
	for file, text := range want {
		o := parse(text)
		switch id := nameOf(o); {
		case o["kind"] == "Node" && r > 15, strings.HasPrefix(file, "01_"): // left over; of the cluster, not of a profile
		case got[id] == nil:
			t.objects++
			fmt.Printf("%v %s: %s is not made\n", r, name, id)
		default:
			t.object(fmt.Sprintf("%v %s: %s", r, name, id), got[id], facts(o))
		}
	}
}

// object compares one object.
func (t *tally) object(name string, got, want map[string]string) {
	t.objects++
	var wrong []string
	for key, value := range want {
		t.keys++
		if got[key] == value || got[key] == unknown && strings.HasPrefix(value, "sha256-") {
			t.same++
		} else {
			wrong = append(wrong, fmt.Sprintf("%s is %q, expected %q", key, got[key], value))
		}
	}
	for key, value := range got {
		if _, ok := want[key]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s is %q, expected none", key, value))
		}
	}
	if len(wrong) == 0 {
		t.alike++
		return
	}
	slices.Sort(wrong)
	fmt.Printf("%s\n  %s\n", name, strings.Join(wrong, "\n  "))
}
