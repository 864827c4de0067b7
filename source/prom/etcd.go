package prom

import (
	"context"
	"errors"
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"plimsoll.dev/audit"
	"plimsoll.dev/engine/prometheus"
	"plimsoll.dev/facts"
)

// Asker gives what an expression of PromQL has at a moment, and in the course of a time: a Prometheus, or a [Store].
type Asker interface {
	Query(ctx context.Context, expression string, at time.Time) ([]prometheus.Sample, error)
	Range(ctx context.Context, expression string, from, to time.Time, step time.Duration) ([]prometheus.Series, error)
}

// bytesOfKinds is what the API server of Kubernetes 1.34 and later says of the objects of a resource.
const bytesOfKinds = "apiserver_resource_size_estimate_bytes"

// wanted are the metrics that are kept of a file: those that are asked for.
var wanted = func() map[string]bool {
	out := map[string]bool{bytesOfKinds: true}
	for _, id := range []string{"etcd.query.fsync", "etcd.query.commit", "ocp.etcd.peerMetric", "etcd.audit.leaderQuery",
		"etcd.query.size", "ocp.etcd.sizeMetric", "ocp.etcd.inUseMetric", "ocp.etcd.quotaMetric", "etcd.query.leader",
		"etcd.query.leads", "etcd.query.id", "etcd.query.alarms", "etcd.query.version"} {
		n, err := parse(text(id))
		if err != nil {
			panic("facts: " + id + ": " + err.Error())
		}
		out[n.selected().metric] = true
	}
	return out
}()

// text of a fact.
func text(id string) string { return facts.Load().Must(id).Text }

// length of time that a fact says.
func length(id string) time.Duration {
	return time.Duration(facts.Load().Must(id).Number * float64(time.Second))
}

// Etcd measures etcd at a moment and in the day before. What can't be had is told with the reason; source is how
// people know who is asked.
func Etcd(ctx context.Context, ask Asker, source string, at time.Time) *audit.Etcd {
	m := &measuring{ctx: ctx, ask: ask, at: at, out: &audit.Etcd{Source: source, At: at},
		members: map[string]*audit.EtcdMember{}, ids: map[string]string{}}
	if s, ok := ask.(*Store); ok {
		m.out.SinceStart = s.Single()
	}
	if err := m.who(); err != nil {
		m.out.Unread, m.out.NoAlarms = source+": "+reason(err), source+": "+reason(err)
		return m.out
	}
	if len(m.members) > 0 {
		m.sizes()
		m.leaders()
		m.latencies()
		m.alarms()
		m.kinds()
	}
	for _, one := range m.members {
		slices.SortFunc(one.Peers, func(a, b audit.Latency) int { return compare(a.To, b.To) })
		m.out.Members = append(m.out.Members, *one)
	}
	m.out.Sort()
	return m.out
}

