package scenario

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/strict"
	"plimsoll.dev/internal/yamlpos"
)

// Document is a scenario that was read, with what is needed to talk about it.
type Document struct {
	// Scenario with its defaults.
	Scenario *v1alpha1.Scenario
	// Assumptions are the fields that were left open, in document order.
	Assumptions []v1alpha1.Assumption
	// Tree finds the position of a field and makes problems there.
	Tree *yamlpos.Tree
}

// Option changes how a scenario is read.
type Option func(*reader)

// AllowOutside lets the scenario name manifests and snapshots anywhere: by
// absolute paths and by paths that lead out of the scenario's directory.
func AllowOutside() Option { return func(r *reader) { r.allowOutside = true } }

// ForRelease plans for a release in place of the scenario's own; the defaults
// follow it.
func ForRelease(release string) Option { return func(r *reader) { r.release = release } }

// Unsaid finds the release of a scenario that leaves it open, as the snapshot beside it tells it.
func Unsaid(release func(*Document) (string, *v1alpha1.Assumption)) Option {
	return func(r *reader) { r.unsaid = release }
}

// Running says that what runs is read beside the scenario, without being named in it.
func Running() Option { return func(r *reader) { r.running = true } }

// FilesExist makes a problem of each file that the scenario names and that is not there.
func FilesExist() Option { return func(r *reader) { r.filesExist = true } }

// reader is one run of Read.
type reader struct {
	allowOutside bool
	release      string
	filesExist   bool
	unsaid       func(*Document) (string, *v1alpha1.Assumption)
	running      bool
}

// Error is everything that is wrong with a scenario, with the text that it was
// found in. It unwraps to the yamlpos.Problems.
type Error struct {
	Problems yamlpos.Problems
	Source   []byte
	// Document is what could be read of it, for the files that it names; nil where nothing could.
	Document *Document
}

// Error lists the problems, one a line.
func (e *Error) Error() string { return e.Problems.Error() }

// Unwrap returns the problems.
func (e *Error) Unwrap() error { return e.Problems }

// Render writes each problem with its source line and a caret, and their number.
func (e *Error) Render(w io.Writer) error { return e.Problems.Render(w, e.Source) }

// Read reads the text of a scenario, in YAML or JSON. name stands for the file
// in messages. The error is an *Error with all problems, in order of position.
func Read(name string, text []byte, options ...Option) (*Document, error) {
	var r reader
	for _, o := range options {
		o(&r)
	}
	if r.release != "" {
		if err := checkRelease(r.release); err != nil {
			return nil, err
		}
	}
	doc, problems := r.read(name, text)
	if len(problems) > 0 {
		return nil, &Error{Problems: problems, Source: text, Document: doc}
	}
	return doc, nil
}

func (r *reader) read(name string, text []byte) (*Document, yamlpos.Problems) {
	tree, problems := yamlpos.Parse(name, text)
	if len(problems) > 0 {
		return nil, problems
	}
	if problems := foreign(tree); len(problems) > 0 {
		return nil, problems
	}
	d := newDecoder()
	d.Platform = platformOf(tree)
	s := &v1alpha1.Scenario{}
	problems = d.Decode(tree, s)
	if r.release != "" {
		s.Platform.Release = r.release
	}
	doc := &Document{Scenario: s, Tree: tree}
	problems, told := r.findRelease(doc, problems)
	doc.Assumptions = append(fill(d, tree, s), told...)
	return doc, r.validate(tree, s, problems)
}

// findRelease fills in a release that the scenario leaves open and that something else tells.
func (r *reader) findRelease(doc *Document, problems yamlpos.Problems) (yamlpos.Problems, []v1alpha1.Assumption) {
	if doc.Tree.Has("platform.release") {
		return problems, nil
	}
	var told []v1alpha1.Assumption
	if p := &doc.Scenario.Platform; p.Release == "" && r.unsaid != nil {
		var why *v1alpha1.Assumption
		if p.Release, why = r.unsaid(doc); why != nil {
			told = append(told, *why)
		}
	}
	if doc.Scenario.Platform.Release == "" {
		return problems, nil
	}
	return slices.DeleteFunc(problems, func(p yamlpos.Problem) bool {
		return p.Field == "platform" && !doc.Tree.Has("platform") || p.Field == "platform.release"
	}), told
}

func newDecoder() *strict.Decoder {
	d := strict.New[v1alpha1.Scenario](checks)
	d.Most = strict.Sensible
	return d
}

// Exceeded tells of a number in a saved scenario that is larger than its field can mean.
func Exceeded(s *v1alpha1.Scenario) error { return newDecoder().Exceeded(s) }

// stdinName stands for standard input in messages.
const stdinName = "stdin"

// ReadFile reads the scenario in a file; "-" is read from stdin.
func ReadFile(path string, stdin io.Reader, options ...Option) (*Document, error) {
	name, text, err := load(path, stdin)
	if err != nil {
		return nil, err
	}
	return Read(name, text, options...)
}

// load reads at most a little more than the largest file that is accepted, so
// that an endless one is refused like a large one.
func load(path string, stdin io.Reader) (name string, text []byte, err error) {
	if path == "-" {
		text, err = io.ReadAll(io.LimitReader(stdin, int64(yamlpos.MaxSize)+1))
		return stdinName, text, err
	}
	// Whoever was to write into a pipe may never come; those of a shell stand below /dev.
	info, err := os.Stat(path)
	if err == nil && info.Mode()&fs.ModeNamedPipe != 0 && !strings.HasPrefix(path, "/dev/") {
		return "", nil, fmt.Errorf("%s: is a pipe (what comes from one is read as -)", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	text, err = io.ReadAll(io.LimitReader(f, int64(yamlpos.MaxSize)+1))
	return path, text, err
}

// Path is the file or directory that the scenario names: paths are relative to
// the directory of the scenario, those of standard input to the current one.
func (d *Document) Path(name string) string { return pathBeside(d.Tree, name) }

func pathBeside(tree *yamlpos.Tree, name string) string {
	if filepath.IsAbs(name) || tree.Name == stdinName {
		return filepath.FromSlash(name)
	}
	return filepath.Join(filepath.Dir(tree.Name), filepath.FromSlash(name))
}

// Problem makes a problem of the field, for what is found out about it later. A
// field that the file doesn't have is placed at the nearest thing around it.
func (d *Document) Problem(field, what, fix string) yamlpos.Problem {
	return d.Tree.Problem(field, what, fix)
}

// foreign finds documents of another kind. Their fields are not looked at: each
// would be unknown.
func foreign(tree *yamlpos.Tree) yamlpos.Problems {
	kind := tree.Root.Get("kind")
	if kind == nil || kind.Kind != yamlpos.Text || schemaKnows(kind.Text) {
		return nil
	}
	fix := "write Scenario"
	version := tree.Root.Get("apiVersion")
	switch {
	case kind.Text == v1alpha1.KindPlan:
		fix = "give the scenario that the plan was made from"
	case kind.Text == "List":
		fix = "name the file under workload.snapshot of a scenario"
	case version != nil && version.Text != v1alpha1.APIVersion:
		fix = "name the file under workload.manifests of a scenario"
	}
	return yamlpos.Problems{tree.Problem("kind", fmt.Sprintf("%s is not a Scenario", yamlpos.Quote(kind.Text)), fix)}
}
