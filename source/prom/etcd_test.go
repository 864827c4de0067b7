package prom

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll.dev/audit"
	"plimsoll.dev/facts"
)

// stored is a store of a text.
func stored(t *testing.T, text string) *Store {
	t.Helper()
	s := NewStore()
	if err := s.Read(strings.NewReader(text), "file"); err != nil {
		t.Fatal(err)
	}
	return s
}

// The drawn members are told apart: one without a gap, one with one, one that starts anew, one that has vanished.
func TestEtcd(t *testing.T) {
	store := stored(t, drawn(1))
	e := Etcd(context.Background(), store, "test", store.Last())
	if e.Unread != "" || len(e.Members) != 4 || e.SinceStart {
		t.Fatalf("%+v", e)
	}
	a, b, c, d := e.Members[0], e.Members[1], e.Members[2], e.Members[3]
	vanished := began.Add(4*time.Hour + 5*time.Minute)
	if a.Gone != nil || b.Gone != nil || c.Gone != nil || d.Gone == nil || d.Gone.After(vanished) {
		t.Errorf("gone: %v %v %v %v", a.Gone, b.Gone, c.Gone, d.Gone)
	}
	// Of six hours there are 72 windows of five minutes; of 25 minutes without metrics four have none.
	if n := len(a.Fsync.P99) + a.Fsync.Thin; n < 71 || n > 73 || a.Fsync.Missing > 0 || a.Fsync.Thin == 0 {
		t.Errorf("a: %d windows, %+v", n, a.Fsync)
	}
	if b.Fsync.Missing < 4 || b.Fsync.Missing > 5 || c.Fsync.Missing > 0 || d.Fsync.Missing < 20 {
		t.Errorf("missing: %d %d %d", b.Fsync.Missing, c.Fsync.Missing, d.Fsync.Missing)
	}
	if cmp.Diff(a.Fsync.Bounds, []float64{0.001, 0.002, 0.004, 0.008, 0.016, 0.032}) != "" || a.Fsync.Window != 300 {
		t.Errorf("%+v", a.Fsync)
	}
	if a.Quota.Value != nil || a.Quota.Why != "it has no etcd_server_quota_backend_bytes" || a.Changes.Value == nil {
		t.Errorf("%+v", a)
	}
	if len(a.Peers) != 1 || a.Peers[0].Why != "it has no etcd_network_peer_round_trip_time_seconds_bucket" {
		t.Errorf("%+v", a.Peers)
	}
	if len(e.Kinds) > 0 || e.NoKinds == "" || e.NoAlarms == "" {
		t.Errorf("%+v", e)
	}
}

// counted is a counter of one member for three hours, at one sample in half a minute.
func counted(name, labels string, each float64) string {
	var out strings.Builder
	for i := range 361 {
		fmt.Fprintf(&out, "%s{%s} %v %d\n", name, labels, each*float64(i), began.Unix()+int64(30*i))
	}
	return out.String()
}

// A round trip is noted four times a minute: two minutes have too few, and an hour has enough. Who it goes to is told
// by an id.
func TestWideWindow(t *testing.T) {
	text := counted("etcd_mvcc_db_total_size_in_bytes", `pod="etcd-a",namespace="openshift-etcd"`, 1e6) +
		counted("etcd_mvcc_db_total_size_in_bytes", `pod="etcd-b",namespace="openshift-etcd"`, 1e6) +
		counted("etcd_mvcc_db_total_size_in_bytes", `pod="etcd-0",namespace="a-hosted-cluster"`, 1e6) +
		counted("etcd_server_id", `pod="etcd-b",namespace="openshift-etcd",server_id="8e9e05c52164694d"`, 1)
	for le, n := range map[string]float64{"0.0256": 1, "0.0512": 2, "+Inf": 2} {
		text += counted("etcd_network_peer_round_trip_time_seconds_bucket",
			`pod="etcd-a",namespace="openshift-etcd",To="8e9e05c52164694d",le="`+le+`"`, n)
	}
	store := stored(t, text)
	e := Etcd(context.Background(), store, "test", store.Last())
	if len(e.Members) != 2 {
		t.Fatalf("%+v", e.Members)
	}
	p := e.Members[0].Peers
	if len(p) != 1 || p[0].To != "etcd-b" || p[0].Window != 3600 || len(p[0].P99) != 3 || p[0].Missing > 0 {
		t.Fatalf("%+v", p)
	}
	for _, v := range p[0].P99 {
		if want := 0.0256 + 0.0256*0.98; v < want-1e-9 || v > want+1e-9 {
			t.Errorf("%v, want %v", v, want)
		}
	}
}

// A member that is gone for good leaves a way to it on which nothing happens: it is no gap.
func TestFormerPeer(t *testing.T) {
	text := counted("etcd_mvcc_db_total_size_in_bytes", `pod="etcd-a"`, 1e6) +
		counted("etcd_server_id", `pod="etcd-a",server_id="1"`, 1)
	for to, n := range map[string]float64{"1": 0, "2": 0, "3": 2} {
		for _, le := range []string{"0.0256", "+Inf"} {
			text += counted("etcd_network_peer_round_trip_time_seconds_bucket", `pod="etcd-a",To="`+to+`",le="`+le+`"`, n)
		}
	}
	store := stored(t, text)
	var left []string
	for _, x := range Etcd(context.Background(), store, "test", store.Last()).Members[0].Peers {
		left = append(left, x.To)
	}
	if d := cmp.Diff([]string{"3", "etcd-a"}, left); d != "" {
		t.Error(d)
	}
}

