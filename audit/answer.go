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
	New  bool     `json:"new,omitempty"`
	Gone []string `json:"gone,omitempty"`
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
	// Checked is what package tune finds in the settings.
	Checked []v1alpha1.Finding
	// Waivers of the user.
	Waivers []Waiver
}

// Answer says whether a cluster is within the line, and what to do first.
func Answer(in Input) v1alpha1.Answer {
	r := Result{Cluster: in.Cloud.Name, Time: in.Cloud.Now.UTC().Format("2006-01-02T15:04:05Z"), Rules: Run(in.Cloud)}
	a := v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "Audit", Title: "Audit of " + in.Cloud.Name}
	a.Release = in.Cloud.OpenShift
	for i := range in.Cloud.Namespaces {
		if n := in.Cloud.Namespaces[i].Metadata; n.Name == "kube-system" {
			r.Identity = n.UID
		}
	}
	r.Gauges = in.gauges()
	found := slices.Concat(passed(in.Cloud, r.Gauges), in.planned(), in.checked())
	a.Findings = waive(&r, in.Cloud, found, in.Waivers)
	slices.SortStableFunc(r.Rules, func(a, b Outcome) int { return strings.Compare(a.Rule, b.Rule) })
	// What a plan could not decide, such as where pods without requests go, is no gap in what was seen.
	a.Verdict.Open = append(a.Verdict.Open, unseen(r.Rules)...)
	a.Verdict.Open = append(a.Verdict.Open, in.Cloud.notRead(a.Verdict.Open)...)
	a.Result, a.Parts = r, r.parts()
	verdict(&a, r)
	return a
}

// checked are the findings in settings, which stand in the cluster and not in lines of a file; what would come of a
// step of scaling up that nobody takes is none.
func (in Input) checked() []v1alpha1.Finding {
	out := slices.DeleteFunc(slices.Clone(in.Checked), func(f v1alpha1.Finding) bool { return f.ID == "health.burst" })
	for i := range out {
		if p := out[i].Place; p != nil {
			out[i].Place = &v1alpha1.Place{File: in.Cloud.Name, Cluster: true, Object: p.Object, Field: p.Field}
			out[i].Message = p.Object + ": " + out[i].Message
		}
	}
	return out
}

// ofClusters are the subjects of a plan that are about what is there, and not about what is to be bought.
var ofClusters = []string{"network.", "hugePages.", "workload.overcommit.",
	"control.nodeType."}

// planned are the errors and warnings of the plan that are about the cluster.
func (in Input) planned() []v1alpha1.Finding {
	var out []v1alpha1.Finding
	if in.Plan == nil {
		return nil
	}
	for _, f := range in.Plan.Findings {
		of := func(prefix string) bool { return strings.HasPrefix(f.ID, prefix) }
		if f.Severity == v1alpha1.Info || !slices.ContainsFunc(ofClusters, of) {
			continue
		}
		f.Place = &v1alpha1.Place{File: in.Cloud.Name, Cluster: true, Object: f.Figure}
		out = append(out, f)
	}
	return out
}

func verdict(a *v1alpha1.Answer, r Result) {
	count := map[v1alpha1.Severity]int{}
	for _, f := range a.Findings {
		count[f.Severity]++
	}
	states := map[State]int{}
	for _, o := range r.Rules {
		states[o.State]++
	}
	looked := states[OK] + states[Found]
	a.Verdict.OK = count[v1alpha1.Error] == 0
	switch n := count[v1alpha1.Error] + count[v1alpha1.Warning]; {
	case n == 0 && looked > 0:
		a.Verdict.Summary = fmt.Sprintf("Nothing is wrong by the %s that could look", words.Count(looked, "rule"))
	case n == 0:
		a.Verdict.Summary = "Nothing could be seen"
	default:
		a.Verdict.Summary = fmt.Sprintf("%s and %s by %s that could look",
			words.Count(count[v1alpha1.Error], "error"), words.Count(count[v1alpha1.Warning], "warning"),
			words.Count(looked, "rule"))
	}
	if n := states[NotSeen]; n > 0 {
		a.Verdict.Summary += fmt.Sprintf("; %s could not", words.Number(n))
	}
	if len(r.Gauges) > 0 {
		g := r.Gauges[0]
		a.Verdict.Summary += fmt.Sprintf("; the nearest limit is %s, %s used", g.Title, limit.Percent(g.Share))
	}
	a.Verdict.Summary += "."
	worst := slices.IndexFunc(a.Findings, func(f v1alpha1.Finding) bool { return f.Severity == v1alpha1.Error })
	if worst >= 0 {
		a.Verdict.Problem = a.Findings[worst].Message
	}
}

