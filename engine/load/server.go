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

// histograms of creations by resource.
type histograms map[string][]bench.Bucket

// FromServer begins to look at the server's own times. What it returns tells those of the resources whose
// creation was measured since, as latencies of all that created them.
func FromServer(ctx context.Context, c *apiserver.Client) func(ctx context.Context, measured []Latency) []Latency {
	before := serverTimes(ctx, c)
	return func(ctx context.Context, measured []Latency) []Latency {
		return serverLatencies(serverTimes(ctx, c).since(before), measured)
	}
}

// serverTimes reads how long the server took to create objects since it began, whoever asked. A server
// that does not tell has none.
func serverTimes(ctx context.Context, c *apiserver.Client) histograms {
	text, err := c.Do(ctx, apiserver.Request{Method: http.MethodGet, Path: "/metrics", Accept: "text/plain"})
	if err != nil {
		return nil
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(only(text, slowness)))
	if err != nil || families[slowness] == nil {
		return nil
	}
	out := histograms{}
	for _, m := range families[slowness].Metric {
		labels := map[string]string{}
		for _, l := range m.Label {
			labels[l.GetName()] = l.GetValue()
		}
		if labels["verb"] == http.MethodPost && labels["subresource"] == "" && labels["resource"] != "" {
			out[labels["resource"]] = bucketsOf(m.Histogram)
		}
	}
	return out
}

// only the lines of one metric: the rest is many times as long.
func only(text []byte, name string) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		rest := bytes.TrimPrefix(bytes.TrimPrefix(line, []byte("# TYPE ")), []byte("# HELP "))
		if bytes.HasPrefix(rest, []byte(name)) {
			out.Write(line)
		}
	}
	return out.Bytes()
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

// since is what was added to the histograms of before.
func (h histograms) since(before histograms) histograms {
	out := histograms{}
	for resource, now := range h {
		then := before[resource]
		added := slices.Clone(now)
		for i := range added {
			if i < len(then) && len(then) == len(now) {
				added[i].Count -= then[i].Count
			}
		}
		if len(added) > 0 && added[len(added)-1].Count > 0 {
			out[resource] = added
		}
	}
	return out
}

// serverLatencies are those of the resources whose creation was measured.
func serverLatencies(added histograms, measured []Latency) []Latency {
	var out []Latency
	for _, l := range measured {
		resource, created := strings.CutPrefix(l.ID, "create/")
		if buckets := added[resource]; created && buckets != nil {
			out = append(out, Latency{ID: "server/" + l.ID, Title: "In the server: create " + resource + ", at most",
				Clock: "server", Summary: bench.FromBuckets(buckets)})
		}
	}
	slices.SortFunc(out, func(a, b Latency) int { return strings.Compare(a.ID, b.ID) })
	return out
}
