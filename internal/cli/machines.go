package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"plimsoll.dev/source/scenario"
	"plimsoll.dev/source/sysfs"
	"plimsoll.dev/topo"
)

// readMachines reads the machines that node types name by a file or a directory,
// and holds the scenario against them. Unless outside is allowed, nothing outside
// the scenario's directory is opened.
func readMachines(doc *scenario.Document, outside bool) (map[string]topo.Machine, error) {
	machines := map[string]topo.Machine{}
	var wrong []error
	for i, t := range doc.Scenario.Hardware.NodeTypes {
		if t.TopologyFile == "" {
			continue
		}
		m, err := readMachine(doc.Path("."), t.TopologyFile, outside)
		if err == nil {
			err = doc.SetMachine(i, m)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("node type %s: %w", t.Name, err))
			continue
		}
		machines[t.Name] = m
	}
	return machines, errors.Join(wrong...)
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
	return read.Machine, err
}
