package router

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/facts"
	"plimsoll.dev/tune/haproxy"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// Cell of the table.
type Cell struct {
	// Encryption of the route: none, edge, passthrough or re-encrypt.
	Encryption string `json:"encryption"`
	// Mode is keep-alive, or close for a connection for each request.
	Mode string `json:"mode"`
}

// Name of the cell, as in "edge/keep-alive".
func (c Cell) Name() string { return c.Encryption + "/" + c.Mode }

// Cells of the table: 4 encryptions x 2 modes.
func Cells() []Cell {
	var out []Cell
	for _, mode := range []string{formula.KeepAlive, formula.Close} {
		for _, e := range haproxy.Encryptions() {
			out = append(out, Cell{e, mode})
		}
	}
	return out
}

// ParseCell reads a cell's name.
func ParseCell(name string) (Cell, error) {
	var names []string
	for _, c := range Cells() {
		if names = append(names, c.Name()); c.Name() == name {
			return c, nil
		}
	}
	return Cell{}, fmt.Errorf("cell %q is not one of %s", name, strings.Join(names, ", "))
}

// Kinds of keys that certificates are made with.
const (
	RSA   = "rsa"
	ECDSA = "ecdsa"
)

// Setup is what all cells of a run have in common.
type Setup struct {
	// Threads of HAProxy, Routes of each kind, and MaxConnections of a process; 0 is the advised number.
	Threads        int `json:"threads"`
	Routes         int `json:"routes"`
	MaxConnections int `json:"maxConnections,omitempty"`
	// Page is the size of an answer's body.
	Page unit.Bytes `json:"page"`
	// Connections of all clients together.
	Connections int `json:"connections"`
	// Rate is how many requests a second are meant, whenever the answers come; 0 asks as soon as there is
	// an answer.
	Rate float64 `json:"rate,omitempty"`
	// TLS is the version, 1.2 or 1.3; Key is RSA or ECDSA; Resumption of sessions.
	TLS        string `json:"tls"`
	Key        string `json:"key"`
	Resumption bool   `json:"resumption"`
	// NewPaths has each request ask for a path of its own, which the router can't have in its cache of look-ups.
	NewPaths bool `json:"newPaths,omitempty"`
	// Repetitions of the whole table, each sample after a warm-up.
	Repetitions int           `json:"repetitions"`
	Duration    time.Duration `json:"duration"`
	Warmup      time.Duration `json:"warmup"`

	// HardStop and Tunnel are time-outs as HAProxy writes them; empty are the advised ones.
	HardStop string `json:"hardStop,omitempty"`
	Tunnel   string `json:"tunnelTimeout,omitempty"`
}

// Default is the setup of the documents' tables, on one thread.
func Default() Setup {
	return Setup{Threads: 1, Routes: 100, Page: 1000, Connections: 100, TLS: "1.3", Key: RSA, Resumption: true,
		Repetitions: 3, Duration: 2 * time.Second, Warmup: 500 * time.Millisecond}
}

// Settings are those of the router that the setup decides, by their names.
func (s Setup) Settings() map[string]string {
	out := map[string]string{"threadCount": fmt.Sprint(s.Threads)}
	if s.MaxConnections > 0 {
		out["maxConnections"] = fmt.Sprint(s.MaxConnections)
	}
	if s.HardStop != "" {
		out["hardStopAfter"] = s.HardStop
	}
	if s.Tunnel != "" {
		out["tunnelTimeout"] = s.Tunnel
	}
	return out
}

// Time that the samples of so many cells take.
func (s Setup) Time(cells int) time.Duration {
	return time.Duration(cells*s.Repetitions) * (s.Duration + s.Warmup)
}

// MaxPage is the largest body of an answer, in bytes.
const MaxPage = 16 << 20

// most of what a setup can have; no router is near.
const (
	mostConnections = 10_000
	mostRoutes      = 10_000
	mostRate        = 1e6
)

// Check finds all that is wrong.
func (s Setup) Check() []error {
	var out []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			out = append(out, fmt.Errorf(format, args...))
		}
	}
	threads := int(facts.Load().Must("ocp.router.threadsMax").Number)
	bad(s.Threads < 1 || s.Threads > threads, "%d threads (1 to %d)", s.Threads, threads)
	bad(s.Routes < 1 || s.Routes > mostRoutes, "%d routes of a kind (1 to %d)", s.Routes, mostRoutes)
	bad(s.MaxConnections < 0 || s.MaxConnections > 2_000_000, "maxconn of %d (1 to 2000000)", s.MaxConnections)
	bad(s.Page < 1 || s.Page > MaxPage, "a page of %d bytes (1 to 16Mi)", s.Page)
	bad(s.Connections < 1 || s.Connections > mostConnections, "%d connections (1 to %d)", s.Connections, mostConnections)
	bad(s.Rate != 0 && !(s.Rate >= 1 && s.Rate <= mostRate), "%v requests a second (1 to %.0f)", s.Rate, mostRate)
	bad(!slices.Contains([]string{"1.2", "1.3"}, s.TLS), "TLS %q (1.2 or 1.3)", s.TLS)
	bad(!slices.Contains([]string{RSA, ECDSA}, s.Key), "a key of kind %q (rsa or ecdsa)", s.Key)
	bad(s.Repetitions < 1 || s.Repetitions > 1000, "%d repetitions (1 to 1000; 3 or more have an interval that says "+
		"something)",
		s.Repetitions)
	bad(s.Duration < 100*time.Millisecond || s.Duration > time.Hour, "a sample of %v (100ms to 1h)", s.Duration)
	bad(s.Warmup < 0 || s.Warmup > time.Hour, "a warm-up of %v (0s to 1h)", s.Warmup)
	return out
}

// Pin are the CPUs that each part gets of those that there are: the router one for each thread, and what is
// left is shared by generator and back end, as long as they have one. No CPUs leave all unpinned.
func Pin(all []int, threads int) (router, generator, backEnd []int) {
	if threads >= len(all) {
		return nil, nil, nil
	}
	rest := all[threads:]
	if len(rest) == 1 {
		return all[:threads], rest, rest
	}
	half := (len(rest) + 1) / 2
	return all[:threads], rest[:half], rest[half:]
}

// errNoCell is a run without cells.
var errNoCell = errors.New("no cell is to be measured (name one, such as edge/keep-alive)")

// CheckCells finds what is wrong with a choice of cells.
func CheckCells(cells []Cell) error {
	if len(cells) == 0 {
		return errNoCell
	}
	for i, c := range cells {
		if slices.Contains(cells[:i], c) {
			return fmt.Errorf("cell %s is named twice (once; --repetitions measures it again)", c.Name())
		}
	}
	return nil
}
