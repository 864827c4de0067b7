package uperf

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/internal/yamlpos"
)

// resolve a $variable. uperf takes names in small letters, whatever the file says.
func (r *reader) resolve(value string, at place) (string, bool) {
	name, is := strings.CutPrefix(value, "$")
	if !is {
		return value, true
	}
	for _, n := range []string{name, strings.ToLower(name)} {
		if v, ok := r.env(n); ok && v != "" {
			return v, true
		}
	}
	r.bad(at, yamlpos.Quote(value)+" is not set", "export "+strings.ToLower(name)+"=...")
	return "", false
}

// options of a flowop, which stand in one string.
func (r *reader) options(a attribute) {
	at := a.at
	for rest := a.value; rest != ""; {
		n := optionLength(rest)
		if n > 0 {
			r.option(rest[:n], at)
		}
		n = min(n+1, len(rest)) // and the blank behind it
		if i := strings.LastIndexByte(rest[:n], '\n'); i >= 0 {
			at = place{at.line + strings.Count(rest[:n], "\n"), 1 + utf8.RuneCountInString(rest[i+1:n])}
		} else {
			at.col += utf8.RuneCountInString(rest[:n])
		}
		rest = rest[n:]
	}
}

// optionLength is up to a blank that is not in brackets, as in rand(1, 8k).
func optionLength(s string) int {
	deep := 0
	for i, c := range []byte(s) {
		switch {
		case c == '(':
			deep++
		case c == ')':
			deep--
		case strings.IndexByte(" \t\r\n,", c) >= 0 && deep <= 0:
			return i
		}
	}
	return len(s)
}

func (r *reader) option(text string, at place) {
	f := r.flowop()
	key, value, has := strings.Cut(text, "=")
	key = strings.ToLower(key)
	if !has {
		switch key {
		case "tcp_nodelay", "busy", "idle", "canfail", "non_blocking", "sctp_unordered", "sctp_nodelay":
			f.Others = append(f.Others, key)
		default:
			r.bad(at, "the option "+yamlpos.Quote(text)+" has no value", "NAME=VALUE")
		}
		return
	}
	at.col += utf8.RuneCountInString(key) + 1
	if key == "remotehost" || key == "localhost" {
		return // where it runs is told by the command
	}
	value, ok := r.resolve(value, at)
	if !ok {
		return
	}
	switch key {
	case "size":
		f.Size, f.Most = r.sizes(value, at)
	case "count":
		f.Count = r.number(value, at)
	case "conn":
		f.Conn = r.number(value, at)
	case "protocol":
		f.Protocol = strings.ToLower(value)
	default:
		f.Others = append(f.Others, key+"="+value)
	}
}

// number that is at least 1, with uperf's suffixes: powers of 1024.
func (r *reader) number(value string, at place) int {
	digits := strings.TrimRight(value, "bkmgBKMG")
	v, err := strconv.ParseFloat(digits, 64)
	suffix := strings.ToLower(value[len(digits):])
	v *= map[string]float64{"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}[suffix]
	if err != nil || v < 1 || v > math.MaxInt32 || strings.ContainsAny(digits, "eExXpP_+iInN") {
		r.bad(at, yamlpos.Quote(value)+" is no number from 1", "1, 200, 64k, 1m")
		return 0
	}
	return int(v)
}

// sizes reads 64k, or rand(1,8k).
func (r *reader) sizes(value string, at place) (size, most int) {
	inner, is := strings.CutPrefix(strings.ToLower(value), "rand(")
	if !is {
		size = r.number(value, at)
		return size, size
	}
	low, high, has := strings.Cut(strings.TrimSuffix(inner, ")"), ",")
	if !has {
		r.bad(at, yamlpos.Quote(value)+" lacks a bound", "rand(1,8k)")
		return 0, 0
	}
	return r.number(strings.TrimSpace(low), at), r.number(strings.TrimSpace(high), at)
}

// duration as uperf takes it: in seconds, s, ms, us or ns. To uperf 1m is a millisecond, which nobody means.
func (r *reader) duration(value string, at place) time.Duration {
	digits := strings.TrimRight(strings.ToLower(value), "smunh")
	v, err := strconv.ParseFloat(digits, 64)
	suffix := strings.ToLower(value)[len(digits):]
	scale, known := map[string]float64{"": 1e9, "s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}[suffix]
	switch {
	case suffix == "m" && err == nil:
		r.bad(at, yamlpos.Quote(value)+" is milliseconds to uperf", digits+"ms, or in seconds")
	case err != nil || !known || v <= 0 || v*scale > float64(24*time.Hour) || strings.ContainsAny(digits, "eExXpP_+iInN"):
		r.bad(at, yamlpos.Quote(value)+" is no time up to a day", "30s, 500ms")
	default:
		return time.Duration(v * scale)
	}
	return 0
}

// Cells of the matrix that the groups are, and problems for what the matrix does not have. Groups that do
// the same are one cell, since uperf runs them at once; those that differ are measured one after another.
func (p *Profile) Cells() ([]network.Cell, yamlpos.Problems) {
	var out []network.Cell
	var problems yamlpos.Problems
	for _, g := range p.Groups {
		c, wrong := g.cell()
		if wrong == nil {
			if err := c.Check(); err != nil {
				what, fix := yamlpos.SplitFix(err)
				wrong = &yamlpos.Problem{Line: g.Line, Col: g.Col, What: what, Fix: fix}
			}
		}
		if wrong != nil {
			wrong.File = p.File
			problems.Add(*wrong)
			continue
		}
		i := slices.IndexFunc(out, func(o network.Cell) bool {
			o.Connections = c.Connections
			return o == c
		})
		if i < 0 {
			out = append(out, c)
		} else {
			out[i].Connections += c.Connections
		}
	}
	return out, problems
}
