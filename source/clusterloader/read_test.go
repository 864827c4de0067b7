package clusterloader

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/loadmodel"
)

const real = "../../examples/cluster-loader/"

func openRoot(root, name string) ([]byte, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadFile(name)
}

// made says what a configuration creates: namespaces, then for each entry of the first of them the
// number of items and the objects of the last one.
func made(t *testing.T, name string) (*loadmodel.Work, []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	w, problems := Expand(name, text, openRoot, loadmodel.Options{Seed: 1})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	out := []string{fmt.Sprintf("%s: %d namespaces, %s to %s", w.Dialect, len(w.Namespaces), w.Namespaces[0].Name,
		w.Namespaces[len(w.Namespaces)-1].Name)}
	for _, b := range w.Namespaces[0].Batches {
		objects, err := b.Item(b.Count - 1)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, o := range objects {
			kinds = append(kinds, o.Kind+" "+o.Name)
		}
		out = append(out, fmt.Sprintf("%d of %s: %s", b.Count, b.Title, strings.Join(kinds, ", ")))
	}
	return w, out
}

// What the real configurations of both programs make, counted by hand.
func TestRealFiles(t *testing.T) {
	for name, want := range map[string][]string{
		"openshift-tests/master-vert.yaml": {
			"Go: 5 namespaces, clusterloader-cakephp-mysql0 to clusterloader-rails-postgresql0",
			"1 of template cakephp-mysql.json: Secret cakephp-mysql-example, Service cakephp-mysql-example, " +
				"Route cakephp-mysql-example, ImageStream cakephp-mysql-example, BuildConfig cakephp-mysql-example, " +
				"DeploymentConfig cakephp-mysql-example, Service mysql, DeploymentConfig mysql"},
		"svt/pyconfig.yaml": {"Python: 1 namespaces, clusterproject0 to clusterproject0",
			"1 of quota default: ResourceQuota quota", "3 of services testservice: Service testservice2",
			"2 of users demo: RoleBinding admin-demo1", "4 of pods hellopods: Pod hellopods3",
			"6 of pods pyrhelpods: Pod pyrhelpods5", "2 of replication controllers testrc: ReplicationController testrc1"},
		"svt/kubectlTest.yaml": {"Python: 1 namespaces, kube0 to kube0", "3 of services testservice: Service testservice2",
			"10 of pods hellopods: Pod hellopods9", "2 of replication controllers testrc: ReplicationController testrc1"},
		"svt/config/router-arp_stress.yaml": {"Python: 11 namespaces, arp0 to arp10",
			"100 of template router-arp_stress.json: Service hello-service-99, Route hello-route-99, Pod "},
		"svt/config/golang/nodeVertical.yaml": {"Go: 1 namespaces, clusterproject0 to clusterproject0",
			"1000 of pods pausepods: Pod pausepods-pod-999"},
		"svt/config/golang/cluster-limits-pods-per-namespace.yaml": {"Go: 1 namespaces, clusterproject0 to clusterproject0",
			"15000 of pods pausepods: Pod pausepods-pod-14999"},
		"svt/config/golang/cluster-limits-deployments-per-namespace.yaml": {
			"Go: 1 namespaces, clusterproject0 to clusterproject0",
			"2000 of template deployment-cluster-limits-deployments.json: Deployment deployment1999"},
		"svt/config/golang/logtest.yaml": {"Go: 100 namespaces, logtest0 to logtest99",
			"1 of template logtest-rc.json: ConfigMap logtest-config, ReplicationController centos-logtest"},
		"svt/config/golang/pod-affinity.yaml": {"Go: 2 namespaces, pod-affinity-s1-0 to pod-anti-affinity-s1-0",
			"130 of pods pod-affinity-security-in-s1: Pod pod-affinity-security-in-s1-pod-129"},
		"svt/config/golang/statefulset.yaml": {"Go: 1 namespaces, clusterproject0 to clusterproject0",
			"10 of template statefulset-pv-template.json: Service server9, StatefulSet web9"},
		"svt/config/golang/stress-simple.yaml": {"Go: 3 namespaces, clusterloader00 to clusterloader02",
			"3000 of pods stress-test: Pod stress-test-pod-2999"},
	} {
		if _, got := made(t, real+name); !slices.Equal(got, want) {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want, got))
		}
	}
}

