package tuned

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
)

// maxText is the size in bytes of the longest text that variables and functions
// may come to; maxWork of all that is worked out in a load, on the way included.
const (
	maxText = 1 << 20
	maxWork = 16 << 20
)

// expander works out variables and functions in texts, as they are defined so far.
type expander struct {
	machine Machine
	values  map[string]string
	// names in the order of their definition; numbered holds those that are numbers,
	// which TuneD takes for a count of dollar signs.
	names    []string
	numbered bool
	found    []v1alpha1.Finding
	// work is the size of what was worked out so far.
	work int
	// holes are texts that the node alone knows; behind are the files of variables among
	// them, after which any name may be defined.
	holes  []hole
	behind []string
	// supposed are the variables that follow from what is assumed of the machine, and
	// supposes whether the text that was worked out last does.
	supposed map[string]bool
	supposes bool
	// quiet keeps findings back: the same text was worked out before.
	quiet bool
	// at is where the text stands, what it is the value of: "net.core.somaxconn".
	at   v1alpha1.Place
	what string
}

func (e *expander) note(r object.Rule, what, fix string) {
	if !e.quiet {
		e.found = append(e.found, finding(r, e.at, fmt.Sprintf("%s %s", e.what, e.show(what)), e.show(fix)))
	}
}

// define makes a variable of what was worked out last, or replaces its value.
func (e *expander) define(name, value string) {
	if e.supposes && e.supposed == nil {
		e.supposed = map[string]bool{}
	}
	if e.supposes || e.supposed != nil {
		e.supposed[name] = e.supposes
	}
	if _, known := e.values[name]; !known {
		e.names = append(e.names, name)
		e.numbered = e.numbered || isDecimal(name)
	}
	e.values[name] = value
}

// expand works out variables, then functions, and takes away the backslashes that
// kept some from it.
func (e *expander) expand(text string) (string, error) {
	e.supposes = false
	if strings.IndexByte(text, '$') < 0 && !e.numbered && strings.IndexByte(text, '}') < 0 {
		return text, nil
	}
	if e.miscounts(text) {
		out, _, err := e.open(hole{text: text, needs: []string{"what TuneD makes of a variable that is named by a number"}})
		return out, err
	}
	text = e.checkUndefined(text)
	text = unescapeVariables(e.substitute(text))
	if err := e.bound(len(text), len(text)); err != nil {
		return "", err
	}
	if text == "" {
		return "", nil
	}
	text, err := e.call(text)
	if err != nil {
		return "", err
	}
	return unescapeFunctions(text), nil
}

// bound stops what no profile needs: a text that is too long, or too much work.
func (e *expander) bound(size, work int) error {
	if e.work += work; size <= maxText && e.work <= maxWork {
		return nil
	}
	return &aborts{TooLarge,
		fmt.Sprintf("comes to more than %d bytes, or the whole profile to more than %d", maxText, maxWork), ""}
}

// substitute replaces the names of variables that no backslash stands before.
func (e *expander) substitute(text string) string {
	if len(e.names) == 0 {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, "${")
		if i < 0 {
			break
		}
		end := strings.IndexByte(text[i:], '}')
		if end < 0 {
			break
		}
		value, known := e.values[text[i+2:i+end]]
		if escaped := i > 0 && text[i-1] == '\\'; !known || escaped || isDecimal(text[i+2:i+end]) {
			b.WriteString(text[:i+2])
			text = text[i+2:]
			continue
		}
		e.supposes = e.supposes || e.supposed[text[i+2:i+end]]
		b.WriteString(text[:i])
		b.WriteString(value)
		if text = text[i+end+1:]; b.Len() > maxText {
			break
		}
	}
	b.WriteString(text)
	return b.String()
}

// miscounts reports whether TuneD replaces something else than the names of variables
// in a text: for a variable whose name is a number N, it is N dollar signs, and for 0
// the gaps between all characters.
func (e *expander) miscounts(text string) bool {
	return e.numbered && slices.ContainsFunc(e.names, func(name string) bool {
		n, err := strconv.Atoi(name)
		return isDecimal(name) && err == nil && n <= len(text) && strings.Contains(text, strings.Repeat("$", n))
	})
}

// unescapeVariables makes \${name} ${name}.
func unescapeVariables(text string) string {
	if !strings.Contains(text, `\${`) {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, `\${`)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		rest := text[i+3:]
		if end := strings.IndexFunc(rest, isNotWord); end > 0 && rest[end] == '}' {
			b.WriteString(text[:i] + text[i+1:i+3+end+1])
			text = rest[end+1:]
			continue
		}
		b.WriteString(text[:i+1])
		text = text[i+1:]
	}
}

// unescapeFunctions makes \${f:...} ${f:...}, for the first of a line that has a
// closing brace behind it.
func unescapeFunctions(text string) string {
	if !strings.Contains(text, `\${f:`) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if at := strings.Index(line, `\${f:`); at >= 0 && strings.Contains(line[at+5:], "}") {
			lines[i] = line[:at] + line[at+1:]
		}
	}
	return strings.Join(lines, "\n")
}

