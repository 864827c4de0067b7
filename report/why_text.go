package report

import (
	"strings"

	"plimsoll.dev/derive"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/limit"
)

// deepest is the depth from which a tree is no longer indented, so that lines
// keep room for words.
const deepest = 12

// whyText is a derivation as an indented tree.
func whyText(ix *index, d derivation) string {
	t := newText(ix, ix.opt.Format)
	if d.Gauge != nil {
		t.gaugeTop(*d.Gauge)
	}
	for i, n := range d.Steps {
		if i > 0 || d.Gauge != nil {
			t.b.WriteByte('\n')
		}
		t.tree(n, 0)
	}
	return t.b.String()
}

// gaugeTop says in a few lines how a quantity stands to its limit.
func (t *text) gaugeTop(g limit.Gauge) {
	mark, style := markOf(g.Verdict)
	value, most := pair(g.Value, g.Limit)
	t.mark("", mark, style, table.Bold, scoped(g)+": "+value+" of "+most+", "+percent(g.Share)+", "+string(g.Verdict))
	t.line("  ", style, asciiBar(g.Share, 40))
	t.line("  ", table.Plain, string(g.Kind)+": "+meaning(g.Kind))
	for _, x := range g.Doubts {
		t.mark("  ", "~", table.Warn, table.Plain, doubtText(x))
	}
	for _, n := range g.Notes {
		t.line("  - ", table.Plain, n)
	}
}

// doubtText is a second published limit in words.
func doubtText(d limit.Doubt) string {
	return "in doubt: " + limitSource(d.Limit) + " says " + d.Limit.Text + ", which would be " + percent(d.Share) + ", " + string(d.Verdict)
}

// tree writes a node and, indented, what it was found from.
func (t *text) tree(n node, depth int) {
	pad := strings.Repeat("  ", min(depth, deepest))
	style := table.Plain
	if depth == 0 {
		style = table.Bold
	}
	t.hang(pad, style, headline(n))
	pad += "  "
	if n.Problem != "" {
		t.mark(pad, "!", table.Bad, table.Bad, n.Problem)
	}
	if n.Formula != "" {
		t.line(pad+"= ", table.Plain, n.Formula)
		t.line(pad+"= ", table.Plain, numbers(n.Numbers, n.Result))
	}
	if n.Method != "" {
		t.line(pad+"by ", table.Plain, n.Method)
	}
	if len(n.Sources) > 0 {
		t.line(pad, table.Faint, "stated in "+sources(n.Sources))
	}
	for _, note := range remarks(n) {
		t.line(pad+"- ", table.Faint, note)
	}
	for _, in := range n.Inputs {
		t.tree(in, depth+1)
	}
}

// headline is "pods = 500 pods: Pods of the workload [workload.pods]".
func headline(n node) string {
	out := n.Value.Text
	if n.Name != "" {
		out = n.Name + " = " + out
	}
	if from := whence(n); from != "" {
		out += " " + from
	}
	return out
}

// whence is the part of the headline behind the value: its exact number and
// what it is.
func whence(n node) string {
	out := ""
	if e := exact(n.Value); e != "" {
		out = "(" + e + ")"
	}
	from := origin(n.Value.From)
	if r := n.Value.From; r != nil && r.Kind == derive.FromFigure {
		from = r.ID
		if n.Title != "" {
			from = n.Title + " [" + r.ID + "]"
		}
		if n.Above {
			from += ", see above"
		}
	} else if n.Title != "" {
		from = n.Title + ", " + from
	}
	switch {
	case from == "":
		return out
	case out == "":
		return "- " + from
	}
	return out + " - " + from
}

// remarks are the conditions and doubts of a node, one a line.
func remarks(n node) []string {
	var out []string
	if n.Why != "" {
		out = append(out, n.Why)
	}
	if f := n.Fact; f != nil {
		out = append(out, string(f.Kind)+", "+string(f.Grade))
		if f.Conditions != "" {
			out = append(out, f.Conditions)
		}
		out = append(out, f.Notes...)
		if len(f.Contradicts) > 0 {
			out = append(out, "contradicted by "+strings.Join(f.Contradicts, ", "))
		}
	}
	return append(out, n.Notes...)
}
