package audit

import (
	"math"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

func leaderChanges(l *look, e *Etcd) {
	most := fact("etcd.audit.leaderChanges")
	var found []where
	missing := figures(e, func(m *EtcdMember) Figure { return m.Changes }, func(m *EtcdMember, n float64) string {
		if math.Round(n) > most { // what is not counted is extrapolated
			found = append(found, member(m, "%.0f in the hour to %s", n, clock(m.ChangesAt)))
		}
		return ""
	})
	if len(found) > 0 {
		l.find(found, "if the control plane was being updated then, nothing is wrong; else look at etcd.peerRTT, etcd.fsync "+
			"and at CPU that is taken from the machines (steal) of that hour", "the leader changed more than %.0f times in an "+
			"hour, which is too often by this program's own choice", most)
	}
	l.unless(missing)
}

func noLeader(l *look, e *Etcd) {
	var now, before []where
	missing := figures(e, func(m *EtcdMember) Figure { return m.Leader }, func(m *EtcdMember, has float64) string {
		least, ok := m.HourLeader.known()
		switch {
		case has == 0:
			now = append(now, member(m, ""))
		case ok && least == 0:
			before = append(before, member(m, ""))
		}
		return ""
	})
	const first = "look at the member's log, and whether a majority of the members runs and reaches each other: "
	if len(now) > 0 {
		l.find(now, first+l.etcdctl(e.Members[0].Name, "endpoint status --cluster -w table"), "it has no leader")
	}
	if len(before) > 0 {
		l.findAs(v1alpha1.Warning, before, first+l.etcdctl(e.Members[0].Name, "endpoint status --cluster -w table"),
			"it had no leader within the last hour, and has one now")
	}
	l.unless(missing)
}

func members(l *look, e *Etcd) {
	want, by := l.expected()
	seen := len(e.present())
	var gone []where
	for i := range e.Members {
		if m := &e.Members[i]; m.Gone != nil {
			gone = append(gone, member(m, "last seen %s", clock(*m.Gone)))
		}
	}
	if n := l.hosts(); len(e.Named) > 0 && n > 0 && n != len(e.Named) {
		l.find(nil, "take the member out whose machine is gone (etcdctl member remove ID), or add the one that is missing",
			"etcd has %s, and the control plane %s", words.Count(len(e.Named), "member"), words.Count(n, "node"))
	}
	switch {
	case e.SinceStart && seen < want:
		l.unless(nil) // a member's own metrics say nothing of the others
	case seen < want:
		l.find(gone, "look whether the member runs (kubectl get pods -A | grep etcd) and whether it is scraped (up == 0)",
			"%d of %s have metrics, by %s: the others are down, or nobody would see it if they were", seen,
			words.Count(want, "member"), by)
	case want == 0 && len(gone) > 0:
		l.find(gone, "look whether the member runs and is scraped (up == 0); one that was taken out is no fault",
			"it has no metrics any more")
	}
}
