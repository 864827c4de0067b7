package uperf

import (
	"plimsoll.dev/bench/network"
	"plimsoll.dev/internal/yamlpos"
)

// What a flowop does to the wire, seen from the client.
var (
	sends = map[string]bool{"write": true, "send": true, "sendto": true, "sendfile": true, "sendfilev": true}
	takes = map[string]bool{"read": true, "recv": true}
)

func (f Flowop) problem(what, fix string) *yamlpos.Problem {
	return &yamlpos.Problem{Line: f.Line, Col: f.Col, What: what, Fix: fix}
}

// cell that the group is, or why it is none.
func (g Group) cell() (c network.Cell, wrong *yamlpos.Problem) {
	c.Connections = g.Strands
	var measured *Transaction
	for i, t := range g.Transactions {
		if wrong := t.outside(); wrong != nil {
			return c, wrong
		}
		if !t.moves() {
			continue
		}
		if measured != nil {
			return c, &yamlpos.Problem{Line: t.Line, Col: t.Col, What: "a second transaction moves data",
				Fix: "one a group, so that a cell has one pattern"}
		}
		measured = &g.Transactions[i]
	}
	if measured == nil {
		return c, &yamlpos.Problem{Line: g.Line, Col: g.Col, What: "the group moves no data", Fix: "a read or write"}
	}
	return measured.cell(c)
}

// moves says that the transaction has a read or a write.
func (t Transaction) moves() bool {
	for _, f := range t.Flowops {
		if sends[f.Type] || takes[f.Type] {
			return true
		}
	}
	return false
}

// outside is what the matrix has no place for.
func (t Transaction) outside() *yamlpos.Problem {
	if t.Rate > 0 {
		return &yamlpos.Problem{Line: t.Line, Col: t.Col, What: "a rate is asked for",
			Fix: "without one: each connection sends when it has its answer"}
	}
	for _, f := range t.Flowops {
		switch {
		case f.Protocol != "" && f.Protocol != "tcp":
			return f.problem("the protocol is "+yamlpos.Quote(f.Protocol), "tcp is what is measured")
		case f.Conn > 1:
			return f.problem("a strand has several connections", "one connection a strand, and more strands")
		case f.Type == "think":
			return f.problem("a strand thinks", "think time is not measured")
		case f.Most != f.Size:
			return f.problem("the size is drawn", "one size; name a cell for each")
		case (sends[f.Type] || takes[f.Type]) && f.Size == 0:
			return f.problem("a "+f.Type+" has no size", `options="size=200"`)
		}
	}
	return nil
}

// cell of a transaction: what is written, then what is read.
func (t Transaction) cell(c network.Cell) (network.Cell, *yamlpos.Problem) {
	opens := false
	for _, f := range t.Flowops {
		switch n := min(f.Size, network.MaxSize) * min(f.Count, network.MaxSize); {
		case f.Type == "connect" || f.Type == "accept":
			opens = t.Iterations > 1 || t.Duration > 0
		case sends[f.Type] && c.Response > 0:
			return c, f.problem("it is written after reading", "first all writes, then all reads")
		case sends[f.Type]:
			c.Request += n
		case takes[f.Type]:
			c.Response += n
		}
	}
	switch {
	case opens:
		c.Pattern = network.Connect
	case c.Request > 0 && c.Response > 0:
		c.Pattern = network.RequestResponse
	default: // one way: count is how many of them, not how large each
		c.Pattern = network.Stream
		for _, f := range t.Flowops {
			if sends[f.Type] {
				c.Request = f.Size
			} else if takes[f.Type] {
				c.Response = f.Size
			}
		}
	}
	return c, nil
}
