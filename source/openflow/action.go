package openflow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/bench/ovs"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
)

// acting reads the actions of a rule.
type acting struct {
	*wrong
	table int
	match *ovs.Match
}

// verbs are the actions, and how each is read. Those without a reader are known, but not simulated.
var verbs map[string]func(a *acting, it item) ovs.Action

func init() { // they name each other
	verbs = map[string]func(a *acting, it item) ovs.Action{
		"output": (*acting).output, "goto_table": (*acting).jump, "resubmit": (*acting).resubmit, "load": (*acting).load,
		"set_field": (*acting).setField, "move": (*acting).move, "ct": (*acting).ct, "mod_vlan_vid": (*acting).vlanID,
		"mod_vlan_pcp": (*acting).vlanPriority, "write_metadata": (*acting).metadata, "drop": nil,
		"set_tunnel": sets("tun_id"), "set_tunnel64": sets("tun_id"), "mod_dl_src": sets("dl_src"),
		"mod_dl_dst": sets("dl_dst"), "mod_nw_src": sets("nw_src"), "mod_nw_dst": sets("nw_dst"),
		"mod_nw_ttl": sets("nw_ttl"), "mod_nw_ecn": sets("nw_ecn"), "mod_nw_tos": sets("nw_tos"),
		"mod_tp_src": sets("tp_src"), "mod_tp_dst": sets("tp_dst"), "dec_ttl": does(ovs.DecTTL),
		"strip_vlan": does(ovs.PopVLAN), "pop_vlan": does(ovs.PopVLAN), "push_vlan": does(ovs.PushVLAN),
		"ct_clear": does(ovs.Untrack), "normal": does(ovs.Flood), "flood": does(ovs.Flood), "all": does(ovs.Flood),
		"controller": does(ovs.Controller), "in_port": does(ovs.InPort), "note": does(ovs.Idle),
		"set_queue": does(ovs.Idle), "pop_queue": does(ovs.Idle), "meter": does(ovs.Idle),
		"clear_actions": does(ovs.Idle),
	}
	for _, name := range []string{"bundle", "bundle_load", "check_pkt_larger", "clone", "conjunction", "debug_recirc",
		"dec_mpls_ttl", "dec_nsh_ttl", "decap", "delete_field", "encap", "enqueue", "exit", "fin_timeout", "group", "learn",
		"multipath", "pop", "pop_mpls", "push", "push_mpls", "sample", "set_mpls_label", "set_mpls_tc", "set_mpls_ttl",
		"write_actions"} {
		verbs[name] = does(ovs.Unknown)
	}
}

// does makes an action without further parts.
func does(v ovs.Verb) func(*acting, item) ovs.Action {
	return func(*acting, item) ovs.Action { return ovs.Action{Verb: v, Port: ovs.NoPort} }
}

// sets makes an action that sets a field, where the packet has it.
func sets(name string) func(*acting, item) ovs.Action {
	f := ovs.Lookup(name)
	switch name {
	case "tp_src":
		f = ovs.SourcePort
	case "tp_dst":
		f = ovs.TargetPort
	}
	return func(a *acting, it item) ovs.Action {
		v, err := single(f, it.value.text)
		if err == nil && !v.Fits(f.Width()) {
			err = fmt.Errorf("%s is beyond the %d bits of %s", yamlpos.Quote(it.value.text), f.Width(), f.Name)
		}
		if err != nil {
			a.told(it.whole, err)
		}
		return ovs.Action{Verb: ovs.Set, Target: ovs.Whole(f), Value: v, Mask: f.Writable()}
	}
}

// list of actions.
func (a *acting) list(l line) []ovs.Action {
	var out []ovs.Action
	all := items(l)
	if len(all) == 0 {
		a.bad(l, "there are no actions", "actions=drop")
	}
	for i, it := range all {
		name := strings.ToLower(it.key)
		read, known := verbs[name]
		var made ovs.Action
		switch {
		case known && name == "drop":
			if len(all) > 1 {
				a.bad(it.whole, "drop stands beside other actions", "actions=drop")
			}
			continue
		case known && name == "goto_table" && i < len(all)-1:
			a.bad(it.whole, "goto_table is not the last action", "move it to the end")
		case known:
			made = read(a, it)
		default:
			made = a.port(it)
		}
		made.Text, made.Col = it.whole.text, it.whole.col()
		out = append(out, made)
	}
	return out
}

// port that stands for the output to it.
func (a *acting) port(it item) ovs.Action {
	p, err := port(it.key)
	if err != nil || it.has {
		if near := schema.Nearest(it.key, slices.Sorted(maps.Keys(verbs))); near != "" {
			a.bad(it.whole, "the action "+yamlpos.Quote(it.key)+" is not known", "did you mean "+near+"?")
		} else {
			a.bad(it.whole, "the action "+yamlpos.Quote(it.key)+" is not known", "ovs-actions(7) lists them")
		}
	}
	return reserved(p)
}

// reserved ports have actions of their own.
func reserved(p int) ovs.Action {
	switch p {
	case ports["IN_PORT"]:
		return ovs.Action{Verb: ovs.InPort, Port: ovs.NoPort}
	case ports["TABLE"]:
		return ovs.Action{Verb: ovs.Unknown, Port: ovs.NoPort}
	case ports["NORMAL"], ports["FLOOD"], ports["ALL"]:
		return ovs.Action{Verb: ovs.Flood, Port: ovs.NoPort}
	case ports["CONTROLLER"]:
		return ovs.Action{Verb: ovs.Controller, Port: ovs.NoPort}
	}
	return ovs.Action{Verb: ovs.Output, Port: p}
}

