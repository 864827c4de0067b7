package kubelet

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/tune/era"
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
		era        era.Era
	}{{"4.3", "worker", era.V43}, {"4.4", "master", era.V44}, {"4.5", "worker", era.V45}, {"current-worker", "worker", era.Current}, {"current-master", "master", era.Current}} {
		t.Run(c.file, func(t *testing.T) {
			records := readRecords(t, "testdata/oracle/"+c.file+".jsonl.gz")
			if len(records) < 500 {
				t.Fatalf("only %d records", len(records))
			}
			base := Base(c.role, c.era)
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
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return numbers(m).(map[string]any)
}

func numbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil && !strings.ContainsAny(v.String(), ".eE") {
			return n
		}
		f, _ := v.Float64()
		return f
	}
	return v
}
