package cli

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/engine/load"
	"plimsoll.dev/facts"
)

// What words the flags of "load" take.
var (
	missings   = []string{"refuse", "convert", "skip"}
	cleanups   = []string{"auto", "always", "never"}
	churnModes = []string{load.ChurnObjects, load.ChurnNamespaces}
)

// The rates between which a run can be paced, in objects a second: one in a quarter of an hour, and more than a
// server takes.
const (
	leastRate = 0.001
	mostRate  = 1e6
)

// checkFlags says what is wrong with the flags by themselves.
func (l *loadCommand) checkFlags(c *cobra.Command) error {
	wrong := cmp.Or(l.apart(c), l.outOfRange())
	if wrong != nil {
		return badInput(wrong)
	}
	return cmp.Or(oneOf("missing", l.opt.Missing, missings), oneOf("cleanup", l.opt.Cleanup, cleanups),
		oneOf("churn-mode", l.opt.Churn.Mode, churnModes))
}

// apart refuses flags that have no effect without another.
func (l *loadCommand) apart(c *cobra.Command) error {
	for _, f := range []struct {
		given bool
		says  string
		names []string
	}{
		{l.maximum != "", "says how --maximum climbs", []string{"goal", "start", "step", "precision"}},
		{l.opt.Churn.Share != 0, "says how --churn goes on", []string{"churn-mode", "churn-cycles", "churn-delay"}},
		{l.opt.Rate != 0, "draws the times of --rate", []string{"poisson"}},
	} {
		for _, name := range f.names {
			if !f.given && c.Flags().Changed(name) {
				return fmt.Errorf("--%s %s; give one", name, f.says)
			}
		}
	}
	return nil
}

// outOfRange says which number is. What is no number is in no range.
func (l *loadCommand) outOfRange() error {
	o := l.opt
	switch {
	case o.Rate != 0 && !(o.Rate >= leastRate && o.Rate <= mostRate):
		return fmt.Errorf("--rate is 0, or from %v to %d objects a second", leastRate, int(mostRate))
	case o.Concurrency < 1 || o.Concurrency > 10_000 || o.Queue < 0:
		return errors.New("--queue is at least 0, --concurrency from 1 to 10000")
	case !(o.Churn.Share >= 0 && o.Churn.Share <= 1) || o.Churn.Cycles < 1 || o.Churn.Delay < 0:
		return errors.New("--churn is a share from 0 to 1, --churn-cycles at least 1, --churn-delay at least 0")
	case o.Timeout < 0 || o.Patience < 0:
		return errors.New("--timeout and --patience are at least 0, which waits for ever")
	}
	return nil
}

// judges are the thresholds of the flags, or else the service levels. What else has to be read is read.
func (l *loadCommand) judges() ([]load.Threshold, error) {
	for _, text := range l.waitFor {
		w, err := load.ParseWaitFor(text)
		if err != nil {
			return nil, err
		}
		l.opt.WaitFor = append(l.opt.WaitFor, w)
	}
	var out []load.Threshold
	for _, text := range l.thresholds {
		t, err := load.ParseThreshold(text)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	if out == nil {
		out = serviceLevels()
	}
	var err error
	l.opt.Prometheus, err = l.prometheus.client(l.app)
	return out, err
}

// serviceLevels are the objectives of Kubernetes.
func serviceLevels() []load.Threshold {
	c := facts.Load()
	level := func(latency, fact string) load.Threshold {
		f := c.Must(fact)
		return load.Threshold{Latency: latency, Quantile: "p99", Most: time.Duration(f.Number * float64(time.Second)),
			Source: f.Source.String()}
	}
	return []load.Threshold{level("pod/ready", "k8s.slo.podStartup"), level("create/*", "k8s.slo.mutating")}
}
