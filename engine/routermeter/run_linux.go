package routermeter

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
	"plimsoll.dev/bench/router"
	"plimsoll.dev/engine/ends"
	"plimsoll.dev/tune/haproxy"
	"plimsoll.dev/tune/haproxy/formula"
)

// Run measures all cells, again and again. What was started and written for it is gone afterwards, however it ends.
func Run(ctx context.Context, o Options) (*router.Run, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	now := time.Now().UTC()
	run := &router.Run{Setup: o.Setup, Started: now.Format(time.RFC3339), RunID: now.Format("20060102-150405"),
		Host: network.End{Kernel: ends.Kernel(), CPUs: ends.Allowed().Len(), Versions: ends.Versions()}, Pins: o.Pins.of()}
	r := &rounds{Options: o, run: run, again: ends.Retakes(len(o.Cells) * o.Setup.Repetitions)}
	defer r.close()
	err := r.prepare(ctx)
	if err == nil {
		err = r.all(ctx)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err() // the parts were killed, and say so
	}
	return run, err
}

func (p Pins) of() router.Pins {
	return router.Pins{Router: p.Router, Generator: p.Generator, BackEnd: p.BackEnd}
}

// rounds measure cell by cell in each, never all repetitions of a cell in a row.
type rounds struct {
	Options
	run                *router.Run
	generator, backEnd process
	proxy              *proxy
	// again is how many samples may still be repeated.
	again int
}

// prepare starts all parts.
func (r *rounds) prepare(ctx context.Context) (err error) {
	if r.Targets == nil {
		if err := r.router(ctx); err != nil {
			return err
		}
	}
	r.generator, _, err = begin(ctx, ends.Spot{CPUs: r.Pins.Generator}, errand{})
	return err
}

// router starts HAProxy and its back ends.
func (r *rounds) router(ctx context.Context) error {
	program, err := haproxyProgram(r.Program)
	if err != nil {
		return err
	}
	certificate, err := Certificate(r.Setup.Key, "backend.example.com")
	if err != nil {
		return err
	}
	var at reply
	if r.backEnd, at, err = begin(ctx, ends.Spot{CPUs: r.Pins.BackEnd},
		errand{Serve: &serve{Page: int(r.Setup.Page), Certificate: certificate}}); err != nil {
		return err
	}
	address := func(encryption string) string {
		if encryption == "none" || encryption == "edge" {
			return at.Plain
		}
		return at.Secure
	}
	if r.proxy, err = newProxy(ctx, program, r.Setup, ends.Spot{CPUs: r.Pins.Router}, address, certificate); err != nil {
		return err
	}
	r.run.HAProxy = r.proxy.version
	r.Targets = r.proxy.targets()
	return r.proxy.start(ctx)
}

// targets are the routes of the configuration.
func (p *proxy) targets() map[string][]Target {
	out := map[string][]Target{}
	for i, e := range haproxy.Encryptions() {
		for n := range p.setup.Routes {
			t := Target{Address: p.layout.HTTP, Host: haproxy.Host(i+1, n+1), Path: "/1024.html", TLS: e != "none"}
			if t.TLS {
				t.Address = p.layout.HTTPS
			}
			out[e] = append(out[e], t)
		}
	}
	return out
}

// close ends all parts.
func (r *rounds) close() {
	if r.proxy != nil {
		r.proxy.close()
	}
	for _, p := range []process{r.generator, r.backEnd} {
		if p.Process != nil {
			p.Stop()
		}
	}
}

func (r *rounds) all(ctx context.Context) error {
	done := 0
	for _, c := range r.Cells {
		r.run.Cells = append(r.run.Cells, router.Measured{Cell: c})
	}
	for range r.Setup.Repetitions {
		for i, c := range r.Cells {
			if r.Progress != nil {
				r.Progress(done, c.Name())
			}
			one, err := r.twice(ctx, c)
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name(), err)
			}
			m := &r.run.Cells[i]
			m.Repetitions = append(m.Repetitions, one)
			done++
		}
	}
	return nil
}

