package kube

// seen takes what a snapshot says of itself: how many objects there are that are not in it, and what nobody could
// read, without which no answer is good.
func (r *reader) seen(o *object) {
	counts := map[string]*int{"Secret": &r.objects.Secrets, "ConfigMap": &r.objects.ConfigMaps,
		"CustomResourceDefinition": &r.objects.CustomResourceDefinitions}
	for k, f := range o.value.get("counts").fields() {
		if n := counts[string(k)]; n != nil {
			*n += r.count(f, 0)
		}
	}
	for s := range o.value.get("notSeen").elems() {
		if s.get("audit").is("true") {
			continue
		}
		r.lack(place{file: o.doc.file}, s.get("what").text(), s.get("why").text())
	}
	for s := range o.value.get("later").elems() {
		r.skip(place{file: o.doc.file}, s.text(), "they were read for longer than the server remembers a list: the last "+
			"part is of a later moment, and what was made or deleted meanwhile may be counted or not")
	}
}
