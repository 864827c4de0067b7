package machineconfig

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"plimsoll.dev/release"
)

// merger joins Ignition configurations in order.
type merger struct {
	*decoder
	release release.Release
	files   map[string]*mergedFile
	units   map[string]*mergedUnit
	// entries are the lists, "directories" or "links", by path.
	entries  map[string]string
	sections map[string]*things
	users    things
	groups   things
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

func newMerger(r release.Release, d *decoder) *merger {
	return &merger{decoder: d, release: r, files: map[string]*mergedFile{}, units: map[string]*mergedUnit{},
		entries: map[string]string{}, sections: map[string]*things{}}
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
	if byPath.In(m.release) {
		m.version = newestVersion
		m.merge(name, c)
	} else {
		m.write(name, c)
	}
	for k, list := range c.sections {
		if m.sections[k] == nil {
			m.sections[k] = &things{}
		}
		m.sections[k].join(list, byPath.In(m.release))
	}
	m.users.join(c.users, byPath.In(m.release))
	m.groups.join(c.groups, byPath.In(m.release))
}

// things are joined lists of what only installation applies.
type things struct {
	list []any
	// at is where the first of each name stands.
	at map[string]int
}

// join adds a list: things of one name are merged where the release does so.
func (t *things) join(more []any, merged bool) {
	for _, item := range more {
		key := keyOf(item)
		i, had := t.at[key]
		if had && merged {
			joined := maps.Clone(t.list[i].(map[string]any))
			maps.Copy(joined, item.(map[string]any))
			t.list[i] = joined
			continue
		}
		if key != "" && !had {
			if t.at == nil {
				t.at = map[string]int{}
			}
			t.at[key] = len(t.list)
		}
		t.list = append(t.list, item)
	}
}

// keyOf is what tells things of a list apart; empty where nothing does.
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
	return &mergedFile{path: f.path, mode: f.mode, overwrite: f.overwrite, source: f.contents.source,
		compression: f.contents.compression,
		hash:        f.contents.hash, user: f.user, group: f.group, append: f.append, contentFrom: name, modeFrom: name}
}

// shadowed are the origins of content that is lost.
func shadowed(old *mergedFile, by string) []string {
	out := slices.Clone(old.shadows)
	if old.contentFrom != by && !slices.Contains(out, old.contentFrom) {
		out = append(out, old.contentFrom)
	}
	return out
}

// merge joins field by field, as today.
func (m *merger) merge(name string, c config) {
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
	if !byPath.In(m.release) {
		return ""
	}
	files := sortedKeys(m.files)
	if what := m.throughLink(files); what != "" {
		return what
	}
	units := m.unitPaths()
	for _, p := range files {
		if f := m.files[p]; f.source == nil && valueOr(f.overwrite, true) {
			return fmt.Sprintf("the file %s has no source: the operator sets overwrite, for which there must be one", p)
		}
		if units[p] {
			return fmt.Sprintf("the file %s is also written as a unit", p)
		}
	}
	return ""
}

// throughLink finds a path below a link, among the files and the entries.
func (m *merger) throughLink(files []string) string {
	entries := sortedKeys(m.entries)
	for _, link := range entries {
		if m.entries[link] != "links" {
			continue
		}
		for _, sorted := range [][]string{files, entries} {
			i, _ := slices.BinarySearch(sorted, link+"/")
			if i < len(sorted) && strings.HasPrefix(sorted[i], link+"/") {
				return fmt.Sprintf("the path %s leads through the link %s", sorted[i], link)
			}
		}
	}
	return ""
}

// unitPaths are the paths that units and their drop-ins are written to.
func (m *merger) unitPaths() map[string]bool {
	out := map[string]bool{}
	for name, u := range m.units {
		if value(u.contents) != "" {
			out[systemdDir+name] = true
		}
		for _, d := range u.dropins {
			if d.Contents != "" {
				out[systemdDir+name+".d/"+d.Name] = true
			}
		}
	}
	return out
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
	out.Version, out.users, out.groups, out.sections = m.version, m.users.list, m.groups.list, map[string][]any{}
	for k, t := range m.sections {
		out.sections[k] = t.list
	}
	for _, p := range sortedKeys(m.files) {
		f := m.files[p]
		out.Files = append(out.Files, f.result(m.release, m.decoder))
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

func (f *mergedFile) result(r release.Release, d *decoder) FileResult {
	mode := valueOr(f.mode, defaultMode)
	out := FileResult{Path: f.path, Mode: fmt.Sprintf("0%o", mode), From: f.contentFrom, Shadows: f.shadows,
		Owner: ownerText(f.user, f.group), raw: f.raw()}
	if f.modeFrom != f.contentFrom && f.mode != nil {
		out.ModeFrom = f.modeFrom
	}
	source := f.source
	if !byPath.In(r) && source == nil {
		source = new(string)
	}
	data, err := d.take(source, f.compression, decompressed.In(r))
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

// rawFile is all of a file that a node compares.
type rawFile struct{ mode, overwrite, owner, compression, hash, source string }

func (f *mergedFile) raw() rawFile {
	out := rawFile{owner: ownerText(f.user, f.group), compression: value(f.compression), hash: value(f.hash),
		source: value(f.source)}
	if f.mode != nil {
		out.mode = itoa(*f.mode)
	}
	if f.overwrite != nil {
		out.overwrite = fmt.Sprint(*f.overwrite)
	}
	return out
}

func ownerText(user, group *string) string {
	if user == nil && group == nil {
		return ""
	}
	return strings.TrimSuffix(value(user)+":"+value(group), ":")
}
