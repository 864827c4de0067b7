package machineconfig

import (
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
)

// config is an Ignition configuration as far as rules and rendering read it.
type config struct {
	// given says that there is one.
	given   bool
	version string
	// three says that it follows specification 3, otherwise 2.
	three bool
	files []file
	// entries are directories and links.
	entries []entry
	units   []systemdUnit
	// sections are the parts that only installation can apply, by their names.
	sections map[string][]any
	users    []any
	groups   []any
}

// entry is a thing with a path: a directory or a link.
type entry struct {
	at   string
	list string // "directories" or "links"
	path string
	mode *int64
}

// file is an entry of storage.files.
type file struct {
	at          string
	path        string
	filesystem  *string
	mode        *int64
	overwrite   *bool
	user, group *string
	// contents has the content, append says that content is to be appended.
	contents contents
	append   bool
	node     node
}

// contents is where the content of a file comes from.
type contents struct {
	at          string
	source      *string
	compression *string
	hash        *string
	node        node
}

// systemdUnit is an entry of systemd.units.
type systemdUnit struct {
	at            string
	name          string
	contents      *string
	enable        bool // 2.x only
	enabled, mask *bool
	dropins       []dropin
}

// dropin is a piece of a unit's configuration in a file of its own.
type dropin struct {
	at       string
	name     string
	contents *string
}

// readConfig reads the Ignition configuration of a MachineConfig.
func readConfig(mc openshift.MachineConfig, r *reader) config {
	root := node{r, "spec.config", mc.Spec.Config}
	c := config{given: mc.Spec.Config != nil, sections: map[string][]any{}}
	c.version = value(root.child("ignition").text("version"))
	c.three = strings.HasPrefix(c.version, "3.")
	storage := root.child("storage")
	for _, n := range storage.children("files") {
		c.files = append(c.files, readFile(n, c.three))
	}
	for _, list := range []string{"directories", "links"} {
		for _, n := range storage.children(list) {
			c.entries = append(c.entries, entry{at: n.at, list: list, path: value(n.text("path")), mode: n.number("mode")})
		}
	}
	for _, n := range root.child("systemd").children("units") {
		c.units = append(c.units, readUnit(n, c.three))
	}
	c.keep(root, storage)
	return c
}

// installed are the parts of storage that only installation can apply.
var installed = []string{"directories", "disks", "filesystems", "links", "luks", "raid"}

// keep remembers the values that are compared and not read.
func (c *config) keep(root, storage node) {
	passwd, arguments := root.child("passwd"), root.child("kernelArguments")
	for _, name := range installed {
		c.sections[name] = list(storage, name)
	}
	c.sections["networkd"] = list(root.child("networkd"), "units")
	c.sections["kernelArguments"] = slices.Concat(list(arguments, "shouldExist"), list(arguments, "shouldNotExist"))
	c.users, c.groups = list(passwd, "users"), list(passwd, "groups")
}

func list(n node, key string) []any {
	v, _ := n.get(key)
	out, _ := v.([]any)
	return out
}

func readFile(n node, three bool) file {
	f := file{at: n.at, path: value(n.text("path")), filesystem: n.text("filesystem"), mode: n.number("mode"),
		overwrite: n.flag("overwrite"), user: owner(n.child("user")), group: owner(n.child("group")), node: n}
	if three {
		f.append = len(n.children("append")) > 0
		f.filesystem = nil
		if v, _ := n.get("filesystem"); v != nil {
			f.filesystem = new(string)
		}
	} else {
		f.append = value(n.flag("append"))
	}
	body := n.child("contents")
	f.contents = contents{at: body.at, source: body.text("source"), compression: body.text("compression"),
		hash: body.child("verification").text("hash"), node: body}
	return f
}

// owner is a name or "#" and a number; nil when neither is given. Both at once
// are "#", which is no owner.
func owner(n node) *string {
	id, name := n.number("id"), value(n.text("name"))
	out := name
	switch {
	case id != nil && name != "":
		out = "#"
	case id != nil:
		out = "#" + itoa(*id)
	case name == "":
		return nil
	}
	return &out
}

func readUnit(n node, three bool) systemdUnit {
	u := systemdUnit{at: n.at, name: value(n.text("name")), contents: n.text("contents"), enabled: n.flag("enabled"),
		mask: n.flag("mask")}
	if !three {
		u.enable = value(n.flag("enable"))
	}
	for _, d := range n.children("dropins") {
		u.dropins = append(u.dropins, dropin{at: d.at, name: value(d.text("name")), contents: d.text("contents")})
	}
	return u
}
