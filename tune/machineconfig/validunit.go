package machineconfig

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/coreos/go-systemd/v22/unit"
)

// unitKinds are the endings of the names of systemd units.
var unitKinds = []string{".service", ".socket", ".device", ".mount", ".automount", ".swap", ".target", ".path",
	".timer", ".snapshot", ".slice", ".scope"}

func (v validator) unit(u systemdUnit) {
	if !slices.Contains(unitKinds, path.Ext(u.name)) {
		v.add(&unitRule, u.at+".name", true, "the unit's name "+short(u.name)+" has no ending that systemd knows",
			"write NAME.service, or another kind of unit")
	}
	if what := unitProblem(value(u.contents)); what != "" {
		v.add(&unitRule, u.at+".contents", true, "the unit "+u.name+" can't be read: "+what,
			"write [Section] lines and NAME=VALUE lines")
	}
	for _, d := range u.dropins {
		if path.Ext(d.name) != ".conf" {
			v.add(&unitRule, d.at+".name", true, "the drop-in's name "+short(d.name)+" does not end in .conf", "write NAME.conf")
		}
		if what := unitProblem(value(d.contents)); what != "" {
			v.add(&unitRule, d.at+".contents", true, "the drop-in "+d.name+" can't be read: "+what,
				"write [Section] lines and NAME=VALUE lines")
		}
	}
}

// unitProblem reads a unit file with the parser of Ignition and says why that can't,
// and in which line; empty when it can.
func unitProblem(text string) string {
	read := func(text string) error {
		_, err := unit.DeserializeOptions(strings.NewReader(text))
		return err
	}
	err := read(text)
	if err == nil {
		return ""
	}
	lines := strings.SplitAfter(text, "\n")
	at := sort.Search(len(lines)-1, func(i int) bool { return read(strings.Join(lines[:i+1], "")) != nil })
	if errors.Is(err, io.EOF) {
		err = errors.New("no = stands in it")
	}
	return fmt.Sprintf("%v: line %d, %s", err, at+1, short(strings.TrimSpace(lines[at])))
}

// duplicates finds what may stand once alone in a configuration of specification 3,
// and paths that are in each other's way.
func (v validator) duplicates() {
	seen := map[string]string{}
	once := func(kind, key, at, fix string) {
		if first, ok := seen[kind+key]; ok {
			v.add(&duplicateRule, at, true, key+" stands twice, first as "+first, fix)
			return
		}
		seen[kind+key] = at
	}
	links := map[string]bool{}
	for _, d := range v.c.entries {
		links[d.path] = links[d.path] || d.list == "links"
	}
	for _, d := range v.c.entries {
		once("path ", d.path, d.at, "keep one")
		v.throughLink(links, d.at, d.path)
	}
	for _, f := range v.c.files {
		once("path ", f.path, f.at, "keep one, with the content that is to win")
		v.throughLink(links, f.at, f.path)
	}
	for _, u := range v.c.units {
		once("unit ", u.name, u.at, "keep one; drop-ins go below it")
		names := map[string]bool{}
		for _, d := range u.dropins {
			if names[d.name] {
				v.add(&duplicateRule, d.at, true, "the drop-in "+d.name+" stands twice", "keep one")
			}
			names[d.name] = true
		}
	}
	v.unitPaths()
}

// throughLink finds paths below a link of the same configuration.
func (v validator) throughLink(links map[string]bool, at, p string) {
	for i := range len(p) {
		if p[i] == '/' && links[p[:i]] {
			v.add(&pathRule, at+".path", true, "the path "+short(p)+" leads through the link "+short(p[:i]),
				"write the path that the link leads to")
		}
	}
}

// systemdDir is where units are written.
const systemdDir = "/etc/systemd/system/"

// unitPaths finds files that are written where a unit is.
func (v validator) unitPaths() {
	paths := map[string]bool{}
	for _, u := range v.c.units {
		paths[systemdDir+u.name] = paths[systemdDir+u.name] || value(u.contents) != ""
		for _, d := range u.dropins {
			p := systemdDir + u.name + ".d/" + d.name
			paths[p] = paths[p] || value(d.contents) != ""
		}
	}
	for _, f := range v.c.files {
		if paths[f.path] {
			v.add(&pathRule, f.at+".path", true, "the file "+f.path+" is also written as a unit", "keep the unit")
		}
	}
}
