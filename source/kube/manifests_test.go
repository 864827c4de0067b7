package kube

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
)

// podSpec is the shortest specification of a pod that counts.
const podText = "{spec: {containers: [{resources: {requests: {cpu: 100m}}}]}}"

func TestWorkloads(t *testing.T) {
	tests := []struct {
		name, text  string
		want, skips []string
	}{
		{"replicas", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 3, template: ` + podText + `}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: rs}
spec: {template: ` + podText + `}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: rc}
spec: {replicas: 0, template: ` + podText + `}
---
apiVersion: v1
kind: DeploymentConfig
metadata: {name: legacy}
spec: {replicas: 2, template: ` + podText + `}
---
apiVersion: apps.openshift.io/v1
kind: DeploymentConfig
metadata: {name: dc}
spec: {replicas: 4, template: ` + podText + `}
`, []string{"dc x4", "legacy x2", "rc x0", "rs x1", "shop/web x3"}, nil},
		{"jobs", `
apiVersion: batch/v1
kind: Job
metadata: {name: one}
spec: {template: ` + podText + `}
---
apiVersion: batch/v1
kind: Job
metadata: {name: wide}
spec: {parallelism: 8, completions: 5, template: ` + podText + `}
---
apiVersion: batch/v1
kind: Job
metadata: {name: long}
spec: {parallelism: 8, completions: 500, template: ` + podText + `}
---
apiVersion: batch/v1
kind: Job
metadata: {name: later}
spec: {suspend: true, template: ` + podText + `}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec: {jobTemplate: {spec: {parallelism: 2, template: ` + podText + `}}}
`, []string{"long x8", "nightly x2", "one x1", "wide x5"}, []string{"a.yaml:17: Job later: it is suspended"}},
		{"a daemon set", `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: log}
spec: {template: ` + podText + `}
`, []string{"log x1 daemonSet"}, nil},
		{"what has an owner in the input counts once", `
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: web-5d8f-x, ownerReferences: [{kind: ReplicaSet, name: web-5d8f, controller: true}]}
  spec: {containers: [{resources: {requests: {cpu: 100m}}}]}
- apiVersion: apps/v1
  kind: ReplicaSet
  metadata: {name: web-5d8f, ownerReferences: [{kind: Deployment, name: web, controller: true}]}
  spec: {replicas: 2, template: ` + podText + `}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {replicas: 2, template: ` + podText + `}
- apiVersion: v1
  kind: Pod
  metadata: {name: orphan, ownerReferences: [{kind: ReplicaSet, name: gone, controller: true}]}
  spec: {containers: [{resources: {requests: {cpu: 100m}}}]}
`, []string{"gone x1", "web x2"}, nil},
		{"the items of a list need no kind", `
apiVersion: apps/v1
kind: DeploymentList
items:
- metadata: {name: web}
  spec: {replicas: 2, template: ` + podText + `}
`, []string{"web x2"}, nil},
		{"equal bare pods are one type", `
