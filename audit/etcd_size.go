package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
)

// quota of a member: what it says, or what its release sets; by whom, and 0 where it is not known.
func (l *look) quota(m *EtcdMember) (float64, string) {
	if v, ok := m.Quota.known(); ok && v > 0 {
		return v, ""
	}
	if f, _, _, ok := facts.Load().ForRelease("ocp.etcd.quota", l.OpenShift); ok && l.OpenShift != "" {
		return f.Number, " that the release sets"
	}
	return 0, ""
}

// noQuota is why a share of it can't be told.
const noQuota = "its quota is not known"

// level is a share from which on something is found, and how bad it is.
type level struct {
	from     float64
	severity v1alpha1.Severity
}

func quotaUse(l *look, e *Etcd) {
	levels := []level{{fact("ocp.etcd.alert.quotaFull"), v1alpha1.Error},
		{fact("ocp.etcd.alert.quotaNear"), v1alpha1.Warning}, {fact("ocp.etcd.alert.quotaTold"), v1alpha1.Info}}
	found := make([][]where, len(levels))
	missing := figures(e, func(m *EtcdMember) Figure { return m.Size }, func(m *EtcdMember, size float64) string {
		quota, by := l.quota(m)
		if quota == 0 {
			return noQuota
		}
		note := fmt.Sprintf("%s of %s%s, %s", ofBytes(size), ofBytes(quota), by,
			limit.Percent(math.Round(100*size/quota)/100))
		if used, ok := m.InUse.known(); ok {
			note += ", " + ofBytes(used) + " in use"
		}
		for i, at := range levels {
			if size/quota >= at.from {
				found[i] = append(found[i], member(m, "%s", note))
				break
			}
		}
		return ""
	})
	for i, at := range levels {
		if len(found[i]) > 0 {
			l.findAs(at.severity, found[i], l.room(), "the database has %s of its quota or more", limit.Percent(at.from))
		}
	}
	l.unless(missing)
}

// room says how to make room, in the order in which it helps: what is deleted leaves free space, which counts until it
// is given back.
func (l *look) room() string {
	const prune = "delete what is not needed, the kind with the most bytes first (events, finished jobs, old builds and " +
		"revisions of secrets)"
	steps := []string{prune, l.defragment()}
	for _, m := range l.Etcd.present() {
		const much = 0.1 // of the database that is free
		size, known := m.Size.known()
		if used, ok := m.InUse.known(); known && ok && size-used > much*size {
			slices.Reverse(steps)
			break
		}
	}
	return "in this order: " + strings.Join(append(steps, "raise the quota: "+l.raise()), "; then ")
}

// raise says how the quota is raised, which is the last thing to do: a larger database takes longer to start from.
func (l *look) raise() string {
	if l.OpenShift != "" {
		return "spec.backendQuotaGiB of the object etcd/cluster (operator.openshift.io), where the release has it; it " +
			"can't be lowered again"
	}
	return "--quota-backend-bytes of each member, 8 GiB at most as etcd suggests"
}

// alarms are known where the members are not: a must-gather may have no more than these.
func alarms(l *look) {
	e := l.Etcd
	switch {
	case e == nil && l.elsewhere():
		l.notApplicable(hostedControl)
	case e == nil:
		l.notSeen(NoMetrics)
	case len(e.Alarms) > 0:
		var all []where
		for _, a := range e.Alarms {
			all = append(all, at("EtcdAlarm", a, ""))
		}
		one := "MEMBER"
		if len(e.Members) > 0 {
			one = e.Members[0].Name
		}
		l.find(all, "for NOSPACE in this order: compact ("+l.etcdctl(one, "compact REVISION")+", with the revision of "+
			"endpoint status -w json); "+l.defragment()+"; delete what fills it; then "+l.etcdctl(one, "alarm disarm")+
			". For CORRUPT take the member out and add it anew: its data differs from that of the others",
			"etcd has raised an alarm")
	case e.NoAlarms != "":
		l.notSeen("%s", e.NoAlarms)
	case e.Unread != "":
		l.notSeen("%s", e.Unread)
	}
}

func fragmentation(l *look, e *Etcd) {
	share, least := fact("ocp.etcd.defrag.share"), fact("ocp.etcd.defrag.size")
	var found []where
	missing := figures(e, func(m *EtcdMember) Figure { return m.Size }, func(m *EtcdMember, size float64) string {
		used, ok := m.InUse.known()
		switch {
		case !ok:
			return "its size in use: " + m.InUse.why()
		case size >= least && (size-used)/size >= share:
			found = append(found, member(m, "%s of %s free", ofBytes(size-used), ofBytes(size)))
		}
		return ""
	})
	if len(found) > 0 {
		l.find(found, l.defragment(), "%s of the database or more is free space", limit.Percent(share))
	}
	l.unless(missing)
}

