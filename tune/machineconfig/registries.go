package machineconfig

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// registriesFile says where a node pulls images from.
const registriesFile = "/etc/containers/registries.conf"

// registryRule is what an operator makes of a change of registriesFile: that it drains
// always, or looks at what is in it.
type registryRule uint8

const (
	drainsAlways registryRule = iota
	byLocation                // registries are told apart by their location
	byScope                   // by their prefix, where they have one
	byChange                  // and those that stay as they are don't count
	byMirror                  // and each mirror says by itself that it is for digests only
)

// String is the rule for the reference.
func (r registryRule) String() string {
	return [...]string{"drained for every change", "by location", "by prefix or location",
		"new and changed ones alone", "mirror by mirror"}[r]
}

// registries is registriesFile as far as operators read it.
type registries struct {
	search []string
	list   []registry
}

type registry struct {
	prefix, location              string
	blocked, insecure, digestOnly bool
	mirrors                       []mirror
}

type mirror struct {
	location, pull string
	insecure       bool
}

// forDigests is what a mirror says that serves no tags.
const forDigests = "digest-only"

// readRegistries reads the part of TOML in which registriesFile is written; ok is false
// for anything else.
func readRegistries(text string) (out registries, ok bool) {
	table, line := "", ""
	for part := range strings.Lines(text) {
		part, ok = withoutComment(part)
		line = strings.TrimSpace(line + " " + part)
		if !ok {
			return out, false
		}
		key, value, isPair := strings.Cut(line, "=")
		switch {
		case line == "" || isPair && strings.Count(value, "[") > strings.Count(value, "]"):
			continue // of a list more is to come
		case isPair:
			ok = out.set(table, strings.TrimSpace(key), strings.TrimSpace(value))
		default:
			table, ok = line, out.open(line)
		}
		if line = ""; !ok {
			return out, false
		}
	}
	return out, line == ""
}

// withoutComment cuts off a comment; ok is false where a text doesn't end.
func withoutComment(line string) (string, bool) {
	var in byte
	for i := range len(line) {
		switch c := line[i]; {
		case in == 0 && c == '#':
			return line[:i], true
		case in == 0 && (c == '"' || c == '\''):
			in = c
		case in == c && (c == '\'' || line[i-1] != '\\'):
			in = 0
		}
	}
	return line, in == 0
}

// open begins a table.
func (r *registries) open(table string) bool {
	switch table {
	case "[[registry]]":
		r.list = append(r.list, registry{})
	case "[[registry.mirror]]":
		if len(r.list) == 0 {
			return false
		}
		last := &r.list[len(r.list)-1]
		last.mirrors = append(last.mirrors, mirror{})
	}
	return strings.HasPrefix(table, "[") && strings.HasSuffix(table, "]")
}

// set keeps a value that operators look at. Registries and mirrors that are written as
// values, which the operator doesn't do, are not read.
func (r *registries) set(table, key, value string) (ok bool) {
	var to any
	switch {
	case table == "" && key == "unqualified-search-registries":
		r.search, ok = tomlTexts(value)
		return ok
	case table == "[[registry]]":
		g := &r.list[len(r.list)-1]
		to = map[string]any{"prefix": &g.prefix, "location": &g.location, "blocked": &g.blocked, "insecure": &g.insecure,
			"mirror-by-digest-only": &g.digestOnly}[key]
	case table == "[[registry.mirror]]":
		mirrors := r.list[len(r.list)-1].mirrors
		m := &mirrors[len(mirrors)-1]
		to = map[string]any{"location": &m.location, "insecure": &m.insecure, "pull-from-mirror": &m.pull}[key]
	}
	switch to := to.(type) {
	case nil:
		return key != "registry" && key != "mirror"
	case *string:
		*to, ok = tomlText(value)
		return ok
	case *bool:
		*to = value == "true"
		return *to || value == "false"
	}
	return true
}

func tomlText(s string) (string, bool) {
	if inner, ok := strings.CutPrefix(s, "'"); ok {
		return strings.CutSuffix(inner, "'")
	}
	out, err := strconv.Unquote(s)
	return out, err == nil && s[0] == '"'
}

