// Package sysctl knows names of kernel parameters, the values that some take, and which are gone from the kernels of
// nodes. It knows not all of them, and judges no others: modules, and kernels that are built otherwise, have more.
//
//	sysctl.Judge("vm.swapiness", "10", release.Current) // Misspelt: vm.swappiness
package sysctl

import (
	_ "embed" // for the tables
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"plimsoll.dev/release"
	"plimsoll.dev/schema"
)

//go:embed names.txt
var nameText string

// textText has the names of those that take more than numbers.
//
//go:embed texts.txt
var textText string

// boundText has the least and the greatest number that the kernel takes: parameter, least, greatest.
//
//go:embed bounds.tsv
var boundText string

// goneText has the release of the kernel that took a parameter away.
//
//go:embed gone.tsv
var goneText string

// Fault is what is wrong with a setting.
type Fault int

// The faults.
const (
	None       Fault = iota
	Gone             // the kernel doesn't have the parameter any more
	Misspelt         // there is no such parameter, and one of nearly the same name
	OutOfRange       // the kernel refuses the value
	Dotted           // the name of an interface has dots, which part names
)

// tables are the texts, read.
type tables struct {
	names  []string
	known  map[string]bool
	texts  map[string]bool
	bounds map[string][2]int64
	gone   map[string]version
}

var table = sync.OnceValue(func() *tables {
	t := &tables{known: map[string]bool{}, texts: map[string]bool{}, bounds: map[string][2]int64{},
		gone: map[string]version{}}
	for _, n := range readNames(nameText) {
		t.names, t.known[n] = append(t.names, n), true
	}
	for _, n := range readNames(textText) {
		t.texts[n] = true
	}
	for line := range strings.Lines(boundText) {
		f := strings.Fields(line)
		least, _ := strconv.ParseInt(f[1], 10, 64)
		most, _ := strconv.ParseInt(f[2], 10, 64)
		t.bounds[f[0]] = [2]int64{least, most}
	}
	for line := range strings.Lines(goneText) {
		f := strings.Fields(line)
		t.gone[f[0]] = readVersion(f[1])
	}
	return t
})

// readNames reads lines that say what stands before the last dots of the names in them.
func readNames(text string) (out []string) {
	for line := range strings.Lines(text) {
		head, names, _ := strings.Cut(line, ": ")
		for _, n := range strings.Fields(names) {
			if !strings.HasPrefix(line, "#") {
				out = append(out, head+"."+n)
			}
		}
	}
	return out
}

// version is a release of the kernel: 5.14.
type version struct{ major, minor int }

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func readVersion(text string) (v version) {
	fmt.Sscanf(text, "%d.%d", &v.major, &v.minor)
	return v
}

// The kernels of nodes: those of RHEL 8 and 9.
var (
	rhel8 = version{4, 18}
	rhel9 = version{5, 14}
)

// IsGone says whether the kernel of a release's nodes doesn't have a parameter any more, and since which it is gone.
func IsGone(key string, r release.Release) (since string, gone bool) {
	v, ok := table().gone[key]
	now := kernel.In(r)
	return v.String(), ok && (v.major < now.major || v.major == now.major && v.minor <= now.minor)
}

// interfaces are the parents of interfaces' names.
var interfaces = []string{"net.ipv4.conf.", "net.ipv4.neigh.", "net.ipv6.conf.", "net.ipv6.neigh."}

// general is a key with a star for the name of an interface; dotted says that the name has dots.
func general(key string) (out string, dotted bool) {
	for _, parent := range interfaces {
		rest, ok := strings.CutPrefix(key, parent)
		end := strings.LastIndexByte(rest, '.')
		if ok && end > 0 {
			return parent + "*" + rest[end:], strings.Contains(rest[:end], ".")
		}
	}
	return key, false
}

