// Command lab is a laboratory cluster in one process, built as plimsoll-lab: the real
// etcd, API server, scheduler and controllers of Kubernetes with simulated nodes, on
// loopback alone. It keeps everything in one folder, and never runs a container.
//
// "plimsoll lab" starts and stops it; it shares nothing with that program but the layout of
// the folder (folder.go).
//
//	plimsoll-lab DIR
//	plimsoll-lab -attached DIR    # ends when its standard input does
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"plimsoll.dev/lab/openshift"
	"plimsoll.dev/lab/plane"
	"plimsoll.dev/lab/sim"
)

func main() {
	log.SetFlags(log.LstdFlags | log.Lmicroseconds)
	args := os.Args[1:]
	attached := len(args) > 0 && args[0] == "-attached"
	if attached {
		args = args[1:]
	}
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, "usage: plimsoll-lab [-attached] DIR (\"plimsoll lab up\" makes the folder)")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	if attached {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // until whoever started this has ended
			stop()
		}()
	}
	err := run(ctx, args[0])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "plimsoll-lab:", err)
		os.Exit(1)
	}
}

// run runs the laboratory of a folder until the context ends.
func run(ctx context.Context, dir string) (err error) {
	began := time.Now()
	f, err := enter(dir)
	if err != nil {
		return err
	}
	defer f.leave()
	p, err := plane.Start(ctx, plane.Options{Fast: f.config.Profile == fast})
	if err != nil {
		return err
	}
	inner, end := context.WithCancel(ctx)
	defer func() {
		end()
		if stopped := p.Stop(); err == nil {
			err = stopped
		}
	}()
	s, err := f.populate(inner, p)
	if err != nil {
		return err
	}
	if err := f.announce(p.Port, time.Since(began)); err != nil {
		return err
	}
	log.Printf("ready after %.1f s at %s", time.Since(began).Seconds(), p.URL)
	err = p.Failed(ctx)
	if closed := s.Close(); err == nil {
		err = closed
	}
	return err
}

// populate installs the kinds and registers the nodes, and waits until these take pods.
func (f *folder) populate(ctx context.Context, p *plane.Plane) (*sim.Sim, error) {
	config, err := plane.Client(nodesKubeconfig)
	if err != nil {
		return nil, err
	}
	kinds := make(chan error, 1)
	go func() { // beside the nodes: the API server takes seconds, half of them idle
		if f.config.Platform == "openshift" {
			kinds <- openshift.Install(ctx, config)
			return
		}
		kinds <- nil
	}()
	lease := 10 * time.Second // as a kubelet does
	if f.config.Profile == fast {
		lease = 40 * time.Second
	}
	s, err := sim.Start(ctx, config, sim.Options{Behaviour: f.config.Behaviour, LeaseEvery: lease, Truth: f.truth,
		Logf: log.Printf})
	if err != nil {
		return nil, err
	}
	log.Print("the control plane is ready")
	registered := 0
	if !f.registered() { // else the API knows best which nodes and storage classes there are
		if err := s.ServeVolumes(ctx); err != nil {
			return nil, err
		}
		if err := s.Register(ctx, f.nodes); err != nil {
			return nil, err
		}
		if err := f.register(); err != nil {
			return nil, err
		}
		registered = len(f.nodes)
		log.Printf("%d nodes registered", registered)
	}
	for until := time.Now().Add(untilSettled); !s.Settled(registered) && time.Now().Before(until); {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	err = <-kinds
	if err == nil && f.config.Machines {
		err = openshift.PlayMachines(ctx, config, f.nodes, log.Printf)
	}
	return s, err
}

// untilSettled bounds the wait for nodes: on a machine that is busy they come later.
const untilSettled = time.Minute
