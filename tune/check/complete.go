package check

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
)

// absent are the rules about what an object lacks.
var absent = []string{"crd.missing", noName.ID, noNamespace.ID, "machineConfig.noRole", "kubelet.noSelector",
	"performance.selector", "pool.noConfigs", "pool.selectsNothing"}

// complete leaves out what is said of objects for lacking what is added to them later, and tells of each of them.
func (r recogniser) complete(objects []*object.Object, found []v1alpha1.Finding) []v1alpha1.Finding {
	told := map[named]bool{}
	for _, f := range found {
		if f.ID == completed.ID {
			told[nameIn(f)] = true
		}
	}
	by := r.completers(objects, found)
	var more []v1alpha1.Finding
	found = slices.DeleteFunc(found, func(f v1alpha1.Finding) bool {
		if !lacks(f) || by[nameIn(f)].what == "" {
			return false
		}
		k := nameIn(f)
		if o := by[k].of; !told[k] {
			more = append(more, o.Finding(completed, "", o.String()+" is completed by "+by[k].what+
				": what it lacks is not told", "check what becomes of it"))
		}
		told[k] = true
		return true
	})
	return append(found, more...)
}

// named is an object by its file, its kind and its name.
type named struct{ file, object string }

func nameIn(f v1alpha1.Finding) named { return named{f.Place.File, f.Place.Object} }

// lacks says whether a finding is about what an object lacks.
func lacks(f v1alpha1.Finding) bool { return f.Place != nil && slices.Contains(absent, f.ID) }

// completer is what adds to an object.
type completer struct {
	of   *object.Object
	what string
}

// completers are what adds to the objects that lack something.
func (r recogniser) completers(objects []*object.Object, found []v1alpha1.Finding) map[named]completer {
	lacking := map[named]bool{}
	for _, f := range found {
		if lacks(f) {
			lacking[nameIn(f)] = true
		}
	}
	out := map[named]completer{}
	for _, o := range objects {
		k := named{o.Tree.Name, o.String()}
		if !lacking[k] {
			continue
		}
		if what := r.completes(o.Tree.Name); what != "" {
			out[k] = completer{o, what}
		} else if bare(o) && judged(kindOf(o.Kind)) {
			out[k] = completer{o, "a program"}
		}
	}
	return out
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
