package manifest

import (
	"cmp"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/release"
)

// Input is what the files are written from.
type Input struct {
	// Metadata, Platform and Decisions are those of a plan.
	Metadata  v1alpha1.Metadata
	Platform  v1alpha1.Platform
	Decisions v1alpha1.Decisions
	// Figures are the plan's; the headers name those behind each file. Without
	// them the headers name none.
	Figures []derive.Figure
	// Running says that the cluster runs already: nothing is installed, and Left says what
	// stays as it is.
	Running bool
	Left    []string
	// Pools are the machine config pools that run, as far as they are known.
	Pools []v1alpha1.MachinePool
	// MadeBy is the build that the README names; none where it is zero.
	MadeBy v1alpha1.Build
	// Asked are the words behind "plimsoll why" that lead to the plan, quoted for a shell:
	// its file, and the flags that name what it was made of. Empty prints PLAN.
	Asked string
	// Facts are the platform's defaults; nil takes the built-in catalogue.
	Facts *facts.Catalogue
}

// FromPlan takes the input from a plan to which the words lead in "plimsoll why".
func FromPlan(p *v1alpha1.Plan, asked string) Input {
	in := Input{Metadata: p.Metadata, Platform: p.Platform, Decisions: p.Decisions, Figures: p.Figures, Asked: asked}
	if p.Snapshot != nil && p.Scenario != nil {
		in.Running = true
		in.Decisions, in.Left = running(p)
		in.Pools = p.Snapshot.Pools
	}
	return in
}

// File is one file of the result.
type File struct {
	// Path is relative, with slashes: "fill-in/machineset-worker-z1.yaml".
	Path string
	// Content is the whole file.
	Content []byte
	// Why says in a few words which decision the file carries out.
	Why string
}

// The directories below the one that is written. Files outside of them can be
// applied to a running cluster as they are.
const (
	// installDir holds what openshift-install reads; a running cluster must
	// not be given it.
	installDir = "install/"
	// fillInDir holds files with placeholders; the API server refuses them
	// until they are filled in.
	fillInDir = "fill-in/"
)

// Stages in which the files are applied.
type stage int

const (
	stageNone stage = iota // nothing to apply
	stageInstall
	stagePools
	stageKubelet
	stageHugePages
	stageHealth
	stageMachines
	stageServices
)

// written is a file with what the README says about it.
type written struct {
	File
	stage stage
	// apply are the commands that put the file to use.
	apply []string
}

// renderer holds what the parts of one rendering share.
type renderer struct {
	Input
	release release.Release
	// provider is nil where no machine sets are written.
	provider *provider
	out      []written
	// remarks are decisions that no file can carry out, for the README.
	remarks []string
}

// Render makes the files of a plan, in the order of their paths. The same input
// gives the same bytes.
//
// It returns every problem at once: a product or service that takes no such
// manifests, names that the API server would refuse, decisions that contradict
// each other or that the release can't carry out without breaking a promise
// (IPsec before 4.7, OpenShiftSDN for a new cluster since 4.15).
func Render(in Input) ([]File, error) {
	if in.Facts == nil {
		in.Facts = facts.Load()
	}
	r := &renderer{Input: in}
	if err := r.check(); err != nil {
		return nil, err
	}
	r.provider = providerOf(in.Platform.Provider, r.release)
	if !r.Running {
		r.installConfig()
		r.networkOperator()
	}
	r.machineConfigPools()
	r.kubeletConfigs()
	r.hugePages()
	if !r.Running {
		r.healthChecks()
	}
	r.machineSets()
	r.growth()
	if !r.Running || r.Decisions.Monitoring.Retention > 0 {
		r.monitoring()
	}
	r.ingressControllers()
	r.fillIn()
	r.readme()
	files := make([]File, 0, len(r.out))
	for _, w := range r.out {
		files = append(files, w.File)
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return files, nil
}

// remark adds a paragraph to the README's list of what the files leave out.
func (r *renderer) remark(text string) { r.remarks = append(r.remarks, text) }

// number is a catalogue figure as an integer.
func (r *renderer) number(id string) int { return int(r.Facts.Must(id).Number) }
