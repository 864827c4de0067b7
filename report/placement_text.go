package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/unit"
)

// Rows and machines in the default output; wide has all.
const (
	nodeRows    = 20
	machineMaps = 4
)

// placed writes a placement for terminals.
type placed struct {
	*text
	p *v1alpha1.Placement
}

func placementText(p *v1alpha1.Placement, format string, opt Options) string {
	t := placed{newText(newIndex(&v1alpha1.Plan{Platform: p.Platform, Assumptions: p.Assumptions, Skipped: p.Skipped}, opt), format), p}
	t.top()
	t.podTypes()
	t.unplaced()
	t.nodes()
	t.machines()
	t.refusals()
	t.stranded()
	t.comparison()
	t.whatIfs()
	t.findings()
	t.assumptions()
	t.skipped()
	return t.b.String()
}

func (t placed) top() {
	v := t.p.Verdict
	t.line("", table.Bold, "Placement "+t.p.Metadata.Name+": "+platform(t.p.Platform))
	if t.p.Metadata.Description != "" {
		t.line("", table.Plain, t.p.Metadata.Description)
	}
	t.b.WriteByte('\n')
	mark, style := "+", table.Good
	if !v.Fits {
		mark, style = "!", table.Bad
	}
	t.mark("", mark, style, style, v.Summary)
	t.named("Problem", v.Problem)
	t.named("Fullest", v.Tightest)
	for i, r := range t.p.Rules {
		t.named(map[bool]string{true: "Rules"}[i == 0], r)
	}
}

// podTypes is the table of the pods.
func (t placed) podTypes() {
	if len(t.p.PodTypes) == 0 {
		return
	}
	t.heading("Pods")
	tb := table.Table{Indent: "  ", Columns: []table.Column{{Title: "Type"}, {Title: "QoS"}, {Title: "Wanted", Right: true}, {Title: "Run", Right: true},
		{Title: "Pending", Right: true}}}
	refused := slices.ContainsFunc(t.p.PodTypes, func(o v1alpha1.PodOutcome) bool { return o.Refused > 0 })
	if refused {
		tb.Columns = append(tb.Columns, table.Column{Title: "Refused", Right: true})
	}
	tb.Columns = append(tb.Columns, table.Column{Title: "More fit", Right: true}, table.Column{Title: "all growing", Right: true})
	for _, o := range t.p.PodTypes {
		style := table.Plain
		if o.Pending > 0 {
			style = table.Bad
		}
		row := []table.Cell{{Text: o.Name}, {Text: o.QOSClass}, {Text: whole(o.Wanted)}, {Text: whole(o.Placed)}, {Text: orNone(o.Pending), Style: style}}
		if refused {
			row = append(row, table.Cell{Text: orNone(o.Refused)})
		}
		tb.AddCells(append(row, table.Cell{Text: whole(o.More)}, table.Cell{Text: whole(o.MoreMixed)})...)
	}
	t.table(tb)
}

func whole(n int) string { return unit.Format(float64(n), unit.None) }

// orNone leaves out what there is none of.
func orNone(n int) string {
	if n == 0 {
		return ""
	}
	return whole(n)
}

// unplaced says of each kind of pod that does not run why.
func (t placed) unplaced() {
	first := true
	for _, o := range t.p.PodTypes {
		if o.Pending == 0 && o.Refused == 0 {
			continue
		}
		if first {
			t.heading("What does not run, and why")
			first = false
		}
		t.mark("  ", "!", table.Bad, table.Plain, pendingTitle(o))
		for _, s := range outcomeReasons(o) {
			t.hang("      ", table.Plain, s)
		}
	}
}

// pendingTitle is "second: 1 pod pending".
func pendingTitle(o v1alpha1.PodOutcome) string {
	if o.Pending == 0 {
		return o.Name + ": " + plural(o.Refused, "pod") + " refused by kubelets before all ran"
	}
	return o.Name + ": " + plural(o.Pending, "pod") + " pending"
}

