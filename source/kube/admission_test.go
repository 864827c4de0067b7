package kube

import (
	"strings"
	"testing"
)

// TestAdmission: what the API server would give the pods of manifests, or refuse, is in doubt: LimitRanger
// gives containers without a request its default, and a quota refuses what is beyond it.
func TestAdmission(t *testing.T) {
	deployment := func(resources string) string {
		return `
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: n}, spec: {replicas: 3, template: {spec: {
 containers: [{name: c, resources: {` + resources + `}}]}}}}`
	}
	ranged := func(item string) string {
		return `{apiVersion: v1, kind: LimitRange, metadata: {name: l, namespace: n}, spec: {limits: [{` + item + `}]}}`
	}
	quota := func(spec string) string {
		return `{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: n}, spec: {` + spec + `}}`
	}
	const given = "not counted: the requests that LimitRange l gives its containers, cpu 4 cores: they take more room"
	const refused = "not counted: that the API server refuses it: a container is beyond LimitRange l"
	for _, c := range []struct{ what, text, want string }{
		{"a default request", ranged(`type: Container, defaultRequest: {cpu: 4}`) + deployment(""), given},
		{"a default limit is the request", ranged(`type: Container, default: {cpu: 4}`) + deployment(""), given},
		{"the largest is the default", ranged(`type: Container, max: {cpu: 4}`) + deployment(""), given},
		{"the deployment has its own", ranged(`type: Container, default: {cpu: 4}`) + deployment("limits: {cpu: 1}"), ""},
		{"another namespace", strings.Replace(ranged(`type: Container, default: {cpu: 4}`), "namespace: n", "namespace: m",
			1) + deployment(""), ""},
		{"more than the largest", ranged(`type: Container, max: {cpu: 4}`) + deployment("requests: {cpu: 5}"), refused},
		{"less than the least", ranged(`type: Container, min: {cpu: 4}`) + deployment("requests: {cpu: 3}"), refused},
		{"a bare pod", ranged(`type: Container, default: {cpu: 4}`) +
			"\n---\n{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: n}, spec: {containers: [{name: c}]}}", given},
		{"fewer pods", quota(`hard: {pods: 2}`) + deployment(""),
			"it allows 2 of pods, and the pods take 3: the API server refuses the rest, which is placed here"},
		{"less CPU", quota(`hard: {requests.cpu: 2500m}`) + deployment("requests: {cpu: 1}"),
			"it allows 2.5 cores of cpu, and the pods take 3 cores: the API server refuses the rest, which is placed here"},
		{"nothing requested", quota(`hard: {memory: 1Gi}`) + deployment("requests: {cpu: 1}"),
			"the API server refuses pods that request no memory, which are placed here"},
		{"nothing requested, but given", quota(`hard: {cpu: 100}`) + "\n---\n" +
			ranged(`type: Container, default: {cpu: 4}`) + deployment(""), given},
		{"another system, selected", "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {os: {name: windows}, " +
			"nodeSelector: {kubernetes.io/os: windows}, containers: [{name: c}]}}", ""},
		{"within it", quota(`hard: {pods: 3, cpu: 3, limits.cpu: 5}`) + deployment("requests: {cpu: 1}"), ""},
	} {
		got := ""
		for _, s := range manifests(t, c.text).Skipped {
			if s.Decides {
				got += s.Why
			}
		}
		if got != c.want {
			t.Errorf("%s: in doubt is %q, want %q", c.what, got, c.want)
		}
	}
	inv := snapshot(t, asList(`{"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l", "namespace": "n"}, `+
		`"spec": {"limits": [{"type": "Container", "default": {"cpu": "4"}}]}}`, livePod("x-0", "StatefulSet", "x", "", "")))
	for _, s := range inv.Skipped {
		if s.Decides {
			t.Errorf("%+v is in doubt; the pods of a snapshot have the defaults", s)
		}
	}
}
