package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	us := time.Microsecond
	got := table([]row{
		{shape: "1x8", requests: 10, theirs: 1000 * us, fit: 10 * us, into: 8 * us, fits: 5 * us, search: 20 * us},
		{shape: "8x4-smt-pci", requests: 30, theirs: 90000 * us, fit: 90 * us, into: 60 * us, fits: 45 * us,
			search: 180 * us},
	})
	want := `Nova's numa_fit_instance_to_host and ours (mean of a request, in turns)
                 requests         Nova         Fit     ratio     FitInto     ratio        Fits     ratio      Search     ratio
  1x8                  10    100.00 us     1.00 us      100x     0.80 us      125x     0.50 us      200x     2.00 us       50x
  8x4-smt-pci          30   3000.00 us     3.00 us     1000x     2.00 us     1500x     1.50 us     2000x     6.00 us      500x
  all requests         40   2275.00 us     2.50 us      910x     1.70 us     1338x     1.25 us     1820x     5.00 us      455x
  geometric mean                                        316x                  433x                  632x                  158x
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table differs (-want +got):\n%s", diff)
	}
}

// One node of two CPUs: a guest of two fits, a third CPU does not.
const two = `{"sequence":"s","shape":"1x2","host":{"Cells":[{"Dedicated":"0-1","Siblings":["0","1"],"Memory":1024,` +
	`"Pages":[{"Size":4,"Total":262144}]}],"CPUAllocationRatio":1,"RAMAllocationRatio":1}}
{"id":0,"request":{"VCPUs":2,"Memory":512,"CPUPolicy":"dedicated","Cells":[{"PCPUs":"0-1","Memory":512}]},` +
	`"answer":{"cells":[{"page":4,"pins":[[0,0],[1,1]]}]}}
{"id":1,"request":{"VCPUs":1,"Memory":512,"CPUPolicy":"dedicated","Cells":[{"PCPUs":"0","Memory":512}]},"answer":null}
{"release":0}
{"id":2,"request":{"VCPUs":3,"Memory":512,"CPUPolicy":"dedicated","Cells":[{"PCPUs":"0-2","Memory":512}]},"answer":null}
`

func TestCheck(t *testing.T) {
	for _, c := range []struct{ name, input, want string }{
		{"agrees", two, "3 requests, Nova's search fails on 0, 0 answers differ"},
		{"other pins", strings.Replace(two, "[1,1]", "[1,0]", 1), "s, request 0: Fit: pins"},
		{"other verdict", strings.Replace(two, `"0-2","Memory"`, `"0-1","Memory"`, 1),
			"s, request 2: Fit: fits: Nova says false, we say true"},
		{"fault", strings.Replace(two, `"answer":null`, `"answer":null,"fault":true,"right":null`, 1), "fails on"},
	} {
		var out strings.Builder
		err := run([]string{"-check"}, strings.NewReader(c.input), &out)
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %v, output:\n%s", c.name, err, out.String())
		}
		if differ := strings.Contains(c.name, "other"); differ != errors.Is(err, errDiffer) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct{ args, input, want string }{
		{"-check", "{", "line 1"},
		{"-check", `{"release":0}`, "no sequence has begun"},
		{"-check", `{"sequence":"s","host":{}} {}`, "neither a sequence, a request nor a release"},
		{"", "", "no recorded requests here"},
		{"-oracle no-such-script-anywhere x.gz", "", "no-such-script-anywhere"},
		{"-most x", "", "invalid value"},
	} {
		err := run(strings.Fields(c.args), strings.NewReader(c.input), &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.args, err, c.want)
		}
	}
}