// reason is an error without the address, which people gave.
func reason(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

// measuring is etcd while it is being measured.
type measuring struct {
	ctx     context.Context
	ask     Asker
	at      time.Time
	out     *audit.Etcd
	members map[string]*audit.EtcdMember
	ids     map[string]string // names by the ids that peers are told by
	// ours is the namespace whose members count, where there are several etcds; size the metric that they have.
	ours, size string
}

// OpenShift's etcd, beside which that of hosted clusters may run.
const openshiftEtcd = "openshift-etcd"

// name of the member that labels are of, and whether it is one of those that count.
func (m *measuring) name(labels map[string]string) (string, bool) {
	if m.ours != "" && labels["namespace"] != m.ours {
		return "", false
	}
	name := labels["pod"]
	if name == "" {
		name = labels["instance"]
	}
	if name == "" {
		name = m.out.Source
	}
	return name, true
}

// who are the members: those that have, at some time of the day, a size of the database, or what else a file holds
// where it has no sizes.
func (m *measuring) who() error {
	m.size = text("etcd.query.size")
	old, writes := text("ocp.etcd.sizeMetric"), ""
	if n, err := parse(text("etcd.query.fsync")); err == nil {
		writes = n.selected().metric + `{le="+Inf"}`
	}
	for _, metric := range []string{m.size, old, text("etcd.query.leader"), writes} {
		list, err := m.course(metric, m.at.Add(-length("etcd.audit.day")), 5*time.Minute)
		if err != nil {
			return err
		}
		for _, s := range list {
			if s.Labels["namespace"] == openshiftEtcd {
				m.ours = openshiftEtcd
			}
		}
		for _, s := range list {
			m.meet(s)
		}
		if len(m.members) > 0 {
			if metric == old {
				m.size = old
			}
			return nil
		}
	}
	return nil
}

// meet a member, by a series of it.
func (m *measuring) meet(s prometheus.Series) {
	name, ours := m.name(s.Labels)
	if !ours || len(s.Points) == 0 {
		return
	}
	last := s.Points[len(s.Points)-1].At
	one := m.members[name]
	if one == nil {
		one = &audit.EtcdMember{Name: name, Gone: &last}
		m.members[name] = one
	}
	if one.Gone != nil && last.After(*one.Gone) {
		one.Gone = &last
	}
	if !last.Before(m.at) {
		one.Gone = nil
	}
}

// course of an expression until now; of a single scrape it is its one value.
func (m *measuring) course(expression string, from time.Time, step time.Duration) ([]prometheus.Series, error) {
	if !m.out.SinceStart {
		// The last step has to be now.
		steps := m.at.Sub(from) / step
		return m.ask.Range(m.ctx, expression, m.at.Add(-steps*step), m.at, step)
	}
	list, err := m.ask.Query(m.ctx, expression, m.at)
	var out []prometheus.Series
	for _, s := range list {
		out = append(out, prometheus.Series{Labels: s.Labels, Points: []prometheus.Point{{At: m.at, Value: s.Value}}})
	}
	return out, err
}

// each gives the value that an expression has now for each member, the greater where one has two; why says that there
// is none.
func (m *measuring) each(expression string, take func(*audit.EtcdMember) *audit.Figure) {
	list, err := m.ask.Query(m.ctx, expression, m.at)
	for _, s := range list {
		if name, ours := m.name(s.Labels); ours && m.members[name] != nil {
			f := take(m.members[name])
			if f.Value == nil || *f.Value < s.Value {
				*f = audit.Of(s.Value)
			}
		}
	}
	for _, one := range m.members {
		if f := take(one); f.Value == nil {
			f.Why = absent(expression, err)
		}
	}
}

func absent(expression string, err error) string {
	if err != nil {
		return reason(err)
	}
	return "it has no " + expression
}

func (m *measuring) sizes() {
	m.each(m.size, func(e *audit.EtcdMember) *audit.Figure { return &e.Size })
	m.each(text("ocp.etcd.quotaMetric"), func(e *audit.EtcdMember) *audit.Figure { return &e.Quota })
	used := text("ocp.etcd.inUseMetric")
	m.each(used, func(e *audit.EtcdMember) *audit.Figure { return &e.InUse })
	if m.out.SinceStart {
		return
	}
	list, err := m.course(used, m.at.Add(-length("etcd.audit.trendWindow")), time.Hour)
	if err != nil {
		return // there is no trend, which its rule says
	}
	for _, s := range list {
		name, ours := m.name(s.Labels)
		if one := m.members[name]; ours && one != nil && len(s.Points) > len(one.Trend) {
			one.Trend = nil
			for _, p := range s.Points {
				one.Trend = append(one.Trend, audit.EtcdPoint{At: p.At, Bytes: p.Value})
			}
		}
	}
}

func (m *measuring) leaders() {
	leader := text("etcd.query.leader")
	m.each(leader, func(e *audit.EtcdMember) *audit.Figure { return &e.Leader })
	if list, err := m.ask.Query(m.ctx, text("etcd.query.leads"), m.at); err == nil {
		for _, s := range list {
			if name, ours := m.name(s.Labels); ours && m.members[name] != nil && s.Value == 1 {
				m.members[name].Leads = true
			}
		}
	}
	if list, err := m.ask.Query(m.ctx, text("etcd.query.id"), m.at); err == nil {
		for _, s := range list {
			if name, ours := m.name(s.Labels); ours {
				m.ids[s.Labels["server_id"]] = name
			}
		}
	}
	if m.out.SinceStart {
		for _, one := range m.members {
			one.HourLeader.Why = sinceStart
			one.Changes.Why = sinceStart
		}
		return
	}
	m.each("min_over_time("+leader+"[1h])", func(e *audit.EtcdMember) *audit.Figure { return &e.HourLeader })
	m.changes()
}

// sinceStart is why one scrape does not say what happened when.
const sinceStart = "one scrape counts since the member's start, and not in an hour"

// changes of the leader in each hour of the day.
func (m *measuring) changes() {
	query := text("etcd.audit.leaderQuery")
	list, err := m.course(query, m.at.Add(-length("etcd.audit.day")), 30*time.Minute)
	for _, s := range list {
		name, ours := m.name(s.Labels)
		one := m.members[name]
		if !ours || one == nil {
			continue
		}
		for _, p := range s.Points {
			if one.Changes.Value == nil || p.Value > *one.Changes.Value {
				one.Changes, one.ChangesAt = audit.Of(p.Value), p.At
			}
		}
	}
	for _, one := range m.members {
		if one.Changes.Value == nil {
			one.Changes.Why = absent(query, err)
		}
	}
}

// alarms that the members tell of, as later versions do once one was raised.
func (m *measuring) alarms() {
	list, err := m.ask.Query(m.ctx, text("etcd.query.alarms"), m.at)
	for _, s := range list {
		if _, ours := m.name(s.Labels); ours && s.Value > 0 {
			m.out.Alarms = append(m.out.Alarms, s.Labels["alarm_type"]+" of "+m.peer(s.Labels["server_id"]))
		}
	}
	slices.Sort(m.out.Alarms)
	m.out.Alarms = slices.Compact(m.out.Alarms)
	switch since := text("etcd.query.alarmsSince"); {
	case err != nil:
		m.out.NoAlarms = reason(err)
	case len(list) == 0 && !m.all(since):
		m.out.NoAlarms = "there is no metric of alarms before etcd " + since +
			" (see etcdctl alarm list, or give a must-gather)"
	}
}

// all says whether each member says that it is of a version or later.
func (m *measuring) all(version string) bool {
	list, _ := m.ask.Query(m.ctx, text("etcd.query.version"), m.at)
	later := map[string]bool{}
	for _, s := range list {
		name, ours := m.name(s.Labels)
		later[name] = ours && facts.CompareReleases(s.Labels["server_version"], version) >= 0
	}
	for name, one := range m.members {
		if one.Gone == nil && !later[name] {
			return false
		}
	}
	return true
}

// peer is the name of a member that is told by its id.
func (m *measuring) peer(id string) string {
	if name := m.ids[id]; name != "" {
		return name
	}
	return id
}

// kinds and their bytes. Each API server estimates them by itself.
func (m *measuring) kinds() {
	list, err := m.ask.Query(m.ctx, bytesOfKinds, m.at)
	for _, s := range list {
		if m.out.Kinds == nil {
			m.out.Kinds = map[string]float64{}
		}
		name := s.Labels["resource"]
		if group := s.Labels["group"]; group != "" {
			name += "." + group
		}
		m.out.Kinds[name] = max(m.out.Kinds[name], s.Value)
	}
	switch {
	case err != nil:
		m.out.NoKinds = reason(err)
	case len(list) == 0:
		m.out.NoKinds = "there is no " + bytesOfKinds + ", which Kubernetes has from 1.34 on"
	}
}

// bounds of the buckets that a histogram has.
func (m *measuring) bounds(metric string) []float64 {
	list, err := m.ask.Query(m.ctx, metric, m.at)
	if err != nil {
		return nil
	}
	seen := map[float64]bool{}
	var out []float64
	for _, s := range list {
		b, err := strconv.ParseFloat(s.Labels["le"], 64)
		if err == nil && !math.IsInf(b, 0) && !math.IsNaN(b) && !seen[b] {
			seen[b] = true
			out = append(out, b)
		}
	}
	slices.Sort(out)
	return out
}
