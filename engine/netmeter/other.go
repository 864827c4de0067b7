//go:build !linux

package netmeter

import (
	"context"
	"errors"
	"os"

	"plimsoll.dev/bench/network"
)

var errLinux = errors.New("the network is measured on Linux alone")

// Run measures all cells.
func Run(context.Context, Options) (*network.Run, error) { return nil, errLinux }

// Spaces says why this process can't make network namespaces.
func Spaces() error { return errLinux }

// Rootless starts this program again as root of a user namespace.
func Rootless(context.Context, []string, *os.File, *os.File, *os.File) (int, error) {
	return 0, errLinux
}

// Listen serves at an address.
func Listen(context.Context, Spot, string, func(string)) error { return errLinux }
