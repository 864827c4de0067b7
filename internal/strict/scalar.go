package strict

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"plimsoll.dev/internal/yamlpos"
)

// scalar decodes text, booleans and numbers.
func (d *decoding) scalar(n *yamlpos.Node, v reflect.Value, f *field, path string) {
	if n.Kind == yamlpos.Null {
		d.noValue(n, path)
		return
	}
	switch v.Kind() {
	case reflect.String:
		d.text(n, v, f, path)
	case reflect.Bool:
		d.boolean(n, v, path)
	case reflect.Float64:
		d.float(n, v, path)
	case reflect.Int, reflect.Int32, reflect.Int64:
		d.whole(n, v, f, path)
	default:
		panic("strict: no way to read a " + v.Type().String())
	}
}

func (d *decoding) text(n *yamlpos.Node, v reflect.Value, f *field, path string) {
	switch {
	case n.Kind == yamlpos.Text, n.Kind == yamlpos.Int && f.check != nil && f.check.Numbers:
		v.SetString(n.Text)
	case f.plain && (n.Kind == yamlpos.Int || n.Kind == yamlpos.Float || n.Kind == yamlpos.Bool):
		v.SetString(n.Text)
	case n.Kind == yamlpos.List, n.Kind == yamlpos.Map:
		d.wrongType(n, path, yamlpos.Text.String(), "write one value")
	case f.check != nil && f.check.Test(n.Text) != nil:
		d.wrongType(n, path, yamlpos.Text.String(), "write it like "+f.check.Sample)
	default:
		d.wrongType(n, path, yamlpos.Text.String(), "quote it: "+strconv.Quote(n.Text))
	}
}

func (d *decoding) boolean(n *yamlpos.Node, v reflect.Value, path string) {
	if n.Kind == yamlpos.Bool {
		v.SetBool(strings.EqualFold(n.Text, "true"))
		return
	}
	fix := "write true or false"
	switch strings.ToLower(n.Text) {
	case "yes", "on", "y", "1", "true":
		fix = "write true"
	case "no", "off", "n", "0", "false":
		fix = "write false"
	}
	d.wrongType(n, path, yamlpos.Bool.String(), fix)
}

func (d *decoding) float(n *yamlpos.Node, v reflect.Value, path string) {
	if n.Kind != yamlpos.Int && n.Kind != yamlpos.Float {
		d.wrongType(n, path, yamlpos.Float.String(), numberFix(n))
		return
	}
	x, err := strconv.ParseFloat(n.Text, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		d.bad(n, path, shown(n)+" is not a number that can be computed with", "write a decimal number such as 1.5")
		return
	}
	v.SetFloat(x)
}

func (d *decoding) whole(n *yamlpos.Node, v reflect.Value, f *field, path string) {
	if n.Kind == yamlpos.Float {
		d.bad(n, path, shown(n)+" is not a whole number", roundFix(n.Text))
		return
	}
	if n.Kind != yamlpos.Int {
		d.wrongType(n, path, yamlpos.Int.String(), numberFix(n))
		return
	}
	if plain, ok := decimalOf(n.Text); !ok {
		d.bad(n, path, shown(n)+" is not a decimal number", "write "+plain)
		return
	}
	x, err := strconv.ParseInt(n.Text, 10, 64)
	switch {
	case (err != nil || v.OverflowInt(x)) && strings.HasPrefix(n.Text, "-"):
		d.bad(n, path, shown(n)+" is too small", d.leastFix(v, f))
	case err != nil || v.OverflowInt(x):
		d.bad(n, path, shown(n)+" is too large", d.mostFix(v, f))
	default:
		v.SetInt(x)
	}
}

// decimalOf returns the decimal form of a number that is written in another
// base or with leading zeros, which some programs read as octal; ok says that
// it was decimal already.
func decimalOf(text string) (plain string, ok bool) {
	digits := strings.TrimLeft(text, "+-")
	switch {
	case len(digits) > 2 && digits[0] == '0' && strings.ContainsAny(digits[1:2], "xob"):
		x, err := strconv.ParseInt(digits, 0, 64)
		if err != nil {
			return "a decimal number", false
		}
		return strconv.FormatInt(x, 10), false
	case len(digits) > 1 && digits[0] == '0':
		if digits = strings.TrimLeft(digits, "0"); digits == "" {
			digits = "0"
		}
		return digits, false
	}
	return text, true
}

var (
	number    = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	separated = regexp.MustCompile(`^[0-9]{1,3}([_, '][0-9]{3})+$`)
	withWord  = regexp.MustCompile(`^([0-9]+) ?[a-zA-Z]+$`)
)

// numberFix guesses the number in a text: quoted, with separators, or with a
// word behind it.
func numberFix(n *yamlpos.Node) string {
	if n.Kind != yamlpos.Text {
		return "write one number"
	}
	if number.MatchString(n.Text) {
		return "remove the quotes"
	}
	if separated.MatchString(n.Text) {
		return "write " + strings.NewReplacer("_", "", ",", "", " ", "", "'", "").Replace(n.Text)
	}
	if m := withWord.FindStringSubmatch(n.Text); m != nil && len(m[1]) < len(n.Text) {
		return "write " + yamlpos.Shorten(m[1])
	}
	return "write a number"
}

// roundFix offers the whole numbers around a fraction.
func roundFix(text string) string {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.Abs(x) > 1e15:
		return "write a whole number"
	case x == math.Trunc(x):
		return fmt.Sprintf("write %.0f", x)
	}
	return fmt.Sprintf("write %.0f or %.0f", math.Floor(x), math.Ceil(x))
}

// shown is a number as written, shortened when it is very long.
func shown(n *yamlpos.Node) string { return strings.Trim(yamlpos.Quote(n.Text), `"`) }
