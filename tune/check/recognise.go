package check

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
)

// recogniser knows what only looks like an object: templates, encrypted files, patches of kustomizations, and what
// describes a status. Each is told in a line and judged no further.
type recogniser struct {
	// patches are files that a kustomization names as such, roots the directories that have a kustomization.
	patches, roots map[string]bool
}

func newRecogniser(objects []*object.Object) recogniser {
	r := recogniser{map[string]bool{}, map[string]bool{}}
	for _, o := range objects {
		if o.Kind != "Kustomization" || group(o.APIVersion) != "kustomize.config.k8s.io" {
			continue
		}
		dir := path.Dir(o.Tree.Name)
		r.roots[dir] = true
		for _, list := range []string{"patches", "patchesStrategicMerge", "patchesJson6902"} {
			n := o.Tree.Root.Get(list)
			if n == nil {
				continue
			}
			for _, item := range n.Items {
				if p := item.Get("path"); p != nil {
					item = p
				}
				if item.Kind == yamlpos.Text && !strings.Contains(item.Text, "\n") {
					r.patches[path.Join(dir, item.Text)] = true
				}
			}
		}
	}
	return r
}

// root is the directory of the kustomization that a file belongs to, "" for none.
func (r recogniser) root(file string) string {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if r.roots[dir] {
			return dir
		}
		if dir == path.Dir(dir) {
			return ""
		}
	}
}

// judged are kinds whose texts hold no braces of their own: those with programs' texts do.
func judged(k *kind) bool {
	texts := []string{"ConfigMap", "Pod", "Deployment", "DeploymentConfig", "Node"}
	return k != nil && k.unread == "" && !slices.Contains(texts, k.name)
}

// recognise says what an object is, if it is none that can be judged.
func (r recogniser) recognise(o *object.Object, k *kind) []v1alpha1.Finding {
	if k == nil {
		return nil
	}
	root := o.Tree.Root
	say := func(rule object.Rule, at *yamlpos.Node, what, fix string) []v1alpha1.Finding {
		f := o.Finding(rule, "", fmt.Sprintf("%s %s: it is not judged", o.Kind, what), fix)
		f.Place.Line, f.Place.Col = at.Line, at.Col
		return []v1alpha1.Finding{f}
	}
	switch n := (*yamlpos.Node)(nil); {
	case root.Get("sops").Get("mac") != nil || root.Get("sops").Get("lastmodified") != nil:
		return say(encrypted, root, "is encrypted with SOPS", "check what sops --decrypt prints")
	case r.patches[path.Clean(o.Tree.Name)]:
		return say(patch, root, "is a patch of a kustomization", "check what kubectl kustomize prints")
	case !judged(k):
		return nil
	case find(root, &n, isUnfilled):
		return say(template, n, "is a template", "check what becomes of it")
	case root.Entry("spec") == nil && root.Get("status") != nil && !o.Tree.Has("metadata.uid"):
		return say(statusAlone, root, "has a status and no spec, as a validator has", "")
	}
	return nil
}

// unfilled is a place that a template leaves to be filled in: {{ .x }}, {% if %}, $name.
var unfilled = regexp.MustCompile(`^[^\n]*(\{\{.*\}\}|\{%.*%\})[^\n]*$|^\$[a-z]\w*$`)

func isUnfilled(text string) bool {
	return (strings.Contains(text, "{{") || strings.Contains(text, "{%") || strings.HasPrefix(text, "$")) &&
		unfilled.MatchString(text)
}

// find looks for a text that a test says yes to, names included.
func find(n *yamlpos.Node, at **yamlpos.Node, test func(string) bool) bool {
	if n.Kind == yamlpos.Text && test(n.Text) {
		*at = n
		return true
	}
	for _, item := range n.Items {
		if find(item, at, test) {
			return true
		}
	}
	for _, e := range n.Entries {
		if test(e.Key) {
			*at = &yamlpos.Node{Line: e.Line, Col: e.Col}
			return true
		}
		if find(e.Value, at, test) {
			return true
		}
	}
	return false
}

// texts takes the problems of files that are templates or patches in JSON out, and tells of each file once.
func (r recogniser) texts(problems yamlpos.Problems) (rest yamlpos.Problems, found []v1alpha1.Finding) {
	told := map[string]bool{}
	for _, p := range problems {
		rule, what, fix := patch, "a patch of a kustomization", "check what kubectl kustomize prints"
		if p.Template {
			rule, what, fix = template, "a template", "check what becomes of it"
		}
		if told[p.File] || !p.Template && !r.patches[path.Clean(p.File)] && !operation.MatchString(p.Excerpt) {
			continue
		}
		told[p.File] = true
		found = append(found, v1alpha1.Finding{Severity: rule.Severity, ID: rule.ID, Sources: rule.Sources,
			Message: "the file is " + what + ": it is not judged", Remedy: fix,
			Place: &v1alpha1.Place{File: p.File, Line: p.Line, Col: p.Col, Excerpt: p.Excerpt}})
	}
	return slices.DeleteFunc(slices.Clone(problems), func(p yamlpos.Problem) bool { return told[p.File] }), found
}

// operation is the first line of a patch in JSON's way, as YAML writes it.
var operation = regexp.MustCompile(`^\s*- *"?(op"?: *"?(add|remove|replace|move|copy|test)\b|path"?: *"?/)`)
