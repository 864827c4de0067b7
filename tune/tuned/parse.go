package tuned

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"plimsoll.dev/api/v1alpha1"
)

// Source is the text of a profile and where it stands.
type Source struct {
	// Body is the text.
	Body string
	// File is the name for messages.
	File string
	// Object and Field say where in the file the text is, if it is a field of a
	// Kubernetes object: "Tuned/ingress", "spec.profile[0].data".
	Object, Field string
	// Where says where in the file a line and a column of the text are, all from 1; nil
	// for a text that is the whole file.
	Where func(line, col int) (int, int)
}

// at is the place of a line and a column of the text.
func (s *Source) at(line, col int) v1alpha1.Place {
	if s.Where != nil {
		line, col = s.Where(line, col)
	}
	return v1alpha1.Place{File: s.File, Object: s.Object, Field: s.Field, Line: line, Col: col}
}

// maxSource is the size in bytes of the largest profile that is read, maxFindings
// the most findings that are told of one.
const (
	maxSource   = 256 << 10
	maxFindings = 1000
)

// File is a text in TuneD's language as TuneD's parser sees it.
type File struct {
	// Sections in the order in which their names came first, but [DEFAULT].
	Sections []FileSection
	// Defaults are the options of [DEFAULT], which every section has as well.
	Defaults []FileOption
	// Refused says that TuneD reads nothing of the file.
	Refused bool
}

// FileSection is a section of a file.
type FileSection struct {
	Name string
	// Place of its first header.
	Place   v1alpha1.Place
	Options []FileOption
}

// FileOption is a key with its value.
type FileOption struct {
	Key, Value string
	// NoValue is set for a key without =, which only files of variables may have.
	NoValue bool
	Place   v1alpha1.Place
}

// all are the options of a section with those of [DEFAULT] that it lacks.
func (f *File) all(s FileSection) []FileOption {
	out := s.Options
	for _, d := range f.Defaults {
		if indexOption(s.Options, d.Key) < 0 {
			out = append(out[:len(out):len(out)], d)
		}
	}
	return out
}

func indexOption(list []FileOption, key string) int {
	for i := range list {
		if list[i].Key == key {
			return i
		}
	}
	return -1
}

// Parse reads a profile as TuneD does. It returns every problem at once: errors
// where TuneD refuses the file, warnings where it takes something for what the
// writer hardly meant.
func Parse(s Source) (*File, []v1alpha1.Finding) {
	p := &parser{source: &s, index: map[string]int{}}
	p.read(s.Body)
	return &p.file, p.found[:min(len(p.found), maxFindings)]
}

// defaultSection is the section that lends its options to all.
const defaultSection = "DEFAULT"

// parser is the state of Python's configparser between two lines.
type parser struct {
	source *Source
	file   File
	found  []v1alpha1.Finding
	// bare allows keys without =, and text before the first section.
	bare bool
	// index of each section; current is the one that lines belong to, -1 for none
	// and -2 for [DEFAULT].
	index   map[string]int
	current int
	// option of the current section that an indented line continues; nil for none, else
	// it points to last.
	option *FileOption
	last   FileOption
	lines  []string
	indent int
	// joins counts the lines that were joined to the option.
	joins int
	// keys of each section, to find an option fast.
	keys []map[string]int
	// fault is the name of the Python error that a file of variables dies of.
	fault string
}

const (
	noSection   = -1
	inDefaults  = -2
	bareSection = "(variables)"
)

// read goes through the lines.
func (p *parser) read(body string) {
	p.current = noSection
	if p.bare {
		p.enter(bareSection, 1, 0)
	}
	switch {
	case len(body) > maxSource:
		p.refuse(TooLarge, 1, 1, fmt.Sprintf("the profile has %d bytes", len(body)),
			fmt.Sprintf("at most %d are read", maxSource))
		return
	case !utf8.ValidString(body):
		p.refuseBytes(body)
		return
	}
	body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
	number := 0
	for line := range strings.Lines(body) {
		number++
		if !p.line(line, number) {
			break
		}
	}
	p.end()
}

func (p *parser) refuseBytes(body string) {
	for i, line := 0, 1; i < len(body); {
		r, size := utf8.DecodeRuneInString(body[i:])
		if r == utf8.RuneError && size == 1 {
			p.refuse(NotUTF8, line, 1, fmt.Sprintf("the byte 0x%02x is not UTF-8: TuneD stops with an error", body[i]),
				"save the profile as UTF-8")
			p.fault = "UnicodeDecodeError"
			return
		}
		if r == '\n' {
			line++
		}
		i += size
	}
}

