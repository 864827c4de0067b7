package router

import (
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
	network.Repetition
	// Router is the CPU time of all processes of HAProxy; nil of a router that ran already.
	Router *network.CPU `json:"router,omitempty"`
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
func (r Repetition) whole() network.Repetition {
	one := r.Repetition
	if r.Router != nil && r.Server != nil {
		both := network.CPU{User: r.Server.User + r.Router.User, System: r.Server.System + r.Router.System,
			SoftIRQ: r.Server.SoftIRQ}
		one.Server = &both
	}
	return one
}

// asNetwork is the run for the judgement of bench/network: cells by their names. The CPU time of a transaction
// is the router's, where others says so, and else that of all parts.
func (r *Run) asNetwork(ofRouter bool) *network.Run {
	out := &network.Run{RunID: r.RunID, Parameters: network.Parameters{Repetitions: r.Setup.Repetitions,
		Duration: r.Setup.Duration, Warmup: r.Setup.Warmup}}
	for _, m := range r.Cells {
		one := network.Measured{Cell: network.Cell{Pattern: network.RequestResponse, Connections: r.Setup.Connections},
			Label: m.Name()}
		for _, x := range m.Repetitions {
			n := x.whole()
			if ofRouter {
				n.Client, n.Server = x.Router, &network.CPU{}
			}
			n.Derived = r.Setup.Rate > 0 // connections do not wait all the time: there is no law to hold
			one.Repetitions = append(one.Repetitions, n)
		}
		out.Cells = append(out.Cells, one)
	}
	return out
}

// Compare each figure of each cell that both runs have; the CPU time is the router's.
func Compare(old, new *Run, tolerance float64) *network.Comparison {
	c := network.Compare(old.asNetwork(true), new.asNetwork(true), tolerance)
	c.Subject = "Router"
	return c
}
