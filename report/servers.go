package report

import (
	"io"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// WriteServerPlacement writes a placement of VMs in a format of Formats. It
// returns an error for an unknown format, or the writer's.
func WriteServerPlacement(w io.Writer, p *v1alpha1.ServerPlacement, format string, opt Options) error {
	return forms{value: p, text: func(format string) string { return serversText(p, format, opt) }, markdown: func() string { return serversMarkdown(p, opt) },
		html: func() (string, error) { return serversHTML(p, opt) }, names: func() string { return serverNames(p) }}.write(w, format)
}

// serverNames are the names of the servers and the hosts.
func serverNames(p *v1alpha1.ServerPlacement) string {
	var b strings.Builder
	for _, s := range p.ServerTypes {
		b.WriteString("server/" + oneLine(s.Name) + "\n")
	}
	for _, h := range p.Hosts {
		b.WriteString("host/" + oneLine(h.Name) + "\n")
	}
	return b.String()
}

// serverAnswer is what a placement of VMs has in common with other answers.
func serverAnswer(p *v1alpha1.ServerPlacement, opt Options) answer {
	return answer{words: serverWords, index: answerIndex(p.Metadata, p.Platform, p.Findings, p.Assumptions, p.Skipped, opt),
		Metadata: p.Metadata, Platform: p.Platform, Rules: p.Rules, Verdict: p.Verdict, Machines: p.Machines,
		Resources: resourceGrid(p.Resources, "Resources of the cloud", "Usable", "In use", serverWords),
		Compared:  hostComparison(p.Comparison),
		WhatIf:    func(most int) []whatIfView { return serverLosses(p, most) }}
}

// hostComparison says how many hosts each method needs.
func hostComparison(c *v1alpha1.HostComparison) grid {
	if c == nil {
		return grid{}
	}
	nova := whole(c.Nova)
	if c.AtLeast {
		nova = "over " + nova
	}
	g := grid{Title: "Hosts by method", Head: []string{"Method", ">Hosts", "What it says"}, Rows: [][]string{
		{"proven floor", whole(c.Floor), "no placement needs fewer, by " + c.Method},
		{"packed order", whole(c.Packed), "the largest VMs first, each on the fullest host that takes it"},
		{"Nova's order", nova, "Nova's filters and weighers, VMs in the order of arrival, hosts filled one by one"},
		{"there are", whole(c.Given), "the hosts of the scenario"},
	}}
	if c.AtLeast {
		g.Notes = append(g.Notes, "In Nova's order some VMs fit on none of the hosts there are.")
	}
	if c.Advice != "" {
		g.Notes = append(g.Notes, c.Advice)
	}
	return g
}

// strandingGrid is what is free and of no use.
func strandingGrid(list []v1alpha1.Stranding) grid {
	g := grid{Title: "Free and of no use", Head: []string{"Resource", ">Amount", "Why"}}
	for _, s := range list {
		g.Rows = append(g.Rows, []string{s.Resource, unit.Format(float64(s.Amount), s.Unit), s.Why})
	}
	return g
}

// serverName is the name of a server type.
func serverName(p *v1alpha1.ServerPlacement, i int) string {
	if i < 0 || i >= len(p.ServerTypes) {
		return "?"
	}
	return p.ServerTypes[i].Name
}

// serverLosses are the failures in sentences. They name so many types at most; 0
// names all.
func serverLosses(p *v1alpha1.ServerPlacement, most int) []whatIfView {
	var out []whatIfView
	for _, l := range p.Losses {
		f := failure{what: l.What, cases: l.Of, survived: l.Survived, whole: true, tried: l.Tried, how: l.How}
		if l.Of == 0 {
			f.cases = int64(l.Tried)
		}
		w := whatIfView{Bad: f.survived < f.cases}
		if l.Worst != "" {
			f.worst = "without " + l.Worst + ", no host for " + countsText(l.Homeless, "VM", most, func(x v1alpha1.ServerCount) (string, int) { return serverName(p, x.ServerType), x.Count })
		}
		w.Text = f.text(serverWords)
		for i, h := range l.Homeless {
			if h.Reason != "" && (most == 0 || i < most) {
				w.Reasons = append(w.Reasons, serverName(p, h.ServerType)+": "+h.Reason)
			}
		}
		out = append(out, w)
	}
	return out
}
