package load

import (
	"sync"

	"plimsoll.dev/loadmodel"
)

// planned are the pods that controllers are to make of what was created.
type planned struct {
	mu   sync.Mutex
	all  int
	pods map[string]int // by namespace
}

func (p *planned) add(namespace string, o loadmodel.Object) { p.change(namespace, controlled(o)) }

// drop what the run is about to delete.
func (p *planned) drop(namespace string, o loadmodel.Object) { p.change(namespace, -controlled(o)) }

func (p *planned) change(namespace string, by int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pods == nil {
		p.pods = map[string]int{}
	}
	p.pods[namespace] += by
	p.all += by
}

// leave a namespace that the run is about to delete.
func (p *planned) leave(namespace string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all -= p.pods[namespace]
	delete(p.pods, namespace)
}

func (p *planned) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}

// controlled is the number of pods that a controller of Kubernetes makes of an object. Those of a
// DaemonSet depend on the nodes, and are waited for as they come.
func controlled(o loadmodel.Object) int {
	spec, _ := o.Body["spec"].(map[string]any)
	if spec["suspend"] == true || spec["paused"] == true {
		return 0
	}
	switch o.Kind {
	case "Deployment", "StatefulSet", "ReplicaSet", "ReplicationController", "DeploymentConfig":
		return number(spec["replicas"], 1)
	case "Job":
		return number(spec["completions"], number(spec["parallelism"], 1))
	}
	return 0
}

func number(v any, otherwise int) int {
	switch v := v.(type) {
	case int64:
		return int(v)
	case float64:
		return int(v)
	case int:
		return v
	}
	return otherwise
}
