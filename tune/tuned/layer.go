package tuned

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll.dev/api/v1alpha1"
)

// From is where a value comes from.
type From struct {
	// Profile that sets it.
	Profile string         `json:"profile"`
	Place   v1alpha1.Place `json:"place"`
}

// Earlier is a value that was overridden.
type Earlier struct {
	Value string `json:"value"`
	From  From   `json:"from"`
}

// layer is a profile as it stands in its file, ready to be merged.
type layer struct {
	name, dir string
	place     v1alpha1.Place
	refused   bool
	main      table
	include   *Option
	units     []*unit
	found     []v1alpha1.Finding
}

// unit is a section of a profile.
type unit struct {
	name string
	at   v1alpha1.Place
	// attributes are the options that every section knows, whatever its type: those
	// of the names in reserved.
	attributes map[string]Option
	replace    bool
	drop       []string
	options    table
}

// The options that belong to the section and not to its plug-in.
var reserved = []string{"type", "enabled", "replace", "drop", "devices", "devices_udev_regex", "cpuinfo_regex",
	"uname_regex", "script_pre", "script_post"}

const profileDir = "${i:PROFILE_DIR}"

// newLayer parses a profile whose folder is below dir.
func newLayer(dir string, p Profile) *layer {
	source := p.Source
	l := &layer{name: p.Name, dir: normalPath(joinPath(dir, p.Name))}
	source.File = cmp.Or(source.File, l.dir+"/tuned.conf")
	f, found := Parse(source)
	l.place, l.refused, l.found = source.at(1, 1), f.Refused, found
	if fault := NameFault(p.Name); fault != "" {
		l.found = append(l.found, finding(ProfileName, l.place, fmt.Sprintf("the profile name %q %s", p.Name, fault),
			nameAdvice))
	}
	l.take(f)
	l.check()
	return l
}

// take makes sections of what stands in the file.
func (l *layer) take(f *File) {
	for _, s := range f.Sections {
		options := l.options(f.all(s))
		if s.Name != "main" {
			l.units = append(l.units, newUnit(s, options))
			continue
		}
		for _, o := range options {
			if o.Key == "include" {
				l.include = &o
				continue
			}
			l.main.set(o)
		}
	}
}

// options makes options of what stands in a section.
func (l *layer) options(list []FileOption) []Option {
	out := make([]Option, len(list))
	for i, f := range list {
		o := Option{Key: f.Key, Written: replaceUnescaped(f.Value, profileDir, l.dir),
			From: From{Profile: l.name, Place: f.Place}}
		if f.Key == "script" {
			o.Scripts = []string{normalPath(joinPath(l.dir, o.Written))}
			o.Written = o.Scripts[0]
		}
		out[i] = o
	}
	return out
}

// replaceUnescaped replaces a text wherever no backslash stands before it.
func replaceUnescaped(text, old, by string) string {
	if !strings.Contains(text, old) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], old) && (i == 0 || text[i-1] != '\\') {
			b.WriteString(by)
			i += len(old)
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

func newUnit(s FileSection, options []Option) *unit {
	u := &unit{name: s.Name, at: s.Place, attributes: map[string]Option{}}
	u.options.list = make([]Option, 0, len(options))
	for _, o := range options {
		switch {
		case !slices.Contains(reserved, o.Key):
			u.options.set(o)
		case o.Key == "replace":
			u.replace = isTrue(o.Written)
			u.attributes[o.Key] = o
		case o.Key == "drop":
			u.drop = splitDrop(o.Written)
			u.attributes[o.Key] = o
		default:
			u.attributes[o.Key] = o
		}
	}
	return u
}

// isTrue says which texts switch enabled and replace on.
func isTrue(text string) bool { return text == "True" || text == "true" || text == "1" }

// splitDrop cuts the list of drop at commas and semicolons, but only where a word
// ends before them, or before the blanks that stand before them.
func splitDrop(text string) []string {
	var out []string
	from := 0
	for at := 0; at < len(text); {
		end, ok := separator(text, at)
		if !ok {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		out = append(out, text[from:at])
		from, at = end, end
	}
	return append(out, text[from:])
}

// separator matches \b\s*[,;]\s* at a position and says where it ends.
func separator(text string, at int) (end int, ok bool) {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	if (at > 0 && isWord(before)) == isWord(after) {
		return 0, false
	}
	rest := strings.TrimLeftFunc(text[at:], isSpace)
	if rest == "" || rest[0] != ',' && rest[0] != ';' {
		return 0, false
	}
	rest = strings.TrimLeftFunc(rest[1:], isSpace)
	return len(text) - len(rest), true
}

// splitInclude cuts a list of profiles at commas and semicolons with the blanks
// around them.
func splitInclude(text string) []string {
	var parts []string
	from := 0
	for i := range len(text) {
		if text[i] == ',' || text[i] == ';' {
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	parts = append(parts, text[from:])
	for i := range parts {
		if i > 0 {
			parts[i] = strings.TrimLeftFunc(parts[i], isSpace)
		}
		if i < len(parts)-1 {
			parts[i] = strings.TrimRightFunc(parts[i], isSpace)
		}
	}
	return parts
}
