package sim

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// Truth is what happened to a pod or a node, as only the simulator knows it. Times are
// nanoseconds since 1970, by the clock of the machine.
type Truth struct {
	// Kind is Pod or Node.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	Node      string `json:"node,omitempty"`
	// Outcome of the pod; notReady of a node.
	Outcome string `json:"outcome"`
	// Delay that was drawn, in nanoseconds.
	Delay int64 `json:"delay"`
	// BoundSeen is when the simulated kubelet saw the bound pod, or the node.
	BoundSeen int64 `json:"boundSeen"`
	// StartedAt is when its containers ran, or the node ceased to be ready: when that was
	// sent; PostedAt when the API had it.
	StartedAt int64 `json:"startedAt"`
	PostedAt  int64 `json:"postedAt"`
}

type truth struct {
	mu  sync.Mutex
	out *bufio.Writer
	err error
}

func newTruth(w io.Writer) *truth {
	if w == nil {
		w = io.Discard
	}
	return &truth{out: bufio.NewWriterSize(w, 1<<16)}
}

func (t *truth) tell(what Truth) {
	line, err := json.Marshal(what)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		_, err = t.out.Write(append(line, '\n'))
	}
	if t.err == nil {
		t.err = err
	}
}

func (t *truth) flush() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.out.Flush(); t.err == nil {
		t.err = err
	}
	return t.err
}

// flushing lets readers see what happened within a second.
func (t *truth) flushing(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = t.flush() // kept in err, which Close tells
		}
	}
}
