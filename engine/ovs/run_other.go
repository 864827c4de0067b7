//go:build !linux

package ovs

import (
	"context"
	"errors"

	"plimsoll.dev/bench/network"
	sim "plimsoll.dev/bench/ovs"
	"plimsoll.dev/unit"
)

// Options of the experiment.
type Options struct {
	Parameters   network.Parameters
	Idle         int
	Ends, Switch unit.CPUSet
	Progress     func(done int, next string)
}

// Run the experiment.
func Run(context.Context, Options) (*sim.Experiment, error) {
	return nil, errors.New("rules are measured on Linux alone")
}
