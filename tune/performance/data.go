package performance

import (
	_ "embed" // what the operator makes
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/internal/memo"
	"plimsoll.dev/release"
)

//go:embed data/tuned.txt
var tunedText string

//go:embed data/machine.txt
var machineText string

// piece is a profile, a file or a unit that the operator may write: a line "@kind name mode" of the data, and those
// after it. The columns of a line, behind ";;", are its conditions and the fields of spec that it comes from.
type piece struct {
	kind, name string
	// mode is that of a file; enabled is a unit's.
	mode    int64
	enabled bool
	line
	lines []line
}

// line is a line of a piece.
type line struct {
	text string
	// when are words of the profile ("!" denies one), releases ("4.18-", "-4.17", "4.20-4.21"), or "*page": once
	// for each huge page of a NUMA node.
	when []string
	from []string
}

// pieces are those of a text, each read once.
var pieces = memo.Once(func(text string) (out []piece) {
	for row := range strings.Lines(text) {
		row = strings.TrimRight(row, "\n")
		if row == "" || strings.HasPrefix(row, "#") && len(out) == 0 {
			continue
		}
		columns := append(strings.Split(row, ";;"), "", "")
		l := line{text: strings.TrimRight(columns[0], " "), when: strings.Fields(columns[1])}
		for f := range strings.SplitSeq(columns[2], ",") {
			if f = strings.TrimSpace(f); f != "" {
				l.from = append(l.from, "spec."+f)
			}
		}
		head, isHead := strings.CutPrefix(l.text, "@")
		if !isHead {
			last := &out[len(out)-1]
			last.lines = append(last.lines, l)
			continue
		}
		words := append(strings.Fields(head), "")
		p := piece{kind: words[0], name: words[1], enabled: words[2] == "enabled", line: l}
		p.mode, _ = strconv.ParseInt(words[2], 8, 64)
		out = append(out, p)
	}
	return out
})

// values are what a profile says in one release: each by a name that stands in the data as <name>. A condition holds
// where there is one, empty or not.
type values struct {
	release release.Release
	by      map[string]string
	pages   []map[string]string
}

// set gives a value, and only the condition where that is all there is.
func (v *values) set(name string, is bool, text ...string) {
	if is {
		v.by[name] = strings.Join(text, "")
	}
}

// holds says whether all conditions hold.
func (v *values) holds(when []string) bool {
	return !slices.ContainsFunc(when, func(w string) bool {
		if since, until, ok := strings.Cut(w, "-"); ok {
			return !within(v.release, since, until)
		}
		name, not := strings.CutPrefix(w, "!")
		_, has := v.by[name]
		return !strings.HasPrefix(w, "*") && has == not
	})
}

// within says whether a release is in a span whose ends may be left open.
func within(r release.Release, since, until string) bool {
	from, _ := release.Parse(since)
	to, err := release.Parse(until)
	return r.Minor() >= from && (err != nil || r.Minor() <= to)
}

// written is a piece as the operator writes it.
type written struct {
	piece
	// digest is the SHA-256 of a text that is kept; empty where it isn't known.
	digest string
}

// text is the piece as it stands on the node.
func (w *written) text() string {
	var b strings.Builder
	for i, l := range w.lines {
		if i > 0 && strings.HasPrefix(l.text, "[") {
			b.WriteString("\n")
		}
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// write fills the pieces of a text that there are.
func (v *values) write(text string) (out []written) {
	for _, p := range pieces(text) {
		if !v.holds(p.when) {
			continue
		}
		items := []map[string]string{{}}
		if slices.Contains(p.when, "*page") {
			items = v.pages
		}
		for _, item := range items {
			out = append(out, v.fill(p, item))
		}
	}
	return out
}

// fill puts the values in the place of their names.
func (v *values) fill(p piece, item map[string]string) written {
	var pairs []string
	for _, m := range []map[string]string{item, v.by} {
		for name, value := range m {
			pairs = append(pairs, "<"+name+">", value)
		}
	}
	fill := strings.NewReplacer(pairs...)
	w := written{piece: p}
	w.name, w.lines = fill.Replace(p.name), nil
	for _, l := range p.lines {
		switch {
		case !v.holds(l.when):
		case p.kind == "kept":
			w.digest = strings.Trim(l.text, "?")
		default:
			for text := range strings.SplitSeq(fill.Replace(l.text), "\n") {
				w.lines = append(w.lines, line{text, nil, l.from})
			}
		}
	}
	return w
}
