package alias

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestObjects: a name is the same pseudonym wherever it stands, whoever names whom by it; what the platform has named
// stays. In want, <name> is the pseudonym of name.
func TestObjects(t *testing.T) {
	n := New([]byte("key"))
	for name, c := range map[string]struct{ object, want string }{
		"pod of a deployment": {
			`{"kind": "Pod", "metadata": {"name": "web-5f9c-x2x", "generateName": "web-5f9c-", "namespace": "shop",
"labels": {"app": "web", "pod-template-hash": "5f9c", "tier": "true"},
"ownerReferences": [{"kind": "ReplicaSet", "name": "web-5f9c"}]},
"spec": {"nodeName": "worker-3", "nodeSelector": {"disk": "fast", "kubernetes.io/os": "linux"},
"tolerations": [{"key": "only", "operator": "Equal", "value": "web"}],
"containers": [{"name": "c", "image": "registry.example/web:1", "resources": {"requests": {"cpu": "1"}}}],
"affinity": {"podAntiAffinity": {"required": [{"namespaces": ["shop", "openshift-dns"], "topologyKey":
  "kubernetes.io/hostname", "labelSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}}]},
  "nodeAffinity": {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["worker-3"]}]}},
"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data-web-0"}}]}}`,
			`{"kind":"Pod","metadata":{"generateName":"<web>-5f9c-","labels":{"app":"<web>","pod-template-hash":"5f9c",` +
				`"tier":"true"},"name":"<web-5f9c-x2x>","namespace":"<shop>","ownerReferences":[{"kind":"ReplicaSet",` +
				`"name":"<web>-5f9c"}]},"spec":{"affinity":{"nodeAffinity":{"matchFields":[{"key":"metadata.name",` +
				`"operator":"In","values":["<worker>-3"]}]},"podAntiAffinity":{"required":[{"labelSelector":` +
				`{"matchExpressions":[{"key":"app","operator":"In","values":["<web>"]}]},"namespaces":["<shop>",` +
				`"openshift-dns"],"topologyKey":"kubernetes.io/hostname"}]}},"containers":[{"image":` +
				`"image.example/<registry.example/web:1>:1","name":"<c>","resources":{"requests":{"cpu":"1"}}}],` +
				`"nodeName":"<worker>-3","nodeSelector":{"disk":"<fast>","kubernetes.io/os":"linux"},"tolerations":` +
				`[{"key":"only","operator":"Equal","value":"<web>"}],"volumes":[{"name":"<v>","persistentVolumeClaim":` +
				`{"claimName":"<data-web>-0"}}]}}`},
		"its replica set": {
			`{"kind": "ReplicaSet", "metadata": {"name": "web-5f9c", "namespace": "shop", "labels": {"pod-template-hash":
"5f9c"}, "ownerReferences": [{"kind": "Deployment", "name": "web"}]}, "spec": {"selector": {"matchLabels": {"app": "web"}}}}`,
			`{"kind":"ReplicaSet","metadata":{"labels":{"pod-template-hash":"5f9c"},"name":"<web>-5f9c","namespace":` +
				`"<shop>","ownerReferences":[{"kind":"Deployment","name":"<web>"}]},"spec":{"selector":{"matchLabels":` +
				`{"app":"<web>"}}}}`},
		"service": {`{"kind": "Service", "spec": {"selector": {"app": "web"}}}`,
			`{"kind":"Service","spec":{"selector":{"app":"<web>"}}}`},
		"namespace": {`{"kind": "Namespace",
"metadata": {"name": "shop", "labels": {"kubernetes.io/metadata.name": "shop"}}}`,
			`{"kind":"Namespace","metadata":{"labels":{"kubernetes.io/metadata.name":"<shop>"},"name":"<shop>"}}`},
		"node": {`{"kind": "Node", "metadata": {"name": "worker-3", "labels": {"kubernetes.io/hostname": "worker-3",
"topology.kubernetes.io/zone": "eu-1a"}}, "spec": {"providerID": "aws:///i-1"},
"status": {"images": [{"names": ["registry.example/web:1"]}]}}`,
			`{"kind":"Node","metadata":{"labels":{"kubernetes.io/hostname":"<worker>-3","topology.kubernetes.io/zone":` +
				`"eu-1a"},"name":"<worker>-3"},"spec":{"providerID":"aws://<aws:///i>-1"},"status":{"images":[{"names":` +
				`["image.example/<registry.example/web:1>:1"]}]}}`},
		"static pod": {`{"kind": "Pod", "metadata": {"name": "etcd-worker-3", "namespace": "openshift-etcd"},
"spec": {"nodeName": "worker-3"}}`,
			`{"kind":"Pod","metadata":{"name":"etcd-<worker>-3","namespace":"openshift-etcd"},` +
				`"spec":{"nodeName":"<worker>-3"}}`},
		"claim of a pod": {`{"kind": "PersistentVolumeClaim", "metadata": {"name": "web-0-v", "namespace": "shop",
"ownerReferences": [{"kind": "Pod", "name": "web-0"}]}}`,
			`{"kind":"PersistentVolumeClaim","metadata":{"name":"<web>-0-<v>","namespace":"<shop>","ownerReferences":` +
				`[{"kind":"Pod","name":"<web>-0"}]}}`},
	} {
		var o map[string]any
		if err := json.Unmarshal([]byte(c.object), &o); err != nil {
			t.Fatal(name, err)
		}
		n.Object(o)
		var text strings.Builder
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		if err := e.Encode(o); err != nil {
			t.Fatal(err)
		}
		want := regexp.MustCompile(`<[^>]+>`).ReplaceAllStringFunc(c.want,
			func(s string) string { return n.digest(strings.Trim(s, "<>")) })
		if diff := cmp.Diff(want, strings.TrimSpace(text.String())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestKeys: another key gives other pseudonyms, so that nobody can try names.
func TestKeys(t *testing.T) {
	if a, b := New([]byte("a")).name("shop"), New([]byte("b")).name("shop"); a == b || len(a) != 12 {
		t.Errorf("%s and %s", a, b)
	}
}
