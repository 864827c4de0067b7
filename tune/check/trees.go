package check

import (
	"path"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
)

// trees are what kustomizations and policy generators among the files make of others: some are patches, and to the
// objects of some is added what they lack.
type trees struct {
	// patches are files that a kustomization names as such, roots the directories that have a kustomization.
	patches, roots map[string]bool
	// includes are the files and directories that a root takes, completed those to whose objects something is added.
	includes  map[string][]string
	completed map[string]bool
	// generated are the same of policy generators, as these write them: often below a directory of another name.
	generated []string
}

// additions are the keys of a kustomization that add to its objects.
var additions = []string{"namespace", "namePrefix", "nameSuffix", "commonLabels", "labels", "commonAnnotations",
	"patches", "patchesStrategicMerge", "patchesJson6902", "transformers", "components", "replacements"}

func newTrees(objects []*object.Object) trees {
	t := trees{patches: map[string]bool{}, roots: map[string]bool{}, includes: map[string][]string{},
		completed: map[string]bool{}}
	var adding []string
	for _, o := range objects {
		switch dir := path.Dir(o.Tree.Name); {
		case o.Kind == "Kustomization" && group(o.APIVersion) == "kustomize.config.k8s.io",
			o.Kind == "Component" && group(o.APIVersion) == "kustomize.config.k8s.io":
			t.kustomization(dir, o.Tree.Root)
			if slices.ContainsFunc(additions, func(key string) bool { return o.Tree.Root.Entry(key) != nil }) {
				adding = append(adding, dir)
			}
		case o.Kind == "PolicyGenerator":
			t.generator(o.Tree.Root)
		}
	}
	for _, dir := range adding {
		t.complete(dir)
	}
	return t
}

// kustomization notes what a root takes and patches.
func (t trees) kustomization(dir string, root *yamlpos.Node) {
	t.roots[dir] = true
	for _, list := range []string{"patches", "patchesStrategicMerge", "patchesJson6902"} {
		for _, item := range itemsOf(root.Get(list)) {
			if p := item.Get("path"); p != nil {
				item = p
			}
			if item.Kind == yamlpos.Text && !strings.Contains(item.Text, "\n") {
				t.patches[path.Join(dir, item.Text)] = true
			}
		}
	}
	for _, list := range []string{"resources", "bases", "components"} {
		for _, item := range itemsOf(root.Get(list)) {
			if item.Kind == yamlpos.Text {
				t.includes[dir] = append(t.includes[dir], path.Join(dir, item.Text))
			}
		}
	}
}

// generator notes the manifests of a policy generator, which patches them or looks for objects that are like them.
func (t *trees) generator(root *yamlpos.Node) {
	for _, policy := range itemsOf(root.Get("policies")) {
		for _, manifest := range itemsOf(policy.Get("manifests")) {
			if p := manifest.Get("path"); p != nil && p.Kind == yamlpos.Text {
				t.generated = append(t.generated, "/"+strings.TrimLeft(path.Clean(p.Text), "./"))
			}
		}
	}
}

func itemsOf(n *yamlpos.Node) []*yamlpos.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// complete notes that something is added to all that a root takes.
func (t trees) complete(at string) {
	if t.completed[at] {
		return
	}
	t.completed[at] = true
	for _, p := range t.includes[at] {
		t.complete(p)
	}
}

// root is the directory of the kustomization that a file belongs to, "" for none.
func (t trees) root(file string) string {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if t.roots[dir] {
			return dir
		}
		if dir == path.Dir(dir) {
			return ""
		}
	}
}

// completes says what adds to the objects of a file, "" for nothing.
func (t trees) completes(file string) string {
	file = path.Clean(file)
	if t.completed[file] || t.completed[t.root(file)] {
		return "a kustomization"
	}
	for _, g := range t.generated {
		if strings.HasSuffix("/"+file, g) || strings.Contains("/"+file, g+"/") {
			return "a policy generator"
		}
	}
	return ""
}

// absent are the rules about what an object lacks.
var absent = []string{"crd.missing", noName.ID, noNamespace.ID, "machineConfig.noRole", "kubelet.noSelector",
	"performance.selector", "pool.noConfigs", "pool.selectsNothing"}

// complete leaves out what is said of objects for lacking what is added to them later, and tells of each of them.
func (r recogniser) complete(objects []*object.Object, found []v1alpha1.Finding) []v1alpha1.Finding {
	type key struct{ file, object string }
	by, of := map[key]string{}, map[key]*object.Object{}
	for _, o := range objects {
		what := r.completes(o.Tree.Name)
		if what == "" && bare(o) && judged(kindOf(o.Kind)) {
			what = "a program"
		}
		if what != "" {
			k := key{o.Tree.Name, o.String()}
			by[k], of[k] = what, o
		}
	}
	told := map[key]bool{}
	var more []v1alpha1.Finding
	found = slices.DeleteFunc(found, func(f v1alpha1.Finding) bool {
		if f.Place == nil || !slices.Contains(absent, f.ID) {
			return false
		}
		k := key{f.Place.File, f.Place.Object}
		if by[k] == "" {
			return false
		}
		if !told[k] {
			more = append(more, of[k].Finding(completed, "", of[k].String()+" is completed by "+by[k]+
				": what it lacks is not told", "check what becomes of it"))
		}
		told[k] = true
		return true
	})
	return append(found, more...)
}

// bare says whether an object has nothing that says which one it is, and from where: a part, for a program to complete.
func bare(o *object.Object) bool {
	meta := o.Tree.Root.Get("metadata")
	for _, key := range []string{"name", "generateName", "namespace", "labels"} {
		if meta.Entry(key) != nil {
			return false
		}
	}
	return o.Tree.Root.Entry("spec") != nil
}
