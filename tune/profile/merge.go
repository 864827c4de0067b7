package profile

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// Item is an item of recommend of some CR.
type Item struct {
	// CR is the name of the CR, Index the item's position in it, from 0.
	CR    string `json:"cr"`
	Index int    `json:"index"`
	// Profile that the item recommends.
	Profile string `json:"profile"`
	// Priority, 0 the first; nil, which sorts last, when absent.
	Priority *int64 `json:"priority,omitempty"`
	// Match is the match tree on one line, in the words of String.
	Match string `json:"match"`
	// MachineConfigLabels that the item selects pools by, in releases that know them.
	MachineConfigLabels map[string]string `json:"machineConfigLabels,omitempty"`
	// BuiltIn says that the item is of the CR that the operator makes.
	BuiltIn bool `json:"builtIn,omitempty"`
	// Nodes that got their profile by the item.
	Nodes int `json:"nodes"`
	// Place of the item; nil when no file holds it.
	Place *v1alpha1.Place `json:"place,omitempty"`

	recommend *openshift.TunedRecommend
	// ways to match it by its match tree, and the pools that its machineConfigLabels select.
	ways  []way
	pools []string
}

// Name says which item of which CR it is: "ingress[0]".
func (i *Item) Name() string { return fmt.Sprintf("%s[%d]", i.CR, i.Index) }

// Definition is a profile that a CR defines.
type Definition struct {
	Name string `json:"name"`
	// CR whose definition counts: of several, the last by the CR's name, though 4.3 to 4.5 take any.
	CR string `json:"cr"`
	// Others are further CRs that define a profile of that name; a CR that does it twice is among them.
	Others []string `json:"others,omitempty"`
	// Conflict says that the texts differ.
	Conflict bool            `json:"conflict,omitempty"`
	Place    *v1alpha1.Place `json:"place,omitempty"`
	// Data is the text.
	Data string `json:"-"`
}

// merged is what the operator makes of all CRs.
type merged struct {
	// crs that count, by name.
	crs []*cr
	// items in the order in which the operator tries them.
	items []Item
	// definitions, sorted by name.
	definitions []Definition
	// builtIn says what was done about the CR default: "added", "put back" or nothing.
	builtIn string
	// ignored are CRs that don't count, and why.
	ignored  []Ignored
	findings []v1alpha1.Finding
}

// Ignored is a CR that doesn't count.
type Ignored struct {
	CR  string `json:"cr"`
	Why string `json:"why"`
}

// merge joins the CRs.
func merge(in *Input) *merged {
	m := &merged{}
	m.take(in)
	m.keepDefault(in.Release)
	slices.SortStableFunc(m.crs, func(a, b *cr) int { return cmp.Compare(a.Value.Metadata.Name, b.Value.Metadata.Name) })
	for _, t := range m.crs {
		m.recommend(t, in.Release)
	}
	slices.SortStableFunc(m.items, byPriority)
	m.define()
	return m
}

// take picks the CRs that count: in the operator's namespace, not refused, not its own
// sum of the others, and of several with one name the last.
func (m *merged) take(in *Input) {
	last := make(map[string]int, len(in.Tuneds))
	for i := range in.Tuneds {
		if meta := &in.Tuneds[i].Value.Metadata; inNamespace(meta) {
			last[meta.Name] = i
		}
	}
	for i := range in.Tuneds {
		t := &in.Tuneds[i]
		meta := &t.Value.Metadata
		switch {
		case !inNamespace(meta):
			m.ignore(t, elsewhere, "metadata.namespace", "is in namespace "+meta.Namespace+", where the operator doesn't look",
				"move it to "+openshift.NamespaceTuned)
		case isSum(meta.Name, in.Release):
			m.ignore(t, renderedCR, "metadata.name",
				"is the operator's own, which it makes of all others, or removes from 4.14 on", "")
		case last[meta.Name] != i:
			m.ignore(t, sameName, "metadata.name", "stands again further on, which replaces it", "keep one")
		case !in.Stored && refused(t, in.Release):
			m.ignore(t, refusedCR, "", "is refused by the API server", "see the errors of the CR")
		default:
			m.crs = append(m.crs, t)
		}
	}
}

