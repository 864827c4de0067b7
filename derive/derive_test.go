package derive

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

func TestEval(t *testing.T) {
	names := map[string]float64{"pods": 2200, "perNode": 500, "zero": 0, "a.b": 3}
	for _, c := range []struct {
		formula string
		want    float64
		err     string
	}{
		{"ceil(pods / perNode)", 5, ""},
		{"pods / 20", 110, ""},
		{"1 + 2 * 3 ^ 2", 19, ""},
		{"2 ^ 3 ^ 2", 512, ""},
		{"-2 ^ 2", -4, ""},
		{"(1 + 2) * 3 - 4 / 2", 7, ""},
		{"min(3, 1, 2) + max(3, 1, 2) + sum(1, 2, 3)", 10, ""},
		{"if(gt(pods, 1), 7, 8) + if(ge(zero, 1), 1, 2)", 9, ""},
		{"log2(512) + sqrt(9) + abs(0 - 1) + round(2.5) + floor(1.9)", 17, ""},
		{"a.b * 1e3", 3000, ""},
		{"ceil(100 * (1 + 0.1))", 110, ""},
		{"pods / zero", 0, "division by zero"},
		{"nodes + 1", 0, `unknown name "nodes"`},
		{"ceil(1, 2)", 0, "no function ceil with 2"},
		{"1 + ", 0, "missing"},
		{"1 2", 0, `unexpected "2"`},
		{"(1", 0, "missing )"},
		{"1..2", 0, "not a number"},
		{"log2(zero)", 0, "not a finite number"},
		{strings.Repeat("(", 5000), 0, "nested too deeply"},
		{strings.Repeat("-", 5000) + "1", 0, "nested too deeply"},
		{strings.Repeat("1 ^ ", 5000) + "1", 0, "nested too deeply"},
	} {
		got, err := Eval(c.formula, names)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: error %v, want %q", c.formula, err, c.err)
		}
		if err == nil && got != c.want {
			t.Errorf("%s = %v, want %v", c.formula, got, c.want)
		}
	}
}

func FuzzEval(f *testing.F) {
	for _, s := range []string{"ceil(a / 2)", "min(1,", "((((", "a^a^a", "if(1,2,3)", "-", "é + 1"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, formula string) {
		_, _ = Eval(formula, map[string]float64{"a": 2})
	})
}

// The checker must find a value that its formula does not give.
func TestCheckFindsAWrongValue(t *testing.T) {
	var b Book
	pods := Given("workload.pods", 2200, "pods")
	b.Calc("good", "", "nodes", "ceil(pods / 500)", In("pods", pods))
	if errs := b.Verify(); len(errs) != 0 {
		t.Fatalf("a right figure: %v", errs)
	}
	b.Found("bad", "", 6, "nodes", "ceil(pods / 500)", In("pods", pods))
	errs := b.Verify()
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "gives 5, the figure says 6") {
		t.Errorf("got %v", errs)
	}
}

// A slip in a formula is a fault of the program: it panics with what is wrong.
func TestFormulaAtFault(t *testing.T) {
	for formula, want := range map[string]string{
		"nodes + 1":   `fault of the program: formula "nodes + 1", column 7: unknown name "nodes"`,
		"pods / zero": "division by zero",
		"ceil(pods":   "missing )",
	} {
		func() {
			defer func() {
				if f, ok := recover().(Fault); !ok || !strings.Contains(f.Error(), want) {
					t.Errorf("%s: got %v, want %s", formula, f, want)
				}
			}()
			Solve(formula, In("pods", Of(3, "pods")), In("zero", Of(0, "pods")))
		}()
	}
}

// Few inputs are searched one by one, many by a map; of two with a name the last counts.
func TestSolveByName(t *testing.T) {
	var many Terms
	want := 0.0
	for i := range 3 * fewInputs {
		many.Product(In(fmt.Sprintf("n%d", i), Of(float64(i), "")), In(fmt.Sprintf("m%d", i), Of(2, "")))
		want += 2 * float64(i)
		if got := Solve(many.Sum(), many.In...); got != want {
			t.Fatalf("%d terms: %v, want %v", i+1, got, want)
		}
	}
	if got := Solve("n", In("n", Of(1, "")), In("n", Of(2, ""))); got != 2 {
		t.Errorf("got %v, want the last", got)
	}
	var none Terms
	if none.Sum() != "0" || none.Of("max") != "0" || many.Of("max")[:15] != "max(n0 * m0, n1" {
		t.Errorf("got %q, %q, %q", none.Sum(), none.Of("max"), many.Of("max"))
	}
}

func TestBookReplacesAndCites(t *testing.T) {
	var b Book
	b.Calc("a", "first", "nodes", "1")
	b.Calc("b", "", "nodes", "9")
	v := b.Calc("a", "second", "nodes", "2")
	b.Note("a", "a note", Source{Code: "OCP", Section: "9.3"})
	if v.From.String() != "figure a" || v.Text != "2 nodes" {
		t.Errorf("got %v from %v", v, v.From)
	}
	list := b.Figures()
	if len(list) != 2 || list[0].Title != "second" || list[0].Notes[0] != "a note" ||
		list[0].Sources[0].String() != "OCP 9.3" {
		t.Errorf("got %+v", list)
	}
}

// Nothing rounds to nothing, without a sign.
func TestNoNegativeZero(t *testing.T) {
	for _, v := range []float64{0, 1e-13, -1e-13, math.Copysign(0, -1)} {
		if up, down := Ceil(v), Floor(v); up != 0 || math.Signbit(up) || down != 0 || math.Signbit(down) {
			t.Errorf("%v: up %v, down %v", v, up, down)
		}
	}
}

func TestCeilFloorForgive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1_000_000).Draw(t, "n")
		f := float64(rapid.Int64Range(1, 1000).Draw(t, "f")) / 1000
		if got := Ceil(float64(n) / f * f); got != float64(n) {
			t.Fatalf("Ceil(%d / f * f) = %v", n, got)
		}
		if got := Floor(float64(n) / f * f); got != float64(n) {
			t.Fatalf("Floor(%d / f * f) = %v", n, got)
		}
	})
}
