package router

import (
	"fmt"
	"strings"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// ReloadSetup is an experiment with reloads: connections that live on, and a router that is reloaded.
type ReloadSetup struct {
	// Reloads of each case, one each Interval.
	Reloads  int           `json:"reloads"`
	Interval time.Duration `json:"interval"`
	// Connections that each interval opens, and that stay: WebSockets.
	Connections int `json:"connections"`
	// Routes of each kind in the configuration.
	Routes int `json:"routes"`
	// HardStop and Tunnel are the time-outs of the remedies.
	HardStop time.Duration `json:"hardStop"`
	Tunnel   time.Duration `json:"tunnelTimeout"`
}

// DefaultReload is an experiment of half a minute.
func DefaultReload() ReloadSetup {
	return ReloadSetup{Reloads: 6, Interval: time.Second, Connections: 10, Routes: 100, HardStop: 3 * time.Second,
		Tunnel: 2 * time.Second}
}

// Check finds all that is wrong.
func (s ReloadSetup) Check() []error {
	var out []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			out = append(out, fmt.Errorf(format, args...))
		}
	}
	bad(s.Reloads < 1 || s.Reloads > 100, "%d reloads (1 to 100)", s.Reloads)
	bad(s.Interval < 100*time.Millisecond || s.Interval > time.Hour, "a reload each %v (100ms to 1h)", s.Interval)
	bad(s.Connections < 1 || s.Connections > 1000, "%d connections between reloads (1 to 1000)", s.Connections)
	bad(s.Routes < 1 || s.Routes > mostRoutes, "%d routes of a kind (1 to %d)", s.Routes, mostRoutes)
	odd := func(d time.Duration) bool { return d < 100*time.Millisecond || d > 24*time.Hour }
	bad(odd(s.HardStop), "hard-stop-after of %v (100ms to 24h)", s.HardStop)
	bad(odd(s.Tunnel), "timeout tunnel of %v (100ms to 24h)", s.Tunnel)
	return out
}

// ReloadCase is the router with one set of time-outs.
type ReloadCase struct {
	Name string `json:"name"`
	// HardStop and Tunnel are set; 0 leaves HAProxy without hard stop, and with the router's default.
	HardStop time.Duration `json:"hardStop,omitempty"`
	Tunnel   time.Duration `json:"tunnelTimeout,omitempty"`
	// Active connections say something all the time; others are idle.
	Active bool   `json:"active"`
	Steps  []Step `json:"steps"`
}

// Step is what there was at the end of the interval after a reload.
type Step struct {
	// Processes of HAProxy, old ones included, and Memory of all in bytes, what they share counted once.
	Processes int     `json:"processes"`
	Memory    float64 `json:"memory"`
	// Connections that live, of Opened ones.
	Connections int `json:"connections"`
	Opened      int `json:"opened"`
	// Took is how long the reload did, until the new process served.
	Took time.Duration `json:"took"`
}

// Cases of the experiment: nothing done about it, and each remedy, the tunnel's time-out with connections that are
// idle and with others, which it does not bound.
func (s ReloadSetup) Cases() []ReloadCase {
	return []ReloadCase{
		{Name: "as it is", Active: true},
		{Name: "hard-stop-after " + s.HardStop.String(), HardStop: s.HardStop, Active: true},
		{Name: "timeout tunnel " + s.Tunnel.String() + ", idle", Tunnel: s.Tunnel},
		{Name: "timeout tunnel " + s.Tunnel.String() + ", active", Tunnel: s.Tunnel, Active: true},
	}
}

// Expected is the number of processes at worst by the formula of "tune router", after so many reloads.
func (s ReloadSetup) Expected(c ReloadCase) int {
	longest := time.Duration(s.Reloads) * s.Interval
	if c.Tunnel > 0 && !c.Active {
		longest = min(longest, c.Tunnel)
	}
	return int(formula.Processes(longest.Seconds(), c.HardStop.Seconds(), s.Interval.Seconds(), 0))
}

// Most processes that a case had.
func (c ReloadCase) Most() int {
	most := 0
	for _, s := range c.Steps {
		most = max(most, s.Processes)
	}
	return most
}

