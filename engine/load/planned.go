package load

import (
	"sync"

	"plimsoll.dev/loadmodel"
)

// planned are the pods that controllers are to make of what was created.
type planned struct {
	mu   sync.Mutex
	pods int
}

func (p *planned) add(o loadmodel.Object) {
	n := controlled(o)
	p.mu.Lock()
	p.pods += n
	p.mu.Unlock()
}

// drop what the run is about to delete.
func (p *planned) drop(o loadmodel.Object) {
	n := controlled(o)
	p.mu.Lock()
	p.pods -= n
	p.mu.Unlock()
}

func (p *planned) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pods
}

// controlled is the number of pods that a controller of Kubernetes makes of an object. Those of a
// DaemonSet depend on the nodes, and are waited for as they come.
func controlled(o loadmodel.Object) int {
	spec, _ := o.Body["spec"].(map[string]any)
	switch o.Kind {
	case "Deployment", "StatefulSet", "ReplicaSet", "ReplicationController", "DeploymentConfig":
		return number(spec["replicas"], 1)
	case "Job":
		return number(spec["completions"], number(spec["parallelism"], 1))
	case "Pod":
		if o.Name == "" { // its name is generated
			return 1
		}
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
