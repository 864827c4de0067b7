package flavor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/schema"
)

// longest is the length of the longest key or value that Nova keeps.
const longest = 255

// sortSpecs keeps the extra specs that count under the rules, and says of the
// others why they don't.
func (r *reader) sortSpecs(specs map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(specs)) {
		value := specs[name]
		if len(name) > longest || len(value) > longest {
			r.bad(name[:min(len(name), longest)], "is too long",
				fmt.Sprintf("Nova keeps keys and values of up to %d characters", longest))
			continue
		}
		r.sortSpec(name, value)
	}
}

func (r *reader) sortSpec(name, value string) {
	full := name
	if _, ok := known["hw:wrs:"+name]; ok && !strings.Contains(name, ":") {
		full = "hw:wrs:" + name // the document's own short names
	}
	k, ok := known[generic(full)]
	switch {
	case !ok && strings.HasPrefix(name, "hw:"):
		r.unknown(name)
	case !ok:
		r.outside(name, value)
	case !k.in(r.rules):
		r.elsewhere(name, k)
	case k.idle:
		r.remark(name, "has no effect on placement")
		r.allowed(name, value, k.values)
	default:
		r.allowed(name, value, k.values)
		if old, twice := r.specs[full]; twice && old != value {
			r.bad(name, fmt.Sprintf("%q contradicts %s=%s", value, full, old), "leave one of them out")
		}
		r.specs[full] = value
	}
}

// generic writes N for the number behind the last dot.
func generic(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i < 0 || i == len(name)-1 || strings.Trim(name[i+1:], "0123456789") != "" {
		return name
	}
	return name[:i+1] + "N"
}

func (r *reader) unknown(name string) {
	fix := "see the flavors' documentation"
	if near := schema.Nearest(name, names); near != "" {
		fix = "did you mean " + near + "?"
	}
	r.bad(name, "no extra spec has this name", fix)
}

func (r *reader) elsewhere(name string, k key) {
	text := "means nothing to " + title(r.rules)
	if k.nearest != "" {
		text += "; nearest is " + k.nearest
	}
	r.remark(name, text)
}

// title is what a rule set is called in sentences.
func title(rules nova.Rules) string {
	switch rules {
	case nova.HCG40:
		return "Helion Carrier Grade 4.0"
	case nova.StarlingX:
		return "StarlingX"
	}
	return "Nova"
}

// outside are extra specs of other namespaces.
func (r *reader) outside(name, value string) {
	namespace, rest, scoped := strings.Cut(name, ":")
	switch {
	case namespace == aggregateScope && scoped: // HostConstraints reads it
	case !scoped && strings.HasPrefix(name, "hw_"):
		r.remark(name, "is an image's spelling: a flavor's is hw:"+strings.TrimPrefix(name, "hw_"))
	case !scoped:
		r.remark(name, "has no namespace and no effect here; Nova's filter of aggregate metadata, where it is on, "+
			"takes it for a host's metadata")
	case strings.HasPrefix(namespace, "resources"), strings.HasPrefix(namespace, "trait"):
		r.placementSpec(name, rest, value)
	case slices.Contains(harmless, namespace):
		r.remark(name, "has no effect on placement")
	default:
		r.remark(name, "is not known, and has no effect on placement")
	}
}

// placementSpec is a resource or trait for the Placement service. Those that
// stand for a CPU policy count; hosts' other traits and resources are not known.
func (r *reader) placementSpec(name, rest, value string) {
	cpus := floating.MatchString(name) || pinning.MatchString(name)
	if strings.HasPrefix(name, "trait") {
		r.allowed(name, value, "required|forbidden")
	}
	switch {
	case !cpus && !threads.MatchString(name):
		r.remark(name, "has no effect here: the hosts' own "+rest+" is not known")
	case r.modern():
		r.specs[name] = value
	case cpus:
		r.elsewhere(name, key{nearest: "hw:cpu_policy"})
	default:
		r.elsewhere(name, key{nearest: "hw:cpu_thread_policy"})
	}
}

// sortProps keeps the image properties that count under the rules. Images carry
// much else, of which only what looks like a slip of the pen is told.
func (r *reader) sortProps(props map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(props)) {
		k, ok := knownProps[generic(name)]
		switch {
		case ok && k.in(r.rules):
			if !strings.HasSuffix(k.name, ".N") {
				r.allowed(name, props[name], k.values)
			}
			r.props[name] = props[name]
		case ok:
			r.elsewhere(name, k)
		case strings.HasPrefix(name, "hw:"):
			r.remark(name, "is a flavor's spelling: an image's is hw_"+strings.TrimPrefix(name, "hw:"))
		case strings.HasPrefix(name, "hw_") && !slices.Contains(idleProps, name):
			if near := schema.Nearest(name, propNames); near != "" && knownProps[near].name != "" {
				r.remark(name, "no property has this name; did you mean "+near+"?")
			}
		}
	}
	for _, list := range []string{"hw_numa_cpus", "hw_numa_mem"} {
		for _, n := range numberedKeys(r.props, list) { // Nova looks at none behind a gap
			r.allowed(n.key, n.text, knownProps[list+".N"].values)
		}
	}
}

// unused are numbered keys behind a gap, or without a topology.
func (r *reader) unused() {
	for _, from := range []map[string]string{r.specs, r.props} {
		for _, name := range slices.Sorted(maps.Keys(from)) {
			if strings.HasSuffix(generic(name), ".N") && !r.used[name] {
				r.remark(name, "is not read: "+r.whyUnused(from, name))
			}
		}
	}
}

func (r *reader) whyUnused(from map[string]string, name string) string {
	first := strings.TrimSuffix(generic(name), "N") + "0"
	switch _, ok := from[first]; {
	case r.used[first]:
		return "the numbers must go up from 0 without a gap"
	case !ok:
		return "the numbers must begin with 0"
	}
	return "nothing asks for virtual nodes (hw:numa_nodes does)"
}
