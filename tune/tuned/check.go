package tuned

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/schema"
)

// check looks at a profile by itself.
func (l *layer) check() {
	for _, u := range l.units {
		for _, key := range []string{"enabled", "replace"} {
			o, set := u.attributes[key]
			if set && !isTrue(o.Written) && !slices.Contains([]string{"false", "False", "0"}, o.Written) {
				l.found = append(l.found, finding(NotABoolean, o.From.Place,
					fmt.Sprintf("%s=%s of [%s] counts as false", key, clip(o.Written), u.name), "write 1 or 0"))
			}
		}
		if u.name == "variables" {
			l.checkVariables(u)
		}
	}
}

func (l *layer) checkVariables(u *unit) {
	for _, key := range reserved {
		if o, set := u.attributes[key]; set && key != "replace" && key != "drop" {
			l.found = append(l.found, finding(LostVariable, o.From.Place,
				fmt.Sprintf("the variable %s is never defined: the name belongs to sections", key), "choose another name"))
		}
	}
}

// checkSection looks at a finished section.
func (l *load) checkSection(s *Section) {
	p, known := plugins[s.Type]
	if !known {
		at := s.From.Place
		if o := s.Attribute("type"); o != nil {
			at = o.From.Place
		}
		l.note(UnknownPlugin, at, fmt.Sprintf("TuneD has no plug-in %q: [%s] does nothing", clip(s.Type), s.Name),
			suggestPlugin(s.Name, s.Type))
		return
	}
	for _, o := range s.Options {
		switch {
		case o.Key == "priority":
		case o.Key == "script" && s.Type != "script":
			l.note(ScriptPath, o.From.Place, fmt.Sprintf("script of [%s] becomes the path %s", s.Name, clip(o.Written)),
				"run scripts in a section of the type script")
		case s.Type == "sysctl":
			l.checkSysctl(o)
		case s.Type == "vm" && pageValues[o.Key] != nil:
			l.checkPages(o)
		case p.any, slices.Contains(p.options, o.Key), s.Type == "bootloader" && strings.HasPrefix(o.Key, "cmdline"):
		default:
			l.note(UnknownOption, o.From.Place, fmt.Sprintf("the plug-in %s doesn't know %s and drops it", s.Type, clip(o.Key)),
				suggest(o.Key, p.options))
		}
	}
}

// pageValues are what the kernel takes for the options about transparent huge pages.
var pageValues = map[string][]string{
	"transparent_hugepages": {"always", "madvise", "never"}, "transparent_hugepage": {"always", "madvise", "never"},
	"transparent_hugepage.defrag": {"always", "defer", "defer+madvise", "madvise", "never"},
}

// checkPages looks at a value that is worked out whole.
func (l *load) checkPages(o Option) {
	known := pageValues[o.Key]
	if len(o.Unknown) == 0 && o.Fault == "" && !strings.Contains(o.Value, "${") && !slices.Contains(known, o.Value) {
		l.note(PageValue, o.From.Place, fmt.Sprintf("%s=%s is none of its values: it stays as it is", o.Key, clip(o.Value)),
			suggest(o.Value, known))
	}
}

func (l *load) checkSysctl(o Option) {
	last := o.Key[strings.LastIndexAny(o.Key, "./")+1:]
	switch {
	case strings.ContainsFunc(o.Key, isSpace):
		l.note(BlankInKey, o.From.Place, fmt.Sprintf("there is no parameter %q: names have no blanks", clip(o.Key)),
			"write "+strings.Join(strings.FieldsFunc(o.Key, isSpace), "_"))
	case slices.Contains(deprecated, last):
		l.note(Deprecated, o.From.Place, fmt.Sprintf("TuneD refuses to set %s", o.Key), "set "+o.Key+"_ms")
	}
}

func suggestPlugin(section, kind string) string {
	names := slices.Sorted(maps.Keys(plugins))
	if head, _, dotted := strings.Cut(section, "."); dotted && section == kind && slices.Contains(names, head) {
		return "add type=" + head
	}
	return suggest(kind, names)
}

// suggest names the nearest of what is known, or all of it.
func suggest(name string, known []string) string {
	if near := schema.Nearest(name, known); near != "" {
		return "use " + near
	}
	return "use one of " + strings.Join(known, ", ")
}
