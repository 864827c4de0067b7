package report

import (
	"strings"

	"plimsoll.dev/derive"
)

// figureViews are figures with the steps to them.
func (ix *index) figureViews(list []derive.Figure) []Figure {
	out := make([]Figure, len(list))
	times := map[string]int{}
	for _, f := range list {
		times[f.Title]++
	}
	for i, f := range list {
		if times[f.Title] > 1 {
			f.Title = toldApart(f)
		}
		out[i] = Figure{explanation: explain(f)}
		for _, in := range f.Inputs {
			out[i].Steps = append(out[i].Steps, ix.input(in.Name, in.Value))
		}
	}
	return out
}

// toldApart is a figure's title with what its id has in brackets, or else the id: "Page with
// which one router fills 10 Gbit/s, keep-alive [api]".
func toldApart(f derive.Figure) string {
	of := f.ID
	if i := strings.IndexByte(f.ID, '['); i >= 0 {
		of = strings.TrimSuffix(f.ID[i+1:], "]")
	}
	return f.Title + " [" + of + "]"
}

// input is a value of a formula and where it comes from.
func (ix *index) input(name string, v derive.Value) Item {
	return ix.from(Item{Text: strings.TrimPrefix(name+" = ", " = ") + v.Text + behind(exact(v))}, v)
}

// behind is a remark in parentheses.
func behind(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// from says of an item where its value comes from.
func (ix *index) from(item Item, v derive.Value) Item {
	item.Link = origin(v.From)
	if r := v.From; r != nil {
		switch r.Kind {
		case derive.FromFigure:
			item.To = figurePlace(r.ID)
			if f, ok := ix.figures[r.ID]; ok {
				item.Link = f.Title + " [" + r.ID + "]"
			}
		case derive.FromFact:
			item.To = factPlace(r.ID)
		case derive.FromDefault:
			item.To = fieldPlace(r.ID)
		}
	}
	return item
}
