package manifest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/sink/manifest/manifesttest"
)

var codeBlock = regexp.MustCompile("(?s)```\n(.*?)```")

// run runs a command in dir, as a user would.
func run(t *testing.T, dir, script string) string {
	t.Helper()
	c := exec.Command("sh", "-c", script)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
	return string(out)
}

// TestFillingIn follows the README with the real sed and grep: afterwards
// nothing is left to fill in, and every file is as manifesttest.FilledIn makes it,
// which test/upstream gives to the APIs' own types.
func TestFillingIn(t *testing.T) {
	if _, err := exec.LookPath("sed"); err != nil {
		t.Skip("no sed")
	}
	for name, in := range cases() {
		dir := filepath.Join(t.TempDir(), name)
		files := mustRender(t, in)
		must(t, Write(dir, files, Options{}))
		_, filling, ok := strings.Cut(contentOf(files, readmeFile), "## Values to fill in")
		if !ok {
			continue
		}
		lines := strings.Split(strings.TrimSpace(codeBlock.FindStringSubmatch(filling)[1]), "\n")
		fill, look, unguard := lines[0], lines[1], lines[2]

		// Applied before it is edited, the script changes nothing, and the check sees it.
		if out := run(t, dir, fill) + run(t, dir, look); !strings.Contains(out, infraID) {
			t.Errorf("%s: the check found nothing: %s", name, out)
		}
		editScript(t, filepath.Join(dir, fillInFile))
		run(t, dir, fill)
		for _, line := range strings.Split(strings.TrimSpace(run(t, dir, look)), "\n") {
			if !strings.Contains(line, fillInValue) {
				t.Errorf("%s: left to fill in: %s", name, line)
			}
		}
		run(t, dir, unguard)
		for _, f := range manifests(files) {
			checkReady(t, dir, f)
		}
	}
}

// editScript writes a value into each line of the script, as a user would.
func editScript(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	edited := regexp.MustCompile(`(?m)^s\|(<[A-Z0-9_]+>)\|<([A-Z0-9_]+)>\|g$`).
		ReplaceAllStringFunc(string(content), func(line string) string {
			hole := strings.Split(line, "|")[1]
			return "s|" + hole + "|" + manifesttest.FilledIn(hole) + "|g"
		})
	must(t, os.WriteFile(path, []byte(edited), 0o644))
}

// checkReady finds what keeps a file from being applied.
func checkReady(t *testing.T, dir string, f File) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, f.Path))
	must(t, err)
	if strings.Contains(string(content), fillInLabel) || len(placeholdersIn(content)) > 0 {
		t.Errorf("%s: not ready: %s", f.Path, content)
	}
	if d := cmp.Diff(manifesttest.FilledIn(string(f.Content)), string(content)); d != "" {
		t.Errorf("%s: %s", f.Path, d)
	}
}

var (
	applied = regexp.MustCompile(`^apply -f (\S+)$`)
	scaled  = regexp.MustCompile(`^scale --replicas=(\d+) machineset id-(\S+) -n openshift-machine-api$`)
)

// TestGrowth runs growth.txt with a make-believe oc: after each step the pool
// has as many machines as the plan says, and in the end every zone has its own.
func TestGrowth(t *testing.T) {
	for _, name := range []string{"aws-4.4-three-zones-infra", "aws-4.14-two-types", "azure-4.12", "gcp-4.18-shards",
		"vsphere-4.16"} {
		in := cases()[name]
		rendered := mustRender(t, in)
		dir := filepath.Join(t.TempDir(), "out")
		must(t, Write(dir, rendered, Options{}))
		script := "oc() { echo \"$@\"; }\n" + strings.ReplaceAll(contentOf(rendered, growthFile), infraID, "id")
		script = regexp.MustCompile(`(?m)^# Step (\d+).*$`).ReplaceAllString(script, "echo step $1")
		out := run(t, dir, script)
		replicas, step := map[string]int{}, 0
		for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
			switch {
			case strings.HasPrefix(line, "step "):
				checkStep(t, name, in.Decisions, step, replicas)
				step++
			case applied.MatchString(line):
				tag, n := setIn(t, contentOf(rendered, applied.FindStringSubmatch(line)[1]))
				replicas[tag] = n
			case scaled.MatchString(line):
				m := scaled.FindStringSubmatch(line)
				if _, ok := replicas[m[2]]; !ok {
					t.Errorf("%s: %s is scaled before it is made", name, m[2])
				}
				replicas[m[2]], _ = strconv.Atoi(m[1])
			default:
				t.Errorf("%s: unknown command: oc %s", name, line)
			}
		}
		checkStep(t, name, in.Decisions, step, replicas)
		for _, g := range (&renderer{Input: in}).groups() {
			for _, m := range g.members {
				for z, want := range zones(m.PoolDecision) {
					if got := replicas[m.tag+"-"+zoneName(z+1)]; got != want {
						t.Errorf("%s: %s has %d machines in zone %d, want %d", name, m.tag, got, z+1, want)
					}
				}
			}
		}
	}
}

// setIn reads name and replicas of a machine set.
func setIn(t *testing.T, content string) (string, int) {
	t.Helper()
	var o struct {
		Metadata struct{ Name string }
		Spec     struct{ Replicas int }
	}
	must(t, yaml.Unmarshal([]byte(content), &o))
	return strings.TrimPrefix(o.Metadata.Name, infraID+"-"), o.Spec.Replicas
}

// checkStep compares the pool that a step has grown with the plan.
func checkStep(t *testing.T, name string, d v1alpha1.Decisions, step int, replicas map[string]int) {
	t.Helper()
	if step == 0 {
		return
	}
	g, total := d.Growth[step-1], 0
	for tag, n := range replicas {
		if strings.HasPrefix(tag, g.Pool+"-") {
			total += n
		}
	}
	if total != g.Total {
		t.Errorf("%s: pool %s has %d machines after step %d, want %d", name, g.Pool, total, step, g.Total)
	}
}
