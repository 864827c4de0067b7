// Package rights is the table of the least rights that commands need in a cluster, as rules of a role.
//
// It gives nobody any and asks no cluster: what is printed of it is applied by those who may. The rights of a load's
// workers follow from what they create, which package workers knows.
//
//	role := rights.ClusterRole("plimsoll-plan", rights.Plan())
package rights

import (
	"plimsoll.dev/source/kube"
	"plimsoll.dev/source/live"
)

// Rule of a role, as rbac.authorization.k8s.io/v1 has it.
type Rule struct {
	Groups    []string `json:"apiGroups"`
	Resources []string `json:"resources"`
	Verbs     []string `json:"verbs"`
	// Names are the only objects that the rule is of; none is all.
	Names []string `json:"resourceNames,omitempty"`
	// URLs are paths that are no objects, in place of groups and resources.
	URLs []string `json:"nonResourceURLs,omitempty"`
}

// Body is the rule as JSON has it.
func (r Rule) Body() map[string]any {
	if len(r.URLs) > 0 {
		return map[string]any{"nonResourceURLs": r.URLs, "verbs": r.Verbs}
	}
	out := map[string]any{"apiGroups": r.Groups, "resources": r.Resources, "verbs": r.Verbs}
	if len(r.Names) > 0 {
		out["resourceNames"] = r.Names
	}
	return out
}

// Plan is what reading a cluster needs, for plan, place and pack: to list, and to read how many secrets there
// are without reading any. Which kinds there are is open to every account that the server knows.
func Plan() []Rule { return reading(func(k live.Kind) bool { return !k.Audit }) }

// Audit is what an audit and a snapshot need: beside Plan the settings, and one config map by its name.
func Audit() []Rule { return reading(func(live.Kind) bool { return true }) }

// Tune is what "tune explain" needs: to list what decides on profiles, and what the operator reports of them.
func Tune() []Rule {
	return lists(func(k live.Kind) bool { return kube.Options{Profiles: true}.Reads(k.Kind) })
}

// reading is what it takes to read some kinds, and to count others.
func reading(wanted func(live.Kind) bool) []Rule {
	return append(lists(wanted), Rule{URLs: []string{"/metrics"}, Verbs: []string{"get"}})
}

// lists is what it takes to list some kinds.
func lists(wanted func(live.Kind) bool) []Rule {
	var out, named []Rule
	at := map[string]int{}
	for _, k := range live.Kinds {
		i, known := at[k.Group]
		switch {
		case !wanted(k) || k.How == live.Counted:
		case k.Name != "":
			named = append(named, Rule{Groups: []string{k.Group}, Resources: []string{k.Plural}, Verbs: []string{"get"},
				Names: []string{k.Name}})
		case known:
			out[i].Resources = append(out[i].Resources, k.Plural)
		default:
			at[k.Group] = len(out)
			out = append(out, Rule{Groups: []string{k.Group}, Resources: []string{k.Plural}, Verbs: []string{"list"}})
		}
	}
	return append(out, named...)
}

// Bench is what "bench network --between" needs; its pods have no rights.
func Bench() []Rule {
	return []Rule{
		{Groups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"create", "get", "delete"}},
		{Groups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"create", "get"}},
		{Groups: []string{""}, Resources: []string{"services"}, Verbs: []string{"create", "get"}}, // get is for --service
		{Groups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"}},
		{Groups: []string{""}, Resources: []string{"pods/log"}, Verbs: []string{"get"}},
	}
}

// ClusterRole is a role with these rules.
func ClusterRole(name string, rules []Rule) map[string]any {
	var list []any
	for _, r := range rules {
		list = append(list, r.Body())
	}
	return map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
		"metadata": map[string]any{"name": name}, "rules": list}
}

// Binding gives the role of a name to a service account.
func Binding(name, namespace, account string) map[string]any {
	return map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
		"metadata": map[string]any{"name": name},
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "namespace": namespace, "name": account}}}
}
