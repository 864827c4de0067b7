package kubelet

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/kubelet/kubelettest"
)

// patience is how long one admission may take before it is looked into. The
// slowest merge that random sessions come to takes a few seconds.
const patience = 60 * time.Second

// errSlow is an admission that takes longer than that and is no endless loop.
var errSlow = errors.New("an admission takes too long")

// answer puts a session to real managers. An admission that loops for ever ends
// the session; the process can't be used any more then, and stuck is true.
func answer(s kubelettest.Session) (r kubelettest.Recorded, stuck bool, err error) {
	r.Session = s
	dir, err := os.MkdirTemp("", "oracle")
	if err != nil {
		return r, false, err
	}
	defer os.RemoveAll(dir)
	n, err := start(s.Machine, s.Config, dir)
	if err != nil {
		r.Refused = err.Error()
		return r, false, nil
	}
	for i, e := range s.Events {
		if e.Admit == nil {
			n.remove(e.Remove)
			continue
		}
		v, err := n.watched(e.Admit)
		if errors.Is(err, errSlow) {
			return r, true, err
		}
		if err != nil {
			n.stop()
			return r, false, fmt.Errorf("%s, event %d: %w", s.Name, i, err)
		}
		r.Answers = append(r.Answers, v)
		if v.Reason == kubelet.Hangs {
			r.Events = s.Events[:i+1]
			return r, true, nil
		}
	}
	n.stop()
	return r, false, nil
}

// watched admits a pod under a watchdog.
func (n *node) watched(p *kubelet.Pod) (kubelet.Verdict, error) {
	pod, err := submit(p)
	if err != nil {
		return kubelet.Verdict{}, err
	}
	type outcome struct {
		verdict kubelet.Verdict
		err     error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- outcome{err: fmt.Errorf("the kubelet panics: %v\n%s", p, debug.Stack())}
			}
		}()
		done <- outcome{verdict: n.admit(pod)}
	}()
	looked := 0
	for waited := time.Duration(0); waited < patience; waited += time.Second {
		select {
		case o := <-done:
			return o.verdict, o.err
		case <-time.After(time.Second):
			if looked++; !distributing() {
				looked = 0
			}
			if looked == 3 {
				return kubelet.Verdict{Reason: kubelet.Hangs, Message: "distribute-cpus-across-numa never ends"}, nil
			}
		}
	}
	return kubelet.Verdict{}, errSlow
}

// distributing says whether a goroutine is in the allocator that can loop for
// ever; it ends within milliseconds otherwise.
func distributing() bool {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return strings.Contains(string(stacks), "takeByTopologyNUMADistributed")
}
