package kube

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
)

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
		"a.yaml:12: volume claims: they are mounted but not in the input, so their size and their nodes are not known",
		"a.yaml:27: volume claims: no counted pod mounts them; they hold 1 GiB",
	}
	if diff := cmp.Diff(wantSkips, skips(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStorageOfDaemonSets(t *testing.T) {
	inv := manifests(t, `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: log}
spec:
  template:
    spec:
      containers: [{}]
      volumes: [{name: a, persistentVolumeClaim: {claimName: shared}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: shared}
spec: {resources: {requests: {storage: 8Gi}}}
`)
	if diff := cmp.Diff([]string{"a.yaml:2: DaemonSet log: not counted: 8 GiB that all its pods share"},
		skips(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err := ReadManifests(mapFS("a.yaml", "apiVersion: v1\nkind: PersistentVolumeClaim\n"+
		"spec: {resources: {requests: {storage: 8GB}}}\n"), []string{"a.yaml"}, Options{})
	if want := `a.yaml:3:40: storage: "8GB" is not a byte quantity (did you mean 8G or 8Gi?)`; err == nil ||
		err.Error() != want {
		t.Errorf("%v, want %s", err, want)
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
	add(1, "{apiVersion: route.openshift.io/v1, kind: Route, metadata: {name: of, ownerReferences: [{kind: "+
		"Ingress, name: i-a, controller: true}]}}")
	add(1, "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i-#}}")
	add(2, "{apiVersion: build.openshift.io/v1, kind: Build, metadata: {name: b-#}}")
	add(1, "{apiVersion: v1, kind: BuildConfig, metadata: {name: b-#}}")
	add(6, "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: x-#}}")
	add(3, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d-#, namespace: ns-a}, spec: {replicas: "+
		"4, template: {metadata: {labels: {app: web, part: #}}, spec: {containers: [{}]}}}}")
	add(1, "{apiVersion: v1, kind: Service, metadata: {name: all, namespace: ns-a}, spec: {selector: {app: web}}}")
	add(1, "{apiVersion: v1, kind: Service, metadata: {name: one, namespace: ns-a}, spec: "+
		"{selector: {app: web, part: b}}}")
	add(1, "{apiVersion: v1, kind: Service, metadata: {name: else, namespace: ns-b}, spec: {selector: {app: web}}}")
	want := v1alpha1.Objects{
		Namespaces: 4, Services: 3, Deployments: 3, Routes: 3, Secrets: 4, ConfigMaps: 5, Builds: 2, BuildConfigs: 1,
		CustomResourceDefinitions: 6, PodsPerNamespace: 12, ServicesPerNamespace: 2, DeploymentsPerNamespace: 3,
		BackendsPerService: 12,
	}
	if diff := cmp.Diff(want, manifests(t, text).Objects); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUncounted: an object of an unknown kind with a template of pods somewhere inside opens
// the verdict, unless the pods themselves are in the input; other unknown kinds don't.
func TestUncounted(t *testing.T) {
	const containers = `{"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]}}`
	object := func(kind, spec string) string {
		return `{"apiVersion": "example.com/v1", "kind": "` + kind + `", "metadata": {"name": "x"}, "spec": ` + spec + `}`
	}
	const pod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": ` +
		`"c"}]}, ` +
		`"status": {"phase": "Running"}}`
	for spec, want := range map[string]int{
		`{"replicas": 50, "template": ` + containers + `}`:                                    1, // an Argo Rollout
		`{"replicaSpecs": {"Worker": {"replicas": 4, "template": ` + containers + `}}}`:       1, // a Kubeflow job
		`{"jobs": [{"replicas": 4, "template": {"spec": {"template": ` + containers + `}}}]}`: 1, // a JobSet
		`{"replicas": 50}`: 0,
	} {
		text := object("Thing", spec)
		for _, inv := range []*v1alpha1.Inventory{manifests(t, text), snapshot(t, asList(text))} {
			if open := v1alpha1.Undecided(inv.Skipped); len(open) != want {
				t.Errorf("%s: open is %q", spec, open)
			}
		}
		if open := v1alpha1.Undecided(snapshot(t, asList(text, pod)).Skipped); len(open) != 0 {
			t.Errorf("%s beside the pods: open is %q", spec, open)
		}
	}
}