// call works the functions of a text out, the inner ones first. It goes through
// the text as TuneD does, byte by byte, on the text as it changes.
func (e *expander) call(text string) (string, error) {
	type opening struct {
		at      int
		escaped bool
	}
	var open []opening
	escaped := false
	for at := 0; at < len(text); at++ {
		switch {
		case text[at] == '}' && len(open) == 0:
			e.checkBraces(text, at)
			return text, nil
		case text[at] == '}':
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if last.escaped {
				break
			}
			out, done, err := e.function(text[last.at:at])
			if err != nil {
				return "", err
			}
			if done {
				if err := e.bound(len(text)+len(out), at-last.at+len(out)); err != nil {
					return "", err
				}
				text = text[:last.at] + out + text[at+1:]
				at = max(last.at+len(out)-1, 0)
			}
		case strings.HasPrefix(text[at:], "${"):
			open = append(open, opening{at, escaped})
		}
		escaped = at < len(text) && text[at] == '\\'
	}
	if len(open) > 0 {
		e.note(Braces, fmt.Sprintf("has a ${ without its }: %q", clip(text[open[0].at:])), "close each ${ with }")
	}
	return text, nil
}

// function works out ${f:name:arguments, without its closing brace. It says
// whether there is a result; if not, the text stays. Of what the node alone knows
// the result is a hole.
func (e *expander) function(text string) (string, bool, error) {
	parts := splitColons(text)
	if parts[0] != "${f" {
		if maybe := strings.HasPrefix(parts[0], "${"+mark) || strings.HasPrefix(parts[0], "${f"+mark); maybe {
			return e.derived(text, nil)
		}
		return "", false, nil
	}
	if len(parts) < 2 {
		return "", false, &aborts{Crash, "has ${f}, a function without a name", "IndexError"}
	}
	name, args := parts[1], parts[2:]
	if strings.Contains(name, mark) {
		return e.derived(text, nil)
	}
	if !isWordOnly(strings.TrimSuffix(name, "\n")) {
		e.note(UnknownFunction, fmt.Sprintf("calls a function named %q", clip(name)), "write ${f:name:argument}")
		return "", false, nil
	}
	f, known := function(name)
	switch {
	case !known || !e.machine.TuneD.has(f):
		e.note(UnknownFunction, fmt.Sprintf("calls the function %s, which %s doesn't have", name, e.machine.TuneD),
			suggestFunction(name, e.machine.TuneD))
		return "", false, nil
	case strings.Contains(text, mark):
		return e.derived(text, f.outcomes(args))
	case !f.takes(len(args)):
		e.note(Arguments, fmt.Sprintf("gives %d arguments to %s", len(args), name), f.arguments())
		return "", false, nil
	}
	return e.run(f, text, args)
}

// run runs a function whose arguments are known.
func (e *expander) run(f builtin, text string, args []string) (string, bool, error) {
	if err := e.bound(0, searching(f, args)); err != nil {
		return "", false, err
	}
	out, err := f.run(&e.machine, args)
	var stay *stays
	switch {
	case err == nil:
		e.supposes = e.supposes || e.machine.Assumed != "" && slices.Contains(countable, f.needs)
		return strings.ToValidUTF8(out, "\ufffd"), true, nil
	case errors.As(err, &stay):
		if stay.what != "" {
			e.note(stay.rule, fmt.Sprintf("calls %s, which %s", f.name, strings.TrimPrefix(stay.what, "which ")), stay.fix)
		}
		if stay.needs != "" {
			return e.open(hole{text: text + "}", needs: []string{stay.needs}, outcomes: f.outcomes(args)})
		}
		return "", false, nil
	}
	return "", false, err
}

// splitColons cuts at colons that no backslash stands before, and takes the
// backslashes before the others away.
func splitColons(text string) []string {
	var out []string
	from := 0
	for i := range len(text) {
		if text[i] == ':' && (i == 0 || text[i-1] != '\\') {
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	out = append(out, text[from:])
	for i, part := range out {
		out[i] = strings.ReplaceAll(part, `\:`, ":")
	}
	return out
}

func suggestFunction(name string, in Release) string {
	if f, known := function(name); known {
		return fmt.Sprintf("leave it to nodes with TuneD 2.%d or later", f.since)
	}
	var names []string
	for _, f := range builtins {
		if in.has(f) {
			names = append(names, f.name)
		}
	}
	return suggest(name, names)
}

// checkBraces notes the brace at which TuneD stops, if functions stand behind it.
func (e *expander) checkBraces(text string, at int) {
	what := fmt.Sprintf("has a } without its ${: %q", clip(text))
	if strings.Contains(text[at:], "${f:") {
		what += ", so that the functions behind it are not worked out"
	}
	e.note(Braces, what, "leave it if the brace is meant so and no function follows")
}

// checkUndefined notes variables that nothing has defined. Behind a file of variables
// that is not known they are holes.
func (e *expander) checkUndefined(text string) string {
	var seen []string
	for at := 0; ; {
		i := strings.Index(text[at:], "${")
		if i < 0 {
			return text
		}
		escaped := at+i > 0 && text[at+i-1] == '\\'
		at += i + 2
		end := strings.IndexFunc(text[at:], isNotWord)
		if end <= 0 || text[at+end] != '}' || escaped {
			continue
		}
		name := text[at : at+end]
		if _, known := e.values[name]; known {
			continue
		}
		if len(e.behind) > 0 {
			if out, ok, _ := e.open(hole{text: "${" + name + "}", needs: e.behind}); ok {
				text = text[:at-2] + out + text[at+end+1:]
				at += len(out) - 2
				continue
			}
		}
		if !slices.Contains(seen, name) {
			seen = append(seen, name)
			e.note(Undefined, fmt.Sprintf("uses the variable %s, which is not defined there", name),
				"define it in [variables], above its use")
		}
	}
}
