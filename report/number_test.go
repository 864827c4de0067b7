package report

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

func TestExact(t *testing.T) {
	for want, v := range map[string]derive.Value{
		"":                     derive.Of(2200, "pods"),
		"550,000 millicores":   derive.Of(550e3, unit.Millicores),
		"33,181,138,944 bytes": derive.Of(33181138944, unit.ByteUnit),
		"17 bits":              derive.Of(17, unit.Bits).WithText("10.128.0.0/17"),
		"1.23456 ratio":        derive.Of(1.23456, unit.Ratio),
	} {
		if got := exact(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

func TestPair(t *testing.T) {
	tests := []struct {
		value, limit derive.Value
		pair, bare   [2]string
	}{
		{derive.Of(150, "nodes"), derive.Of(250, "nodes"), [2]string{"150", "250 nodes"}, [2]string{"150", "250"}},
		{derive.Of(1, "nodes"), derive.Of(250, "nodes"), [2]string{"1", "250 nodes"}, [2]string{"1", "250"}},
		{derive.Of(30000, "requests/s"), derive.Of(59028.6, "requests/s"), [2]string{"30,000", "59,029 requests/s"},
			[2]string{"30,000", "59,029"}},
		{derive.Of(5e8, unit.ByteUnit), derive.Of(7e9, unit.ByteUnit), [2]string{"500 MB", "7 GB"},
			[2]string{"500 MB", "7 GB"}},
		{derive.Of(6e9, unit.ByteUnit), derive.Of(7e9, unit.ByteUnit), [2]string{"6", "7 GB"}, [2]string{"6", "7 GB"}},
		{derive.Of(15, unit.Bits).WithText("10.0.0.0/15"), derive.Of(16, unit.Bits).WithText("10.0.0.0/16"),
			[2]string{"10.0.0.0/15", "10.0.0.0/16"}, [2]string{"10.0.0.0/15", "10.0.0.0/16"}},
	}
	for _, tt := range tests {
		v, l := pair(tt.value, tt.limit)
		if diff := cmp.Diff(tt.pair, [2]string{v, l}); diff != "" {
			t.Error(diff)
		}
		v, l = bare(tt.value, tt.limit)
		if diff := cmp.Diff(tt.bare, [2]string{v, l}); diff != "" {
			t.Error(diff)
		}
	}
}

func TestSubstitute(t *testing.T) {
	names := map[string]float64{"pods": 2200, "per.node": 500, "ceil": 1, "x": -2.5}
	for formula, want := range map[string]string{
		"ceil(pods / per.node)": "ceil(2200 / 500)",
		"ceil (pods)":           "ceil (2200)",
		"pods - x * 1e3":        "2200 - (-2.5) * 1e3",
		"unknown + podsx":       "unknown + podsx",
		"":                      "",
	} {
		if got := substitute(formula, names); got != want {
			t.Errorf("%s: %s, want %s", formula, got, want)
		}
	}
}

// TestSubstituteKeepsTheResult: a formula with numbers gives what the formula
// with names gives, so that a reader can check it on a calculator.
func TestSubstituteKeepsTheResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := map[string]float64{}
		for _, n := range []string{"a", "pods", "per.node", "x_1"} {
			names[n] = rapid.OneOf(rapid.Float64Range(-1e15, 1e15),
				rapid.Map(rapid.IntRange(-1e6, 1e6), func(i int) float64 { return float64(i) })).Draw(t, n)
		}
		term := rapid.SampledFrom([]string{"a", "pods", "per.node", "x_1", "3", "0.25", "max(a, pods)", "(pods - x_1)",
			"abs(per.node)", "if(gt(a, 1), pods, 2)"})
		parts := []string{term.Draw(t, "first")}
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			parts = append(parts, rapid.SampledFrom([]string{"+", "-", "*"}).Draw(t, "op"), term.Draw(t, "term"))
		}
		formula := strings.Join(parts, " ")
		want, err := derive.Eval(formula, names)
		if err != nil {
			t.Skip(err)
		}
		got, err := derive.Eval(substitute(formula, names), nil)
		if scale := sumOfSizes(formula, names); err != nil || math.Abs(got-want) > 1e-9*scale {
			t.Fatalf("%s = %v, %s = %v (%v)", formula, want, substitute(formula, names), got, err)
		}
	})
}

// sumOfSizes bounds the terms of a formula, to allow for cancellation.
func sumOfSizes(formula string, names map[string]float64) float64 {
	largest := 10.0
	for _, v := range names {
		largest = math.Max(largest, math.Abs(v))
	}
	return math.Pow(largest*2, float64(strings.Count(formula, "*")+1)) * 10
}

func TestByNumber(t *testing.T) {
	for _, pair := range [][2]string{{"2.4", "2.10"}, {"9.1", "10"}, {"9", "9.1"}, {"2", "Appendix"}} {
		if byNumber(pair[0], pair[1]) >= 0 || byNumber(pair[1], pair[0]) <= 0 {
			t.Errorf("%s should come before %s", pair[0], pair[1])
		}
	}
}