// line takes one line; it says whether reading goes on.
func (p *parser) line(line string, number int) bool {
	text, comment := uncomment(line)
	text = strip(text)
	if text == "" {
		if !comment && p.option != nil && !p.option.NoValue {
			p.lines = append(p.lines, "")
		}
		return true
	}
	indent := utf8.RuneCountInString(line) - utf8.RuneCountInString(strings.TrimLeftFunc(line, isSpace))
	if p.option != nil && indent > p.indent {
		return p.join(text, number, indent)
	}
	p.end()
	p.indent = indent
	if name, rest, ok := header(text); ok {
		p.enter(name, number, indent)
		p.checkHeader(name, rest, number, indent)
		return true
	}
	if p.current == noSection {
		p.missingSection(text, number, indent)
		return false
	}
	p.assign(text, number, indent)
	return true
}

// uncomment cuts off a comment: # at the start or after a blank, and lines that
// begin with # or ;.
func uncomment(line string) (text string, comment bool) {
	trimmed := strings.TrimLeftFunc(line, isSpace)
	if strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, ";") {
		return "", true
	}
	for from := 0; ; {
		i := strings.IndexByte(line[from:], '#')
		if i < 0 {
			return line, false
		}
		i += from
		if r, _ := utf8.DecodeLastRuneInString(line[:i]); i == 0 || isSpace(r) {
			return line[:i], true
		}
		from = i + 1
	}
}

// header reads [name], and what stands behind the last bracket.
func header(text string) (name, rest string, ok bool) {
	last := strings.LastIndexByte(text, ']')
	if text[0] != '[' || last < 2 {
		return "", "", false
	}
	return text[1:last], text[last+1:], true
}

// enter makes a section the current one.
func (p *parser) enter(name string, number, indent int) {
	if name == defaultSection {
		p.current = inDefaults
		p.note(DefaultSection, number, indent+1, "[DEFAULT] gives its options to every section of the file",
			"write them into the sections that need them")
		return
	}
	i, known := p.index[name]
	if !known {
		i = len(p.file.Sections)
		p.index[name] = i
		p.file.Sections = append(p.file.Sections, FileSection{Name: name, Place: p.source.at(number, indent+1)})
		p.keys = append(p.keys, nil)
	}
	p.current = i
}

// assign takes key=value.
func (p *parser) assign(text string, number, indent int) {
	key, value, ok := strings.Cut(text, "=")
	key = strings.TrimRightFunc(key, isSpace)
	switch {
	case ok && key == "":
		p.refuse(NoKey, number, indent+1, fmt.Sprintf("%q has no key: TuneD refuses the whole file", clip(text)),
			"write key=value")
		p.fault = "ParsingError"
		return
	case !ok && !p.bare:
		p.noValue(text, number, indent)
		return
	}
	p.last = FileOption{Key: key, NoValue: !ok, Place: p.source.at(number, indent+1)}
	p.option = &p.last
	p.lines, p.joins = append(p.lines[:0], strip(value)), 0
	p.checkComment(value, number)
}

// join takes an indented line, which continues the value before it.
func (p *parser) join(text string, number, indent int) bool {
	if p.option.NoValue {
		p.refuse(NoValue, number, indent+1, "an indented line continues a key without a value: TuneD stops with an error",
			"write key=value")
		p.fault = "AttributeError"
		return false
	}
	p.lines = append(p.lines, text)
	p.joins++
	p.checkJoin(text, number, indent)
	return true
}

// end closes the option that was being read. The last of several values of a
// key counts, in the place of the first.
func (p *parser) end() {
	o := p.option
	if o == nil {
		return
	}
	p.option = nil
	if o.Value = p.lines[0]; len(p.lines) > 1 {
		o.Value = strings.TrimRightFunc(strings.Join(p.lines, "\n"), isSpace)
	}
	list := &p.file.Defaults
	if p.current >= 0 {
		list = &p.file.Sections[p.current].Options
	}
	i := p.find(*list, o.Key)
	if i < 0 {
		if *list == nil {
			*list = make([]FileOption, 0, few)
		}
		*list = append(*list, *o)
		return
	}
	if old := (*list)[i]; old.Value != o.Value {
		p.duplicate(old, *o)
	}
	(*list)[i] = *o
}

// find looks a key up among the options of the current section; in long sections it
// remembers where a new one will stand.
func (p *parser) find(list []FileOption, key string) int {
	if p.current < 0 || len(list) < few {
		return indexOption(list, key)
	}
	keys := p.keys[p.current]
	if keys == nil {
		keys = make(map[string]int, 4*few)
		for i := range list {
			keys[list[i].Key] = i
		}
		p.keys[p.current] = keys
	}
	i, ok := keys[key]
	if !ok {
		keys[key] = len(list)
		return -1
	}
	return i
}