// Judge says what is wrong with a setting on the nodes of a release, in words, and what would be right. The key has
// dots between its parts.
func Judge(key, value string, r release.Release) (f Fault, what, fix string) {
	if since, gone := IsGone(key, r); gone {
		return Gone, key + " is gone from kernels of " + since + " and later", "remove it"
	}
	name, dotted := general(key)
	switch t := table(); {
	case dotted && t.known[name]:
		return Dotted, key + " is looked for in a directory for each dot, and the name of the interface has dots itself", ""
	case !t.known[name]:
		if near := nearly(name); near != "" {
			return Misspelt, "there is no parameter " + key, "write " + strings.Replace(near, "*", interfaceOf(key, near), 1)
		}
	default:
		if fix := wrongValue(name, value); fix != "" {
			return OutOfRange, fmt.Sprintf("the kernel refuses %s for %s", value, key), fix
		}
	}
	return None, "", ""
}

// number is a number as the kernel reads it.
var number = regexp.MustCompile(`^-?(0[xX][0-9a-fA-F]+|[0-9]+)$`)

// portRange is the one parameter of two numbers of which the kernel asks that they are in order.
const portRange = "net.ipv4.ip_local_port_range"

// wrongValue says what to write in place of a value that the kernel refuses; empty where it takes it. Of several words
// it is the first that is refused, and what somebody is to fill in is not judged.
func wrongValue(name, value string) string {
	words, t := strings.Fields(value), table()
	if t.texts[name] || len(words) == 0 || strings.ContainsAny(value, "${}<>[]%@") {
		return ""
	}
	if !number.MatchString(words[0]) {
		return "write a number"
	}
	_, err := strconv.ParseUint(strings.TrimPrefix(words[0], "-"), 0, 64)
	if errors.Is(err, strconv.ErrRange) {
		return "write a number of at most 64 bits"
	}
	n, err := strconv.ParseInt(words[0], 0, 64)
	if bounds, bound := t.bounds[name]; bound && (err != nil || n < bounds[0] || n > bounds[1]) {
		return fmt.Sprintf("write %d to %d", bounds[0], bounds[1])
	}
	if name == portRange && len(words) > 1 {
		if last, err := strconv.ParseInt(words[1], 0, 64); err == nil && last < n {
			return fmt.Sprintf("write %d %d", last, n)
		}
	}
	return ""
}

// rivals are pairs of parameters of which the kernel sets the one to 0 when the other is written.
var rivals = [][2]string{{"vm.dirty_ratio", "vm.dirty_bytes"},
	{"vm.dirty_background_ratio", "vm.dirty_background_bytes"}, {"vm.overcommit_ratio", "vm.overcommit_kbytes"}}

// Undone collects settings that are made one after the other.
type Undone map[string]bool

// Add takes the next setting and says which one before it the kernel sets to 0 then, in words, and what would be right.
func (u Undone) Add(key, value string) (what, fix string) {
	if strings.TrimSpace(value) == "0" {
		return "", ""
	}
	u[key] = true
	for _, r := range rivals {
		other := r[0]
		if key == other {
			other = r[1]
		}
		if (key == r[0] || key == r[1]) && u[other] {
			return fmt.Sprintf("%s sets %s, which is written before it, to 0: the kernel keeps one of the two", key, other),
				"keep the one or the other"
		}
	}
	return "", ""
}

// interfaceOf is the name that stands where the star of a general key does.
func interfaceOf(key, general string) string {
	parts := strings.Split(key, ".")
	return parts[strings.Count(general[:strings.IndexByte(general+"*", '*')], ".")]
}

// nearly is the known parameter of which another one is a slip of one letter, or of two in a long name.
func nearly(key string) string {
	near := schema.Nearest(key, table().names)
	slips := 1
	if len(key) > 15 {
		slips = 2
	}
	if near == "" || strings.Count(near, ".") != strings.Count(key, ".") || schema.Distance(key, near) > slips {
		return ""
	}
	return near
}
