package uperf

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
)

// Profile is what a file of uperf says.
type Profile struct {
	File   string
	Name   string
	Groups []Group
}

// Group of strands, which are threads or processes that all do the same.
type Group struct {
	Line, Col    int
	Strands      int
	Processes    bool
	Transactions []Transaction
}

// Transaction is a list of flowops that is repeated for a time or a number of times.
type Transaction struct {
	Line, Col  int
	Iterations int           // 1 where the file says nothing
	Duration   time.Duration // 0 where it goes by iterations
	Rate       int           // transactions a second; 0 is as fast as it goes
	Flowops    []Flowop
}

// Flowop is one operation on a connection.
type Flowop struct {
	Line, Col int
	Type      string // one of flowops
	// Size in bytes of one read or write; Most is above it where it is drawn between the two.
	Size, Most int
	Count      int // how often, 1 where the file says nothing
	Conn       int // which connection, 0 where the file says nothing
	Protocol   string
	// Others are options that say nothing about what is sent: "wndsz=50k".
	Others []string
}

// flowops that uperf knows.
var flowops = []string{"accept", "connect", "disconnect", "nop", "read", "recv", "send", "sendfile", "sendfilev",
	"sendto", "think", "write"}

// MaxElements is the most groups, transactions and flowops that a profile may have.
const MaxElements = 10_000

// level of an element: the deeper, the higher.
var level = map[string]int{"profile": 1, "group": 2, "transaction": 3, "flowop": 4}

// reader puts the tags together. Elements that are never closed end where one of their level or above
// begins.
type reader struct {
	scanner
	env      func(string) (string, bool)
	profile  *Profile
	within   int // the level of the innermost open element
	elements int
	seen     bool // a profile has begun
}

// Read a profile. env looks variables up, as os.LookupEnv does. The profile is nil where there are
// problems.
func Read(file string, text []byte, env func(string) (string, bool)) (*Profile, yamlpos.Problems) {
	r := &reader{env: env, profile: &Profile{File: file}, scanner: scanner{file: file, at: place{1, 1}}}
	if len(text) > MaxText {
		r.bad(r.at, "the profile is longer than 1 MiB", "uperf's own have some 20 lines")
		return nil, r.problems
	}
	r.rest = strings.ToValidUTF8(string(text), "\uFFFD")
	for _, t := range r.tags() {
		if r.elements++; r.elements > MaxElements {
			r.bad(t.at, "the profile has too many tags", "at most 10,000")
			break
		}
		r.element(t)
	}
	if len(r.profile.Groups) == 0 && len(r.problems) == 0 {
		r.bad(place{1, 1}, "there is no group", `<profile name="rr"><group nthreads="1">...`)
	}
	r.problems.Sort()
	r.problems.TakeExcerpts(text, 1, 1)
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	return r.profile, nil
}

// above is what an element stands in.
var above = map[string]string{"group": "profile", "transaction": "group", "flowop": "transaction"}

func (r *reader) element(t tag) {
	deep, known := level[t.name]
	if !known {
		fix := "profile, group, transaction or flowop"
		if near := schema.Nearest(t.name, []string{"profile", "group", "transaction", "flowop"}); near != "" {
			fix = "did you mean " + near + "?"
		}
		r.bad(t.at, "the tag "+yamlpos.Quote(t.name)+" is not known", fix)
		return
	}
	if t.open {
		if r.within < deep-1 {
			r.bad(t.at, "a "+t.name+" stands outside of a "+above[t.name], "<"+above[t.name]+"> above it")
			return
		}
		r.begin(t)
		r.within = deep
	}
	if t.close {
		r.within = min(r.within, deep-1)
	}
}

func (r *reader) begin(t tag) {
	p := r.profile
	switch t.name {
	case "profile":
		if r.seen {
			r.bad(t.at, "a second profile begins", "one a file")
		}
		r.seen = true
	case "group":
		p.Groups = append(p.Groups, Group{Line: t.at.line, Col: t.at.col})
	case "transaction":
		g := &p.Groups[len(p.Groups)-1]
		g.Transactions = append(g.Transactions, Transaction{Line: t.at.line, Col: t.at.col, Iterations: 1})
	case "flowop":
		x := r.transaction()
		x.Flowops = append(x.Flowops, Flowop{Line: t.at.line, Col: t.at.col, Count: 1})
	}
	for _, a := range t.attributes {
		r.attribute(t.name, a)
	}
	switch {
	case t.name == "group" && r.group().Strands == 0 && !tried(t, "nthreads", "nprocs"):
		r.bad(t.at, "the group has no strands", `nthreads="1" or nprocs="1"`)
	case t.name == "flowop" && r.flowop().Type == "" && !tried(t, "type"):
		r.bad(t.at, "the flowop has no type", `type="write"`)
	}
}

// tried says that an attribute was meant to say it, and was refused for what it is.
func tried(t tag, names ...string) bool {
	return slices.ContainsFunc(t.attributes, func(a attribute) bool {
		return slices.Contains(names, a.name) || !slices.Contains(allowed[t.name], a.name)
	})
}

func (r *reader) group() *Group { return &r.profile.Groups[len(r.profile.Groups)-1] }

func (r *reader) transaction() *Transaction {
	g := r.group()
	return &g.Transactions[len(g.Transactions)-1]
}

func (r *reader) flowop() *Flowop {
	x := r.transaction()
	return &x.Flowops[len(x.Flowops)-1]
}

// allowed attributes of an element.
var allowed = map[string][]string{"profile": {"name"}, "group": {"name", "nthreads", "nprocs"},
	"transaction": {"name", "iterations", "duration", "rate"}, "flowop": {"name", "type", "options"}}

func (r *reader) attribute(element string, a attribute) {
	if !slices.Contains(allowed[element], a.name) {
		if a.name == "" || a.value == "" {
			return // told by the scanner
		}
		fix := cmp.Or(schema.Nearest(a.name, allowed[element]), strings.Join(allowed[element], ", "))
		r.bad(a.at, "a "+element+" has no attribute "+yamlpos.Quote(a.name), fix)
		return
	}
	if a.name == "options" {
		r.options(a)
		return
	}
	value, ok := r.resolve(a.value, a.at)
	if !ok {
		return
	}
	switch a.name {
	case "name":
		if element == "profile" {
			r.profile.Name = value
		}
	case "nthreads", "nprocs":
		r.group().Strands, r.group().Processes = r.number(value, a.at), a.name == "nprocs"
	case "iterations":
		r.transaction().Iterations = r.number(value, a.at)
	case "duration":
		r.transaction().Duration = r.duration(value, a.at)
	case "rate":
		r.transaction().Rate = r.number(value, a.at)
	case "type":
		r.kind(strings.ToLower(value), a.at)
	}
}

func (r *reader) kind(value string, at place) {
	if slices.Contains(flowops, value) {
		r.flowop().Type = value
		return
	}
	fix := strings.Join(flowops, ", ")
	if near := schema.Nearest(value, flowops); near != "" {
		fix = "did you mean " + near + "?"
	}
	r.bad(at, "the flowop "+yamlpos.Quote(value)+" is not known", fix)
}
