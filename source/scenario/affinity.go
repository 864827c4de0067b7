package scenario

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
)

// placement checks what a pod says about its place, as the API server does
// (pkg/apis/core/validation of Kubernetes).
func (v *validator) placement(at string, t *v1alpha1.PodType) {
	if a := t.Affinity; a != nil {
		v.nodeAffinity(at+".affinity.nodeAffinity", a.NodeAffinity)
		v.podAffinity(at+".affinity.podAffinity", a.PodAffinity)
		v.podAffinity(at+".affinity.podAntiAffinity", a.PodAntiAffinity)
	}
	v.spread(at+".topologySpreadConstraints", t.TopologySpreadConstraints)
	v.hostPorts(at+".hostPorts", t.HostPorts)
	v.priority(at+".priority", t.Priority)
}

const (
	required  = ".requiredDuringSchedulingIgnoredDuringExecution"
	preferred = ".preferredDuringSchedulingIgnoredDuringExecution"
)

func (v *validator) nodeAffinity(at string, a *v1alpha1.NodeAffinity) {
	if a == nil {
		return
	}
	if a.Required != nil {
		for i := range a.Required.NodeSelectorTerms {
			path := fmt.Sprintf("%s%s.nodeSelectorTerms[%d]", at, required, i)
			term := &a.Required.NodeSelectorTerms[i]
			if len(term.MatchExpressions)+len(term.MatchFields) == 0 && v.good(path) {
				v.bad(path, "an empty term matches no node", "add matchExpressions, or remove it")
			}
			v.term(path, term)
		}
	}
	for i := range a.Preferred {
		v.term(fmt.Sprintf("%s%s[%d].preference", at, preferred, i), &a.Preferred[i].Preference)
	}
}

func (v *validator) term(at string, term *v1alpha1.NodeSelectorTerm) {
	for i := range term.MatchExpressions {
		v.requirement(fmt.Sprintf("%s.matchExpressions[%d]", at, i), &term.MatchExpressions[i], true)
	}
	for i := range term.MatchFields {
		v.fieldRequirement(fmt.Sprintf("%s.matchFields[%d]", at, i), &term.MatchFields[i])
	}
}

// requirement demands as many values as the operator compares with. Gt and Lt
// are for the labels of nodes.
func (v *validator) requirement(at string, r *v1alpha1.Requirement, node bool) {
	if v.good(at + ".key") {
		v.labelKey(at+".key", r.Key)
	}
	values := at + ".values"
	if !v.good(at+".operator", values) {
		return
	}
	switch r.Operator {
	case "In", "NotIn":
		if len(r.Values) == 0 {
			v.bad(values, r.Operator+" compares with nothing", "add values, or write Exists or DoesNotExist")
		}
	case "Exists", "DoesNotExist":
		if len(r.Values) > 0 {
			v.bad(values, r.Operator+" takes no values", "remove them, or write In or NotIn")
		}
	case "Gt", "Lt":
		v.comparison(at, r, node)
	}
}

// comparison of a number. The scheduler takes a value that is no integer for one
// that never matches; no one means that.
func (v *validator) comparison(at string, r *v1alpha1.Requirement, node bool) {
	switch {
	case !node:
		v.bad(at+".operator", r.Operator+" compares labels of nodes only, these are of pods or namespaces",
			"write In, NotIn, Exists or DoesNotExist")
		return
	case len(r.Values) != 1:
		v.bad(at+".values", fmt.Sprintf("%s compares with one number, here are %d values", r.Operator, len(r.Values)),
			`write one, such as ["8"]`)
		return
	}
	if _, err := strconv.ParseInt(r.Values[0], 10, 64); err != nil {
		v.bad(at+".values[0]", yamlpos.Quote(r.Values[0])+" is not a whole number, with which "+r.Operator+" compares",
			`write one, such as "8"`)
	}
}

// fieldRequirement follows ValidateNodeFieldSelectorRequirement.
func (v *validator) fieldRequirement(at string, r *v1alpha1.Requirement) {
	if v.good(at+".key") && r.Key != "metadata.name" {
		v.bad(at+".key", yamlpos.Quote(r.Key)+" is not a field of nodes that can be selected by",
			"write metadata.name, or matchExpressions for labels")
	}
	if !v.good(at+".operator", at+".values") {
		return
	}
	switch {
	case r.Operator != "In" && r.Operator != "NotIn":
		v.bad(at+".operator", r.Operator+" does not compare fields", "write In or NotIn")
	case len(r.Values) != 1:
		v.bad(at+".values", fmt.Sprintf("a field is compared with one value, here are %d", len(r.Values)),
			"write one; further terms are alternatives")
	}
}

func (v *validator) podAffinity(at string, a *v1alpha1.PodAffinity) {
	if a == nil {
		return
	}
	for i := range a.Required {
		v.affinityTerm(fmt.Sprintf("%s%s[%d]", at, required, i), &a.Required[i])
	}
	for i := range a.Preferred {
		v.affinityTerm(fmt.Sprintf("%s%s[%d].podAffinityTerm", at, preferred, i), &a.Preferred[i].PodAffinityTerm)
	}
}

func (v *validator) affinityTerm(at string, term *v1alpha1.PodAffinityTerm) {
	if v.good(at + ".topologyKey") {
		v.labelKey(at+".topologyKey", term.TopologyKey)
	}
	v.selector(at+".labelSelector", term.LabelSelector)
	v.selector(at+".namespaceSelector", term.NamespaceSelector)
	v.labelKeys(at, "matchLabelKeys", term.MatchLabelKeys, term.LabelSelector)
	v.labelKeys(at, "mismatchLabelKeys", term.MismatchLabelKeys, term.LabelSelector)
	for i, key := range term.MismatchLabelKeys {
		if path := fmt.Sprintf("%s.mismatchLabelKeys[%d]", at, i); v.good(path) && slices.Contains(term.MatchLabelKeys, key) {
			v.bad(path, yamlpos.Quote(key)+" stands in matchLabelKeys, too", "remove one of them")
		}
	}
}

