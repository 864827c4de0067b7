package kubelet

import (
	"fmt"
	"runtime/debug"
	"time"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/kubelet/kubelettest"
)

// ours puts a session to our own engine. A panic, or no end within a minute, is an error.
func ours(s kubelettest.Session) (kubelettest.Recorded, error) {
	type outcome struct {
		recorded kubelettest.Recorded
		err      error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- outcome{err: fmt.Errorf("we panic: %v\n%s", p, debug.Stack())}
			}
		}()
		r := kubelettest.Recorded{Session: s}
		n, err := kubelet.New(s.Machine, s.Config)
		if err != nil {
			r.Refused = err.Error()
		} else {
			r.Answers = kubelettest.Replay(s, n.Admit, n.Remove)
		}
		done <- outcome{recorded: r}
	}()
	select {
	case o := <-done:
		return o.recorded, o.err
	case <-time.After(time.Minute):
		return kubelettest.Recorded{}, fmt.Errorf("we find no end")
	}
}
