package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/part"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/kube"
	"plimsoll.dev/source/scenario"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// input holds the flags that say what is planned.
type input struct {
	release    string
	platform   string
	nodes      []string
	snapshot   string
	running    runningFlags
	measured   []string
	manifests  []string
	parameters map[string]string
	// asked are the names of the parameters that templates have.
	asked    map[string]bool
	outside  bool
	doubtful string
	// exports of an OpenStack cloud, whose flavors, images and servers are those of the scenario.
	exports string
	// each is given the objects of the snapshot.
	each func(kind string, object []byte)
	// taken is what the snapshot holds, once it was read, or what was wrong with it.
	taken      *v1alpha1.Inventory
	takenWrong error
}

func (in *input) flags(c *cobra.Command) {
	c.Flags().StringVar(&in.release, "release", "", "plan for this release instead of the scenario's")
	c.Flags().StringVar(&in.platform, "platform", "",
		"without a scenario: openshift or kubernetes (default: what the snapshot is of, else openshift)")
	c.Flags().StringSliceVar(&in.nodes, "node", nil,
		"without a scenario: machines to plan with, as cores x GiB of memory, or with x GiB of disk: 16x64, 16x64x120 "+
			"(default "+usualNode+")")
	c.Flags().StringVar(&in.snapshot, "snapshot", "",
		"add the workload and the nodes of this \"kubectl get ... -A -o json\" file, or of a directory or tar of "+
			"\"oc adm inspect\"")
	in.running.flags(c)
	c.Flags().StringSliceVar(&in.manifests, "manifests", nil, "add the workload of these manifests, files or directories")
	c.Flags().StringSliceVar(&in.measured, "measured", nil,
		"take what these files have measured (\"load --maximum NAME\", \"bench disk DIR\" and \"bench router\" write "+
			"them with -o json)")
	c.Flags().StringVar(&in.doubtful, "doubtful", "",
		"of helion's doubtful figures: careful, as-printed or refuse (default: the scenario's)")
	mustComplete(c, "platform", []string{"openshift", "kubernetes"})
	mustComplete(c, "doubtful", doubts)
	in.readFlags(c)
}

// readFlags say how the files that a scenario names are read.
func (in *input) readFlags(c *cobra.Command) {
	c.Flags().StringToStringVar(&in.parameters, "param", nil,
		"value for a parameter of OpenShift templates, as NAME=VALUE")
	c.Flags().BoolVar(&in.outside, "allow-outside", false, "let the scenario name files outside its own directory")
}

// plan reads a scenario and plans it, or reads a plan that was saved as JSON, by
// whomever: one that "verify" refuses is not shown as if it were so.
func (in *input) plan(a *app, name string) (*v1alpha1.Plan, error) {
	made, saved, err := in.unconfirmed(a, name)
	if err == nil && saved {
		err = a.confirmed(name, made)
		made.MadeBy = nil // what is written says by whom
	}
	return made, err
}

// unconfirmed is plan, for those who tell themselves what a saved plan says wrongly.
func (in *input) unconfirmed(a *app, name string) (made *v1alpha1.Plan, saved bool, err error) {
	made, err = savedPlan(name)
	if made != nil || err != nil {
		if err == nil && in.changed() {
			err = badInput(fmt.Errorf("%s is a saved plan: it can't be planned for another release or "+
				"workload (give its scenario)", name))
		}
		return made, true, err
	}
	m, err := in.read(a, name)
	if err != nil {
		return nil, false, err
	}
	return m.plan(), false, nil
}

// read reads a scenario with all that it names. The user is told what is wrong.
func (in *input) read(a *app, name string) (*merged, error) {
	doc, err := in.scenario(a, name)
	if err != nil {
		return nil, in.tellAll(a, err, a.tell)
	}
	if err := in.measure(a, doc.Scenario); err != nil {
		return nil, badInput(err)
	}
	in.asked = map[string]bool{}
	m, err := in.merge(a, doc)
	if err == nil {
		err = in.unasked()
	}
	if err != nil {
		return nil, a.tell(err)
	}
	return m, nil
}

