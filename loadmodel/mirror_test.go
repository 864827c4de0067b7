package loadmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const running1 = `[
 {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}},
 {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"1","generation":3,
  "annotations":{"deployment.kubernetes.io/revision":"4","token":"a","k8s.v1.cni.cncf.io/networks":"n"}},
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
 {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"k8s.v1.cni.cncf.io/networks":"n"},"name":"web"},
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

// one is the mirror of an object, as JSON.
func one(t *testing.T, object string, opt MirrorOptions) string {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(object), &o); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(mirrorOf([]map[string]any{o}, opt).Templates["n.json"]["objects"])
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// A Job is made anew without what ties its pods to the first one, unless a person has chosen that. Its containers end;
// init containers, which would not, are left out, but for those that run beside the others.
func TestMirrorOfJob(t *testing.T) {
	const job = `{"kind":"Job","metadata":{"name":"j","namespace":"n","labels":{"controller-uid":"1","job-name":"j"}},` +
		`"spec":{%s"selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":"1"}},"template":{"metadata":{"labels":` +
		`{"a":"b","controller-uid":"1","job-name":"j","batch.kubernetes.io/controller-uid":"1",` +
		`"batch.kubernetes.io/job-name":"j"}},"spec":{"initContainers":[{"image":"x","name":"i"}%s],"containers":` +
		`[{"image":"x","imagePullPolicy":"Always","name":"c","command":["run"]}]}}}}`
	const ends = `[{"args":["-v"],"image":"registry.k8s.io/pause:3.10","name":"c"}]`
	const want = `[{"kind":"Job","metadata":{"name":"j"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":` +
		`{"containers":` + ends + `}}}}]`
	if got := one(t, fmt.Sprintf(job, "", ""), MirrorOptions{}); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	got := one(t, fmt.Sprintf(job, `"manualSelector":true,`, `,{"image":"x","name":"s","restartPolicy":"Always"}`),
		MirrorOptions{})
	for _, want := range []string{`"manualSelector":true`, `"matchLabels":{"batch.kubernetes.io/controller-uid":"1"}`,
		`"initContainers":[{"image":"registry.k8s.io/pause:3.10","name":"s","restartPolicy":"Always"}]`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	const cron = `{"kind":"CronJob","metadata":{"name":"j","namespace":"n"},"spec":{"jobTemplate":{"spec":{"template":` +
		`{"spec":{"containers":[{"image":"x","name":"c"}]}}}}}}`
	if got := one(t, cron, MirrorOptions{}); !strings.Contains(got, ends) {
		t.Error(got)
	}
}

// The token that admission has mounted is gone from the containers that run beside the others, too.
func TestMirrorOfSidecar(t *testing.T) {
	got := one(t, `{"kind":"Pod","metadata":{"name":"p","namespace":"n"},"spec":{"volumes":[`+
		`{"name":"kube-api-access-x"}],"initContainers":[{"image":"i","restartPolicy":"Always","volumeMounts":`+
		`[{"name":"kube-api-access-x"}]}]}}`,
		MirrorOptions{})
	if strings.Contains(got, "kube-api-access") || !strings.Contains(got, "initContainers") {
		t.Error(got)
	}
}

// What is secret stays, wherever it stands, also with the images kept.
func TestMirrorWithoutSecrets(t *testing.T) {
	for object, want := range map[string]string{
		`{"kind":"Route","metadata":{"name":"r","namespace":"n","annotations":{"haproxy.router.openshift.io/timeout":"5s",` +
			`"note":"secret"}},"spec":{"host":"h","tls":{"termination":"edge","key":"secret","certificate":"secret",` +
			`"caCertificate":"secret","destinationCACertificate":"secret"}}}`: `"annotations":` +
			`{"haproxy.router.openshift.io/timeout":"5s"},"name":"r"},"spec":{"host":"h","tls":{"termination":"edge"}}`,
		`{"kind":"Route","metadata":{"name":"r","namespace":"n"},"spec":{"host":"h"}}`: `"spec":{"host":"h"}`,
		`{"kind":"BuildConfig","metadata":{"name":"b","namespace":"n"},"spec":{"triggers":[{"type":"GitHub","github":` +
			`{"secret":"secret"}},{"generic":{"secretReference":{"name":"s"}}}],"strategy":{"dockerStrategy":{"buildArgs":` +
			`[{"name":"A","value":"secret"}],"env":[{"name":"B","value":"secret"}]}}}}`: `{"strategy":{"dockerStrategy":` +
			`{"buildArgs":[{"name":"A","value":"xxxxxx"}],"env":[{"name":"B","value":"xxxxxx"}]}},"triggers":[{"github":` +
			`{"secret":"xxxxxx"},"type":"GitHub"},{"generic":{"secretReference":{"name":"s"}}}]}`,
		`{"kind":"Deployment","metadata":{"name":"d","namespace":"n"},"spec":{"template":{"metadata":{"annotations":` +
			`{"a":"secret"}},"spec":{"containers":[{"name":"c","env":[{"name":"P","value":"secret"},{"name":"Q","valueFrom":` +
			`{"secretKeyRef":{"name":"s","key":"k"}}}]}]}}}}`: `{"metadata":{},"spec":{"containers":[{"env":[{"name":"P",` +
			`"value":"xxxxxx"},{"name":"Q","valueFrom":{"secretKeyRef":{"key":"k","name":"s"}}}],"name":"c"}]}}`,
		`{"kind":"Secret","metadata":{"name":"s","namespace":"n"},"data":{"k":"secret"}}`: `"data":{"k":"eHh4eHh4"}`,
		`{"kind":"BuildConfig","metadata":{"name":"b","namespace":"n"},"spec":{"source":{"git":{"uri":` +
			`"https://u:secret@git.example/r"}},"args":["-x=http://secret@proxy:3128"]}}`: `{"args":["-x=http://xxxxxx@` +
			`proxy:3128"],"source":{"git":{"uri":"https://xxxxxxxx@git.example/r"}}}`,
	} {
		if got := one(t, object, MirrorOptions{KeepImages: true}); !strings.Contains(got, want) ||
			strings.Contains(got, `:"secret"`) || strings.Contains(got, "secret@") {
			t.Errorf("%s\nwant %s", got, want)
		}
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
