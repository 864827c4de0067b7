package audit_test

import (
	"strings"
	"testing"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/audit"
)

// fine is a member of which all is known, and well.
func fine(name string) audit.EtcdMember {
	fast := audit.Latency{Window: 300, P99: []float64{0.002, 0.002}, Bounds: []float64{0.001, 0.002, 0.004}}
	to := fast
	to.To = "other"
	return audit.EtcdMember{Name: name, Quota: audit.Of(8 << 30), Size: audit.Of(1e9), InUse: audit.Of(9e8),
		Leader: audit.Of(1), HourLeader: audit.Of(1), Changes: audit.Of(0), Fsync: fast, Commit: fast,
		Peers: []audit.Latency{to}}
}

// etcdRules are the rules about etcd.
func etcdRules() (out []string) {
	for _, r := range audit.Rules() {
		if strings.HasPrefix(r.ID, "etcd.") {
			out = append(out, r.ID)
		}
	}
	return out
}

// measured is a cloud of which no more is known than what was measured of etcd.
func measured(e *audit.Etcd) *audit.Cloud {
	c := audit.New("test", now)
	c.Etcd = e
	return c
}

// Where the control plane runs elsewhere nobody is asked for its metrics.
func TestEtcdElsewhere(t *testing.T) {
	nodes := func(labels map[string]any) *audit.Cloud {
		return cloud(t, []map[string]any{{"kind": "Node", "metadata": map[string]any{"name": "a", "labels": labels}}},
			map[string]any{"kind": "Seen", "read": []string{"nodes"}})
	}
	for _, rule := range etcdRules() {
		if o := outcome(t, nodes(nil), rule); o.State != audit.NotApplicable {
			t.Errorf("workers only: %+v", o)
		}
		here := nodes(map[string]any{"node-role.kubernetes.io/control-plane": ""})
		if o := outcome(t, here, rule); o.State != audit.NotSeen {
			t.Errorf("with a control plane: %+v", o)
		}
	}
}

// Without metrics no rule about etcd says that anything is fine, and each says why.
func TestEtcdWithoutMetrics(t *testing.T) {
	for _, c := range []struct {
		etcd *audit.Etcd
		why  string
	}{
		{nil, "no metrics were given (--prometheus URL, --openmetrics FILE)"},
		{&audit.Etcd{Unread: "connection refused", NoAlarms: "connection refused"}, "connection refused"},
		{&audit.Etcd{Source: "a file", NoAlarms: "a file has no metrics of etcd"}, "a file has no metrics of etcd"},
		{&audit.Etcd{Source: "it", NoAlarms: "it has no metrics of etcd since",
			Members: []audit.EtcdMember{{Name: "a", Gone: &now}}}, "it has no metrics of etcd since"},
		{&audit.Etcd{Members: []audit.EtcdMember{{Name: "a"}}, NoAlarms: "x"}, ""},
	} {
		for _, rule := range etcdRules() {
			o := outcome(t, measured(c.etcd), rule)
			if rule == "etcd.members" && c.why == "" {
				continue // that there is one is known
			}
			if o.State != audit.NotSeen && o.State != audit.NotApplicable || !strings.Contains(o.Why, c.why) || o.Why == "" {
				t.Errorf("%+v: %+v", c.etcd, o)
			}
		}
	}
}

