//go:build !linux

package routermeter

import (
	"context"
	"errors"

	"plimsoll.dev/bench/router"
)

var errLinux = errors.New("a router is measured on Linux alone")

// Run measures all cells.
func Run(context.Context, Options) (*router.Run, error) { return nil, errLinux }

// Reload counts the processes that reloads leave.
func Reload(context.Context, ReloadOptions) (*router.Reloads, error) { return nil, errLinux }
