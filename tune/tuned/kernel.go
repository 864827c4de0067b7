package tuned

import "strings"

// KernelCommandLine is what the plug-in bootloader adds to the kernel's command
// line: the options that begin with cmdline, in their order, joined by blanks. +
// before a value adds it, - takes its words out of what was added before. Of
// several sections of the type the last that is applied counts. It is empty when
// nothing is added, or when a value can't be worked out.
func KernelCommandLine(f *Flat) string {
	line, err := kernelLine(f)
	if err != nil {
		return ""
	}
	return line
}

// kernelLine puts the command line together and works it out.
func kernelLine(f *Flat) (string, error) {
	line := ""
	for _, s := range f.Applied() {
		if s.Type == "bootloader" {
			line = bootLine(s.Options)
		}
	}
	e := f.expander
	return e.expand(Unquote(line))
}

// KernelArguments is the command line cut at blanks outside double quotes, as the
// kernel cuts it.
func KernelArguments(f *Flat) []string {
	var out []string
	line, from, inQuotes := KernelCommandLine(f), 0, false
	for i := range len(line) + 1 {
		switch {
		case i == len(line), !inQuotes && (line[i] == ' ' || line[i] >= '\t' && line[i] <= '\r'):
			if i > from {
				out = append(out, line[from:i])
			}
			from = i + 1
		case line[i] == '"':
			inQuotes = !inQuotes
		}
	}
	return out
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
