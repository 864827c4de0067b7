package tuned

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// SourceAt is the text of a profile inside an object, at a field such as
// "spec.profile[0].data", with the place of each of its lines in the file.
func SourceAt(o *object.Object, field, body string) Source {
	s := Source{Body: body, File: o.Tree.Name, Object: o.String(), Field: field}
	if n := o.Tree.Node(field); n != nil {
		s.Where = o.Tree.Inner(n).At
		return s
	}
	line, col := o.Tree.At(field)
	s.Where = func(int, int) (int, int) { return line, col }
	return s
}

// operatorDirectory is where the operator writes the profiles of CRs on a node.
const operatorDirectory = "/etc/tuned"

// Check looks at the profiles inside all Tuned objects: their syntax, and what
// becomes of them when they are merged with those of their parents that are among
// the objects. Of profiles that are not it knows nothing, and says nothing of them.
func Check(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	tuneds, _ := object.All[openshift.Tuned](objects, "Tuned")
	dir := Directory{Path: operatorDirectory}
	for _, t := range tuneds {
		for i, p := range t.Value.Spec.Profile {
			if p.Name != nil && p.Data != nil {
				dir.Profiles = append(dir.Profiles,
					Profile{Name: *p.Name, Source: SourceAt(t.Object, fmt.Sprintf("spec.profile[%d].data", i), *p.Data)})
			}
		}
	}
	set := NewSet(dir)
	set.lenient = true
	// What two profiles of one name find is told for both, although only one is merged.
	var found []v1alpha1.Finding
	for _, p := range dir.Profiles {
		found = append(found, newLayer(dir.Path, p).found...)
	}
	bare := false
	for _, name := range set.Names() {
		f, more := set.Flatten(name, Machine{TuneD: ReleaseIn(r), Virtual: &bare})
		found = append(found, more...)
		found = append(found, unsupported(f, r)...)
	}
	return once(found)
}

// silent are rules of what only the node or the profiles of the vendor can tell.
var silent = []string{NeedsMachine.ID, NotRun.ID, VariablesFile.ID, UnknownVariables.ID, UnknownInclude.ID, NotThere.ID,
	SecondVisit.ID, Undefined.ID}

// once leaves out what is found a second time and what can't be told from objects.
func once(found []v1alpha1.Finding) []v1alpha1.Finding {
	type key struct {
		id, message string
		place       v1alpha1.Place
	}
	seen := map[key]bool{}
	out := slices.DeleteFunc(found, func(f v1alpha1.Finding) bool {
		if f.Place == nil || slices.Contains(silent, f.ID) {
			return true
		}
		k := key{f.ID, f.Message, *f.Place}
		again := seen[k]
		seen[k] = true
		return again
	})
	object.Sort(out)
	return out
}

// unsupported are the sections of plug-ins that OpenShift's documents don't name in a release.
func unsupported(f *Flat, r release.Release) []v1alpha1.Finding {
	if f == nil {
		return nil
	}
	supported := strings.Split(supportedPlugins.In(r), ", ")
	var found []v1alpha1.Finding
	for _, s := range f.Sections {
		if _, known := plugins[s.Type]; known && !slices.Contains(supported, s.Type) {
			found = append(found, finding(Unsupported, s.From.Place,
				fmt.Sprintf("the plug-in %s of [%s] is not among those that OCP's documents name for custom profiles", s.Type,
					s.Name), "use one of "+supportedPlugins.In(r)))
		}
	}
	return found
}
