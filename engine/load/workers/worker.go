package workers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/engine/load"
	"plimsoll.dev/loadmodel"
)

// Place of one worker.
type Place struct {
	// Namespace and Job in the cluster that the workers run in.
	Namespace, Job string
	// Index of the worker, from 0.
	Index int
}

var jobs = apiserver.Resource{APIVersion: "batch/v1", Kind: "Job", Name: "jobs", Namespaced: true}

// jobStatus is what counts of a Job.
type jobStatus struct {
	Ready, Succeeded, Failed int
	Conditions               []struct{ Type, Status, Reason, Message string }
}

// statusOf a Job. A server that is away for a while ends nothing: the workers may go on without it.
func statusOf(ctx context.Context, home *apiserver.Client, namespace, name string) (jobStatus, error) {
	text, err := load.Again(ctx, home,
		apiserver.Request{Method: http.MethodGet, Path: jobs.Path(namespace) + "/" + name})
	var job struct{ Status jobStatus }
	if err == nil {
		err = json.Unmarshal(text, &job)
	}
	return job.Status, err
}

const (
	// longestStart is how long a worker waits for the others.
	longestStart = 10 * time.Minute
	// startPoll bounds how far apart workers begin.
	startPoll = 100 * time.Millisecond
)

// Work fills the worker's share of the work, when all workers are ready, and leaves the result at home.
func Work(ctx context.Context, home, target *apiserver.Client, task *Task, work *loadmodel.Work, at Place) error {
	if at.Index < 0 || at.Index >= task.Workers {
		return fmt.Errorf("there is no worker %d of %d", at.Index, task.Workers)
	}
	result, err := &load.Result{Began: time.Now()}, together(ctx, home, at, task.Workers)
	if err == nil {
		var ran *load.Result
		part := work.Shard(at.Index, task.Workers)
		if ran, err = load.Run(ctx, target, part, task.share(at.Index, part, work)); err == nil {
			result = ran
		}
	}
	if err != nil {
		result.Failed = load.Interrupted(err).Error()
	}
	return leave(context.WithoutCancel(ctx), home, task.Load.RunID, at, result)
}

// together waits until all workers are there, or were.
func together(ctx context.Context, home *apiserver.Client, at Place, workers int) error {
	for late := time.Now().Add(longestStart); time.Now().Before(late); {
		s, err := statusOf(ctx, home, at.Namespace, at.Job)
		if err != nil {
			return fmt.Errorf("the Job can't be read: %w", err)
		}
		if s.Ready+s.Succeeded+s.Failed >= workers {
			return nil
		}
		if err := apiserver.Wait(ctx, time.Now().Add(startPoll)); err != nil {
			return err
		}
	}
	return fmt.Errorf("not all workers were ready within %s", longestStart)
}
