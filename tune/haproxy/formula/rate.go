package formula

import (
	"strings"

	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
)

// Modes of a connection: kept open, or one for each request.
const (
	KeepAlive = "keep-alive"
	Close     = "close"
)

// Setup is what the baseline of a router depends on.
type Setup struct {
	// Release of OpenShift: 3.x has a table of its own.
	Release string
	// Publishing is LoadBalancerService or HostNetwork; 3.x does not tell them apart.
	Publishing string
	// Threads of HAProxy. Published are 4 and, for 3.x, 1 (unset).
	Threads int
	// BareMetal applies the document's factor, once.
	BareMetal bool
}

// Rate is the number of requests of a kind that one router takes in a second,
// with its derivation.
type Rate struct {
	PerSecond float64
	Formula   string
	Inputs    []derive.Input
	Notes     []string
	Source    derive.Source
}

// measuredThreads is the number of threads of the baselines.
const measuredThreads = "ocp.router.threads"

// Measured looks up the rate of an encryption (none, edge, passthrough or
// re-encrypt) in a mode (KeepAlive or Close).
//
// Threads do not scale in proportion, so a number of threads that was not
// measured takes the next lower one that was: above 4 the figure of 4, below 4
// that of one thread. 4.x publishes none for one thread; the gain that 3.x
// measured is taken out there. A figure that you measured yourself is taken as
// it is, for any threads and on any machine.
func Measured(c *facts.Catalogue, s Setup, encryption, mode string) Rate {
	few := s.few(c)
	three := "rout.router.requests/" + encryption + "/" + mode + "/"
	f := c.Must(s.Fact(c, encryption, mode))
	r := Rate{PerSecond: f.Number, Formula: "published", Inputs: []derive.Input{derive.In("published", f.Value())},
		Notes: f.Notes, Source: f.Source}
	if f.Conditions != "" {
		r.Notes = append([]string{"measured with " + f.Conditions}, r.Notes...)
	}
	if own(f) {
		r.Notes = []string{"your own measurement, taken as it is"}
		return r
	}
	if few && !isThree(s.Release) {
		one, four := c.Must(three+"unset").Value(), c.Must(three+"4").Value()
		r.scale(one.Number/four.Number, "* one / four", derive.In("one", one), derive.In("four", four))
		r.Notes = append(r.Notes,
			"4.x publishes 4 threads only; the gain that 3.x measured from 1 to 4 threads is taken out, a doubtful figure")
	}
	if s.BareMetal {
		factor := c.Must("ocp.router.bareMetalFactor").Value()
		r.scale(factor.Number, "* bareMetal", derive.In("bareMetal", factor))
		r.Notes = append(r.Notes, "bare metal counts as roughly twice the public cloud instance, "+
			"a rule of thumb that is applied once")
	}
	return r
}

// few says that there are fewer threads than the baseline has.
func (s Setup) few(c *facts.Catalogue) bool { return s.Threads < int(c.Must(measuredThreads).Number) }

// Fact is the id of the figure that a rate is looked up by.
func (s Setup) Fact(c *facts.Catalogue, encryption, mode string) string {
	cell := encryption + "/" + mode + "/"
	switch {
	case !isThree(s.Release):
		return "ocp.router.requests/" + cell + s.Publishing
	case s.few(c):
		return "rout.router.requests/" + cell + "unset"
	}
	return "rout.router.requests/" + cell + "4"
}

func (r *Rate) scale(by float64, formula string, in ...derive.Input) {
	r.PerSecond *= by
	r.Formula += " " + formula
	r.Inputs = append(r.Inputs, in...)
}

func isThree(release string) bool { return strings.HasPrefix(release, "3.") }

// own says whether a fact is a measurement that took the place of the built-in
// figure.
func own(f facts.Fact) bool {
	published, ok := facts.Load().Get(f.ID)
	return !ok || published.Number != f.Number || published.Source != f.Source
}
