package report

import (
	"strings"

	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
)

// deepest is the depth from which a tree is no longer indented, so that lines
// keep room for words.
const deepest = 12

// doubtText is a second published limit in words.
func doubtText(d limit.Doubt) string {
	return "alternative limit: " + limitSource(d.Limit) + " says " + d.Limit.Text + ", which would be " +
		percent(d.Share) + ", " +
		string(d.Verdict)
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
