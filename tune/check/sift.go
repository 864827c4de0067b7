package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/schema"
)

// sifted are the objects that the packages are to read: not those of other products that share a kind's name.
type sifted struct {
	is recogniser
	// sets of objects that belong together, and objects that a template leaves open.
	sets []set
	open []*gaps
	// found is what is wrong with the objects as such.
	found []v1alpha1.Finding
}

// sift finds what is wrong with the objects as such.
func sift(objects []*object.Object) sifted {
	is, cut := newRecogniser(objects), &text{}
	out := sifted{is: is}
	var read []*object.Object
	for _, o := range objects {
		k := kindOf(o.Kind)
		if k != nil && foreign(o, k) {
			out.found = append(out.found, o.Finding(unread, "apiVersion",
				fmt.Sprintf("the %s of %s is another %s than that of %s: it is not read", o.Kind, o.APIVersion,
					differs(o, k), k.versions[0]), ""))
			continue
		}
		if other := is.recognise(o, k); other != nil {
			out.found = append(out.found, other...)
			continue
		}
		if by := is.changes(o); by != "" {
			out.found = append(out.found, o.Finding(completed, "", fmt.Sprintf("%s is changed by %s: "+
				"it is judged as it stands", o, by), "check what becomes of it"))
		}
		wrong := append(identify(o, k), placed(o, k)...)
		if g := openOf(o, k, cut); g != nil {
			out.open = append(out.open, g)
			out.found = append(out.found, g.told())
			wrong = slices.DeleteFunc(wrong, func(f v1alpha1.Finding) bool { return g.hides(f) })
		} else {
			read = append(read, o)
		}
		out.found = append(out.found, wrong...)
	}
	sets, told := setsOf(read, is)
	out.sets, out.found = sets, is.complete(objects, append(out.found, told...))
	for _, of := range sets {
		out.found = append(out.found, twice(of.objects)...)
	}
	return out
}

// openOf finds the gaps of an object that is judged.
func openOf(o *object.Object, k *kind, cut *text) *gaps {
	if k == nil || !judged(k) && configMaps[o.Name] == "" {
		return nil
	}
	return gapsOf(o, cut)
}

// differs is what differs in an object that only shares the name of a kind.
func differs(o *object.Object, k *kind) string {
	if group(o.APIVersion) == group(k.versions[0]) {
		return "version"
	}
	return "kind"
}

// foreign says whether an object only shares the name of a kind. With an apiVersion of
// Kubernetes or OpenShift that the kind doesn't have, the API server refuses it.
func foreign(o *object.Object, k *kind) bool {
	if slices.Contains(k.namesakes, o.APIVersion) {
		return true
	}
	return o.APIVersion != "" && !ours(o.APIVersion) && schema.Nearest(o.APIVersion, k.versions) == ""
}

// identify judges kind, apiVersion and name.
func identify(o *object.Object, k *kind) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	bad := func(r object.Rule, path, what, fix string) { out = append(out, o.Finding(r, path, what, fix)) }
	switch {
	case k == nil:
		if near := kindOf(schema.Nearest(o.Kind, kindNames())); near != nil && !builtIn(o.Kind) &&
			(o.APIVersion == "" || group(o.APIVersion) == group(near.versions[0])) {
			bad(unknownKind, "kind", o.Kind+" is not known", "did you mean "+near.name+"?")
		}
		return out
	case k.judged && (k.missed || o.APIVersion != ""):
	case o.APIVersion == "":
		bad(unknownVersion, "", fmt.Sprintf("the %s has no apiVersion: the API server refuses it", o.Kind),
			"write apiVersion: "+k.versions[0])
	case !slices.Contains(k.versions, o.APIVersion):
		bad(unknownVersion, "apiVersion", fmt.Sprintf("a %s has no apiVersion %s: the API server refuses it", o.Kind,
			o.APIVersion), "write "+strings.Join(k.versions, " or "))
	case k.unread != "":
		bad(unread, "kind", fmt.Sprintf("the %s is not read: %s", o.Kind, k.unread), "")
	}
	// Of others' objects some get their name of a program, or say what others are to be like.
	if o.Name == "" && judged(k) && !o.Tree.Has("metadata.generateName") {
		bad(noName, "metadata", fmt.Sprintf("the %s has no name: the API server refuses it", o.Kind),
			"write metadata: {name: ...}")
	}
	return out
}

// builtIn says whether a kind is one of Kubernetes' or OpenShift's own that resemble others.
func builtIn(kind string) bool {
	return slices.Contains([]string{"Role", "Job", "Service", "Secret", "Event", "Namespace", "Ingress", "IngressClass",
		"PodTemplate", "PodDisruptionBudget", "Profile", "Image", "Route", "List",
		"MachineOSConfig", "MachineOSBuild", "MachineConfigNode"}, kind)
}

// placed judges the namespace.
func placed(o *object.Object, k *kind) []v1alpha1.Finding {
	want := ""
	if k != nil {
		want = k.namespace
	}
	if o.Kind == "ConfigMap" {
		want = configMaps[o.Name]
	}
	switch o.Namespace {
	case want:
		return nil
	case "":
		return []v1alpha1.Finding{o.Finding(noNamespace, "metadata",
			fmt.Sprintf("%s has no namespace: it is created where oc happens to be", o), "write namespace: "+want)}
	}
	if want == "" {
		return nil
	}
	return []v1alpha1.Finding{o.Finding(wrongNamespace, "metadata.namespace",
		fmt.Sprintf("%s is in namespace %s, where no operator looks for it", o, o.Namespace), "write namespace: "+want)}
}

// twice finds objects that stand more than once in a set.
func twice(set []*object.Object) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	seen := map[string]*object.Object{}
	for _, o := range set {
		key := idOf(o)
		before := seen[key]
		switch {
		case !settles(o) || o.Name == "" || before != nil && sameOne(o, before):
		case before == nil:
			seen[key] = o
		default:
			line, _ := before.Tree.At("")
			out = append(out, o.Finding(listedTwice, "metadata.name",
				fmt.Sprintf("%s stands in the set before, at %s:%d: the one that is applied last counts", o, before.Tree.Name,
					line), "remove one, or rename it"))
		}
	}
	return out
}

// notRead counts the objects of kinds that no rule reads.
func notRead(objects []*object.Object) []Kind {
	count := map[string]int{}
	for _, o := range objects {
		if k := kindOf(o.Kind); k == nil || k.unread != "" || foreign(o, k) {
			count[o.Kind]++
		}
	}
	var out []Kind
	for _, name := range slices.Sorted(maps.Keys(count)) {
		out = append(out, Kind{name, count[name]})
	}
	return out
}
