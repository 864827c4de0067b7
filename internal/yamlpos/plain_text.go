package yamlpos

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"unicode/utf8"
)

// onlyPlain says whether there are none of the characters that YAML or this package take for more than themselves.
func onlyPlain(text []byte) bool {
	odd := false
	for _, c := range text {
		odd = odd || c < ' ' && c != '\n' || c >= 0x7f
	}
	if !odd {
		return true
	}
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\n', r >= ' ' && r < 0x7f, r > 0xa0 && r < 0x2028, r > 0x2029 && r < 0xd800, r > 0xe000 && r < 0xfeff,
			r > 0xfeff && r < 0xfff0, r > 0xffff && r <= utf8.MaxRune:
		default:
			return false
		}
		text = text[size:]
	}
	return true
}

// isKey says whether a line begins with a key.
func isKey(line []byte) bool {
	_, _, ok := splitKey(line)
	return ok
}

// splitKey parts a line into its key and what stands behind it.
func splitKey(line []byte) (key, rest []byte, ok bool) {
	if line[0] == '"' || line[0] == '\'' {
		if key, rest, ok = quoted(line); !ok || len(rest) == 0 || rest[0] != ':' {
			return nil, nil, false
		}
		rest = rest[1:]
	} else {
		end := bytes.Index(line, []byte(": "))
		if end < 0 && line[len(line)-1] == ':' {
			end = len(line) - 1
		}
		if end <= 0 || !isPlain(line[:end]) || string(line[:end]) == "<<" {
			return nil, nil, false
		}
		key, rest = line[:end], line[end+1:]
	}
	if len(rest) > 0 && rest[0] != ' ' {
		return nil, nil, false
	}
	return key, bytes.TrimLeft(rest, " "), true
}

// isPlain says whether a text without quotes is a scalar that ends where the text does.
func isPlain(text []byte) bool {
	switch c := text[0]; c {
	case ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	case '-', '?', ':':
		if len(text) == 1 || text[1] == ' ' {
			return false
		}
	}
	last := text[len(text)-1]
	return last != ':' && last != ' ' && !bytes.Contains(text, []byte(": ")) && !bytes.Contains(text, []byte(" #"))
}

// quoted reads a text in quotes that ends in its line, and what stands behind it.
func quoted(line []byte) (text, rest []byte, ok bool) {
	if line[0] == '\'' {
		for at := 1; ; {
			end := bytes.IndexByte(line[at:], '\'')
			if end < 0 {
				return nil, nil, false
			}
			at += end + 1
			if at == len(line) || line[at] != '\'' {
				return bytes.ReplaceAll(line[1:at-1], []byte("''"), []byte("'")), line[at:], true
			}
			at++
		}
	}
	end := 1
	for ; end < len(line) && line[end] != '"'; end++ {
		if line[end] == '\\' {
			end++
		}
	}
	if end >= len(line) {
		return nil, nil, false
	}
	text = line[1:end]
	if bytes.IndexByte(text, '\\') >= 0 {
		if text, ok = unescaped(text); !ok {
			return nil, nil, false
		}
	}
	return text, line[end+1:], true
}

var surrogate = regexp.MustCompile(`^u[dD][89a-fA-F]`)

// unescaped resolves the escapes that JSON has as well.
func unescaped(text []byte) ([]byte, bool) {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; bytes.IndexByte([]byte(`"\/bfnrtu`), text[i]) < 0 {
			return nil, false
		}
		if surrogate.Match(text[i:min(len(text), i+3)]) { // one half of a character, which YAML does not know
			return nil, false
		}
	}
	var out string
	err := json.Unmarshal(slices.Concat([]byte(`"`), text, []byte(`"`)), &out)
	return []byte(out), err == nil && !bytes.ContainsRune([]byte(out), utf8.RuneError)
}

// appendJSON appends a text as JSON has it.
func appendJSON(out, text []byte) []byte {
	out = append(out, '"')
	from := 0
	for i, c := range text {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		out = append(out, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		default:
			const digits = "0123456789abcdef"
			out = append(out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(out, text[from:]...), '"')
}
