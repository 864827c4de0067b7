package object

// Latest are the objects without those that a later one of the same kind,
// namespace and name replaces: what a cluster has once the files are applied in
// their order. Objects without a name all stay.
func Latest[T any](list []Typed[T]) []Typed[T] {
	type key struct{ kind, namespace, name string }
	last := map[key]int{}
	for i, t := range list {
		last[key{t.Kind, t.Namespace, t.Name}] = i
	}
	var out []Typed[T]
	for i, t := range list {
		if t.Name == "" || last[key{t.Kind, t.Namespace, t.Name}] == i {
			out = append(out, t)
		}
	}
	return out
}
