package kube

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// podText is the shortest specification of a pod that counts.
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
			"a.yaml:7: HorizontalPodAutoscaler more: Deployment web is counted with 10 pods, " +
				"the most it may grow to, instead of 3",
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
`, []string{"shop/web x5"},
			[]string{"a.yaml:2: Deployment shop/web: it stands again in a.yaml:7, which is counted instead"}},
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
			"a.yaml:7: Service of serving.knative.dev/v1: unknown kind that makes pods: they are not counted; " +
				"add them to workload.podTypes",
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

// TestSameNameElsewhere: without a namespace nobody knows whether two files
// mean one object, and counting too much is the safe side.
func TestSameNameElsewhere(t *testing.T) {
	text := "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{}]}\n"
	inv, err := ReadManifests(mapFS("dev.yaml", text, "prod.yaml", text), []string{"."}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"web x2 BestEffort cpu=0 mem=0"}, lines(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []string{
		"dev.yaml:1: Pod web: it stands again in prod.yaml:1; both are counted, for no namespace says that they are one",
	}
	if diff := cmp.Diff(want, skips(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
