package measure

import (
	"time"

	"plimsoll.dev/bench"
)

// Cells of a run, and what was measured: "network".
type Cells struct {
	Subject, RunID string
	Cells          []Measured
}

// Measured is a cell with its repetitions.
type Measured struct {
	// Name of the cell, which tells it from all others of a run.
	Name string
	// Waiting is how many have one transaction under way at any time each, so that latency and rate say the
	// same by Little's law; 0 where nobody waits, as in a stream. Waiter is the noun: "connection".
	Waiting int
	Waiter  string
	// Full says whose CPUs were busy all the time: "client"; empty where nobody's were, or nobody looked.
	Full        string
	Repetitions []Repetition
}

// Repetition is one sample of a cell.
type Repetition struct {
	// Seconds that were measured, without the warm-up, and what was done in them by all connections.
	Seconds      float64 `json:"seconds"`
	Transactions float64 `json:"transactions"`
	Bytes        float64 `json:"bytes"`
	// Latency of the transactions of all connections: of Histogram, or as an import has it. Mean is 0
	// where it is not known.
	Latency   bench.Summary    `json:"latency"`
	Histogram *bench.Histogram `json:"histogram,omitempty"`
	// Derived says that the mean and the rate come from each other by Little's law, which they can't break then.
	Derived bool `json:"derived,omitempty"`
	// Client, Server and Machine are the CPU time that each end and the machine used; nil where nobody looked.
	Client  *CPU `json:"client,omitempty"`
	Server  *CPU `json:"server,omitempty"`
	Machine *CPU `json:"machine,omitempty"`
	// ServerMachine is the server's, where that is another one than the client's.
	ServerMachine *CPU `json:"serverMachine,omitempty"`
	// Before and After are the same work of the CPU, beside the sample.
	Before *Spin `json:"before,omitempty"`
	After  *Spin `json:"after,omitempty"`
	// Retransmits and Drops in the ends' own network namespaces.
	Retransmits float64 `json:"retransmits,omitempty"`
	Drops       float64 `json:"drops,omitempty"`
}

// CPU seconds by mode. Of an end, SoftIRQ is what its machine did for packets, where the kernel does not
// count that as the time of the process that was interrupted.
type CPU struct {
	User    float64 `json:"user"`
	System  float64 `json:"system"`
	SoftIRQ float64 `json:"softirq,omitempty"`
	Steal   float64 `json:"steal,omitempty"`
}

// Busy is what work took: all but what the hypervisor kept.
func (c CPU) Busy() float64 { return c.User + c.System + c.SoftIRQ }

// Minus is what c has used since o, or without it.
func (c CPU) Minus(o CPU) CPU {
	return CPU{User: c.User - o.User, System: c.System - o.System, SoftIRQ: c.SoftIRQ - o.SoftIRQ,
		Steal: c.Steal - o.Steal}
}

// Times is n times as much.
func (c CPU) Times(n float64) CPU {
	return CPU{User: n * c.User, System: n * c.System, SoftIRQ: n * c.SoftIRQ, Steal: n * c.Steal}
}

// Spin is how long a fixed piece of work took by the clock and by the CPU's account.
type Spin struct {
	Wall time.Duration `json:"wall"`
	CPU  time.Duration `json:"cpu"`
}

// Rate in transactions a second.
func (r Repetition) Rate() float64 { return per(r.Transactions, r.Seconds) }

// Throughput in bytes a second.
func (r Repetition) Throughput() float64 { return per(r.Bytes, r.Seconds) }

// CPUPerTransaction is the time of both ends for one transaction, in seconds; 0 where it is not known.
func (r Repetition) CPUPerTransaction() float64 {
	if r.Client == nil || r.Server == nil {
		return 0
	}
	return per(r.Client.Busy()+r.Server.Busy(), r.Transactions)
}

// Foreign is how many CPUs of a machine others used; 0 where it is not known.
func (r Repetition) Foreign() float64 {
	if r.Machine == nil || r.Client == nil || r.Server == nil {
		return 0
	}
	others := func(all float64) float64 { return max(0, per(all, r.Seconds)) }
	if r.ServerMachine != nil {
		return max(others(r.Machine.Busy()-r.Client.Busy()), others(r.ServerMachine.Busy()-r.Server.Busy()))
	}
	return others(r.Machine.Busy() - r.Client.Busy() - r.Server.Busy())
}

func per(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

// Latency of all repetitions: of the merged histograms where each has one; ok is false where not, and
// of a stream, whose writes wait for buffers only.
func (m Measured) Latency() (s bench.Summary, ok bool) {
	var all bench.Histogram
	for _, r := range m.Repetitions {
		if r.Histogram == nil {
			return s, false
		}
		all.Merge(r.Histogram)
	}
	return all.Summary(), m.Waiting > 0 && all.N() > 0
}
