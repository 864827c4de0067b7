package netmeter

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
)

// The first byte of a connection says what it is. On one for data it is the first byte of the first
// request, which costs nothing.
const (
	controlByte = 'C'
	dataByte    = 'D'
)

// protocolVersion that both ends must have.
const protocolVersion = 1

// maxMessage of the control connection, in bytes.
const maxMessage = 1 << 20

// patience is how long an end waits for the other beyond what was agreed.
var patience = 10 * time.Second

// message of the control connection, one JSON document each. Of a request one field is set, and the
// answer has the same one, or Fault.
type message struct {
	Hello *hello  `json:"hello,omitempty"`
	Arm   *sample `json:"arm,omitempty"`
	Begin bool    `json:"begin,omitempty"`
	End   bool    `json:"end,omitempty"`
	// Used is with the answer to End: what the server used since Begin.
	Used  *used  `json:"used,omitempty"`
	Fault string `json:"fault,omitempty"`
}

// hello is what an end is.
type hello struct {
	Version int `json:"version"`
	// Boot tells machines apart: ends with the same one share its CPUs.
	Boot string `json:"boot"`
	// Apart says that its kernel counts soft interrupts apart from the time of processes.
	Apart bool `json:"apart,omitempty"`
	// Space is the network namespace.
	Space string        `json:"space"`
	End   network.End   `json:"end"`
	Hops  []network.Hop `json:"hops,omitempty"`
}

// sample is a repetition of a cell.
type sample struct {
	Cell       network.Cell  `json:"cell"`
	Warmup     time.Duration `json:"warmup"`
	Duration   time.Duration `json:"duration"`
	Congestion string        `json:"congestion,omitempty"`
}

// used is what an end used and moved in a sample.
type used struct {
	Seconds     float64     `json:"seconds"`
	CPU         measure.CPU `json:"cpu"`
	Machine     measure.CPU `json:"machine"`
	Bytes       int64       `json:"bytes"`
	Retransmits float64     `json:"retransmits"`
	Drops       float64     `json:"drops"`
	Congestion  string      `json:"congestion,omitempty"`
}

// talk sends messages and receives their answers.
type talk struct {
	in  *json.Decoder
	out *json.Encoder
}

func newTalk(rw io.ReadWriter) *talk {
	return &talk{in: json.NewDecoder(&bounded{r: rw}), out: json.NewEncoder(rw)}
}

// bounded refuses to read messages without an end.
type bounded struct {
	r io.Reader
	n int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.n += n; b.n > maxMessage {
		return 0, errors.New("the other end sends more than a message can be")
	}
	return n, err
}

// ask sends a message and gives the answer; a fault is an error.
func (t *talk) ask(m message) (message, error) {
	if err := t.out.Encode(m); err != nil {
		return message{}, fmt.Errorf("the server is gone: %w", err)
	}
	var answer message
	if err := t.in.Decode(&answer); err != nil {
		return message{}, fmt.Errorf("the server gives no answer: %w", err)
	}
	if answer.Fault != "" {
		return message{}, fmt.Errorf("the server: %s", answer.Fault)
	}
	return answer, nil
}
