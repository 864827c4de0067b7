package machineconfig

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"plimsoll.dev/tune/era"
)

// merger joins Ignition configurations in order.
type merger struct {
	*decoder
	e     era.Era
	files map[string]*mergedFile
	units map[string]*mergedUnit
	// entries are the lists, "directories" or "links", by path.
	entries  map[string]string
	sections map[string][]any
	users    []any
	groups   []any
	// version is the first MachineConfig's; begun says that there was one.
	version string
	begun   bool
	given   bool
}

// mergedFile is a file with the origin of its parts.
type mergedFile struct {
	path                      string
	mode                      *int64
	overwrite                 *bool
	source, compression, hash *string
	user, group               *string
	append                    bool
	contentFrom, modeFrom     string
	shadows                   []string
}

func newMerger(e era.Era, d *decoder) *merger {
	return &merger{decoder: d, e: e, files: map[string]*mergedFile{}, units: map[string]*mergedUnit{}, entries: map[string]string{}, sections: map[string][]any{}}
}

// join adds a configuration.
func (m *merger) join(name string, c config) {
	if !m.begun {
		m.begun, m.version = true, c.version
	}
	if !c.given {
		return
	}
	m.given = true
	if byPath.In(m.e) {
		m.version = threes[len(threes)-1]
		m.merge(name, c)
	} else {
		m.write(name, c)
	}
	for k, list := range c.sections {
		m.sections[k] = keyed(m.sections[k], list, byPath.In(m.e))
	}
	m.users = keyed(m.users, c.users, byPath.In(m.e))
	m.groups = keyed(m.groups, c.groups, byPath.In(m.e))
}

// keyed joins lists of things: those of one name are merged where the era does so.
func keyed(old, more []any, merged bool) []any {
	out := slices.Clone(old)
	for _, item := range more {
		key := keyOf(item)
		i := slices.IndexFunc(out, func(o any) bool { return merged && key != "" && keyOf(o) == key })
		if i < 0 {
			out = append(out, item)
			continue
		}
		joined := maps.Clone(out[i].(map[string]any))
		maps.Copy(joined, item.(map[string]any))
		out[i] = joined
	}
	return out
}

// keyOf is what tells things of a list apart.
func keyOf(item any) string {
	m, _ := item.(map[string]any)
	for _, k := range []string{"path", "device", "name"} {
		if s, ok := m[k].(string); ok {
			return k + s
		}
	}
	return ""
}

// write has each configuration's files written one after the other, as up to 4.5:
// the last one of a path is the whole file.
func (m *merger) write(name string, c config) {
	for _, f := range c.files {
		next := fromFile(name, f)
		if old := m.files[f.path]; old != nil {
			next.shadows = shadowed(old, name)
		}
		m.files[f.path] = next
	}
	for _, u := range c.units {
		m.unit(u.name).write(name, u)
	}
}

func fromFile(name string, f file) *mergedFile {
	return &mergedFile{path: f.path, mode: f.mode, overwrite: f.overwrite, source: f.contents.source, compression: f.contents.compression,
		hash: f.contents.hash, user: f.user, group: f.group, append: f.append, contentFrom: name, modeFrom: name}
}

// shadowed are the origins of content that is lost.
func shadowed(old *mergedFile, by string) []string {
	out := slices.Clone(old.shadows)
	if old.contentFrom != by && !slices.Contains(out, old.contentFrom) {
		out = append(out, old.contentFrom)
	}
	return out
}

// merge joins field by field, as today. Specification 2 is translated first, in
// which the last one of a path counts.
func (m *merger) merge(name string, c config) {
	if !c.three {
		c = c.translated()
	}
	own := map[string]file{}
	for _, f := range c.files {
		own[f.path] = f
	}
	for _, d := range c.entries {
		delete(m.files, d.path)
		m.entries[d.path] = d.list
	}
	for _, p := range sortedKeys(own) {
		delete(m.entries, p)
		old := m.files[p]
		if old == nil {
			m.files[p] = fromFile(name, own[p])
			continue
		}
		old.take(name, own[p])
	}
	for _, u := range c.units {
		m.unit(u.name).merge(name, u)
	}
}

