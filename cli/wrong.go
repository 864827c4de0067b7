package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/source/scenario"
)

// tellAll tells what is wrong with a scenario, and at once with the files that it and the flags
// name. A file that it may not name, or that is not there, is one of its own faults; so is what it
// says otherwise than a machine's file.
func (in *input) tellAll(a *app, err error, tell func(error) error) error {
	var wrong *scenario.Error
	if !errors.As(err, &wrong) || wrong.Document == nil {
		return tell(err)
	}
	ofFiles := in.readNamed(a, wrong)
	var found yamlpos.Problems
	if errors.As(ofFiles, &found) {
		own := func(p yamlpos.Problem) bool { return p.File == wrong.Document.Tree.Name }
		for _, p := range found {
			if own(p) {
				wrong.Problems.Add(p)
			}
		}
		wrong.Problems.Sort()
		ofFiles = joined(slices.DeleteFunc(found, own))
	}
	told := tell(err)
	if ofFiles != nil {
		_ = a.tellOrSay(ofFiles) // the scenario's own faults are the answer
	}
	return told
}

// readNamed reads the files that a wrong scenario and the flags name.
func (in *input) readNamed(a *app, wrong *scenario.Error) error {
	m := &merged{doc: wrong.Document, scenario: wrong.Document.Scenario, wrong: true}
	m.forget(wrong.Problems)
	in.asked = map[string]bool{}
	_, _, bad := readMachines(m.doc, in.outside, wrong.Problems)
	if m.scenario.Platform.Type == platformHelion {
		return joined(bad, m.readExports(in.outside))
	}
	return joined(append(in.readWorkload(a, m), bad)...)
}

// forget takes the names of files out of a wrong scenario that its problems are about.
func (m *merged) forget(problems yamlpos.Problems) {
	w, types := &m.scenario.Workload, m.scenario.Hardware.NodeTypes
	for _, p := range problems {
		about := func(field string) bool { return strings.HasPrefix(p.Field, field) }
		if about("workload.manifests") {
			w.Manifests = nil
		}
		for field, name := range map[string]*string{"workload.snapshot": &w.Snapshot, "workload.flavorFile": &w.FlavorFile,
			"workload.imageFile": &w.ImageFile, "workload.serverFile": &w.ServerFile} {
			if about(field) {
				*name = ""
			}
		}
		for i := range types {
			if about(fmt.Sprintf("hardware.nodeTypes[%d].topologyFile", i)) {
				types[i].TopologyFile = ""
			}
		}
	}
}
