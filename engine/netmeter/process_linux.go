package netmeter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
)

// endName is the name by which the program starts itself as an end. A name, and not a hidden command,
// works the same in every program and test that has this package.
const endName = "plimsoll: network end"

// errand is what an end is started for: one of the two.
type errand struct {
	Listen  string `json:"listen,omitempty"`
	Connect string `json:"connect,omitempty"`
}

// reply of an end to its errand, and of a client to each sample.
type reply struct {
	Listening  string               `json:"listening,omitempty"`
	Ends       *network.Environment `json:"ends,omitempty"`
	Repetition *measure.Repetition  `json:"repetition,omitempty"`
	Fault      string               `json:"fault,omitempty"`
}

func init() {
	if len(os.Args) == 1 && os.Args[0] == endName {
		os.Exit(end(os.Stdin, os.Stdout))
	}
}

// end is the process of an end. It is over when its orders are.
func end(in io.Reader, out io.Writer) int {
	orders, replies := json.NewDecoder(in), json.NewEncoder(out)
	var e errand
	if orders.Decode(&e) != nil {
		return 1
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var err error
	if e.Listen != "" {
		go func() {
			io.Copy(io.Discard, in)
			stop()
		}()
		err = Serve(ctx, e.Listen, func(at string) { replies.Encode(reply{Listening: at}) })
	} else {
		err = follow(ctx, e.Connect, orders, replies)
	}
	if err != nil {
		replies.Encode(reply{Fault: err.Error()})
		return 1
	}
	return 0
}

// follow the orders of a client: each is a sample.
func follow(ctx context.Context, address string, orders *json.Decoder, replies *json.Encoder) error {
	c, err := connect(ctx, address)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	tell := func(r *measure.Repetition) error {
		ends := network.Environment{Client: c.here.End, Server: c.there.End}
		ends.Hops = append(named("client", c.here.Hops), named("server", c.there.Hops)...)
		return replies.Encode(reply{Ends: &ends, Repetition: r})
	}
	if err := tell(nil); err != nil {
		return err
	}
	for {
		var s sample
		if err := orders.Decode(&s); err != nil {
			return nil // the caller has all that it wants
		}
		r, err := c.measure(s)
		if err != nil {
			return err
		}
		if err := tell(&r); err != nil {
			return err
		}
	}
}

func named(space string, hops []network.Hop) []network.Hop {
	for i := range hops {
		hops[i].Name = space + " " + hops[i].Name
	}
	return hops
}

// process of an end.
type process struct {
	in     io.WriteCloser
	out    *json.Decoder
	errors bytes.Buffer
	ended  chan error
}

// begin starts an end at a spot. It is killed when the context ends or this process does.
func begin(ctx context.Context, at Spot, e errand) (*process, reply, error) {
	p := &process{ended: make(chan error, 1)}
	self, err := os.Executable()
	if err != nil {
		return nil, reply{}, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = []string{endName}
	cmd.Stderr = &p.errors
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, reply{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, reply{}, err
	}
	p.out = json.NewDecoder(out)
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread has another namespace, and the end dies with it
		err := enter(at)
		if err == nil {
			err = cmd.Start()
		}
		started <- err
		if err == nil {
			p.ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, reply{}, fmt.Errorf("an end does not start: %w", err)
	}
	r, err := p.ask(e)
	if err != nil {
		p.stop()
		return nil, reply{}, err
	}
	return p, r, nil
}

// enter takes the thread to a spot.
func enter(at Spot) error {
	if at.Space != nil {
		if err := unix.Setns(int(at.Space.Fd()), unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("to enter a network namespace: %w", err)
		}
	}
	if at.CPUs.IsEmpty() {
		return nil
	}
	var set unix.CPUSet
	for n := range at.CPUs.All() {
		set.Set(n)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("to run on CPU %s: %w", at.CPUs, err)
	}
	return nil
}

// ask an end, and wait for what it says.
func (p *process) ask(what any) (reply, error) {
	var r reply
	err := json.NewEncoder(p.in).Encode(what)
	if err == nil {
		err = p.out.Decode(&r)
	}
	if r.Fault != "" {
		return r, errors.New(r.Fault)
	}
	if err != nil {
		said := strings.TrimSpace(p.errors.String())
		return r, fmt.Errorf("an end has ended: %s", said[:min(len(said), 2000)])
	}
	return r, nil
}

// stop an end, and wait for that.
func (p *process) stop() {
	p.in.Close()
	<-p.ended
}

// Server that was started.
type Server struct {
	*process
	Address string
}

// StartServer listens at an address of a spot.
func StartServer(ctx context.Context, at Spot, address string) (*Server, error) {
	p, r, err := begin(ctx, at, errand{Listen: address})
	if err != nil {
		return nil, err
	}
	return &Server{p, r.Listening}, nil
}

// Wait until it ends.
func (s *Server) Wait() error { return <-s.ended }

// Close ends it.
func (s *Server) Close() { s.stop() }

// Client that was started, with what is known of both ends.
type Client struct {
	*process
	Ends network.Environment
}

// StartClient connects from a spot to a server.
func StartClient(ctx context.Context, at Spot, address string) (*Client, error) {
	p, r, err := begin(ctx, at, errand{Connect: address})
	if err != nil {
		return nil, err
	}
	return &Client{p, *r.Ends}, nil
}

// Close ends it.
func (c *Client) Close() { c.stop() }

// Measure one repetition of a cell.
func (c *Client) Measure(cell network.Cell, p network.Parameters, congestion string) (measure.Repetition, error) {
	r, err := c.ask(sample{cell, p.Warmup, p.Duration, congestion})
	if err != nil {
		return measure.Repetition{}, fmt.Errorf("%s: %w", cell.Name(), err)
	}
	c.Ends = *r.Ends
	return *r.Repetition, nil
}