// Units: a bare number of pauses is seconds, of delays milliseconds; ratelimit is rate_limit.
func TestPace(t *testing.T) {
	for name, want := range map[string]string{
		"svt/config/golang/stress-simple.yaml": "{100 5s 0s 1ms}",
		"svt/config/golang/nodeVertical.yaml":  "{50 1m0s 0s 0s}",
		"svt/config/router-arp_stress.yaml":    "{5 10s 0s 3s}",
		"svt/kubectlTest.yaml":                 "{40 3m0s 0s 0s}",
	} {
		w, _ := made(t, real+name)
		var got string
		for _, b := range w.Namespaces[0].Batches {
			if b.Pods || strings.HasPrefix(b.Title, "template") {
				got = fmt.Sprint(b.Pace)
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// expand reads a configuration of the test beside a pod, a template with and one without IDENTIFIER.
func expand(text string) (*loadmodel.Work, error) {
	const kind = "kind: Template\napiVersion: v1\nmetadata: {name: t}\n"
	files := map[string]string{
		"c/pod.yaml": "kind: Pod\napiVersion: v1\nmetadata: {name: p, labels: {a: b}}\n" +
			"spec: {containers: [{name: c, image: i, env: [{name: target, value: x}]}]}\n",
		"c/id.yaml": kind + "parameters: [{name: IDENTIFIER}, {name: SIZE, value: '1'}]\n" +
			"objects: [{kind: ConfigMap, apiVersion: v1, metadata: {name: 'c${IDENTIFIER}'}, data: {size: '${SIZE}'}}]\n",
		"c/noid.yaml": kind + "objects: [{kind: ConfigMap, apiVersion: v1, metadata: {name: c}}]\n",
		"c/unused.yaml": kind + "parameters: [{name: IDENTIFIER}]\n" +
			"objects: [{kind: ConfigMap, apiVersion: v1, metadata: {name: c}}]\n",
		"c/broken.yaml": "kind: [",
		"c/empty.yaml":  kind + "objects: [{kind: ConfigMap, apiVersion: v1}]\n",
		"c/needs.yaml":  kind + "parameters: [{name: A, required: true}]\nobjects: []\n",
		"c/list.yaml": "kind: List\napiVersion: v1\nitems: [{kind: Secret, apiVersion: v1, metadata: {name: s}}, " +
			"{kind: Route, apiVersion: v1, metadata: {name: r}}]\n",
		"c/text.txt": "hello",
	}
	open := func(root, name string) ([]byte, error) {
		if text, ok := files[filepath.Join(root, name)]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}
	env := func(name string) (string, bool) { return "fromEnv", name == "SIZE" }
	if rest, one := strings.CutPrefix(text, "1: "); one { // what stands in a project
		text = "projects: [{num: 1, basename: a, " + rest + "}]"
	}
	w, problems := Expand("c/test.yaml", []byte(text), open, loadmodel.Options{Seed: 1, Env: env})
	if len(problems) > 0 {
		return nil, problems
	}
	return w, nil
}

// All that can be wrong is told before anything is created, at its place.
func TestBadConfigurations(t *testing.T) {
	long := strings.Repeat("x", 63)
	for text, want := range map[string]string{
		"a: 1": "c/test.yaml:1:1: is no configuration of Cluster Loader",
		"ClusterLoader: {projects: [{num: 1, basename: a, tunning: x}]}": "c/test.yaml:1:50: ClusterLoader.projects[0]: " +
			"unknown field \"tunning\" (did you mean tuning?)",
		"projects: [{basename: a}]": "projects[0].num: is missing",
		"1: tuning: x":              "projects[0].tuning: there is no tuning set \"x\"",
		"1: quota: x":               "projects[0].quota: there is no quota \"x\"",
		"projects: [{num: 2, basename: a, ifexists: reuse}]":         "all go into the one project a",
		"projects: [{num: 1, basename: A}]":                          "makes the name \"A0\"",
		"projects: [{num: 1, basename: " + long + "}]":               "must be no more than 63",
		"projects: [{num: 12, basename: a}, {num: 2, basename: a1}]": "makes the project a10, as projects[0] does",
		"1: ifexists: keep":                                          "is not allowed (one of reuse, delete, default)",
		"1: pods: [{num: 1, basename: p}]":                           "has neither file nor image",
		"1: pods: [{num: 1, image: i}]":                              "basename: is missing",
		"1: pods: [{num: 1, basename: p, file: x}]":                  "pods[0].file: there is no file x",
		"1: pods: [{num: 1, basename: p, file: id.yaml}]": "c/id.yaml is a Template (name a " +
			"file with a Pod)",
		"1: templates: [{num: 1, file: broken.yaml}]": "c/broken.yaml:1:7: ",
		"1: templates: [{num: 1, file: empty.yaml}]":  "c/empty.yaml:4:11: ConfigMap has no name",
		"1: templates: [{num: 1, file: needs.yaml}]":  "parameter A is required and has no value",
		"1: templates: [{num: 1, file: text.txt}]":    "c/text.txt holds no Kubernetes object",
		"1: templates: [{num: 2, file: noid.yaml}]":   "each would make the ConfigMap c",
		"1: templates: [{num: 2, file: unused.yaml}]": "each would make the ConfigMap c",
		"1: templates: [{num: 1, file: noid.yaml}, {num: 1, file: unused.yaml}]": "makes the " +
			"ConfigMap c, as projects[0].templates[0] does",
		"1: templates: [{num: 1, file: id.yaml, parameters: {SIZES: 1}}]": "the template has " +
			"no such parameter (it has IDENTIFIER, SIZE)",
		"1: templates: [{num: 1, file: list.yaml, parameters: {SIZE: 1}}]": "is no template",
		"1: templates: [{num: 1, file: id.yaml, parameters: 3}]":           "neither a mapping",
		"1: pods: [{num: 1, basename: p, file: default, storage: [{type: ebs}]}]": "volumes of " +
			"type ebs are not made",
		"1: configmaps: {x: /etc/passwd}":               "there is no file /etc/passwd in ., c",
		"1: configmaps: {x: ../../../../../etc/passwd}": "there is no file ../../../../../etc/passwd in ., c",
		"1: configmaps: {x: nowhere}":                   "there is no file nowhere",
		"projects: [{num: 1, basename: a}]\ntuningsets: [{name: a, pods: {stepping: {pause: x}}}]": "2:49: ",
		"projects: [{num: 0, basename: a}]\n" +
			"tuningsets: [{name: a, pods: {rate_limit: {}, ratelimit: {}}}]": "beside rate_limit",
		"1: pods: [{total: 9}, {num: 50, total: 3, basename: p, file: default}]": "write total alone",
	} {
		if _, err := expand(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
}

func TestGoodConfigurations(t *testing.T) {
	for text, want := range map[string]string{
		// D2: a template that does not declare IDENTIFIER works.
		"1: templates: [{num: 1, file: noid.yaml}]": "ConfigMap map[name:c] <nil>",
		"1: templates: [{num: 3, file: id.yaml}]":   "ConfigMap map[name:c2] map[size:1]",
		// Parameters as a list; their names in lower case; a value of the environment; a set IDENTIFIER.
		"1: templates: [{num: 3, file: id.yaml, parameters: [{size: 7}]}]": "ConfigMap " +
			"map[name:c2] map[size:7]",
		"1: templates: [{num: 1, file: id.yaml, parameters: {SIZE: null}}]": "ConfigMap " +
			"map[name:c0] map[size:fromEnv]",
		"1: templates: [{num: 1, file: id.yaml, parameters: {IDENTIFIER: x}}]": "ConfigMap " +
			"map[name:cx] map[size:1]",
		"1: configmaps: {x: text.txt}": "ConfigMap map[name:x] map[text.txt:hello]",
		"1: secrets: [{x: text.txt}]":  "Secret map[name:x] map[text.txt:aGVsbG8=]",
		"ClusterLoader: {projects: [{num: 1, basename: a, pods: [{num: 2, basename: p, file: pod.yaml, " +
			"parameters: {Target: y}}]}]}": "Pod map[labels:map[a:b purpose:test] name:p-pod-1] " +
			"map[containers:[map[env:[map[name:target value:y]] image:i name:c]]]",
		"ClusterLoader: {projects: [{num: 1, basename: a, pods: [{num: 1, basename: p, " +
			"image: x}]}]}": "Pod map[labels:map[purpose:test] name:p-pod-0] " +
			"map[containers:[map[image:x name:test]] restartPolicy:Never]",
	} {
		w, err := expand(text)
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		b := w.Namespaces[0].Batches[0]
		objects, err := b.Item(b.Count - 1)
		if err != nil {
			t.Fatal(err)
		}
		o := objects[len(objects)-1]
		body := o.Body["data"]
		if o.Kind == "Pod" {
			body = o.Body["spec"]
		}
		if got := fmt.Sprint(o.Kind, " ", o.Body["metadata"], " ", body); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// Whatever stands in a configuration, reading it ends, and what can be read can be made.
func FuzzConfig(f *testing.F) {
	for _, pattern := range []string{"svt/*.yaml", "svt/config/golang/*.yaml", "openshift-tests/*.yaml"} {
		names, _ := filepath.Glob(real + pattern)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	f.Add("1: templates: [{num: 3, file: id.yaml, parameters: [{size: 7}]}]")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := expand(text)
		if err != nil {
			return
		}
		for i := range min(len(w.Namespaces), 3) {
			for _, b := range w.Namespaces[i].Batches {
				if _, err := b.Item(b.Count - 1); err != nil {
					t.Fatalf("%s: %v", b.Field, err)
				}
			}
		}
	})
}
