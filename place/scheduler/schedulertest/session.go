// Package schedulertest is the common language of the scheduler engine's tests and of
// the oracle that records Kubernetes' own answers: sessions (a cluster, kinds of
// pods, their order of arrival), what kube-scheduler decided in them, random and
// hand-made sessions, and the fixtures' format. It decides nothing itself and
// opens no files.
//
//	for r, err := range schedulertest.Read(file) {
//		s, _ := scheduler.New(r.Profile, r.Nodes) // bind r.Bound, schedule r.Arrivals,
//		                                     // and compare with r.Placed
//	}
package schedulertest

import (
	"encoding/json"
	"fmt"

	"plimsoll.dev/place/scheduler"
)

// Session is a cluster, and pods that arrive one after the other.
type Session struct {
	Name    string            `json:"name"`
	Profile scheduler.Profile `json:"profile"`
	// Nodes in the order in which the scheduler came to know them.
	Nodes []scheduler.Node `json:"nodes"`
	// Classes of pods; those of Bound and Arrivals are indexes.
	Classes []scheduler.PodClass `json:"classes"`
	// Bound pods run before the first one arrives.
	Bound []Bound `json:"bound,omitempty"`
	// Arrivals are the class of each pod, in order.
	Arrivals Runs `json:"arrivals"`
	// Events between the arrivals, in order.
	Events []Event `json:"events,omitempty"`
}

// Event is something that happens before a pod arrives. One of its fields says
// what; nodes that were added count on from the session's own.
type Event struct {
	// Before is the index of the arrival.
	Before int `json:"before"`
	// Leave is an earlier arrival whose pod leaves its node; none does when it is
	// on no node any more.
	Leave *int `json:"leave,omitempty"`
	// Add is a new node.
	Add *scheduler.Node `json:"add,omitempty"`
	// Remove is a node that goes, with its pods.
	Remove *int `json:"remove,omitempty"`
	// Cordon and Uncordon are nodes; the taint is set and taken away with it.
	Cordon   *int `json:"cordon,omitempty"`
	Uncordon *int `json:"uncordon,omitempty"`
}

// Bound is a number of equal pods on one node.
type Bound struct {
	Class int `json:"class"`
	Node  int `json:"node"`
	Count int `json:"count"`
}

// Recorded is a session and what kube-scheduler did in it.
type Recorded struct {
	Session
	// Release of the scheduler that answered, such as "v1.36.3".
	Release string `json:"by"`
	// Placed is the node of each arrival, -1 when the pod fits nowhere.
	Placed Runs `json:"placed"`
	// Diagnoses of the first pod of each class that fits nowhere.
	Diagnoses []Diagnosis `json:"diagnoses,omitempty"`
	// Scores of each pod that was scored, in small sessions made by hand.
	Scores []Scored `json:"scores,omitempty"`
}

// Diagnosis says why a pod fits nowhere.
type Diagnosis struct {
	// Pod is the index in Arrivals.
	Pod int `json:"pod"`
	// Reasons with their nodes, sorted by the reason. Nodes that a single reason
	// ruled out together before any was looked at are counted under it.
	Reasons []scheduler.Reason `json:"reasons"`
	// Message is the whole text, as an event shows it, without preemption's part.
	Message string `json:"message"`
}

// Scored is what the plug-ins gave the nodes that a pod could run on.
type Scored struct {
	// Pod is the index in Arrivals.
	Pod int `json:"pod"`
	// Nodes that passed the filters, in the order in which they were found.
	Nodes []int32 `json:"nodes"`
	// Plugins have the scores of these nodes, normalized and weighted; those that
	// gave every node 0 are left out.
	Plugins map[string][]int64 `json:"plugins"`
}

// Runs are small numbers in order. In JSON a number that stands n times in a row
// is written once, as [number, n].
type Runs []int32

// MarshalJSON writes runs of equal numbers once.
func (r Runs) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i := 0; i < len(r); {
		n := 1
		for i+n < len(r) && r[i+n] == r[i] {
			n++
		}
		if i > 0 {
			out = append(out, ',')
		}
		if n == 1 {
			out = fmt.Appendf(out, "%d", r[i])
		} else {
			out = fmt.Appendf(out, "[%d,%d]", r[i], n)
		}
		i += n
	}
	return append(out, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Runs) UnmarshalJSON(text []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil {
		return err
	}
	*r = (*r)[:0]
	for _, item := range items {
		run := [2]int32{0, 1}
		var err error
		if item[0] == '[' {
			err = json.Unmarshal(item, &run)
		} else {
			err = json.Unmarshal(item, &run[0])
		}
		if err != nil {
			return err
		}
		if run[1] < 1 || run[1] > maxRun {
			return fmt.Errorf("run %s: the second number must be from 1 to %d", item, maxRun)
		}
		for range run[1] {
			*r = append(*r, run[0])
		}
	}
	return nil
}

// maxRun bounds what a damaged fixture can make of one run.
const maxRun = 10_000_000
