package report

import (
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// serversMarkdown is the whole placement of VMs in Markdown.
func serversMarkdown(p *v1alpha1.ServerPlacement, opt Options) string {
	m, a := &markdown{}, serverAnswer(p, opt)
	m.topOf(a)
	m.grid(serverTypeGrid(alikeServers(p.ServerTypes), nil))
	m.refused(refusalsOf(p))
	m.drawings(a, ownedByServers(p))
	hosts := hostGrid(p, p.Hosts, true)
	hosts.Notes = hostNotes(hosts)
	m.grid(hosts)
	m.foldedGrid(serverGrid(p))
	m.grid(a.Resources)
	m.grid(strandingGrid(p.Stranding))
	m.grid(a.Compared)
	m.whatIfs(a.WhatIf(0))
	m.nova(novaGroups(p))
	m.endOf(a)
	return strings.TrimLeft(m.b.String(), "\n")
}

func (m *markdown) refused(list []refusalView) {
	if len(list) > 0 {
		m.heading(2, refusalsTitle)
	}
	for _, r := range list {
		m.item(0, "**"+md(r.Title)+"**")
		for _, s := range r.Reasons {
			m.item(1, md(s))
		}
		if r.Nearest != "" {
			m.item(1, md(r.Nearest))
		}
		for _, s := range r.Nodes {
			m.item(2, md(s))
		}
		if len(r.Remedies) > 0 {
			m.item(1, r.Help+":")
		}
		for _, s := range r.Remedies {
			m.item(2, md(s))
		}
	}
}

func (m *markdown) nova(groups []linesView) {
	if len(groups) == 0 {
		return
	}
	m.heading(2, novaTitle)
	m.para(md(novaNote))
	for _, g := range groups {
		m.item(0, "**"+md(g.Title)+"**")
		for _, s := range g.Lines {
			m.item(1, md(s))
		}
	}
}
