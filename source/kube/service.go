package kube

// service is a service that selects pods by their labels.
type service struct {
	namespace string
	selector  []label
	external  bool // without backends
}

// service counts a service and remembers what it selects.
func (r *reader) service(o *object) {
	r.objects.Services++
	r.space(o.namespace()).services++
	selector := r.labels(o.spec.get("selector"), nil)
	if len(selector) > 0 {
		r.services = append(r.services, service{o.namespace(), selector, o.spec.get("type").is("ExternalName")})
	}
}

// spot is a label in a namespace.
type spot struct {
	namespace string
	label
}

// backends is the number of pods behind the service that has most of them.
func backends(services []service, groups []*group) int {
	by := map[spot][]*group{}
	for _, g := range groups {
		for _, l := range g.labels {
			s := spot{g.namespace, l}
			by[s] = append(by[s], g)
		}
	}
	most := 0
	for _, s := range services {
		if !s.external {
			most = max(most, s.count(by))
		}
	}
	return most
}

// count is the number of pods that the service selects. It looks through the
// pods with the rarest of the labels only.
func (s service) count(by map[spot][]*group) int {
	rarest := by[spot{s.namespace, s.selector[0]}]
	for _, l := range s.selector[1:] {
		if found := by[spot{s.namespace, l}]; len(found) < len(rarest) {
			rarest = found
		}
	}
	n := 0
	for _, g := range rarest {
		if hasAll(g.labels, s.selector) {
			n += g.count
		}
	}
	return n
}

// hasAll says whether labels have all of a selector.
func hasAll(labels, selector []label) bool {
	for _, want := range selector {
		if v, ok := labelOf(labels, want.key); !ok || v != want.value {
			return false
		}
	}
	return true
}