// growth is judged by a straight line through the sizes in use: single values go up and down with each compaction.
func growth(l *look, e *Etcd) {
	from, soon := fact("etcd.audit.trendFrom"), fact("etcd.audit.trendSoon")
	var found []where
	missing := figures(e, func(m *EtcdMember) Figure { return m.InUse }, func(m *EtcdMember, used float64) string {
		quota, _ := l.quota(m)
		slope, why := m.slope()
		switch {
		case quota == 0:
			return noQuota
		case used/quota < from:
		case why != "":
			return why
		case slope > 0 && (quota-used)/slope < soon:
			found = append(found, member(m, "%s a day, %s of %s in use, full in %.1f days", ofBytes(math.Round(slope*day)),
				ofBytes(used), ofBytes(quota), (quota-used)/slope/day))
		}
		return ""
	})
	if len(found) > 0 {
		l.find(found, "find what grows: compare the counts of objects (plimsoll snapshot) of two days; etcd.keyspace names "+
			"the kind with the most bytes", "by the trend of the last week the quota is reached in less than %.0f days, "+
			"the limit by this program's own choice", soon/day)
	}
	l.unless(missing)
}

const day = 24 * 3600.0

// slope is the growth in bytes a second by the least squares, or why there is none.
func (m *EtcdMember) slope() (float64, string) {
	least := fact("etcd.audit.trendLeast")
	n := float64(len(m.Trend))
	if n < 2 || m.Trend[len(m.Trend)-1].At.Sub(m.Trend[0].At) < time.Duration(least*float64(time.Second)) {
		return 0, fmt.Sprintf("there are no sizes of %.0f hours or more", least/3600)
	}
	var sumX, sumY, sumXX, sumXY float64
	for _, p := range m.Trend {
		x := p.At.Sub(m.Trend[0].At).Seconds()
		sumX, sumY, sumXX, sumXY = sumX+x, sumY+p.Bytes, sumXX+x*x, sumXY+x*p.Bytes
	}
	return (n*sumXY - sumX*sumY) / (n*sumXX - sumX*sumX), ""
}

// prunes is what to do about the kinds that fill etcd the most often.
var prunes = map[string]string{
	"events":      "an event that comes again and again: kubectl get events -A --sort-by=.count; shorten --event-ttl",
	"secrets":     "secrets of releases and of tokens: helm history --max, delete those of accounts that nobody uses",
	"pods":        "pods that have ended: ttlSecondsAfterFinished of Jobs, terminated-pod-gc-threshold",
	"builds":      "oc adm prune builds --confirm",
	"replicasets": "lower revisionHistoryLimit of Deployments",
	"images":      "oc adm prune images --confirm",
}

func keyspace(l *look, e *Etcd) {
	kinds, how, severity := e.Kinds, "", l.rule.Severity
	if len(kinds) == 0 {
		kinds, how, severity = l.estimated(), ", estimated from their number", v1alpha1.Info
	}
	used, sum := 0.0, 0.0
	missing := figures(e, func(m *EtcdMember) Figure { return m.InUse }, func(_ *EtcdMember, v float64) string {
		used = max(used, v)
		return ""
	})
	share, least := fact("etcd.audit.kindShare"), fact("etcd.audit.kindSize")
	var found []where
	fix := ""
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		bytes := kinds[name]
		sum += bytes
		if used > 0 && bytes >= least && bytes/used >= share {
			found = append(found, at("Resource", name, "%s of %s in use%s", ofBytes(bytes), ofBytes(used), how))
			fix += cmp.Or(prunes[name], "delete "+name+" that nobody needs, or have who makes them keep fewer") + "; "
		}
	}
	switch {
	case len(found) > 0:
		l.findAs(severity, found, fix+"then "+l.defragment(), "one kind has %s of what etcd holds or more, by this "+
			"program's own choice of a limit", limit.Percent(share))
	case used == 0:
		l.unless(missing)
	case how != "" && used >= least && sum < (1-share)*used: // what is not counted may be of one kind
		l.notSeen("%s of %s in use are of kinds whose bytes are not known: %s", ofBytes(used-sum), ofBytes(used),
			cmp.Or(e.NoKinds, "the API server does not tell all"))
	}
}

// estimated are the bytes of the kinds that were counted, by the usual size of their objects.
func (l *look) estimated() map[string]float64 {
	count := map[string]int64{"Pod": int64(len(l.Pods)), "Namespace": int64(len(l.Namespaces)),
		"Node": int64(len(l.Nodes))}
	if l.seen != nil {
		maps.Copy(count, l.seen.Counts)
	}
	out := map[string]float64{}
	for kind, n := range count {
		name := strings.ToLower(kind[:1]) + kind[1:] + "s"
		if f, ok := facts.Load().Get("etcd.object.size/" + name); ok && n > 0 {
			out[strings.ToLower(name)] = float64(n) * f.Number
		}
	}
	return out
}