func (a *acting) output(it item) ovs.Action {
	if !strings.Contains(it.value.text, "[") {
		p, err := port(it.value.text)
		if err != nil {
			a.told(it.value, err)
		}
		return reserved(p)
	}
	source, err := part(it.value.text)
	if err != nil {
		a.told(it.value, err)
		return ovs.Action{}
	}
	return ovs.Action{Verb: ovs.Output, Port: ovs.NoPort, Source: source}
}

func (a *acting) jump(it item) ovs.Action {
	to := a.tableOf(it.value)
	if to <= a.table {
		a.bad(it.whole, fmt.Sprintf("goto_table from table %d to %d", a.table, to),
			"only to a higher one; resubmit(,N) goes anywhere")
	}
	return ovs.Action{Verb: ovs.Goto, Table: to, Port: ovs.NoPort}
}

// tableOf a text.
func (a *acting) tableOf(l line) int {
	v, err := number(l.text, 8)
	if err != nil || v > 254 {
		a.bad(l, yamlpos.Quote(l.text)+" is no table", "0 to 254")
	}
	return int(v)
}

// resubmit(port), resubmit(port,table), resubmit:port.
func (a *acting) resubmit(it item) ovs.Action {
	first, second, two := strings.Cut(it.value.text, ",")
	made := ovs.Action{Verb: ovs.Resubmit, Table: ovs.NoTable, Port: ovs.NoPort}
	if first = strings.TrimSpace(first); first != "" {
		p, err := port(first)
		if err != nil {
			a.told(it.whole, err)
		}
		if p != ports["IN_PORT"] {
			made.Port = p
		}
	}
	if strings.Contains(second, ",") {
		return ovs.Action{Verb: ovs.Unknown} // resubmit(,3,ct) looks at the connection's own addresses
	}
	if two && strings.TrimSpace(second) != "" {
		n := len(it.value.text) - len(second)
		made.Table = a.tableOf(it.value.sub(n, len(it.value.text)).trim())
	} else if first == "" {
		a.bad(it.whole, "resubmit names no table", "resubmit(,20)")
	}
	return made
}

// arrow cuts value->field.
func (a *acting) arrow(it item) (value string, target ovs.Part, ok bool) {
	value, name, has := strings.Cut(it.value.text, "->")
	if !has {
		a.bad(it.whole, it.key+" has no ->", "load:0->NXM_NX_REG0[]")
		return "", target, false
	}
	target, err := part(name)
	if err != nil {
		a.told(it.whole, err)
		return "", target, false
	}
	return value, target, a.writes(it, target.Field)
}

// writes checks that the packets that the rule matches have a field that may be changed.
func (a *acting) writes(it item, f *ovs.Field) bool {
	if f.ReadOnly {
		a.bad(it.whole, f.Name+" can't be changed", "")
		return false
	}
	return a.has(it, f)
}

func (a *acting) has(it item, f *ovs.Field) bool {
	if f.Need == ovs.NeedVLAN || f.Need.Met(&a.match.Value) {
		return true
	}
	a.bad(it.whole, "the rule matches packets that have no "+f.Name, "match "+f.Need.String()+", too")
	return false
}

func (a *acting) load(it item) ovs.Action {
	value, target, ok := a.arrow(it)
	if !ok {
		return ovs.Action{}
	}
	v, err := long(value, target.Width)
	if err != nil {
		a.told(it.whole, err)
	}
	mask := whole
	if target.Start == 0 {
		mask = target.Field.Writable()
	}
	return ovs.Action{Verb: ovs.Set, Target: target, Value: v, Mask: mask}
}

func (a *acting) setField(it item) ovs.Action {
	value, target, ok := a.arrow(it)
	if !ok {
		return ovs.Action{}
	}
	v, mask, err := masked(target.Field, value)
	if err != nil {
		a.told(it.whole, err)
	}
	return ovs.Action{Verb: ovs.Set, Target: target, Value: v, Mask: mask.And(target.Field.Writable())}
}

func (a *acting) move(it item) ovs.Action {
	from, target, ok := a.arrow(it)
	if !ok {
		return ovs.Action{}
	}
	source, err := part(from)
	if err != nil {
		a.told(it.whole, err)
		return ovs.Action{}
	}
	if source.Width != target.Width {
		a.bad(it.whole, fmt.Sprintf("%d bits are moved to %d", source.Width, target.Width), "as many as there is room for")
	}
	a.has(it, source.Field)
	return ovs.Action{Verb: ovs.Move, Source: source, Target: target}
}

func (a *acting) vlanID(it item) ovs.Action {
	v, err := number(it.value.text, 12)
	if err != nil {
		a.told(it.whole, err)
	}
	return ovs.Action{Verb: ovs.SetVLAN, Value: ovs.Value{Lo: v}, Mask: ovs.Value{Lo: 0xfff}}
}

func (a *acting) vlanPriority(it item) ovs.Action {
	v, err := number(it.value.text, 3)
	if err != nil {
		a.told(it.whole, err)
	}
	return ovs.Action{Verb: ovs.SetVLAN, Value: ovs.Value{Lo: v << 13}, Mask: ovs.Value{Lo: 0xe000}}
}

func (a *acting) metadata(it item) ovs.Action {
	f := ovs.Lookup("metadata")
	v, mask, err := masked(f, it.value.text)
	if err != nil {
		a.told(it.whole, err)
	}
	return ovs.Action{Verb: ovs.Set, Target: ovs.Whole(f), Value: v, Mask: mask}
}
