package report

import (
	"strings"
	"unicode"

	"plimsoll.dev/derive"
)

// explanation is a figure with its formula worked out.
type explanation struct {
	derive.Figure
	// Numbers is the formula with its inputs' numbers in base units.
	Numbers string
	// Result is what the formula gives, in base units.
	Result string
	// Problem says that the formula does not give the figure's value.
	Problem string
}

// explain evaluates the figure's formula anew.
func explain(f derive.Figure) explanation {
	e := explanation{Figure: f}
	if f.Formula == "" {
		return e
	}
	names := make(map[string]float64, len(f.Inputs))
	for _, in := range f.Inputs {
		names[in.Name] = in.Value.Number
	}
	e.Numbers = substitute(f.Formula, names)
	if got, err := derive.Eval(f.Formula, names); err == nil {
		e.Result = grouped(got)
	}
	if err := f.Check(); err != nil {
		e.Problem = err.Error()
	}
	return e
}

// substitute puts numbers in place of the names of a formula. Names of
// functions and unknown names stay.
func substitute(formula string, names map[string]float64) string {
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '.' }
	var out strings.Builder
	for rest := formula; rest != ""; {
		end := strings.IndexFunc(rest, func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			next := strings.IndexFunc(rest, isWord)
			if next < 0 {
				next = len(rest)
			}
			out.WriteString(rest[:next])
			rest = rest[next:]
			continue
		}
		word := rest[:end]
		rest = rest[end:]
		v, known := names[word]
		switch {
		case !known || strings.HasPrefix(strings.TrimLeft(rest, " "), "("):
			out.WriteString(word)
		case v < 0:
			out.WriteString("(" + plain(v) + ")")
		default:
			out.WriteString(plain(v))
		}
	}
	return out.String()
}

// how is the formula, or the method in words.
func (e explanation) how() string {
	if e.Formula != "" {
		return e.Formula
	}
	return e.Method
}

// numbers is a formula with numbers and what it gives.
func numbers(formula, result string) string {
	if result == "" || formula == plainOf(result) {
		return formula
	}
	return formula + " = " + result
}

// plainOf takes the commas out of a number.
func plainOf(grouped string) string { return strings.ReplaceAll(grouped, ",", "") }