// What a member itself says has no times: sizes, and histograms since its start.
func TestSingleScrape(t *testing.T) {
	store := stored(t, "# TYPE etcd_server_has_leader gauge\netcd_server_has_leader 1\n"+
		"etcd_mvcc_db_total_size_in_bytes 2.5e+07\netcd_mvcc_db_total_size_in_use_in_bytes 1e+07\n"+
		"etcd_server_quota_backend_bytes 8.589934592e+09\netcd_server_version{server_version=\"3.6.4\"} 1\n"+
		"etcd_disk_wal_fsync_duration_seconds_bucket{le=\"0.001\"} 900\n"+
		"etcd_disk_wal_fsync_duration_seconds_bucket{le=\"0.002\"} 1000\n"+
		"etcd_disk_wal_fsync_duration_seconds_bucket{le=\"+Inf\"} 1000\n")
	e := Etcd(context.Background(), store, "test", time.Time{})
	if len(e.Members) != 1 || !e.SinceStart {
		t.Fatalf("%+v", e)
	}
	m := e.Members[0]
	// Of the thousand the 990th, nine tenths into the second bucket.
	want := audit.Latency{P99: []float64{0.0019}, Events: 1000, Bounds: []float64{0.001, 0.002}}
	if d := cmp.Diff(want, m.Fsync, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
	if m.Name != "file" || *m.Size.Value != 2.5e7 || *m.Leader.Value != 1 {
		t.Errorf("%+v", m)
	}
	if m.Changes.Why != sinceStart || e.NoAlarms != "" || len(m.Peers) > 0 || m.Commit.Why == "" {
		t.Errorf("%+v %+v", m, e)
	}
}

// Two tell of one member: the worse counts. A line that ends in the middle is told; one that is none is an error.
func TestRead(t *testing.T) {
	store := stored(t, `etcd_server_has_leader {instance="a", x="q\"\\\n}" , } 1 1768435200.5 # {trace="1"} 2`+
		"\nother 1 2 3 4\n{\"etcd server\",x=\"1\"} 3\netcd_server_has_leader{instance=\"b\"} 0 1768435200000\n"+
		"etcd_server_has_l")
	if !store.Cut || len(store.series) != 2 || store.Last() != time.UnixMilli(1768435200500) {
		t.Errorf("%+v", store)
	}
	if one := store.byName["etcd_server_has_leader"][0]; one.labels["x"] != "q\"\\\n}" {
		t.Errorf("%+v", one.labels)
	}
	for text, want := range map[string]string{
		"etcd_server_has_leader\nx 1\n":                                      "line 1: it is no line of metrics",
		"etcd_server_has_leader{a=\"b\" 1\n":                                 "line 1: it is no line of metrics",
		"etcd_server_has_leader 1 -5\n":                                      "line 1: it is no line of metrics",
		"etcd_server_has_leader 1 5\netcd_server_has_leader 1\n":             "line 2: some samples have a time",
		"x 1\netcd_server_has_leader{" + strings.Repeat("a", maxLine) + "\n": "line 2: it is longer",
		"etcd_server_has_leader{instance=\"a\"} one 1768435200.5\n":          "line 1: it is no line of metrics",
	} {
		if err := NewStore().Read(strings.NewReader(text), ""); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
	if err := NewStore().Read(strings.NewReader(""), ""); err != nil {
		t.Error(err)
	}
	// A long line of something else is passed over; sizes may be missing where buckets are.
	long := stored(t, "kube_x_info{y=\""+strings.Repeat("a", 3*maxLine)+"\"} 1\n"+
		"etcd_disk_wal_fsync_duration_seconds_bucket{instance=\"a\",le=\"+Inf\"} 5 1768435200\n")
	if e := Etcd(context.Background(), long, "test", long.Last()); len(e.Members) != 1 || e.Members[0].Gone != nil {
		t.Errorf("%+v", e)
	}
}

// Expressions that stand in the facts are understood and written as they stand; what is not evaluated is an error.
func TestParse(t *testing.T) {
	for _, f := range facts.Load().All() {
		if !strings.HasPrefix(f.ID, "etcd.query.") && f.ID != "ocp.etcd.peerMetric" || f.ID == "etcd.query.alarmsSince" {
			continue
		}
		n, err := parse(f.Text)
		if err != nil {
			t.Error(err)
			continue
		}
		again, err := parse(n.String())
		if err != nil || again.String() != n.String() || again.window() != n.window() {
			t.Errorf("%s: %v %v", f.ID, n, err)
		}
	}
	for _, text := range []string{"", "a[5m]", "rate(a)", "sum(a)", "rate(a[5x])", "histogram_quantile(a)", "a b", "a{b}",
		"histogram_quantile(2, a)", "rate(rate(a[5m])[5m])", strings.Repeat("rate(", 50), "rate(a[0s])", "1"} {
		if n, err := parse(text); err == nil {
			t.Errorf("%q is %v", text, n)
		}
	}
}

// What etcdctl prints for a must-gather.
func TestGathered(t *testing.T) {
	const id = `10276657743932975437`
	fsys := fstest.MapFS{
		"must-gather.local/quay-io/etcd_info/member_list.json": {Data: []byte(`{"header":{},"members":[{"ID":` + id +
			`,"name":"master-0","clientURLs":["https://10.0.0.1:2379"]},{"ID":2,"name":"master-1"}]}`)},
		"must-gather.local/quay-io/etcd_info/endpoint_status.json": {Data: []byte(`[{"Endpoint":"https://10.0.0.1:2379",` +
			`"Status":{"header":{"member_id":` + id + `},"version":"3.5.9","dbSize":104857600,"leader":` + id +
			`,"dbSizeInUse":52428800}},{"Endpoint":"https://10.0.0.3:2379","Status":{"header":{"member_id":"7"},"dbSize":1}}]`)},
		"must-gather.local/quay-io/etcd_info/alarm_list.json": {Data: []byte(
			`{"header":{},"alarms":[{"memberID":2,"alarm":1}]}`)},
		"must-gather.local/quay-io/namespaces/x.json": {Data: []byte(`{`)},
	}
	var g Gathered
	g.Dir(fsys, "dir")
	e := g.Onto(nil, "dir")
	if e == nil || len(e.Members) != 2 || fmt.Sprint(e.Named, e.Alarms) != "[master-0 master-1] [NOSPACE of master-1]" {
		t.Fatalf("%+v", e)
	}
	a, b := e.Members[1], e.Members[0]
	if a.Name != "master-0" || !a.Leads || *a.Size.Value != 104857600 || *a.InUse.Value != 52428800 ||
		*a.Leader.Value != 1 {
		t.Errorf("%+v", a)
	}
	if b.Name != "10.0.0.3" || *b.Leader.Value != 0 || b.Fsync.Why != audit.NoMetrics || b.Quota.Value != nil {
		t.Errorf("%+v", b)
	}
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	if err := w.AddFS(fsys); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	var again Gathered
	again.Archive(&packed, "dir")
	if d := cmp.Diff(e, again.Onto(nil, "dir")); d != "" {
		t.Error(d)
	}
	// With metrics the sizes are theirs.
	m := g.Onto(&audit.Etcd{Members: []audit.EtcdMember{{Name: "etcd-master-0"}}, NoAlarms: "none"}, "dir")
	if len(m.Members) != 1 || len(m.Named) != 2 || m.NoAlarms != "" || len(m.Alarms) != 1 {
		t.Errorf("%+v", m)
	}
	if none := (&Gathered{}).Onto(nil, "x"); none != nil {
		t.Errorf("%+v", none)
	}
	for _, text := range []string{"", "{", "[]", `{"alarms":[{"memberID":-1}]}`, "null"} {
		var g Gathered
		g.Dir(fstest.MapFS{"etcd_info/alarm_list.json": {Data: []byte(text)}}, "dir")
		if e := g.Onto(nil, "dir"); e != nil && e.NoAlarms == "" {
			t.Errorf("%s: %+v", text, e)
		}
	}
}

// FuzzGathered has the reader of a must-gather take anything.
func FuzzGathered(f *testing.F) {
	f.Add("alarm_list", `{"header":{},"alarms":[{"memberID":2,"alarm":1}]}`)
	f.Add("member_list", `{"header":{},"members":[{"ID":"7","name":"a"},{}]}`)
	f.Add("endpoint_status", `[{"Endpoint":"::","Status":{"header":{"member_id":7},"leader":7}},{}]`)
	f.Fuzz(func(_ *testing.T, name, text string) {
		var g Gathered
		g.file("etcd_info/"+name+".json", []byte(text))
		g.Onto(nil, "x")
		g.Onto(&audit.Etcd{}, "x")
	})
}

// FuzzRead has the reader take anything: it ends, with samples in order or an error.
func FuzzRead(f *testing.F) {
	f.Add("etcd_server_has_leader{instance=\"a\"} 1 1768435200.5\n# EOF\n")
	f.Add("etcd_mvcc_db_total_size_in_bytes 1e9\netcd_disk_wal_fsync_duration_seconds_bucket{le=\"+Inf\"} NaN")
	f.Add("etcd_server_has_leader{a=\"\\")
	f.Add("\x1f\x8b")
	f.Fuzz(func(t *testing.T, text string) {
		s := NewStore()
		if s.Read(strings.NewReader(text), "x") != nil {
			return
		}
		for _, one := range s.series {
			for i := range one.at {
				if i > 0 && one.at[i] <= one.at[i-1] {
					t.Fatalf("%v", one.at)
				}
			}
		}
		Etcd(context.Background(), s, "fuzz", time.UnixMilli(s.last))
	})
}
