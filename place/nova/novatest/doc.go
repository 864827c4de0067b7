// Package novatest reads the answers of the real Nova that oracle/nova records,
// and compares them with ours. It decides nothing itself, and only tests and tools
// use it.
//
//	for s, err := range novatest.Read(file) {
//		replay := novatest.NewReplay(s)
//		for step := range replay.Requests() {
//			fit, ok := replay.Host.Fit(&step.Request, nova.Nova)
//			problem := replay.Difference(step.Right, fit, ok)
//		}
//	}
package novatest

import (
	"encoding/json"
	"fmt"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// Sequence is one host and what is asked of it, in order.
type Sequence struct {
	// Name of the sequence, and of the host's shape.
	Name, Shape string
	// Host as it is before the first step.
	Host  nova.Host
	Steps []Step
}

// Step is a request with Nova's answers, or the end of an earlier one.
type Step struct {
	// ID of the request; Release is true for the end of that request.
	ID      int
	Release bool
	Request nova.Request
	// Own is the answer of Nova's search, nil for a refusal. Right is that of the
	// search without its fault; the same pointer where they do not differ.
	Own, Right *nova.Fit
	// Raises is the error with which Nova's own claim of Right fails; it is not claimed then.
	Raises string
}

// Fault says that Nova's search goes wrong on the request.
func (s *Step) Fault() bool { return s.Own != s.Right }

// line is what a line of the file may hold.
type line struct {
	Sequence *string          `json:"sequence"`
	Shape    string           `json:"shape"`
	Host     nova.Host        `json:"host"`
	ID       int              `json:"id"`
	Request  *nova.Request    `json:"request"`
	Answer   *answer          `json:"answer"`
	Right    *json.RawMessage `json:"right"`
	Fault    bool             `json:"fault"`
	Raises   string           `json:"raises"`
	Release  *int             `json:"release"`
}

// answer is Nova's answer as the file has it.
type answer struct {
	Cells []struct {
		Node     int         `json:"node"`
		Page     int64       `json:"page"`
		Pins     [][2]int    `json:"pins"`
		Reserved unit.CPUSet `json:"reserved"`
		Idle     unit.CPUSet `json:"idle"`
	} `json:"cells"`
	Devices [][2]int `json:"devices"`
}

func (a *answer) fit() *nova.Fit {
	if a == nil {
		return nil
	}
	f := &nova.Fit{}
	for _, c := range a.Cells {
		cell := nova.CellFit{Node: c.Node, PageSize: c.Page, Reserved: c.Reserved, Idle: c.Idle}
		for _, p := range c.Pins {
			cell.Pins = append(cell.Pins, nova.Pin{VCPU: p[0], CPU: p[1]})
		}
		f.Cells = append(f.Cells, cell)
	}
	for _, d := range a.Devices {
		f.Devices = append(f.Devices, nova.DeviceFit{Pool: d[0], Count: d[1]})
	}
	return f
}

// step makes a step of a line that starts no sequence.
func (l *line) step() (Step, error) {
	if l.Release != nil {
		return Step{ID: *l.Release, Release: true}, nil
	}
	if l.Request == nil {
		return Step{}, fmt.Errorf("a line is neither a sequence, a request nor a release")
	}
	s := Step{ID: l.ID, Request: *l.Request, Own: l.Answer.fit(), Raises: l.Raises}
	s.Request.SharedVCPU = -1
	for i := range s.Request.Cells {
		s.Request.Cells[i].HostNode = -1
	}
	s.Right = s.Own
	if !l.Fault {
		return s, nil
	}
	s.Right = nil
	if l.Right == nil {
		return s, nil
	}
	var right answer
	if err := json.Unmarshal(*l.Right, &right); err != nil {
		return s, fmt.Errorf("request %d: right answer: %w", l.ID, err)
	}
	s.Right = right.fit()
	return s, nil
}
