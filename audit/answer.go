package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/limit"
	"plimsoll.dev/tune/cell"
)

// Result is an audit for programs.
type Result struct {
	// Cluster that was looked at, and at what time.
	Cluster string `json:"cluster"`
	Time    string `json:"time"`
	// Identity is the same for whatever file a cluster was read from: that of its namespace kube-system, where it was
	// seen.
	Identity string `json:"identity,omitempty"`
	// Rules are what became of each rule, in the order of their names.
	Rules []Outcome `json:"rules"`
	// Gauges are the limits and how much of each is used, the nearest first.
	Gauges []limit.Gauge `json:"gauges"`
	// New is set where a baseline was given: only what it does not have is shown. Gone are what it has and this has not.
	// Since is when that one was made.
	New   bool     `json:"new,omitempty"`
	Since string   `json:"since,omitempty"`
	Gone  []string `json:"gone,omitempty"`
	// Waived are the findings that waivers cover.
	Waived []WaivedFinding `json:"waived,omitempty"`
}

// WaivedFinding is one that is known, and who says that it may stand.
type WaivedFinding struct {
	v1alpha1.Finding
	Waiver Waiver `json:"waiver"`
}

// Input of an answer.
type Input struct {
	Cloud *Cloud
	// Inventory of the same cluster, and Plan of it: its limits, and what it finds wrong.
	Inventory *v1alpha1.Inventory
	Plan      *v1alpha1.Plan
	// Placed are the servers of an OpenStack cloud on the hosts of its scenario; nil where none was given.
	Placed *v1alpha1.ServerPlacement
	// Checked is what package tune finds in the settings.
	Checked []v1alpha1.Finding
	// Waivers of the user, and where each stands in the file.
	Waivers      []Waiver
	WaiverPlaces []v1alpha1.Place
}

// Answer says whether a cluster is within the line, and what to do first.
func Answer(in Input) v1alpha1.Answer {
	r := Result{Cluster: in.Cloud.Name, Time: in.Cloud.Now.UTC().Format("2006-01-02T15:04:05Z"), Rules: Run(in.Cloud)}
	a := v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "Audit", Release: in.Cloud.OpenShift,
		Title: "Audit of " + in.Cloud.Name + in.limitsOf()}
	for i := range in.Cloud.Namespaces {
		if n := in.Cloud.Namespaces[i].Metadata; n.Name == "kube-system" {
			r.Identity = n.UID
		}
	}
	r.Gauges = in.gauges()
	found := slices.Concat(passed(in.Cloud, r.Gauges), in.planned(), in.checked())
	a.Findings = in.waive(&r, found)
	slices.SortStableFunc(r.Rules, func(a, b Outcome) int { return strings.Compare(a.Rule, b.Rule) })
	// What a plan could not decide, such as where pods without requests go, is no gap in what was seen.
	a.Verdict.Open = append(a.Verdict.Open, unseen(r.Rules)...)
	if in.Placed != nil {
		a.Verdict.Open = append(a.Verdict.Open, in.Placed.Verdict.Open...)
	}
	a.Verdict.Open = append(a.Verdict.Open, in.Cloud.notRead(a.Verdict.Open)...)
	a.Result, a.Parts, a.Aside = r, in.parts(r, found), r.aside()
	verdict(&a, r, 0)
	return a
}

// aside are the findings that are waived, and the rules that say nothing.
func (r Result) aside() (out []v1alpha1.Aside) {
	for _, f := range r.Waived {
		w := f.Waiver
		out = append(out, v1alpha1.Aside{Finding: f.Finding, Waiver: &v1alpha1.Waived{Reason: w.Reason, Owner: w.Owner,
			Until: w.Until}, Skipped: "waived until " + w.Until + " by " + w.Owner + ": " + w.Reason})
	}
	for _, o := range r.Rules {
		words, silent := map[State]string{NotSeen: "not seen", NotApplicable: "not applicable",
			Waived: "waived, and not seen"}[o.State]
		if silent && o.Why != "" {
			out = append(out, v1alpha1.Aside{Finding: v1alpha1.Finding{Severity: v1alpha1.Info, ID: o.Rule},
				Skipped: words + ": " + o.Why})
		}
	}
	return out
}

