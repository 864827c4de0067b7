package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/unit"
)

// Sizes of a timeline as text, in columns: its width where lines have no limit, the
// least room of a mark on the axis; and the events of the default output.
const (
	freeWidth   = 100
	axisRoom    = 10
	shortEvents = 8
)

// timeGrid draws a timeline with letters: a column is a piece of time.
type timeGrid struct {
	timeView
	// names is the width of the names, columns that of the drawing.
	names, columns int
	// slot is the time of a column group of rep columns.
	slot float64
	rep  int
}

func newTimeGrid(v timeView, width int) timeGrid {
	g := timeGrid{timeView: v, names: len("events")}
	for _, r := range v.rows {
		g.names = max(g.names, table.Width(r.label()))
	}
	if v.Level != nil {
		g.names = max(g.names, table.Width(oneLine(v.Level.Unit)))
	}
	if width == 0 {
		width = freeWidth + g.names
	}
	g.names = min(g.names, width/3)
	room := width - g.names - 4
	g.slot = timeStep(v.end, room)
	slots := max(1, int(math.Ceil(v.end/g.slot)))
	g.rep = max(1, room/slots)
	g.columns = slots * g.rep
	return g
}

// at is the column of a time.
func (g timeGrid) at(t float64) int {
	return max(0, min(g.columns-1, int(t/g.slot)*g.rep))
}

// axis is a line of marks in time, and one of ticks below it.
func (g timeGrid) axis() (labels, ticks string) {
	names, marks := bytes.Repeat([]byte(" "), g.columns+axisRoom), bytes.Repeat([]byte(" "), g.columns)
	step := math.Max(g.slot, timeStep(g.end, max(1, g.columns/axisRoom)))
	for t := 0.0; t < g.end || t == 0; t += step {
		marks[g.at(t)] = '|'
		if text := tickText(t, step); g.at(t)+len(text) <= g.columns || t == 0 {
			copy(names[g.at(t):], text)
		}
	}
	return strings.TrimRight(string(names), " "), strings.TrimRight(string(marks), " ")
}

// letters are the states of a row: in each column the worst, or else the longest.
func (g timeGrid) letters(r timeRow) string {
	out := bytes.Repeat([]byte{'.'}, g.columns)
	for i := 0; i < g.columns; i += g.rep {
		from := float64(i/g.rep) * g.slot
		if s := g.stateAt(longest(r.Spans, from, from+g.slot)); s >= 0 {
			copy(out[i:i+g.rep], bytes.Repeat([]byte{g.states[s].letter}, g.rep))
		}
	}
	return string(out)
}

// longest is the state that holds the most of a piece of time, a bad one before any
// other; a name that no state has when none holds most of it.
func longest(spans []v1alpha1.TimelineSpan, from, to float64) string {
	best, most, rank := noState, 0.0, 1
	for _, s := range spans {
		long := math.Min(to, float64(s.To)) - math.Max(from, float64(s.From))
		r := min(1, markRank(s.Mark))
		if long > 0 && (r < rank || r == rank && long > most) {
			best, most, rank = s.State, long, r
		}
	}
	return best
}

// noState is no state's name.
const noState = "\x00"

// signs are the events of a moment in each column, the worst first.
func (g timeGrid) signs() string {
	out, rank := bytes.Repeat([]byte{' '}, g.columns), make([]int, g.columns)
	for _, m := range g.moments {
		i, r := g.at(float64(m.At)), markRank(m.Mark)
		if out[i] == ' ' || r < rank[i] {
			out[i], rank[i] = eventSign(m.Mark)[0], r
		}
	}
	return strings.TrimRight(string(out), " ")
}

// eventSign is the ASCII mark of an event.
func eventSign(mark string) string {
	if s, _ := markOfCell(mark); s != "" {
		return strings.TrimSpace(s)
	}
	return "*"
}

// numbers are the amounts of a level where they change: the least first, and the
// others as far as there is room.
func (g timeGrid) numbers() string {
	amounts := leastLevels(g.Level, g.end, g.columns/g.rep)
	line := bytes.Repeat([]byte(" "), g.columns)
	least, begin := -1, -1
	for i, a := range amounts {
		if math.IsNaN(a) {
			continue
		}
		copy(line[i*g.rep:], bytes.Repeat([]byte("-"), g.rep))
		if begin < 0 {
			begin = i
		}
		if least < 0 || a < amounts[least] {
			least = i
		}
	}
	if begin < 0 {
		return ""
	}
	put(line, least*g.rep, grouped(amounts[least]))
	put(line, begin*g.rep, grouped(amounts[begin]))
	last := amounts[begin]
	for i, a := range amounts {
		if a == last || math.IsNaN(a) {
			continue
		}
		if put(line, i*g.rep, grouped(a)) || i == least {
			last = a
		}
	}
	return strings.TrimRight(string(line), " ")
}

// put writes a number over a line where there is nothing but the line, and says
// whether it did.
func put(line []byte, at int, number string) bool {
	at = max(0, min(at, len(line)-len(number)))
	if len(number) > len(line) || strings.Trim(string(line[max(0, at-1):min(len(line), at+len(number)+1)]), "- ") != "" {
		return false
	}
	copy(line[at:], number)
	return true
}

// row is a line of the drawing behind its name.
func (g timeGrid) row(name, line string) string {
	name = cutMiddle(name, g.names)
	return strings.TrimRight("  "+name+strings.Repeat(" ", max(0, g.names-table.Width(name)))+"  "+line, " ")
}

// lines are the whole drawing.
func (g timeGrid) lines() []string {
	labels, ticks := g.axis()
	out := []string{g.row("", labels), g.row("", ticks)}
	for _, r := range g.rows {
		out = append(out, g.row(r.label(), g.letters(r)))
	}
	if len(g.moments) > 0 {
		out = append(out, g.row("events", g.signs()))
	}
	if g.Level != nil && len(g.Level.Steps) > 0 {
		out = append(out, g.row(oneLine(g.Level.Unit), g.numbers()))
	}
	return out
}

// key says what the letters mean, and how long a column is.
func (g timeGrid) key() string {
	var parts []string
	for _, s := range g.states {
		part := string(s.letter) + " " + oneLine(s.name)
		if s.mark == "bad" { // a capital, and a word for it
			part += " (bad)"
		}
		parts = append(parts, part)
	}
	parts = append(parts, "a column is "+timeText(unit.Duration(math.Max(1, g.slot/float64(g.rep)))))
	if g.rep > 1 {
		parts[len(parts)-1] = fmt.Sprintf("%d columns are %s", g.rep, timeText(unit.Duration(g.slot)))
	}
	return strings.Join(parts, ", ")
}

// levelText is the level in a sentence.
func levelText(l *v1alpha1.Level) string {
	least, ok := leastOf(l)
	if !ok {
		return ""
	}
	of := oneLine(l.Unit)
	if least.Amount == 1 {
		of = strings.TrimSuffix(of, "s")
	}
	out := fmt.Sprintf("%s: least %s %s, from %s on", oneLine(l.Title), grouped(least.Amount), of, timeText(least.At))
	for _, x := range l.Limits {
		out += fmt.Sprintf("; %s: %s", oneLine(x.Name), grouped(x.Amount))
	}
	return out
}

// says is "5 min, worker-1: reboots".
func (m moment) says() string {
	out := timeText(m.At)
	if len(m.names) > 0 {
		out += ", " + namesText(m.names, 2*rowLabel)
	}
	return out + ": " + oneLine(m.Text)
}
