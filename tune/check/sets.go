package check

import (
	"fmt"
	"path"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
)

// Several is the rule that tells of files of several clusters.
var Several = alternatives.ID

// mostTogether is how often objects that are common to sets are judged with one of them, some 15,000 in a second: of
// more, the other sets are judged by themselves.
const mostTogether = 20_000

// set are objects of one cluster.
type set struct {
	objects []*object.Object
	// apart says that what others have in common with these is not among them.
	apart bool
}

// folder is a directory of the files, with its objects and its directories in the order in which they were read.
type folder struct {
	name    string
	objects []*object.Object
	inner   []*folder
}

// setsOf parts objects into sets that belong to one cluster each. What one kustomization takes belongs together, from
// whatever directories, and what several take, such as overlays of one base, belongs to each of them apart. Else
// directories beside one another that hold the same object are for different clusters, or ways to set up one; so are a
// directory and one within it, if they are not of one kustomization. What has no such object is common to all.
func setsOf(objects []*object.Object, is recogniser) (sets []set, found []v1alpha1.Finding) {
	top := &folder{}
	for _, o := range objects {
		if !settles(o) {
			top.objects = append(top.objects, o)
			continue
		}
		file := path.Clean(o.Tree.Name)
		for _, by := range is.takers[file] {
			in := top.at(by).within(by)
			in.objects = append(in.objects, o)
		}
		if is.taken(file) {
			continue
		}
		in := top.at(path.Dir(file))
		if is.root(file) == "" {
			in = in.within(path.Dir(file))
		}
		in.objects = append(in.objects, o)
	}
	parted, found := top.sets(is)
	return bounded(parted), found
}

// bounded are sets, of which some are without what they have in common with others where that is too much.
func bounded(parted [][]*object.Object) (sets []set) {
	times := map[*object.Object]int{}
	for _, list := range parted {
		for _, o := range list {
			times[o]++
		}
	}
	common := func(o *object.Object) bool { return times[o] > 1 && settles(o) }
	together := 0
	for i, list := range parted {
		own := slices.DeleteFunc(slices.Clone(list), common)
		together += len(list) - len(own)
		if i > 0 && together > mostTogether {
			sets = append(sets, set{own, true})
			continue
		}
		sets = append(sets, set{objects: list})
	}
	return sets
}

// settles says whether an object has to do with the settings of nodes.
func settles(o *object.Object) bool {
	k := kindOf(o.Kind)
	return k != nil && (judged(k) || o.Kind == "Node" || o.Kind == "ConfigMap" && configMaps[o.Name] != "")
}

// at is the folder of a path below one.
func (f *folder) at(dir string) *folder {
	if dir == "." {
		return f
	}
	for end, c := range dir + "/" {
		if c != '/' || end == 0 {
			continue
		}
		f = f.within(dir[:end])
	}
	return f
}

// within is the folder of a name in another one; that of the same name has the files which stand in no directory of it.
func (f *folder) within(name string) *folder {
	i := slices.IndexFunc(f.inner, func(in *folder) bool { return in.name == name })
	if i < 0 {
		i = len(f.inner)
		f.inner = append(f.inner, &folder{name: name})
	}
	return f.inner[i]
}

// sets are those of a folder: what is common, with each of its alternatives.
func (f *folder) sets(is recogniser) (sets [][]*object.Object, found []v1alpha1.Finding) {
	base := f.objects
	alike, same := f.alternatives(is)
	for _, in := range f.inner {
		inner, told := in.sets(is)
		found = append(found, told...)
		if len(inner) == 1 && !slices.Contains(alike, in) {
			base = append(slices.Clip(base), inner[0]...)
			continue
		}
		sets = append(sets, inner...)
	}
	if len(sets) == 0 {
		return [][]*object.Object{base}, found
	}
	for i := range sets {
		sets[i] = slices.Concat(base, sets[i])
	}
	if len(alike) > 0 {
		var names []string
		for _, in := range alike {
			names = append(names, in.name)
		}
		found = append(found, same.Finding(alternatives, "", fmt.Sprintf("%s hold the same objects, such as %s: each is "+
			"judged as a set of its own", words.Some(names, 3), same), "give the files of one cluster to judge them together"))
	}
	return sets, found
}

// unknown says what is not known of several sets, of which was told.
func (s sifted) unknown(told []v1alpha1.Finding) (out []string) {
	if slices.ContainsFunc(told, func(f v1alpha1.Finding) bool { return f.ID == Several && !s.is.taken(f.Place.File) }) {
		out = append(out, "whether directories that hold the same objects are of one cluster")
	}
	apart := 0
	for _, one := range s.sets {
		if one.apart {
			apart++
		}
	}
	if apart > 0 {
		out = append(out, fmt.Sprintf("what %d of %d sets of objects come to with what all have in common", apart,
			len(s.sets)))
	}
	return out
}

// alternatives are the directories that hold an object which another one beside it holds, too, and such an object: one
// that no kustomization takes, if there is any. One object in two of them is a proof, for each would apply it.
func (f *folder) alternatives(is recogniser) (alike []*folder, same *object.Object) {
	type holding struct {
		in *folder
		o  *object.Object
	}
	first := map[any]holding{}
	for _, in := range f.inner {
		in.each(func(o *object.Object) {
			var key any = o
			if o.Name != "" {
				key = idOf(o)
			}
			was, ok := first[key]
			if !ok {
				first[key] = holding{in, o}
			}
			if !ok || was.in == in || was.o != o && sameOne(o, was.o) {
				return
			}
			for _, one := range []holding{was, {in, o}} {
				if !slices.Contains(alike, one.in) {
					alike = append(alike, one.in)
				}
				if same == nil || is.taken(same.Tree.Name) && !is.taken(one.o.Tree.Name) {
					same = one.o
				}
			}
		})
	}
	return alike, same
}

// idOf is what makes two objects the same for a cluster.
func idOf(o *object.Object) string { return o.Kind + "/" + o.Namespace + "/" + o.Name }

// each goes through the objects of a folder and of those within.
func (f *folder) each(see func(*object.Object)) {
	for _, o := range f.objects {
		see(o)
	}
	for _, in := range f.inner {
		in.each(see)
	}
}

// sameOne says whether two objects of a name are one of a cluster, of which there are several dumps.
func sameOne(a, b *object.Object) bool {
	uid := a.Tree.Root.Get("metadata").Get("uid")
	other := b.Tree.Root.Get("metadata").Get("uid")
	return uid != nil && other != nil && uid.Text != "" && uid.Text == other.Text
}
