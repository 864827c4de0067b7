package check

import (
	"fmt"
	"path"
	"regexp"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
)

// recogniser knows what only looks like an object: templates, encrypted files, patches, and what describes a status.
// Each is told in a line; what is whole of a template is judged.
type recogniser struct{ trees }

func newRecogniser(objects []*object.Object) recogniser { return recogniser{newTrees(objects)} }

// judged are kinds whose texts hold no braces of their own: those with programs' texts do.
func judged(k *kind) bool {
	texts := []string{"ConfigMap", "Pod", "Deployment", "DeploymentConfig", "Node"}
	return k != nil && k.unread == "" && !slices.Contains(texts, k.name)
}

// weighs says whether what is not known of an object is missing in the answer.
func weighs(kind, name string) bool { return judged(kindOf(kind)) || configMaps[name] != "" }

// Reads says whether objects of a kind are settings that rules read.
func Reads(kind string) bool { return judged(kindOf(kind)) }

// recognise says what an object is, if it is none that can be judged.
func (r recogniser) recognise(o *object.Object, k *kind) []v1alpha1.Finding {
	if k == nil {
		return nil
	}
	root := o.Tree.Root
	say := func(rule object.Rule, what, fix string) []v1alpha1.Finding {
		f := o.Finding(rule, "", fmt.Sprintf("%s %s: it is not judged", o.Kind, what), fix)
		f.Place.Line, f.Place.Col = root.Line, root.Col
		return []v1alpha1.Finding{f}
	}
	switch {
	case root.Get("sops").Get("mac") != nil || root.Get("sops").Get("lastmodified") != nil:
		return say(encrypted, "is encrypted with SOPS", "check what sops --decrypt prints")
	case r.patches[path.Clean(o.Tree.Name)]:
		return say(patch, "is a patch of a kustomization", "check what kubectl kustomize prints")
	case root.Entry("patch") != nil && root.Entry("patchType") != nil:
		return say(patch, "is a patch of a SyncSet", "check the object that it makes")
	case !judged(k):
		return nil
	case root.Entry("spec") == nil && root.Get("status") != nil && !o.Tree.Has("metadata.uid"):
		return say(statusAlone, "has a status and no spec, as a validator has", "")
	}
	return nil
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
			Place: &v1alpha1.Place{File: p.File, Line: p.Line, Col: p.Col, Object: p.Kind, Excerpt: p.Excerpt}})
	}
	return slices.DeleteFunc(slices.Clone(problems), func(p yamlpos.Problem) bool { return told[p.File] }), found
}

// operation is the first line of a patch in JSON's way, as YAML writes it.
var operation = regexp.MustCompile(`^\s*- *"?(op"?: *"?(add|remove|replace|move|copy|test)\b|path"?: *"?/)`)
