package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/source/sysfs"
	"plimsoll.dev/topo"
)

// readMachines reads the machines that node types name by a file or a directory.
// Unless outside is allowed, nothing outside the scenario's directory is opened.
func readMachines(s *v1alpha1.Scenario, dir string, outside bool) (map[string]topo.Machine, error) {
	machines := map[string]topo.Machine{}
	var wrong []error
	for _, t := range s.Hardware.NodeTypes {
		if t.TopologyFile == "" {
			continue
		}
		m, err := readMachine(dir, t.TopologyFile, outside)
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
