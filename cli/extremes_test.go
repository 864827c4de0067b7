package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/cli"
)

// extremes are what a number of a scenario is set to, as JSON has it.
var extremes = []string{"0", "-1", "1", "999999999", "2147483647", "9223372036854775807", "99999999999999999999",
	"1e18", "0.000001", `"7Ei"`, `"1023Ti"`, `"1"`, `"35000d"`, `"99999999999999d"`}

const (
	// eachExample is how many numbers of an example are changed.
	eachExample = 14
	// longest is what an answer may take; a machine that does other work as well is slow.
	longest = 60 * time.Second
)

// Each number of an example, set to what no one means: the answer or a refusal with an
// exit code of the table, in time, and no fault.
func TestExtremeNumbers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 2026))
	for _, name := range []string{"cpu-manager", "hcg-dedicated", "hcg-controller-storage", "nfv", "ocp-9.4", "shop",
		"topology-manager"} {
		tree, places := numbersIn(t, filepath.Join(examplesDir, name+".yaml"))
		for range eachExample {
			at, value := places[r.IntN(len(places))], extremes[r.IntN(len(extremes))]
			command := []string{"plan", "place", "pack"}[r.IntN(3)]
			extreme(t, tree, name, command, at, value)
		}
	}
}

// numbersIn reads an example: its fields, and the places of its numbers.
func numbersIn(t *testing.T, file string) (tree any, places []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	numbersOf(tree, "", &places)
	return tree, places
}

// extreme runs a command on an example with another value at a place.
func extreme(t *testing.T, tree any, name, command, at, value string) {
	t.Helper()
	text, err := json.Marshal(replaced(tree, "", at, json.RawMessage(value)))
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	begin := time.Now()
	code := cli.Run(context.Background(), cli.Streams{In: bytes.NewReader(text), Out: &out, Err: &errs},
		[]string{"plimsoll", command, "-", "-q"}, func(string) string { return "" })
	took := time.Since(begin)
	what := fmt.Sprintf("%s %s with %s = %s", command, name, at, value)
	switch {
	case strings.Contains(errs.String(), "fault of the program"):
		t.Errorf("%s: %s", what, errs.String())
	case code != cli.ExitOK && code != cli.ExitBadInput && code != cli.ExitNegative:
		t.Errorf("%s: exit code %d: %.300s", what, code, errs.String())
	case code == cli.ExitBadInput && errs.Len() == 0:
		t.Errorf("%s: refused without a word", what)
	case took > longest:
		t.Errorf("%s: took %v", what, took)
	}
	if strings.Contains(out.String(), "-9,223,372,036,854") {
		t.Errorf("%s: a number has overflowed: %.2000s", what, out.String())
	}
	if took > 5*time.Second {
		t.Logf("%s: %v", what, took)
	}
}

var numeric = regexp.MustCompile(`^[0-9.]+(m|k|[MGTPE]i?|Ki|%|[smhdwy])?$`)

// numbersOf are the places of numbers and quantities.
func numbersOf(v any, path string, out *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			numbersOf(v[name], path+"/"+name, out)
		}
	case []any:
		for i := range v {
			numbersOf(v[i], fmt.Sprint(path, "/", i), out)
		}
	case float64:
		*out = append(*out, path)
	case string:
		if numeric.MatchString(v) && !strings.HasSuffix(path, "/release") {
			*out = append(*out, path)
		}
	}
}

// replaced is the tree with another value at a place.
func replaced(v any, path, at string, by any) any {
	if path == at {
		return by
	}
	switch old := v.(type) {
	case map[string]any:
		changed := map[string]any{}
		for name, child := range old {
			changed[name] = replaced(child, path+"/"+name, at, by)
		}
		return changed
	case []any:
		changed := slices.Clone(old)
		for i, child := range old {
			changed[i] = replaced(child, fmt.Sprint(path, "/", i), at, by)
		}
		return changed
	}
	return v
}
