package profile

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
)

// checker collects what is wrong with CRs.
type checker struct {
	release release.Release
	// all are the CRs together.
	all     *merged
	lineage *lineage
	// spare are the profiles after which the host's sysctl files are not applied.
	spare map[string]bool
	found []v1alpha1.Finding
	// said are remarks on a CR that are made once.
	said map[string]bool
	// performance are the names of the PerformanceProfiles among the input.
	performance []string
	pools       *pools
	// poolsListed says that the pools are taken for all that the cluster has.
	poolsListed bool
}

func (c *checker) add(t *cr, r object.Rule, path, what, fix string) {
	c.found = append(c.found, at(t, r, path, what, fix))
}

// Check finds what is wrong with the Tuned CRs among objects, each by itself and
// together, in a release. It looks at no nodes.
func Check(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	typed, _ := object.All[openshift.MachineConfigPool](objects, "MachineConfigPool")
	return CheckIn(objects, object.Values(object.Latest(typed)), r)
}

// CheckIn is Check in a cluster with these pools.
func CheckIn(objects []*object.Object, given []openshift.MachineConfigPool, r release.Release) []v1alpha1.Finding {
	tuneds, found := object.All[openshift.Tuned](objects, "Tuned")
	if len(tuneds) == 0 {
		return found
	}
	all := merge(&Input{Tuneds: tuneds, Release: r})
	c := &checker{release: r, found: found, said: map[string]bool{}, all: all, lineage: newLineage(all),
		performance: namesOf(objects, "PerformanceProfile")}
	c.spare = c.spared()
	c.pools, c.poolsListed = &pools{list: pool.Complete(given, r), release: r}, pool.ListedWhole(given)
	for i := range tuneds {
		if !isSum(tuneds[i].Value.Metadata.Name, r) {
			c.cr(&tuneds[i])
		}
	}
	for _, f := range c.all.findings {
		if f.ID != refusedCR.ID {
			c.found = append(c.found, f)
		}
	}
	c.together(c.all)
	object.Sort(c.found)
	return c.found
}

// cr checks one CR.
func (c *checker) cr(t *cr) {
	c.found = append(c.found, refusals(t, c.release)...)
	if t.APIVersion != "" && t.APIVersion != "tuned.openshift.io/v1" {
		c.add(t, apiVersion, "apiVersion", "apiVersion "+t.APIVersion+" is not the operator's", "tuned.openshift.io/v1")
	}
	c.state(t)
	for i := range t.Value.Spec.Recommend {
		c.item(t, fmt.Sprintf("spec.recommend[%d]", i), &t.Value.Spec.Recommend[i])
	}
	if UsesPods(t.Value.Spec.Recommend) {
		what := "pods are matched: every pod of the cluster is watched"
		if podsDeprecated.In(c.release) {
			what += ", and the CR is marked Valid=False"
		}
		c.add(t, podMatch, "spec.recommend", what, "label the nodes and match them")
	}
	for i, p := range t.Value.Spec.Profile {
		if p.Name != nil && p.Data != nil {
			c.profile(t, fmt.Sprintf("spec.profile[%d]", i), *p.Name, *p.Data)
		}
	}
}

// state checks what only CR default has, and what it must not have.
func (c *checker) state(t *cr) {
	spec := &t.Value.Spec
	own := t.Value.Metadata.Name == DefaultName
	if own && !isDefault(spec.Recommend, c.release) {
		c.add(t, defaultEdited, "spec.recommend", "the items of CR default are not the operator's own: it puts them back",
			"make a CR of your own")
	}
	switch {
	case spec.ManagementState == "":
	case !stateKnown.In(c.release):
		c.add(t, defaultEdited, "spec.managementState", "managementState came with 4.6: it is dropped", "remove it")
	case own && (spec.ManagementState == "Unmanaged" || spec.ManagementState == "Removed"):
		c.add(t, unmanaged, "spec.managementState", "managementState "+spec.ManagementState+": the operator sets no profiles",
			"Managed")
	}
}

// item checks an item of recommend.
func (c *checker) item(t *cr, path string, r *openshift.TunedRecommend) {
	c.labels(t, path, r)
	c.operand(t, path, r)
	c.match(t, path, r.Match, nil)
	if !perNode.In(c.release) {
		c.conf43(t, path, r)
	}
}