// translatedFile is a file of specification 2 as one of specification 3.
func translatedFile(f file) file {
	t := true
	f.path = path.Join("/", f.path)
	if f.overwrite == nil {
		f.overwrite = &t
	}
	if value(f.contents.compression) == "" {
		f.contents.compression = nil
	}
	if f.contents.source == nil {
		f.contents.source = new(string)
	}
	return f
}

// take merges a later file of the same path. The operator has each file say its
// compression, so that the earlier one's is lost even where the content stays.
func (f *mergedFile) take(name string, next file) {
	if next.mode != nil {
		f.mode, f.modeFrom = next.mode, name
	}
	if next.contents.source != nil {
		f.shadows = shadowed(f, name)
		f.source, f.contentFrom = next.contents.source, name
	}
	f.compression = next.contents.compression
	f.append = f.append || next.append
	setIf(&f.hash, next.contents.hash)
	setIf(&f.overwrite, next.overwrite)
	setIf(&f.user, next.user)
	setIf(&f.group, next.group)
}

func setIf[T any](to **T, from *T) {
	if from != nil {
		*to = from
	}
}

// failure says why the result can't be used; empty when it can.
func (m *merger) failure() string {
	if m.given && m.version == "" {
		return "the first MachineConfig has no Ignition configuration: the result has no version, and nodes refuse it"
	}
	if !byPath.In(m.e) {
		return ""
	}
	for _, link := range sortedKeys(m.entries) {
		if m.entries[link] != "links" {
			continue
		}
		for _, p := range append(sortedKeys(m.files), sortedKeys(m.entries)...) {
			if strings.HasPrefix(p, link+"/") {
				return fmt.Sprintf("the path %s leads through the link %s", p, link)
			}
		}
	}
	for _, p := range sortedKeys(m.files) {
		if f := m.files[p]; f.source == nil && valueOr(f.overwrite, true) {
			return fmt.Sprintf("the file %s has no source: the operator sets overwrite, for which there must be one", p)
		}
		for _, u := range m.units {
			if u.writes(p) {
				return fmt.Sprintf("the file %s is also written as a unit", p)
			}
		}
	}
	return ""
}

// valueOr is what p points at, or a default for nil.
func valueOr[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// result writes what was joined.
func (m *merger) result(out *PoolConfig) {
	out.Version, out.sections, out.users, out.groups = m.version, m.sections, m.users, m.groups
	for _, p := range sortedKeys(m.files) {
		f := m.files[p]
		out.Files = append(out.Files, f.result(m.e, m.decoder))
		if f.append {
			out.appends = append(out.appends, p)
		}
	}
	for _, name := range sortedKeys(m.units) {
		out.Units = append(out.Units, m.units[name].result())
	}
}

// defaultMode is what the operator gives files without a mode.
const defaultMode = readable

func (f *mergedFile) result(e era.Era, d *decoder) FileResult {
	mode := valueOr(f.mode, defaultMode)
	out := FileResult{Path: f.path, Mode: fmt.Sprintf("0%o", mode), From: f.contentFrom, Shadows: f.shadows, Owner: ownerText(f.user, f.group), raw: f.raw()}
	if f.modeFrom != f.contentFrom && f.mode != nil {
		out.ModeFrom = f.modeFrom
	}
	source := f.source
	if !byPath.In(e) && source == nil {
		source = new(string)
	}
	data, err := d.take(source, f.compression, decompressed.In(e))
	switch {
	case f.append:
		out.Problem = "content is appended, which a running node refuses"
	case errors.Is(err, errUnfolded):
		out.Problem = err.Error()
	case err != nil:
		what, _ := cutFix(err)
		out.Problem = "the source can't be written: " + what
	}
	out.Content, out.Size = data, len(data)
	return out
}

// raw is all that a node compares.
func (f *mergedFile) raw() string {
	mode, overwrite := "", ""
	if f.mode != nil {
		mode = itoa(*f.mode)
	}
	if f.overwrite != nil {
		overwrite = fmt.Sprint(*f.overwrite)
	}
	return strings.Join([]string{mode, overwrite, ownerText(f.user, f.group), value(f.compression), value(f.hash), value(f.source)}, "\n")
}

func ownerText(user, group *string) string {
	if user == nil && group == nil {
		return ""
	}
	return strings.TrimSuffix(value(user)+":"+value(group), ":")
}
