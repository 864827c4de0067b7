package openstack

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
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
	// sample is a value of its type, as a snapshot has it.
	sample any
}

// wrong says what is wrong with a value of a snapshot; empty where it is right.
func (c column) wrong(v any) string {
	if c.sample != nil && reflect.TypeOf(v) != reflect.TypeOf(c.sample) {
		return fmt.Sprintf("%s is %s, not %s", c.name, kindOf(v), kindOf(c.sample))
	}
	if list, ok := v.([]any); ok {
		for _, one := range list {
			if _, ok := one.(string); !ok {
				return c.name + " holds something else than texts"
			}
		}
	}
	if specs, ok := v.(map[string]any); ok {
		for _, one := range specs {
			if _, ok := one.(string); !ok {
				return c.name + " holds something else than texts"
			}
		}
	}
	return ""
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

// kindOf a value of JSON, in words.
func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "text"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	case []any:
		return "a list of texts"
	}
	return "a mapping"
}

// typed gives a column the type of a sample.
func (c column) typed(sample any) column {
	c.sample = sample
	return c
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
	}).typed("")
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
// stays, and a host keeps that it has a domain or a backend.
func (e *Export) Rename(row map[string]any, other func(string) string) {
	change := func(s string) string {
		if s == "" || s == "nova" || strings.HasPrefix(s, "N/A") {
			return s
		}
		if i := strings.IndexAny(s, ".@"); i > 0 {
			return other(s[:i]) + s[i:i+1] + "x"
		}
		return other(s)
	}
	if specs, ok := row["properties"].(map[string]string); ok {
		renameSpecs(specs, change)
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

// renameSpecs puts other names into extra specs: of devices, and away with what only names: traits, classes of
// resources and aggregates that somebody made.
func renameSpecs(specs map[string]string, change func(string) string) {
	maps.DeleteFunc(specs, func(key, _ string) bool {
		return strings.Contains(key, "CUSTOM_") || strings.HasPrefix(key, "aggregate_instance_extra_specs:") ||
			strings.HasPrefix(key, "capabilities:")
	})
	if aliases := specs["pci_passthrough:alias"]; aliases != "" {
		var out []string
		for a := range strings.SplitSeq(aliases, ",") {
			name, count, _ := strings.Cut(strings.TrimSpace(a), ":")
			out = append(out, change(name)+":"+count)
		}
		specs["pci_passthrough:alias"] = strings.Join(out, ",")
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
	}).typed(0.0)
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
	}).typed(true)
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
	}).typed([]any{})
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
	}).typed(map[string]any{})
}

// perHost is how many servers of a group a host may have, by the group's rules.
func perHost(t *table, row *yamlpos.Node) any {
	if n := cell(row, "maxserverperhost"); n != nil {
		return number("maxserverperhost").as(t, n)
	}
	if rules := cell(row, "rules"); rules != nil && cell(rules, "maxserverperhost") != nil {
		return number("maxserverperhost").as(t, cell(rules, "maxserverperhost"))
	}
	return nil
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
