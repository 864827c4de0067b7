package sysfs

import (
	"plimsoll.dev/internal/yamlpos"
)

// problems collects what is wrong, in the order in which it is found.
type problems struct{ list yamlpos.Problems }

// file notes a problem of a file as a whole.
func (p *problems) file(name, what, fix string) { p.at(name, 1, 1, what, fix) }

func (p *problems) at(name string, line, col int, what, fix string) {
	if !p.list.Full() {
		p.list = append(p.list, yamlpos.Problem{File: name, Line: line, Col: col, What: what, Fix: fix})
	}
}

// caused notes an error whose text ends with what would be right in brackets.
func (p *problems) caused(name string, line, col int, err error) {
	what, fix := yamlpos.SplitFix(err)
	p.at(name, line, col, what, fix)
}

func (p *problems) none() bool { return len(p.list) == 0 }

func (p *problems) err() error {
	if p.none() {
		return nil
	}
	return p.list
}

// result checks the machine when it could be read.
func (p *problems) result(r Reading, name string) (Reading, error) {
	if p.none() {
		for _, err := range r.Machine.Check() {
			p.caused(name, 1, 1, err)
		}
	}
	if !p.none() {
		return Reading{}, p.err()
	}
	return r, nil
}
