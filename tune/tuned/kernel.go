package tuned

import (
	"slices"
	"strings"
)

// CommandLine is what the plug-in bootloader adds to the kernel's command line.
type CommandLine struct {
	// Text is empty when nothing is added, or when a value can't be worked out.
	Text string `json:"text"`
	// Unknown is what of the node it depends on that is not known: then Text has the
	// functions that ask for it as they are written, and the node adds something else.
	Unknown []string `json:"unknown,omitempty"`
	// Assumed is Machine.Assumed where the text follows from it.
	Assumed string `json:"assumed,omitempty"`
}

// Kernel is what a profile adds to the kernel's command line: the options that begin
// with cmdline, in their order, joined by blanks. + before a value adds it, - takes
// its words out of what was added before. Of several sections of the type the last
// that is applied counts.
func Kernel(f *Flat) CommandLine {
	e := f.expander
	raw, err := kernelLine(f, &e)
	if err != nil {
		return CommandLine{}
	}
	line := CommandLine{Text: e.show(raw), Unknown: e.needs(raw)}
	for _, n := range f.decided() {
		if !slices.Contains(line.Unknown, n) {
			line.Unknown = append(line.Unknown, n)
		}
	}
	if e.supposes {
		line.Assumed = e.machine.Assumed
	}
	return line
}

// decided is what of the node decides which sections of the plug-in there are.
func (f *Flat) decided() []string {
	out := slices.Clip(f.Unknown)
	for _, s := range f.Applied() {
		if s.Type == "bootloader" {
			out = append(out, s.Unknown...)
		}
	}
	return out
}

// kernelLine puts the command line together and works it out.
func kernelLine(f *Flat, e *expander) (string, error) {
	line := ""
	for _, s := range f.Applied() {
		if s.Type == "bootloader" {
			line = bootLine(s.Options)
		}
	}
	return e.expand(Unquote(line))
}

// bootLine puts the options cmdline* together.
func bootLine(options []Option) string {
	line := ""
	for _, o := range options {
		value := o.Written
		if !strings.HasPrefix(o.Key, "cmdline") || value == "" {
			continue
		}
		rest := strip(value[1:])
		switch {
		case value[0] == '+', len(value) > 1 && value[0] == '\\' && strings.IndexByte(`\+-`, value[1]) >= 0:
			if rest != "" {
				line += " " + rest
			}
		case value[0] == '-':
			for word := range strings.FieldsFuncSeq(rest, isSpace) {
				line = takeOut(line, word)
			}
		default:
			line += " " + value
		}
	}
	return strip(line)
}

// takeOut takes every occurrence of a word away, with the blank before it.
func takeOut(line, word string) string {
	var b strings.Builder
	fields := fieldsWithBlanks(line)
	for _, f := range fields {
		if f.word == word {
			if f.blanks != "" {
				r := []rune(f.blanks)
				b.WriteString(string(r[:len(r)-1]))
			}
			continue
		}
		b.WriteString(f.blanks + f.word)
	}
	return b.String()
}

// field is a word with the blanks before it.
type field struct{ blanks, word string }

func fieldsWithBlanks(line string) []field {
	var out []field
	for line != "" {
		rest := strings.TrimLeftFunc(line, isSpace)
		blanks := line[:len(line)-len(rest)]
		end := strings.IndexFunc(rest, isSpace)
		if end < 0 {
			end = len(rest)
		}
		out = append(out, field{blanks, rest[:end]})
		line = rest[end:]
	}
	return out
}
