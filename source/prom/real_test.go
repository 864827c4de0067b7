package prom

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/engine/prometheus"
	"plimsoll.dev/engine/prometheus/prometheustest"
	"plimsoll.dev/internal/need"
)

// began is when the drawn metrics begin.
var began = time.Date(2026, 1, 14, 0, 0, 0, 0, time.UTC)

// histograms that are drawn.
var histograms = []struct {
	name   string
	bounds []string
}{
	{"etcd_disk_wal_fsync_duration_seconds", []string{"0.001", "0.002", "0.004", "0.008", "0.016", "0.032", "+Inf"}},
	{"etcd_disk_backend_commit_duration_seconds", []string{"0.002", "0.008", "0.064", "+Inf"}},
}

// drawn are metrics of four members over six hours: a counts without a gap; b is not asked for 25 minutes; c starts
// anew now and then; d vanishes after four hours. Each is asked every half minute, a quarter of a second early or late.
func drawn(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	lines := map[string][]string{}
	for _, member := range []string{"a", "b", "c", "d"} {
		counts, leader := map[string]float64{}, 1.0
		for tick := range 6 * 120 {
			at := float64(began.Unix()) + 30*float64(tick) + 0.25*float64(r.IntN(3)-1)
			restarts := member == "c" && r.IntN(100) == 0
			if restarts {
				counts, leader = map[string]float64{}, 1
			}
			idle := tick > 500 && tick < 560
			gap := member == "b" && tick > 200 && tick < 250 || member == "d" && tick > 480
			tell := func(name, labels string, value float64) {
				line := fmt.Sprintf("%s{instance=%q,job=\"etcd\"%s} %v %v", name, member, labels, value, at)
				if !gap {
					lines[name] = append(lines[name], line)
				}
			}
			for _, h := range histograms {
				sum := 0.0
				for i, le := range h.bounds {
					key := h.name + le
					if !idle && i < len(h.bounds)-r.IntN(3) {
						counts[key] += float64(r.IntN(1 + (40 >> i)))
					}
					sum += counts[key]
					tell(h.name+"_bucket", fmt.Sprintf(",le=%q", le), sum)
				}
			}
			if r.IntN(200) == 0 {
				leader++
			}
			tell("etcd_server_leader_changes_seen_total", "", leader)
			tell("etcd_server_has_leader", "", float64(min(1, r.IntN(300))))
			tell("etcd_mvcc_db_total_size_in_bytes", "", 1e9+float64(r.IntN(1e9))/7)
		}
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(lines)) { // types are not told: a dump of Prometheus' own has none
		out.WriteString(strings.Join(lines[name], "\n") + "\n")
	}
	return out.String() + "# EOF\n"
}

// real starts Prometheus itself with the metrics of a text.
func real(t *testing.T, text string) *prometheus.Client {
	t.Helper()
	tool, dir := need.Program(t, "promtool"), t.TempDir()
	metrics, data := filepath.Join(dir, "metrics"), filepath.Join(dir, "data")
	if err := os.WriteFile(metrics, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	made, err := exec.Command(tool, "tsdb", "create-blocks-from", "openmetrics", "--max-block-duration=336h", metrics,
		data).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, made)
	}
	return prometheustest.Start(t, "{}\n", data, func(c *prometheus.Client) bool {
		_, err := c.Query(t.Context(), "1", began)
		return err == nil
	}, "--storage.tsdb.retention.time=10y")
}

// What is evaluated here has the digits of Prometheus itself: at moments before, within and behind the samples, beside
// gaps, where counters begin anew, where nothing happens, and where a member has vanished.
func TestPrometheusItself(t *testing.T) {
	text := drawn(1)
	store := NewStore()
	if err := store.Read(strings.NewReader(text), ""); err != nil {
		t.Fatal(err)
	}
	peer, ctx := real(t, text), context.Background()
	some := 0
	for _, expression := range []string{
		"etcd_mvcc_db_total_size_in_bytes",
		`etcd_disk_wal_fsync_duration_seconds_bucket{le="+Inf"}`,
		"rate(etcd_disk_wal_fsync_duration_seconds_bucket[2m])",
		`increase(etcd_disk_wal_fsync_duration_seconds_bucket{le="+Inf",instance="b"}[5m])`,
		"increase(etcd_server_leader_changes_seen_total[1h])",
		"min_over_time(etcd_server_has_leader[1h])",
		"max_over_time(etcd_mvcc_db_total_size_in_bytes[1d])",
		"histogram_quantile(0.99, rate(etcd_disk_wal_fsync_duration_seconds_bucket[2m]))",
		"histogram_quantile(0.99, rate(etcd_disk_wal_fsync_duration_seconds_bucket[1h]))",
		"histogram_quantile(0.5, rate(etcd_disk_backend_commit_duration_seconds_bucket[5m]))",
		"histogram_quantile(0.99, etcd_disk_backend_commit_duration_seconds_bucket)",
	} {
		from, to, step := began.Add(-time.Hour), began.Add(7*time.Hour), 97*time.Second
		got, err := store.Range(ctx, expression, from, to, step)
		want, wrong := peer.Range(ctx, expression, from, to, step)
		if err != nil || wrong != nil {
			t.Fatal(expression, err, wrong)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", expression, d)
		}
		for _, one := range want {
			some += len(one.Points)
		}
		for _, at := range []time.Time{began.Add(10 * time.Second), began.Add(2 * time.Hour), began.Add(5 * time.Hour)} {
			got, err := store.Query(ctx, expression, at)
			want, wrong := peer.Query(ctx, expression, at)
			if d := cmp.Diff(want, got); d != "" || err != nil || wrong != nil {
				t.Errorf("%s at %v: %v %v %s", expression, at, err, wrong, d)
			}
		}
	}
	// So is what an audit is told, whoever is asked.
	here, there := Etcd(ctx, store, "test", store.Last()), Etcd(ctx, peer, "test", store.Last())
	if d := cmp.Diff(there, here); d != "" {
		t.Error(d)
	}
	if some < 10_000 {
		t.Errorf("no more than %d values were compared", some)
	}
}
