package machineconfig

import "slices"

// mergedUnit is a systemd unit with the origin of its parts.
type mergedUnit struct {
	name          string
	contents      *string
	enabled, mask *bool
	// from has the contents, stateFrom whether it is enabled or masked.
	from, stateFrom string
	shadows         []string
	dropins         []DropinResult
}

func (m *merger) unit(name string) *mergedUnit {
	if m.units[name] == nil {
		m.units[name] = &mergedUnit{name: name}
	}
	return m.units[name]
}

// write is what a node up to 4.5 does with one unit after the other: drop-ins are
// written, a mask ends it, contents take a mask away.
func (u *mergedUnit) write(name string, next systemdUnit) {
	for _, d := range next.dropins {
		u.dropin(name, d.name, value(d.contents))
	}
	no, yes := false, true
	if value(next.mask) {
		u.mask, u.stateFrom = &yes, name
		return
	}
	if value(next.contents) != "" {
		u.takeContents(name, next.contents)
		if value(u.mask) {
			u.mask, u.stateFrom = &no, name
		}
	}
	if next.enable {
		u.enabled, u.stateFrom = &yes, name
	}
	if next.enabled != nil {
		u.enabled, u.stateFrom = next.enabled, name
	}
}

// merge is what the operator of today does: field by field, the last one counts.
func (u *mergedUnit) merge(name string, next systemdUnit) {
	for _, d := range next.dropins {
		u.mergeDropin(name, d)
	}
	if next.contents != nil {
		u.takeContents(name, next.contents)
	}
	if next.enabled != nil {
		u.enabled, u.stateFrom = next.enabled, name
	}
	if next.mask != nil {
		u.mask, u.stateFrom = next.mask, name
	}
}

func (u *mergedUnit) takeContents(name string, contents *string) {
	if u.from != "" && u.from != name && !slices.Contains(u.shadows, u.from) {
		u.shadows = append(u.shadows, u.from)
	}
	u.contents, u.from = contents, name
}

// mergeDropin keeps the contents of a drop-in that a later one does not give.
func (u *mergedUnit) mergeDropin(name string, d dropin) {
	if d.contents == nil && slices.ContainsFunc(u.dropins, func(o DropinResult) bool { return o.Name == d.name }) {
		return
	}
	u.dropin(name, d.name, value(d.contents))
}

func (u *mergedUnit) dropin(from, name, contents string) {
	next := DropinResult{Name: name, Contents: contents, From: from}
	i := slices.IndexFunc(u.dropins, func(o DropinResult) bool { return o.Name == name })
	if i < 0 {
		u.dropins = append(u.dropins, next)
		return
	}
	next.Shadows = u.dropins[i].Shadows
	if old := u.dropins[i].From; old != from && !slices.Contains(next.Shadows, old) {
		next.Shadows = append(next.Shadows, old)
	}
	u.dropins[i] = next
}

// translatedUnits are units of specification 2 as those of specification 3: the
// last one of a name counts, and has the drop-ins of all.
func translatedUnits(units []systemdUnit) []systemdUnit {
	var out []systemdUnit
	at := map[string]int{}
	for _, u := range slices.Backward(units) {
		i, had := at[u.name]
		if !had {
			at[u.name] = len(out)
			out = append(out, translatedUnit(u))
			continue
		}
		for _, d := range u.dropins {
			if !slices.ContainsFunc(out[i].dropins, func(o dropin) bool { return o.name == d.name }) {
				out[i].dropins = append(slices.Clip(out[i].dropins), d)
			}
		}
	}
	return out
}

func translatedUnit(u systemdUnit) systemdUnit {
	yes := true
	if u.enabled == nil && u.enable {
		u.enabled = &yes
	}
	if value(u.contents) == "" {
		u.contents = nil
	}
	if !value(u.mask) {
		u.mask = nil
	}
	return u
}

func (u *mergedUnit) result() UnitResult {
	out := UnitResult{Name: u.name, Contents: value(u.contents), From: u.from, StateFrom: u.stateFrom, Shadows: u.shadows,
		Dropins: u.dropins}
	switch {
	case value(u.mask):
		out.State = "masked"
	case value(u.enabled):
		out.State = "enabled"
	case u.enabled != nil:
		out.State = "disabled"
	}
	return out
}
