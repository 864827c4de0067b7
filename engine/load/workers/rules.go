package workers

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll.dev/engine/apiserver"
)

// Rule of a role, as rbac.authorization.k8s.io/v1 has it.
type Rule struct {
	Groups    []string `json:"apiGroups"`
	Resources []string `json:"resources"`
	Verbs     []string `json:"verbs"`
}

// body is the rule as JSON has it.
func (r Rule) body() map[string]any {
	return map[string]any{"apiGroups": r.Groups, "resources": r.Resources, "verbs": r.Verbs}
}

// Rules are the least rights in the cluster under test with which a worker creates objects of these resources,
// follows them, and says why they are not ready. Nothing is deleted, but with churn or where projects are replaced.
func Rules(resources []apiserver.Resource, deletes bool) []Rule {
	verbs := map[[2]string][]string{}
	add := func(group, resource string, more ...string) {
		key := [2]string{group, resource}
		for _, v := range more {
			if !slices.Contains(verbs[key], v) {
				verbs[key] = append(verbs[key], v)
			}
		}
	}
	add("", "namespaces", "create", "list")
	add("", "serviceaccounts", "get")
	add("", "pods", "list", "watch")
	add("", "events", "list")
	for _, r := range resources {
		group := groupOf(r.APIVersion)
		add(group, r.Name, "create", "get", "list", "watch")
		if deletes {
			add(group, r.Name, "delete")
		}
		if r.Name == "persistentvolumeclaims" { // does their class wait for a pod?
			add("storage.k8s.io", "storageclasses", "list")
		}
		if strings.HasSuffix(group, ".openshift.io") { // is it OpenShift's own kind, or a stand-in?
			add("apiextensions.k8s.io", "customresourcedefinitions", "get")
		}
	}
	if deletes {
		add("", "namespaces", "delete")
	}
	var out []Rule
	for key, v := range verbs {
		slices.Sort(v)
		out = append(out, Rule{[]string{key[0]}, []string{key[1]}, v})
	}
	slices.SortFunc(out, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(a.Groups[0], b.Groups[0]), cmp.Compare(a.Resources[0], b.Resources[0]))
	})
	return out
}

func groupOf(apiVersion string) string {
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return ""
	}
	return group
}
