package routermeter

import (
	"net"
	"time"

	"plimsoll.dev/bench/router"
	"plimsoll.dev/unit"
)

// Options of a run.
type Options struct {
	Setup router.Setup
	Cells []router.Cell
	// Program is HAProxy; empty looks for it.
	Program string
	// Pins are the CPUs of each part; empty sets are all.
	Pins Pins
	// Targets are routes of a router that runs already, by their encryption; nil starts one.
	Targets map[string][]Target
	// Progress is told after each sample: how many there are, and which cell comes next.
	Progress func(done int, next string)
	// wait is for tests that have less of it than usual.
	wait time.Duration
}

// Pins are the CPUs that each part may use.
type Pins struct{ Router, Generator, BackEnd unit.CPUSet }

// Target is a route to ask.
type Target struct {
	// Address to connect to, IP:PORT.
	Address string `json:"address"`
	// Host that is asked for, by TLS too; Path of the page.
	Host string `json:"host"`
	Path string `json:"path"`
	TLS  bool   `json:"tls"`
}

// name that TLS asks for: the host without its port.
func (t Target) name() string {
	if host, _, err := net.SplitHostPort(t.Host); err == nil {
		return host
	}
	return t.Host
}

// ReloadOptions are those of an experiment with reloads.
type ReloadOptions struct {
	Setup router.ReloadSetup
	// Program is HAProxy; empty looks for it.
	Program string
	// Progress is told before each reload: how many there were, and of which case the next is.
	Progress func(done int, next string)
}
