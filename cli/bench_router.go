package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/bench/router"
	"plimsoll.dev/engine/ends"
	"plimsoll.dev/engine/routermeter"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// benchRouter is "bench router".
type benchRouter struct {
	*tuning
	setup                       router.Setup
	cells, targets              []string
	page, pin, program, address string
	quick, noResumption         bool
}

func newBenchRouter(a *app) *cobra.Command {
	b := &benchRouter{tuning: &tuning{app: a, failOn: "error"}, setup: router.Default()}
	c := &cobra.Command{
		Use:   "router",
		Short: "Measure what a router takes: requests a second by kind of route",
		Long: `Router measures the table of the documents: routes without encryption, edge,
passthrough and re-encrypt, with connections that are kept or closed, 100 routes
of each kind and pages of 1 kB. It starts HAProxy with the configuration of
"tune router", back ends and a generator, each a process on its own CPUs, and
says what of them was full: only where that is the router is the rate its limit.

Clients ask as soon as they have an answer, or with --rate at intended times,
from which latencies count. With --target the routes of a router that runs are
asked: URLs, or a file that "oc get routes -A -o yaml" prints. Certificates are
not verified. Mind that this is a load for whoever is behind the routes.

The JSON of a run is for "plan --measured" and "bench compare".

` + exitCodesHelp,
		Example: `  plimsoll bench router
  plimsoll bench router --threads 2 --tls 1.2 --key ecdsa -o json --output-file run.json
  plimsoll bench router --cell edge/keep-alive --rate 5000
  plimsoll bench router --target routes.yaml --address 192.0.2.7`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return b.run(c) },
	}
	b.out.flags(c)
	b.flags(c)
	c.AddCommand(newBenchReload(a))
	return c
}

func (b *benchRouter) flags(c *cobra.Command) {
	f, s := c.Flags(), &b.setup
	var names []string
	for _, one := range router.Cells() {
		names = append(names, one.Name())
	}
	f.BoolVar(&b.noError, "exit-zero", false, "exit with 0 whatever is found")
	f.BoolVar(&b.quick, "quick", false, "short samples, in under half a minute")
	f.StringSliceVar(&b.cells, "cell", nil, "a `CELL` in place of the table, such as edge/close")
	mustComplete(c, "cell", names)
	f.IntVar(&s.Repetitions, "repetitions", s.Repetitions, "how often the whole table is measured")
	f.DurationVar(&s.Duration, "duration", s.Duration, "of a sample (--quick: 800ms)")
	f.DurationVar(&s.Warmup, "warmup", s.Warmup, "before a sample, not counted (--quick: 200ms)")
	f.IntVar(&s.Connections, "connections", s.Connections, "of all clients together")
	f.Float64Var(&s.Rate, "rate", 0, "requests a second, at intended times; as many as there can be otherwise")
	f.StringVar(&s.TLS, "tls", s.TLS, "the version of TLS that clients speak: 1.2 or 1.3")
	mustComplete(c, "tls", []string{"1.2", "1.3"})
	f.BoolVar(&b.noResumption, "no-resumption", false, "each TLS session is a new one")
	f.BoolVar(&s.NewPaths, "new-paths", false, "a path for each request,\nwhich the router has to look up")
	f.IntVar(&s.Threads, "threads", s.Threads, "of HAProxy")
	f.IntVar(&s.Routes, "routes", s.Routes, "of each kind")
	f.IntVar(&s.MaxConnections, "maxconn", 0, "of HAProxy; the advised number otherwise")
	f.StringVar(&b.page, "page", "1k", "the size of an answer, such as 8k")
	f.StringVar(&s.Key, "key", s.Key, "what certificates are made with: rsa (2048 bits) or ecdsa (P-256)")
	mustComplete(c, "key", []string{router.RSA, router.ECDSA})
	f.StringVar(&b.pin, "pin", "apart",
		"CPUs of the parts: apart, none,\nor `ROUTER:GENERATOR:BACKEND` (lists, as in 0:1:1)")
	f.StringVar(&b.program, "haproxy", "", "the `PROGRAM`; the installed one otherwise")
	f.StringSliceVar(&b.targets, "target", nil,
		"a `ROUTE` of a router that runs: URL, KIND=URL as in\npassthrough=https://host/, or a file of routes")
	f.StringVar(&b.address, "address", "", "of the router with --target, in place of the names'")
}

