package machineconfig

import (
	"path"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// startless finds units that are enabled, and that nothing here starts at boot:
// without [Install] there is nothing that enabling could do.
func (c *checker) startless(s subject) {
	for _, u := range s.c.units {
		switch {
		case !u.enable && !value(u.enabled), value(u.mask), value(u.contents) == "":
		case u.installs(), c.started[u.name], c.started[templateOf(u.name)]:
		default:
			r := unitRule
			r.Severity = v1alpha1.Warning
			c.add(s, r, u.at+".contents", "the unit "+u.name+
				" is enabled and has no [Install] section, and no unit here asks for it: it does not start at boot",
				"add [Install] with WantedBy=multi-user.target")
		}
	}
}

// passesOver are the releases that don't enable a unit which is not there.
var passesOver = release.Span{Since: 20}

// masked finds what is asked of units that are masked, which nothing starts.
func (c *checker) masked(s subject) {
	for _, u := range s.c.units {
		r := unitRule
		enabled := u.enable || value(u.enabled)
		switch {
		case !value(u.mask):
		case enabled && enablesMasked.In(c.release) && passesOver.Has(c.release) && value(u.contents) == "":
			r.Severity = v1alpha1.Warning
			c.add(s, r, u.at+".mask", "the unit "+u.name+" is masked and enabled: where the node has it, the daemon can't "+
				"enable it, and the pool is degraded", "keep the one or the other")
		case enabled && enablesMasked.In(c.release):
			c.add(s, r, u.at+".mask", "the unit "+u.name+
				" is masked and enabled: the daemon can't enable it, and the pool is degraded", "keep the one or the other")
		case enabled, value(u.contents) != "":
			r.Severity = v1alpha1.Warning
			what := map[bool]string{true: "that it is enabled", false: "what it contains"}[enabled]
			c.add(s, r, u.at+".mask", "the unit "+u.name+" is masked: "+what+" has no effect", "keep the one or the other")
		}
	}
}

// installs says whether enabling the unit does something.
func (u systemdUnit) installs() bool {
	return hasInstall(value(u.contents)) ||
		slices.ContainsFunc(u.dropins, func(d dropin) bool { return hasInstall(value(d.contents)) })
}

func hasInstall(text string) bool { return strings.Contains("\n"+text, "\n[Install]") }

// starters are the settings of a unit by which it starts others.
var starters = []string{"Wants", "Requires", "BindsTo", "Upholds", "OnSuccess", "OnFailure", "Unit", "Service",
	"Sockets", "Also"}

// starts are the units that those of the MachineConfigs start: by what they say, and
// by links and files below the directories of systemd.
func (c *checker) starts() map[string]bool {
	out := map[string]bool{}
	for _, s := range c.configs {
		for _, u := range s.c.units {
			startedByText(out, value(u.contents))
			for _, d := range u.dropins {
				startedByText(out, value(d.contents))
			}
			startedByName(out, u.name, value(u.contents))
		}
		for _, e := range s.c.entries {
			startedByPath(out, e.path)
		}
		for _, f := range s.c.files {
			startedByPath(out, f.path)
			if strings.HasPrefix(f.path, systemdDir) {
				if text, err := c.decode(f.contents.source, f.contents.compression, true); err == nil {
					startedByText(out, string(text))
				}
			}
		}
	}
	return out
}

// startedByText notes what a unit or a drop-in names.
func startedByText(out map[string]bool, text string) {
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		key, names, _ := strings.Cut(line, "=")
		if slices.Contains(starters, strings.TrimSpace(key)) {
			for _, name := range strings.Fields(names) {
				out[name] = true
				out[templateOf(name)] = true
			}
		}
	}
}

// startedByName notes the unit that a timer, socket, path or automount starts when
// it names none.
func startedByName(out map[string]bool, name, text string) {
	stem := strings.TrimSuffix(name, path.Ext(name))
	switch path.Ext(name) {
	case ".timer", ".path":
		out[stem+".service"] = true
	case ".socket":
		out[stem+".service"], out[stem+"@.service"] = true, true
	case ".automount":
		out[stem+".mount"] = true
	}
	if strings.Contains(text, "\nBusName=") {
		out[name] = true // D-Bus starts it
	}
}

// startedByPath notes what a link or a file below multi-user.target.wants starts.
func startedByPath(out map[string]bool, p string) {
	if dir, name := path.Split(p); strings.HasPrefix(dir, systemdDir) &&
		(strings.HasSuffix(dir, ".wants/") || strings.HasSuffix(dir, ".requires/")) {
		out[name] = true
		out[templateOf(name)] = true
	}
}

// templateOf is the unit that an instance is made of: "a@.service" for
// "a@b.service", and the unit itself for others.
func templateOf(name string) string {
	stem, _, ok := strings.Cut(name, "@")
	if !ok {
		return name
	}
	return stem + "@" + path.Ext(name)
}
