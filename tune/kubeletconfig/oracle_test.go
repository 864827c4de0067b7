package kubeletconfig

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/release"
)

// record is what the operator's libraries made of a KubeletConfig.
type record struct {
	Config  json.RawMessage `json:"config"`
	Conf    string          `json:"conf"`
	Refused bool            `json:"refused"`
}

// TestOracle replays the records of oracle/kubeletmerge.
func TestOracle(t *testing.T) {
	for _, c := range []struct {
		file, role string
		release    release.Release
	}{{"4.3", "worker", release.V43}, {"4.4", "master", release.V44}, {"4.5", "worker", release.V45},
		{"current-worker", "worker", release.Current}, {"current-master", "master", release.Current}} {
		t.Run(c.file, func(t *testing.T) {
			records := readRecords(t, "testdata/oracle/"+c.file+".jsonl.gz")
			if len(records) < 500 {
				t.Fatalf("only %d records", len(records))
			}
			base := Base(c.role, c.release)
			for i, r := range records {
				conf, problems := Merge(base, jsonMap(t, r.Config))
				if refused(problems) != r.Refused {
					t.Errorf("record %d: %s\nrefused %v: %v", i, r.Config, r.Refused, problems)
				} else if d := cmp.Diff(r.Conf, conf.Text()); d != "" && !r.Refused {
					t.Errorf("record %d: %s\n%s", i, r.Config, d)
				}
			}
		})
	}
}

func readRecords(t *testing.T, name string) (out []record) {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzip)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// jsonMap reads JSON as the objects of the API have it.
func jsonMap(t *testing.T, text []byte) map[string]any {
	tree, problems := yamlpos.Parse("record", text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return tree.Root.Value().(map[string]any)
}
