package browser

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll.dev/cli"
)

// TestExamples opens the reports of the example scenarios, written by the program
// itself: a plan that does not fit is a plan all the same.
func TestExamples(t *testing.T) {
	browser := start(t)
	scenarios, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(scenarios) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	look := func(name string, html []byte) {
		for _, v := range layouts {
			t.Run(name+"/"+v.name, func(t *testing.T) {
				t.Parallel()
				b := open(t, browser, html, v)
				b.fitsWidth()
				b.picture("closed.png")
				b.openAll()
				b.fitsWidth()
				b.accessible()
				b.quiet()
			})
		}
	}
	for _, scenario := range scenarios {
		look(filepath.Base(scenario), written(t, "plan", scenario))
	}
	for _, name := range []string{"cpu-manager", "topology-manager", "ocp-9.4", "openb", "hcg-figure-16", "hcg-dedicated", "hcg-export"} {
		html := written(t, "place", "../../examples/"+name+".yaml")
		if len(html) > mostBytes {
			t.Errorf("the page of %s has %d bytes, more than %d", name, len(html), mostBytes)
		}
		look("place-"+name, html)
	}
	look("pack-shop", written(t, "pack", "../../examples/shop.yaml", "--compare"))
}

// mostBytes is what a page may weigh that is attached to a ticket.
const mostBytes = 1_500_000

// written is the page that the program writes of a scenario.
func written(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, complaints bytes.Buffer
	streams := cli.Streams{In: strings.NewReader(""), Out: &out, Err: &complaints}
	args = append(append([]string{"plimsoll"}, args...), "-o", "html")
	if code := cli.Run(t.Context(), streams, args, func(string) string { return "" }); code != cli.ExitOK && code != cli.ExitNegative {
		t.Fatalf("%s: exit code %d\n%s", args, code, complaints.String())
	}
	return out.Bytes()
}
