package cluster

import (
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Tuning is the group of Tuned and Profile, the kinds of the Node Tuning Operator.
var Tuning = schema.GroupVersion{Group: "tuned.openshift.io", Version: "v1"}

// Object is an empty object of a kind that is read as it stands; a name may be left out.
func Object(kind schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

// List is an empty list of a kind.
func List(kind schema.GroupVersionKind) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind)
	return list
}

// Convert goes by way of JSON.
func Convert(from, to any) error {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	return err
}

// WithCondition puts a condition, which has a type and a status, into a list in the place of the one of its type. Its
// time is when its status changed.
func WithCondition(list []any, c map[string]any, now time.Time) []any {
	c["lastTransitionTime"] = now.UTC().Format(time.RFC3339)
	for i, one := range list {
		old, _ := one.(map[string]any)
		if old["type"] != c["type"] {
			continue
		}
		if old["status"] == c["status"] {
			c["lastTransitionTime"] = old["lastTransitionTime"]
		}
		list[i] = c
		return list
	}
	return append(list, c)
}

// slowest is the longest pause after passes that failed or were held.
const slowest = time.Minute

// Pause before the next pass, after so many in a row that failed or were held, from one on: a second, two, four ...
func Pause(fails int) time.Duration { return min(slowest, time.Second<<min(fails-1, 10)) }
