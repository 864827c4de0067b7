package load

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/engine/prometheus"
	"plimsoll.dev/engine/prometheus/prometheustest"
)

// exporter tells what a member of etcd and an API server tell: of 1,000 events a second nine in ten are
// written in 16 ms and the others in 32 ms; calls to GET are fewer than quantiles are said of.
func exporter(t *testing.T) string {
	t.Helper()
	began := time.Now()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s := time.Since(began).Seconds()
		for le, share := range map[string]float64{"0.008": 0.5, "0.016": 0.9, "0.032": 1, "+Inf": 1} {
			fmt.Fprintf(w, "etcd_disk_wal_fsync_duration_seconds_bucket{le=%q} %.0f\n", le, 1000*s*share)
			fmt.Fprintf(w, "apiserver_request_sli_duration_seconds_bucket{verb=\"POST\",scope=\"resource\",le=%q} %.0f\n", le,
				1000*s*share)
			fmt.Fprintf(w, "apiserver_request_sli_duration_seconds_bucket{verb=\"GET\",scope=\"resource\",le=%q} %.0f\n", le,
				2*s*share)
		}
		fmt.Fprintf(w, "etcd_mvcc_db_total_size_in_bytes 52428800\nprocess_cpu_seconds_total %f\n", s/4)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// scraped starts Prometheus itself, which asks an address as etcd and as the API server.
func scraped(t *testing.T, address string) *prometheus.Client {
	t.Helper()
	config := fmt.Sprintf("global: {scrape_interval: 250ms}\nscrape_configs:\n- job_name: etcd\n"+
		"  static_configs: [{targets: [%q]}]\n", address)
	return prometheustest.Start(t, config, t.TempDir(), func(c *prometheus.Client) bool {
		up, err := c.Query(t.Context(), "up == 1", time.Now())
		return err == nil && len(up) == 1
	})
}

// What is asked is PromQL, and Prometheus' own answers are read: interpolated quantiles, and nothing of too
// few events, of series that are not there, and of a time without scrapes.
func TestPrometheusItself(t *testing.T) {
	c := scraped(t, exporter(t))
	began := time.Now()
	time.Sleep(3 * time.Second)
	got := map[string][]MetricValue{}
	for _, m := range Metrics(context.Background(), c, began, time.Since(began)) {
		if m.Why != "" {
			t.Errorf("%s: %s", m.ID, m.Why)
		}
		got[m.ID] = m.Values
	}
	for id, want := range map[string][2]float64{"apiserver": {0.0295, 0.0313}, "etcd/fsync": {0.0295, 0.0313},
		"etcd/size": {52428800, 52428800}, "cpu": {220, 260}} {
		if v := got[id]; len(v) != 1 || v[0].Value < want[0] || v[0].Value > want[1] {
			t.Errorf("%s is %+v, want %v", id, v, want)
		}
	}
	if len(got["etcd/commit"]) > 0 || len(got["memory"]) > 0 {
		t.Errorf("%+v", got)
	}
	for _, m := range Metrics(context.Background(), c, began.Add(-time.Hour), time.Minute) {
		if len(m.Values) > 0 {
			t.Errorf("an hour before: %+v", m)
		}
	}
}