// verdict of what was found; where an earlier audit was given, of what is new, beside so many findings that it has.
func verdict(a *v1alpha1.Answer, r Result, known int) {
	states := map[State]int{}
	for _, o := range r.Rules {
		states[o.State]++
	}
	looked := states[OK] + states[Found]
	a.Verdict.OK, a.Verdict.Problem = true, ""
	for _, f := range worstFirst(a.Findings) {
		if f.Severity == v1alpha1.Error {
			a.Verdict.OK, a.Verdict.Problem = false, f.Message
			break
		}
	}
	switch said := tally(a.Findings); {
	case r.New:
		a.Verdict.Summary = sinceThen(a.Findings, r, known)
	case looked == 0 && said == "":
		a.Verdict.Summary = "Nothing could be seen"
	default:
		a.Verdict.Summary = fmt.Sprintf("%s by %s that could look", cmp.Or(said, "Nothing is wrong"),
			words.Count(looked, "rule"))
	}
	if n := states[NotSeen]; n > 0 {
		a.Verdict.Summary += "; " + words.Count(n, "rule") + " could not look"
	}
	if n := r.waivedRules(); n > 0 {
		a.Verdict.Summary += "; " + words.Count(n, "rule") + " waived"
	}
	if len(r.Gauges) > 0 {
		g := r.Gauges[0]
		a.Verdict.Summary += fmt.Sprintf("; the nearest limit is %s, %s used", g.Title, limit.Percent(g.Share))
	}
	a.Verdict.Summary += "."
}

// waivedRules counts the rules of which something is waived: a finding, also one of settings or a limit, or that they
// could not look.
func (r Result) waivedRules() int {
	ids := map[string]bool{}
	for _, f := range r.Waived {
		ids[f.ID] = true
	}
	for _, o := range r.Rules {
		if o.State == Waived {
			ids[o.Rule] = true
		}
	}
	return len(ids)
}

// tally counts errors and warnings, "1 error and 2 warnings"; empty where there are none.
func tally(list []v1alpha1.Finding) string {
	var out []string
	for _, s := range []v1alpha1.Severity{v1alpha1.Error, v1alpha1.Warning} {
		n := 0
		for _, f := range list {
			if f.Severity == s {
				n++
			}
		}
		if n > 0 {
			out = append(out, words.Count(n, string(s)))
		}
	}
	return words.And(out)
}

// worstFirst are findings with the errors first, otherwise in their order.
func worstFirst(list []v1alpha1.Finding) []v1alpha1.Finding {
	out := slices.Clone(list)
	v1alpha1.SortFindings(out)
	return out
}

// unseen says what rules could not see, those with one reason together, and what a file does not hold.
func unseen(rules []Outcome) []string {
	by := map[string][]string{}
	var order, none []string
	for _, o := range rules {
		if o.State != NotSeen {
			continue
		}
		why := o.Why
		if what, of := strings.CutSuffix(why, noneGiven); of {
			if !slices.Contains(none, what) {
				none = append(none, what)
			}
			why = noneGiven
		}
		if by[why] == nil {
			order = append(order, why)
		}
		by[why] = append(by[why], o.Rule)
	}
	var out []string
	for _, key := range order {
		why := key
		if key == noneGiven {
			why = words.And(none) + noneGiven
		}
		out = append(out, fmt.Sprintf("%s (%s)", why, words.Some(by[key], shown)))
	}
	return out
}

// nearest is how many limits are shown where not all are asked for.
const nearest = 5

// parts are the tables of an answer, made of all that was found before it was waived.
func (in Input) parts(r Result, found []v1alpha1.Finding) []v1alpha1.Part {
	limits := func(id string, list []limit.Gauge) v1alpha1.Table {
		t := v1alpha1.Table{ID: id, Columns: cell.Columns("Limit", ">Now", ">Limit", ">Used", "Kind")}
		for _, g := range list {
			t.Rows = append(t.Rows, cell.Texts(g.Title, g.Value.String(), g.Limit.String(), limit.Percent(g.Share),
				string(g.Kind)))
		}
		return t
	}
	part := func(title string, wide bool, t v1alpha1.Table) v1alpha1.Part {
		return v1alpha1.Part{Title: title, Wide: wide, Tables: []v1alpha1.Table{t}}
	}
	var out []v1alpha1.Part
	if n := len(r.Gauges); n > 0 {
		out = append(out, part("Nearest limits", false, limits("audit.nearest", r.Gauges[:min(n, nearest)])),
			part("All limits", true, limits("audit.limits", r.Gauges)))
	}
	if len(r.Waived) > 0 {
		out = append(out, part("Waived", true, r.waivedTable()))
	}
	subjects, all := r.states(in.settings(r))
	if len(r.Gauges) > 0 {
		subjects.Rows = append(subjects.Rows, in.limitRow(r, found))
	}
	return append(out, told(subjects), part("All rules", true, all))
}

