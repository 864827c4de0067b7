package ends

import (
	"errors"
	"testing"
)

// took is a sample during which others used so many CPUs.
type took float64

func (s took) Foreign() float64 { return float64(s) }

func (s took) Disturbed() string {
	if s > 0.2 {
		return "others"
	}
	return ""
}

// What was disturbed is taken once more, as long as there is any left, and the less disturbed counts.
func TestRetake(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		takes []took
		left  int
		want  took
		taken int
	}{
		"left alone": {[]took{0.1, 9}, 1, 0.1, 1},
		"better":     {[]took{0.9, 0.1}, 1, 0.1, 2},
		"less bad":   {[]took{0.9, 0.5}, 1, 0.5, 2},
		"worse":      {[]took{0.5, 0.9}, 1, 0.5, 2},
		"none left":  {[]took{0.9, 0.1}, 0, 0.9, 1},
	} {
		n, left, repeated := 0, c.left, 0
		got, err := Retake(&left, &repeated, func() (took, error) { n++; return c.takes[n-1], nil })
		if err != nil || got != c.want || n != c.taken || repeated != c.taken-1 || left != c.left-repeated {
			t.Errorf("%s: %v, %v after %d, %d left, %d repeated", name, got, err, n, left, repeated)
		}
	}
	left, repeated := 1, 0
	if _, err := Retake(&left, &repeated, func() (took, error) { return 0, broken }); err != broken || repeated != 0 {
		t.Errorf("%v", err)
	}
}
