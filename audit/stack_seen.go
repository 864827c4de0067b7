package audit

import (
	"encoding/json"
	"strings"
	"time"

	"plimsoll.dev/place/nova"
)

// NewStack is an OpenStack cloud of which nothing was seen yet.
func NewStack(name string, now time.Time, rules nova.Rules) *Cloud {
	c := New(name, now)
	c.Stack, c.columns = &Stack{Rules: rules}, map[string]bool{}
	return c
}

// hasColumns keeps which columns a row has.
func (c *Cloud) hasColumns(kind string, text []byte) {
	var row map[string]json.RawMessage
	_ = json.Unmarshal(text, &row) // which is told when the row is taken
	for name := range row {
		c.columns[kind+"."+name] = true
	}
}

// told says whether a column of a cloud's export was, "servers.host", where there are rows.
func (c *Cloud) told(column string) (State, string) {
	export, name, _ := strings.Cut(column, ".")
	if c.seen != nil {
		for _, n := range c.seen.NotSeen {
			if n.What == column {
				return NotSeen, n.What + ": " + n.Why
			}
		}
	}
	if state, why := c.state(export); state != OK {
		return state, why
	}
	if kind := kindOf[export]; c.kinds[kind] && !c.columns[kind+"."+name] {
		return NotSeen, export + ": no row says its " + name + " (list with --long, as an administrator; or what the " +
			"show command writes, one after the other in a list)"
	}
	return OK, ""
}
