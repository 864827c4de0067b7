package ovs

// do the actions of a rule.
func (t *Tracer) do(rule *Rule, actions []Action) {
	for i := range actions {
		if t.pass.Failed || !t.act(rule, &actions[i]) {
			return
		}
	}
}

// act says whether the rule's further actions follow.
func (t *Tracer) act(rule *Rule, a *Action) bool {
	e := Event{What: Did, Table: uint8(rule.Table), Rule: rule, Action: a}
	switch a.Verb {
	case Output, InPort, Flood, Controller:
		t.send(e, a)
		return true
	case Goto, Resubmit:
		t.event(e)
		table := a.Table
		if table == NoTable {
			table = rule.Table
		}
		if a.Verb == Resubmit { // which comes back
			t.depth++
			defer func() { t.depth-- }()
		}
		t.table(table, rule.Table, a.Port)
		return true
	case Track:
		t.track(e, a.Track)
		return true
	case Untrack:
		if t.tracked {
			t.untrack()
		}
	case DecTTL:
		if !NeedIP.Met(&t.key) {
			break
		}
		left := ttl.Get(&t.key).Lo
		if left <= 1 {
			e.What = Expired
			t.event(e)
			return false
		}
		ttl.Put(&t.key, Value{0, left - 1}, ones(8))
	case Unknown:
		e.What = NotSimulated
	default:
		e.What = t.change(a)
	}
	t.event(e)
	return true
}

// change the packet.
func (t *Tracer) change(a *Action) What {
	k := &t.key
	switch a.Verb {
	case Set:
		if !a.Target.Field.Need.Met(k) {
			return NoField
		}
		k.put(a.Target.span(), a.Value, a.Mask)
	case Move:
		if !a.Target.Field.Need.Met(k) || !a.Source.Field.Need.Met(k) {
			return NoField
		}
		k.put(a.Target.span(), k.get(a.Source.span()), ones(a.Target.Width))
	case PushVLAN:
		tci1.Put(k, tci.Get(k), ones(16))
		tci.Put(k, Value{0, vlanTag}, ones(16))
	case PopVLAN:
		if NeedVLAN.Met(k) {
			tci.Put(k, tci1.Get(k), ones(16))
			tci1.Put(k, Value{}, ones(16))
		}
	case SetVLAN:
		tci.Put(k, a.Value, a.Mask)
		tci.Put(k, Value{0, vlanTag}, Value{0, vlanTag})
	}
	return Did
}

// send the packet out of a port.
func (t *Tracer) send(e Event, a *Action) {
	own := int(inPort.Get(&t.key).Lo)
	e.What, e.Port = Sent, int32(a.Port)
	switch {
	case a.Verb == Flood || a.Verb == Controller:
		e.What = NotSimulated
		if a.Verb == Controller {
			e.What = Did
		}
	case a.Verb == InPort:
		e.Port = int32(own)
	case a.Source.Field != nil:
		port := t.key.get(a.Source.span())
		e.Port = int32(min(port.Lo, 1<<30))
		if port.Hi > 0 || port.Lo > 0xffff {
			e.What = OutOfRange
		} else {
			e.What = t.reserved(int(e.Port), own)
		}
	case a.Port == own:
		e.What = Skipped
	}
	if e.What == Sent && a.Verb == Output && a.Source.Field != nil && e.Port == 0xfff8 {
		e.Port = int32(own)
	}
	t.event(e)
}

// reserved says what happens to a packet for a port whose number a register holds.
func (t *Tracer) reserved(port, own int) What {
	switch {
	case port == 0xfff8: // IN_PORT
		return Sent
	case port == own:
		return Skipped
	case port == Local || port > 0 && port < MaxPort:
		return Sent
	case port == 0xfffd: // CONTROLLER
		return Did
	case port >= 0xfff9 && port <= 0xfffc: // TABLE, NORMAL, FLOOD, ALL
		return NotSimulated
	}
	return OutOfRange
}

// track sends a clone of the packet to connection tracking; what follows sees it untracked.
func (t *Tracer) track(e Event, c *Tracking) {
	zone := Value{0, uint64(c.Zone)}
	if c.ZoneFrom.Field != nil {
		zone = t.key.get(c.ZoneFrom.span())
	}
	for i := range c.Exec {
		t.change(&c.Exec[i])
	}
	e.What = Tracked
	if c.Table != NoTable {
		ctZone.Put(&t.key, zone, ones(16)) // cleared below
		t.queue = append(t.queue, fork{table: c.Table, key: t.key, nat: c.NAT})
		e.What, e.Pass = Forked, int32(len(t.queue))
	}
	t.event(e)
	t.untrack()
}

func (t *Tracer) untrack() {
	for _, w := range connection {
		t.key[w.index] &^= w.mask
	}
	t.tracked = false
}

// connection is where a key has what connection tracking says.
var connection = func() []maskWord {
	var k Key
	for _, f := range []*Field{ctState, ctZone, ctMark, ctLabel} {
		f.Put(&k, ones(f.width), ones(f.width))
	}
	return k.masks()
}()