// outcomeReasons are the reasons in sentences, for all formats alike.
func outcomeReasons(o v1alpha1.PodOutcome) []string {
	var out []string
	if o.Message != "" {
		out = append(out, o.Message)
	}
	if len(o.Reasons) > 0 && o.Message == "" {
		for _, r := range o.Reasons {
			out = append(out, plural(r.Nodes, "node")+": "+r.Reason)
		}
	}
	if o.Nearest != "" {
		out = append(out, "nearest: "+o.Nearest)
	}
	if o.Preemption != "" {
		out = append(out, "preemption: "+o.Preemption)
	}
	if o.Runaway {
		out = append(out, fmt.Sprintf("runaway: the scheduler sends each new pod to a node whose kubelet refuses it; %s were refused here before the count was stopped, a cluster goes on for ever", plural(o.Refused, "pod")))
	}
	if o.NUMAAware != nil {
		out = append(out, fmt.Sprintf("a scheduler that knows of NUMA nodes would run %s of %s", whole(*o.NUMAAware), whole(o.Wanted)))
	}
	return out
}

// nodes is the table of the nodes, equal ones in a row.
func (t placed) nodes() {
	if len(t.p.Nodes) == 0 {
		return
	}
	t.heading("Nodes")
	domains := domainKeys(t.p.Nodes)
	tb := table.Table{Indent: "  ", Columns: []table.Column{{Title: "Node"}, {Title: "Count", Right: true}}}
	for _, key := range domains {
		tb.Columns = append(tb.Columns, table.Column{Title: shortKey(key)})
	}
	names := []string{"cpu", "memory", "pods"}
	if t.wide {
		names = resourceNames(t.p)
	}
	for _, name := range names {
		tb.Columns = append(tb.Columns, table.Column{Title: shortKey(name), Right: true})
	}
	tb.Columns = append(tb.Columns, table.Column{Title: "Runs"})
	for i, n := range t.p.Nodes {
		if i == nodeRows && !t.wide {
			break
		}
		tb.Add(t.nodeRow(n, domains, names)...)
	}
	t.table(tb)
	if n := len(t.p.Nodes) - nodeRows; n > 0 && !t.wide {
		t.line("  ", table.Faint, fmt.Sprintf("and %s more in other states: -o wide lists them", plural(n, "group")))
	}
}

func (t placed) nodeRow(n v1alpha1.PlacedNode, domains, names []string) []string {
	title := n.Name
	if n.Count > 1 {
		title += " ..."
	}
	row := []string{title, whole(n.Count)}
	for _, key := range domains {
		row = append(row, n.Domains[key])
	}
	for _, name := range names {
		row = append(row, usage(n, name))
	}
	return append(row, podsText(t.p, n.Pods))
}

// usage is "3.5/4" of a resource on a node.
func usage(n v1alpha1.PlacedNode, name string) string {
	for _, r := range n.Resources {
		if r.Resource == name && r.Allocatable > 0 {
			return fmt.Sprintf("%.0f %%", float64(r.Requested)/float64(r.Allocatable)*100)
		}
	}
	return ""
}

// podsText is "web x3, db x1".
func podsText(p *v1alpha1.Placement, pods []v1alpha1.PodsOnNode) string {
	var out []string
	for _, x := range pods {
		out = append(out, podName(p, x.PodType)+" x"+whole(x.Count))
	}
	return strings.Join(out, ", ")
}

func podName(p *v1alpha1.Placement, i int) string {
	if i < 0 || i >= len(p.PodTypes) {
		return "?"
	}
	return p.PodTypes[i].Name
}