// What a change of a cluster that is fine makes of a rule.
//
// long: a table
func TestEtcd(t *testing.T) {
	gone := now.Add(-time.Hour)
	slow := func(n, of int) (x audit.Latency) {
		x = audit.Latency{Window: 300, Bounds: []float64{0.008, 0.016}}
		for i := range of {
			x.P99 = append(x.P99, map[bool]float64{true: 0.012, false: 0.003}[i < n])
		}
		return x
	}
	for _, c := range []struct {
		name, rule string
		change     func(*audit.Cloud)
		state      audit.State
		says       string
	}{
		{"as it is", "etcd.fsync", func(*audit.Cloud) {}, audit.OK, ""},
		{"a few slow windows", "etcd.fsync", func(c *audit.Cloud) { c.Etcd.Members[0].Fsync = slow(2, 100) }, audit.Found,
			"info EtcdMember/a (12 ms, which the histogram only tells from 8 ms to 16 ms; 10 ms or more in 2 of 100 windows"},
		{"some slow windows", "etcd.fsync", func(c *audit.Cloud) { c.Etcd.Members[0].Fsync = slow(5, 100) }, audit.Found,
			"warning EtcdMember/a"},
		{"too few events", "etcd.commit", func(c *audit.Cloud) {
			c.Etcd.Members[1].Commit = audit.Latency{Window: 3600, Thin: 24}
		}, audit.NotSeen, "b: fewer than 100 events, in 1 h"},
		{"a gap", "etcd.fsync", func(c *audit.Cloud) { c.Etcd.Members[1].Fsync.Missing = 5 }, audit.NotSeen,
			"b: no metrics in 5 of 7 windows"},
		{"a gap of one, and another is slow", "etcd.fsync", func(c *audit.Cloud) {
			c.Etcd.Members[0].Fsync, c.Etcd.Members[1].Fsync = slow(9, 9), audit.Latency{Why: "x"}
		}, audit.Found, "warning EtcdMember/a"},
		{"a member is gone", "etcd.fsync", func(c *audit.Cloud) { c.Etcd.Members[1].Gone = &gone }, audit.NotSeen,
			"b has no metrics since 2026-01-15 11:00"},
		{"a member is gone", "etcd.members", func(c *audit.Cloud) { c.Etcd.Members[1].Gone = &gone }, audit.Found,
			"error EtcdMember/b (last seen 2026-01-15 11:00): it has no metrics any more"},
		{"one was replaced", "etcd.fsync", func(c *audit.Cloud) {
			c.Etcd.Members[1].Gone, c.Etcd.Named = &gone, []string{"a"}
		}, audit.OK, ""},
		{"one more is on the list", "etcd.members", func(c *audit.Cloud) { c.Etcd.Named = []string{"a", "b", "c"} },
			audit.Found, "error 2 of 3 members have metrics, by its own list of members"},
		{"one more is on the list", "etcd.quotaUse", func(c *audit.Cloud) { c.Etcd.Named = []string{"a", "b", "c"} },
			audit.NotSeen, "2 of 3 members have metrics, by its own list of members"},
		{"one scrape", "etcd.members", func(c *audit.Cloud) {
			c.Etcd.SinceStart, c.Etcd.Named = true, []string{"a", "b", "c"}
		}, audit.NotSeen, "2 of 3 members"},
		{"an arbiter", "etcd.members", func(c *audit.Cloud) {
			c.OpenShift, c.Etcd.Named = "4.20.1", []string{"a", "b"}
			for _, role := range []string{"master", "arbiter"} {
				var n audit.Node
				n.Metadata.Labels = map[string]string{"node-role.kubernetes.io/" + role: ""}
				c.Nodes = append(c.Nodes, n)
			}
		}, audit.OK, ""},
		{"one member", "etcd.peerRTT", func(c *audit.Cloud) {
			c.Etcd.Members, c.Etcd.Members[0].Peers = c.Etcd.Members[:1], nil
		}, audit.NotApplicable, ""},
		{"the way to two is long", "etcd.peerRTT", func(c *audit.Cloud) {
			near, far := slow(9, 9), slow(9, 9)
			near.To, near.P99, far.To, far.P99 = "b", []float64{0.06}, "c", []float64{0.07}
			c.Etcd.Members[0].Peers = []audit.Latency{near, far}
		}, audit.Found, "warning EtcdMember/a (to c: 70 ms at least"},
		{"two lack the same", "etcd.noLeader", func(c *audit.Cloud) {
			c.Etcd.Members[0].Leader, c.Etcd.Members[1].Leader = audit.Figure{Why: "no x"}, audit.Figure{Why: "no x"}
		}, audit.NotSeen, "a, b: no x"},
		{"no quota", "etcd.quotaUse", func(c *audit.Cloud) { c.Etcd.Members[0].Quota = audit.Figure{} }, audit.NotSeen,
			"a: its quota is not known"},
		{"the quota of a release", "etcd.quotaUse", func(c *audit.Cloud) {
			c.OpenShift = "4.8.2"
			c.Etcd.Members[0].Quota, c.Etcd.Members[0].Size = audit.Figure{}, audit.Of(6e9)
		}, audit.Found, "warning EtcdMember/a (6 GB of 7.516 GB that the release sets, 80 %"},
		{"a little more than told", "etcd.quotaUse", func(c *audit.Cloud) { c.Etcd.Members[0].Size = audit.Of(5.7e9) },
			audit.Found, "info EtcdMember/a"},
		{"no trend of a day", "etcd.growth", func(c *audit.Cloud) {
			c.Etcd.Members[0].InUse = audit.Of(5e9)
			c.Etcd.Members[0].Trend = []audit.EtcdPoint{{At: now.Add(-23 * time.Hour), Bytes: 1e9}, {At: now, Bytes: 5e9}}
		}, audit.NotSeen, "a: there are no sizes of 24 hours or more"},
		{"it shrinks", "etcd.growth", func(c *audit.Cloud) {
			c.Etcd.Members[0].InUse = audit.Of(5e9)
			c.Etcd.Members[0].Trend = []audit.EtcdPoint{{At: now.Add(-48 * time.Hour), Bytes: 6e9}, {At: now, Bytes: 5e9}}
		}, audit.OK, ""},
		{"no leader an hour ago", "etcd.noLeader", func(c *audit.Cloud) { c.Etcd.Members[0].HourLeader = audit.Of(0) },
			audit.Found, "warning EtcdMember/a: it had no leader within the last hour"},
		{"alarms are not known", "etcd.alarm", func(c *audit.Cloud) { c.Etcd.NoAlarms = "no list" }, audit.NotSeen,
			"no list"},
		{"no bytes", "etcd.keyspace", func(*audit.Cloud) {}, audit.NotSeen, "900 MB of 900 MB in use are of kinds"},
		{"counted", "etcd.keyspace", func(c *audit.Cloud) { c.Pods = make([]audit.Pod, 100_000) }, audit.Found,
			"info Resource/pods (600 MB of 900 MB in use, estimated from their number)"},
		{"small", "etcd.keyspace", func(c *audit.Cloud) {
			c.Etcd.Members[0].InUse, c.Etcd.Members[1].InUse = audit.Of(1e8), audit.Of(1e8)
		}, audit.OK, ""},
		{"nothing in it", "etcd.fragmentation", func(c *audit.Cloud) { c.Etcd.Members[0].Size = audit.Of(0) }, audit.OK, ""},
	} {
		cloud := measured(&audit.Etcd{Source: "test", Members: []audit.EtcdMember{fine("a"), fine("b")}})
		c.change(cloud)
		o := outcome(t, cloud, c.rule)
		said := o.Why
		for _, f := range o.Findings {
			said += string(f.Severity) + " " + f.Message
		}
		if o.State != c.state || !strings.HasPrefix(said, c.says) {
			t.Errorf("%s, %s: %s %s", c.name, c.rule, o.State, said)
		}
	}
}

