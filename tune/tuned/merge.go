package tuned

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// merged is the profiles of a load, merged so far.
type merged struct {
	load  *load
	main  table
	units []*mergedUnit
	index map[string]int
}

// mergedUnit is a section with what was merged into it.
type mergedUnit struct {
	unit
	from From
	lost []Lost
}

// merge merges the layers of a load in their order.
func merge(l *load) *merged {
	m := &merged{load: l, index: map[string]int{}}
	for _, layer := range l.layers {
		for _, o := range layer.main.list {
			setOver(&m.main, o)
		}
		for _, u := range layer.units {
			m.take(layer, u)
		}
	}
	return m
}

// setOver sets an option, with the chain of what it overrides.
func setOver(t *table, o Option) {
	if old := t.get(o.Key); old != nil {
		o.Overrides = over(old)
	}
	t.set(o)
}

// over is the chain of an option that is overridden.
func over(old *Option) []Earlier {
	return append([]Earlier{{Value: old.Written, From: old.From}}, old.Overrides...)
}

// take merges a section.
func (m *merged) take(l *layer, u *unit) {
	i, known := m.index[u.name]
	own := &mergedUnit{unit: *u, from: From{Profile: l.name, Place: u.at}}
	joins := known && !u.replace
	if !joins || u.name == "script" {
		own.attributes = maps.Clone(u.attributes)
		own.options = u.options.clone()
	}
	switch {
	case !known:
		m.index[u.name] = len(m.units)
		m.units = append(m.units, own)
	case joins:
		m.join(m.units[i], own)
	default:
		m.replace(own, m.units[i])
		m.units[i] = own
	}
}

// replace takes the place of a section, of which nothing is left but the chains of
// values that both have.
func (m *merged) replace(own, old *mergedUnit) {
	by := own.attributes["replace"].From
	own.lost = old.lost
	for i := range old.options.list {
		o := &old.options.list[i]
		if now := own.options.get(o.Key); now != nil {
			now.Overrides = over(o)
			continue
		}
		own.lost = append(own.lost, Lost{Option: *o, How: "replace", By: by})
	}
	if n := len(own.lost) - len(old.lost); n > 0 {
		m.load.note(Replaced, by.Place, fmt.Sprintf("replace drops %d inherited options of [%s], the first of them %s", n,
			own.name, own.lost[len(old.lost)].Key),
			"leave replace out to keep them")
	}
}

// join merges a section into one of its name.
func (m *merged) join(old, now *mergedUnit) {
	m.checkDevices(old, now)
	for _, key := range []string{"type", "enabled", "devices"} {
		m.always(old, now, key)
	}
	for _, key := range []string{"devices_udev_regex", "cpuinfo_regex", "uname_regex", "script_pre", "script_post"} {
		if o, ok := now.attributes[key]; ok {
			if before, had := old.attributes[key]; had {
				o.Overrides = over(&before)
			}
			old.attributes[key] = o
		}
	}
	m.drop(old, now)
	m.script(old, now)
	for _, o := range now.options.list {
		if before := old.options.get(o.Key); before != nil {
			m.checkOperator(before, &o)
		}
		setOver(&old.options, o)
	}
}

// standard is what an attribute is that no profile sets.
func standard(u *mergedUnit, key string) string {
	switch key {
	case "type":
		return u.name
	case "enabled":
		return "True"
	}
	return "*"
}

// always takes an attribute from the child, also where that doesn't set it.
func (m *merged) always(old, now *mergedUnit, key string) {
	before, had := old.attributes[key]
	o, has := now.attributes[key]
	switch {
	case !has && !had:
		return
	case !has:
		o = Option{Key: key, Written: standard(now, key), From: now.from}
	}
	if had {
		o.Overrides = over(&before)
	}
	old.attributes[key] = o
	if has || !had || before.Written == o.Written {
		return
	}
	switch key {
	case "type":
		m.load.note(TypeReset, now.from.Place, fmt.Sprintf("[%s] has no type: the parent's type %s becomes %s", now.name,
			before.Written, now.name), "repeat type="+before.Written)
	case "enabled":
		if !isTrue(before.Written) {
			m.load.note(EnabledReset, now.from.Place,
				fmt.Sprintf("[%s] has no enabled: the section, which the parent switched off, is on again", now.name),
				"repeat enabled="+before.Written)
		}
	}
}

// checkDevices warns of inherited options that a child without devices makes hit
// all devices.
func (m *merged) checkDevices(old, now *mergedUnit) {
	before, had := old.attributes["devices"]
	if _, has := now.attributes["devices"]; has || !had || before.Written == "*" || len(old.options.list) == 0 {
		return
	}
	kind := now.name
	if o, ok := now.attributes["type"]; ok {
		kind = o.Written
	}
	if p, known := plugins[kind]; known && p.devices {
		var keys []string
		for _, o := range old.options.list {
			keys = append(keys, o.Key)
		}
		m.load.note(DevicesReset, now.from.Place,
			fmt.Sprintf("[%s] has no devices: the parent's devices=%s becomes *, and what it set for them (%s) hits all devices",
				now.name, clip(before.Written), clip(strings.Join(keys, ", "))), "repeat devices="+before.Written)
	}
}

func (m *merged) drop(old, now *mergedUnit) {
	for _, key := range now.unit.drop {
		o := old.options.get(key)
		if o == nil {
			m.load.note(DropUnknown, now.attributes["drop"].From.Place,
				fmt.Sprintf("drop names %q, which [%s] doesn't inherit", clip(key), now.name),
				"name an inherited option; separate names by commas")
			continue
		}
		old.lost = append(old.lost, Lost{Option: *o, How: "drop", By: now.attributes["drop"].From})
		old.options.drop(key)
	}
}

// script puts the scripts of parent and child one after the other. A child without
// a script repeats the parent's.
func (m *merged) script(old, now *mergedUnit) {
	before := old.options.get("script")
	if now.name != "script" || before == nil {
		return
	}
	o := now.options.get("script")
	if o == nil {
		m.load.note(ScriptTwice, now.from.Place, fmt.Sprintf("[script] has no script: %s of the parent runs twice",
			strings.Join(before.Scripts, ", ")), "give a script, or leave the section out")
		before.Scripts = slices.Concat(before.Scripts, before.Scripts)
		before.Written = strings.Join(before.Scripts, ", ")
		return
	}
	o.Scripts = slices.Concat(before.Scripts, o.Scripts)
	o.Written = strings.Join(o.Scripts, ", ")
}

// checkOperator warns where a limit takes the place of the parent's value.
func (m *merged) checkOperator(before, o *Option) {
	op, limit, ok := operator(o.Written)
	if !ok || before.Written == o.Written {
		return
	}
	if parent, bound, ok := operator(before.Written); ok && parent == op {
		if c := limit.Cmp(bound); c == 0 || (c > 0) == (op == '>') {
			return
		}
	}
	word := map[byte]string{'>': "raises", '<': "lowers"}[op]
	m.load.note(Operator, o.From.Place,
		fmt.Sprintf("%s=%s takes the place of the parent's %s: it only %s the value that the machine has to %s",
			o.Key, o.Written, clip(before.Written), word, limit),
		fmt.Sprintf("write %s without operator, or leave it out to keep %s", limit, clip(before.Written)))
}
