package kube

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shop is a template as people wrote them for OpenShift 3: "Kind" in capitals,
// kinds without a group, parameters for numbers and for text.
const shop = `{
  "Kind": "Template",
  "apiVersion": "v1",
  "metadata": {"name": "shop"},
  "labels": {"template": "${NAME}-template"},
  "parameters": [
    {"name": "NAME", "value": "web", "required": true},
    {"name": "REPLICAS", "value": "2"},
    {"name": "MEMORY", "value": "128Mi"},
    {"name": "NAMESPACE"},
    {"name": "PORTS", "value": "[{\"containerPort\": 80, \"hostPort\": 80}]"},
    {"name": "SECRET", "generate": "expression", "from": "user[A-Z0-9]{4}\\d-[\\w]{3}", "required": true}
  ],
  "objects": [
    {"kind": "Service", "apiVersion": "v1", "metadata": {"name": "${NAME}", "namespace": "literal"},
     "spec": {"selector": {"template": "${NAME}-template", "user": "${SECRET}"}}},
    {
      "Kind": "DeploymentConfig", "apiVersion": "v1",
      "metadata": {"name": "${NAME}${IDENTIFIER}", "namespace": "literal"},
      "spec": {
        "replicas": "${{REPLICAS}}",
        "template": {
          "metadata": {"labels": {"${NAME}": "x", "user": "${SECRET}"}},
          "spec": {"containers": [{"name": "a", "ports": "${{PORTS}}", "resources": {"requests": {"memory": "${MEMORY}"}}}]}
        }
      }
    }
  ]
}
`

func TestTemplate(t *testing.T) {
	inv, err := ReadManifests(mapFS("t.json", shop), []string{"t.json"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"web${IDENTIFIER} x2 Burstable cpu=0 mem=128Mi perNode=1"}, lines(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := inv.PodTypes[0].Origin; got != "t.json:17" {
		t.Errorf("origin %s", got)
	}
	if len(inv.Skipped) > 0 {
		t.Errorf("skipped %q", skips(inv))
	}
	// The service finds the pods by the template's label and the stand-in text.
	if inv.Objects.Services != 1 || inv.Objects.Deployments != 1 || inv.Objects.BackendsPerService != 2 {
		t.Errorf("objects %+v", inv.Objects)
	}
}

func TestTemplateParameters(t *testing.T) {
	inv, err := ReadManifests(mapFS("t.json", shop), []string{"t.json"},
		Options{Parameters: map[string]string{"REPLICAS": "7", "MEMORY": "1Gi", "IDENTIFIER": "9"}})
	if err != nil {
		t.Fatal(err)
	}
	// IDENTIFIER is not declared, so it stays.
	if diff := cmp.Diff([]string{"web${IDENTIFIER} x7 Burstable cpu=0 mem=1Gi perNode=1"}, lines(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A template that is in a cluster runs nothing by itself, and what was made of it is there.
func TestTemplateThatRuns(t *testing.T) {
	inv := snapshot(t, shop)
	want := []string{"s.json:1: Template shop: what was made of it is counted as it runs"}
	if diff := cmp.Diff(want, skips(inv)); diff != "" || len(inv.PodTypes) > 0 || inv.Skipped[0].Needed {
		t.Errorf("%d pod types (-want +got):\n%s", len(inv.PodTypes), diff)
	}
}

func TestTemplatesLeftOut(t *testing.T) {
	const object = "\n- {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{resources: {requests: " +
		"{memory: \"${MEM}\"}}}]}}\n"
	fsys := mapFS(
		"required.yaml", "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: a}\n"+
			"parameters: [{name: MEM, required: true}]\nobjects:"+object,
		"open.yaml", "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: b}\nobjects:"+object,
		"helm1.yaml", "apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: {{ .Values.replicas }}\n",
		"helm2.yaml", "apiVersion: v1\nkind: Pod\n{{- if .Values.x }}\nmetadata: {}\n{{- end }}\n",
		"helm3.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: quoted}\n"+
			"spec: {containers: [{resources: {limits: {cpu: \"{{ .Values.cpu }}\"}}}]}\n",
		"fine.yaml", "apiVersion: v1\nkind: ConfigMap\ndata:\n  alert: |\n    {{ $labels.instance }} is down\n",
		"grown.yaml", "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: c}\nparameters: "+
			"[{name: A, value: "+strings.Repeat("x", 100_000)+"}]\nobjects:\n- {a: \""+strings.Repeat("${A}", 700)+"\"}\n",
	)
	inv, err := ReadManifests(fsys, []string{"."}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"grown.yaml:1: Template c: the templates' parameters make too much text",
		"helm1.yaml:1: Helm template helm1.yaml: it is not rendered; give what 'helm template NAME CHART' prints",
		"helm2.yaml:1: Helm template helm2.yaml: it is not rendered; give what 'helm template NAME CHART' prints",
		"helm3.yaml:1: Pod quoted: a number is {{ .Values.cpu }}, which nothing fills in; render the template first",
		"open.yaml:5: Pod p: a number is ${MEM}, which nothing fills in; render the template first",
		"required.yaml:1: Template a: parameter MEM is required and has no value (--param MEM=VALUE gives it one)",
	}
	if diff := cmp.Diff(want, skips(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, s := range inv.Skipped { // W11: there may be pods in it
		if !s.Needed {
			t.Errorf("%s is not needed", s.What)
		}
	}
	if inv.Objects.ConfigMaps != 1 || len(inv.PodTypes) != 0 {
		t.Errorf("%+v", inv)
	}
}
