package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/source/scenario"
	"plimsoll.dev/source/sysfs"
	"plimsoll.dev/topo"
)

// readMachines reads the machines that node types name by a file or a directory,
// and holds the scenario against them, but for node types that have problems already. Unless
// outside is allowed, nothing outside the scenario's directory is opened. What the files don't tell, and
// what was taken instead, is an assumption.
func readMachines(doc *scenario.Document, outside bool, known yamlpos.Problems) (map[string]topo.Machine,
	[]v1alpha1.Assumption, error) {
	machines := map[string]topo.Machine{}
	var notes []string
	var wrong yamlpos.Problems
	for i, t := range doc.Scenario.Hardware.NodeTypes {
		if t.TopologyFile == "" {
			continue
		}
		read, err := readMachine(doc.Path("."), t.TopologyFile, outside)
		bad := slices.ContainsFunc(known, func(p yamlpos.Problem) bool {
			return strings.HasPrefix(p.Field, fmt.Sprintf("hardware.nodeTypes[%d]", i))
		})
		if err == nil && !bad {
			err = doc.SetMachine(i, read.Machine)
		}
		var missing *fs.PathError
		var found yamlpos.Problems
		switch {
		case errors.As(err, &missing):
			field := fmt.Sprintf("hardware.nodeTypes[%d].topologyFile", i)
			wrong = append(wrong, doc.Problem(field, fmt.Sprintf("%q: %v", t.TopologyFile, missing.Err),
				"name a file or directory relative to this file"))
		case errors.As(err, &found):
			wrong = append(wrong, found...)
		case err != nil:
			return nil, nil, fmt.Errorf("node type %s: %w", t.Name, err)
		default:
			machines[t.Name] = read.Machine
			for _, n := range read.Notes {
				notes = append(notes, t.Name+": "+n)
			}
		}
	}
	if len(wrong) > 0 {
		return nil, nil, wrong
	}
	if len(notes) == 0 {
		return machines, nil, nil
	}
	return machines, []v1alpha1.Assumption{{Field: v1alpha1.MachineFiles, Value: v1alpha1.MachineFilesValue,
		Why: strings.Join(notes, "; ")}}, nil
}

func readMachine(dir, name string, outside bool) (sysfs.Reading, error) {
	local := filepath.FromSlash(name)
	if outside || !filepath.IsLocal(local) {
		if !filepath.IsAbs(local) {
			local = filepath.Join(dir, local)
		}
		dir, local = filepath.Split(local)
	}
	root, err := os.OpenRoot(filepath.Clean(dir))
	if err != nil {
		return sysfs.Reading{}, err
	}
	defer root.Close()
	read, err := sysfs.Read(root.FS(), filepath.ToSlash(local))
	var found yamlpos.Problems
	if errors.As(err, &found) {
		for i := range found {
			found[i].File = filepath.Join(dir, found[i].File)
		}
	}
	return read, err
}
