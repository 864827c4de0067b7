package pool

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/unit"
)

// Explain answers how a new configuration reaches the nodes: when each is updated,
// how long it takes, what can take pods meanwhile, and what stops it. Errors are
// those of Options.Problems.
func Explain(o Options) (v1alpha1.Answer, error) {
	r, err := Simulate(o)
	if err != nil {
		return v1alpha1.Answer{}, err
	}
	a := v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "Rollout",
		Title: "How a new configuration reaches the nodes", Release: o.Release.Rules(), Result: r}
	a.Findings = r.findings(&o)
	object.Sort(a.Findings)
	a.Verdict = v1alpha1.AnswerVerdict{OK: true, Summary: r.summary()}
	if len(a.Findings) > 0 {
		a.Verdict.OK, a.Verdict.Problem = a.Findings[0].Severity != v1alpha1.Error, a.Findings[0].Message
	}
	a.Parts = append(a.Parts, v1alpha1.Part{Title: "Timeline", Lead: r.lead(&o), Timeline: r.Timeline(&o)},
		v1alpha1.Part{Title: "Pools", Tables: []v1alpha1.Table{r.poolTable()}})
	if len(r.Stalls) > 0 {
		a.Parts = append(a.Parts, v1alpha1.Part{Title: "What stops it", Tables: []v1alpha1.Table{r.stallTable()}})
	}
	a.Parts = append(a.Parts, v1alpha1.Part{Title: "What happens", Wide: true, Tables: []v1alpha1.Table{r.momentTable()}})
	return a, nil
}

// least is the least number of nodes that take pods, and of how many.
func (r *Result) least() (c Capacity) {
	for i, x := range r.Capacity {
		if i == 0 || x.Nodes < c.Nodes {
			c = x
		}
	}
	return c
}

// summary is the rollout in a sentence.
func (r *Result) summary() string {
	if len(r.Pools) == 0 {
		return "no pool has nodes to update"
	}
	var said []string
	for _, p := range r.Pools {
		switch {
		case p.Took == nil:
			said = append(said, fmt.Sprintf("of pool %s %d of %s %s updated when it stops", p.Name, p.Updated,
				words.Count(p.Nodes, "node", "nodes"), words.Form(p.Updated, "is", "are")))
		case p.Took.Min == p.Took.Max:
			said = append(said, fmt.Sprintf("pool %s (%s, %d at once) takes %s", p.Name, words.Count(p.Nodes, "node", "nodes"),
				p.Budget, when(p.Took.Max)))
		default:
			said = append(said, fmt.Sprintf("pool %s (%s, %d at once) takes %s to %s", p.Name,
				words.Count(p.Nodes, "node", "nodes"), p.Budget, when(p.Took.Min), when(p.Took.Max)))
		}
	}
	c := r.least()
	out := fmt.Sprintf("%s; of the cluster's %s for applications at the least %d %s pods", strings.Join(said, "; "),
		words.Count(r.Taking, "node", "nodes"), c.Nodes, words.Form(c.Nodes, "takes", "take"))
	if c.CPU > 0 {
		out += fmt.Sprintf(", with %.0f %% of the CPUs", 100*c.CPU)
	}
	return out
}

