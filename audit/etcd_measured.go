package audit

import (
	"math"
	"slices"
	"strings"
	"time"
)

// KindEtcd is the kind of [Etcd], as [Cloud.Add] takes it. No object of a cluster can be of it.
const KindEtcd = "plimsoll.dev/Etcd"

// Etcd is what was measured of etcd, of each member by itself: an average hides the slow disk between two fast ones.
type Etcd struct {
	// Source that was asked, and the moment that its last values are of.
	Source string    `json:"source"`
	At     time.Time `json:"at"`
	// SinceStart says that there is one scrape without a time: counters are since each member's start.
	SinceStart bool `json:"sinceStart,omitempty"`
	// Members of which something was seen, by their names.
	Members []EtcdMember `json:"members"`
	// Named are the members by etcd's own list of them; empty where it was not given.
	Named []string `json:"named,omitempty"`
	// Alarms that are raised, each "NOSPACE of a"; NoAlarms is why they are not known.
	Alarms   []string `json:"alarms,omitempty"`
	NoAlarms string   `json:"noAlarms,omitempty"`
	// Kinds are the bytes of all objects of a resource, as the API server estimates them; NoKinds is why there are none.
	Kinds   map[string]float64 `json:"kinds,omitempty"`
	NoKinds string             `json:"noKinds,omitempty"`
	// Unread is why nothing was measured.
	Unread string `json:"unread,omitempty"`
}

// EtcdMember is one of its members.
type EtcdMember struct {
	Name string `json:"name"`
	// Leads says that it is the leader, Gone that it had metrics within the day and has none now.
	Leads bool       `json:"leads,omitempty"`
	Gone  *time.Time `json:"gone,omitempty"`
	// Quota, Size and InUse of the database in bytes; the size includes free space.
	Quota Figure `json:"quota"`
	Size  Figure `json:"size"`
	InUse Figure `json:"inUse"`
	// Leader is 1 where it has a leader, HourLeader the least of it within the hour. Changes are the most changes of the
	// leader that it saw in an hour, which ended at ChangesAt.
	Leader     Figure    `json:"leader"`
	HourLeader Figure    `json:"hourLeader"`
	Changes    Figure    `json:"changes"`
	ChangesAt  time.Time `json:"changesAt,omitzero"`
	// Fsync of the log, Commit of the database, and Peers: the round trip to each other member.
	Fsync  Latency   `json:"fsync"`
	Commit Latency   `json:"commit"`
	Peers  []Latency `json:"peers,omitempty"`
	// Trend of the size in use.
	Trend []EtcdPoint `json:"trend,omitempty"`
}

// Figure is a value that was measured, or why it was not.
type Figure struct {
	Value *float64 `json:"value,omitempty"`
	Why   string   `json:"why,omitempty"`
}

// Of is a figure that is known.
func Of(value float64) Figure { return Figure{Value: &value} }

// known is its value, and whether there is one.
func (f Figure) known() (float64, bool) {
	if f.Value == nil {
		return 0, false
	}
	return *f.Value, true
}

// why there is no value.
func (f Figure) why() string {
	if f.Why == "" {
		return "not measured"
	}
	return f.Why
}

// Latency of what a member does, by windows of time.
type Latency struct {
	// To which member, for a round trip.
	To string `json:"to,omitempty"`
	// Window in seconds of which each percentile is; 0 is since the member's start.
	Window float64 `json:"window,omitempty"`
	// P99 of each window that has enough events, in seconds. Thin is how many have fewer, Missing how many have no
	// metrics: of these nobody can say that they are fine.
	P99     []float64 `json:"p99,omitempty"`
	Thin    int       `json:"thin,omitempty"`
	Missing int       `json:"missing,omitempty"`
	// Events of the last window.
	Events float64 `json:"events,omitempty"`
	// Bounds of the histogram's buckets, in order: a percentile is interpolated between two of them.
	Bounds []float64 `json:"bounds,omitempty"`
	Why    string    `json:"why,omitempty"`
}

// bucket has the bounds that a percentile lies between; one that lies above all of them is told as the last, and has no
// upper one.
func (x *Latency) bucket(p float64) (low, high float64, ok bool) {
	n := len(x.Bounds)
	if n == 0 {
		return 0, 0, false
	}
	if last := x.Bounds[n-1]; p >= last {
		return last, math.Inf(1), true
	}
	for _, b := range x.Bounds {
		if high = b; b >= p {
			break
		}
		low = b
	}
	return low, high, true
}

// measured says that there is a percentile.
func (x Latency) measured() bool { return len(x.P99) > 0 }

// reached is what a share of the windows have, or more.
func (x *Latency) reached(share float64) float64 {
	if len(x.P99) == 0 {
		return 0
	}
	sorted := slices.Clone(x.P99)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	n := int(share * float64(len(sorted)))
	if float64(n) < share*float64(len(sorted)) {
		n++
	}
	return sorted[max(n, 1)-1]
}

// above is how many windows are not below a limit.
func (x *Latency) above(limit float64) (n int) {
	for _, p := range x.P99 {
		if p >= limit {
			n++
		}
	}
	return n
}

// EtcdPoint is a size at a moment.
type EtcdPoint struct {
	At    time.Time `json:"at"`
	Bytes float64   `json:"bytes"`
}

// Sort puts members into the order of their names.
func (e *Etcd) Sort() {
	slices.SortFunc(e.Members, func(a, b EtcdMember) int { return strings.Compare(a.Name, b.Name) })
}
