package kubelet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/kubelet/kubelettest"
)

// reply is what a worker says to a session.
type reply struct {
	Recorded kubelettest.Recorded
	// Error is why there is no answer.
	Error string
	// Stuck says that the worker ends now, because it can't get back.
	Stuck bool
}

// work answers sessions from standard input until it is stuck or there are no more.
func work() int {
	klog.SetLogger(logr.Discard())
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var s kubelettest.Session
		if err := in.Decode(&s); errors.Is(err, io.EOF) {
			return 0
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		var r reply
		var err error
		if r.Recorded, r.Stuck, err = answer(s); err != nil {
			r.Error = err.Error()
		}
		if err := out.Encode(r); err != nil || r.Stuck {
			return 0
		}
	}
}

// worker is a process that answers sessions; it is started anew when it got stuck,
// and now and then, because the managers leave goroutines behind.
type worker struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	to    *json.Encoder
	from  *json.Decoder
	asked int
}

// recycle is after how many sessions a worker is replaced.
const recycle = 300

func (w *worker) ask(s kubelettest.Session) (kubelettest.Recorded, error) {
	if w.cmd == nil {
		if err := w.start(); err != nil {
			return kubelettest.Recorded{}, err
		}
	}
	if err := w.to.Encode(s); err != nil {
		return kubelettest.Recorded{}, err
	}
	var r reply
	if err := w.from.Decode(&r); err != nil {
		w.stop()
		return kubelettest.Recorded{}, fmt.Errorf("%s: the worker died: %w", s.Name, err)
	}
	if w.asked++; r.Stuck || w.asked >= recycle {
		w.stop()
	}
	if r.Error != "" {
		return kubelettest.Recorded{}, errors.New(r.Error)
	}
	return r.Recorded, nil
}

func (w *worker) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	w.cmd, w.asked = exec.Command(self, "kubelet", "work"), 0
	w.cmd.Stderr = os.Stderr
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	w.to, w.from = json.NewEncoder(w.in), json.NewDecoder(out)
	return w.cmd.Start()
}

// stop ends the process; its exit code is of no interest.
func (w *worker) stop() {
	if w.cmd == nil {
		return
	}
	w.in.Close()
	w.cmd.Process.Kill() //nolint:errcheck // it may be gone
	w.cmd.Wait()         //nolint:errcheck // killed
	w.cmd = nil
}

// settled asks several times, and keeps what all answers agree upon: a message
// that the order of a Go map decides is emptied; at the first answer that it
// decides the session ends. Left out is how many admissions were cut off so.
func (w *worker) settled(s kubelettest.Session) (r kubelettest.Recorded, leftOut int, err error) {
	if r, err = w.ask(s); err != nil {
		return r, 0, err
	}
	repeats := 2
	if doubtful(r) {
		repeats = 12
	}
	s.Events = r.Events
	if n := len(r.Answers); n > 0 && r.Answers[n-1].Reason == kubelet.Hangs {
		s.Events = s.Events[:len(s.Events)-1]
	}
	for range repeats {
		again, err := w.ask(s)
		if err != nil {
			return r, 0, err
		}
		leftOut += agree(&r, again)
	}
	return r, leftOut, nil
}

// doubtful says whether a pod was refused that asks for two kinds of devices or
// pages: the first that is short names the reason, in the order of a map.
func doubtful(r kubelettest.Recorded) bool {
	i := 0
	for _, e := range r.Events {
		if e.Admit == nil || i >= len(r.Answers) {
			continue
		}
		kinds := map[string]bool{}
		for _, c := range slices.Concat(e.Admit.Init, e.Admit.Containers) {
			for name := range c.Limits {
				if name != "cpu" && name != "memory" {
					kinds[name] = true
				}
			}
		}
		if len(kinds) > 1 && !r.Answers[i].Admitted {
			return true
		}
		i++
	}
	return false
}

// agree cuts r to what again says too.
func agree(r *kubelettest.Recorded, again kubelettest.Recorded) (leftOut int) {
	for i := range r.Answers {
		if r.Answers[i].Reason == kubelet.Hangs {
			break // not asked again
		}
		if i < len(again.Answers) {
			if r.Answers[i].Message != again.Answers[i].Message {
				r.Answers[i].Message = ""
			}
			if kubelettest.Difference(r.Answers[i], again.Answers[i]) == "" {
				continue
			}
		}
		leftOut = len(r.Answers) - i
		cut(r, i)
		return leftOut
	}
	return 0
}

// cut keeps the first answers and the events up to them.
func cut(r *kubelettest.Recorded, answers int) {
	n := 0
	for i, e := range r.Events {
		if e.Admit != nil {
			if n == answers {
				r.Events = r.Events[:i]
				break
			}
			n++
		}
	}
	r.Answers = r.Answers[:answers]
}
