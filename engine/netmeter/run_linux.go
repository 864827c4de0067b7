package netmeter

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"syscall"
	"time"

	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/ends"
)

// Run measures all cells, again and again. What was built and started for it is gone afterwards, however it ends.
func Run(ctx context.Context, o Options) (*network.Run, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	run := &network.Run{Tool: "plimsoll", Parameters: o.Parameters, Place: "two processes on the loopback device",
		Started: time.Now().UTC().Format(time.RFC3339), RunID: time.Now().UTC().Format("20060102-150405")}
	var client, server Spot
	at := o.Server
	if o.Place != nil {
		w, err := Build(ctx, o.Place)
		if err != nil {
			return nil, err
		}
		defer w.Close()
		client.Space, server.Space = w.Space(o.Place.Client), w.Space(o.Place.Server)
		at = netip.AddrPortFrom(o.Place.Address, Port).String()
		run.Place, run.Switches = o.Place.Title+o.Place.Switches.String(), &o.Place.Switches
		if run.Ends.Hops, err = w.Hops(); err != nil {
			return nil, err
		}
	}
	client.CPUs, server.CPUs = o.ClientCPUs, o.ServerCPUs
	if o.Server == "" {
		if o.Place == nil {
			at = "127.0.0.1:0"
		}
		s, err := StartServer(ctx, server, at)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		at = s.Address
	} else {
		run.Place = "this host and the server at " + o.Server
	}
	c, err := StartClient(ctx, client, at)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if o.Place == nil {
		run.Ends.Hops = c.Ends.Hops
	}
	r := rounds{Options: o, client: c, run: run, again: ends.Retakes(len(o.Parameters.Cells) * o.Parameters.Repetitions)}
	err = r.all(ctx)
	run.Ends.Client, run.Ends.Server = c.Ends.Client, c.Ends.Server
	return run, err
}

// rounds measure cell by cell in each, never all repetitions of a cell in a row.
type rounds struct {
	Options
	client *Client
	run    *network.Run
	// again is how many samples may still be repeated.
	again int
}

func (r *rounds) all(ctx context.Context) error {
	done := 0
	for _, cell := range r.Parameters.Cells {
		r.run.Cells = append(r.run.Cells, network.Measured{Cell: cell})
	}
	for range r.Parameters.Repetitions {
		for i, cell := range r.Parameters.Cells {
			if r.Progress != nil {
				r.Progress(done, cell.Name())
			}
			one, err := r.sample(cell)
			if ctx.Err() != nil {
				return ctx.Err() // its ends were killed, and say so
			}
			if err != nil {
				return err
			}
			m := &r.run.Cells[i]
			m.Repetitions = append(m.Repetitions, one)
			done++
		}
	}
	return nil
}

// sample a cell: a second time where the first was disturbed, of which the less disturbed counts.
func (r *rounds) sample(cell network.Cell) (measure.Repetition, error) {
	return ends.Retake(&r.again, &r.run.Repeated, func() (measure.Repetition, error) {
		return r.client.Measure(cell, r.Parameters, r.Congestion)
	})
}

// Spaces says why this process can't make network namespaces; nil when it can. Rootless may.
func Spaces() error {
	f, err := newSpace()
	if err != nil {
		return err
	}
	return f.Close()
}

// Rootless starts this program again with the same arguments as root of a user namespace, where that is allowed to
// anybody, and gives its exit code.
func Rootless(ctx context.Context, args []string, in, out, err *os.File) (int, error) {
	self, fault := os.Executable()
	if fault != nil {
		return 0, fault
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, err
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, Pdeathsig: syscall.SIGTERM,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	if fault := cmd.Start(); fault != nil {
		return 0, fmt.Errorf("a user namespace: %w", fault)
	}
	cmd.Wait()
	return cmd.ProcessState.ExitCode(), nil
}

// Listen serves at an address, pinned to CPUs, until the context ends.
func Listen(ctx context.Context, at Spot, address string, listening func(string)) error {
	s, err := StartServer(ctx, at, address)
	if err != nil {
		return err
	}
	listening(s.Address)
	err = s.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return err
}
