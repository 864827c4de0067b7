package object

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/openshift"
)

func TestLatest(t *testing.T) {
	objects, _ := Split("f", []byte(`
{kind: Tuned, metadata: {name: a, labels: {n: "1"}}}
---
{kind: Tuned, metadata: {name: a, namespace: other, labels: {n: "2"}}}
---
{kind: Tuned, metadata: {labels: {n: "3"}}}
---
{kind: Tuned, metadata: {name: b, labels: {n: "4"}}}
---
{kind: Tuned, metadata: {name: a, labels: {n: "5"}}}
---
{kind: Tuned, metadata: {labels: {n: "6"}}}
`))
	all, _ := All[openshift.Tuned](objects, "Tuned")
	got := ""
	for _, o := range Latest(all) {
		got += o.Value.Metadata.Labels["n"]
	}
	if d := cmp.Diff("23456", got); d != "" {
		t.Error(d)
	}
}
