package infra

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/infra/placement"
	"plimsoll.dev/tune/ingresscontroller"
	"plimsoll.dev/tune/monitoring"
	"plimsoll.dev/tune/pool"
)

func split(t interface{ Fatal(...any) }, text string) []*object.Object {
	objects, problems := object.Split("f.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return objects
}

func node(name string, roles ...string) string {
	out := "---\nkind: Node\nmetadata:\n  name: " + name + "\n  labels:\n    zone: a\n"
	for _, r := range roles {
		out += "    node-role.kubernetes.io/" + r + ": ''\n"
	}
	return out
}

// S14: with the pool of the move, the relabelled node of the slides stays managed.
func TestSection8_23_relabel_with_the_pool(t *testing.T) {
	text, err := os.ReadFile("../check/testdata/documents/ztip-3-relabel.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range release.Documented() {
		if found := pool.Check(split(t, string(text)), r); len(found) != 1 {
			t.Errorf("%v: %v", r, found)
		}
		if found := pool.Check(split(t, string(text)+"---\n"+Plan(Options{Release: r.Minor()}).Files[0].YAML),
			r); len(found) > 0 {
			t.Errorf("%v: with the pool: %v", r, found)
		}
	}
}

// The pool keeps the node when the label worker goes.
func TestPool(t *testing.T) {
	for _, r := range release.Documented() {
		p := Pool(r.Minor(), Role, "10%")
		all := append(pool.Standard(r), p)
		for _, labels := range []map[string]string{{openshift.LabelInfra: ""},
			{openshift.LabelInfra: "", openshift.LabelWorker: ""}} {
			if m := pool.Of(labels, all, r); m.Primary != Role {
				t.Errorf("%v: %v: %+v", r, labels, m)
			}
		}
	}
}

func move(r release.Release, change func(*Options)) Move {
	o := Options{Release: r, Nodes: []string{"a", "b", "c"},
		Taints: []v1alpha1.Taint{{Key: openshift.LabelInfra, Value: "reserved", Effect: placement.NoSchedule}}}
	if change != nil {
		change(&o)
	}
	return Plan(o)
}

func found(m Move, r object.Rule) bool {
	return slices.ContainsFunc(m.Findings, func(f v1alpha1.Finding) bool { return f.ID == r.ID })
}

func TestPlan(t *testing.T) {
	m := move(4, nil)
	var files []string
	for _, f := range m.Files {
		files = append(files, f.Name)
	}
	if d := cmp.Diff([]string{poolFile, monitoringFile, routerFile}, files); d != "" {
		t.Error(d)
	}
	script := m.Answer().Parts[1].Texts[0].Body
	order := []string{"apply -f " + poolFile, "label node a b c node-role.kubernetes.io/infra=", "wait machineconfigpool",
		"apply -f " + monitoringFile, "apply -f " + routerFile,
		"adm taint nodes a b c node-role.kubernetes.io/infra=reserved:NoSchedule",
		"label node a b c node-role.kubernetes.io/worker-", "imageregistry"}
	at := 0
	for _, word := range order {
		i := strings.Index(script[at:], word)
		if i < 0 {
			t.Fatalf("%s does not come in its turn:\n%s", word, script)
		}
		at += i
	}
	if !strings.Contains(script, `"tolerations":[{"effect":"NoSchedule","key":"node-role.kubernetes.io/infra",`+
		`"operator":"Equal","value":"reserved"}]`) {
		t.Error(script)
	}
}

func TestPlanFindings(t *testing.T) {
	for _, c := range []struct {
		release release.Release
		change  func(*Options)
		rule    object.Rule
		want    bool
	}{
		{4, nil, profile, true}, {4, nil, reboot, true}, {release.Newest, nil, reboot, false}, {4, nil, behind, true},
		{5, nil, behind, false},
		{4, nil, fewNodes, false}, {4, func(o *Options) { o.Nodes = o.Nodes[:2] }, fewNodes, true},
		{4, func(o *Options) { o.Nodes = nil }, fewNodes, false},
		{4, nil, fewRouters, false}, {4, func(o *Options) { o.Router.Replicas = 4 }, fewRouters, true},
		{4, func(o *Options) { o.Nodes = o.Nodes[:1] }, fewRouters, true},
		{4, nil, evicts, false}, {4, func(o *Options) { o.Taints[0].Effect = placement.NoExecute }, evicts, true},
	} {
		if got := found(move(c.release, c.change), c.rule); got != c.want {
			t.Errorf("%s in %v: %v", c.rule.ID, c.release, got)
		}
	}
	m := move(4, nil)
	if f := m.Findings[0].Message; !strings.Contains(f,
		"net.ipv4.tcp_fastopen=3, fs.inotify.max_user_watches=65536, fs.inotify.max_user_instances=8192") {
		t.Error(f)
	}
	if a := move(4, func(o *Options) { o.Router.Replicas = 9 }).Answer(); a.Verdict.OK || a.Verdict.Problem == "" {
		t.Error(a.Verdict)
	}
}

func TestKeepWorker(t *testing.T) {
	script := move(4, func(o *Options) { o.KeepWorker, o.Nodes, o.Taints = true, nil, nil }).
		Answer().Parts[1].Texts[0].Body
	if strings.Contains(script, "worker-") || strings.Contains(script, "taint") ||
		!strings.Contains(script, "label node <NODE> ") {
		t.Error(script)
	}
}

func TestBehaviours(t *testing.T) {
	if rows := Behaviours(); len(rows) != 1 || rows[0].Values() != "until 4.5–4.18" {
		t.Error(rows)
	}
}

// Nobody who does what is written is found fault with, in any release.
func TestPlannedIsGood(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(release.Documented()).Draw(t, "release")
		o := Options{Release: r.Minor(), KeepWorker: rapid.Bool().Draw(t, "keep"), Nodes: []string{"a", "b", "c"},
			MaxUnavailable: rapid.SampledFrom([]any{nil, int64(2), "10%"}).Draw(t, "most"),
			Monitoring:     monitoring.Options{Users: rapid.Bool().Draw(t, "users")},
			Router:         ingresscontroller.Options{Replicas: rapid.Int64Range(0, 3).Draw(t, "replicas")},
			Taints: rapid.SampledFrom([][]v1alpha1.Taint{nil, {{Key: openshift.LabelInfra, Effect: placement.NoSchedule}},
				{{Key: "k", Value: "v", Effect: placement.NoExecute}}}).Draw(t, "taints")}
		text := node("m", "master")
		for _, n := range o.Nodes {
			one := node(n, "infra")
			if o.KeepWorker {
				one = node(n, "infra", "worker")
			}
			if len(o.Taints) > 0 {
				one += fmt.Sprintf("spec: {taints: [{key: %s, value: %q, effect: %s}]}\n", o.Taints[0].Key, o.Taints[0].Value,
					o.Taints[0].Effect)
			}
			text += one
		}
		for _, f := range Plan(o).Files {
			text += "---\n" + f.YAML
		}
		objects := split(t, text)
		all := slices.Concat(pool.Check(objects, r), monitoring.Check(objects, r), ingresscontroller.Check(objects, r))
		if len(all) > 0 {
			t.Fatalf("%s\n%v", text, all)
		}
	})
}

// What no node can be called is told, and stands in no command.
func TestNodeNames(t *testing.T) {
	m := Plan(Options{Release: 18, Nodes: []string{"worker-1.example.com", "a;reboot", "$(touch x)", ""},
		Taints: []v1alpha1.Taint{{Key: "k", Effect: "NoSchedule"}}})
	bad := 0
	for _, f := range m.Findings {
		if f.ID == "infra.nodeName" {
			bad++
		}
	}
	script := m.script()
	if bad != 3 || strings.ContainsAny(script, ";$") ||
		!strings.Contains(script, "oc label node worker-1.example.com node-role") {
		t.Errorf("%d\n%s", bad, script)
	}
}
