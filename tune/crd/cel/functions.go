package cel

import (
	"net/netip"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
)

// function takes between least and most arguments; of a method what it is called on is the first.
type function struct {
	least, most int
	of          func([]any) (any, error)
}

// formats is the value of the name format, and checked what its validators say of a text.
type (
	formats struct{}
	checked struct{ wrong []string }
)

// functions are the functions and methods by name.
var functions = map[string]function{
	"size": {1, 1, size}, "duration": {1, 1, duration}, "split": {2, 3, split},
	"isIP":       {1, 1, ofText(func(a []string) (any, error) { return isIP(a[0]), nil })},
	"lowerAscii": {1, 1, ofText(func(a []string) (any, error) { return lower(a[0]), nil })},
	"contains":   {2, 2, ofText(func(a []string) (any, error) { return strings.Contains(a[0], a[1]), nil })},
	"startsWith": {2, 2, ofText(func(a []string) (any, error) { return strings.HasPrefix(a[0], a[1]), nil })},
	"endsWith":   {2, 2, ofText(func(a []string) (any, error) { return strings.HasSuffix(a[0], a[1]), nil })},
	"matches": {2, 2, ofText(func(a []string) (any, error) {
		re, err := regexp.Compile(a[1])
		return err == nil && re.MatchString(a[0]), err
	})},
	"dns1123Subdomain": {1, 1, func(a []any) (any, error) { return a[0], nil }},
	"validate": {2, 2, func(a []any) (any, error) {
		_, is := a[0].(formats)
		text, ok := a[1].(string)
		if !is || !ok {
			return nil, errOverload
		}
		return checked{validation.IsDNS1123Subdomain(text)}, nil
	}},
	"hasValue": {1, 1, func(a []any) (any, error) {
		c, ok := a[0].(checked)
		if !ok {
			return nil, errOverload
		}
		return len(c.wrong) > 0, nil
	}},
}

// ofText is a function of texts.
func ofText(f func([]string) (any, error)) func([]any) (any, error) {
	return func(args []any) (any, error) {
		texts := make([]string, len(args))
		for i, a := range args {
			var ok bool
			if texts[i], ok = a.(string); !ok {
				return nil, errOverload
			}
		}
		return f(texts)
	}
}

func size(args []any) (any, error) {
	switch v := args[0].(type) {
	case string:
		return int64(utf8.RuneCountInString(v)), nil
	case []any:
		return int64(len(v)), nil
	case map[string]any:
		return int64(len(v)), nil
	}
	return nil, errOverload
}

func duration(args []any) (any, error) {
	text, ok := args[0].(string)
	if !ok {
		return nil, errOverload
	}
	return time.ParseDuration(text)
}

func split(args []any) (any, error) {
	text, ok := args[0].(string)
	by, is := args[1].(string)
	if !ok || !is {
		return nil, errOverload
	}
	most := int64(-1)
	if len(args) > 2 {
		if most, ok = args[2].(int64); !ok {
			return nil, errOverload
		}
	}
	out := []any{}
	for _, part := range strings.SplitN(text, by, int(most)) {
		out = append(out, part)
	}
	return out, nil
}

// isIP takes no zones, and no IPv4 address that is written as an IPv6 one.
func isIP(text string) bool {
	a, err := netip.ParseAddr(text)
	return err == nil && a.Zone() == "" && !a.Is4In6()
}

// lower leaves letters beyond ASCII as they are.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}
