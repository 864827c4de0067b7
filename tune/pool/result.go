package pool

import "plimsoll.dev/unit"

// Result is a rollout. Times are seconds from the start.
type Result struct {
	// Pools that the rollout is about, and others of which nodes change.
	Pools []PoolResult `json:"pools"`
	// Nodes in the order of their pools and names, as they fare when all times are the greatest.
	Nodes []NodeResult `json:"nodes"`
	// Taking is the number of nodes that are there for applications' pods: workers and
	// nodes of custom pools, of all pools together; masters only when there are no others.
	Taking int `json:"taking"`
	// Capacity is what takes pods, from each time on.
	Capacity []Capacity `json:"capacity"`
	// Stalls are times in which a pool doesn't go on though it isn't done.
	Stalls []Stall `json:"stalls,omitempty"`
	// Moments tell what happens, in order.
	Moments []Moment `json:"moments"`
	// Took is the time until the last node has its configuration; nil when that never comes.
	Took *Range `json:"took,omitempty"`
	// End of what was watched.
	End unit.Duration `json:"end"`
}

// PoolResult is a pool at the end of the rollout.
type PoolResult struct {
	Name  string `json:"name"`
	Nodes int    `json:"nodes"`
	// Budget of nodes at once, at the end; Wrong says why there is none.
	Budget int    `json:"budget"`
	Wrong  string `json:"wrong,omitempty"`
	// Updated nodes have the pool's configuration and are done.
	Updated     int `json:"updated"`
	Unavailable int `json:"unavailable"`
	// Degraded nodes failed.
	Degraded int  `json:"degraded"`
	Paused   bool `json:"paused,omitempty"`
	// Took is the time until the last node was updated; nil when that never comes.
	Took *Range `json:"took,omitempty"`
}

// NodeResult is how a node fared.
type NodeResult struct {
	Name string `json:"name"`
	// Pool at the end; empty for none, of which Problem may say why.
	Pool    string `json:"pool,omitempty"`
	Problem string `json:"problem,omitempty"`
	Spans   []Span `json:"spans"`
}

// Span is a state of a node that lasts.
type Span struct {
	From unit.Duration `json:"from"`
	To   unit.Duration `json:"to"`
	// State is waiting, draining, rebooting, updated, failed, cordoned, down, paused, unmanaged or unchanged.
	State string `json:"state"`
}

// Capacity is what can take pods from a time on.
type Capacity struct {
	At    unit.Duration `json:"at"`
	Nodes int           `json:"nodes"`
	// CPU and Pods are shares of those of all nodes, 0 to 1.
	CPU  float64 `json:"cpu"`
	Pods float64 `json:"pods"`
}

// Stall is a time in which a pool doesn't go on.
type Stall struct {
	Pool string        `json:"pool"`
	From unit.Duration `json:"from"`
	// To is the end; nil when there is none.
	To     *unit.Duration `json:"to,omitempty"`
	Reason string         `json:"reason"`
	// Remedy is what would help.
	Remedy string `json:"remedy,omitempty"`
}

// Moment is something that happens.
type Moment struct {
	At unit.Duration `json:"at"`
	// Node or pool that it happens to.
	Subject string `json:"subject"`
	What    string `json:"what"`
}

// when writes a time for people: "0 s", "90 s", "12 min".
func when(d unit.Duration) string { return unit.Format(float64(d), unit.Seconds) }
