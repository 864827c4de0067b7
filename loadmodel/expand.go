package loadmodel

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/internal/yamlpos"
)

// expansion is one run over a configuration.
type expansion struct {
	read     *Read
	opt      Options
	tuning   map[string]TuningSet
	quotas   map[string]string
	problems yamlpos.Problems
	// names are the fields that ask for a namespace.
	names map[string]string
	notes map[string]bool
	// taken are the names of the project at hand.
	taken taken
}

// MaxItems bounds the items of one configuration.
const MaxItems = 10_000_000

// MaxNamespaces bounds the projects of one configuration: ten times as many as vendors test clusters with.
const MaxNamespaces = 100_000

// Expand says what a configuration creates. The problems name fields of the configuration, or places
// in the files that it names; with any of them the work is not to be used.
func Expand(read *Read, opt Options) (*Work, yamlpos.Problems) {
	e := &expansion{read: read, opt: opt, tuning: map[string]TuningSet{}, quotas: map[string]string{},
		names: map[string]string{}, notes: map[string]bool{}}
	for i, t := range read.TuningSets {
		at := fmt.Sprintf("tuningsets[%d]", i)
		if _, twice := e.tuning[t.Name]; twice {
			e.bad(at+".name", yamlpos.Quote(t.Name)+" stands twice", "give each tuning set a name of its own")
		}
		e.tuning[t.Name] = t
		e.oneRate(at+".pods", t.Pods)
		e.oneRate(at+".templates", t.Templates)
	}
	for _, q := range read.Quotas {
		e.quotas[q.Name] = q.File
	}
	w := &Work{Dialect: read.Dialect, Cleanup: read.Cleanup, Threads: max(1, read.Threads), Sync: read.Sync}
	if read.IfExists != "" {
		e.note(w, "ifexists beside projects was never read: each project says it for itself")
	}
	spaces := 0
	for _, p := range read.Projects {
		spaces += p.Num
	}
	if spaces > MaxNamespaces {
		e.bad("projects", fmt.Sprintf("ask for %d projects", spaces), fmt.Sprintf("at most %d", MaxNamespaces))
		return w, e.problems
	}
	for i := range read.Projects {
		e.project(w, &read.Projects[i], fmt.Sprintf("projects[%d]", i))
	}
	if s := read.Sync; s != nil && s.Server.Enabled && w.Pods() == 0 {
		e.bad("sync.server", "waits for pods to call it, but there are none", "ask for pods, or leave the server out")
	}
	if n := w.Items(); n > MaxItems {
		e.bad("projects", fmt.Sprintf("ask for %d items", n), fmt.Sprintf("at most %d", MaxItems))
	}
	return w, e.problems
}

func (e *expansion) bad(field, what, fix string) {
	e.problems.Add(yamlpos.Problem{Field: field, What: what, Fix: fix})
}

// note is told once.
func (e *expansion) note(w *Work, text string) {
	if !e.notes[text] {
		e.notes[text] = true
		w.Notes = append(w.Notes, text)
	}
}

func (e *expansion) oneRate(field string, t Tuning) {
	if t.RateLimit != nil && t.Ratelimit != nil {
		e.bad(field+".ratelimit", "stands beside rate_limit", "write one of them")
	}
}

// project makes the namespaces of one entry.
func (e *expansion) project(w *Work, p *Project, at string) {
	if e.read.Dialect == Python && p.IfExists == "reuse" && p.Num > 1 {
		e.bad(at+".num", fmt.Sprintf("is %d, but with ifexists: reuse all go into the one project %s", p.Num, p.Basename),
			"write num: 1")
	}
	batches := e.batches(w, p, at)
	for i := range p.Num {
		n := Namespace{Name: e.nameOf(p, i), Field: at, IfExists: p.IfExists, Labels: p.Labels, Batches: batches}
		if n.IfExists == "default" {
			n.IfExists = ""
		}
		if p.NodeSelector != "" {
			n.Annotations = map[string]string{"openshift.io/node-selector": p.NodeSelector}
		}
		if i == 0 || i == p.Num-1 {
			for _, wrong := range validation.IsDNS1123Label(n.Name) {
				e.bad(at+".basename", "makes the name "+yamlpos.Quote(n.Name), wrong)
			}
		}
		if other, twice := e.names[n.Name]; twice {
			e.bad(at+".basename", "makes the project "+n.Name+", as "+other+" does", "give each a basename of its own")
			break
		}
		e.names[n.Name] = at
		w.Namespaces = append(w.Namespaces, n)
	}
}

func (e *expansion) nameOf(p *Project, i int) string {
	if e.read.Dialect == Python && p.IfExists == "reuse" {
		return p.Basename
	}
	return p.Basename + strconv.Itoa(i)
}

// batches are what is made in each namespace of an entry, in the order of both programs: quota, config
// maps and secrets, templates, services, users, pods, replication controllers.
func (e *expansion) batches(w *Work, p *Project, at string) []Batch {
	tuning, known := e.tuning[p.Tuning]
	if p.Tuning != "" && !known {
		e.bad(at+".tuning", "there is no tuning set "+yamlpos.Quote(p.Tuning), "name one of tuningsets")
	}
	pods, templates := tuning.Pods.pace(), tuning.Templates.pace()
	e.taken = taken{single: map[string]string{}}
	var out []Batch
	add := func(b *Batch) {
		if b != nil && b.Count > 0 {
			out = append(out, *b)
		}
	}
	add(e.quota(p, at))
	add(e.data(p.ConfigMaps, "ConfigMap", at+".configmaps"))
	add(e.data(p.Secrets, "Secret", at+".secrets"))
	for i := range p.Templates {
		add(e.template(&p.Templates[i], templates, fmt.Sprintf("%s.templates[%d]", at, i)))
	}
	for i := range p.Services {
		add(e.plain(&p.Services[i], "Service", fmt.Sprintf("%s.services[%d]", at, i)))
	}
	for i := range p.Users {
		e.note(w, "users get their role in the project; accounts with passwords are the identity provider's business")
		add(e.users(p.Users[i], fmt.Sprintf("%s.users[%d]", at, i)))
	}
	for _, b := range e.pods(w, p, at) {
		b.Pace = pods
		add(&b)
	}
	for i := range p.RCs {
		add(e.plain(&p.RCs[i], "ReplicationController", fmt.Sprintf("%s.rcs[%d]", at, i)))
	}
	return out
}
