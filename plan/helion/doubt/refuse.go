package doubt

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
)

// Mark makes visible in mode refuse what depends on rows that contradict
// themselves: the figures get a note, cells that show them are bad, and gauges of
// them are left out, for nobody can say whether they keep the limit. In the other
// modes it changes nothing.
func (l *Log) Mark(p *v1alpha1.Plan) {
	if l.mode != Refuse {
		return
	}
	tainted := l.tainted(p.Figures)
	for i := range p.Figures {
		if n, ok := tainted[p.Figures[i].ID]; ok {
			p.Figures[i].Notes = append(p.Figures[i].Notes,
				fmt.Sprintf("refused: it depends on row %d of the document's doubtful figures", n))
		}
	}
	bad := func(v derive.Value) bool {
		_, ok := tainted[figureOf(v)]
		return ok
	}
	p.Gauges = slices.DeleteFunc(p.Gauges, func(g limit.Gauge) bool { return bad(g.Value) || bad(g.Limit) })
	for s := range p.Sections {
		for t := range p.Sections[s].Tables {
			markCells(p.Sections[s].Tables[t].Rows, tainted)
		}
	}
}

func markCells(rows [][]v1alpha1.Cell, tainted map[string]int) {
	for _, row := range rows {
		for i := range row {
			if _, ok := tainted[row[i].Figure]; ok && row[i].Figure != "" {
				row[i].Mark = "bad"
			}
		}
	}
}

// tainted are the figures that depend on a fact of a contradicting row, each with
// the row's number. Figures may cite later ones, so it repeats until none is new.
func (l *Log) tainted(figures []derive.Figure) map[string]int {
	from := map[string]int{}
	for _, r := range l.rows {
		if r.Met && r.Contradicts {
			for _, id := range r.facts {
				from[id] = r.Number
			}
		}
	}
	out := map[string]int{}
	for grown := true; grown; {
		grown = false
		for _, f := range figures {
			if _, known := out[f.ID]; known {
				continue
			}
			for _, in := range f.Inputs {
				if n, ok := origin(in.Value, from, out); ok {
					out[f.ID], grown = n, true
					break
				}
			}
		}
	}
	return out
}

// origin is the row that a value depends on.
func origin(v derive.Value, facts, figures map[string]int) (int, bool) {
	if v.From == nil {
		return 0, false
	}
	switch v.From.Kind {
	case derive.FromFact:
		n, ok := facts[v.From.ID]
		return n, ok
	case derive.FromFigure:
		n, ok := figures[v.From.ID]
		return n, ok
	}
	return 0, false
}

func figureOf(v derive.Value) string {
	if v.From == nil || v.From.Kind != derive.FromFigure {
		return ""
	}
	return v.From.ID
}
