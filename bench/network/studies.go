package network

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench/measure"
	"plimsoll.dev/facts"
	"plimsoll.dev/tune/cell"
)

// Study is what a document measured of a change on a path: the best and the worst of its cells, as ratio to
// the base that it used.
type Study struct {
	Change string `json:"change"`
	Path   string `json:"path"`
	End    string `json:"end"` // best or worst
	// Latency and Throughput are new/base; 0 where the document says nothing.
	Latency    float64 `json:"latency,omitempty"`
	Throughput float64 `json:"throughput,omitempty"`
	Base       string  `json:"base"`
	// Facts are the ids of the figures.
	Facts []string `json:"facts"`
}

// Studies of a change: rps, static-route or pod-network. With none, those of all.
func Studies(c *facts.Catalogue, change string) []Study {
	var out []Study
	for _, q := range []string{"ztip.network.latency", "ztip.network.throughput", "znet.network.latency",
		"znet.network.throughput"} {
		for _, f := range c.Quantity(q) {
			if change != "" && f.Dim("change") != change {
				continue
			}
			base, _, _ := strings.Cut(strings.TrimPrefix(f.Conditions, "against "), ";")
			s := Study{Change: f.Dim("change"), Path: f.Dim("path"), End: f.Dim("end"), Base: base}
			i := slices.IndexFunc(out, func(o Study) bool {
				return o.Change == s.Change && o.Path == s.Path && o.End == s.End
			})
			if i < 0 {
				out = append(out, s)
				i = len(out) - 1
			}
			out[i].Facts = append(out[i].Facts, f.ID)
			if strings.HasSuffix(q, "latency") {
				out[i].Latency = f.Number
			} else {
				out[i].Throughput = f.Number
			}
		}
	}
	return out
}

// Changes that studies have measured. They are known without reading the facts.
func Changes() []string { return []string{"rps", "static-route", "pod-network"} }

// Beside puts what studies measured of a change below the comparison's own best and worst cells.
func Beside(c *measure.Comparison, a *v1alpha1.Answer, studies []Study) {
	a.Result = struct {
		*measure.Comparison
		Studies []Study `json:"studies"`
	}{c, studies}
	t := v1alpha1.Table{ID: "studies", Columns: cell.Columns("Of", "Path", "Latency", "Throughput", "Base"),
		Notes: []string{"Each is the best or worst cell of a matrix, as ratio to the base that is named. Other machines, " +
			"other cells: the direction can be compared, the size hardly."}}
	for _, end := range []string{"best", "worst"} {
		l, r := c.Extreme(end, true), c.Extreme(end, false)
		t.Rows = append(t.Rows,
			cell.Texts("this run, "+end, "-", measure.Says(l, true), measure.Says(r, false), "the base run"))
	}
	for _, s := range studies {
		row := cell.Texts(s.Change+", "+s.End, s.Path, measure.Says(s.Latency, true),
			measure.Says(s.Throughput, false), s.Base)
		row[0].Figure = s.Facts[0]
		t.Rows = append(t.Rows, row)
	}
	a.Parts = append(a.Parts, v1alpha1.Part{Title: "What studies measured", Tables: []v1alpha1.Table{t},
		Lead: []string{"By the studies of OpenShift on IBM Z; 'plimsoll facts network.latency' names the places."}})
}