// unasked is an error for a parameter that no template has.
func (in *input) unasked() error {
	for _, name := range slices.Sorted(maps.Keys(in.parameters)) {
		if !in.asked[name] {
			return fmt.Errorf("--param %s: no template has this parameter (there are: %s)", name,
				cmp.Or(words.Some(slices.Sorted(maps.Keys(in.asked)), 20), "none"))
		}
	}
	return nil
}

// merged is a scenario with all that its manifests and its snapshot hold.
type merged struct {
	doc      *scenario.Document
	scenario *v1alpha1.Scenario
	assumed  []v1alpha1.Assumption
	skipped  []v1alpha1.Skipped
	// snapshot is what the snapshot holds; nil without one.
	snapshot *v1alpha1.Inventory
	// wrong says that the scenario is, and that what it names is read for its own faults alone.
	wrong bool
	// machines of the node types that name a file, by their names.
	machines map[string]topo.Machine
}

func (m *merged) plan() *v1alpha1.Plan { return m.planFor(false) }

// planFor plans, for a command that places the nodes itself or not.
func (m *merged) planFor(placing bool) *v1alpha1.Plan {
	made := plan.MakeOn(m.scenario, m.assumed, m.facts(),
		plan.Read{Machines: m.machines, Snapshot: m.running(), Placing: placing})
	made.Scenario, made.Machines = m.scenario, m.machines
	part.Skip(made, m.skipped)
	return made
}

// running is the snapshot as a plan keeps it; nil where there are no pods that run.
func (m *merged) running() *v1alpha1.Inventory {
	if m.snapshot == nil || m.scenario.Workload.Snapshot == "" {
		return nil
	}
	kept := *m.snapshot
	kept.NodeTypes, kept.Objects, kept.Skipped, kept.Assumptions = nil, v1alpha1.Objects{}, nil, nil
	return &kept
}

// facts are the catalogue's, with the scenario's own measurements in it.
func (m *merged) facts() *facts.Catalogue { return plan.Catalogue(facts.Load(), m.scenario) }

// changed says whether a flag asks for another plan than the file's.
func (in *input) changed() bool {
	return in.release != "" || in.platform != "" || in.doubtful != "" || in.runs() || len(in.manifests) > 0 ||
		len(in.nodes) > 0 || len(in.measured) > 0
}

// readBounded reads a file that may be a plan. What is no regular file can be
// read only once, which is left to the reader of scenarios.
func readBounded(name string) ([]byte, error) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPlan+1))
	if err == nil && len(text) > maxPlan {
		return nil, fmt.Errorf("%s: is longer than %s, which no plan or scenario is (a snapshot of a "+
			"cluster is given with --snapshot)", name, unit.FormatBytes(maxPlan))
	}
	return text, err
}

// scenario reads the scenario, or makes one for a workload given by flags.
func (in *input) scenario(a *app, name string) (*scenario.Document, error) {
	options := []scenario.Option{scenario.FilesExist()}
	if in.outside {
		options = append(options, scenario.AllowOutside())
	}
	if in.release != "" {
		options = append(options, scenario.ForRelease(in.release))
	}
	if err := in.running.check(in.snapshot); err != nil {
		return nil, err
	}
	if in.runs() {
		options = append(options, scenario.Running())
	}
	switch {
	case name == "":
		return in.unwritten(a, options)
	case in.platform != "":
		return nil, errors.New("--platform is for a plan without a scenario (set platform.type in the scenario)")
	case len(in.nodes) > 0:
		return nil, errors.New("--node is for a plan without a scenario (list hardware.nodeTypes in the scenario)")
	}
	return scenario.ReadFile(name, a.In, append(options, scenario.Unsaid(in.releaseBeside(a)))...)
}

