package sysfs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// summary is what "lscpu -J" tells: numbers of parts, and the CPUs of each NUMA
// node. Which CPUs are siblings it doesn't say.
type summary struct {
	sockets, cores, threads int
	caches                  int
	told                    int // fields that say something of the machine
	nodes                   map[int]unit.CPUSet
	at                      *yamlpos.Node
	name                    string
	bad                     *problems
}

var (
	nodeField = regexp.MustCompile(`^NUMA node([0-9]{1,4}) CPU\(s\):?$`)
	instances = regexp.MustCompile(`\(([0-9]{1,5}) instances?\)`)
)

// readSummary finds the regular machine that has these numbers and lists. Of
// those that do, it takes the one with Linux' usual numbers.
func readSummary(list *yamlpos.Node, name string, bad *problems) Reading {
	s := &summary{sockets: 1, cores: 1, threads: 1, nodes: map[int]unit.CPUSet{}, at: list, name: name, bad: bad}
	s.fields(list, 0)
	if !bad.none() {
		return Reading{}
	}
	if s.told == 0 {
		bad.at(name, list.Line, list.Col, "no field tells of sockets, cores or NUMA nodes", `write it with "lscpu -J"`)
		return Reading{}
	}
	nodes := max(1, len(s.nodes))
	shape := topo.Shape{Sockets: s.sockets, Nodes: max(1, nodes/s.sockets), Caches: 1, Threads: s.threads}
	if s.caches > nodes {
		shape.Caches = s.caches / nodes
	}
	shape.Cores = max(1, s.cores/(shape.Nodes*shape.Caches))
	if shape.CPUs() > unit.MaxCPUs || shape.Sockets*shape.Nodes > topo.MaxNodes {
		bad.at(name, list.Line, list.Col, "there are too many CPUs or NUMA nodes",
			fmt.Sprintf("at most %d and %d", unit.MaxCPUs, topo.MaxNodes))
		return Reading{}
	}
	for _, shape.Alternate = range [...]bool{false, true} {
		for _, shape.Adjacent = range [...]bool{false, true} {
			if m := shape.Machine(); s.describes(m) {
				return Reading{Machine: m, Notes: s.notes(shape)}
			}
		}
	}
	bad.at(name, list.Line, list.Col, "no regular machine has these numbers of CPUs, cores and NUMA nodes",
		`write it with "lscpu -e -J", which lists each CPU`)
	return Reading{}
}

func (s *summary) notes(shape topo.Shape) []string {
	notes := []string{lscpuNote}
	if shape.Threads > 1 {
		notes = append(notes, fmt.Sprintf("the summary of lscpu does not say which CPUs are siblings: "+
			"%d and %d are taken for those of the first core",
			0, shape.Machine().CPUs[0].ID+siblingStep(shape)))
	}
	return notes
}

// siblingStep is the distance of the numbers of the first core's threads.
func siblingStep(s topo.Shape) int {
	if s.Adjacent {
		return 1
	}
	return s.CPUs() / s.Threads
}

// describes says whether the machine has the NUMA nodes that are listed.
func (s *summary) describes(m topo.Machine) bool {
	if len(s.nodes) == 0 {
		return true
	}
	nodes := make([]unit.CPUSet, len(m.Nodes))
	for _, c := range m.CPUs {
		nodes[c.Node].Add(c.ID)
	}
	if len(nodes) != len(s.nodes) {
		return false
	}
	for i, cpus := range nodes {
		if s.nodes[i] != cpus {
			return false
		}
	}
	return true
}

// deepest is how deep fields lie in fields: "NUMA:" has "NUMA node0 CPU(s):".
const deepest = 8

// fields reads the list of fields, flat (up to util-linux 2.36) or with
// "children" (since 2.37).
func (s *summary) fields(list *yamlpos.Node, depth int) {
	for i := 0; depth < deepest && list.Item(i) != nil; i++ {
		item := list.Item(i)
		field, data := item.Get("field"), item.Get("data")
		if field != nil && data != nil && data.Kind != yamlpos.Null {
			s.field(field.Text, data)
		}
		if children := item.Get("children"); children != nil {
			s.fields(children, depth+1)
		}
	}
}

func (s *summary) field(name string, data *yamlpos.Node) {
	s.told++
	switch strings.TrimSuffix(name, ":") {
	case "Socket(s)":
		s.sockets = s.count(name, data)
	case "Core(s) per socket":
		s.cores = s.count(name, data)
	case "Thread(s) per core":
		s.threads = s.count(name, data)
	case "L3 cache", "L3":
		if m := instances.FindStringSubmatch(data.Text); m != nil {
			s.caches, _ = strconv.Atoi(m[1]) // digits only
		}
	default:
		s.told--
	}
	m := nodeField.FindStringSubmatch(name)
	if m == nil {
		return
	}
	id, _ := strconv.Atoi(m[1]) // digits only
	cpus, err := unit.ParseCPUSet(data.Text)
	if err != nil {
		s.bad.caused(s.name, data.Line, data.Col, err)
		return
	}
	s.nodes[id] = cpus
	s.told++
}

// count is a number of parts; machines without sockets have "-".
func (s *summary) count(name string, data *yamlpos.Node) int {
	if data.Text == "-" {
		return 1
	}
	n, err := strconv.ParseUint(data.Text, 10, 31)
	if err != nil || n == 0 || n > unit.MaxCPUs {
		s.bad.at(s.name, data.Line, data.Col, fmt.Sprintf("%s %s is out of range", strings.TrimSuffix(name, ":"),
			yamlpos.Quote(data.Text)), fmt.Sprintf("1 to %d", unit.MaxCPUs))
		return 1
	}
	return int(n)
}
