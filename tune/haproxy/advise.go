package haproxy

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// Advise works out the advice for an input, by a catalogue's rates and defaults; nil
// is the built-in one. With problems there is no advice; each says what would be right.
func Advise(in Input, c *facts.Catalogue) (Advice, []string) {
	if problems := in.Problems(); len(problems) > 0 {
		return Advice{}, problems
	}
	if c == nil {
		c = facts.Load()
	}
	p := &advisor{in: in, c: c, values: map[string]chosen{}}
	p.release, _ = parseVersion(in.Release)
	p.defaults()
	p.threads()
	p.traffic()
	p.buffers()
	p.shards()
	p.reloads()
	p.times()
	p.resources()
	p.pods()
	p.memory()
	p.pin()
	return p.advice(), nil
}

// advisor gathers an advice.
type advisor struct {
	in      Input
	c       *facts.Catalogue
	b       derive.Book
	release version
	out     Advice
	setup   formula.Setup
	mix     []share
	values  map[string]chosen
	// figures that several steps read.
	load, bandwidth, clients, careful, precise, clientMemory   derive.Value
	routes, shardCount, routesOfShard, longest, gap, processes derive.Value
	needed                                                     derive.Value
}

// share is a kind of traffic with its arithmetic.
type share struct {
	Traffic
	formula.Share
	path string
}

// chosen is the value of a setting in base units, and why.
type chosen struct {
	value derive.Value
	why   string
}

// sources of the documents.
func rout(section string) derive.Source { return derive.Source{Code: "ROUT", Section: section} }

func (p *advisor) fact(id string) derive.Value { return p.c.Must(id).Value() }

// usual is the default of a setting in the release; 3.x has none for threads.
func (p *advisor) usual(s setting) (derive.Value, bool) {
	if s.usual == "" || p.release.three && s.name == "threadCount" {
		return derive.Value{}, false
	}
	if f, ok := p.c.Get(s.usual); ok {
		return f.Value(), true
	}
	known := p.c.Releases(s.usual)
	if p.release.three {
		return p.fact(s.usual + "/" + known[0]), true
	}
	f, _, _, ok := p.c.ForRelease(s.usual, p.release.text)
	if !ok {
		f = p.c.Must(s.usual + "/" + known[len(known)-1])
	}
	return f.Value(), true
}

// given is a field of the input.
func given[N ~int | ~int64 | ~float64](path string, number N, unitName string) derive.Value {
	return derive.Given(path, number, unitName)
}

// defaults fills in what the input leaves open.
func (p *advisor) defaults() {
	p.out.published = p.in.Publishing
	p.in.Publishing = cmp.Or(p.in.Publishing, "HostNetwork")
	p.in.Utilisation = cmp.Or(p.in.Utilisation, 0.65)
	if p.in.Spare == nil {
		one := 1
		p.in.Spare = &one
	}
	p.in.Traffic = slices.Clone(p.in.Traffic)
	for i, t := range p.in.Traffic {
		t.Encryption, t.Routes = cmp.Or(t.Encryption, "none"), cmp.Or(t.Routes, 1)
		t.PageSize = cmp.Or(t.PageSize, unit.Bytes(p.fact("ocp.router.pageSize").Int()))
		p.in.Traffic[i] = t
	}
}

// choose sets a setting.
func (p *advisor) choose(name string, v derive.Value, why string) { p.values[name] = chosen{v, why} }

// find adds a finding.
func (p *advisor) find(severity v1alpha1.Severity, id, figure, what, fix string, sources ...derive.Source) {
	p.out.findings = append(p.out.findings, v1alpha1.Finding{Severity: severity, ID: "router." + id, Figure: figure,
		Message: what, Remedy: fix, Sources: sources})
}

// sum records the sum of a value of each kind.
func (p *advisor) sum(id, title, unitName string, of func(share) derive.Value) derive.Value {
	t := derive.Terms{Texts: []string{"0"}}
	for i, s := range p.mix {
		t.Product(derive.In(fmt.Sprintf("kind%d", i+1), of(s)))
	}
	return p.b.Calc(id, title, unitName, t.Sum(), t.In...)
}

// advice closes the work.
func (p *advisor) advice() Advice {
	a := p.out
	a.Release, a.input = p.in.Release, p.in
	for _, s := range settings {
		a.Settings = append(a.Settings, p.advised(s))
	}
	p.lacking(a.Settings)
	p.unseen()
	a.findings = p.out.findings
	v1alpha1.SortFindings(a.findings)
	a.Figures = p.b.Figures()
	if p.release.three {
		a.Environment = environment(a)
	} else {
		a.Patch, a.Controllers = patch(a), a.controllers()
	}
	a.Configuration = a.Config(Layout{Routes: exampleRoutes})
	return a
}

// advised is a setting with the value that was chosen, or else its default.
func (p *advisor) advised(s setting) Advised {
	out := Advised{Name: s.name, Title: s.title, Variable: s.variable, Directive: s.directive, Where: p.release.where(s)}
	usual, has := p.usual(s)
	if has {
		out.Default = s.write(usual)
	}
	out.Value = out.Default
	if v, ok := p.values[s.name]; ok {
		out.Value, out.Why = s.write(v.value), v.why
	}
	out.Set = out.Value != out.Default && out.Where != ""
	if out.Where == "" {
		out.Lacks = p.release.lacks(s)
	}
	return out
}

// write is a value as the setting takes it.
func (s setting) write(v derive.Value) string {
	if s.kind == duration || s.kind == interval {
		return haproxyTime(v.Number)
	}
	return fmt.Sprint(v.Int())
}

// lacks says why a release can't be told.
func (r version) lacks(s setting) string {
	switch {
	case r.three && s.directive != "":
		return "3.x has no variable for it: the template must be customised"
	case r.three:
		return "3.x does not have it"
	case s.fieldIn.Since == 0:
		return "no release 4 has a field for it"
	}
	return fmt.Sprintf("OpenShift %s can't be told: the field came with %s, and the operator overwrites variables", r.text,
		s.fieldIn.Since)
}

// unseen tells of what decides the number of routers and is not in the input.
func (p *advisor) unseen() {
	for _, x := range []struct {
		field, of string
		given     bool
	}{
		{"connections", "the clients' connections", slices.ContainsFunc(p.in.Traffic,
			func(t Traffic) bool { return t.Connections > 0 })},
		{"nic", "the network", p.in.NIC > 0},
	} {
		if !x.given {
			p.find(v1alpha1.Error, x.field+".unseen", "", fmt.Sprintf("the field %s is not given: whether so many routers are "+
				"enough for %s isn't known", x.field, x.of), "write "+x.field, rout("8.1"))
		}
	}
}

// lacking tells of values that matter and can't be set.
func (p *advisor) lacking(list []Advised) {
	for _, s := range list {
		if s.Where != "" || s.Value == s.Default {
			continue
		}
		v := p.values[s.Name]
		p.find(v1alpha1.Warning, s.Name+".notSettable", "", fmt.Sprintf("%s should be %s, %s", s.Name, s.Value, v.why),
			s.Lacks, derive.Source{Code: "OCP", Section: "11.2"})
	}
}