// unseen says what rules could not see, those with one reason together.
func unseen(rules []Outcome) []string {
	by := map[string][]string{}
	var order []string
	for _, o := range rules {
		if o.State == NotSeen {
			if by[o.Why] == nil {
				order = append(order, o.Why)
			}
			by[o.Why] = append(by[o.Why], o.Rule)
		}
	}
	var out []string
	for _, why := range order {
		out = append(out, fmt.Sprintf("%s (%s)", why, words.Some(by[why], shown)))
	}
	return out
}

// nearest is how many limits are shown where not all are asked for.
const nearest = 5

func (r Result) parts() []v1alpha1.Part {
	limits := func(title string, list []limit.Gauge) v1alpha1.Table {
		t := v1alpha1.Table{ID: "audit.limits", Title: title,
			Columns: cell.Columns("Limit", ">Now", ">Limit", ">Used", "Kind")}
		for _, g := range list {
			t.Rows = append(t.Rows, cell.Texts(g.Title, g.Value.String(), g.Limit.String(), limit.Percent(g.Share),
				string(g.Kind)))
		}
		return t
	}
	var out []v1alpha1.Part
	if n := len(r.Gauges); n > 0 {
		some, every := limits("", r.Gauges[:min(n, nearest)]), limits("", r.Gauges)
		out = append(out, v1alpha1.Part{Title: "Nearest limits", Tables: []v1alpha1.Table{some}},
			v1alpha1.Part{Title: "All limits", Wide: true, Tables: []v1alpha1.Table{every}})
	}
	subjects, all := r.states()
	return append(out, v1alpha1.Part{Title: "What was looked at", Tables: []v1alpha1.Table{subjects}},
		v1alpha1.Part{Title: "All rules", Wide: true, Tables: []v1alpha1.Table{all}})
}

// subjectTitles are the subjects of rules in words.
var subjectTitles = map[string]string{"cap": "Overcommitment", "control": "Control plane", "cpu": "Exclusive CPUs",
	"etcd": "etcd", "load": "Leftovers of loads", "mhc": "Machine health checks", "mon": "Monitoring", "net": "Network",
	"node": "Nodes", "pages": "Huge pages", "pod": "Pods", "pool": "Pools", "router": "Routers", "scale": "Machines",
	"store": "Storage", "topo": "Alignment", "tuned": "Profiles of nodes", "z": "IBM Z"}

// states of all rules, and how many of each subject have which.
func (r Result) states() (subjects, all v1alpha1.Table) {
	subjects = v1alpha1.Table{ID: "audit.subjects",
		Columns: cell.Columns("Subject", ">Fine", ">Found", ">Waived", ">Not seen", ">Not here")}
	all = v1alpha1.Table{ID: "audit.rules", Columns: cell.Columns("Rule", "State", "Why")}
	count := map[string]map[State]int{}
	var order []string
	for _, o := range r.Rules {
		subject, _, _ := strings.Cut(o.Rule, ".")
		if count[subject] == nil {
			count[subject] = map[State]int{}
			order = append(order, subject)
		}
		count[subject][o.State]++
		all.Rows = append(all.Rows, cell.Texts(o.Rule, string(o.State), o.Why))
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
