package machineconfig

import (
	"fmt"
	"path"
	"slices"
)

// forceFile makes the operator skip its checks when it exists; a MachineConfig
// must not write it.
const forceFile = "/run/machine-config-daemon-force"

// coreUser is the only user whose keys the operator writes.
const coreUser = "core"

// sectionNames are the parts that only installation can apply and where they stand.
var sectionNames = [][2]string{
	{"directories", "storage"}, {"disks", "storage"}, {"filesystems", "storage"}, {"links", "storage"},
	{"raid", "storage"}, {"networkd", "networkd"}, {"kernelArguments", "kernelArguments"},
}

// refused finds what a node that runs already will not take on.
func (v validator) refused() {
	for _, s := range sectionNames {
		if len(v.c.sections[s[0]]) == 0 {
			continue
		}
		at, fix := "spec.config."+s[1], "apply it at installation, or write files and units that do the same"
		if s[1] == "storage" {
			at += "." + s[0]
		}
		if s[0] == "kernelArguments" {
			fix = "write spec.kernelArguments"
		}
		v.add(&refusedRule, at, false, s[0]+" are applied at installation only: nodes that run refuse the change", fix)
	}
	if len(v.c.sections["luks"]) > 0 {
		v.add(&refusedRule, "spec.config.storage.luks", false,
			"luks is applied at installation only: nodes that run take the change and ignore it", "apply it at installation")
	}
	if len(v.c.groups) > 0 {
		v.add(&refusedRule, "spec.config.passwd.groups", false,
			"groups are made at installation only: nodes that run refuse the change", "remove them")
	}
	for i, u := range v.c.users {
		if m, _ := u.(map[string]any); m["name"] != coreUser {
			v.add(&refusedRule, fmt.Sprintf("spec.config.passwd.users[%d].name", i), !v.c.three && byPath.In(v.release),
				"a user other than core: nodes that run refuse the change", "write name: core")
		}
	}
	for _, f := range v.c.files {
		if f.path == forceFile {
			v.add(&refusedRule, f.at+".path", false, "the operator keeps "+forceFile+" for people and refuses to write it",
				"remove the file")
		}
	}
}

// converted finds what keeps the operator from translating specification 2 into 3.
func (v validator) converted() {
	if len(v.c.sections["networkd"]) > 0 {
		v.add(&refusedRule, "spec.config.networkd", true, "networkd can't be translated into specification 3",
			"write NetworkManager key files")
	}
	for i, f := range v.c.sections["filesystems"] {
		if m, _ := f.(map[string]any); m["name"] != "root" {
			v.add(&refusedRule, fmt.Sprintf("spec.config.storage.filesystems[%d]", i), true,
				"a file system can't be translated into specification 3", "write specification 3")
		}
	}
	v.c = v.c.translated()
	v.duplicates()
}

// translated is a configuration of specification 2 as one of specification 3: of
// the files of one path, and of the units of one name, the last one counts.
func (c config) translated() config {
	paths := map[string]bool{}
	var files []file
	for _, f := range slices.Backward(c.files) {
		if !paths[f.path] {
			files = append(files, translatedFile(f))
		}
		paths[f.path] = true
	}
	slices.Reverse(files)
	c.files, c.units = files, translatedUnits(c.units)
	for i, d := range c.entries {
		c.entries[i].path = path.Join("/", d.path)
	}
	return c
}
