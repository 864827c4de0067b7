package template

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

var generated = regexp.MustCompile(`(\[[^\]]+\]|\\[wdaA])(\{(\d{1,3})\})?`)

// StandIn is a text that fits a template's "from" expression and is always the same: for each
// range, such as [a-z0-9]{8}, its first character so many times.
func StandIn(from string) string {
	return generate(from, func(signs string) byte { return signs[0] })
}

// Random is a text that fits a template's "from" expression, drawn from r. Each character of a
// range may come, its last one included (which pkg/template/generator of library-go never draws).
func Random(r *rand.Rand) func(from string) string {
	return func(from string) string {
		return generate(from, func(signs string) byte { return signs[r.IntN(len(signs))] })
	}
}

// longest is more than any expression needs.
const longest = 1024

func generate(from string, pick func(signs string) byte) string {
	return generated.ReplaceAllStringFunc(from[:min(len(from), longest)], func(part string) string {
		m := generated.FindStringSubmatch(part)
		times := 1
		if m[3] != "" {
			times, _ = strconv.Atoi(m[3])
		}
		signs := signsOf(strings.TrimSuffix(strings.TrimPrefix(m[1], "["), "]"))
		out := make([]byte, min(times, 255))
		for i := range out {
			out[i] = pick(signs)
		}
		return string(out)
	})
}

const (
	small   = "abcdefghijklmnopqrstuvwxyz"
	large   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
	symbols = "~!@#$%^&*()-_+={}[]\\|<,>.?/\"';:`"
)

// signsOf are the characters of a class such as a-zA-Z0-9 or \w, in the order in which it names them.
func signsOf(class string) string {
	var b strings.Builder
	for i := 0; i < len(class); i++ {
		switch {
		case class[i] == '\\' && i+1 < len(class):
			i++
			b.WriteString(classOf(class[i]))
		case i+2 < len(class) && class[i+1] == '-' && class[i] <= class[i+2]:
			for c := int(class[i]); c <= int(class[i+2]); c++ {
				b.WriteByte(byte(c))
			}
			i += 2
		default:
			b.WriteByte(class[i])
		}
	}
	return b.String()
}

func classOf(letter byte) string {
	switch letter {
	case 'w':
		return small + large + digits + "_"
	case 'd':
		return digits
	case 'a':
		return small + large + digits
	case 'A':
		return symbols
	}
	return string(letter)
}