func tomlTexts(s string) (out []string, ok bool) {
	s, isList := strings.CutPrefix(s, "[")
	s, ends := strings.CutSuffix(s, "]")
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue // behind the last comma
		}
		text, ok := tomlText(part)
		if !ok {
			return nil, false
		}
		out = append(out, text)
	}
	return out, isList && ends
}

// scope is what tells a registry from others.
func (g *registry) scope(rule registryRule) string {
	if rule >= byScope && g.prefix != "" {
		return g.prefix
	}
	return g.location
}

// scopes are the registries by what tells them apart, of which the last one counts.
func (r *registries) scopes(rule registryRule) map[string]registry {
	out := map[string]registry{}
	for _, g := range r.list {
		for i := range g.mirrors {
			if rule < byMirror {
				g.mirrors[i].pull = "" // not known then
			}
		}
		out[g.scope(rule)] = g
	}
	return out
}

// drains says why a node is drained when registriesFile changes; empty where it isn't.
func (rule registryRule) drains(before, after string) string {
	old, ok := readRegistries(before)
	now, nowOK := readRegistries(after)
	switch {
	case rule == drainsAlways:
		return "every change of it drains"
	case !ok || !nowOK:
		return "it can't be read as TOML"
	case len(old.search) > len(now.search) || !slices.Equal(old.search, now.search[:len(old.search)]):
		return "a search registry is removed, or their order changes"
	}
	was, is := old.scopes(rule), now.scopes(rule)
	for _, name := range sortedKeys(was) {
		if _, ok := is[name]; !ok {
			return "registry " + name + " is removed"
		}
	}
	for _, name := range sortedKeys(is) {
		g := is[name]
		if why := rule.changed(was, name, &g); why != "" {
			return why
		}
	}
	return ""
}

// changed says what drains in a registry that is new or changed. Up to 4.9 one that is
// not for digests only drains even where it stays as it was.
func (rule registryRule) changed(was map[string]registry, name string, now *registry) string {
	old, ok := was[name]
	same := reflect.DeepEqual(old, *now)
	switch name = "registry " + name; {
	case rule < byMirror && (!ok || rule < byChange && same) && !now.digestOnly:
		return name + " is without mirror-by-digest-only"
	case !ok && rule == byMirror && !now.onlyDigests():
		return name + " is new and not digest-only"
	case !ok || same:
		return ""
	case old.prefix != now.prefix || old.location != now.location:
		return name + " has another prefix or location"
	case old.blocked != now.blocked || old.insecure != now.insecure:
		return "blocked or insecure changes of " + name
	case rule < byMirror && old.digestOnly != now.digestOnly:
		return "mirror-by-digest-only changes of " + name
	}
	if why := rule.mirrors(old.mirrors, now); why != "" {
		return why + ", of " + name
	}
	return ""
}

// mirrors says what drains in the mirrors of a registry.
func (rule registryRule) mirrors(old []mirror, now *registry) string {
	at := func(list []mirror, location string) int {
		return slices.IndexFunc(list, func(m mirror) bool { return m.location == location })
	}
	for _, m := range old {
		if at(now.mirrors, m.location) < 0 {
			return "mirror " + m.location + " is removed"
		}
	}
	for _, m := range now.mirrors {
		digests := rule == byMirror && m.pull == forDigests
		switch i := at(old, m.location); {
		case i < 0 && !digests && !now.digestOnly:
			return "mirror " + m.location + " is new and not digest-only"
		case i >= 0 && rule == byMirror && !digests && old[i].pull != m.pull:
			return "mirror " + m.location + " has another pull-from-mirror"
		}
	}
	return ""
}

// onlyDigests says whether no tag is pulled by the registry's mirrors.
func (g *registry) onlyDigests() bool {
	if len(g.mirrors) == 0 {
		return g.digestOnly
	}
	return !slices.ContainsFunc(g.mirrors, func(m mirror) bool { return m.pull != forDigests })
}
