package scheduler

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place"
	placed "plimsoll.dev/place/cluster"
	"plimsoll.dev/place/scheduler/schedulertest"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/kube"
	"plimsoll.dev/source/scenario"
)

// ours is what the command line answers about the pods of a snapshot that wait: the
// node of each, empty for none, and where pods went with the first message of each type.
type ours struct {
	kinds []int
	nodes []string
	*v1alpha1.Placement
}

const noScenario = "apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\n" +
	"platform: {type: kubernetes, release: \"" + rules + "\"}\n"

// placeFile reads a snapshot and places its pods, as "plimsoll place --snapshot" does.
func placeFile(text []byte, name string) (*ours, error) {
	inv, err := kube.ReadSnapshot(bytes.NewReader(text), name, kube.Options{})
	if err != nil {
		return nil, err
	}
	doc, err := scenario.Read("none", []byte(noScenario))
	if err != nil {
		return nil, err
	}
	assumed := plan.Merge(doc.Scenario, inv, doc.Assumptions)
	c := placed.Build(placed.Input{Scenario: doc.Scenario, Snapshot: inv, Assumptions: assumed, Facts: facts.Load()})
	out := &ours{}
	out.Placement, err = place.Make(c, doc.Scenario, place.Options{Order: placed.Runs, Each: func(kind, node int) {
		out.kinds = append(out.kinds, kind)
		if node < 0 {
			out.nodes = append(out.nodes, "")
		} else {
			out.nodes = append(out.nodes, c.Nodes[node].Name)
		}
	}})
	return out, err
}

// unlikeCommand says how the answer of the command itself differs, empty where it doesn't.
func (o *ours) unlikeCommand(binary, path string) (string, error) {
	text, err := exec.Command(binary, "place", "--snapshot", path, "--platform", "kubernetes", "--release", rules,
		"--failures", "0", "--drain", "0", "-o", "json").Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != differs) {
		return "", fmt.Errorf("%s: %w", binary, err)
	}
	var p v1alpha1.Placement
	if err := json.Unmarshal(text, &p); err != nil {
		return "", fmt.Errorf("%s: %w", binary, err)
	}
	told := func(p *v1alpha1.Placement) [][2]string {
		var out [][2]string
		for _, t := range p.PodTypes {
			out = append(out, [2]string{t.Name, t.Message})
		}
		return out
	}
	return cmp.Diff(o.Assignments, p.Assignments) + cmp.Diff(told(o.Placement), told(&p)), nil
}

// differs says where the answers differ first, empty where they don't.
func (o *ours) differs(want []schedulertest.FileAnswer) string {
	if len(o.nodes) != len(want) {
		return fmt.Sprintf("the scheduler takes %d pods, we %d", len(want), len(o.nodes))
	}
	told := map[int]bool{}
	for i, w := range want {
		if w.Node != o.nodes[i] {
			return fmt.Sprintf("pod %d, %s (%s): the scheduler says %q, we %q\n  %s", i, w.Pod, o.PodTypes[o.kinds[i]].Name,
				w.Node, o.nodes[i], w.Message)
		}
		if kind := o.kinds[i]; w.Node == "" && !told[kind] {
			told[kind] = true
			if got := o.PodTypes[kind].Message; got != w.Message {
				return fmt.Sprintf("pod %d, %s: the scheduler says\n  %s\nwe say\n  %s", i, w.Pod, w.Message, got)
			}
		}
	}
	return ""
}

// checkFiles compares decisions from fresh random snapshot files.
func checkFiles(args []string) (int, error) {
	f := flags("check-files")
	seed := f.Uint64("seed", 1, "of the first file; the others follow")
	files := f.Int("files", 60, "how many")
	keep := f.String("keep", "", "directory for the files that differ")
	binary := f.String("binary", "", "the command, to give each file to it as well")
	if err := f.Parse(args); err != nil {
		return badInput, err
	}
	pods, wrong := 0, 0
	for i := range *files {
		n, found, err := checkFile(*seed+uint64(i), *keep, *binary, os.Stdout)
		if err != nil {
			return failed, err
		}
		pods += n
		if found {
			wrong++
		}
	}
	last := *seed + uint64(*files) - 1
	fmt.Printf("seeds %d to %d: %d decisions from %d files, %d files differ\n", *seed, last, pods, *files, wrong)
	if wrong > 0 {
		return differs, nil
	}
	return done, nil
}

func checkFile(seed uint64, keep, binary string, w io.Writer) (pods int, found bool, err error) {
	text, err := drawFile(seed)
	if err != nil {
		return 0, false, err
	}
	dir, err := os.MkdirTemp(keep, "snapshot")
	if err != nil {
		return 0, false, err
	}
	path := filepath.Join(dir, fmt.Sprintf("seed-%d.json", seed))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return 0, false, err
	}
	want, err := answersOf(path)
	if err != nil {
		return 0, false, err
	}
	got, err := placeFile(text, path)
	if err != nil {
		return 0, false, fmt.Errorf("seed %d: we refuse: %w", seed, err)
	}
	diff := got.differs(want)
	if diff == "" && binary != "" {
		if diff, err = got.unlikeCommand(binary, path); err != nil {
			return 0, false, fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	if diff == "" || keep == "" {
		os.RemoveAll(dir)
	}
	if diff != "" {
		fmt.Fprintf(w, "seed %d: %s\n", seed, diff)
	}
	return len(want), diff != "", nil
}
