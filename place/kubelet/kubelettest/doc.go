// Package kubelettest holds node scenarios for the tests of package kubelet:
// machines, policies, pods and the order in which they come and go, made by hand
// or from a seed, and the file format in which the answers of the real kubelet are
// kept. It decides nothing itself and knows no engine: it calls what it is given.
//
//	for recorded, err := range kubelettest.Read(file) {
//		got := kubelettest.Replay(recorded.Session, node.Admit, node.Remove)
//		at, what := kubelettest.FirstDifference(recorded.Answers, got)
//	}
package kubelettest

import (
	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/topo"
)

// Session is one node from its start, and what happens to it.
type Session struct {
	Name    string
	Machine topo.Machine
	Config  kubelet.Config
	Events  []Event
}

// Event is either a pod that is to be admitted or the end of one. A pod that was
// admitted is started at once, in the order of its containers: its init containers
// have come to their end, its sidecars run. The end of a pod that never ran, or
// runs no more, changes nothing.
type Event struct {
	Admit  *kubelet.Pod `json:",omitempty"`
	Remove string       `json:",omitempty"`
}

// Recorded is a session with the answers of a real kubelet.
type Recorded struct {
	Session
	// Refused is why this kubelet does not start; it has no answers then.
	Refused string `json:",omitempty"`
	// Answers to the pods that are to be admitted, in their order. Where the
	// kubelet hangs they end with that verdict, and so do the events.
	Answers []kubelet.Verdict
}

// Replay puts a session to an engine and returns its answers. They end with the
// first one that says that the kubelet hangs.
func Replay(s Session, admit func(*kubelet.Pod) kubelet.Verdict, remove func(uid string)) []kubelet.Verdict {
	var answers []kubelet.Verdict
	for _, e := range s.Events {
		if e.Admit == nil {
			remove(e.Remove)
			continue
		}
		v := admit(e.Admit)
		answers = append(answers, v)
		if v.Reason == kubelet.Hangs {
			break
		}
	}
	return answers
}
