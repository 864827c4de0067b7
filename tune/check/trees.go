package check

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
)

// trees are what kustomizations and policy generators among the files make of others: some are patches, to the objects
// of some is added what they lack, and some are changed.
type trees struct {
	// patches are files that a kustomization names as such, roots the directories that have a kustomization.
	patches, roots map[string]bool
	// inner is what a root takes, adding are the roots that add to what they take.
	inner, adding map[string]bool
	// includes are the files and directories that a root takes, components those of them that change the others.
	includes, components map[string][]string
	// completed are those to whose objects something is added, changed those with the kinds that are patched in them.
	completed map[string]bool
	changed   map[string][]string
	// takers are the roots by which something is taken in the end: those that no other takes.
	takers map[string][]string
	// generated are what policy generators take, with the kinds that they patch in it, by their paths. What is not among
	// the files as these write it is often below a directory of another name: elsewhere has parts of paths.
	generated, elsewhere map[string]map[string]bool
}

// additions are the keys of a kustomization that add to its objects.
var additions = []string{"namespace", "namePrefix", "nameSuffix", "commonLabels", "labels", "commonAnnotations",
	"patches", "patchesStrategicMerge", "patchesJson6902", "transformers", "components", "replacements"}

func newTrees(objects []*object.Object) trees {
	t := trees{patches: map[string]bool{}, roots: map[string]bool{}, inner: map[string]bool{},
		adding: map[string]bool{}, includes: map[string][]string{}, components: map[string][]string{},
		completed: map[string]bool{}, changed: map[string][]string{}, takers: map[string][]string{},
		generated: map[string]map[string]bool{}, elsewhere: map[string]map[string]bool{}}
	given := map[string]bool{} // files, and the directories that they are in
	for _, o := range objects {
		for p := path.Clean(o.Tree.Name); !given[p]; p = path.Dir(p) {
			given[p] = true
		}
	}
	changes := map[string][]string{}
	for _, o := range objects {
		if isRoot(o) {
			dir := path.Dir(o.Tree.Name)
			t.kustomization(dir, o.Tree.Root)
			changes[dir] = append(changes[dir], t.patching(dir, o.Tree.Root, given)...)
			t.adding[dir] = t.adding[dir] ||
				slices.ContainsFunc(additions, func(key string) bool { return o.Tree.Root.Entry(key) != nil })
		}
	}
	t.generators(objects, given)
	for _, dir := range slices.Sorted(maps.Keys(t.roots)) {
		t.takes(dir, changes)
	}
	return t
}

// isRoot says whether an object makes its directory one that kustomize builds, or takes for a part.
func isRoot(o *object.Object) bool {
	return (o.Kind == "Kustomization" || o.Kind == "Component") && group(o.APIVersion) == "kustomize.config.k8s.io"
}

// isGenerator says whether an object makes policies of the files that it names.
func isGenerator(o *object.Object) bool {
	return o.Kind == "PolicyGenerator" || o.Kind == "PolicyGenTemplate"
}

// generators notes the policy generators, whose paths begin at the kustomizations that name their files, or directories
// which take these; else beside them.
func (t trees) generators(objects []*object.Object, given map[string]bool) {
	from := map[string][]string{}
	for _, o := range objects {
		if !isRoot(o) {
			continue
		}
		dir := path.Dir(o.Tree.Name)
		for _, item := range itemsOf(o.Tree.Root.Get("generators")) {
			for p := range reach(t.includes, path.Join(dir, item.Text)) {
				from[p] = append(from[p], dir)
			}
		}
		t.within(dir, o.Tree.Root, given)
	}
	for _, o := range objects {
		if !isGenerator(o) {
			continue
		}
		file := path.Clean(o.Tree.Name)
		dirs := from[file]
		if dirs == nil {
			dirs = []string{path.Dir(file)}
		}
		for _, dir := range dirs {
			t.generator(dir, o.Tree.Root, given)
		}
	}
}

// takes notes what becomes of all that a root takes.
func (t trees) takes(dir string, changes map[string][]string) {
	var kinds []string
	for by := range reach(t.components, dir) {
		kinds = append(kinds, changes[by]...)
		if !t.roots[by] { // which is not given: it may change anything
			kinds = append(kinds, kindsOf(nil, ""))
		}
	}
	for p := range reach(t.includes, dir) {
		t.completed[p] = t.completed[p] || t.adding[dir]
		for _, kind := range kinds {
			if !slices.Contains(t.changed[p], kind) {
				t.changed[p] = append(t.changed[p], kind)
			}
		}
		if !t.inner[dir] {
			t.takers[p] = append(t.takers[p], dir)
		}
	}
}

// reach are what is reached from a path, with itself.
func reach(edges map[string][]string, from string) map[string]bool {
	out, next := map[string]bool{from: true}, []string{from}
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		for _, p := range edges[at] {
			if !out[p] {
				out[p], next = true, append(next, p)
			}
		}
	}
	return out
}

// kustomization notes what a root takes.
func (t trees) kustomization(dir string, root *yamlpos.Node) {
	t.roots[dir] = true
	for _, list := range []string{"resources", "bases", "components"} {
		for _, item := range itemsOf(root.Get(list)) {
			if item.Kind != yamlpos.Text {
				continue
			}
			p := path.Join(dir, item.Text)
			t.includes[dir], t.inner[p] = append(t.includes[dir], p), true
			if list == "components" {
				t.components[dir] = append(t.components[dir], p)
			}
		}
	}
}

