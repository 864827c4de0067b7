package netmeter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/ends"
)

// endName is the name by which the program starts itself as an end.
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

func init() { ends.Role(endName, end) }

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
type process struct{ *ends.Process }

// begin starts an end at a spot. It is killed when the context ends or this process does.
func begin(ctx context.Context, at Spot, e errand) (process, reply, error) {
	one, err := ends.Begin(ctx, at, endName)
	if err != nil {
		return process{}, reply{}, err
	}
	p := process{one}
	r, err := p.ask(e)
	if err != nil {
		p.Stop()
		return process{}, reply{}, err
	}
	return p, r, nil
}

// ask an end, and wait for what it says.
func (p process) ask(what any) (reply, error) {
	var r reply
	err := p.Ask(what, &r)
	if r.Fault != "" {
		return r, errors.New(r.Fault)
	}
	return r, err
}

// Server that was started.
type Server struct {
	process
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

// Close ends it.
func (s *Server) Close() { s.Stop() }

// Client that was started, with what is known of both ends.
type Client struct {
	process
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
func (c *Client) Close() { c.Stop() }

// Measure one repetition of a cell.
func (c *Client) Measure(cell network.Cell, p network.Parameters, congestion string) (measure.Repetition, error) {
	r, err := c.ask(sample{cell, p.Warmup, p.Duration, congestion})
	if err != nil {
		return measure.Repetition{}, fmt.Errorf("%s: %w", cell.Name(), err)
	}
	c.Ends = *r.Ends
	return *r.Repetition, nil
}
