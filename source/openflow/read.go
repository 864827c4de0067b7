package openflow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/bench/ovs"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/unit"
)

// What is read at most.
const (
	MaxText  = 64 * int64(unit.MiB)
	MaxLine  = 64 << 10
	MaxRules = 200_000
)

// reader of a file.
type reader struct {
	file     *ovs.File
	problems yamlpos.Problems
	// heading is the table that a heading of a document names, in a line; told says that it was told.
	heading, at int
	told        bool
}

// Read rules. There is no file where there are problems.
func Read(name string, text []byte) (*ovs.File, yamlpos.Problems) {
	r := &reader{file: &ovs.File{Name: name}, told: true}
	if int64(len(text)) > MaxText {
		r.problems.Add(yamlpos.Problem{File: name, Line: 1, Col: 1, What: "the file is longer than 64 MiB"})
		return nil, r.problems
	}
	number := 0
	for raw := range strings.Lines(strings.TrimPrefix(strings.ToValidUTF8(string(text), "\uFFFD"), "\uFEFF")) {
		number++
		r.line(number, strings.TrimRight(raw, "\r\n"))
		if len(r.file.Rules) > MaxRules {
			r.add(yamlpos.Problem{Line: number, Col: 1, What: fmt.Sprintf("there are more than %d rules", MaxRules)})
		}
		if r.problems.Full() || len(r.file.Rules) > MaxRules {
			break
		}
	}
	if len(r.file.Rules) == 0 && len(r.problems) == 0 {
		r.add(yamlpos.Problem{Line: 1, Col: 1, What: "there is no rule", Fix: "priority=100,ip actions=output:2"})
	}
	slices.SortStableFunc(r.file.Repairs, func(a, b ovs.Remark) int { return cmp.Compare(a.Line, b.Line) })
	r.problems.Sort()
	r.problems.TakeExcerpts(text, 1, 1)
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	return r.file, nil
}

func (r *reader) add(p yamlpos.Problem) {
	p.File = r.file.Name
	r.problems.Add(p)
}

// line of the file.
func (r *reader) line(number int, text string) {
	if m := heading.FindStringSubmatch(text); m != nil {
		r.heading, _ = strconv.Atoi(m[1])
		r.told, r.at = r.heading == 0, number
		return
	}
	text, _, _ = strings.Cut(text, "#")
	plain := strings.TrimSpace(text)
	if plain == "" || strings.HasPrefix(plain, "```") || strings.HasPrefix(plain, "NXST_FLOW") ||
		strings.HasPrefix(plain, "OFPST_FLOW") {
		return
	}
	if len(text) > MaxLine {
		r.add(yamlpos.Problem{Line: number, Col: 1, What: fmt.Sprintf("the line is longer than %d bytes", MaxLine)})
		return
	}
	l := newLine(text)
	rule, m := r.rule(number, l)
	if len(m.problems) > 0 { // then it may be a document's
		if repaired, repairs := l.repair(); len(repairs) > 0 {
			for i := range repairs {
				repairs[i].Line = number
			}
			r.file.Repairs = append(r.file.Repairs, repairs...)
			rule, m = r.rule(number, repaired)
		}
	}
	for _, p := range m.problems {
		r.add(p)
	}
	r.file.Widened = append(r.file.Widened, m.normalize()...)
	if len(m.problems) == 0 {
		rule.Match = m.match
		r.file.Rules = append(r.file.Rules, rule)
	}
}

// rule in a line.
func (r *reader) rule(number int, l line) (*ovs.Rule, *matching) {
	l = l.trim()
	m := &matching{wrong: wrong{number: number}}
	rule := &ovs.Rule{Line: number, Col: l.col(), Priority: ovs.DefaultPriority, Table: -1}
	if rest, is := strings.CutPrefix(l.text, "add "); is {
		l = l.sub(len(l.text)-len(rest), len(l.text))
	}
	from, to := actionsAt(l.text)
	if from < 0 {
		m.bad(l, "this is no rule: it has no actions", "priority=100,ip actions=output:2")
		return rule, m
	}
	head := l.sub(0, from).trim()
	var texts []string
	for _, it := range items(head) {
		if !r.about(rule, it, m) {
			m.item(it)
			texts = append(texts, it.whole.text)
		}
	}
	if rule.Table < 0 {
		if rule.Table = r.heading; !r.told && len(m.problems) == 0 {
			r.told = true
			r.file.Repairs = append(r.file.Repairs, ovs.Remark{Line: r.at, Col: 1,
				What: fmt.Sprintf("rules below the heading that say no table are of table %d", r.heading)})
		}
	}
	rule.MatchText = strings.Join(texts, ",")
	tail := l.sub(to, len(l.text)).trim()
	rule.ActionText = tail.text
	m.normalizeFor(func(match *ovs.Match) {
		a := acting{wrong: &m.wrong, table: rule.Table, match: match}
		rule.Actions = a.list(tail)
	})
	return rule, m
}

// normalizeFor calls f with the match as Open vSwitch takes it.
func (m *matching) normalizeFor(f func(*ovs.Match)) {
	plain := *m
	plain.normalize()
	f(&plain.match)
}

// actionsAt are the places of "actions=" and behind it; -1 where it is not there.
func actionsAt(text string) (from, to int) {
	for at := 0; ; {
		i := strings.Index(text[at:], "action")
		if i < 0 {
			return -1, -1
		}
		at += i
		to := at + len("action")
		if strings.HasPrefix(text[to:], "s") {
			to++
		}
		if strings.HasPrefix(text[to:], "=") {
			return at, to + 1
		}
		at = to
	}
}

// about is what an item says of the rule itself, not of packets.
func (r *reader) about(rule *ovs.Rule, it item, m *matching) bool {
	get := func(bits int, most uint64) uint64 {
		v, err := number(it.value.text, bits)
		if err == nil && v > most {
			err = fmt.Errorf("%s %d is too high (up to %d)", it.key, v, most)
		}
		if err != nil {
			m.told(it.whole, err)
		}
		return v
	}
	switch it.key {
	case "table":
		rule.Table = int(get(8, 254))
	case "priority":
		rule.Priority = int(get(16, 0xffff))
	case "cookie":
		rule.Cookie = get(64, ^uint64(0))
	default:
		for _, name := range counted {
			if name == it.key {
				return true
			}
		}
		return false
	}
	return true
}
