package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/source/scenario"
	"plimsoll.dev/source/sysfs"
	"plimsoll.dev/topo"
)

// readMachines reads the machines that node types name by a file or a directory,
// and holds the scenario against them, but for node types that have problems already. Unless
// outside is allowed, nothing outside the scenario's directory is opened.
func readMachines(doc *scenario.Document, outside bool, known yamlpos.Problems) (map[string]topo.Machine, error) {
	machines := map[string]topo.Machine{}
	var wrong yamlpos.Problems
	for i, t := range doc.Scenario.Hardware.NodeTypes {
		if t.TopologyFile == "" {
			continue
		}
		m, err := readMachine(doc.Path("."), t.TopologyFile, outside)
		bad := slices.ContainsFunc(known, func(p yamlpos.Problem) bool {
			return strings.HasPrefix(p.Field, fmt.Sprintf("hardware.nodeTypes[%d]", i))
		})
		if err == nil && !bad {
			err = doc.SetMachine(i, m)
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
			return nil, fmt.Errorf("node type %s: %w", t.Name, err)
		default:
			machines[t.Name] = m
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return machines, nil
}

func readMachine(dir, name string, outside bool) (topo.Machine, error) {
	local := filepath.FromSlash(name)
	if outside || !filepath.IsLocal(local) {
		if !filepath.IsAbs(local) {
			local = filepath.Join(dir, local)
		}
		dir, local = filepath.Split(local)
	}
	root, err := os.OpenRoot(filepath.Clean(dir))
	if err != nil {
		return topo.Machine{}, err
	}
	defer root.Close()
	read, err := sysfs.Read(root.FS(), filepath.ToSlash(local))
	var found yamlpos.Problems
	if errors.As(err, &found) {
		for i := range found {
			found[i].File = filepath.Join(dir, found[i].File)
		}
	}
	return read.Machine, err
}
