package derive

import (
	"fmt"
	"math"
	"strconv"
	"unicode"
)

// Eval computes a formula over named numbers. The language is that of a
// pocket calculator:
//
//   - - * / ^ ( )        ^ binds tightest and to the right
//     ceil floor round log2 abs sqrt   one argument
//     min max sum                      one or more arguments
//     if(c, a, b)                      a when c is not 0, else b
//     gt(a, b) ge(a, b)                1 when a > b, a >= b, else 0
//
// It returns an error for anything else: an unknown name, a wrong number of
// arguments, a division by zero.
func Eval(formula string, names map[string]float64) (float64, error) {
	return eval(formula, func(name string) (float64, bool) {
		v, ok := names[name]
		return v, ok
	})
}

// Solve computes a formula of the program's own over the inputs. A formula that
// can't be computed is a Fault, with which it panics.
func Solve(formula string, in ...Input) float64 {
	v, err := eval(formula, numbers(in))
	if err != nil {
		panic(Fault{err})
	}
	return v
}

// Fault is a formula of the program that can't be computed: a name without an input,
// a slip in the text, a division by zero. No scenario may lead to one. The tests plan
// every example and thousands of random scenarios and panic with it; the command line
// tells it as a fault of the program.
type Fault struct{ Err error }

func (f Fault) Error() string { return "fault of the program: " + f.Err.Error() }

// Unwrap is what is wrong with the formula.
func (f Fault) Unwrap() error { return f.Err }

// fewInputs is up to how many inputs a search one by one is faster than a map.
const fewInputs = 16

// numbers finds the number of an input by its name; of two with the same name the
// last one counts.
func numbers(in []Input) func(string) (float64, bool) {
	if len(in) <= fewInputs {
		return func(name string) (float64, bool) {
			for i := len(in) - 1; i >= 0; i-- {
				if in[i].Name == name {
					return in[i].Value.Number, true
				}
			}
			return 0, false
		}
	}
	names := make(map[string]float64, len(in))
	for _, i := range in {
		names[i.Name] = i.Value.Number
	}
	return func(name string) (float64, bool) {
		v, ok := names[name]
		return v, ok
	}
}

func eval(formula string, names func(string) (float64, bool)) (float64, error) {
	p := parser{text: formula, names: names}
	v := p.sum()
	p.space()
	if p.err == nil && p.at < len(p.text) {
		p.fail("unexpected %q", p.text[p.at:])
	}
	if p.err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		p.fail("the result is not a finite number")
	}
	return v, p.err
}

// Check evaluates the figure's formula over its inputs and compares it with
// the value, up to the rounding of float64. A figure without formula passes.
func (f Figure) Check() error {
	if f.Formula == "" {
		return nil
	}
	got, err := eval(f.Formula, numbers(f.Inputs))
	if err != nil {
		return fmt.Errorf("%s: %w", f.ID, err)
	}
	if diff := math.Abs(got - f.Value.Number); diff > 1e-9*math.Max(1, math.Abs(got)) {
		return fmt.Errorf("%s: %s gives %v, the figure says %v", f.ID, f.Formula, got, f.Value.Number)
	}
	return nil
}

// Verify checks every figure of the book and returns what does not hold.
func (b *Book) Verify() []error {
	var errs []error
	for _, f := range b.figures {
		if err := f.Check(); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// maxDepth bounds the nesting of parentheses, signs and powers, so that a formula from a file
// can't exhaust the stack.
const maxDepth = 100

type parser struct {
	text  string
	names func(string) (float64, bool)
	at    int
	depth int
	err   error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("formula %q, column %d: %s", p.text, p.at+1, fmt.Sprintf(format, args...))
	}
}

func (p *parser) space() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

func (p *parser) take(c byte) bool {
	p.space()
	if p.err == nil && p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) sum() float64 {
	v := p.product()
	for p.err == nil {
		switch {
		case p.take('+'):
			v += p.product()
		case p.take('-'):
			v -= p.product()
		default:
			return v
		}
	}
	return v
}

func (p *parser) product() float64 {
	v := p.power()
	for p.err == nil {
		switch {
		case p.take('*'):
			v *= p.power()
		case p.take('/'):
			d := p.power()
			if d == 0 {
				p.fail("division by zero")
				return 0
			}
			v /= d
		default:
			return v
		}
	}
	return v
}

func (p *parser) power() float64 {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		p.fail("nested too deeply")
		return 0
	}
	if p.take('-') {
		return -p.power()
	}
	v := p.atom()
	if p.take('^') {
		return math.Pow(v, p.power())
	}
	return v
}

func (p *parser) atom() float64 {
	if p.take('(') {
		v := p.sum()
		if !p.take(')') {
			p.fail("missing )")
		}
		return v
	}
	p.space()
	word := p.word()
	if word == "" {
		p.fail("a number or a name is missing")
		return 0
	}
	if word[0] >= '0' && word[0] <= '9' || word[0] == '.' {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			p.fail("%q is not a number", word)
		}
		return v
	}
	if p.take('(') {
		return p.call(word)
	}
	v, ok := p.names(word)
	if !ok {
		p.fail("unknown name %q", word)
	}
	return v
}

// word takes letters, digits, dots and underscores, the alphabet of names and
// numbers. Exponents ("1e9") are numbers.
func (p *parser) word() string {
	start := p.at
	for p.at < len(p.text) {
		c := rune(p.text[p.at])
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '.' {
			break
		}
		p.at++
	}
	return p.text[start:p.at]
}

func (p *parser) call(name string) float64 {
	var args []float64
	for p.err == nil {
		args = append(args, p.sum())
		if !p.take(',') {
			break
		}
	}
	if !p.take(')') {
		p.fail("missing ) after %s(", name)
		return 0
	}
	v, ok := apply(name, args)
	if !ok {
		p.fail("no function %s with %d arguments", name, len(args))
	}
	return v
}

// Ceil is the least integer not below v. It forgives the rounding of float64:
// 100 * (1 + 0.1) is 110.00000000000001 and counts as 110.
func Ceil(v float64) float64 { return math.Ceil(v-slack(v)) + 0 } // + 0: -0 becomes 0

// Floor is the greatest integer not above v, with the forgiveness of Ceil.
func Floor(v float64) float64 { return math.Floor(v+slack(v)) + 0 }

func slack(v float64) float64 { return 1e-12 * math.Max(1, math.Abs(v)) }

var oneArg = map[string]func(float64) float64{
	"ceil": Ceil, "floor": Floor, "round": math.Round,
	"log2": math.Log2, "abs": math.Abs, "sqrt": math.Sqrt,
}

func apply(name string, args []float64) (float64, bool) {
	if f, ok := oneArg[name]; ok && len(args) == 1 {
		return f(args[0]), true
	}
	v := args[0]
	switch {
	case name == "min", name == "max", name == "sum":
		for _, a := range args[1:] {
			switch name {
			case "min":
				v = math.Min(v, a)
			case "max":
				v = math.Max(v, a)
			default:
				v += a
			}
		}
		return v, true
	case name == "if" && len(args) == 3:
		if v != 0 {
			return args[1], true
		}
		return args[2], true
	case name == "gt" && len(args) == 2:
		return truth(v > args[1]), true
	case name == "ge" && len(args) == 2:
		return truth(v >= args[1]), true
	}
	return 0, false
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
