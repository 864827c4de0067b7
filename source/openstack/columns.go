package openstack

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"plimsoll.dev/internal/yamlpos"
)

// column of an export: its name in a snapshot, the names that clients have for it, and how its cell is read; nil is a
// cell that says nothing.
type column struct {
	name  string
	names []string
	as    func(*table, *yamlpos.Node) any
	// named says that what it holds was named by somebody.
	named bool
}

func (c column) read(t *table, row *yamlpos.Node) any {
	if c.names == nil {
		return c.as(t, row)
	}
	if n := cell(row, c.names...); n != nil {
		return c.as(t, n)
	}
	if c.name == "pinnedavailabilityzone" && has(row, c.name) {
		return "" // an empty cell says that none is asked for, and a missing one nothing
	}
	return nil
}

func newColumn(name string, names []string, as func(*table, *yamlpos.Node) any) column {
	if len(names) == 0 {
		names = []string{name}
	}
	return column{name: name, names: names, as: as}
}

// word is a text, or of a mapping the name in it.
func word(name string, names ...string) column {
	return newColumn(name, names, func(_ *table, n *yamlpos.Node) any {
		switch n.Kind {
		case yamlpos.Map:
			n = cell(n, "originalname", "name", "id")
		case yamlpos.List: // of old server groups, whose policies are a list of one
			if len(n.Items) == 0 {
				return nil
			}
			n = n.Items[0]
		}
		if s := text(n); s != "" && s != "None" {
			return s
		}
		return nil
	})
}

// name is a word that somebody has thought of, or an id.
func name(name string, names ...string) column {
	c := word(name, names...)
	c.named = true
	return c
}

// names is a list of such words.
func names(name string) column {
	c := texts(name)
	c.named = true
	return c
}

// Rename puts other names into a row, for those that the cloud's owners gave; what the client writes in their place
// stays.
func (e *Export) Rename(row map[string]any, other func(string) string) {
	change := func(s string) string {
		if s == "" || s == "nova" || strings.HasPrefix(s, "N/A") {
			return s
		}
		return other(s)
	}
	for _, c := range e.columns {
		if !c.named {
			continue
		}
		switch v := row[c.name].(type) {
		case string:
			row[c.name] = change(v)
		case []string:
			for i := range v {
				v[i] = change(v[i])
			}
		}
	}
}

// number is one that is not negative, but of the ids of Ceph's buckets.
func number(name string, names ...string) column {
	return newColumn(name, names, func(t *table, n *yamlpos.Node) any {
		v, err := strconv.ParseFloat(text(n), 64)
		switch {
		case text(n) == "None":
			return nil
		case err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 && name != "id":
			t.at(n, name+" "+shown(n)+" is no number", "a number that is not negative")
			return nil
		}
		return json.Number(strconv.FormatFloat(v, 'f', -1, 64))
	})
}

// truth is what clients show as true, True, :-) or UP.
func truth(name string, names ...string) column {
	return newColumn(name, names, func(_ *table, n *yamlpos.Node) any {
		switch strings.ToLower(text(n)) {
		case "true", ":-)", "up":
			return true
		case "false", "xxx", "down":
			return false
		}
		return nil
	})
}

// texts is a list of texts, or a text with commas.
func texts(name string) column {
	return newColumn(name, nil, func(_ *table, n *yamlpos.Node) any {
		out := []string{}
		for _, item := range n.Items {
			out = append(out, text(item))
		}
		if n.Kind == yamlpos.Text {
			for s := range strings.SplitSeq(n.Text, ",") {
				out = append(out, strings.TrimSpace(s))
			}
		}
		return out
	})
}

// specs are properties, of which those are kept that begin with one of the words; without words all are.
func specs(name, words string, names ...string) column {
	return newColumn(name, names, func(t *table, n *yamlpos.Node) any {
		out := map[string]string{}
		for _, p := range t.properties(n) {
			keep := words == ""
			for w := range strings.FieldsSeq(words) {
				keep = keep || strings.HasPrefix(p.key, w)
			}
			if keep {
				out[p.key] = p.value
			}
		}
		return out
	})
}

// threads of each core of a host, which "openstack hypervisor show" tells: a mapping, or the text of one.
func threads(t *table, row *yamlpos.Node) any {
	if n := cell(row, "threads"); n != nil {
		return number("threads").as(t, n)
	}
	switch n := cell(row, "cpuinfo"); {
	case n != nil && n.Kind == yamlpos.Map:
		if of := cell(n, "topology"); of != nil && cell(of, "threads") != nil {
			return number("threads").as(t, cell(of, "threads"))
		}
	case n != nil && n.Kind == yamlpos.Text:
		var info struct{ Topology struct{ Threads int } }
		if json.Unmarshal([]byte(n.Text), &info) == nil && info.Topology.Threads > 0 {
			return json.Number(strconv.Itoa(info.Topology.Threads))
		}
	}
	return nil
}
