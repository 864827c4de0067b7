package router_test

import (
	"math"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/router"
)

// finding is the one of the id, or one without a message.
func finding(r router.Result, id string) v1alpha1.Finding {
	for _, f := range r.Part.Findings {
		if f.ID == id {
			return f
		}
	}
	return v1alpha1.Finding{}
}

// TestImpossibleMeasurement: no router takes 0 or fewer requests or
// connections; the published figure stands in, and no figure is infinite.
func TestImpossibleMeasurement(t *testing.T) {
	web := v1alpha1.Traffic{Name: "web", Encryption: "edge", RequestsPerSecond: 3000, PageSize: 1000, Connections: 10}
	want, _ := plan(t, input(web))
	for _, id := range []string{
		"ocp.router.requests/edge/keep-alive/LoadBalancerService", "ocp.router.requests/edge/close/LoadBalancerService",
		"ocp.router.bareMetalFactor", "ocp.router.vcpus", "rout.router.requests/edge/keep-alive/4",
	} {
		for _, number := range []float64{0, -1, math.Inf(1)} {
			f := facts.Load().Must(id)
			f.Number, f.Source = number, derive.Source{Code: "own measurement", Section: "our lab"}
			in := input(web)
			in.Facts = facts.Load().With(f)
			r, b := plan(t, in)
			found := finding(r, "router.measurement")
			if found.Severity != v1alpha1.Error || found.Field != "measurements" || !strings.Contains(found.Message, id) {
				t.Errorf("%s of %v: finding %+v", id, number, found)
			}
			if r.Size.Total.Number != want.Size.Total.Number {
				t.Errorf("%s of %v: %s, want %s", id, number, r.Size.Total, want.Size.Total)
			}
			for _, fig := range b.Figures() {
				if math.IsInf(fig.Value.Number, 0) || math.IsNaN(fig.Value.Number) || fig.Value.Number < 0 {
					t.Errorf("%s of %v: %s is %v", id, number, fig.ID, fig.Value.Number)
				}
			}
		}
	}
}

// TestRoutersInWords: nothing is "-0 routers", and what is printed as 1 is one.
func TestRoutersInWords(t *testing.T) {
	for _, requests := range []float64{0, 1, 16743, 16743.001, 20000} {
		in := input(v1alpha1.Traffic{Name: "web", Encryption: "edge", RequestsPerSecond: requests, PageSize: 1000})
		in.Router.Threads = 1
		in.Release = "3.11"
		if requests > 1 {
			in.Router.Threads, in.Release = 4, "4.17"
		}
		r, b := plan(t, in)
		var texts []string
		for _, fig := range b.Figures() {
			texts = append(texts, fig.Value.Text)
		}
		for _, table := range r.Part.Section.Tables {
			texts = append(texts, table.Notes...)
			for _, row := range table.Rows {
				for _, c := range row {
					texts = append(texts, c.Text)
				}
			}
		}
		for _, text := range texts {
			if strings.HasPrefix(text, "-0") || strings.HasPrefix(text, "1 routers") ||
				strings.Contains(" "+text, " 1 threads") {
				t.Errorf("%v requests/s: %q", requests, text)
			}
		}
	}
	in := input(v1alpha1.Traffic{Name: "web", Encryption: "edge", RequestsPerSecond: 10, PageSize: 1000})
	in.Release, in.Router.Threads = "4.17", 1
	r, _ := plan(t, in)
	if f := finding(r, "router.threads.notMeasured"); !strings.HasPrefix(f.Message, "no rate is published for 1 thread;") {
		t.Errorf("message %q", f.Message)
	}
}

// TestStaticGuideIsCalledByItsPrice: 1000 static applications make 100 shards
// of 2 routers, where 2 routers take the requests.
func TestStaticGuideIsCalledByItsPrice(t *testing.T) {
	traffic := func(content string, n int, requests float64) v1alpha1.Traffic {
		return v1alpha1.Traffic{Name: content, Encryption: "none", RequestsPerSecond: requests, PageSize: 1000,
			Content: content, Applications: n}
	}
	r, _ := plan(t, input(traffic("static", 1000, 10)))
	f := finding(r, "router.shards")
	if f.Severity != v1alpha1.Warning || !strings.Contains(f.Message, "200 routers in all") ||
		!strings.Contains(f.Message, "fill 1 router of one shard, 2 routers with") ||
		!strings.Contains(f.Remedy, "router.applicationsPerRouter") {
		t.Errorf("finding %+v", f)
	}
	own := input(traffic("static", 1000, 10))
	own.Origin = part.NewOrigin(assumed[:1], own.Facts)
	r, _ = plan(t, own)
	if f := finding(r, "router.shards"); f.Message != "" {
		t.Errorf("1000 applications of one's own count a router still say %+v", f)
	}
	for name, in := range map[string]router.Input{
		"dynamic": input(traffic("dynamic", 1500, 10)), "needed by the requests": input(traffic("static", 11, 100000)),
	} {
		r, _ := plan(t, in)
		if f := finding(r, "router.shards"); f.Severity != v1alpha1.Info {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
