package openstack

import (
	"io"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/nova/flavor"
	"plimsoll.dev/unit"
)

// What Nova keeps such numbers in; a flavor of more vCPUs can't be placed.
const (
	mostMiB = 1<<31 - 1
	mostGiB = 1<<31 - 1
)

// ReadFlavors reads what "openstack flavor list --all --long -f json" wrote; name
// is the file's name for places. Extra specs are taken as they are.
//
// The error is a [yamlpos.Problems], or what r failed with.
func ReadFlavors(r io.Reader, name string) ([]v1alpha1.Flavor, []v1alpha1.Skipped, error) {
	return readFlavors(r, name, nil)
}

// ReadFlavorsFor reads flavors like ReadFlavors and demands extra specs that the
// rules take: a problem stands where the extra spec does. A flavor that is not
// used is skipped instead; a nil function says that all are.
func ReadFlavorsFor(r io.Reader, name string, rules nova.Rules, used func(flavor string) bool) ([]v1alpha1.Flavor, []v1alpha1.Skipped, error) {
	return readFlavors(r, name, func(f *flavors, row *yamlpos.Node, made *v1alpha1.Flavor, specs []property) bool {
		return f.judge(row, made, specs, rules, used)
	})
}

// flavors are being read.
type flavors struct {
	*table
	list    []v1alpha1.Flavor
	skipped []v1alpha1.Skipped
	names   map[string]bool
}

func readFlavors(r io.Reader, name string, judge func(*flavors, *yamlpos.Node, *v1alpha1.Flavor, []property) bool) ([]v1alpha1.Flavor, []v1alpha1.Skipped, error) {
	f := &flavors{names: map[string]bool{}}
	t, err := readTable(r, name, "flavors", func(t *table, row *yamlpos.Node) {
		f.table = t
		made, specs, ok := f.read(row)
		if ok && (judge == nil || judge(f, row, &made, specs)) {
			f.list = append(f.list, made)
		}
	})
	if err == nil {
		err = t.err()
	}
	if err != nil {
		return nil, nil, err
	}
	return f.list, f.skipped, nil
}

// read makes a flavor of a row.
func (f *flavors) read(row *yamlpos.Node) (made v1alpha1.Flavor, specs []property, ok bool) {
	before := len(f.bad)
	at := cell(row, "name")
	switch name := text(at); {
	case name == "":
		f.at(row, "the flavor has no name", "a column Name")
	case f.names[name]:
		f.at(at, "a second flavor is called "+yamlpos.Quote(name), "names are unique in a cloud")
	default:
		made.Name, f.names[name] = name, true
	}
	made.VCPUs = int(f.whole(row, "VCPUs", 0, 1, unit.MaxCPUs, "vcpus"))
	made.RAM = unit.Bytes(f.whole(row, "RAM", 0, 1, mostMiB, "ram")) * unit.MiB
	made.Disk = unit.Bytes(f.whole(row, "Disk", 0, 0, mostGiB, "disk")) * unit.GiB
	made.Ephemeral = unit.Bytes(f.whole(row, "Ephemeral", 0, 0, mostGiB, "ephemeral", "osflvextdataephemeral")) * unit.GiB
	made.Swap = unit.Bytes(f.whole(row, "Swap", 0, 0, mostMiB, "swap")) * unit.MiB
	specs = f.properties(cell(row, "properties", "extraspecs"))
	if len(specs) > 0 {
		made.Properties = make(map[string]string, len(specs))
	}
	for _, p := range specs {
		made.Properties[p.key] = p.value
	}
	if !has(row, "properties", "extraspecs") && len(f.list) == 0 && len(f.skipped) == 0 {
		f.skipped = append(f.skipped, v1alpha1.Skipped{Place: f.place(row), What: "the flavors' extra specs",
			Why: "there is no column Properties (list with --long)"})
	}
	return made, specs, len(f.bad) == before
}

// judge says whether the flavor may be used with the rules.
func (f *flavors) judge(row *yamlpos.Node, made *v1alpha1.Flavor, specs []property, rules nova.Rules, used func(string) bool) bool {
	_, _, wrong := flavor.Request(made, nil, nil, rules)
	_, more := flavor.HostConstraints(made)
	wrong = append(wrong, more...)
	if len(wrong) == 0 {
		return true
	}
	if used != nil && !used(made.Name) {
		f.skipped = append(f.skipped, v1alpha1.Skipped{Place: f.place(row), What: "flavor " + made.Name, Why: wrong[0].Error() + "; no server uses it"})
		return false
	}
	for _, e := range wrong {
		f.bad.Add(f.wrong(row, made.Name, specs, e))
	}
	return false
}

// wrong is the problem of an extra spec, at its place where it has one.
func (f *flavors) wrong(row *yamlpos.Node, name string, specs []property, e flavor.Error) yamlpos.Problem {
	p := yamlpos.Problem{File: f.file, Line: row.Line, Col: row.Col, Field: strings.TrimSuffix(name+"."+e.Key, "."), What: e.Text, Fix: e.Fix}
	for _, s := range specs {
		if s.key == e.Key {
			p.Line, p.Col = s.at.Line, s.at.Col
		}
	}
	return p
}
