//go:build !linux

package apply

import (
	"context"
	"errors"
)

// process is the Runner of the real TuneD, which there is on Linux alone.
type process struct{}

// Program is the path of the installed TuneD.
func Program() (string, error) { return "", errLinux }

var errLinux = errors.New("TuneD runs on Linux alone")

func (process) Start(context.Context, Start) (Daemon, error) { return nil, errLinux }
