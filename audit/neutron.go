package audit

import (
	"cmp"
	"slices"

	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
)

// neutronTests are about the networks of a cloud.
var neutronTests = []test{{agentDown, (*look).agentDown}, {routerAlone, (*look).routerAlone},
	{rulesPerPort, (*look).rulesPerPort}, {portsPerVM, (*look).portsPerVM}}

// agentDown finds agents of Neutron that do not report.
func (l *look) agentDown() {
	var bad []where
	for _, a := range l.Stack.Agents {
		if a.Alive != nil && !*a.Alive && (a.Enabled == nil || *a.Enabled) {
			bad = append(bad, at("Agent", called(a.Host, ""), "%s", a.AgentType))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "look at the host and its neutron services", "does not report to Neutron")
	}
}

// routerAlone finds routers that are on one host, where others could take over.
func (l *look) routerAlone() {
	hosts := map[string]bool{}
	for _, a := range l.Stack.Agents {
		if a.AgentType == "L3 agent" {
			hosts[a.Host] = true
		}
	}
	if len(hosts) < 2 {
		l.notApplicable("there are no two hosts with routers of this kind (L3 agents)")
		return
	}
	var bad []where
	for _, r := range l.Stack.Routers {
		if r.HA == nil && r.Distributed == nil {
			l.notSeen("routers: whether they are highly available isn't told of %s (list as an administrator)",
				called(r.Name, r.ID))
		}
		if r.HA != nil && !*r.HA && (r.Distributed == nil || !*r.Distributed) {
			bad = append(bad, at("Router", called(r.Name, r.ID), ""))
		}
	}
	if len(bad) > 0 {
		name := names(l.told(bad)[:1])
		l.find(bad, "openstack router set --disable "+name+", then openstack router set --ha --enable "+name,
			"is neither highly available nor distributed")
	}
}

// rulesPerPort finds ports whose security groups have more rules than the vSwitch takes.
func (l *look) rulesPerPort() {
	most := int(facts.Load().Must("hcg.vswitch.rulesPerPort").Value().Number)
	of := map[string]int{}
	for _, r := range l.Stack.RuleRows {
		of[r.SecurityGroup]++
	}
	var bad []where
	for _, p := range l.Stack.Ports {
		n := 0
		for _, g := range p.SecurityGroups {
			n += of[g]
		}
		if n > most {
			bad = append(bad, at("Port", p.ID, "%s", words.Count(n, "rule")))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "put ranges of ports, and networks instead of addresses, into fewer rules",
			"the vSwitch takes %d rules a port", most)
	}
}

// portsPerVM finds servers with more ports than the document allows.
func (l *look) portsPerVM() {
	of := map[string]int{}
	for _, p := range l.Stack.Ports {
		of[p.DeviceID]++
	}
	most := int(facts.Load().Must("hcg.max.portsPerVM/4.0").Value().Number)
	var bad []where
	for _, v := range l.Stack.Servers {
		if n := of[v.ID]; n > most {
			bad = append(bad, at("Server", l.Stack.vm(v), "%s", words.Count(n, "port")))
		}
	}
	slices.SortFunc(bad, func(a, b where) int { return cmp.Compare(a.object, b.object) })
	if len(bad) > 0 {
		l.find(bad, "take ports away, or trunk several networks into one", "a server has up to %d ports", most)
	}
}
