package network

import "plimsoll.dev/bench/measure"

// Run is what was measured of a matrix.
type Run struct {
	// RunID is unique among a user's runs; of an import it is the file's name.
	RunID string `json:"runID"`
	// Tool that measured: "plimsoll" or such as "netperf"; Place between which ends: "two pods of a worker".
	Tool  string `json:"tool"`
	Place string `json:"place,omitempty"`
	// Switches of the place, where it was built.
	Switches *Switches `json:"switches,omitempty"`
	// Started is when, in RFC 3339; empty where nobody wrote it down.
	Started    string      `json:"started,omitempty"`
	Parameters Parameters  `json:"parameters"`
	Ends       Environment `json:"ends"`
	Cells      []Measured  `json:"cells"`
	// Repeated is how many samples were measured a second time, since the first was disturbed.
	Repeated int `json:"repeated,omitempty"`
	// Remarks say what figures of an import are not what they are called.
	Remarks []Remark `json:"remarks,omitempty"`
}

// Environment is what a result depends on beside the program.
type Environment struct {
	Client End `json:"client"`
	Server End `json:"server"`
	// Hops are the devices between them, in order.
	Hops []Hop `json:"hops,omitempty"`
}

// End is a side of the measurement.
type End struct {
	Kernel string `json:"kernel,omitempty"`
	// Versions of the program and its libraries by name.
	Versions map[string]string `json:"versions,omitempty"`
	// CPUs that the machine has, and Pinned those that the side may run on ("0-3"); empty when it floats.
	CPUs   int    `json:"cpus,omitempty"`
	Pinned string `json:"pinned,omitempty"`
	// Congestion is the congestion control of the connections.
	Congestion string `json:"congestion,omitempty"`
}

// Hop is a device on the way. Offloads stand beside the MTU, since it has no effect while they are on.
type Hop struct {
	Name     string   `json:"name"`
	MTU      int      `json:"mtu"`
	Offloads []string `json:"offloads,omitempty"`
	RPS      string   `json:"rps,omitempty"`
}

// Measured is a cell with its repetitions.
type Measured struct {
	Cell
	Repetitions []measure.Repetition `json:"repetitions"`
}

// Sampled is the cell as all benchmarks have them.
func (m Measured) Sampled() measure.Measured {
	s := measure.Measured{Name: m.Name(), Waiter: "connection", Repetitions: m.Repetitions}
	if m.Waits() {
		s.Waiting = m.Connections
	}
	return s
}

// Sampled are the cells as all benchmarks have them.
func (r *Run) Sampled() measure.Cells {
	c := measure.Cells{Subject: Subject, RunID: r.RunID}
	for _, m := range r.Cells {
		s := m.Sampled()
		s.Full = r.full(m)
		c.Cells = append(c.Cells, s)
	}
	return c
}

// fullShare of its CPUs that an end uses when it is full.
const fullShare = 0.95

// full says whose CPUs a cell had busy all the time.
func (r *Run) full(m Measured) string {
	var client, server, seconds float64
	for _, rep := range m.Repetitions {
		if rep.Client == nil || rep.Server == nil {
			return ""
		}
		client, server, seconds = client+rep.Client.Busy(), server+rep.Server.Busy(), seconds+rep.Seconds
	}
	c, s := r.Ends.Client, r.Ends.Server
	busy := func(used float64, cpus int) bool { return cpus > 0 && used >= fullShare*seconds*float64(cpus) }
	switch {
	case c.Pinned != "" && c.Pinned == s.Pinned && busy(client+server, c.CPUs):
		return "both on CPU " + c.Pinned
	case busy(client, c.CPUs) && busy(server, s.CPUs):
		return "client and server"
	case busy(client, c.CPUs):
		return "client"
	case busy(server, s.CPUs):
		return "server"
	}
	return ""
}

// Remark says of a figure what it really is.
type Remark struct {
	// ID is stable: "uperf.flowops". Figure is what the program calls it, Is what it is, and Instead
	// what was taken in its place; empty where nothing could be.
	ID      string `json:"id"`
	Figure  string `json:"figure"`
	Is      string `json:"is"`
	Instead string `json:"instead,omitempty"`
}