// twice measures a sample a second time where the first was disturbed, of which the less disturbed counts.
func (r *rounds) twice(ctx context.Context, c router.Cell) (router.Repetition, error) {
	return ends.Retake(&r.again, &r.run.Repeated, func() (router.Repetition, error) { return r.sample(ctx, c) })
}

var versions = map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}

// usualWait is how long a sample waits for connections to open, and for the last answers.
const usualWait = 2 * time.Second

// sample a cell once.
func (r *rounds) sample(ctx context.Context, c router.Cell) (router.Repetition, error) {
	s := r.Setup
	if len(r.Targets[c.Encryption]) == 0 {
		return router.Repetition{}, errors.New("there is no such route")
	}
	if err := r.generator.Tell(sample{Targets: r.Targets[c.Encryption], Connections: s.Connections,
		Close: c.Mode == formula.Close, Rate: s.Rate, Warmup: s.Warmup, Duration: s.Duration, TLS: versions[s.TLS],
		Resume: s.Resumption, NewPaths: s.NewPaths, Wait: cmp.Or(r.wait, usualWait)}); err != nil {
		return router.Repetition{}, err
	}
	if _, err := r.generator.hear(); err != nil {
		return router.Repetition{}, err
	}
	began := time.Now()
	before, after := account{}, account{}
	for _, look := range []struct {
		at time.Duration
		to *account
	}{{s.Warmup, &before}, {s.Warmup + s.Duration, &after}} {
		select {
		case <-ctx.Done():
			return router.Repetition{}, ctx.Err()
		case <-time.After(time.Until(began.Add(look.at))):
			*look.to = r.look()
		}
	}
	answer, err := r.generator.hear()
	if err != nil {
		return router.Repetition{}, err
	}
	if r.proxy != nil && r.proxy.newest.over() {
		return router.Repetition{}, fmt.Errorf("HAProxy has ended: %s", r.proxy.newest.last())
	}
	return r.repetition(*answer.Result, after.since(before)), nil
}

// account is what all parts have used so far.
type account struct {
	at                                 time.Time
	router, generator, server, machine measure.CPU
}

func (r *rounds) look() account {
	a := account{at: time.Now(), machine: ends.Machine()}
	a.generator, _ = ends.Of(r.generator.PID)
	if r.proxy != nil {
		a.router, _ = ends.Of(r.proxy.newest.pid)
		a.server, _ = ends.Of(r.backEnd.PID)
	}
	return a
}

// since is what was used, a second.
func (a account) since(b account) account {
	per := func(x, y measure.CPU) measure.CPU {
		s := a.at.Sub(b.at).Seconds()
		return measure.CPU{User: (x.User - y.User) / s, System: (x.System - y.System) / s,
			SoftIRQ: (x.SoftIRQ - y.SoftIRQ) / s, Steal: (x.Steal - y.Steal) / s}
	}
	return account{router: per(a.router, b.router), generator: per(a.generator, b.generator),
		server: per(a.server, b.server), machine: per(a.machine, b.machine)}
}

func (r *rounds) repetition(m result, used account) router.Repetition {
	seconds := r.Setup.Duration.Seconds()
	all := func(c measure.CPU) *measure.CPU {
		return &measure.CPU{User: c.User * seconds, System: c.System * seconds, SoftIRQ: c.SoftIRQ * seconds,
			Steal: c.Steal * seconds}
	}
	out := router.Repetition{Repetition: measure.Repetition{Seconds: seconds, Transactions: m.Transactions, Bytes: m.Bytes,
		Histogram: m.Times, Latency: m.Times.Summary(), Client: all(used.generator), Server: all(used.server),
		Machine: all(used.machine), Before: &m.Before, After: &m.After},
		Handshakes: m.Handshakes, Resumed: m.Resumed, Failed: m.Failed, Failure: m.Failure, Silent: m.Silent,
		Waiting: m.Waiting}
	if r.proxy != nil {
		out.Router = all(used.router)
	} else {
		out.Machine, out.Server = nil, nil // the router may be of this machine, which makes nobody foreign
	}
	return out
}