// own are the flags of a router that is started here.
var own = []string{"threads", "routes", "maxconn", "page", "key", "haproxy"}

func (b *benchRouter) run(c *cobra.Command) error {
	ctx, done := untilSignal(c.Context())
	defer done()
	o, err := b.options(ctx, c)
	if err != nil {
		return badInput(err)
	}
	if err := b.out.ready(b.app, false, router.Specimen(o.Setup, o.Cells)); err != nil {
		return err
	}
	samples := int64(len(o.Cells) * o.Setup.Repetitions)
	b.say("%s in about %v", words.Count(int(samples), "sample"),
		(o.Setup.Time(len(o.Cells)) + time.Duration(samples)*60*time.Millisecond).Round(time.Second))
	var over func()
	o.Progress, over = b.progress(samples, "samples")
	run, err := routermeter.Run(ctx, o)
	over()
	if err := ended(ctx, err); err != nil {
		return err
	}
	if b.targets != nil {
		run.Target = cmp.Or(b.address, b.targets[0])
	}
	b.out.again = ""
	return b.answer(run.Answer(), nil)
}

// options of the flags. The error has all that is wrong.
func (b *benchRouter) options(ctx context.Context, c *cobra.Command) (o routermeter.Options, err error) {
	var wrong []error
	bad := func(err error) {
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	usual := router.Default()
	if b.quick && !c.Flags().Changed("duration") {
		b.setup.Duration = 800 * time.Millisecond
	}
	if b.quick && !c.Flags().Changed("warmup") {
		b.setup.Warmup = 200 * time.Millisecond
	}
	b.setup.Resumption = usual.Resumption && !b.noResumption
	if b.setup.Page, err = unit.ParseBytes(b.page); err != nil {
		bad(fmt.Errorf("--page: %w", err))
		b.setup.Page = usual.Page
	}
	o = routermeter.Options{Setup: b.setup, Program: b.program}
	o.Cells, err = b.chosen()
	bad(err)
	wrong = append(wrong, o.Setup.Check()...)
	if b.targets != nil {
		bad(b.live(ctx, c, &o))
	} else if b.address != "" {
		bad(errors.New("--address is for --target"))
	}
	if b.targets == nil {
		o.Pins, err = b.pins()
		bad(err)
	}
	return o, errors.Join(wrong...)
}

// chosen are the cells of --cell, or the table.
func (b *benchRouter) chosen() ([]router.Cell, error) {
	if b.cells == nil {
		return router.Cells(), nil
	}
	var out []router.Cell
	var wrong []error
	for _, name := range b.cells {
		one, err := router.ParseCell(name)
		out, wrong = append(out, one), append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return out, router.CheckCells(out)
}

// pins reads --pin.
func (b *benchRouter) pins() (p routermeter.Pins, err error) {
	allowed := ends.Allowed()
	switch parts := strings.Split(b.pin, ":"); {
	case b.pin == "none":
		return p, nil
	case b.pin == "apart":
		r, g, back := router.Pin(slices.Collect(allowed.All()), b.setup.Threads)
		return routermeter.Pins{Router: unit.CPUSetOf(r...), Generator: unit.CPUSetOf(g...),
			BackEnd: unit.CPUSetOf(back...)}, nil
	case len(parts) == 3:
		for i, to := range []*unit.CPUSet{&p.Router, &p.Generator, &p.BackEnd} {
			if *to, err = cpusWithin(parts[i], allowed); err != nil {
				return p, err
			}
		}
		return p, nil
	}
	return p, fmt.Errorf("--pin %q is not apart, none or ROUTER:GENERATOR:BACKEND (as in 0:1:1)", b.pin)
}

// live takes the routes of --target.
func (b *benchRouter) live(ctx context.Context, c *cobra.Command, o *routermeter.Options) error {
	for _, name := range append(slices.Clone(own), "pin") {
		if c.Flags().Changed(name) {
			return fmt.Errorf("--%s is of a router that is started here: it can't stand beside --target", name)
		}
	}
	o.Targets = map[string][]routermeter.Target{}
	var wrong []error
	for _, one := range b.targets {
		err := error(nil)
		if strings.Contains(one, "://") {
			err = routermeter.AddURL(o.Targets, one)
		} else {
			var text []byte
			name := one
			if text, name, err = b.slurp(one, routermeter.MaxRoutes); err == nil {
				if err = routermeter.AddRoutes(o.Targets, text); err != nil {
					err = fmt.Errorf("%s: %w", name, err)
				}
			}
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--target: %w", err))
		}
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	absent := func(x router.Cell) bool { return len(o.Targets[x.Encryption]) == 0 }
	there := slices.DeleteFunc(slices.Clone(o.Cells), absent)
	if len(there) == 0 || b.cells != nil && len(there) < len(o.Cells) {
		return errors.New("--target: there is no route of the kinds that --cell names")
	}
	o.Cells, o.Setup.Threads, o.Setup.Page, o.Setup.Routes = there, 0, 0, 0
	for _, list := range o.Targets {
		o.Setup.Routes += len(list)
	}
	return routermeter.Resolve(ctx, o.Targets, b.address)
}

func newBenchReload(a *app) *cobra.Command {
	t, o := &tuning{app: a, failOn: "error"}, routermeter.ReloadOptions{Setup: router.DefaultReload()}
	c := &cobra.Command{
		Use:   "reload",
		Short: "Count the processes that reloads leave, and what holds them down",
		Long: `Reload starts HAProxy with the configuration of "tune router", opens WebSockets,
reloads it as the router does, and counts: a process that was replaced stays as
long as one of its connections lives. It does so with nothing done about it,
with hard-stop-after, and with a time-out of tunnels that are idle and that are
not. The counts stand beside those of the formula of "tune router".

` + exitCodesHelp,
		Example: `  plimsoll bench router reload
  plimsoll bench router reload --reloads 10 --interval 2s --hard-stop 5s`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := errors.Join(o.Setup.Check()...); err != nil {
				return badInput(err)
			}
			if err := t.out.ready(t.app, false, router.ReloadSpecimen(o.Setup)); err != nil {
				return err
			}
			ctx, done := untilSignal(c.Context())
			defer done()
			var over func()
			o.Progress, over = t.progress(int64(len(o.Setup.Cases())*o.Setup.Reloads), "reloads")
			r, err := routermeter.Reload(ctx, o)
			over()
			if err := ended(ctx, err); err != nil {
				return err
			}
			t.out.again = ""
			return t.answer(r.Answer(), nil)
		},
	}
	t.out.flags(c)
	f, s := c.Flags(), &o.Setup
	f.BoolVar(&t.noError, "exit-zero", false, "exit with 0 whatever is found")
	f.IntVar(&s.Reloads, "reloads", s.Reloads, "of each case")
	f.DurationVar(&s.Interval, "interval", s.Interval, "between reloads")
	f.IntVar(&s.Connections, "connections", s.Connections, "that are opened before each reload, and stay")
	f.IntVar(&s.Routes, "routes", s.Routes, "of each kind in the configuration")
	f.DurationVar(&s.HardStop, "hard-stop", s.HardStop, "how long old processes live, of the remedy")
	f.DurationVar(&s.Tunnel, "tunnel-timeout", s.Tunnel, "of idle WebSockets, of the remedy")
	f.StringVar(&o.Program, "haproxy", "", "the `PROGRAM`; the installed one otherwise")
	return c
}