// Where there is free space it is given back first, else there is nothing to give back before something is deleted.
func TestEtcdOrder(t *testing.T) {
	for used, want := range map[float64]string{5e9: "in this order: defragment", 7.4e9: "in this order: delete"} {
		c := measured(&audit.Etcd{Members: []audit.EtcdMember{fine("a")}})
		c.Etcd.Members[0].Size, c.Etcd.Members[0].InUse = audit.Of(7.5e9), audit.Of(used)
		if fix := outcome(t, c, "etcd.quotaUse").Findings[0].Remedy; !strings.HasPrefix(fix, want) ||
			!strings.Contains(fix, "raise the quota: --quota-backend-bytes") {
			t.Error(fix)
		}
	}
}

// What metrics of yesterday say is told as of yesterday. A percentile above all bounds is told as no more than that.
func TestEtcdOld(t *testing.T) {
	c := measured(&audit.Etcd{At: now.Add(-25 * time.Hour), Members: []audit.EtcdMember{fine("a")}})
	c.Etcd.Members[0].Fsync = audit.Latency{Window: 300, P99: []float64{8.192}, Bounds: []float64{4.096, 8.192}}
	const want = "as of 2026-01-14 11:00: EtcdMember/a (8.19 s at least, the last bound of the histogram; 500 ms or more"
	if f := outcome(t, c, "etcd.fsync").Findings; len(f) != 1 || !strings.HasPrefix(f[0].Message, want) ||
		f[0].Severity != v1alpha1.Error {
		t.Errorf("%+v", f)
	}
}

// The leader is defragmented last, by a command of its own cluster.
func TestEtcdRemedy(t *testing.T) {
	c := measured(&audit.Etcd{Members: []audit.EtcdMember{fine("etcd-a"), fine("etcd-b")}})
	c.OpenShift, c.Etcd.Members[0].Leads, c.Etcd.Members[1].InUse = "4.14.1", true, audit.Of(1e8)
	f := outcome(t, c, "etcd.fragmentation").Findings[0]
	if f.Severity != v1alpha1.Warning || !strings.Contains(f.Remedy, "the leader last (etcd-b, etcd-a)") ||
		!strings.Contains(f.Remedy, "oc -n openshift-etcd rsh etcd-b sh -c") {
		t.Errorf("%+v", f)
	}
}
