package tuned

import (
	"slices"
	"strings"
)

// A hole is a text that the node alone knows: what a function comes to that asks for
// a fact which the Machine doesn't have, or is given a hole. It stands for one unit
// that no expression looks into, so that a call is never cut at the colons of what
// was not worked out; TuneD, which knows the text, cuts the call at other places.
type hole struct {
	// text is how it is written, with the inner ones as they are written.
	text string
	// needs is what of the node it depends on.
	needs []string
	// outcomes are the texts that it may come to, where these are few.
	outcomes []string
}

// A hole is written as a byte that no UTF-8 has, and three that continue a sign.
const (
	mark     = "\xff"
	markSize = 4
	maxHoles = 1 << 18
	maxNeeds = 16 // told of a value; more are left out
)

// open makes a hole.
func (e *expander) open(h hole) (string, bool, error) {
	if len(e.holes) >= maxHoles {
		return "", false, &aborts{TooLarge, "asks the node too often", ""}
	}
	h.text = e.show(h.text)
	if err := e.bound(len(h.text), len(h.text)); err != nil {
		return "", false, err
	}
	n := len(e.holes)
	e.holes = append(e.holes, h)
	return mark + string([]byte{0x80 | byte(n>>12), 0x80 | byte(n>>6)&0x3f, 0x80 | byte(n)&0x3f}), true, nil
}

// derived is the hole of a call that has holes, without its closing brace.
func (e *expander) derived(call string, outcomes []string) (string, bool, error) {
	return e.open(hole{text: call + "}", needs: e.needs(call), outcomes: outcomes})
}

// hole is the one at the beginning of a text.
func (e *expander) hole(text string) *hole {
	return &e.holes[int(text[1]&0x3f)<<12|int(text[2]&0x3f)<<6|int(text[3]&0x3f)]
}

// show writes holes as they are written in the profile.
func (e *expander) show(text string) string {
	if !strings.Contains(text, mark) {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, mark)
		if i < 0 || len(text) < i+markSize {
			b.WriteString(strings.ReplaceAll(text, mark, "..."))
			return b.String()
		}
		b.WriteString(text[:i] + e.hole(text[i:]).text)
		if text = text[i+markSize:]; b.Len() > maxText {
			return b.String()
		}
	}
}

// needs is what of the node a text depends on, each once.
func (e *expander) needs(text string) []string {
	var out []string
	for {
		i := strings.Index(text, mark)
		if i < 0 || len(out) >= maxNeeds {
			return out
		}
		for _, n := range e.hole(text[i:]).needs {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
		text = text[i+markSize:]
	}
}

// fill gives an option the value that was worked out last.
func (l *load) fill(o *Option, value string) {
	e := &l.expander
	o.Value, o.Unknown = e.show(value), e.needs(value)
	if e.supposes {
		o.Assumed = e.machine.Assumed
	}
}

// outcomes are the arguments of which a function gives one, or nothing.
func (f builtin) outcomes(args []string) []string {
	var out []string
	switch f.name {
	case "virt_check":
		out = args
	case "regex_search_ternary":
		out = args[min(2, len(args)):]
	case "cpuinfo_check", "lscpu_check":
		for i, arg := range args {
			if i%2 == 1 || i == len(args)-1 {
				out = append(out, arg)
			}
		}
		if len(args)%2 == 0 {
			out = append(out, "")
		}
	}
	return out
}
