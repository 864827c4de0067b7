package openstack

import (
	"io"
	"math"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/unit"
)

// ReadImages reads what "openstack image show -f json" wrote of one image or, in
// a list, of several; "openstack image list --long -f json", which tells no
// properties, is read as well. name is the file's name for places.
//
// The error is a [yamlpos.Problems], or what r failed with.
func ReadImages(r io.Reader, name string) ([]v1alpha1.Image, []v1alpha1.Skipped, error) {
	i := &images{names: map[string]bool{}}
	t, err := readTable(r, name, "images", func(t *table, row *yamlpos.Node) {
		i.table = t
		i.read(row)
	})
	if err == nil {
		err = t.err()
	}
	if err != nil {
		return nil, nil, err
	}
	return i.list, i.skipped, nil
}

// images are being read.
type images struct {
	*table
	list    []v1alpha1.Image
	skipped []v1alpha1.Skipped
	names   map[string]bool
}

func (i *images) read(row *yamlpos.Node) {
	made := v1alpha1.Image{Name: text(cell(row, "name")), Count: 1}
	if made.Name == "" {
		made.Name = text(cell(row, "id"))
	}
	why := ""
	switch {
	case made.Name == "":
		i.at(row, "the image has no name", "a column Name")
		return
	case i.names[made.Name]:
		why = "another image has the same name"
	case cell(row, "size") == nil:
		why = "its size is not told: it has no data, or the list is not --long"
	}
	if why != "" {
		i.skipped = append(i.skipped, v1alpha1.Skipped{Place: i.place(row), What: "image " + made.Name, Why: why})
		return
	}
	i.names[made.Name] = true
	made.Size = unit.Bytes(i.whole(row, "Size", 0, 1, math.MaxInt64/2, "size"))
	made.DiskSize = unit.Bytes(i.whole(row, "virtual_size", 0, 0, math.MaxInt64/2, "virtualsize"))
	made.Properties = map[string]string{}
	for _, p := range i.properties(cell(row, "properties")) {
		made.Properties[p.key] = p.value
	}
	for _, e := range row.Entries { // as the service itself tells them
		if (strings.HasPrefix(e.Key, "hw_") || strings.HasPrefix(e.Key, "trait:")) && scalar(e.Value) {
			made.Properties[e.Key] = e.Value.Text
		}
	}
	i.list = append(i.list, made)
}
