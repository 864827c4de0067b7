package cli_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// figures of a plan that are of no pod type, and its limits. What is of one has its name, by which things are ordered.
func figures(t *testing.T, text string) map[string]float64 {
	t.Helper()
	var made struct {
		Verdict struct{ Fits bool }
		Figures []struct {
			ID    string
			Value struct{ Number float64 }
		}
		Gauges []struct {
			ID    string
			Value struct{ Number float64 }
		}
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	if made.Verdict.Fits {
		out["fits"] = 1
	}
	for _, f := range made.Figures {
		if !strings.Contains(f.ID, "[") {
			out[f.ID] = f.Value.Number
		}
	}
	for _, g := range made.Gauges {
		if !strings.Contains(g.ID, "[") {
			out["limit "+g.ID] = g.Value.Number
		}
	}
	return out
}

// TestAnonymised: with pseudonyms the figures are the same, for selectors, owners and affinity still match; and the
// names are gone.
func TestAnonymised(t *testing.T) {
	names := map[string]*regexp.Regexp{
		made(t, 300):                         regexp.MustCompile(`team-\d|app-\d|registry|ip-10|quay`),
		examplesDir + "/snapshot-small.json": regexp.MustCompile(`shop|registry|master-0`),
	}
	for snapshot, gone := range names {
		_, kubeconfig := serve(t, snapshot)
		plain, anonymous := taken(t, kubeconfig), taken(t, kubeconfig, "--anonymise")
		want := figures(t, answer(t, "plan", "--release", "4.17", "--snapshot", plain))
		got := figures(t, answer(t, "plan", "--release", "4.17", "--snapshot", anonymous))
		if diff := cmp.Diff(want, got); diff != "" || len(want) < 50 {
			t.Errorf("%s, %d figures (-names +pseudonyms):\n%s", snapshot, len(want), diff)
		}
		f, err := os.Open(anonymous)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		packed, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(packed)
		if err != nil {
			t.Fatal(err)
		}
		if at := gone.FindIndex(text); at != nil {
			t.Errorf("%s: a name is left: %s", snapshot, text[max(0, at[0]-100):min(len(text), at[1]+60)])
		}
	}
}