func (r *Result) findings(o *Options) (out []v1alpha1.Finding) {
	find := func(rule object.Rule, remedy, format string, args ...any) {
		out = append(out, v1alpha1.Finding{Severity: rule.Severity, ID: rule.ID, Message: fmt.Sprintf(format, args...),
			Remedy: remedy, Sources: rule.Sources})
	}
	ended := map[string]bool{}
	for _, s := range r.Stalls {
		if s.To == nil {
			ended[s.Pool] = true
			find(neverDone, s.Remedy, "pool %s stops after %s: %s", s.Pool, when(s.From), s.Reason)
		} else {
			find(stops, s.Remedy, "pool %s stops from %s to %s: %s", s.Pool, when(s.From), when(*s.To), s.Reason)
		}
	}
	for _, p := range r.Pools {
		if p.Took == nil && !ended[p.Name] {
			find(notDone, "watch it longer, or raise maxUnavailable", "pool %s isn't done after %s: %d of %d nodes are updated",
				p.Name, when(r.End), p.Updated, p.Nodes)
		}
		if p.Name == Master && !masterQuorum.In(o.Release) && p.Budget > max(1, Tolerance(p.Nodes)) {
			find(quorum, "leave maxUnavailable of pool master at 1", "pool master may update %d of %d at once, and etcd can "+
				"do without %d: the guard of etcd holds the others in their drain, which isn't shown here", p.Budget, p.Nodes,
				Tolerance(p.Nodes))
		}
	}
	reasons, held := r.heldNodes(o.Nodes)
	for _, why := range reasons {
		list := held[why]
		find(drainHeld, "allow one more pod to be missed (raise maxUnavailable, lower minAvailable), or run one more",
			"%s %s can't be drained: %s", words.Form(len(list), "node"), words.Some(list, listed), why)
	}
	for _, u := range r.unpooled() {
		find(nodeUnpooled, u.fix, "%s", u.reason)
	}
	if c := r.least(); c.Nodes == 0 && r.Taking > 1 {
		find(noneLeft, "lower maxUnavailable", "none of the %s for applications takes pods at %s",
			words.Count(r.Taking, "node", "nodes"), when(c.At))
	}
	if c := r.least(); c.Nodes < o.Needed {
		find(tooFew, "lower maxUnavailable, or add nodes", "%d %s pods at %s, and %d are needed", c.Nodes,
			words.Form(c.Nodes, "node takes", "nodes take"), when(c.At), o.Needed)
	}
	for _, lack := range o.unseen() {
		find(lack.rule, "give what kubectl get nodes,machineconfigpools,pods,poddisruptionbudgets -A -o json writes", "%s",
			lack.what)
	}
	return out
}

// lack is something that the answer needs and nobody showed.
type lack struct {
	rule object.Rule
	what string
}

// unseen is what the answer takes for granted because nobody showed it.
func (o *Options) unseen() (out []lack) {
	if o.PoolsUnseen {
		out = append(out, lack{poolsUnseen, "no MachineConfigPool is given: pools master and worker are taken, " +
			"1 node at once"})
	}
	if o.DrainsUnseen {
		out = append(out, lack{drainsUnseen, "no pods of applications, or no PodDisruptionBudgets, are given: " +
			"every drain is taken to end"})
	}
	if o.Continue && !slices.ContainsFunc(o.Nodes, func(n Node) bool { return n.Current != old }) {
		out = append(out, lack{stateUnseen, "no node says which configuration it has: all are taken to be up to date"})
	}
	return out
}

// unpooled are the reasons why nodes are not updated, one for all nodes that share it.
func (r *Result) unpooled() (out []stop) {
	names, problems := map[string][]string{}, []string{}
	for _, n := range r.Nodes {
		if n.Pool != "" {
			continue
		}
		if names[n.Problem] == nil {
			problems = append(problems, n.Problem)
		}
		names[n.Problem] = append(names[n.Problem], n.Name)
	}
	for _, p := range problems {
		list := names[p]
		who := fmt.Sprintf("%s %s", words.Form(len(list), "node"), words.Some(list, listed))
		if p == "" {
			out = append(out,
				stop{who + words.Form(len(list), " is in no pool: it is not updated",
					" are in no pool: they are not updated"),
					words.Form(len(list), "give it the role of a pool", "give them the role of a pool")})
			continue
		}
		out = append(out, stop{who + words.Form(len(list), " is", " are") + " not updated: " + p,
			words.Form(len(list), "leave the node one role beside worker", "leave each node one role beside worker")})
	}
	return out
}

// perNode says which times the nodes' updates were supposed to take.
func perNode(nodes []Node) string {
	if len(nodes) == 0 {
		return ""
	}
	least, most := unit.Duration(week), unit.Duration(0)
	var drain unit.Duration
	for i := range nodes {
		n := &nodes[i]
		least, most, drain = min(least, n.Drain.Min+n.Reboot.Min), max(most, n.Drain.Max+n.Reboot.Max),
			max(drain, n.Drain.Max)
	}
	out := "Each node is supposed to take " + when(least)
	if most > least {
		out += " to " + when(most)
	}
	if out += " from its drain to Ready"; drain == 0 {
		out += " (drain and reboot are not told apart)"
	}
	return out + ". "
}

// lead says how to read the rollout.
func (r *Result) lead(o *Options) []string {
	order := "Nodes are updated by the names of their zones, the oldest first, those without a zone last."
	if !zoneOrder.In(o.Release) {
		order = "Up to 4.5 the operator takes nodes in no order; here it is that of their names."
	}
	return []string{perNode(o.Nodes) + "Times are the greatest of each node. Each node is cordoned and drained, " +
		"rebooted with the new configuration, and uncordoned. " + order}
}

