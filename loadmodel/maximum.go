package loadmodel

import (
	"fmt"
	"slices"
)

// Maximum is a built-in workload that stretches one of the limits of OCP 9: it adds objects of one kind
// to those that are there.
type Maximum struct {
	// Name such as "pods-per-namespace".
	Name string
	// Quantity is the limit's, below ocp.max or k8s.max in the catalogue.
	Quantity string
	// Unit of the number.
	Unit string
	// kind that is added, one to an item; each says how many of them go into one namespace, 0 all.
	kind string
	each int
}

// maximums by name. Pods are spread over namespaces where their number in one is not the subject.
var maximums = []Maximum{
	{"pods-per-namespace", "podsPerNamespace", "pods", "pod", 0},
	{"pods", "pods", "pods", "pod", 500},
	{"deployments-per-namespace", "deploymentsPerNamespace", "deployments", "deployment", 0},
	{"services-per-namespace", "servicesPerNamespace", "services", "service", 0},
	{"services", "services", "services", "service", 500},
	{"config-maps", "configMaps", "config maps", "configmap", 1000},
	{"secrets", "secrets", "secrets", "secret", 1000},
	{"namespaces", "namespaces", "namespaces", "configmap", 1},
}

// Maximums are all of them, in an order that people read.
func Maximums() []Maximum { return slices.Clone(maximums) }

// FindMaximum finds one by its name.
func FindMaximum(name string) (Maximum, bool) {
	i := slices.IndexFunc(maximums, func(m Maximum) bool { return m.Name == name })
	if i < 0 {
		return Maximum{}, false
	}
	return maximums[i], true
}

// Work adds what leads from one number to another.
func (m Maximum) Work(from, to int) *Work {
	w := &Work{Dialect: Go, Threads: 1}
	if m.each == 1 {
		w.Threads = 8 // a namespace holds one item, which would be made one after the other
	}
	each := m.each
	if each == 0 {
		each = to + 1
	}
	for first := from; first < to; {
		space := first / each
		end := min(to, (space+1)*each)
		w.Namespaces = append(w.Namespaces, Namespace{Name: fmt.Sprintf("plimsoll-%s-%d", m.Name, space), Field: m.Name,
			IfExists: "reuse", Batches: []Batch{m.batch(first, end-first)}})
		first = end
	}
	return w
}

func (m Maximum) batch(first, count int) Batch {
	return Batch{Title: m.Unit, Field: m.Name, Count: count, Pods: m.kind == "pod", items: func(i int) ([]Object, error) {
		name := fmt.Sprintf("%s-%d", m.kind, first+i)
		return []Object{named(small[m.kind](name), name, "")}, nil
	}}
}

// small are the objects that are added, as small as they can be.
var small = map[string]func(name string) map[string]any{
	"pod": func(string) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": pausing()}
	},
	"deployment": func(name string) map[string]any {
		labels := map[string]any{"app": name}
		return map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "spec": map[string]any{"replicas": int64(1),
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": pausing()}}}
	},
	"service": func(name string) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "Service", "spec": map[string]any{
			"selector": map[string]any{"app": name}, "ports": []any{map[string]any{"port": int64(80)}}}}
	},
	"configmap": func(string) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"key": "value"}}
	},
	"secret": func(string) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": map[string]any{"key": "value"}}
	},
}

func pausing() map[string]any {
	return map[string]any{"containers": []any{map[string]any{"name": "pause", "image": "registry.k8s.io/pause:3.10"}}}
}

// Climb are the levels up to a goal: doubling from start, or with a step above 0 that much more each time.
func Climb(start, step, goal int) []int {
	var out []int
	for at := min(start, goal); at < goal; {
		out = append(out, at)
		if step > 0 {
			at += step
		} else {
			at *= 2
		}
	}
	return append(out, goal)
}
