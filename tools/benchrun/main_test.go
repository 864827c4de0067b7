package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	ms := func(list ...int) (out []sample) {
		for _, n := range list {
			out = append(out, sample{time: time.Duration(n) * time.Millisecond, peak: int64(n) << 20})
		}
		return out
	}
	got := table("plan", []string{"bin/plimsoll", "plan", "in/x.yaml"}, []string{"bin/plimsoll", "version"}, ms(30, 20, 100), ms(10, 12, 8))
	want := `plan (3 runs each, in turns)
                             median       least        most  peak memory
  plimsoll plan x.yaml      30.0 ms     20.0 ms    100.0 ms    100.0 MiB
  plimsoll version          10.0 ms      8.0 ms     12.0 ms     12.0 MiB
  ratio                       3.00x
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table differs (-want +got):\n%s", diff)
	}
}

func TestMedian(t *testing.T) {
	for want, list := range map[time.Duration][]time.Duration{5: {5}, 6: {5, 7}, 7: {5, 7, 100}} {
		if got := median(list); got != want {
			t.Errorf("median of %v is %v, want %v", list, got, want)
		}
	}
}

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run([]string{"-runs", "2", "--", "sh", "-c", "exit 3", "--", "true"}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "(2 runs each") || !strings.Contains(out.String(), "ratio") {
		t.Errorf("output: %s", out.String())
	}
}

func TestRunRefuses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "give a command and its peer"},
		{"-- true", "give a command and its peer"},
		{"-- true --", "give a command and its peer"},
		{"-runs 0 -- true -- true", "at least one run"},
		{"-- false -- true", "exit status 1"},
		{"-- true -- no-such-program-anywhere", "no-such-program-anywhere"},
	} {
		err := run(strings.Fields(c.args), &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.args, err, c.want)
		}
	}
}
