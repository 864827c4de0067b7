package load

import (
	"context"
	"fmt"
	"time"

	"plimsoll.dev/bench"
	"plimsoll.dev/engine/prometheus"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/loadmodel"
)

// RunLabel is the label that all objects of a run carry, with the run's ID as value. What does not
// carry it is never deleted, unless Options.Force says so.
const RunLabel = "plimsoll.dev/run"

// Options of a run.
type Options struct {
	// RunID is a label value that tells the run from all others.
	RunID string `json:"runID"`
	// Configuration that the work is of; empty for a climb. It is told in the result.
	Configuration loadmodel.Digest `json:"configuration,omitzero"`
	// Rate is the number of objects to create a second, without the configuration's delays and pauses; its
	// steps are waited for all the same. 0 leaves the pace to the configuration.
	Rate float64 `json:"rate,omitempty"`
	// Poisson draws the time between two objects, instead of keeping it equal, from Seed.
	Poisson bool   `json:"poisson,omitempty"`
	Seed    uint64 `json:"seed"`
	// Concurrency is the number of requests under way at once, at least 1.
	Concurrency int `json:"concurrency"`
	// Queue is the most pods that may wait to be ready while more are created; 0 is no bound.
	Queue int `json:"queue,omitempty"`
	// Churn deletes and makes anew a share of the items when all are ready.
	Churn Churn `json:"churn,omitzero"`
	// WaitFor says what of kinds is waited for, in place of what is by itself.
	WaitFor []WaitFor `json:"waitFor,omitempty"`
	// SyncHost is the address at which the sync server listens, where the configuration asks for one.
	SyncHost string `json:"syncHost,omitempty"`
	// Timeout of the wait for all pods and workloads to be ready.
	Timeout time.Duration `json:"timeout"`
	// Patience is how long nothing may become ready, while something still has to, before the run
	// fails and says what holds it up. Jobs and builds that are at work may take longer.
	Patience time.Duration `json:"patience"`
	// Missing says what becomes of kinds that the server does not have: refuse, convert or skip.
	Missing string `json:"missing,omitempty"`
	// Force replaces namespaces that no run has made where the configuration says delete.
	Force bool `json:"force,omitempty"`
	// Cleanup says whether what was made is taken away: auto (as the configuration says, and after
	// failures and interrupts always), always or never.
	Cleanup string `json:"cleanup,omitempty"`
	// Abandon ends clean-up, too, when it ends; nil never does.
	Abandon context.Context `json:"-"`
	// Progress is told what goes on, some times a second.
	Progress func(Progress) `json:"-"`
	// Prometheus is asked in the end what it saw of the control plane; nil is none.
	Prometheus *prometheus.Client `json:"-"`
	// Cluster that is known already; where it says nothing the server is asked.
	Cluster Cluster `json:"cluster,omitzero"`
	// Level is told before a climb goes from one number to another.
	Level func(from, to int) `json:"-"`
}

// Progress of a run.
type Progress struct {
	Phase string
	// Done of Total items are created, of an object or more each; Waiting pods are not ready, of which
	// Unscheduled have no node. Left is what clean-up still has to take away.
	Done, Total, Waiting, Unscheduled, Left int
}

// Says is what goes on beside the count of what is created; empty where that says all.
func (p Progress) Says() string {
	switch {
	case p.Left > 0:
		return p.Phase + ": " + words.Number(p.Left) + " left"
	case p.Waiting == 0:
		return ""
	case p.Unscheduled > 0:
		return fmt.Sprintf("%s, %s for a node", words.Count(p.Waiting, "pod waits", "pods wait"), words.Number(p.Unscheduled))
	}
	return words.Count(p.Waiting, "pod waits", "pods wait")
}

// Result of a run. Times are those of the machine that the run is on, unless they say otherwise.
type Result struct {
	RunID string `json:"runID"`
	// Options that it was asked for with, and on how many workers it ran, if on any.
	Options Options `json:"options,omitzero"`
	Workers int     `json:"workers,omitempty"`
	Server  string  `json:"server"`
	// Cluster that the run was on.
	Cluster Cluster   `json:"cluster"`
	Began   time.Time `json:"began"`
	// Took is the time from the first request until all was ready, or the run failed.
	Took time.Duration `json:"took"`
	// First and Last are when the first and the last of Filled objects had been created, without churn.
	First  time.Time `json:"first,omitzero"`
	Last   time.Time `json:"last,omitzero"`
	Filled int       `json:"filled,omitempty"`
	// Kinds that were created, and how.
	Kinds []KindCount `json:"kinds"`
	// Rate of objects a second that was asked for (0: none) and reached between the first and the last (0: there
	// were not two).
	RateAsked   float64 `json:"rateAsked,omitempty"`
	RateReached float64 `json:"rateReached"`
	// HeldBack is how long nothing was due at the rate that was asked for: behind the queue, a step or sync.
	HeldBack time.Duration `json:"heldBack,omitempty"`
	Phases   []Phase       `json:"phases"`
	// Prometheus is what that saw of the control plane meanwhile, where one was named.
	Prometheus []Metric `json:"prometheus,omitempty"`
	// Course of the run in time; nil of one that came to nothing.
	Course *Course `json:"course,omitempty"`
	// Latencies by what was measured.
	Latencies []Latency `json:"latencies"`
	// Pods that the run waited for; Ready of them became ready.
	Pods  int `json:"pods"`
	Ready int `json:"ready"`
	// Restarted are pods of which a container ended and was started again, Restart is one of them.
	Restarted int    `json:"restarted,omitempty"`
	Restart   string `json:"restart,omitempty"`
	// Unchurned are items that churn left alone, because the server makes their names.
	Unchurned int `json:"unchurned,omitempty"`
	// Failures that were seen, the most frequent first.
	Failures []Failure `json:"failures,omitempty"`
	// Failed says why the run could not be completed; empty where it was.
	Failed string `json:"failed,omitempty"`
	// Cleaned says that what the run has made is gone; Left is what is not.
	Cleaned bool     `json:"cleaned"`
	Left    []string `json:"left,omitempty"`
	// CleanTook is the time that it took to take all away.
	CleanTook time.Duration `json:"cleanTook,omitempty"`
}

// KindCount is a kind that the configuration asks for.
type KindCount struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// How it was made: native, standIn (a custom resource in place of a kind of OpenShift), converted
	// or skipped; Into is the kind that it was converted to.
	How     string `json:"how"`
	Into    string `json:"into,omitempty"`
	Created int    `json:"created"`
	Failed  int    `json:"failed,omitempty"`
	// Waited says that the run waits for what the objects report; Ready of them have become it.
	Waited bool `json:"waited"`
	Ready  int  `json:"ready"`
}

// Phase is a part of the run, from its begin.
type Phase struct {
	Title string        `json:"title"`
	From  time.Duration `json:"from"`
	To    time.Duration `json:"to"`
	// Items that were created in it.
	Items int `json:"items,omitempty"`
}

// Latency is a time that was measured many times.
type Latency struct {
	// ID such as "create/pods" or "pod/ready"; Title in words.
	ID    string `json:"id"`
	Title string `json:"title"`
	// Clock is whose clock took the time: "own", or "server" with a resolution of a second.
	Clock   string        `json:"clock"`
	Summary bench.Summary `json:"summary"`
	// Times in ascending order, of which the summary is; a histogram has none.
	Times []time.Duration `json:"times,omitempty"`
}

// Failure is something that went wrong, and how often.
type Failure struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
	// Example is the message of one of them.
	Example string `json:"example"`
}
