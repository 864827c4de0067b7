package pool

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// roles are labels of a node with these roles.
func roles(names ...string) map[string]string {
	out := map[string]string{}
	for _, n := range names {
		out["node-role.kubernetes.io/"+n] = ""
	}
	return out
}

// poolOf is a pool that selects a role by its name.
func poolOf(name string) openshift.MachineConfigPool {
	return openshift.MachineConfigPool{Metadata: openshift.ObjectMeta{Name: name},
		Spec: openshift.MachineConfigPoolSpec{NodeSelector: &openshift.LabelSelector{MatchLabels: roles(name)}}}
}

func poolsOf(names ...string) (out []openshift.MachineConfigPool) {
	for _, n := range names {
		out = append(out, poolOf(n))
	}
	return out
}

func TestOf(t *testing.T) {
	standard := poolsOf("worker", "master", "infra", "rt")
	for _, c := range []struct {
		name    string
		labels  map[string]string
		from    release.Release
		to      release.Release
		primary string
		pools   []string
		problem string
	}{
		{"worker", roles("worker"), release.V43, release.Current, "worker", []string{"worker"}, ""},
		{"custom beats worker", roles("worker", "infra"), release.V43, release.Current, "infra",
			[]string{"infra", "worker"}, ""},
		{"custom alone", roles("infra"), release.V43, release.Current, "infra", []string{"infra"}, ""},
		{"master beats worker, which then does not count", roles("worker", "master"), release.V43, release.Current, "master",
			[]string{"master"}, ""},
		{"two custom pools", roles("worker", "rt", "infra"), release.V43, release.Current, "", nil, "infra and rt"},
		{"two custom pools and master", roles("master", "rt", "infra"), release.V43, release.Current, "", nil,
			"infra and rt"},
		{"master and custom, then", roles("master", "infra"), release.V43, release.V45, "", nil, "master and infra"},
		{"master and custom, today", roles("master", "infra"), release.Current, release.Current, "master",
			[]string{"master"}, ""},
		{"all three, today", roles("master", "worker", "infra"), release.Current, release.Current, "master",
			[]string{"master", "worker"}, ""},
		{"no role", map[string]string{"zone": "a"}, release.V43, release.Current, "", nil, ""},
		{"no labels", nil, release.V43, release.Current, "", nil, ""},
	} {
		for r := c.from; r <= c.to; r++ {
			got := Of(c.labels, standard, r)
			if !strings.Contains(got.Problem, c.problem) || (got.Problem != "") != (c.problem != "") {
				t.Errorf("%s, %v: problem %q", c.name, r, got.Problem)
			}
			got.Problem = ""
			if d := cmp.Diff(Membership{Primary: c.primary, Pools: c.pools}, got); d != "" {
				t.Errorf("%s, %v: %s", c.name, r, d)
			}
		}
	}
}

func TestOfWindows(t *testing.T) {
	labels := roles("worker")
	labels["kubernetes.io/os"] = "windows"
	for _, r := range release.Documented() {
		want := "worker"
		if r == release.Current {
			want = ""
		}
		if got := Of(labels, poolsOf("worker"), r); got.Primary != want || got.Problem != "" {
			t.Errorf("%v: %+v", r, got)
		}
	}
}

// A pool that would select everything selects nothing.
func TestOfEmptySelector(t *testing.T) {
	for _, s := range []*openshift.LabelSelector{nil, {}} {
		all := poolOf("all")
		all.Spec.NodeSelector = s
		if got := Of(roles("worker"), append(poolsOf("worker"), all), release.V44); got.Primary != "worker" {
			t.Errorf("%v: %+v", s, got)
		}
	}
}

// One bad selector leaves every node without a pool, even those that it would
// never have selected.
func TestOfInvalidSelector(t *testing.T) {
	for _, r := range []v1alpha1.Requirement{{Key: "k", Operator: "Gt", Values: []string{"1"}}, {Key: "k", Operator: "In"},
		{Key: "k", Operator: "NotIn"}, {Key: "k", Operator: "Exists", Values: []string{"v"}},
		{Key: "k", Operator: "DoesNotExist", Values: []string{""}}} {
		bad := poolOf("bad")
		bad.Spec.NodeSelector = &openshift.LabelSelector{MatchExpressions: []v1alpha1.Requirement{r}}
		if got := Of(roles("worker"), append(poolsOf("worker"), bad), release.V44); got.Primary != "" ||
			!strings.Contains(got.Problem, "pool bad") {
			t.Errorf("%+v: %+v", r, got)
		}
	}
}

// Section 8, line 23: the relabelled node leaves pool worker, and without a pool
// infra it is in none.
func TestSection8_23_worker_to_infra_leaves_the_pool(t *testing.T) {
	for _, r := range release.Documented() {
		if got := Of(roles("infra"), poolsOf("worker", "master"), r); got.Primary != "" || got.Problem != "" {
			t.Errorf("%v: infra alone: %+v", r, got)
		}
		if got := Of(roles("infra", "worker"), poolsOf("worker", "master"), r); got.Primary != "worker" {
			t.Errorf("%v: infra beside worker: %+v", r, got)
		}
	}
}

// The pools that every cluster has; today they have labels with their names.
func TestStandard(t *testing.T) {
	for _, r := range release.Documented() {
		for _, p := range Standard(r) {
			name := p.Metadata.Name
			if _, ok := p.Metadata.Labels["pools.operator.machineconfiguration.openshift.io/"+
				name]; ok != (r == release.Current) {
				t.Errorf("%v: %s: %v", r, name, p.Metadata.Labels)
			}
			if Of(roles(name), Standard(r), r).Primary != name || len(Standard(r)) != 2 {
				t.Errorf("%v: %s", r, name)
			}
		}
	}
}

// A custom pool, or one of the usual ones in full, says that the pools are all there;
// a change of a usual one doesn't.
func TestListed(t *testing.T) {
	named := func(name string, s *openshift.LabelSelector) openshift.MachineConfigPool {
		return openshift.MachineConfigPool{Metadata: openshift.ObjectMeta{Name: name},
			Spec: openshift.MachineConfigPoolSpec{MachineConfigSelector: s}}
	}
	for _, c := range []struct {
		name  string
		pools []openshift.MachineConfigPool
		want  bool
	}{
		{"none", nil, false},
		{"a change", []openshift.MachineConfigPool{named("worker", nil), named("master", nil), named("arbiter", nil)}, false},
		{"in full", []openshift.MachineConfigPool{named("master", nil),
			named("worker", selecting(openshift.LabelRole, "worker"))}, true},
		{"custom", []openshift.MachineConfigPool{named("infra", nil)}, true},
	} {
		if got := Listed(c.pools); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