apiVersion: v1
kind: Pod
metadata: {name: load-1}
spec: {containers: [{resources: {requests: {cpu: 100m}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: load-2}
spec: {containers: [{resources: {requests: {cpu: 100m}}}]}
---
apiVersion: v1
kind: Pod
metadata: {generateName: gen-}
spec: {containers: [{resources: {requests: {cpu: 100m}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: single-7}
spec: {containers: [{resources: {requests: {cpu: 100m}}}]}
`, []string{"gen x1", "load x2", "single-7 x1"}, nil},
		{"the peak of an autoscaler", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {replicas: 3, template: ` + podText + `}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: more}
spec: {maxReplicas: 10, scaleTargetRef: {kind: Deployment, name: web}}
---
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: less}
spec: {maxReplicas: 2, scaleTargetRef: {kind: Deployment, name: web}}
---
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: lost}
spec: {maxReplicas: 9, scaleTargetRef: {kind: Deployment, name: api}}
`, []string{"web x10"}, []string{
			"a.yaml:7: HorizontalPodAutoscaler more: Deployment web is counted with 10 pods, the most it may grow to, instead of 3",
			"a.yaml:17: HorizontalPodAutoscaler lost: what it scales, Deployment api, is not in the input"}},
		{"an object that stands twice", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 3, template: ` + podText + `}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 5, template: ` + podText + `}
`, []string{"shop/web x5"}, []string{"a.yaml:2: Deployment shop/web: it stands again in a.yaml:7, which is counted instead"}},
		{"different kinds with one name", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: ` + podText + `}
---
apiVersion: batch/v1
kind: Job
metadata: {name: web}
spec: {template: ` + podText + `}
`, []string{"web x1", "web-job x1"}, nil},
		{"kinds that are not read", `
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web}
spec: {template: ` + podText + `}
---
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: fn}
spec: {template: ` + podText + `}
---
apiVersion: example.com/v1
kind: Database
metadata: {name: a}
---
apiVersion: example.com/v1
kind: Database
metadata: {name: b}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: a}
---
replicas: 3
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: patch}
spec: {replicas: 9}
`, nil, []string{
			"a.yaml:2: Rollout: unknown kind that makes pods: they are not counted; add them to workload.podTypes",
			"a.yaml:7: Service of serving.knative.dev/v1: unknown kind that makes pods: they are not counted; add them to workload.podTypes",
			"a.yaml:12: Database: unknown kind: it is not counted, nor are pods that it may make (2)",
			"a.yaml:20: ServiceAccount: no pods come of it, and no limit counts it",
			"a.yaml:24: document of a.yaml: not a Kubernetes object: it has no kind or no apiVersion",
			"a.yaml:26: Deployment patch: it has no containers; is it a patch of another object?"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inv := manifests(t, test.text)
			got := lines(inv)
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], " Burstable cpu=100m mem=0", "")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("types (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.skips, skips(inv)); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStorage(t *testing.T) {
	inv := manifests(t, `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  template: `+podText+`
  volumeClaimTemplates:
  - spec: {resources: {requests: {storage: 10Gi}}}
  - spec: {resources: {requests: {storage: 2Gi}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  template:
    spec:
      containers: [{}]
      volumes: [{name: a, persistentVolumeClaim: {claimName: shared}}, {name: b, persistentVolumeClaim: {claimName: gone}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: shared}
spec: {resources: {requests: {storage: 8Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: unused}
spec: {resources: {requests: {storage: 1Gi}}}
`)
	want := []string{"db x3 Burstable cpu=100m mem=0 storage=12Gi", "web x4 BestEffort cpu=0 mem=0 storage=2Gi"}
	if diff := cmp.Diff(want, lines(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantSkips := []string{
		"a.yaml:12: volume claims: they are mounted but not in the input, so their size is not known",
		"a.yaml:27: volume claims: no counted pod mounts them; they hold 1 GiB",
	}
	if diff := cmp.Diff(wantSkips, skips(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestObjects(t *testing.T) {
	text := ""
	add := func(n int, format string) {
		for i := range n {
			text += strings.ReplaceAll(format, "#", string(rune('a'+i))) + "\n---\n"
		}
	}
	add(3, "{apiVersion: v1, kind: Namespace, metadata: {name: ns-#}}")
	add(2, "{apiVersion: project.openshift.io/v1, kind: Project, metadata: {name: ns-#}}")
	add(4, "{apiVersion: v1, kind: Secret, metadata: {name: s-#, namespace: ns-a}}")
	add(5, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c-#, namespace: other}}")
	add(2, "{apiVersion: v1, kind: Route, metadata: {name: r-#}}")
	add(1, "{apiVersion: route.openshift.io/v1, kind: Route, metadata: {name: of, ownerReferences: [{kind: Ingress, name: i-a, controller: true}]}}")
	add(1, "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i-#}}")
	add(2, "{apiVersion: build.openshift.io/v1, kind: Build, metadata: {name: b-#}}")
	add(1, "{apiVersion: v1, kind: BuildConfig, metadata: {name: b-#}}")
	add(6, "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: x-#}}")
	add(3, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d-#, namespace: ns-a}, spec: {replicas: 4, template: {metadata: {labels: {app: web, part: #}}, spec: {containers: [{}]}}}}")
	add(1, "{apiVersion: v1, kind: Service, metadata: {name: all, namespace: ns-a}, spec: {selector: {app: web}}}")
	add(1, "{apiVersion: v1, kind: Service, metadata: {name: one, namespace: ns-a}, spec: {selector: {app: web, part: b}}}")
	add(1, "{apiVersion: v1, kind: Service, metadata: {name: else, namespace: ns-b}, spec: {selector: {app: web}}}")
	want := v1alpha1.Objects{
		Namespaces: 4, Services: 3, Deployments: 3, Routes: 3, Secrets: 4, ConfigMaps: 5, Builds: 2, BuildConfigs: 1,
		CustomResourceDefinitions: 6, PodsPerNamespace: 12, ServicesPerNamespace: 2, DeploymentsPerNamespace: 3, BackendsPerService: 12,
	}
	if diff := cmp.Diff(want, manifests(t, text).Objects); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestYAMLForms(t *testing.T) {
	inv := manifests(t, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      initContainers:
      - resources: &small {requests: &r {cpu: 1, memory: 16}}
      containers:
      - resources: *small
      - resources: {requests: {<<: *r, memory: 1e3}}
      - {resources: null, ports: ~}
`)
	if diff := cmp.Diff([]string{"web x1 Burstable cpu=2 mem=1016 containers=3"}, lines(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFiles(t *testing.T) {
	pod := func(name string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {containers: [{}]}\n"
	}
	fsys := files("a/b/one.yaml", pod("one"), "a/two.yml", pod("two"), "a/three.JSON", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "three"}, "spec": {"containers": [{}]}}`,
		"a/.git/no.yaml", pod("no"), "a/readme.md", "# no", "b.txt", pod("named"), "bom.yaml", "\ufeff"+pod("bom"))
	fsys["a/link.yaml"] = &fstest.MapFile{Data: []byte("two.yml"), Mode: 0o777 | 1<<27}
	inv, err := ReadManifests(fsys, []string{"./a/", "b.txt", "a/two.yml", "bom.yaml"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range inv.PodTypes {
		got = append(got, p.Name+" "+p.Origin)
	}
	want := []string{"bom bom.yaml:1", "named b.txt:1", "one a/b/one.yaml:1", "three a/three.JSON:1", "two a/two.yml:1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantSkips := []string{"a/link.yaml: a symbolic link: links are not followed; name what it leads to"}
	if diff := cmp.Diff(wantSkips, skips(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestProblems are all problems of all files at once, each with its place.
func TestProblems(t *testing.T) {
	fsys := files("bad.yaml", `apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - resources:
      requests:
        memory: 4GB
        cpu: two
      limits: {cpu: -1}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: w}
spec: {replicas: many, template: `+podText+`}
`, "cut.json", "{\n  \"kind\": \"List\",\n  \"items\": [", "twice.json", "{\n\"kind\": 1,\n  \"kind\": 2}", "odd.json", "{\n  \"a\": tru }",
		"twice.yaml", "a: 1\nb:\n  c: 1\n  c: 2\n", "syntax.yaml", "kind: Pod\nmetadata:\n  name: p\n spec: 1\n", "key.yaml", "? {a: 1}\n: 2\n",
		"deep.yaml", strings.Repeat("[", 300)+strings.Repeat("]", 300),
		"bomb.yaml", bomb(), "long.yaml", "# "+strings.Repeat("x", 3000))
	roots := []string{"bad.yaml", "../out.yaml", "/etc/passwd", "none.yaml", "cut.json", "twice.json", "odd.json", "twice.yaml", "syntax.yaml", "key.yaml", "deep.yaml", "bomb.yaml", "long.yaml"}
	_, err := ReadManifests(fsys, roots, Options{MaxFile: 2048})
	var found yamlpos.Problems
	if !errors.As(err, &found) {
		t.Fatalf("%T is no list of problems", err)
	}
	want := `../out.yaml:1:1: the path leads out of the directory (give a path below it, without a leading / and without ..)
/etc/passwd:1:1: the path leads out of the directory (give a path below it, without a leading / and without ..)
bad.yaml:8:17: memory: "4GB" is not a byte quantity (did you mean 4G or 4Gi?)
bad.yaml:9:14: cpu: "two" is not a CPU quantity (write it like 500m, 2 or 0.5)
bad.yaml:10:21: cpu: "-1" is negative (a CPU quantity is 0 or more)
bad.yaml:15:18: "many" is not a number of pods (write a whole number from 0 to 10000000)
bomb.yaml:1:20: the aliases stand for too many values (at most 200000 are read)
cut.json:3:13: the JSON ends in the middle (is the file complete?)
deep.yaml:1:202: the nesting is too deep (at most 200 levels are read)
key.yaml:1:3: a key is not text (write key: value)
long.yaml:1:1: it is longer than 2 KiB (give a large dump of a cluster as workload.snapshot)
none.yaml:1:1: it can't be read: there is no such file (check the path; it is relative to the scenario's directory)
odd.json:2:11: the JSON can't be read: invalid character ' ' in literal true (expecting 'e')
syntax.yaml:4:2: this does not fit the lines above (indent keys of one mapping equally)
twice.json:3:3: the key kind stands twice (remove one)
twice.yaml:4:3: the key "c" stands twice (the first is in line 3; remove one)`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// bomb is a small text that stands for billions of values.
func bomb() string {
	s := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := '1'; i <= '9'; i++ {
		s += "a" + string(i) + ": &a" + string(i) + " [" + strings.TrimSuffix(strings.Repeat("*a"+string(i-1)+",", 9), ",") + "]\n"
	}
	return s
}

func TestLimits(t *testing.T) {
	fsys := files("d/a.yaml", "kind: A", "d/b.yaml", "kind: B", "d/c.yaml", "kind: C")
	for _, test := range []struct {
		opt  Options
		want string
	}{
		{Options{MaxFiles: 2}, "d/c.yaml:1:1: there are more than 2 files (name fewer directories)"},
		{Options{MaxTotal: 10}, "d/b.yaml:1:1: the manifests together are longer than 10 B (name fewer files)"},
	} {
		_, err := ReadManifests(fsys, []string{"d"}, test.opt)
		if err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}