// Timeline draws nodes as rows, and what takes pods below; o are the options of the
// simulation. It shows a bit more than happens, so that the last state can be seen.
func (r *Result) Timeline(o *Options) *v1alpha1.Timeline {
	end := r.End + max(60, r.End/10)
	t := &v1alpha1.Timeline{Title: "States of the nodes", Description: r.summary(), End: end, Level: r.level(o)}
	for _, n := range r.Nodes {
		if len(n.Spans) == 1 && n.Spans[0].State == "unchanged" {
			continue
		}
		row := v1alpha1.TimelineRow{Name: n.Name, Group: n.Pool}
		for i, s := range n.Spans {
			if i == len(n.Spans)-1 {
				s.To = end
			}
			row.Spans = append(row.Spans, v1alpha1.TimelineSpan{From: s.From, To: s.To, State: s.State, Mark: marks[s.State]})
		}
		t.Rows = append(t.Rows, row)
	}
	if same := len(r.Nodes) - len(t.Rows); same > 0 {
		t.Description += fmt.Sprintf("; %s %s unchanged and not drawn", words.Count(same, "node", "nodes"),
			words.Form(same, "is", "are"))
	}
	for _, s := range r.Stalls {
		t.Events = append(t.Events, v1alpha1.TimelineEvent{At: s.From, Text: "pool " + s.Pool + " stops: " + s.Reason,
			Mark: "bad"})
	}
	for _, e := range o.Events {
		if e.At <= end {
			t.Events = append(t.Events, v1alpha1.TimelineEvent{At: e.At,
				Text: strings.TrimSpace(fmt.Sprint(e.What, " ", e.Name, " ", orNothing(e.Value)))})
		}
	}
	return t
}

func orNothing(v any) any {
	if v == nil {
		return ""
	}
	return v
}

// marks judge the states; the others are neither good nor bad.
var marks = map[string]string{"updated": "good", "draining": "warn", "rebooting": "warn", "failed": "bad",
	"down": "bad", "cordoned": "warn", "paused": "warn", "unmanaged": "bad"}

func (r *Result) level(o *Options) *v1alpha1.Level {
	l := &v1alpha1.Level{Title: "Nodes that take pods", Unit: "nodes"}
	for _, c := range r.Capacity {
		l.Steps = append(l.Steps, v1alpha1.LevelStep{At: c.At, Amount: float64(c.Nodes)})
	}
	if o.Needed > 0 {
		l.Limits = append(l.Limits, v1alpha1.LevelLimit{Name: "needed", Amount: float64(o.Needed)})
	}
	return l
}

func (r *Result) poolTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "rollout.pools", Title: "Pools at the end",
		Columns: cell.Columns("Pool", ">Nodes", ">At once", ">Updated", ">Unavailable", ">Degraded", "Took")}
	for _, p := range r.Pools {
		took := v1alpha1.Cell{Text: "never", Mark: "bad"}
		if p.Took != nil {
			took = v1alpha1.Cell{Text: when(p.Took.Max), Mark: "good"}
			if p.Took.Min != p.Took.Max {
				took.Text = when(p.Took.Min) + " to " + took.Text
			}
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Text(p.Name), cell.Count(p.Nodes), cell.Count(p.Budget),
			cell.Count(p.Updated), cell.Count(p.Unavailable), cell.Count(p.Degraded), took})
	}
	return t
}

func (r *Result) stallTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "rollout.stalls", Title: "Times in which nothing goes on",
		Columns: cell.Columns("Pool", "From", "To", "Because")}
	for _, s := range r.Stalls {
		to := v1alpha1.Cell{Text: "for ever", Mark: "bad"}
		if s.To != nil {
			to = v1alpha1.Cell{Text: when(*s.To)}
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{cell.Text(s.Pool), seconds(s.From), to, cell.Text(s.Reason)})
	}
	return t
}

func (r *Result) momentTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "rollout.moments", Title: "Moments", Columns: cell.Columns(">Time", "What", "Happens")}
	for _, m := range r.Moments {
		t.Rows = append(t.Rows, []v1alpha1.Cell{seconds(m.At), cell.Text(m.Subject), cell.Text(m.What)})
	}
	return t
}

func seconds(d unit.Duration) v1alpha1.Cell {
	f := float64(d)
	return v1alpha1.Cell{Text: when(d), Number: &f, Unit: unit.Seconds}
}