func (c *checker) labels(t *cr, path string, r *openshift.TunedRecommend) {
	if r.MachineConfigLabels == nil {
		return
	}
	path += ".machineConfigLabels"
	if !labelsKnown.In(c.release) {
		then := "it is dropped"
		if len(r.Match) == 0 {
			then += ", and without match the item matches every node"
		}
		c.add(t, labelsDropped, path, "machineConfigLabels came with 4.5: "+then, "match labels of nodes")
		return
	}
	if wrong := badLabels(r.MachineConfigLabels); wrong != "" {
		c.add(t, labelsInvalid, path, "machineConfigLabels are no valid labels and select no pool: "+wrong,
			"write them as a MachineConfig has them")
	}
	switch {
	case r.Match == nil:
	case len(r.Match) == 0:
		c.add(t, labelsAndMatch, path, "an empty match beside machineConfigLabels matches every node", "leave match out")
	default:
		c.add(t, labelsAndMatch, path, "match and machineConfigLabels are alternatives: either is enough, "+
			"and by match no kernel arguments are set", "leave one out")
	}
}

// roleLabel begins the labels of nodes' roles.
const roleLabel = "node-role.kubernetes.io/"

// match checks a match list; above are the items that it is nested in.
func (c *checker) match(t *cr, path string, list []openshift.TunedMatch, above []*openshift.TunedMatch) {
	for i := range list {
		m, at := &list[i], fmt.Sprintf("%s.match[%d]", path, i)
		if m.Value != nil && *m.Value == "" && (m.Label == nil || !strings.HasPrefix(*m.Label, roleLabel)) {
			c.add(t, emptyValue, at+".value", `value "" asks for an empty value, not for any`,
				"leave value out to ask for the label alone")
		}
		if isPod(m) && m.Label != nil && strings.HasPrefix(*m.Label, roleLabel) {
			c.add(t, roleOfPod, at+".type",
				fmt.Sprintf("label %s is looked for on pods, which don't have it: roles are labels of nodes", *m.Label),
				"write type: pod at the item whose label pods have, one level further out or in")
		}
		if len(above) > 0 {
			c.nested(t, at, m, above)
		}
		c.match(t, at, m.Match, append(slices.Clip(above), m))
	}
}

// nested checks an item that is nested in others.
func (c *checker) nested(t *cr, at string, m *openshift.TunedMatch, above []*openshift.TunedMatch) {
	underPod := slices.ContainsFunc(above, isPod)
	switch {
	case m.Label == nil:
		c.add(t, nestedLabel, at, "the nested item has no label: it always matches", "name the label")
	case m.Type != nil && *m.Type != "node" && *m.Type != "pod":
		c.add(t, nestedType, at+".type", fmt.Sprintf("type %q of a nested item is not checked and means node", *m.Type),
			"node or pod, in lower case")
	case m.Type == nil && underPod:
		c.add(t, nestedUnderPod, at, "the item has no type and is nested in one of type pod: "+
			"it looks at the labels of the node", "write type: node, or type: pod if the pod is meant")
	case isPod(m) && underPod:
		c.add(t, twoPods, at, "this item and the one around it may be met by two different pods of the node",
			"put both into one label if one pod is meant")
	}
	for _, outer := range above {
		if !isPod(m) && !isPod(outer) && m.Label != nil && equal(m.Label, outer.Label) && m.Value != nil &&
			outer.Value != nil && *m.Value != *outer.Value {
			c.add(t, neverMatches, at, fmt.Sprintf("label %s can't have the values %q and %q", *m.Label, *outer.Value, *m.Value),
				"list them beside each other")
		}
	}
}

// conf43 checks what 4.3 makes of an item.
func (c *checker) conf43(t *cr, path string, r *openshift.TunedRecommend) {
	if r.Profile == nil {
		return
	}
	conf := conf43([]Item{{Profile: *r.Profile, recommend: r}})
	once := func(rule object.Rule, what, fix string) {
		if key := t.Value.Metadata.Name + what; !c.said[key] {
			c.said[key] = true
			c.add(t, rule, path+".match", what, fix)
		}
	}
	for _, s := range conf.Sections {
		files := map[string]bool{}
		for _, l := range s.Lines {
			if l.File == "" {
				once(explicitNode, "an explicit type node makes a line without a file: "+
					"TuneD can't read recommend.conf and ignores all CRs", "leave type out")
			}
			if files[l.File] && l.File != "" {
				once(sharedKey, "two levels of one type share the key "+l.File+": TuneD up to 2.16, as in 4.3, "+
					"can't read recommend.conf and ignores all CRs; later ones take the last, and the AND is lost",
					"use one label that stands for both")
			}
			files[l.File] = true
			c.regex(&l, once)
		}
	}
}

// regex tells which other labels an expression finds.
func (c *checker) regex(l *Line, once func(object.Rule, string, string)) {
	label := l.condition.Label
	if l.condition.Type == "any" || label == "" {
		return
	}
	others := "my-" + label
	if strings.Contains(label, "/") && strings.Contains(label, ".") {
		others = "my." + label + ", and with any character for a dot"
	}
	once(wordBoundary, fmt.Sprintf("the expression %s also finds labels that end in it, such as %s", l.Regex, others),
		"choose a label that no other ends in")
}
