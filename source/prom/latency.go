package prom

import (
	"strings"
	"time"

	"plimsoll.dev/audit"
	"plimsoll.dev/facts"
)

func compare(a, b string) int { return strings.Compare(a, b) }

// latencies of what members do, and of the way from each to the others.
func (m *measuring) latencies() {
	for id, x := range m.latency(text("etcd.query.fsync")) {
		m.members[id.name].Fsync = *x
	}
	for id, x := range m.latency(text("etcd.query.commit")) {
		m.members[id.name].Commit = *x
	}
	for id, x := range m.latency(text("ocp.etcd.peerMetric")) {
		if id.to == "" && len(m.members) == 1 || m.former(x) {
			continue // the only member has nobody to talk to
		}
		m.members[id.name].Peers = append(m.members[id.name].Peers, *x)
	}
}

// former says whether the way to a member is one to somebody who was a member before: nothing happens on it, and no
// member has that id.
func (m *measuring) former(x *audit.Latency) bool {
	if len(m.ids) == 0 || x.To == "" || len(x.P99) > 0 || x.Events > 0 {
		return false
	}
	for _, name := range m.ids {
		if name == x.To {
			return false
		}
	}
	return true
}

// pair is a member, and another where the way to it is measured.
type pair struct{ name, to string }

// windows are the percentiles and the numbers of events by the time at which each window ends.
type windows struct{ p99, events map[int64]float64 }

// latency of each member by a query: in the window that it has, or else, where that has too few events, in a wider one.
func (m *measuring) latency(query string) map[pair]*audit.Latency {
	n, err := parse(query)
	if err != nil {
		panic("facts: " + err.Error())
	}
	bounds := m.bounds(n.selected().metric)
	out := m.inWindows(n)
	if !m.out.SinceStart && m.anyLacks(out) {
		n.of.of.back = length("etcd.audit.wideWindow")
		for id, wide := range m.inWindows(n) {
			if have := out[id]; have == nil || len(have.P99) == 0 {
				out[id] = wide
			}
		}
	}
	for _, x := range out {
		x.Bounds = bounds
	}
	for name := range m.members {
		if !seen(out, name) {
			out[pair{name: name}] = &audit.Latency{Why: "it has no " + n.selected().metric}
		}
	}
	return out
}

// anyLacks says whether a member has no percentile, or none of the way to another.
func (m *measuring) anyLacks(out map[pair]*audit.Latency) bool {
	for _, x := range out {
		if len(x.P99) == 0 {
			return true
		}
	}
	for name, one := range m.members {
		if one.Gone == nil && !seen(out, name) {
			return true
		}
	}
	return false
}

func seen(out map[pair]*audit.Latency, name string) bool {
	for id := range out {
		if id.name == name {
			return true
		}
	}
	return false
}

// inWindows is the latency in the windows that follow one another for a day.
func (m *measuring) inWindows(n *node) map[pair]*audit.Latency {
	window := n.window()
	events := &node{metric: n.selected().metric, equal: [][2]string{{"le", "+Inf"}}, back: window}
	p99, count := n.String(), (&node{function: "increase", of: events}).String()
	if m.out.SinceStart {
		window, events.back = 0, 0
		count = events.String()
		p99 = (&node{function: n.function, quantile: n.quantile, of: &node{metric: events.metric}}).String()
	}
	by := map[pair]*windows{}
	err := m.collect(p99, window, by, func(w *windows) map[int64]float64 { return w.p99 })
	if err == nil {
		err = m.collect(count, window, by, func(w *windows) map[int64]float64 { return w.events })
	}
	first := m.at.UnixMilli()
	for _, w := range by {
		for at := range w.events {
			first = min(first, at)
		}
	}
	out := map[pair]*audit.Latency{}
	for id, w := range by {
		out[id] = w.judged(id.to, window, first, m.at.UnixMilli())
	}
	if err != nil {
		for name := range m.members {
			out[pair{name: name}] = &audit.Latency{Why: reason(err)}
		}
	}
	return out
}

// collect the values of an expression; the greater where a member has two at one time.
func (m *measuring) collect(expression string, window time.Duration, by map[pair]*windows,
	of func(*windows) map[int64]float64) error {
	list, err := m.course(expression, m.at.Add(-length("etcd.audit.day")), max(window, time.Minute))
	for _, s := range list {
		name, ours := m.name(s.Labels)
		if !ours || m.members[name] == nil {
			continue
		}
		id := pair{name: name}
		if to := s.Labels["To"]; to != "" {
			id.to = m.peer(to)
		}
		if by[id] == nil {
			by[id] = &windows{map[int64]float64{}, map[int64]float64{}}
		}
		values := of(by[id])
		for _, p := range s.Points {
			if old, ok := values[p.At.UnixMilli()]; !ok || p.Value > old {
				values[p.At.UnixMilli()] = p.Value
			}
		}
	}
	return err
}

// judged has the percentiles of the windows with enough events, from the first window that anybody has to the last.
func (w *windows) judged(to string, window time.Duration, first, last int64) *audit.Latency {
	x := &audit.Latency{To: to, Window: window.Seconds(), Events: w.events[last]}
	least := facts.Load().Must("etcd.audit.leastEvents").Number
	for at := first; at <= last; at += max(window, time.Minute).Milliseconds() {
		events, seen := w.events[at]
		p, told := w.p99[at]
		switch {
		case !seen:
			x.Missing++
		case events < least || !told:
			x.Thin++
		default:
			x.P99 = append(x.P99, p)
		}
	}
	return x
}