func (v *validator) selector(at string, s *v1alpha1.LabelSelector) {
	if s == nil {
		return
	}
	for i := range s.MatchExpressions {
		v.requirement(fmt.Sprintf("%s.matchExpressions[%d]", at, i), &s.MatchExpressions[i], false)
	}
}

// labelKeys follows ValidateMatchLabelKeysAndMismatchLabelKeys: the keys add to
// a selector that there is, and don't repeat its keys.
func (v *validator) labelKeys(at, field string, keys []string, s *v1alpha1.LabelSelector) {
	if len(keys) > 0 && s == nil && v.good(at+"."+field) {
		v.bad(at+"."+field, "there is no labelSelector to add them to", "add labelSelector")
		return
	}
	for i, key := range keys {
		path := fmt.Sprintf("%s.%s[%d]", at, field, i)
		v.labelKey(path, key)
		if v.good(path) && selects(s, key) {
			v.bad(path, yamlpos.Quote(key)+" stands in labelSelector, too", "remove one of them")
		}
	}
}

// selects says whether a selector has a requirement on a key.
func selects(s *v1alpha1.LabelSelector, key string) bool {
	_, labels := s.MatchLabels[key]
	return labels || slices.ContainsFunc(s.MatchExpressions, func(r v1alpha1.Requirement) bool { return r.Key == key })
}

// spread follows validateTopologySpreadConstraints.
func (v *validator) spread(at string, constraints []v1alpha1.TopologySpreadConstraint) {
	seen := map[[2]string]int{}
	for i := range constraints {
		c, path := &constraints[i], fmt.Sprintf("%s[%d]", at, i)
		if v.good(path + ".topologyKey") {
			v.labelKey(path+".topologyKey", c.TopologyKey)
		}
		if c.MinDomains != nil && c.WhenUnsatisfiable == "ScheduleAnyway" &&
			v.good(path+".minDomains", path+".whenUnsatisfiable") {
			v.bad(path+".minDomains", "counts with whenUnsatisfiable DoNotSchedule only", "remove it, or write DoNotSchedule")
		}
		v.selector(path+".labelSelector", c.LabelSelector)
		v.labelKeys(path, "matchLabelKeys", c.MatchLabelKeys, c.LabelSelector)
		key := [2]string{c.TopologyKey, c.WhenUnsatisfiable}
		if first, twice := seen[key]; twice && v.good(path) {
			v.bad(path, fmt.Sprintf("%s with %s stands twice", c.TopologyKey, c.WhenUnsatisfiable),
				fmt.Sprintf("the first is item %d; each pair may be used once", first))
		} else if !twice {
			seen[key] = i
		}
	}
}

// hostPorts demands that the pod does not take a port twice, and that addresses
// are ones.
func (v *validator) hostPorts(at string, ports []v1alpha1.HostPort) {
	for i, p := range ports {
		path := fmt.Sprintf("%s[%d]", at, i)
		if _, err := netip.ParseAddr(p.HostIP); err != nil && p.HostIP != "" && v.good(path+".hostIP") {
			v.bad(path+".hostIP", yamlpos.Quote(p.HostIP)+" is not an address",
				"write one such as 10.0.0.1, or remove it for all addresses")
		}
		for j, q := range ports[:i] {
			if p.Port == q.Port && p.Protocol == q.Protocol && overlap(p.HostIP, q.HostIP) &&
				v.good(path, fmt.Sprintf("%s[%d]", at, j)) {
				v.bad(path, fmt.Sprintf("port %d/%s stands twice in this pod", p.Port, p.Protocol),
					fmt.Sprintf("the first is item %d; a node has each port once", j))
				break
			}
		}
	}
}

// overlap says whether two addresses of a node can be the same one.
func overlap(a, b string) bool {
	all := func(ip string) bool { return ip == "" || ip == "0.0.0.0" }
	return a == b || all(a) || all(b)
}

// priority above a billion is the system's (pkg/apis/scheduling/types.go).
func (v *validator) priority(path string, p int32) {
	const (
		highest      = 1_000_000_000
		systemNode   = 2*highest + 1000
		systemMaster = 2 * highest
	)
	if p > highest && p != systemNode && p != systemMaster && v.good(path) {
		v.bad(path, fmt.Sprintf("%d is reserved for the system", p),
			fmt.Sprintf("at most %d; system-node-critical is %d, system-cluster-critical %d", highest, systemNode, systemMaster))
	}
}

// labelForm is the name of a label, behind the domain and a slash if it has one.
var (
	labelForm  = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	prefixForm = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// labelKey demands the key of a label, such as topology.kubernetes.io/zone.
func (v *validator) labelKey(path, key string) {
	const longestPrefix = 253
	prefix, name, hasPrefix := strings.Cut(key, "/")
	if !hasPrefix {
		name = key
	}
	ok := labelForm.MatchString(name) && (!hasPrefix || prefixForm.MatchString(prefix) && len(prefix) <= longestPrefix)
	if !ok && key != "" && v.good(path) {
		v.bad(path, yamlpos.Quote(key)+" can't be the key of a label", "write it like rack or topology.kubernetes.io/zone")
	}
}
