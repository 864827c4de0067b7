package tuned

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// TuneD is written in Python; what a blank, a word or a number is follows Python.

// isSpace is str.isspace and \s.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// isWord is \w.
func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

func isNotWord(r rune) bool { return !isWord(r) }

// strip is str.strip.
func strip(s string) string { return strings.TrimFunc(s, isSpace) }

// isWordOnly is \w+ over a whole text.
func isWordOnly(s string) bool { return s != "" && strings.IndexFunc(s, isNotWord) < 0 }

// isDecimal is str.isdecimal, of ASCII digits.
func isDecimal(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// maxDigits are the decimal digits of the longest number that int() reads.
const maxDigits = 4300

// number is int(s, base): blanks around, a sign, digits with single underscores
// between them, for base 16 with or without 0x.
func number(s string, base int) (*big.Int, bool) {
	s = strip(s)
	digits, negative := strings.CutPrefix(s, "-")
	if !negative {
		digits = strings.TrimPrefix(s, "+")
	}
	if base == 16 && len(digits) > 1 && strings.EqualFold(digits[:2], "0x") {
		digits = strings.TrimPrefix(digits[2:], "_")
	}
	if digits == "" || digits[0] == '_' || digits[len(digits)-1] == '_' || strings.Contains(digits, "__") ||
		strings.ContainsAny(digits, "+-") {
		return nil, false
	}
	digits = strings.ReplaceAll(digits, "_", "")
	if base == 10 && len(digits) > maxDigits {
		return nil, false
	}
	n, ok := new(big.Int).SetString(digits, base)
	if ok && negative {
		n.Neg(n)
	}
	return n, ok
}

// half is int(round(n / 2)): division of floats, halves rounded to even. It is
// not ok where the float overflows.
func half(n *big.Int) (*big.Int, bool) {
	f, _ := new(big.Rat).SetFrac(n, big.NewInt(2)).Float64()
	if math.IsInf(f, 0) {
		return nil, false
	}
	out, _ := big.NewFloat(math.RoundToEven(f)).Int(nil)
	return out, true
}

// normalPath is os.path.normpath, of what may be no clean path.
func normalPath(p string) string {
	if p == "" {
		return "."
	}
	roots := len(p) - len(strings.TrimLeft(p, "/"))
	if roots != 2 {
		roots = min(roots, 1)
	}
	var out []string
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case part == "" || part == ".":
		case part != ".." || roots == 0 && (len(out) == 0 || out[len(out)-1] == ".."):
			out = append(out, part)
		case len(out) > 0:
			out = out[:len(out)-1]
		}
	}
	if clean := "//"[:roots] + strings.Join(out, "/"); clean != "" {
		return clean
	}
	return "."
}

// joinPath is os.path.join of two parts.
func joinPath(dir, p string) string {
	switch {
	case strings.HasPrefix(p, "/"), dir == "":
		return p
	case strings.HasSuffix(dir, "/"):
		return dir + p
	}
	return dir + "/" + p
}

// baseName is os.path.basename.
func baseName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// quoted is repr of a text.
func quoted(s string) string {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b := []byte{quote}
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case unicode.IsPrint(r):
			b = append(b, string(r)...)
		case r <= 0xff:
			b = fmt.Appendf(b, `\x%02x`, r)
		default:
			b = append(b, strings.Trim(strconv.QuoteRuneToASCII(r), "'")...)
		}
	}
	return string(append(b, quote))
}
