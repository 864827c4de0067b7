package report

import (
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// Digits are the means of what lies in a column, as ninths of the largest amount or limit.
func TestCourseDigits(t *testing.T) {
	c := v1alpha1.Curve{Amounts: []float64{0, 0, 10, 10, 0, 10, 1, 0}, Limits: []v1alpha1.LevelLimit{{Amount: 20}}}
	for columns, want := range map[int]string{8: "..55.50.", 4: ".520", 16: "....5555..5500..", 1: "2"} {
		if got := digits(c, columns); got != want {
			t.Errorf("%d columns: %s, want %s", columns, got, want)
		}
	}
}

// Times below a second have their own marks; those of a scale are powers of ten.
func TestFineTimes(t *testing.T) {
	if got := fineTick(3*fineStep(2.2, 5), fineStep(2.2, 5)); got != "1.5 s" {
		t.Error(got)
	}
	if got := fineStep(90, 6); got != 15 {
		t.Error(got)
	}
	for s, want := range map[float64]string{0.001: "1 ms", 0.0123456: "12.3 ms", 0: "0 s", 1.234: "1.23 s",
		90: "1 min 30 s"} {
		if got := secondsText(s); got != want {
			t.Errorf("%v is %s, want %s", s, got, want)
		}
	}
	drawn := spreadCharts(&v1alpha1.Spread{Rows: []v1alpha1.SpreadRow{{Limit: 100,
		Marks: []v1alpha1.SpreadMark{{At: 0.0002, Low: 0.0002, High: 0.0005}}}}}).List[0].Drawing
	for _, want := range []string{">100 µs<", ">1 ms<", ">1 s<", ">100 s<"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("no tick %s", want)
		}
	}
}
