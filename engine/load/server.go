package load

import (
	"bytes"
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"plimsoll.dev/bench"
	"plimsoll.dev/engine/apiserver"
)

// slowness is the server's own histogram of the service level: without webhooks and the queue of
// priority and fairness. Source: kubernetes, staging/src/k8s.io/apiserver/pkg/endpoints/metrics.
const slowness = "apiserver_request_sli_duration_seconds"

// began says which process of the server has counted: behind a load balancer there are several.
const began = "process_start_time_seconds"

// kindOf is a resource of an API group, in whatever version.
type kindOf struct{ group, resource string }

// creations is how long one process of the server took to create objects since it began, whoever asked.
type creations struct {
	began float64
	times map[kindOf][]bench.Bucket
}

// FromServer begins to look at the server's own times. What it returns tells those of the creations that were
// measured since, as latencies of all that created objects of these resources.
func FromServer(ctx context.Context, c *apiserver.Client,
	of []apiserver.Resource) func(ctx context.Context, measured []Latency) []Latency {
	before := serverTimes(ctx, c)
	return func(ctx context.Context, measured []Latency) []Latency {
		return serverLatencies(serverTimes(ctx, c).since(before), of, measured)
	}
}

// serverTimes reads how long the server took to create objects. One that does not tell, or not soon, has none.
func serverTimes(ctx context.Context, c *apiserver.Client) creations {
	ctx, stop := context.WithTimeout(ctx, longestCall)
	defer stop()
	text, err := c.Do(ctx, apiserver.Request{Method: http.MethodGet, Path: "/metrics", Accept: "text/plain"})
	if err != nil {
		return creations{}
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(only(text, slowness, began)))
	if err != nil || families[slowness] == nil {
		return creations{}
	}
	out := creations{times: map[kindOf][]bench.Bucket{}}
	for _, m := range families[began].GetMetric() {
		out.began = m.GetGauge().GetValue()
	}
	for _, m := range families[slowness].Metric {
		labels := map[string]string{}
		for _, l := range m.Label {
			labels[l.GetName()] = l.GetValue()
		}
		if labels["verb"] == http.MethodPost && labels["subresource"] == "" && labels["resource"] != "" {
			key := kindOf{labels["group"], labels["resource"]}
			out.times[key] = plus(out.times[key], bucketsOf(m.Histogram))
		}
	}
	return out
}

// only the lines of some metrics: the rest is many times as long.
func only(text []byte, names ...string) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		rest := bytes.TrimPrefix(bytes.TrimPrefix(line, []byte("# TYPE ")), []byte("# HELP "))
		if slices.ContainsFunc(names, func(name string) bool { return bytes.HasPrefix(rest, []byte(name)) }) {
			out.Write(line)
		}
	}
	return out.Bytes()
}

// plus is the sum of two histograms with the same bounds, of which the first may be none.
func plus(a, b []bench.Bucket) []bench.Bucket {
	out := slices.Clone(b)
	for i := range out {
		if len(a) == len(b) {
			out[i].Count += a[i].Count
		}
	}
	return out
}

func bucketsOf(h *dto.Histogram) []bench.Bucket {
	var out []bench.Bucket
	for _, b := range h.GetBucket() {
		most := bench.Unbounded
		if bound := b.GetUpperBound(); !math.IsInf(bound, 1) {
			most = time.Duration(math.Round(bound * float64(time.Second)))
		}
		out = append(out, bench.Bucket{Most: most, Count: int(b.GetCumulativeCount())})
	}
	return out
}

// since is what was added after before, by the same process; another one tells nothing of that time.
func (c creations) since(before creations) map[kindOf][]bench.Bucket {
	out := map[kindOf][]bench.Bucket{}
	if before.times == nil || c.began != before.began {
		return out
	}
	for key, now := range c.times {
		then, added := before.times[key], slices.Clone(now)
		for i := range added {
			if len(then) == len(now) {
				added[i].Count -= then[i].Count
			}
		}
		if len(added) > 0 && added[len(added)-1].Count > 0 {
			out[key] = added
		}
	}
	return out
}

// serverLatencies are those of the creations that were measured. Resources of one name in several groups are
// measured as one.
func serverLatencies(added map[kindOf][]bench.Bucket, of []apiserver.Resource, measured []Latency) []Latency {
	created := map[string][]bench.Bucket{}
	for _, r := range append(slices.Clone(of), namespaces) {
		key := kindOf{r.Group(), r.Name}
		if buckets := added[key]; buckets != nil {
			created[r.Name] = plus(created[r.Name], buckets)
			delete(added, key)
		}
	}
	var out []Latency
	for _, l := range measured {
		name, is := strings.CutPrefix(l.ID, "create/")
		if buckets := created[name]; is && buckets != nil {
			out = append(out, Latency{ID: "server/" + l.ID, Title: "In the server: create " + name + ", at most",
				Clock: "server", Summary: bench.FromBuckets(buckets)})
		}
	}
	slices.SortFunc(out, func(a, b Latency) int { return strings.Compare(a.ID, b.ID) })
	return out
}
