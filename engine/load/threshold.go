package load

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/bench"
)

// Threshold is the most that a quantile of a latency may be.
type Threshold struct {
	// Latency is an ID, or a pattern of IDs such as "create/*".
	Latency string `json:"latency"`
	// Quantile is p50, p90, p95, p99 or max.
	Quantile string        `json:"quantile"`
	Most     time.Duration `json:"most"`
	// Source says where it comes from, where it is not the user's.
	Source string `json:"source,omitempty"`
}

// quantiles by name. Max is that of all, so that what never ended exceeds it.
var quantiles = map[string]func(bench.Summary) bench.Quantile{
	"p50": func(s bench.Summary) bench.Quantile { return s.P50 },
	"p90": func(s bench.Summary) bench.Quantile { return s.P90 },
	"p95": func(s bench.Summary) bench.Quantile { return s.P95 },
	"p99": func(s bench.Summary) bench.Quantile { return s.P99 },
	"max": func(s bench.Summary) bench.Quantile {
		return bench.Quantile{Value: s.Max, Known: s.Censored == 0 && s.N > 0}
	},
}

// ParseThreshold reads "pod/ready.p99=5s" or "create/*.p99=1s".
func ParseThreshold(text string) (Threshold, error) {
	name, most, ok := strings.Cut(text, "=")
	dot := strings.LastIndexByte(name, '.')
	wrong := fmt.Errorf("%q is no threshold (write it like pod/ready.p99=5s or create/*.max=1s)", text)
	if !ok || dot < 1 || quantiles[name[dot+1:]] == nil {
		return Threshold{}, wrong
	}
	if strings.HasPrefix(name, "server/") && name[dot+1:] == "max" {
		return Threshold{}, fmt.Errorf("%q: a histogram of the server tells no largest value (ask for p99)", text)
	}
	limit, err := time.ParseDuration(most)
	if _, bad := path.Match(name[:dot], ""); err != nil || bad != nil || limit <= 0 {
		return Threshold{}, wrong
	}
	return Threshold{Latency: name[:dot], Quantile: name[dot+1:], Most: limit}, nil
}

// Judgement of a latency by a threshold.
type Judgement struct {
	Threshold Threshold `json:"threshold"`
	Latency   string    `json:"latency"`
	// Holds; where it does not, Why says so. Known is false where too little was measured.
	Holds bool   `json:"holds"`
	Known bool   `json:"known"`
	Why   string `json:"why,omitempty"`
}

// Judge holds the latencies against thresholds. One that nothing measured was asked of is not known.
func (r *Result) Judge(thresholds []Threshold) []Judgement {
	var out []Judgement
	for _, t := range thresholds {
		found := false
		for _, l := range r.Latencies {
			if ok, err := path.Match(t.Latency, l.ID); err == nil && ok {
				out, found = append(out, t.judge(l)), true
			}
		}
		if !found && t.Source == "" {
			out = append(out, Judgement{Threshold: t, Latency: t.Latency, Why: "nothing was measured under " + t.Latency +
				" (there is " + strings.Join(r.measured(), ", ") + ")"})
		}
	}
	return out
}

func (r *Result) measured() []string {
	var out []string
	for _, l := range r.Latencies {
		out = append(out, l.ID)
	}
	slices.Sort(out)
	return out
}

// judge one latency. Where a quantile is not claimed for want of values, all of them being below the
// limit is enough; the other way round nothing can be said.
func (t Threshold) judge(l Latency) Judgement {
	j := Judgement{Threshold: t, Latency: l.ID, Known: true}
	q, s := quantiles[t.Quantile](l.Summary), l.Summary
	histogram := len(l.Times) == 0 && s.Censored == 0
	switch {
	case histogram && (!q.Known || t.Quantile == "max"):
		j.Known = false
		j.Why = fmt.Sprintf("%s of %s can't be said of the %d values of a histogram", t.Quantile, l.ID, s.N)
	case q.Known:
		j.Holds = q.Value <= t.Most
		if !j.Holds {
			j.Why = fmt.Sprintf("%s of %s is %s, the threshold is %s", t.Quantile, l.ID, Round(q.Value), t.Most)
		}
	case s.Censored > 0:
		j.Why = fmt.Sprintf("%s of %s exceeds %s: %d of %d never ended", t.Quantile, l.ID, t.Most, s.Censored, s.N)
	case s.Max <= t.Most:
		j.Holds = true
	default:
		j.Known = false
		j.Why = fmt.Sprintf("%s of %s can't be said of %d values, of which the largest is %s; the threshold is %s",
			t.Quantile, l.ID, s.N, Round(s.Max), t.Most)
	}
	return j
}

// Round to three digits, for people.
func Round(d time.Duration) time.Duration { return bench.Round(d) }