// merge adds what manifests and the snapshot hold; what is wrong in several files is told of all.
func (in *input) merge(a *app, doc *scenario.Document) (*merged, error) {
	m := &merged{doc: doc, scenario: doc.Scenario, assumed: doc.Assumptions}
	a.named = append(a.named, namedBy(doc)...)
	machines, untold, err := readMachines(doc, in.outside, nil)
	m.machines, m.assumed = machines, slices.Concat(m.assumed, untold)
	if m.scenario.Platform.Type == platformHelion {
		return m, joined(err, m.mergeCloud(doc, in))
	}
	if err := joined(append(in.readWorkload(a, m), err)...); err != nil {
		return nil, err
	}
	if m.snapshot != nil {
		m.add(m.snapshot)
	}
	if p := m.scenario.Policy; p.SurviveZoneLoss && p.Zones < 2 {
		return nil, yamlpos.Problems{doc.Problem("policy.surviveZoneLoss", "the loss of the only zone can't be survived",
			"label the snapshot's nodes with their zones, or write policy.zones: 2 or more")}
	}
	m.assumed = plan.FillRequests(m.scenario, m.assumed)
	return m, nil
}

// readWorkload reads manifests and the snapshot, whatever is wrong with some of them.
func (in *input) readWorkload(a *app, m *merged) []error {
	w := &m.scenario.Workload
	var wrong []error
	take := func(found *v1alpha1.Inventory, err error) {
		if wrong = append(wrong, err); err == nil && !m.wrong {
			m.add(found)
		}
	}
	if named := w.Manifests; len(named) > 0 {
		take(in.readManifests(m.doc.Path("."), named))
	}
	for _, path := range in.manifests {
		take(in.readPath(path))
	}
	var err error
	if w.Snapshot = cmp.Or(in.snapshot, in.running.name(), w.Snapshot); w.Snapshot != "" {
		m.snapshot, err = in.snapshotOf(a, m.doc, w.Snapshot)
	}
	return append(wrong, err)
}

// add adds what was found.
func (m *merged) add(found *v1alpha1.Inventory) {
	m.assumed = plan.Merge(m.scenario, found, m.assumed)
	m.skipped = append(m.skipped, found.Skipped...)
}

// readPath reads the manifests of one file or directory.
func (in *input) readPath(path string) (*v1alpha1.Inventory, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return in.readManifests(path, []string{"."})
	}
	return in.readManifests(filepath.Dir(path), []string{filepath.Base(path)})
}

// readManifests reads files and directories below dir, all together: a claim in
// one may belong to a pod in another. Nothing outside dir is opened, unless a
// name leads out of it, which the scenario's reader has allowed then.
func (in *input) readManifests(dir string, names []string) (*v1alpha1.Inventory, error) {
	for _, name := range names {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return in.readOutside(dir, names)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return kube.ReadManifests(root.FS(), names, kube.Options{Dir: dir, Parameters: in.parameters, Asked: in.asked})
}

// readOutside reads each file or directory by itself.
func (in *input) readOutside(dir string, names []string) (*v1alpha1.Inventory, error) {
	all := &v1alpha1.Inventory{}
	for _, name := range names {
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		found, err := in.readPath(path)
		if err != nil {
			return nil, err
		}
		plan.Join(all, found)
	}
	return all, nil
}

// tell shows problems of files with their source lines and returns the error
// that ends the program with exit code 2. The lines are those that the readers
// saw: no file is opened again, least of all one that was refused.
func (a *app) tell(err error) error {
	var wrong *scenario.Error
	if errors.As(err, &wrong) {
		if err := wrong.Render(a.Err); err != nil {
			return err
		}
		return &exitError{code: ExitBadInput}
	}
	var bad yamlpos.Problems
	var failed *exitError
	switch {
	case errors.As(err, &failed):
		return failed
	case !errors.As(err, &bad):
		return badInput(err)
	}
	for len(bad) > 0 {
		n := 1
		for n < len(bad) && bad[n].File == bad[0].File {
			n++
		}
		if err := bad[:n].Render(a.Err, nil); err != nil {
			return err
		}
		bad = bad[n:]
	}
	return &exitError{code: ExitBadInput}
}
