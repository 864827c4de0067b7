package loadmodel

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path"
	"strconv"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/template"
)

// identifier is the parameter that counts the instances of a template, where the template declares it
// (OCP 5.4: with those that don't, the original fails).
const identifier = "IDENTIFIER"

// template are the instances of the template, List or object of one entry.
func (e *expansion) template(p *Entry, pace Pace, at string) *Batch {
	m, ok := e.manifest(p.File, "")
	if !ok {
		if p.File == "" {
			e.bad(at+".file", "is missing", "add file: template.json")
		} else if p.File == builtin {
			e.bad(at+".file", "there is no built-in template", "name a file")
		}
		return nil
	}
	given, ok := e.parameters(p.Parameters, at+".parameters")
	if !ok {
		return nil
	}
	b := &Batch{Title: "template " + path.Base(p.File), Field: at, Count: p.Num, Pace: pace, Sync: p.Sync}
	if !template.Is(m.Root) {
		if len(given) > 0 {
			e.bad(at+".parameters", m.File+" is no template", "remove them, or name a template")
			return nil
		}
		b.items = func(int) ([]Object, error) { return objectsOf(m, listed(m.Root)) }
	} else {
		read := template.Read(m.Root)
		if given, ok = e.declared(read, given, at+".parameters"); !ok {
			return nil
		}
		b.items = e.instances(m, read, given, at)
	}
	if !e.itemsDiffer(b, m) {
		return nil
	}
	return b
}

// declared are the given parameters under the names that the template has: those of the configuration
// of the original were made upper case.
func (e *expansion) declared(t *template.Template, given map[string]string, at string) (map[string]string, bool) {
	out, ok := map[string]string{}, true
	for name, value := range given {
		upper := strings.ToUpper(name)
		switch {
		case t.Declares(name):
			out[name] = value
		case t.Declares(upper):
			out[upper] = value
		default:
			var known []string
			for _, p := range t.Parameters {
				known = append(known, p.Name)
			}
			e.bad(at+"."+name, "the template has no such parameter", "it has "+strings.Join(known, ", "))
			ok = false
		}
	}
	return out, ok
}

// instances are the items of a template. What it generates is drawn from the seed, the entry and the
// number of the instance.
func (e *expansion) instances(m Manifest, t *template.Template, given map[string]string,
	at string) func(int) ([]Object, error) {
	_, set := given[identifier]
	counts := t.Declares(identifier) && !set
	h := fnv.New64a()
	h.Write([]byte(at))
	return func(i int) ([]Object, error) {
		values := given
		if counts {
			values = map[string]string{identifier: strconv.Itoa(i)}
			for name, value := range given {
				values[name] = value
			}
		}
		draw := rand.New(rand.NewPCG(e.opt.Seed, h.Sum64()+uint64(i)))
		made, err := t.Process(template.Options{Given: values, Generate: template.Random(draw)})
		if err != nil {
			return nil, err
		}
		return objectsOf(m, made)
	}
}

func objectsOf(m Manifest, nodes []*yamlpos.Node) ([]Object, error) {
	var out []Object
	for _, n := range nodes {
		o, wrong := objectOf(m, n)
		if wrong != "" {
			return nil, problemAt{m.File, n.Line, n.Col, wrong}
		}
		if _, generated := object(o.Body, "metadata")["generateName"]; o.Name == "" && !generated {
			return nil, problemAt{m.File, n.Line, n.Col, o.Kind + " has no name"}
		}
		out = append(out, o)
	}
	return out, nil
}

// problemAt is what is wrong at a place in a file.
type problemAt struct {
	file      string
	line, col int
	what      string
}

func (p problemAt) Error() string { return fmt.Sprintf("%s:%d:%d: %s", p.file, p.line, p.col, p.what) }

// inFile tells what is wrong in a file that an entry names.
func (e *expansion) inFile(b *Batch, m Manifest, err error) {
	if at, ok := err.(problemAt); ok {
		e.problems.Add(yamlpos.Problem{File: at.file, Line: at.line, Col: at.col, What: at.what})
		return
	}
	e.bad(b.Field+".file", m.File+": "+err.Error(), "give it under parameters")
}
