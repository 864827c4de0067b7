package machineconfig

import "fmt"

// forceFile makes the operator skip its checks when it exists; a MachineConfig
// must not write it.
const forceFile = "/run/machine-config-daemon-force"

// coreUser is the only user whose keys the operator writes.
const coreUser = "core"

// sectionNames are the parts that only installation can apply and where they stand.
var sectionNames = [][2]string{
	{"directories", "storage"}, {"disks", "storage"}, {"filesystems", "storage"}, {"links", "storage"}, {"luks", "storage"}, {"raid", "storage"},
	{"networkd", "networkd"}, {"kernelArguments", "kernelArguments"},
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
	if len(v.c.groups) > 0 {
		v.add(&refusedRule, "spec.config.passwd.groups", false, "groups are made at installation only: nodes that run refuse the change", "remove them")
	}
	for i, u := range v.c.users {
		if m, _ := u.(map[string]any); m["name"] != coreUser {
			v.add(&refusedRule, fmt.Sprintf("spec.config.passwd.users[%d].name", i), !v.c.three && byPath.In(v.e), "a user other than core: nodes that run refuse the change", "write name: core")
		}
	}
	for _, f := range v.c.files {
		if f.path == forceFile {
			v.add(&refusedRule, f.at+".path", false, "the operator keeps "+forceFile+" for people and refuses to write it", "remove the file")
		}
	}
}

// converted finds what keeps the operator from translating specification 2 into 3.
func (v validator) converted() {
	if len(v.c.sections["networkd"]) > 0 {
		v.add(&refusedRule, "spec.config.networkd", true, "networkd can't be translated into specification 3", "write NetworkManager key files")
	}
	for i, f := range v.c.sections["filesystems"] {
		if m, _ := f.(map[string]any); m["name"] != "root" {
			v.add(&refusedRule, fmt.Sprintf("spec.config.storage.filesystems[%d]", i), true, "a file system can't be translated into specification 3", "write specification 3")
		}
	}
	paths := map[string]bool{}
	for _, f := range v.c.files {
		paths[f.path] = true // files of one path are made one before
	}
	for _, d := range v.c.entries {
		if paths[d.path] {
			v.add(&duplicateRule, d.at+".path", true, d.path+" stands twice", "keep one")
		}
		paths[d.path] = true
	}
}
