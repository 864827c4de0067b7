package loadmodel

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const running1 = `[
 {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}},
 {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"1","generation":3,
  "annotations":{"deployment.kubernetes.io/revision":"4","team":"a"}},
  "spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},
  "template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"shop/web:3",
  "command":["run"],"readinessProbe":{"exec":{}},"resources":{"requests":{"cpu":"1"}}}]}}},"status":{"readyReplicas":2}},
 {"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1","namespace":"shop","ownerReferences":[{}]}},
 {"apiVersion":"v1","kind":"Pod","metadata":{"name":"own","namespace":"shop"},"spec":{"nodeName":"n1","volumes":
  [{"name":"kube-api-access-x"},{"name":"data","emptyDir":{}}],"containers":[{"name":"c","image":"i","volumeMounts":
  [{"name":"kube-api-access-x"},{"name":"data"}]}]}},
 {"apiVersion":"v1","kind":"Secret","metadata":{"name":"key","namespace":"shop"},"type":"kubernetes.io/tls",
  "data":{"tls.key":"c2VjcmV0"}},
 {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kube-root-ca.crt","namespace":"shop"}},
 {"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"shop"},"spec":{"clusterIP":"172.30.1.1",
  "clusterIPs":["172.30.1.1"],"ports":[{"port":80,"nodePort":30001}],"selector":{"app":"web"}}},
 {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","namespace":"openshift-etcd"}}]`

// made1 are the objects of the one template that comes of it.
const made1 = `[
 {"apiVersion":"v1","data":{"tls.key":"eHh4eHh4"},"kind":"Secret","metadata":{"name":"key"},"type":"Opaque"},
 {"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"ports":[{"port":80}],"selector":{"app":"web"}}},
 {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"team":"a"},"name":"web"},
  "spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},
  "template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[
  {"image":"registry.k8s.io/pause:3.10","name":"web","resources":{"requests":{"cpu":"1"}}}]}}}},
 {"apiVersion":"v1","kind":"Pod","metadata":{"name":"own"},"spec":{"containers":[{"image":"registry.k8s.io/pause:3.10",
  "name":"c","volumeMounts":[{"name":"data"}]}],"volumes":[{"emptyDir":{},"name":"data"}]}}]`

// What was made by hand is made anew, in an order that works, without what the server has written; what
// controllers and the platform make is left to them; no secret leaves the cluster.
func TestMirror(t *testing.T) {
	var objects []map[string]any
	if err := json.Unmarshal([]byte(running1), &objects); err != nil {
		t.Fatal(err)
	}
	m := mirrorOf(objects, MirrorOptions{})
	got, err := json.Marshal(m.Templates["shop.json"]["objects"])
	if err != nil {
		t.Fatal(err)
	}
	var want, have any
	if err := errors.Join(json.Unmarshal([]byte(made1), &want), json.Unmarshal(got, &have)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if m.Objects["Pod"] != 1 || m.Left["Pod"] != 1 || m.Left["ConfigMap"] != 2 {
		t.Errorf("%v, left %v", m.Objects, m.Left)
	}
	if kept := mirrorOf(objects, MirrorOptions{KeepImages: true, System: true}); kept.Objects["ConfigMap"] != 1 ||
		len(kept.Templates) != 2 {
		t.Errorf("%v, %d namespaces", kept.Objects, len(kept.Templates))
	}
}

func mirrorOf(objects []map[string]any, opt MirrorOptions) *Mirror {
	m := NewMirror(opt)
	for _, o := range objects {
		m.Add(o)
	}
	m.Finish()
	return m
}
