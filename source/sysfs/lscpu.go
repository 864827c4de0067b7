package sysfs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// lscpuNote says what no output of lscpu has.
const lscpuNote = "lscpu does not tell memory, huge pages and distances: 10 and 20 are taken for the distances"

// readLscpu reads JSON: the table of "lscpu -e -J" ("cpus") or the summary of
// "lscpu -J" ("lscpu").
func readLscpu(text []byte, name string, bad *problems) Reading {
	tree, found := yamlpos.Parse(name, text)
	if len(found) > 0 {
		bad.list = append(bad.list, found...)
		return Reading{}
	}
	switch cpus, summary := tree.Root.Get("cpus"), tree.Root.Get("lscpu"); {
	case cpus != nil:
		return readTable(cpus, name, bad)
	case summary != nil:
		return readSummary(summary, name, bad)
	}
	bad.file(name, `it has neither "cpus" nor "lscpu"`, `write it with "lscpu -e -J"`)
	return Reading{}
}

// row is one CPU of a table.
type row struct {
	values    map[string]string // by column, in small letters
	line, col int
}

// readTable reads the rows of "lscpu -e -J". Numbers are texts up to util-linux
// 2.32, "online" is a word there.
func readTable(list *yamlpos.Node, name string, bad *problems) Reading {
	if list.Kind != yamlpos.List {
		bad.at(name, list.Line, list.Col, `"cpus" is not a list`, `write the file with "lscpu -e -J"`)
		return Reading{}
	}
	var rows []row
	for _, item := range list.Items {
		r := row{values: map[string]string{}, line: item.Line, col: item.Col}
		for _, e := range item.Entries {
			if e.Value.Kind != yamlpos.Null {
				r.values[strings.ToLower(e.Key)] = e.Value.Text
			}
		}
		rows = append(rows, r)
	}
	return readRows(rows, name, bad)
}

// readParsable reads "lscpu -p": the columns stand in the last comment line, the
// cores are unique in the machine.
func readParsable(text []byte, name string, bad *problems) Reading {
	var columns []string
	var rows []row
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if comment, is := strings.CutPrefix(line, "#"); is {
			columns = strings.Split(strings.ToLower(strings.TrimSpace(comment)), ",")
			continue
		}
		if line == "" {
			continue
		}
		r := row{values: map[string]string{}, line: i + 1, col: 1}
		for j, value := range strings.Split(line, ",") {
			if j < len(columns) && columns[j] != "" && value != "" {
				r.values[columns[j]] = value
			}
		}
		rows = append(rows, r)
	}
	return readRows(rows, name, bad)
}

// readRows makes a machine of the online CPUs.
func readRows(rows []row, name string, bad *problems) Reading {
	var threads []thread
	sharing := map[int]int{} // online CPUs of each last level cache
	for _, r := range rows {
		if offline(r) {
			continue
		}
		if len(threads) == unit.MaxCPUs {
			bad.at(name, r.line, r.col, "there are too many CPUs", fmt.Sprintf("at most %d", unit.MaxCPUs))
			return Reading{}
		}
		t := thread{id: r.number("cpu", name, bad), core: r.number("core", name, bad),
			socket: r.optional("socket", name, bad), node: r.optional("node", name, bad)}
		if l3, ok := r.lastCache(); ok {
			t.caches = []cache{{id: l3}}
			sharing[l3]++
		}
		threads = append(threads, t)
	}
	if len(threads) == 0 && bad.none() {
		bad.file(name, "there is no online CPU in it", `write it with "lscpu -e -J"`)
	}
	for _, t := range threads {
		for i := range t.caches {
			t.caches[i].cpus = sharing[t.caches[i].id]
		}
	}
	return tabled(threads)
}

// tabled makes the machine of a table, which lists no nodes.
func tabled(threads []thread) Reading {
	var nodes []topo.Node
	seen := map[int]bool{}
	for _, t := range threads {
		if !seen[t.node] {
			seen[t.node] = true
			nodes = append(nodes, topo.Node{ID: t.node})
		}
	}
	sortNodes(nodes)
	m := discover(threads, nodes)
	m.DefaultDistances()
	return Reading{Machine: m, Notes: []string{lscpuNote}}
}

func offline(r row) bool {
	return slices.Contains([]string{"no", "false", "n"}, strings.ToLower(r.values["online"]))
}

// number is a column that each online CPU has.
func (r row) number(column, name string, bad *problems) int {
	text, ok := r.values[column]
	if !ok || text == "-" {
		bad.at(name, r.line, r.col, fmt.Sprintf("the column %s is missing", strings.ToUpper(column)),
			`write it with "lscpu -e=CPU,CORE,SOCKET,NODE,CACHE,ONLINE -J"`)
		return 0
	}
	return r.optional(column, name, bad)
}

// optional is 0 where the column has no value: machines without sockets or NUMA.
func (r row) optional(column, name string, bad *problems) int {
	text, ok := r.values[column]
	if !ok || text == "-" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		bad.at(name, r.line, r.col, fmt.Sprintf("%s %s is not a number", strings.ToUpper(column), yamlpos.Quote(text)),
			"such as 0")
	}
	return int(n)
}

// lastCache is the level 3 cache: a column of its own (-p), or a part of the
// column "l1d:l1i:l2:l3" (-e).
func (r row) lastCache() (int, bool) {
	text, ok := r.values["l3"]
	for column, value := range r.values {
		names, values := strings.Split(column, ":"), strings.Split(value, ":")
		if i := slices.Index(names, "l3"); i >= 0 && len(names) > 1 && i < len(values) {
			text, ok = values[i], true
		}
	}
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), ok && err == nil
}