// sumName is the name of the CR that the operator made of all others up to 4.13.
const sumName = "rendered"

// isSum says whether a CR is that one.
func isSum(name string, r release.Release) bool { return name == sumName && sumIsOwn.In(r) }

// IsSum says whether an object is the Tuned CR that the operator of a release makes of all
// others, which nobody writes and which doesn't count.
func IsSum(o *object.Object, r release.Release) bool { return o.Kind == "Tuned" && isSum(o.Name, r) }

// inNamespace says whether the operator sees a CR. One without a namespace is
// taken for one that is created where it belongs.
func inNamespace(meta *openshift.ObjectMeta) bool {
	return meta.Namespace == "" || meta.Namespace == openshift.NamespaceTuned
}

func (m *merged) ignore(t *cr, r object.Rule, path, why, fix string) {
	name := t.Value.Metadata.Name
	m.ignored = append(m.ignored, Ignored{CR: name, Why: why})
	m.findings = append(m.findings, at(t, r, path, "Tuned "+name+" "+why+": it doesn't count", fix))
}

// keepDefault adds the CR default, or puts back what somebody changed in it.
func (m *merged) keepDefault(b release.Release) {
	own := Default(b)
	i := slices.IndexFunc(m.crs, func(t *cr) bool { return t.Value.Metadata.Name == DefaultName })
	switch {
	case i < 0:
		m.builtIn = "added"
		m.crs = append(m.crs, &own)
	case !isDefault(m.crs[i].Value.Spec.Recommend, b):
		m.builtIn = "put back"
		m.crs[i] = &own
	}
}

// recommend appends the items of a CR.
func (m *merged) recommend(t *cr, of release.Release) {
	for i := range t.Value.Spec.Recommend {
		r := &t.Value.Spec.Recommend[i]
		if r.Profile == nil {
			continue
		}
		item := Item{CR: t.Value.Metadata.Name, Index: i, Profile: *r.Profile, Priority: r.Priority, Match: describe(r, of),
			BuiltIn: t.Value.Metadata.Name == DefaultName, Place: place(t, fmt.Sprintf("spec.recommend[%d]", i)), recommend: r}
		if labelsKnown.In(of) {
			item.MachineConfigLabels = r.MachineConfigLabels
		}
		item.ways = item.findWays()
		m.items = append(m.items, item)
	}
}

// byPriority orders items; those without a priority come last.
func byPriority(a, b Item) int {
	switch {
	case a.Priority == nil && b.Priority == nil:
		return 0
	case a.Priority == nil:
		return 1
	case b.Priority == nil:
		return -1
	}
	return cmp.Compare(*a.Priority, *b.Priority)
}

// define unites the profiles of all CRs.
func (m *merged) define() {
	index := map[string]int{}
	for _, t := range m.crs {
		for i, p := range t.Value.Spec.Profile {
			if p.Name == nil || p.Data == nil {
				continue
			}
			d := Definition{Name: *p.Name, CR: t.Value.Metadata.Name, Data: *p.Data,
				Place: place(t, fmt.Sprintf("spec.profile[%d]", i))}
			if at, again := index[d.Name]; again {
				old := &m.definitions[at]
				d.Others = append(old.Others, old.CR)
				d.Conflict = old.Conflict || old.Data != d.Data
				*old = d
				continue
			}
			index[d.Name] = len(m.definitions)
			m.definitions = append(m.definitions, d)
		}
	}
	slices.SortFunc(m.definitions, func(a, b Definition) int { return cmp.Compare(a.Name, b.Name) })
}

// conflict is the first profile with several texts, or nil.
func (m *merged) conflict() *Definition {
	for i := range m.definitions {
		if m.definitions[i].Conflict {
			return &m.definitions[i]
		}
	}
	return nil
}
