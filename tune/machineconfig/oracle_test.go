package machineconfig

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
)

// recorded is a line of what Ignition's own parsers said, as oracle/ignition
// writes it.
type recorded struct {
	URL     []byte            `json:"url"`
	OK      bool              `json:"ok"`
	Data    []byte            `json:"data"`
	Configs []json.RawMessage `json:"configs"`
	Merged  bool              `json:"merged"`
	Refused string            `json:"refused"`
	Files   map[string]struct {
		Mode int    `json:"mode"`
		Data []byte `json:"data"`
		Bad  bool   `json:"bad"`
	} `json:"files"`
	Units map[string]struct {
		State    string            `json:"state"`
		Contents string            `json:"contents"`
		Dropins  map[string]string `json:"dropins"`
	} `json:"units"`
}

// The decoder, the verdicts and the joined configurations are Ignition's.
func TestOracle(t *testing.T) {
	urls, configs, refused := 0, 0, 0
	for r := range records(t) {
		if r.Configs == nil {
			urls++
			got, err := DecodeDataURL(string(r.URL))
			if (err == nil) != r.OK || !bytes.Equal(got, r.Data) {
				t.Errorf("%q: %q, %v; want %v, %q", r.URL, got, err, r.OK, r.Data)
			}
			continue
		}
		configs++
		if r.Refused != "" {
			refused++
		}
		if d := r.differs(t); d != "" {
			t.Errorf("%s\n%s\nrefused by Ignition: %s", d, r.Configs, r.Refused)
		}
	}
	if urls < 4000 || configs < 3000 || refused < 500 || configs-refused < 500 {
		t.Errorf("the record has %d URLs and %d configurations, %d of them refused", urls, configs, refused)
	}
}

func records(t *testing.T) func(func(recorded) bool) {
	file, err := os.Open("testdata/oracle/ignition.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	zip, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(zip)
	return func(yield func(recorded) bool) {
		for lines.More() {
			var r recorded
			if err := lines.Decode(&r); err != nil {
				t.Fatal(err)
			}
			if !yield(r) {
				return
			}
		}
	}
}

// differs renders the same configurations and says what is not the same.
func (r recorded) differs(t *testing.T) string {
	of := release.V45
	if r.Merged {
		of = release.Current
	}
	var configs []openshift.MachineConfig
	for i, raw := range r.Configs {
		// which YAML wants escaped
		tree, problems := yamlpos.Parse("config", bytes.ReplaceAll(raw, []byte("\x7f"), []byte(`\u007f`)))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		configs = append(configs, openshift.MachineConfig{Metadata: named(fmt.Sprint(i), "worker"),
			Spec: openshift.MachineConfigSpec{Config: tree.Root.Value().(map[string]any)}})
	}
	got := Render(configs, pool.Standard(release.Current), of).Pools[1]
	if (got.Failure != "") != (r.Refused != "") {
		return "failure: " + got.Failure
	}
	if len(got.Files) != len(r.Files) || len(got.Units) != len(r.Units) {
		return fmt.Sprintf("%d files, %d units", len(got.Files), len(got.Units))
	}
	for _, f := range got.Files {
		w := r.Files[f.Path]
		if f.Mode != fmt.Sprintf("0%o", w.Mode) || (f.Problem != "") != w.Bad || !w.Bad && !bytes.Equal(f.Content, w.Data) {
			return fmt.Sprintf("%+v", f)
		}
	}
	for _, u := range got.Units {
		w := r.Units[u.Name]
		if u.State != w.State || u.Contents != w.Contents || len(u.Dropins) != len(w.Dropins) {
			return fmt.Sprintf("%+v", u)
		}
		for _, d := range u.Dropins {
			if c, ok := w.Dropins[d.Name]; !ok || c != d.Contents {
				return fmt.Sprintf("%+v", d)
			}
		}
	}
	return ""
}
