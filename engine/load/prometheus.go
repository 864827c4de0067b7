package load

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/engine/prometheus"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/unit"
)

// Metric is what Prometheus saw of the control plane during a run.
type Metric struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Unit of the values, of package unit: seconds, bytes or millicores.
	Unit string `json:"unit"`
	// Values by what they are of. None is seen where there is no series, or too little in it; it is not 0.
	Values []MetricValue `json:"values"`
	// Why there is none, where that is more than that none was seen.
	Why string `json:"why,omitempty"`
}

// MetricValue is one of them.
type MetricValue struct {
	Of    string  `json:"of"`
	Value float64 `json:"value"`
	// Most is the service level, where there is one; Source says whose.
	Most   float64 `json:"most,omitempty"`
	Source string  `json:"source,omitempty"`
}

// question is an expression, in which $W is the run's time. Values of members are never averaged: one slow
// disk is hidden by two fast ones.
type question struct {
	id, title, unit, expression string
	// fact is the service level of the labels; "" has none.
	fact func(labels map[string]string) string
}

// quantile99 of a histogram by labels, where there were a hundred events or more. Sources:
// kubernetes/community sig-scalability/slos; etcd's Documentation/etcd-mixin.
func quantile99(selector, by string) string {
	return fmt.Sprintf(`histogram_quantile(0.99, sum by (%[2]s, le) (rate(%[1]s[$W]))) `+
		`and on (%[2]s) sum by (%[2]s) (increase(%[1]s{le="+Inf"}[$W])) >= 100`, selector, by)
}

func always(fact string) func(map[string]string) string {
	return func(map[string]string) string { return fact }
}

// components are the scrape jobs of a control plane, by the names that OpenShift and kube-prometheus have.
const components = `job=~"(kube-)?(apiserver|controller-manager|scheduler)|etcd"`

// watched are the expressions that are asked. The name of the API server's histogram changed with 1.27.
var watched = []question{
	{"apiserver", "API server, p99 of calls", unit.Seconds, sliQuantile(), callLevel},
	{"etcd/fsync", "etcd, p99 of writing the log", unit.Seconds,
		quantile99("etcd_disk_wal_fsync_duration_seconds_bucket", "instance"), always("etcd.p99.fsync")},
	{"etcd/commit", "etcd, p99 of committing", unit.Seconds,
		quantile99("etcd_disk_backend_commit_duration_seconds_bucket", "instance"), always("etcd.p99.commit")},
	{"etcd/size", "etcd, database at most", unit.ByteUnit, "max_over_time(etcd_mvcc_db_total_size_in_bytes[$W])", nil},
	{"cpu", "CPU on average", unit.Millicores,
		"1000 * sum by (job, instance) (rate(process_cpu_seconds_total{" + components + "}[$W]))", nil},
	{"memory", "Memory at most", unit.ByteUnit,
		"max by (job, instance) (max_over_time(process_resident_memory_bytes{" + components + "}[$W]))", nil},
}

func sliQuantile() string {
	one := func(name string) string {
		return "(" + quantile99("apiserver_request_"+name+"_duration_seconds_bucket", "verb, scope") + ")"
	}
	return one("sli") + " or " + one("slo")
}

// callLevel is the service level of a verb and scope.
func callLevel(labels map[string]string) string {
	switch verb, scope := labels["verb"], labels["scope"]; {
	case slices.Contains([]string{"POST", "PUT", "PATCH", "DELETE", "APPLY"}, verb):
		return "k8s.slo.mutating"
	case (verb == "GET" || verb == "LIST") && scope == "resource":
		return "k8s.slo.readOne"
	case verb == "GET" || verb == "LIST":
		return "k8s.slo.readMany"
	}
	return ""
}

// longestQuery bounds the wait for Prometheus: it is an extra, and what was made still waits to be taken away.
const longestQuery = 30 * time.Second

// Metrics of the time in which a run was; none without a Prometheus.
func Metrics(ctx context.Context, c *prometheus.Client, from time.Time, took time.Duration) []Metric {
	if c == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, longestQuery)
	defer stop()
	window := fmt.Sprintf("%dms", max(1, took.Milliseconds()))
	var out []Metric
	for _, s := range watched {
		m := Metric{ID: s.id, Title: s.title, Unit: s.unit, Values: []MetricValue{}}
		samples, err := c.Query(ctx, strings.ReplaceAll(s.expression, "$W", window), from.Add(took))
		if err != nil {
			m.Why = err.Error()
		}
		for _, sample := range samples {
			m.Values = append(m.Values, s.value(sample))
		}
		out = append(out, m)
	}
	return out
}

func (s *question) value(sample prometheus.Sample) MetricValue {
	delete(sample.Labels, "__name__")
	var of []string
	for _, name := range slices.Sorted(maps.Keys(sample.Labels)) {
		if slices.Contains([]string{"verb", "scope", "job", "instance"}, name) {
			of = append(of, sample.Labels[name])
		}
	}
	slices.Reverse(of) // verb before scope, job before instance
	v := MetricValue{Of: strings.Join(of, " "), Value: sample.Value}
	if s.fact == nil {
		return v
	}
	if f, ok := facts.Load().Get(s.fact(sample.Labels)); ok {
		v.Most, v.Source = f.Number, f.Source.String()
	}
	return v
}

// seenByPrometheus is the part of the answer that says what Prometheus saw, with a finding for each
// service level that did not hold.
func (r *Result) seenByPrometheus(a *v1alpha1.Answer) {
	if len(r.Prometheus) == 0 {
		return
	}
	t := v1alpha1.Table{ID: "prometheus", Columns: cell.Columns("What", "Of", ">Value", ">At most", "*Source"),
		Notes: []string{"Of the time of the run, by Prometheus. Not seen: there is no such series, it has fewer than two " +
			"scrapes in that time, or the quantile would be of fewer than 100 events. Quantiles of histograms are " +
			"interpolated within a bucket."}}
	for _, m := range r.Prometheus {
		for _, v := range m.Values {
			row := cell.Texts(m.Title, v.Of, m.shown(v.Value), "", v.Source)
			if v.Most > 0 {
				row[3].Text = m.shown(v.Most)
			}
			if v.Most > 0 && v.Value > v.Most {
				row[2].Mark = "warn"
				a.Findings = append(a.Findings, v1alpha1.Finding{Severity: v1alpha1.Warning,
					ID: "load.prometheus[" + m.ID + "/" + v.Of + "]", Message: fmt.Sprintf("%s, %s: %s, the service level is %s",
						m.Title, v.Of, row[2].Text, row[3].Text)})
			}
			t.Rows = append(t.Rows, row)
		}
		if len(m.Values) == 0 {
			t.Rows = append(t.Rows, cell.Texts(m.Title, "", "not seen", "", m.Why))
		}
	}
	p := v1alpha1.Part{Title: "What Prometheus saw", Tables: []v1alpha1.Table{t}}
	if none := r.unseen(); none == len(r.Prometheus) {
		p.Lead = []string{"Nothing: " + words.Count(none, "question") + " without an answer. " + r.Prometheus[0].Why}
	}
	a.Parts = append(a.Parts, p)
}

// shown is a value for people; times look as all others in the answer.
func (m *Metric) shown(v float64) string {
	if m.Unit == unit.Seconds {
		return Round(time.Duration(v * float64(time.Second))).String()
	}
	return unit.Format(v, m.Unit)
}

func (r *Result) unseen() int {
	n := 0
	for _, m := range r.Prometheus {
		if len(m.Values) == 0 {
			n++
		}
	}
	return n
}
