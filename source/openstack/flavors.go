package openstack

import (
	"io"

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
// is the file's name for places. A cloud that runs has flavors with extra specs
// that the rules refuse: such an extra spec does not count, and stands in what was
// skipped with its place and the reason.
//
// The error is a [yamlpos.Problems], or what r failed with.
func ReadFlavors(r io.Reader, name string, rules nova.Rules) ([]v1alpha1.Flavor, []v1alpha1.Skipped, error) {
	f := &flavors{names: map[string]bool{}}
	t, err := readTable(r, name, "flavors", func(t *table, row *yamlpos.Node) {
		f.table = t
		if made, specs, ok := f.read(row); ok && f.judge(row, &made, specs, rules) {
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

// flavors are being read.
type flavors struct {
	*table
	list    []v1alpha1.Flavor
	skipped []v1alpha1.Skipped
	names   map[string]bool
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

// judge takes out the extra specs that the rules refuse, and says whether
// something is left that can be placed.
func (f *flavors) judge(row *yamlpos.Node, made *v1alpha1.Flavor, specs []property, rules nova.Rules) bool {
	for range len(specs) + 1 {
		_, _, wrong := flavor.Request(made, nil, nil, rules)
		_, more := flavor.HostConstraints(made)
		wrong = append(wrong, more...)
		if len(wrong) == 0 {
			return true
		}
		dropped := false
		for _, e := range wrong {
			dropped = f.drop(made, specs, e) || dropped
		}
		if !dropped {
			f.skipped = append(f.skipped, v1alpha1.Skipped{Place: f.place(row), What: "flavor " + made.Name,
				Why: wrong[0].Error()})
			return false
		}
	}
	return false
}

// drop takes an extra spec out of the flavor and says so; one that it has not, or
// no longer, is left.
func (f *flavors) drop(made *v1alpha1.Flavor, specs []property, e flavor.Error) bool {
	if _, there := made.Properties[e.Key]; !there {
		return false
	}
	delete(made.Properties, e.Key)
	for _, s := range specs {
		if s.key == e.Key {
			f.skipped = append(f.skipped, v1alpha1.Skipped{Place: f.place(s.at),
				What: "flavor " + made.Name + ": " + e.Key + "=" + s.value, Why: e.Text + " (" + e.Fix + "); it does not count"})
		}
	}
	return true
}
