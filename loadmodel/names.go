package loadmodel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/internal/yamlpos"
)

// pathNamed are kinds whose names only have to fit into a path. Source: kubernetes, pkg/apis/rbac/validation;
// openshift-apiserver, pkg/image and pkg/user.
var pathNamed = []string{"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding", "ImageStream", "ImageStreamTag",
	"Image", "User", "Group", "Identity"}

// nameWrong says why an object of the kind can't have the name. Source: kubernetes,
// staging/src/k8s.io/apimachinery/pkg/api/validation/name.go, and validation.go of each API group; custom objects have
// names of subdomains. A Service may begin with a digit since 1.36, which older servers refuse.
func nameWrong(kind, name string) []string {
	switch {
	case kind == "Service":
		return validation.IsDNS1035Label(name)
	case kind == "Namespace":
		return validation.IsDNS1123Label(name)
	case slices.Contains(pathNamed, kind):
		if name == "." || name == ".." || strings.ContainsAny(name, "/%") {
			return []string{"may not be . or .., or have / or % in it"}
		}
		return nil
	}
	return validation.IsDNS1123Subdomain(name)
}

// nameFits tells of a name that its kind can't have.
func (e *expansion) nameFits(kind, field, name string) {
	for _, wrong := range nameWrong(kind, name) {
		e.bad(field, "makes the name "+yamlpos.Quote(name), wrong)
	}
}

// taken are the names that a project's entries make.
type taken struct {
	// single are the fields that make an object, by its kind and name.
	single map[string]string
	counts []counted
}

// counted are names with an index from 0 behind a prefix.
type counted struct {
	kind, prefix string
	n            int
	field        string
}

// has says whether a name is one of them.
func (c counted) has(kind, name string) bool {
	digits, ok := strings.CutPrefix(name, c.prefix)
	i, err := strconv.Atoi(digits)
	return ok && err == nil && kind == c.kind && i >= 0 && i < c.n && strconv.Itoa(i) == digits
}

// shares is a name of both, or empty. Where one's prefix is longer by some digits, the least index that begins
// with them and goes on is of its first object.
func (c counted) shares(o counted) string {
	if len(o.prefix) < len(c.prefix) {
		c, o = o, c
	}
	if first := o.prefix + "0"; o.n > 0 && c.has(o.kind, first) {
		return first
	}
	return ""
}

// count takes the names of n objects, and tells where an entry before makes one of them, or they don't fit.
func (e *expansion) count(kind, prefix string, n int, at string) {
	e.nameFits(kind, at+".basename", prefix+strconv.Itoa(max(0, n-1)))
	c := counted{kind, prefix, n, at}
	for _, before := range e.taken.counts {
		if name := c.shares(before); name != "" {
			e.bad(at+".basename", "makes the "+kind+" "+name+", as "+before.field+" does",
				"give each entry a basename of its own")
			return
		}
	}
	for key, before := range e.taken.single {
		if kind, name, _ := strings.Cut(key, " "); c.has(kind, name) {
			e.bad(at+".basename", "makes the "+key+", as "+before+" does", "give the two names of their own")
			return
		}
	}
	e.taken.counts = append(e.taken.counts, c)
}

// takes is the field that makes an object of this name already, or empty where it is at's from now on.
func (e *expansion) takes(kind, name, at string) string {
	key := kind + " " + name
	if first, twice := e.taken.single[key]; twice {
		return first
	}
	for _, c := range e.taken.counts {
		if c.has(kind, name) {
			return c.field
		}
	}
	e.taken.single[key] = at
	return ""
}

// samples are the items of a batch that are looked at: the first two, which have to differ, and the last, whose
// names are the longest.
func samples(count int) []int {
	out := []int{0, 1, count - 1}
	return slices.Compact(out[:min(count, 3)])
}

// itemsDiffer says whether the items of a template can stand side by side, and beside what the entries before make,
// and whether their names fit.
func (e *expansion) itemsDiffer(b *Batch, m Manifest) bool {
	for _, i := range samples(b.Count) {
		objects, err := b.items(i)
		if err != nil {
			e.inFile(b, m, err)
			return false
		}
		for _, o := range objects {
			if o.Name != "" && !e.itemFits(b, i, o) {
				return false
			}
		}
	}
	return true
}

// itemFits says whether an object of a template's i-th item fits beside the others.
func (e *expansion) itemFits(b *Batch, i int, o Object) bool {
	if wrong := nameWrong(o.Kind, o.Name); len(wrong) > 0 {
		e.bad(b.Field+".file", fmt.Sprintf("makes the %s %s (%s)", o.Kind, yamlpos.Quote(o.Name), o.Origin), wrong[0])
		return false
	}
	key := o.Kind + " " + o.Name
	switch first := e.takes(o.Kind, o.Name, b.Field); {
	case first == "":
		return true
	case first == b.Field && i == 0:
		e.bad(b.Field+".file", "makes the "+key+" twice ("+o.Origin+")", "give the two names of their own")
	case first == b.Field:
		e.bad(b.Field+".num", fmt.Sprintf("is %d, but each would make the %s (%s)", b.Count, key, o.Origin),
			"let the template use ${IDENTIFIER} in its names, or write num: 1 here and count projects")
	default:
		e.bad(b.Field+".file", "makes the "+key+", as "+first+" does", "give the two names of their own")
	}
	return false
}
