package workers

import (
	"fmt"

	"plimsoll.dev/engine/load"
	"plimsoll.dev/loadmodel"
)

// Task is what all workers are given.
type Task struct {
	Configuration loadmodel.Bundle `json:"configuration"`
	// Load are the options of the run as a whole.
	Load load.Options `json:"load"`
	// Workers is how many there are.
	Workers int `json:"workers"`
}

// share of one worker, from 0: of the rate what its part of all items is, so that all end at once; of queues one part;
// of the rest the same. Times drawn by many at a part of the rate are as random as those of one.
func (t *Task) share(index int, part, all *loadmodel.Work) load.Options {
	opt := t.Load
	opt.Rate *= float64(max(part.Items(), 1)) / float64(max(all.Items(), 1))
	opt.Queue = (opt.Queue + t.Workers - 1) / t.Workers
	opt.Seed += uint64(index)
	opt.Cleanup = "never"
	return opt
}

// maxBundle is what a ConfigMap can hold of a task, in bytes. Source: kubernetes, pkg/apis/core MaxSecretSize and
// staging/src/k8s.io/api/core/v1: "ConfigMap ... may not exceed 1MiB".
const maxBundle = 1<<20 - 1<<10

// pack the task for a ConfigMap.
func (t *Task) pack() ([]byte, error) {
	text, err := loadmodel.Pack(t)
	if err == nil && len(text) > maxBundle {
		err = fmt.Errorf("the configuration and its files take %d KiB compressed, a ConfigMap holds 1 MiB", len(text)>>10)
	}
	return text, err
}
