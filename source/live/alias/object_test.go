package alias

import (
	"encoding/json"
	"fmt"
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

// TestLeaks: what people have named does not pass, wherever it stands.
func TestLeaks(t *testing.T) {
	n := New([]byte("key"))
	n.Object(map[string]any{"kind": "Node", "metadata": map[string]any{"name": "acme-3.example"}})
	for name, text := range map[string]string{
		"one for a node of the platform": `{"kind": "Deployment", "metadata": {"name": "rook-crash-acme-3.example-x",
"namespace": "openshift-storage"}}`,
		"namespace default": `{"kind": "Pod", "metadata": {"name": "acme-1", "namespace": "default"},
"spec": {"nodeName": "n", "containers": [{"name": "acme"}]}}`,
		"revision of a stateful set": `{"kind": "Pod", "metadata": {"name": "p", "namespace": "shop",
"labels": {"controller-revision-hash": "acme-7d9f8c6b5"}}}`,
		"UIDs": `{"kind": "Pod", "metadata": {"name": "p", "namespace": "shop", "uid": "acme-5f", "labels":
{"batch.kubernetes.io/controller-uid": "acme-7a"}, "ownerReferences": [{"kind": "Job", "name": "j", "uid": "acme-7a"}]}}`,
		"template of a claim": `{"kind": "StatefulSet", "metadata": {"name": "s", "namespace": "shop"},
"spec": {"volumeClaimTemplates": [{"metadata": {"name": "acme-data"}}]}}`,
		"claim of a device": `{"kind": "Pod", "metadata": {"name": "p", "namespace": "shop"}, "spec": {"resourceClaims":
[{"name": "acme"}], "containers": [{"name": "c", "resources": {"claims": [{"name": "acme"}]}}]}}`,
		"port of an address": `{"kind": "Pod", "metadata": {"name": "p", "namespace": "shop"},
"spec": {"containers": [{"name": "c", "ports": [{"hostIP": "203.0.113.7", "hostPort": 80}]}]}}`,
		"labels of the platform": `{"kind": "Pod", "metadata": {"name": "p", "namespace": "shop", "labels":
{"openshift.io/deployer-pod-for.name": "acme-1", "openshift.io/build.name": "acme-2", "hypershift.openshift.io/nodePool":
"acme", "kueue.x-k8s.io/queue": "acme", "myopenshift.io/team": "acme", "acmekubernetes.io/x": "acme"}}}`,
		"address in a name": `{"kind": "Node", "metadata": {"name": "ip-203-0-113-7"}, "status": {"addresses":
[{"type": "Hostname", "address": "ip-203-0-113-7"}, {"type": "ExternalIP", "address": "203.0.113.7"}]}}`,
	} {
		var o map[string]any
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(name, err)
		}
		n.Object(o)
		out, _ := json.Marshal(o)
		if at := regexp.MustCompile(`acme[^k]|203.0.113`).Find(out); at != nil {
			t.Errorf("%s: %s is left in %s", name, at, out)
		}
	}
}

// TestMatches: names meet after all, where a node has a name like a pod's, and a label one like a field's.
func TestMatches(t *testing.T) {
	n := New([]byte("key"))
	var pod, set, claim map[string]any
	for text, o := range map[string]*map[string]any{
		`{"kind": "Pod", "metadata": {"name": "worker-3", "namespace": "shop", "labels": {"image": "web"},
"ownerReferences": [{"kind": "StatefulSet", "name": "big-worker-3"}]}, "spec": {"nodeName": "worker-3", "volumes":
[{"name": "v", "persistentVolumeClaim": {"claimName": "data-worker-3"}}], "affinity": {"podAffinity": {"required":
[{"labelSelector": {"matchExpressions": [{"key": "image", "operator": "In", "values": ["web"]}]}}]}},
"containers": [{"name": "c", "ports": [{"hostIP": "0.0.0.0"}, {"hostIP": "127.0.0.1"}]}]}}`: &pod,
		`{"kind": "StatefulSet", "metadata": {"name": "big-worker-3", "namespace": "shop"}}`:            &set,
		`{"kind": "PersistentVolumeClaim", "metadata": {"name": "data-worker-3", "namespace": "shop"}}`: &claim,
	} {
		if err := json.Unmarshal([]byte(text), o); err != nil {
			t.Fatal(err)
		}
		n.Object(*o)
	}
	out, _ := json.Marshal(pod)
	for _, want := range []string{
		fmt.Sprintf(`"claimName":%q`, claim["metadata"].(map[string]any)["name"]),
		fmt.Sprintf(`"kind":"StatefulSet","name":%q`, set["metadata"].(map[string]any)["name"]),
		fmt.Sprintf(`"labels":{"image":%q}`, n.name("web")), fmt.Sprintf(`"values":[%q]`, n.name("web")),
		`[{"hostIP":"0.0.0.0"},{"hostIP":"127.0.0.1"}]`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is not in %s", want, out)
		}
	}
}

// TestKeys: another key gives other pseudonyms, so that nobody can try names.
func TestKeys(t *testing.T) {
	if a, b := New([]byte("a")).name("shop"), New([]byte("b")).name("shop"); a == b || len(a) != 12 {
		t.Errorf("%s and %s", a, b)
	}
}
