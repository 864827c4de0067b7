// Package sysctl knows names of kernel parameters, the values that some take, and which are gone from the kernels of
// nodes. It knows not all of them, and judges no others: modules, and kernels that are built otherwise, have more.
//
//	sysctl.Judge("vm.swapiness", "10", release.Current) // Misspelt: vm.swappiness
package sysctl

import (
	_ "embed" // for the tables
	"fmt"
	"strconv"
	"strings"
	"sync"

	"plimsoll.dev/release"
	"plimsoll.dev/schema"
)

//go:embed names.txt
var nameText string

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
	bounds map[string][2]int64
	gone   map[string]version
}

var table = sync.OnceValue(func() *tables {
	t := &tables{known: map[string]bool{}, bounds: map[string][2]int64{}, gone: map[string]version{}}
	for line := range strings.Lines(nameText) {
		head, names, _ := strings.Cut(line, ": ")
		for _, n := range strings.Fields(names) {
			if !strings.HasPrefix(line, "#") {
				t.names, t.known[head+"."+n] = append(t.names, head+"."+n), true
			}
		}
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
// dots between its parts. Values other than a single number are not judged.
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
		bounds, bound := t.bounds[name]
		n, err := strconv.ParseInt(value, 10, 64)
		if bound && err == nil && (n < bounds[0] || n > bounds[1]) {
			return OutOfRange, fmt.Sprintf("the kernel refuses %s for %s", value, key),
				fmt.Sprintf("write %d to %d", bounds[0], bounds[1])
		}
	}
	return None, "", ""
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
