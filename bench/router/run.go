package router

import (
	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
	"plimsoll.dev/unit"
)

// Run is what was measured of the table.
type Run struct {
	// RunID is unique among a user's runs; Started is when, in RFC 3339.
	RunID   string `json:"runID"`
	Started string `json:"started"`
	Setup   Setup  `json:"setup"`
	// HAProxy is its version; empty of a router that ran already.
	HAProxy string `json:"haproxy,omitempty"`
	// Target says which router that was.
	Target string      `json:"target,omitempty"`
	Host   network.End `json:"host"`
	// Pins are the CPUs that each part could use; empty are all.
	Pins  Pins       `json:"pins"`
	Cells []Measured `json:"cells"`
	// Repeated is how many samples were measured a second time, since the first was disturbed.
	Repeated int `json:"repeated,omitempty"`
}

// Pins are the CPUs of each part.
type Pins struct {
	Router    unit.CPUSet `json:"router,omitzero"`
	Generator unit.CPUSet `json:"generator,omitzero"`
	BackEnd   unit.CPUSet `json:"backEnd,omitzero"`
}

// Measured is a cell with its repetitions.
type Measured struct {
	Cell
	Repetitions []Repetition `json:"repetitions"`
}

// Repetition is one sample of a cell: the client is the generator, the server the back end.
type Repetition struct {
	measure.Repetition
	// Router is the CPU time of HAProxy; nil of a router that ran already.
	Router *measure.CPU `json:"router,omitempty"`
	// Handshakes of TLS, and how many of them resumed a session.
	Handshakes float64 `json:"handshakes,omitempty"`
	Resumed    float64 `json:"resumed,omitempty"`
	// Failed requests, and how the first did.
	Failed  float64 `json:"failed,omitempty"`
	Failure string  `json:"failure,omitempty"`
	// Silent are connections without a single answer, and Waiting requests of a constant rate that were due
	// and not sent when the sample ended.
	Silent  int     `json:"silent,omitempty"`
	Waiting float64 `json:"waiting,omitempty"`
}

// Disturbed says by whom a sample was; empty for one that was left alone.
func (r Repetition) Disturbed() string { return r.whole().Disturbed() }

// Foreign is how many CPUs others used.
func (r Repetition) Foreign() float64 { return r.whole().Foreign() }

// whole has the router's CPU time with the server's: who looks for others asks what all parts used.
func (r Repetition) whole() measure.Repetition {
	one := r.Repetition
	if r.Router != nil && r.Server != nil {
		both := measure.CPU{User: r.Server.User + r.Router.User, System: r.Server.System + r.Router.System,
			SoftIRQ: r.Server.SoftIRQ}
		one.Server = &both
	}
	return one
}

// Subject of the run.
const Subject = "router"

// Sampled are the cells as all benchmarks have them. The CPU time of a request is the router's.
func (r *Run) Sampled() measure.Cells {
	c := r.whole()
	for i, m := range r.Cells {
		for j, x := range m.Repetitions {
			one := &c.Cells[i].Repetitions[j]
			one.Client, one.Server = x.Router, &measure.CPU{}
		}
	}
	return c
}

// whole are the cells with the CPU time of all parts, by which it is judged whether others used the machine.
func (r *Run) whole() measure.Cells {
	c := measure.Cells{Subject: Subject, RunID: r.RunID}
	for _, m := range r.Cells {
		one := measure.Measured{Name: m.Name(), Waiting: r.Setup.Connections, Waiter: "connection"}
		for _, x := range m.Repetitions {
			n := x.whole()
			n.Derived = r.Setup.Rate > 0 // connections do not wait all the time: there is no law to hold
			one.Repetitions = append(one.Repetitions, n)
		}
		c.Cells = append(c.Cells, one)
	}
	return c
}
