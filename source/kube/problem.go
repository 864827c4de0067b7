package kube

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/internal/yamlpos"
)

// problems collects what is wrong in the input. Its zero value is empty.
type problems struct {
	list []yamlpos.Problem
	more int // beyond yamlpos.MaxProblems
}

func (p *problems) add(problem yamlpos.Problem) {
	if len(p.list) >= yamlpos.MaxProblems {
		p.more++
		return
	}
	p.list = append(p.list, problem)
}

// at adds a problem at the place of v.
func (p *problems) at(v value, what, fix string) {
	line, col := v.position()
	file := ""
	if v.doc != nil {
		file = v.doc.file
	}
	p.add(yamlpos.Problem{File: file, Line: line, Col: col, What: what, Fix: fix})
}

// file adds a problem of a whole file.
func (p *problems) file(name, what, fix string) {
	p.add(yamlpos.Problem{File: name, Line: 1, Col: 1, What: what, Fix: fix})
}

// quote fills in the excerpts of the problems from the given one on, which were
// found in text. A file is never opened again for that: another may have taken
// its name, and what was refused must not be shown.
func (p *problems) quote(from int, text []byte, at cursor) {
	yamlpos.Problems(p.list[from:]).TakeExcerpts(text, at.line, at.col)
}

func (p *problems) merge(q *problems) {
	for _, problem := range q.list {
		p.add(problem)
	}
	p.more += q.more
}

// err is the problems in order, each once; nil when there are none.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b yamlpos.Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.What, b.What))
	})
	out := yamlpos.Problems(slices.Compact(p.list))
	if p.more > 0 {
		last := out[len(out)-1]
		out = append(out, yamlpos.Problem{File: last.File, Line: last.Line, Col: last.Col,
			What: fmt.Sprintf("and %d more problems", p.more), Fix: "they are listed when these are gone"})
	}
	return out
}