// Reloads is what was counted.
type Reloads struct {
	RunID   string       `json:"runID"`
	HAProxy string       `json:"haproxy"`
	Setup   ReloadSetup  `json:"setup"`
	Cases   []ReloadCase `json:"cases"`
}

// slack are the processes that may be there beyond what is expected: HAProxy looks at its clocks
// when a second is over, so that a process ends a little after the count.
const slack = 1

// Answer is the experiment for people and programs.
func (r *Reloads) Answer() *v1alpha1.Answer {
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "RouterReloads", Title: "Reloads " + r.RunID, Result: r}
	a.Verdict.OK = true
	for _, c := range r.Cases {
		if most, want := c.Most(), r.Setup.Expected(c); most > want+slack {
			a.Findings = append(a.Findings, v1alpha1.Finding{Severity: v1alpha1.Error, ID: "router.pile[" + c.Name + "]",
				Message: fmt.Sprintf("%s: %s of HAProxy, and at most %d are expected", c.Name, words.Count(most, "process",
					"processes"), want), Remedy: "see which connections keep them: 'show sess' at the old process's socket"})
			a.Verdict.OK, a.Verdict.Problem = false, a.Findings[0].Message
		}
	}
	a.Verdict.Summary = r.summary()
	a.Parts = []v1alpha1.Part{{Title: "Processes", Lead: r.lead(), Tables: []v1alpha1.Table{r.table()}}}
	return a
}

func (r *Reloads) summary() string {
	if len(r.Cases) == 0 {
		return "nothing was counted"
	}
	return fmt.Sprintf("%s of HAProxy %s after %s, %s with hard-stop-after %v", words.Count(r.Cases[0].Most(), "process",
		"processes"), r.HAProxy, words.Count(r.Setup.Reloads, "reload"), words.Number(r.Cases[min(1, len(r.Cases)-1)].Most()),
		r.Setup.HardStop)
}

// lead says what was done, and what that comes to with the time-outs of the router.
func (r *Reloads) lead() []string {
	c := facts.Load()
	interval, tunnel := c.Must("ocp.router.reloadInterval"), c.Must("ocp.router.tunnelTimeout")
	worst := formula.Processes(tunnel.Number, 0, interval.Number, 0)
	s := r.Setup
	out := fmt.Sprintf("%s of WebSockets are opened in each %v, and stay. A process that was replaced lives as long "+
		"as one of its connections. With a reload each %s and connections of %s that makes %s",
		words.Count(s.Connections, "connection"), s.Interval, interval.Printed(), tunnel.Printed(),
		words.Count(int(worst), "process", "processes"))
	if each := r.Cases[0].each(); each > 0 {
		out += ", of " + unit.Format(each*worst, unit.ByteUnit) + " together if each takes as much as here"
	}
	return []string{out + "."}
}

// each is the memory of a process at the end of a case.
func (c ReloadCase) each() float64 {
	if len(c.Steps) == 0 {
		return 0
	}
	last := c.Steps[len(c.Steps)-1]
	return last.Memory / float64(max(1, last.Processes))
}

func (r *Reloads) table() v1alpha1.Table {
	t := v1alpha1.Table{ID: "reloads",
		Columns: cell.Columns("Case", "Processes after each reload", ">Most", ">Expected", ">Memory", ">Connections cut",
			"*>A reload takes"),
		Notes: []string{"Expected is 1 + ceil(min(longest connection, hard stop) / interval), as 'tune router' counts. " +
			"Memory is that of all processes at the end. A time-out of tunnels ends idle connections only; what it or the " +
			"hard stop cuts has to connect again."}}
	for _, c := range r.Cases {
		var counts []string
		took, last := time.Duration(0), Step{}
		for _, s := range c.Steps {
			counts, took, last = append(counts, fmt.Sprint(s.Processes)), max(took, s.Took), s
		}
		t.Rows = append(t.Rows, append(cell.Texts(c.Name, strings.Join(counts, " ")), cell.Count(c.Most()),
			cell.Count(r.Setup.Expected(c)), cell.Text(unit.Format(last.Memory, unit.ByteUnit)),
			cell.Count(last.Opened-last.Connections), latency(took)))
	}
	return t
}