// told are the subjects of which something is to be told; the others are named, and their numbers stand in wide output.
func told(subjects v1alpha1.Table) v1alpha1.Part {
	rest := v1alpha1.Table{ID: "audit.fine", Title: "Fine subjects", Wide: true, Columns: subjects.Columns}
	var names []string
	all := subjects.Rows
	subjects.Rows = nil
	for _, row := range all {
		nothing := func(c v1alpha1.Cell) bool { return c.Text == "0" || c.Text == "" }
		if nothing(row[2]) && nothing(row[3]) && nothing(row[4]) {
			names, rest.Rows = append(names, row[0].Text), append(rest.Rows, row)
			continue
		}
		subjects.Rows = append(subjects.Rows, row)
	}
	p := v1alpha1.Part{Title: "What was looked at", Tables: []v1alpha1.Table{subjects, rest}}
	if len(names) > 0 {
		p.Lead = []string{"Fine, or not here: " + strings.Join(names, ", ") + "."}
	}
	return p
}

// waivedTable shows what is known, and who says that it may stand.
func (r Result) waivedTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "audit.waived", Columns: cell.Columns("Rule", "Until", "Owner", "Reason", "What is wrong")}
	for _, f := range r.Waived {
		t.Rows = append(t.Rows, cell.Texts(f.ID, f.Waiver.Until, f.Waiver.Owner, f.Waiver.Reason, f.Message))
	}
	return t
}

// limitRow counts the limits: which are far, and which are told.
func (in Input) limitRow(r Result, found []v1alpha1.Finding) []v1alpha1.Cell {
	count := func(list []v1alpha1.Finding) (n int) {
		for _, f := range list {
			if strings.HasPrefix(f.ID, "limit.") {
				n++
			}
		}
		return n
	}
	var waived []v1alpha1.Finding
	for _, f := range r.Waived {
		waived = append(waived, f.Finding)
	}
	all, known := count(found), count(waived)
	row := []v1alpha1.Cell{cell.Text("Limits")}
	for _, n := range []int{len(r.Gauges) - all, all - known, known, 0, 0} {
		row = append(row, cell.Count(n))
	}
	return row
}

// ofSettings are the subjects of what package tune finds.
var ofSettings = map[string]string{"profile": "tuned", "tuned": "tuned", "health": "mhc", "pool": "pool",
	"machineConfig": "pool", "kubelet": "node", "monitoring": "mon", "ingress": "router", "router": "router"}

// settings are the rules of package tune that found something, as outcomes, beside which those of an audit stand.
func (in Input) settings(r Result) (out []Outcome) {
	for _, f := range in.Checked {
		if slices.ContainsFunc(out, func(o Outcome) bool { return o.Rule == f.ID }) {
			continue
		}
		o := Outcome{Rule: f.ID, State: Found}
		if slices.ContainsFunc(r.Waived, func(w WaivedFinding) bool { return w.ID == f.ID }) {
			o.State = Waived
		}
		out = append(out, o)
	}
	return out
}

// subjectTitles are the subjects of rules in words.
var subjectTitles = map[string]string{"cap": "Overcommitment", "control": "Control plane", "cpu": "Exclusive CPUs",
	"etcd": "etcd", "load": "Leftovers of loads", "mhc": "Machine health checks", "mon": "Monitoring", "net": "Network",
	"node": "Nodes", "pages": "Huge pages", "pod": "Pods", "pool": "Pools", "router": "Routers", "scale": "Machines",
	"settings": "Other settings", "store": "Storage", "topo": "Alignment", "vm": "Servers",
	"host": "Hosts and services", "neutron": "Neutron", "ceph": "Ceph", "tuned": "Profiles of nodes", "z": "IBM Z"}

// states of all rules, and how many of each subject have which, with those of settings that found something.
func (r Result) states(settings []Outcome) (subjects, all v1alpha1.Table) {
	subjects = v1alpha1.Table{ID: "audit.subjects",
		Columns: cell.Columns("Subject", ">Fine", ">Found", ">Waived", ">Not seen", ">Not here")}
	all = v1alpha1.Table{ID: "audit.rules", Columns: cell.Columns("Rule", "State", "Why")}
	count := map[string]map[State]int{}
	var order []string
	add := func(subject string, state State) {
		if count[subject] == nil {
			count[subject] = map[State]int{}
			order = append(order, subject)
		}
		count[subject][state]++
	}
	for _, o := range r.Rules {
		subject, _, _ := strings.Cut(o.Rule, ".")
		add(subject, o.State)
		all.Rows = append(all.Rows, cell.Texts(o.Rule, string(o.State), o.Why))
	}
	for _, o := range settings {
		subject, _, _ := strings.Cut(o.Rule, ".")
		add(cmp.Or(ofSettings[subject], "settings"), o.State)
	}
	for _, s := range order {
		row := []v1alpha1.Cell{cell.Text(cmp.Or(subjectTitles[s], s))}
		for _, state := range []State{OK, Found, Waived, NotSeen, NotApplicable} {
			row = append(row, cell.Count(count[s][state]))
		}
		subjects.Rows = append(subjects.Rows, row)
	}
	return subjects, all
}
