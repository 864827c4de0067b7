package profile

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/tune/object"
)

// goodName says whether TuneD takes a profile of this name.
func goodName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == ""
}

// profile checks the name and text of a profile.
func (c *checker) profile(t *cr, path, name, data string) {
	if !goodName(name) && name != "" {
		c.add(t, nameDropped, path+".name", fmt.Sprintf("TuneD passes over profile %q", name), "use letters, digits, _ . and - alone")
	}
	options := scan(data)
	host := true
	for i := range options {
		o := &options[i]
		add := func(r object.Rule, what, fix string) { c.atLine(t, r, path+".data", data, o.line, what, fix) }
		switch {
		case o.heading && o.section != "main" && o.section != "variables":
			c.section(add, sectionOf(options, o.section))
			if o.section == "sysctl" && host {
				host = false
				add(sysctlHost, "files of the host in /etc/sysctl.d win over these sysctls where both set one", "look there when a sysctl doesn't stay")
			}
		case !o.heading:
			c.option(add, o, options)
		}
	}
}

// sectionOf is a section's name and its options.
func sectionOf(all []option, section string) usage {
	s := usage{name: section, plugin: section}
	for _, o := range all {
		if o.section == section && !o.heading && o.key == "type" {
			s.plugin = o.value
		}
	}
	return s
}

// usage is a section and the plug-in that it is for.
type usage struct{ name, plugin string }

func (c *checker) section(add func(object.Rule, string, string), s usage) {
	rules := pluginRule.In(c.era)
	switch {
	case slices.Contains(rules.Unsupported, s.plugin):
		add(pluginBad, "plug-in "+s.plugin+" is not supported", "one of "+strings.Join(rules.Supported, ", "))
	case slices.Contains(rules.Supported, s.plugin):
	case slices.Contains(known, s.plugin):
		add(pluginBad, "plug-in "+s.plugin+" is not among those that are supported", "one of "+strings.Join(rules.Supported, ", "))
	default:
		add(pluginUnknown, fmt.Sprintf("section [%s] is for no plug-in of TuneD", s.name), "name a plug-in, or add type=")
	}
}

// option checks one setting.
func (c *checker) option(add func(object.Rule, string, string), o *option, all []option) {
	switch i := strings.IndexAny(o.value, "#;"); {
	case i < 0 || o.section == "script" || o.key == "include" || o.key == "summary":
	case o.value[i] == ';' && i > 0 && o.value[i-1] == ' ':
		add(comment, "the text after ; is part of the value: only # begins a comment here", "put the comment on a line of its own")
	case o.value[i] == '#' && i > 0:
		add(comment, "a comment stands after the value: what becomes of it differs by TuneD's version and by the blank before it", "put the comment on a line of its own")
	}
	if o.key == "replace" && isTrue(o.value) && hasInclude(all) && o.section != "main" {
		add(wipes, fmt.Sprintf("replace=%s drops all that [%s] inherits from the included profiles", o.value, o.section), "leave it out, or repeat what is needed; drop= removes single keys")
	}
	if o.section == "sysctl" && isGone(o.key) {
		if oldKernel.In(c.era) {
			return
		}
		add(sysctlGone, o.key+" is gone from kernels of 5.13 and later: TuneD logs an error, and the node's Profile is Degraded", "remove it")
	}
}

func isTrue(value string) bool {
	return slices.Contains([]string{"1", "true", "yes", "y", "t"}, strings.ToLower(value))
}

func hasInclude(all []option) bool {
	return slices.ContainsFunc(all, func(o option) bool { return o.section == "main" && o.key == "include" })
}

// atLine is a finding at a line of a profile's text, which stands below the line of
// its key when it is a block of lines.
func (c *checker) atLine(t *cr, r object.Rule, path, data string, line int, what, fix string) {
	f := at(t, r, path, what, fix)
	if t.Object != nil {
		if n := t.Tree.Node(path); n != nil {
			if first, col, ok := blockStart(t.Tree, n, data); ok {
				f.Place.Line, f.Place.Col = first+line, col
			}
		}
	}
	c.found = append(c.found, f)
}

// blockStart is the line of the file on which a text of several lines begins, found
// by its first line that is not blank.
func blockStart(tree *yamlpos.Tree, n *yamlpos.Node, data string) (line, col int, ok bool) {
	lines := strings.Split(string(tree.Source), "\n")
	skipped := 0
	for text := range strings.Lines(data) {
		want := strings.TrimSpace(text)
		if want == "" {
			skipped++
			continue
		}
		from := max(n.Line-max(tree.First, 1), 0)
		for i := from; i < min(from+skipped+3, len(lines)); i++ {
			if strings.TrimSpace(lines[i]) == want {
				return i + max(tree.First, 1) - skipped, 1 + strings.Index(lines[i], want), true
			}
		}
		return 0, 0, false
	}
	return 0, 0, false
}
