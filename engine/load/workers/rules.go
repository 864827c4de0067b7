package workers

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/engine/rights"
	"plimsoll.dev/loadmodel"
)

// Rule of a role.
type Rule = rights.Rule

const rbac = "rbac.authorization.k8s.io"

// Rules are the least rights in the cluster under test with which a worker creates objects of these resources,
// follows them, and says why they are not ready; of roles also that to give more than it has. Nothing is deleted,
// but with churn or where projects are replaced.
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
	add("", "namespaces", "create", "get", "list")
	add("", "serviceaccounts", "get")
	add("", "pods", "list", "watch")
	add("", "events", "list")
	for _, r := range resources {
		group := r.Group()
		add(group, r.Name, "create", "get", "list", "watch")
		if deletes {
			add(group, r.Name, "delete")
		}
		if group == rbac && (r.Name == "roles" || r.Name == "clusterroles") { // a worker does not hold what they allow
			add(group, r.Name, "escalate")
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
		out = append(out, Rule{Groups: []string{key[0]}, Resources: []string{key[1]}, Verbs: v})
	}
	slices.SortFunc(out, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(a.Groups[0], b.Groups[0]), cmp.Compare(a.Resources[0], b.Resources[0]))
	})
	return out
}

// Binds are the rights to bind the roles that the work binds, without which the server refuses that as an escalation:
// a worker does not hold what these roles allow. Source: Kubernetes, "Using RBAC Authorization", privilege escalation
// prevention.
func Binds(work *loadmodel.Work) ([]Rule, error) {
	names := map[string][]string{}
	for i := range work.Namespaces {
		for _, b := range work.Namespaces[i].Batches {
			objects, err := b.Item(0)
			if err != nil {
				return nil, err
			}
			for _, o := range objects {
				ref, _ := o.Body["roleRef"].(map[string]any)
				kind, _ := ref["kind"].(string)
				resource := strings.ToLower(kind) + "s"
				if name, _ := ref["name"].(string); name != "" && !slices.Contains(names[resource], name) {
					names[resource] = append(names[resource], name)
				}
			}
		}
	}
	var out []Rule
	for _, resource := range slices.Sorted(maps.Keys(names)) {
		slices.Sort(names[resource])
		out = append(out, Rule{Groups: []string{rbac}, Resources: []string{resource}, Verbs: []string{"bind"},
			Names: names[resource]})
	}
	return out, nil
}
