package disk

import (
	"fmt"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/unit"
)

// cacheTime is below what any medium takes to make a record durable over a bus: a cache has answered.
const cacheTime = 5 * time.Microsecond

// Answer is the run for people and programs, judged by what etcd and the documents ask for.
func (r *Run) Answer(c *facts.Catalogue) *v1alpha1.Answer {
	cells := r.Sampled()
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: RunKind, Title: "Disk " + r.Directory, Result: r,
		Findings: append(r.findings(c), cells.Findings()...)}
	a.Verdict.OK = true
	for _, f := range a.Findings {
		if f.Severity == v1alpha1.Error {
			a.Verdict.OK, a.Verdict.Problem = false, f.Message
			break
		}
	}
	a.Verdict.Summary = r.summary(c)
	a.Parts = []v1alpha1.Part{
		{Title: "Measured", Lead: []string{r.lead()}, Tables: []v1alpha1.Table{cells.Table()}},
		{Title: "What etcd asks for", Tables: []v1alpha1.Table{r.demands(c)}},
	}
	return a
}

// alone is the cell of one writer, as etcd's log is; ok is false where it was not measured.
func (r *Run) alone() (all bench.Histogram, rate float64, ok bool) {
	for _, m := range r.Cells {
		if m.Writers != 1 {
			continue
		}
		var rates []float64
		for _, rep := range m.Repetitions {
			if rep.Histogram != nil {
				all.Merge(rep.Histogram)
				rates = append(rates, rep.Rate())
			}
		}
		if len(rates) > 0 && all.N() > 0 {
			return all, bench.Estimated(rates).Median, true
		}
	}
	return all, 0, false
}

// limit is the 99th percentile that etcd asks for.
func limit(c *facts.Catalogue) (time.Duration, facts.Fact) {
	f := c.Must("etcd.p99.fsync")
	return time.Duration(f.Number * float64(time.Second)), f
}

func (r *Run) summary(c *facts.Catalogue) string {
	all, _, ok := r.alone()
	p99, known := all.Quantile(0.99)
	most, _ := limit(c)
	if !ok || !known {
		return "The 99th percentile of one writer is not known: it was not measured, or too short"
	}
	return fmt.Sprintf("The 99th percentile of one writer is %v; etcd asks for less than %v", bench.Round(p99), most)
}

func (r *Run) findings(c *facts.Catalogue) (out []v1alpha1.Finding) {
	add := func(s v1alpha1.Severity, id, remedy, figure, format string, args ...any) {
		out = append(out, v1alpha1.Finding{Severity: s, ID: Subject + "." + id, Message: fmt.Sprintf(format, args...),
			Remedy: remedy, Figure: figure})
	}
	most, fact := limit(c)
	all, _, ok := r.alone()
	p99, known := all.Quantile(0.99)
	switch {
	case r.Volatile:
		add(v1alpha1.Error, "volatile", "name a directory on the disk that etcd will have", "",
			"%s keeps its files in memory (%s): nothing of a disk was measured", r.Directory, r.FileSystem)
		return out
	case !ok:
		add(v1alpha1.Error, "alone", "measure wal-2300-1 too", "", "one writer was not measured, as etcd's log is")
		return out
	case !known:
		add(v1alpha1.Error, "few", "a longer --duration", "", "%s are too few for a 99th percentile",
			words.Count(all.N(), "record"))
		return out
	case p99 >= most:
		add(v1alpha1.Error, "slow", "give etcd a disk of its own: SSD or NVMe, no network storage in between", fact.ID,
			"the 99th percentile is %v, and etcd asks for less than %v: leaders would be lost under load",
			bench.Round(p99), most)
	}
	if p50, _ := all.Quantile(0.5); p50 < cacheTime {
		add(v1alpha1.Warning, "cache", "make sure that this cache survives a loss of power", "",
			"the median is %v, which no medium takes: a cache answers", p50)
	}
	return out
}

// lead says what the result depends on.
func (r *Run) lead() string {
	text := "A transaction is a record that is appended to a file whose blocks are there, and the fdatasync after it."
	if r.FileSystem != "" {
		text += fmt.Sprintf(" %s is %s (%s) on %s.", r.Directory, r.FileSystem, r.Options, r.Device)
	}
	return text
}

// demands are what etcd and the documents ask for, with what was measured.
func (r *Run) demands(c *facts.Catalogue) v1alpha1.Table {
	most, fact := limit(c)
	t := v1alpha1.Table{ID: "demands", Columns: cell.Columns("Of one writer", ">Measured", ">Asked for", "By"),
		Notes: []string{"etcd's own metric (etcd_disk_wal_fsync_duration_seconds) has the fdatasync alone, without the " +
			"write before it. " + c.Must("etcd.disk.fsync").Notes[0]}}
	all, rate, _ := r.alone()
	for _, q := range []struct {
		name string
		p    float64
	}{{"median", 0.5}, {"99th percentile", 0.99}, {"99.9th percentile", 0.999}} {
		measured, asked, by := "-", "-", "-"
		if v, ok := all.Quantile(q.p); ok {
			measured = bench.Round(v).String()
		}
		row := cell.Texts(q.name, measured, asked, by)
		if q.p == 0.99 {
			row = cell.Texts(q.name, measured, "< "+most.String(), fact.Source.Code)
			row[2].Figure = fact.ID
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows, cell.Texts("records a second", unit.Format(rate, unit.None), "50", "OpenShift docs"))
	if f := r.Fio; f != nil {
		t.Rows = append(t.Rows, cell.Texts("fio "+f.Version+": fdatasync, 99th percentile", bench.Round(f.P99).String(), "-",
			fmt.Sprintf("%s records/s", unit.Format(f.Rate, unit.None))))
	}
	return t
}