// patching notes the patches of a root, and returns the kinds that it changes: not those of a patch that is an object
// among the files, since that is told by itself.
func (t trees) patching(dir string, root *yamlpos.Node, given map[string]bool) (kinds []string) {
	change := func(target *yamlpos.Node, text string) { kinds = append(kinds, kindsOf(target, text)) }
	for _, list := range []string{"patches", "patchesStrategicMerge", "patchesJson6902"} {
		for _, item := range itemsOf(root.Get(list)) {
			target := item.Get("target")
			item = cmp.Or(item.Get("path"), item.Get("patch"), item)
			file := path.Join(dir, item.Text)
			if item.Kind == yamlpos.Text && !strings.Contains(item.Text, "\n") {
				t.patches[file] = true
			}
			if target != nil || item.Kind != yamlpos.Text || !given[file] {
				change(target, item.Text)
			}
		}
	}
	for _, item := range itemsOf(root.Get("replacements")) {
		for _, target := range itemsOf(item.Get("targets")) {
			change(target.Get("select"), "")
		}
		if item.Entry("targets") == nil {
			change(nil, "")
		}
	}
	for range itemsOf(root.Get("transformers")) {
		change(nil, "")
	}
	return kinds
}

var kindLine = regexp.MustCompile(`(?m)^kind: *["']?(\w+)`)

// kindsOf is an expression for the kinds that a patch is for: its target's, or those of its text.
func kindsOf(target *yamlpos.Node, text string) string {
	if kind := target.Get("kind"); kind != nil && kind.Text != "" {
		return kind.Text
	}
	var kinds []string
	for _, m := range kindLine.FindAllStringSubmatch(text, -1) {
		kinds = append(kinds, m[1])
	}
	if target != nil || len(kinds) == 0 {
		return ".*"
	}
	return strings.Join(kinds, "|")
}

// generator notes the manifests of a policy generator, which patches them or looks for objects that are like them. What
// a PolicyGenTemplate names stands in source-crs, and is patched with what stands beside the name.
func (t trees) generator(dir string, root *yamlpos.Node, given map[string]bool) {
	for _, policy := range itemsOf(root.Get("policies")) {
		for _, manifest := range itemsOf(policy.Get("manifests")) {
			t.generate(dir, "", manifest.Get("path"), itemsOf(manifest.Get("patches")), given)
		}
	}
	for _, file := range itemsOf(root.Get("spec").Get("sourceFiles")) {
		var patches []*yamlpos.Node
		if cmp.Or(file.Entry("metadata"), file.Entry("spec"), file.Entry("data")) != nil {
			patches = append(patches, file)
		}
		t.generate(dir, "source-crs", file.Get("fileName"), patches, given)
	}
}

// within notes the policy generators whose text stands in a root, in the place of a file's name.
func (t trees) within(dir string, root *yamlpos.Node, given map[string]bool) {
	for _, item := range itemsOf(root.Get("generators")) {
		list, _ := object.Split(dir, []byte(item.Text))
		for _, o := range list {
			if isGenerator(o) {
				t.generator(dir, o.Tree.Root, given)
			}
		}
	}
}

// generate notes a manifest of a policy generator in a directory, by its path below another one: a file, or a
// directory, of which it takes what a kustomization there does.
func (t trees) generate(dir, below string, p *yamlpos.Node, patches []*yamlpos.Node, given map[string]bool) {
	if p == nil || p.Kind != yamlpos.Text {
		return
	}
	file := path.Join(below, p.Text)
	at, taken := t.generated, reach(t.includes, path.Join(dir, file))
	if !given[path.Join(dir, file)] {
		at, taken = t.elsewhere, map[string]bool{"/" + strings.TrimLeft(file, "./"): true}
	}
	for p := range taken {
		if at[p] == nil {
			at[p] = map[string]bool{}
		}
		for _, by := range patches {
			at[p][kindsOf(by, "")] = true
		}
	}
}

func itemsOf(n *yamlpos.Node) []*yamlpos.Node {
	if n == nil {
		return nil
	}
	return n.Items
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

// taken says whether a kustomization takes a file, so that it is known what that belongs to.
func (t trees) taken(file string) bool { return t.takers[path.Clean(file)] != nil }

// completes says what adds to the objects of a file, "" for nothing.
func (t trees) completes(file string) string {
	file = path.Clean(file)
	if t.completed[file] || t.completed[t.root(file)] {
		return "a kustomization"
	}
	if len(t.generates(file)) > 0 {
		return "a policy generator"
	}
	return ""
}

// generates are what policy generators take that a file is, or is in, each with the kinds that they patch in it.
func (t trees) generates(file string) (out []map[string]bool) {
	for p := file; ; p = path.Dir(p) {
		if kinds, is := t.generated[p]; is {
			out = append(out, kinds)
		}
		if p == path.Dir(p) || path.Base(p) == ".." {
			break
		}
	}
	for from := "/" + file; from != "" && len(t.elsewhere) > 0; from = from[1+strings.IndexByte(from[1:]+"/", '/'):] {
		for part := from; part != "" && part != "/"; part = part[:strings.LastIndexByte(part, '/')] {
			if kinds, is := t.elsewhere[part]; is {
				out = append(out, kinds)
			}
		}
	}
	return out
}

// changes says what changes an object that weighs, "" for nothing.
func (t trees) changes(o *object.Object) string {
	if !weighs(o.Kind, o.Name) {
		return ""
	}
	file := path.Clean(o.Tree.Name)
	is := func(kinds string) bool {
		is, err := regexp.MatchString("^(?:"+kinds+")$", o.Kind)
		return is || err != nil
	}
	if slices.ContainsFunc(t.changed[file], is) {
		return "a kustomization"
	}
	for _, kinds := range t.generates(file) {
		for kind := range kinds {
			if is(kind) {
				return "a policy generator"
			}
		}
	}
	return ""
}
