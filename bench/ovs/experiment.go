package ovs

import (
	"fmt"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/unit"
)

// Experiment is that of document 004: the same traffic through several sets of rules.
type Experiment struct {
	// Switch is the version of Open vSwitch.
	Switch     string             `json:"switch"`
	Parameters network.Parameters `json:"parameters"`
	Cases      []Ran              `json:"cases"`
}

// Ran is a case with its samples.
type Ran struct {
	Case
	Samples []Sample `json:"samples"`
}

// Sample of a case.
type Sample struct {
	measure.Repetition
	// SwitchCPU is the time that ovs-vswitchd used for one transaction, in seconds.
	SwitchCPU float64 `json:"switchCPU"`
	// Passes of a packet through the datapath: 1 and its recirculations, on average.
	Passes float64 `json:"passes"`
}

// values of all samples.
func (r Ran) values(of func(Sample) float64) []float64 {
	var out []float64
	for _, s := range r.Samples {
		if v := of(s); v > 0 {
			out = append(out, v)
		}
	}
	return out
}

func switchCPU(s Sample) float64 { return s.SwitchCPU }

// cells as all benchmarks have them.
func (x *Experiment) cells() measure.Cells {
	out := measure.Cells{Subject: "openflow"}
	for _, r := range x.Cases {
		m := measure.Measured{Name: r.ID, Waiting: x.Parameters.Cells[0].Connections, Waiter: "connection"}
		for _, s := range r.Samples {
			m.Repetitions = append(m.Repetitions, s.Repetition)
		}
		out.Cells = append(out.Cells, m)
	}
	return out
}

// ran is the case of an id; nil where it was not measured.
func (x *Experiment) ran(id string) *Ran {
	for i := range x.Cases {
		if x.Cases[i].ID == id {
			return &x.Cases[i]
		}
	}
	return nil
}

// Answer says what the rules cost.
func (x *Experiment) Answer(c *facts.Catalogue) *v1alpha1.Answer {
	cells := x.cells()
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "OpenFlowCost", Title: "What OpenFlow rules cost",
		Result: x, Findings: cells.Findings()}
	a.Verdict.OK = cells.Unbelievable() == 0
	if !a.Verdict.OK {
		a.Verdict.Problem = a.Findings[0].Message
	}
	changes, summary := x.changes()
	a.Verdict.Summary = summary
	a.Parts = []v1alpha1.Part{
		{Title: "Measured", Tables: []v1alpha1.Table{x.table(c)}, Lead: []string{fmt.Sprintf(
			"%s, userspace datapath; %s between two namespaces.", x.Switch, x.Parameters.Cells[0].Name())}},
		{Title: "Differences", Tables: []v1alpha1.Table{changes}},
	}
	return a
}

// before are the facts of the cases.
var before = map[string]string{"tables": "tables", "ct": "ct", "idle": "ct-20000"}

func (x *Experiment) table(c *facts.Catalogue) v1alpha1.Table {
	t := v1alpha1.Table{ID: "cases",
		Columns: cell.Columns("Case", ">Rules", ">Passes", ">CPU each", ">±", ">Before", ">p50", ">Transactions/s"),
		Notes: []string{"CPU is that of ovs-vswitchd for a transaction, the median of the samples; ± is half of their " +
			"spread. Before is what was measured on another machine: the direction can be compared, the size hardly. Passes " +
			"are those of a packet through the datapath: 1 and its recirculations."}}
	for _, r := range x.Cases {
		cpu := bench.Estimated(r.values(switchCPU))
		passes := bench.Estimated(r.values(func(s Sample) float64 { return s.Passes })).Median
		p50 := bench.Estimated(r.values(func(s Sample) float64 { return s.Latency.P50.Value.Seconds() })).Median
		rate := bench.Estimated(r.values(func(s Sample) float64 { return s.Rate() })).Median
		row := append(cell.Texts(r.Title), cell.Count(r.Rules),
			v1alpha1.Cell{Text: fmt.Sprintf("%.1f", passes), Number: &passes},
			v1alpha1.Cell{Text: seconds(cpu.Median), Number: &cpu.Median, Unit: unit.Seconds},
			cell.Text(fmt.Sprintf("%.0f %%", 100*cpu.Spread)), cell.Text("-"),
			v1alpha1.Cell{Text: seconds(p50), Number: &p50, Unit: unit.Seconds},
			v1alpha1.Cell{Text: words.Number(int(rate)), Number: &rate})
		if id, ok := before[r.ID]; ok {
			f := c.Must("openflow.cost.transaction/" + id)
			row[5] = v1alpha1.Cell{Text: fmt.Sprintf("%gµs", f.Number), Figure: f.ID}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func seconds(v float64) string { return bench.Round(time.Duration(v * 1e9)).String() }

// differences that are asked about.
var differences = []struct{ of, to, what string }{
	{"tables", "ct", "connection tracking"}, {"ct", "idle", "rules of other pods"}, {"ports", "tables", "tables"},
}

// changes are the ratios of CPU time, each with its interval over the samples.
func (x *Experiment) changes() (t v1alpha1.Table, summary string) {
	t = v1alpha1.Table{ID: "differences", Columns: cell.Columns("What", "From", "To", ">CPU", ">95 %", "Verdict"),
		Notes: []string{"Welch's t test of the logarithms, a sample is one value; the 5 % are divided by the differences " +
			"(Bonferroni)."}}
	for _, d := range differences {
		from, to := x.ran(d.of), x.ran(d.to)
		if from == nil || to == nil {
			continue
		}
		r := bench.RatioOf(from.values(switchCPU), to.values(switchCPU))
		verdict := "no difference beyond chance"
		if r.Bounded && r.P < 0.05/float64(len(differences)) {
			verdict = "different beyond chance"
		}
		row := cell.Texts(d.what, from.Title, to.Title, fmt.Sprintf("%.2fx", r.Value), "-", verdict)
		row[3].Number = &r.Value
		if r.Bounded {
			row[4].Text = fmt.Sprintf("%.2f-%.2f", r.Low, r.High)
		}
		t.Rows = append(t.Rows, row)
		if d.of != "ports" {
			if summary != "" {
				summary += "; "
			}
			summary += fmt.Sprintf("%s: %.2f times the CPU of ovs-vswitchd, %s", d.what, r.Value, verdict)
		}
	}
	return t, summary
}
