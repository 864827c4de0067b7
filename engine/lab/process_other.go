//go:build !unix

package lab

import (
	"errors"
	"os/exec"
)

var errUnix = errors.New("the laboratory runs on Linux and macOS only")

func session(*exec.Cmd) error { return errUnix }

func locked(string) bool { return false }

func interrupt(int) error { return errUnix }

func kill(int) error { return errUnix }
