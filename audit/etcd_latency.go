package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// slow is a rule about a latency: from warn on it is a warning, from err on an error.
type slow struct {
	what      string
	warn, err float64
	fix       string
	of        func(*EtcdMember) []Latency
}

func fsync(l *look, e *Etcd) {
	l.latency(e, slow{"writing the log to disk (fsync, 99th percentile)", fact("etcd.p99.fsync"),
		fact("etcd.alert.fsync"), disks, func(m *EtcdMember) []Latency { return []Latency{m.Fsync} }})
}

func commit(l *look, e *Etcd) {
	l.latency(e, slow{"committing the database to disk (99th percentile)", fact("etcd.p99.commit"),
		fact("etcd.alert.commit"), disks, func(m *EtcdMember) []Latency { return []Latency{m.Commit} }})
}

const disks = "measure the disk without etcd (plimsoll bench disk /var/lib/etcd), look for what else writes to it " +
	"and for CPU that is taken from the machine (steal); move etcd to NVMe or an SSD of its own, not Ceph, NFS or a " +
	"spinning disk"

func peerRTT(l *look, e *Etcd) {
	if seen := e.present(); len(seen) == 1 && !slices.ContainsFunc(seen[0].Peers, Latency.measured) {
		if n, _ := l.expected(); n <= 1 {
			l.notApplicable("etcd has one member")
			return
		}
	}
	l.latency(e, slow{"the round trip to another member (99th percentile)", fact("ocp.etcd.peerRoundTrip"),
		fact("etcd.alert.peerRoundTrip"), "measure the network between the two (plimsoll bench network), with another " +
			"member for comparison; keep the members in one region, on links that backups and storage do not fill",
		func(m *EtcdMember) []Latency { return m.Peers }})
}

// latency finds the members that are too slow in a share of the windows, or, so that it is known, in single ones.
func (l *look) latency(e *Etcd, s slow) {
	share := fact("etcd.audit.share")
	levels := []level{{s.err, v1alpha1.Error}, {s.warn, v1alpha1.Warning}, {s.warn, v1alpha1.Info}}
	found := make([][]where, len(levels))
	var missing []string
	for _, m := range e.present() {
		list := slices.Clone(s.of(m))
		slices.SortStableFunc(list, func(a, b Latency) int { return cmp.Compare(b.reached(share), a.reached(share)) })
		if len(list) == 0 {
			missing = append(missing, m.Name+": not measured")
		}
		told := make([][]string, len(levels))
		for i := range list {
			x := &list[i]
			if why := x.unknown(); why != "" {
				missing = append(missing, m.Name+x.towards()+": "+why)
			}
			if at, note := x.judged(s, share); note != "" {
				told[at] = append(told[at], note)
			}
		}
		for i, notes := range told {
			if len(notes) > 0 {
				found[i] = append(found[i], member(m, "%s", words.Some(notes, 1)))
			}
		}
	}
	for i, at := range levels {
		if len(found[i]) > 0 {
			l.findAs(at.severity, found[i], s.fix, "%s takes %s or more%s", s.what, ofSeconds(at.from),
				map[bool]string{true: ", in single windows only", false: ""}[at.severity == v1alpha1.Info])
		}
	}
	l.unless(missing)
}

// judged is the level that a latency has reached, and what is to be said of it; nothing where it is fast, or not known.
func (x *Latency) judged(s slow, share float64) (level int, note string) {
	if len(x.P99) == 0 {
		return 0, ""
	}
	switch typical := x.reached(share); {
	case typical >= s.err:
		return 0, x.told(s.err, typical)
	case typical >= s.warn:
		return 1, x.told(s.warn, typical)
	case x.above(s.warn) > 0:
		return 2, x.told(s.warn, x.reached(0))
	}
	return 0, ""
}

func (x *Latency) towards() string {
	if x.To == "" {
		return ""
	}
	return " to " + x.To
}

// unknown says of which time nothing is known.
func (x *Latency) unknown() string {
	switch {
	case x.Why != "":
		return x.Why
	case len(x.P99) == 0 && x.Thin > 0:
		return fmt.Sprintf("fewer than %.0f events, %s", fact("etcd.audit.leastEvents"), x.span())
	case len(x.P99) == 0:
		return "not measured"
	case x.Missing > 0:
		return fmt.Sprintf("no metrics in %d of %s", x.Missing, words.Count(x.Missing+x.Thin+len(x.P99), "window"))
	}
	return ""
}

// span is what a percentile is of.
func (x *Latency) span() string {
	if x.Window == 0 {
		return "since its start"
	}
	return "in " + span(x.Window)
}

// span is a length of time.
func span(seconds float64) string { return unit.Format(seconds, unit.Seconds) }

// told is what a member's windows have, and how far the histogram can tell: a percentile is interpolated in a bucket.
func (x *Latency) told(limit, value float64) string {
	note := ""
	if x.To != "" {
		note = "to " + x.To + ": "
	}
	note += ofSeconds(value)
	if low, high, ok := x.bucket(value); math.IsInf(high, 1) {
		note += " at least, the last bound of the histogram"
	} else if ok {
		note += fmt.Sprintf(", which the histogram only tells from %s to %s", ofSeconds(low), ofSeconds(high))
	}
	if x.Window == 0 {
		return note + fmt.Sprintf(", since its start, of %.0f events", x.Events)
	}
	return note + fmt.Sprintf("; %s or more in %d of %s of %s, the worst %s", ofSeconds(limit), x.above(limit),
		words.Count(len(x.P99), "window"), span(x.Window), ofSeconds(x.reached(0)))
}
