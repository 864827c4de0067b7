package router

import (
	"strings"

	"plimsoll.dev/derive"
	"plimsoll.dev/tune/haproxy/formula"
)

// measuredThreads is the number of threads of the baselines.
const measuredThreads = "ocp.router.threads"

func isThree(release string) bool { return strings.HasPrefix(release, "3.") }

// rate records the rate of a kind and mode once.
func (p *planner) rate(encryption, mode string) derive.Value {
	key := encryption + "/" + mode
	if v, ok := p.rates[key]; ok {
		return v
	}
	r := formula.Measured(p.Facts, p.setup, encryption, mode)
	p.rates[key] = p.Record(derive.Figure{ID: "router.rate[" + key + "]",
		Title: "Requests of one router, " + encryption + ", " + mode,
		Value: derive.Of(r.PerSecond, "requests/s"), Formula: r.Formula, Inputs: r.Inputs, Notes: r.Notes,
		Sources: []derive.Source{r.Source}})
	return p.rates[key]
}
