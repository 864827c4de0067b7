package routermeter

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"plimsoll.dev/engine/ends"
)

// partName is the name by which the program starts itself as back end or generator.
const partName = "plimsoll: part of a router's bench"

// errand is what a part is started for: the back end, if Serve is set, else the generator, whose orders are samples.
type errand struct {
	Serve *serve `json:"serve,omitempty"`
}

// reply of a part: of the back end where it listens, of the generator that it is ready, and what it measured.
type reply struct {
	Plain  string  `json:"plain,omitempty"`
	Secure string  `json:"secure,omitempty"`
	Result *result `json:"result,omitempty"`
	Fault  string  `json:"fault,omitempty"`
}

func init() { ends.Role(partName, part) }

// part is the process of a part. It is over when its orders are.
func part(in io.Reader, out io.Writer) int {
	orders, replies := json.NewDecoder(in), json.NewEncoder(out)
	var e errand
	if orders.Decode(&e) != nil {
		return 1
	}
	var err error
	if e.Serve != nil {
		ctx, stop := context.WithCancel(context.Background())
		go func() {
			io.Copy(io.Discard, in)
			stop()
		}()
		err = back(ctx, *e.Serve, func(plain, secure string) { replies.Encode(reply{Plain: plain, Secure: secure}) })
		stop()
	} else {
		err = follow(orders, replies)
	}
	if err != nil {
		replies.Encode(reply{Fault: err.Error()})
		return 1
	}
	return 0
}

// follow the orders of a generator.
func follow(orders *json.Decoder, replies *json.Encoder) error {
	if err := replies.Encode(reply{}); err != nil {
		return err
	}
	for {
		var s sample
		if err := orders.Decode(&s); err != nil {
			return nil // the caller has all that it wants
		}
		r, err := generate(s, func() error { return replies.Encode(reply{}) })
		if err == nil {
			err = replies.Encode(reply{Result: &r})
		}
		if err != nil {
			return err
		}
	}
}

// process of a part.
type process struct{ *ends.Process }

// begin a part at a spot.
func begin(ctx context.Context, at ends.Spot, e errand) (process, reply, error) {
	one, err := ends.Begin(ctx, at, partName)
	if err != nil {
		return process{}, reply{}, err
	}
	p := process{one}
	err = p.Tell(e)
	var r reply
	if err == nil {
		r, err = p.hear()
	}
	if err != nil {
		p.Stop()
	}
	return p, r, err
}

// hear what a part says next.
func (p process) hear() (reply, error) {
	var r reply
	err := p.Hear(&r)
	if r.Fault != "" {
		return r, errors.New(r.Fault)
	}
	return r, err
}