// domainKeys are the labels that nodes differ in.
func domainKeys(nodes []v1alpha1.PlacedNode) []string {
	keys := map[string]bool{}
	for _, n := range nodes {
		for key := range n.Domains {
			keys[key] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// shortKey is the last part of a label or a resource: zone, gpu.
func shortKey(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }

// resourceNames are the cluster's resources.
func resourceNames(p *v1alpha1.Placement) []string {
	names := make([]string, 0, len(p.Resources))
	for _, r := range p.Resources {
		names = append(names, r.Resource)
	}
	return names
}

// stranded is the table of the cluster's resources.
func (t placed) stranded() {
	if len(t.p.Resources) == 0 {
		return
	}
	t.heading("Requested and stranded")
	tb := table.Table{Indent: "  ", Columns: []table.Column{{Title: "Resource"}, {Title: "Allocatable", Right: true}, {Title: "Requested", Right: true},
		{Title: "", Right: true}, {Title: "Stranded", Right: true}, {Title: "Missing there"}}}
	for _, r := range t.p.Resources {
		share := ""
		if r.Allocatable > 0 {
			share = fmt.Sprintf("%.0f %%", float64(r.Requested)/float64(r.Allocatable)*100)
		}
		tb.Add(r.Resource, quantity(r.Resource, r.Allocatable), quantity(r.Resource, r.Requested), share, strandedText(r), r.By)
	}
	t.table(tb)
}

func strandedText(r v1alpha1.ClusterResource) string {
	if r.Stranded == 0 {
		return ""
	}
	return quantity(r.Resource, r.Stranded)
}

// quantity is so much of a resource for people.
func quantity(resource string, n int64) string {
	switch {
	case resource == "cpu":
		return unit.Format(float64(n), unit.Millicores)
	case resource == "memory" || resource == "ephemeral-storage" || strings.HasPrefix(resource, "hugepages-"):
		return unit.Format(float64(n), unit.ByteUnit)
	}
	return unit.Format(float64(n), unit.None)
}

// comparison sets floor, packing and scheduler side by side.
func (t placed) comparison() {
	if t.p.Comparison != nil {
		t.heading("Nodes by method")
		t.compareTable([]v1alpha1.NodeComparison{*t.p.Comparison})
	}
}

// whatIfs are failures and drains, a line each.
func (t placed) whatIfs() {
	if len(t.p.Losses)+len(t.p.Drains) == 0 {
		return
	}
	t.heading("What if")
	for _, l := range t.p.Losses {
		mark, style := "+", table.Good
		if l.Survived < l.Tried {
			mark, style = "!", table.Bad
		}
		t.mark("  ", mark, style, table.Plain, lossText(t.p, l))
	}
	for _, d := range t.p.Drains {
		mark, style := "+", table.Good
		if d.Worst != "" {
			mark, style = "!", table.Bad
		}
		t.mark("  ", mark, style, table.Plain, drainText(t.p, d))
	}
}

// lossText says what a failure does, for all formats alike.
func lossText(p *v1alpha1.Placement, l v1alpha1.Loss) string {
	if l.Tried == 0 {
		return l.What + " fails: nothing was tried"
	}
	s := fmt.Sprintf("%s fails (%s): every pod runs again in %s of %s cases", l.What, l.How, whole(l.Survived), whole(l.Tried))
	if l.Worst == "" {
		return s
	}
	return s + "; at worst, without " + l.Worst + ", no place for " + homelessText(p, l.Homeless)
}

// drainText says what a rolling update does, for all formats alike.
func drainText(p *v1alpha1.Placement, d v1alpha1.Drain) string {
	s := fmt.Sprintf("%s, %s", d.What, plural(d.Batches, "batch"))
	s = strings.Replace(s, "batchs", "batches", 1)
	if d.Duration > 0 {
		s += ", " + unit.Format(float64(d.Duration), unit.Seconds)
	}
	if d.Worst != "" {
		s += ": no place for " + homelessText(p, d.Homeless) + " while " + d.Worst + " are drained"
	} else {
		s += ": every pod keeps a place"
	}
	if d.MostUnavailable == 0 {
		return s + "; no node can be drained without"
	}
	return s + fmt.Sprintf("; up to %s at a time", whole(d.MostUnavailable))
}

func homelessText(p *v1alpha1.Placement, list []v1alpha1.PodsCount) string {
	var out []string
	for _, c := range list {
		out = append(out, whole(c.Count)+" "+podName(p, c.PodType))
	}
	return strings.Join(out, ", ")
}

func (t placed) findings() {
	if len(t.p.Findings) == 0 {
		return
	}
	t.heading("Findings")
	for _, f := range t.p.Findings {
		mark, style := markOfFinding(f.Severity)
		t.mark("  ", mark, style, table.Plain, f.Message)
		if f.Remedy != "" {
			t.line("    ", table.Faint, f.Remedy)
		}
	}
}
