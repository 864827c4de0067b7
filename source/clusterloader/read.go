package clusterloader

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"plimsoll.dev/internal/strict"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/template"
)

// Open reads a file below a directory, and nothing outside of it. A file that is not there is
// fs.ErrNotExist.
type Open func(root, name string) ([]byte, error)

// reader is one run over a configuration.
type reader struct {
	name     string
	open     Open
	tree     *yamlpos.Tree
	prefix   string // of the fields in the file
	read     *loadmodel.Read
	problems yamlpos.Problems
}

// ReadConfig reads the configuration name, whose text is given, and the files that it names.
func ReadConfig(name string, text []byte, open Open) (*loadmodel.Read, yamlpos.Problems) {
	r := &reader{name: name, open: open, read: &loadmodel.Read{
		Manifests: map[string]loadmodel.Manifest{}, Data: map[string]loadmodel.Data{}}}
	tree, problems := yamlpos.Parse(name, text)
	r.tree, r.problems = tree, problems
	if len(problems) == 0 {
		r.decode()
	}
	if len(r.problems) == 0 {
		r.files()
	}
	r.problems.Sort()
	r.problems.TakeExcerpts(text, 1, 1)
	return r.read, r.problems
}

// Is says whether a text looks like a configuration, as a scenario or another file does not.
func Is(name string, text []byte) bool {
	tree, problems := yamlpos.Parse(name, text)
	return len(problems) == 0 && tree.Root.Entry("apiVersion") == nil &&
		(tree.Root.Entry("ClusterLoader") != nil || tree.Root.Entry("projects") != nil)
}

// Expand says what the configuration creates; problems are at their places in its text.
func Expand(name string, text []byte, open Open, opt loadmodel.Options) (*loadmodel.Work, yamlpos.Problems) {
	read, problems := ReadConfig(name, text, open)
	if len(problems) > 0 {
		return nil, problems
	}
	work, found := loadmodel.Expand(read, opt)
	if len(found) == 0 {
		return work, nil
	}
	tree, _ := yamlpos.Parse(name, text)
	prefix := ""
	if read.Dialect == loadmodel.Go {
		prefix = "ClusterLoader."
	}
	for i, p := range found {
		if p.File == "" {
			found[i] = tree.Problem(prefix+p.Field, p.What, p.Fix)
		}
	}
	found.Sort()
	found.TakeExcerpts(text, 1, 1)
	return work, found
}

// decode tells the dialects apart by their shape: the one in Go has its fields under ClusterLoader.
func (r *reader) decode() {
	if r.tree.Root.Entry("ClusterLoader") != nil {
		r.prefix, r.read.Dialect = "ClusterLoader.", loadmodel.Go
		var file loadmodel.File
		r.problems = strict.New[loadmodel.File](nil).Decode(r.tree, &file)
		if file.Config != nil {
			r.read.Config = *file.Config
		}
		return
	}
	r.read.Dialect = loadmodel.Python
	if r.tree.Root.Entry("projects") == nil {
		r.problems.Add(yamlpos.Problem{File: r.name, Line: 1, Col: 1, What: "is no configuration of Cluster Loader",
			Fix: "write ClusterLoader: {projects: [...]}, or projects: [...]"})
		return
	}
	r.problems = strict.New[loadmodel.Config](nil).Decode(r.tree, &r.read.Config)
}

// files reads what the entries name.
func (r *reader) files() {
	for i := range r.read.Quotas {
		r.manifest(r.read.Quotas[i].File, fmt.Sprintf("quotas[%d].file", i))
	}
	for i := range r.read.Projects {
		p := &r.read.Projects[i]
		at := fmt.Sprintf("projects[%d].", i)
		for _, group := range []struct {
			name    string
			entries []loadmodel.Entry
		}{{"services", p.Services}, {"rcs", p.RCs}, {"pods", p.Pods}, {"templates", p.Templates}} {
			for j := range group.entries {
				r.manifest(group.entries[j].File, fmt.Sprintf("%s%s[%d].file", at, group.name, j))
			}
		}
		for _, path := range p.Files() {
			r.data(path, strings.TrimSuffix(at, "."))
		}
	}
}

func (r *reader) bad(field, what, fix string) {
	r.problems.Add(r.tree.Problem(r.prefix+field, what, fix))
}

func (r *reader) data(name, field string) {
	if _, done := r.read.Data[name]; done {
		return
	}
	_, text, err := r.find(name)
	if err != nil {
		r.bad(field, err.Error(), "name a file for each config map and secret")
		return
	}
	r.read.Data[name] = loadmodel.Data{Key: filepath.Base(name), Text: text}
}

// manifest reads a file with an object, and says what is wrong in it at its places.
func (r *reader) manifest(name, field string) {
	if _, done := r.read.Manifests[name]; done || name == "" || loadmodel.Builtin(name) {
		return
	}
	path, text, err := r.find(name)
	if err != nil {
		r.bad(field, err.Error(), "name a file that can be read")
		return
	}
	tree, problems := yamlpos.Parse(path, text)
	if len(problems) > 0 {
		problems.TakeExcerpts(text, 1, 1)
		for _, p := range problems {
			r.problems.Add(p)
		}
		return
	}
	if template.Field(tree.Root, "kind") == nil {
		r.bad(field, path+" holds no Kubernetes object", "it has no kind")
		return
	}
	r.read.Manifests[name] = loadmodel.Manifest{File: path, Root: tree.Root}
}

// find reads a file that the configuration names.
func (r *reader) find(name string) (path string, text []byte, err error) {
	for _, path := range r.places(name) {
		root, rel, inside := r.rootOf(path)
		if !inside {
			continue
		}
		text, err = r.open(root, rel)
		if !errors.Is(err, fs.ErrNotExist) {
			if err != nil {
				err = fmt.Errorf("can't read %s: %w", path, err)
			}
			return path, text, err
		}
	}
	return "", nil, fmt.Errorf("there is no file %s in %s", name, strings.Join(r.roots(), ", "))
}

// places where a file may be.
func (r *reader) places(name string) []string {
	if filepath.IsAbs(name) {
		return []string{filepath.Clean(name)}
	}
	out := []string{filepath.Clean(name)}
	for _, up := range []string{"", "..", "../.."} {
		out = append(out, filepath.Join(r.dir(), up, name), filepath.Join(r.dir(), up, "content", name))
	}
	return out
}

func (r *reader) dir() string { return filepath.Dir(r.name) }

// roots are the directories below which a configuration may read: somebody else's can't put this
// machine's other files into a cluster.
func (r *reader) roots() []string {
	out := []string{".", r.dir(), filepath.Join(r.dir(), "../content"), filepath.Join(r.dir(), "../../content")}
	if out[1] == "." {
		return out[1:]
	}
	return out
}

// rootOf is the directory that a path lies below, and its path from there.
func (r *reader) rootOf(path string) (root, rel string, inside bool) {
	for _, root := range r.roots() {
		if filepath.IsAbs(path) != filepath.IsAbs(root) {
			if abs, err := filepath.Abs(root); err == nil {
				root = abs
			}
		}
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return root, rel, true
		}
	}
	return "", "", false
}
