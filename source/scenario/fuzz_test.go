package scenario_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"plimsoll.dev/source/scenario"
)

// Whatever the text, reading ends, and either with a scenario or with problems
// that lie in the file and can be printed on a terminal.
func FuzzRead(f *testing.F) {
	for _, file := range append(glob(f, "testdata/bad/*.yaml"), goodFiles(f)...) {
		if text := readFile(f, file); len(text) < 10_000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := scenario.Read("fuzz.yaml", text)
		if err == nil {
			if doc == nil || doc.Scenario.Kind != "Scenario" || doc.Scenario.Platform.Release == "" {
				t.Fatalf("a scenario without its required fields: %+v", doc)
			}
			return
		}
		var bad *scenario.Error
		if doc != nil || !errors.As(err, &bad) || len(bad.Problems) == 0 {
			t.Fatalf("neither a scenario nor problems: %v, %v", doc, err)
		}
		lines := bytes.Split(unixLines(text), []byte("\n"))
		for i, p := range bad.Problems {
			if p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > utf8.RuneCount(lines[p.Line-1])+1 {
				t.Errorf("outside the file: %v", p)
			}
			if i > 0 && (p.Line < bad.Problems[i-1].Line) {
				t.Errorf("not sorted: %v", p)
			}
			if p.What == "" {
				t.Errorf("says nothing: %v", p)
			}
		}
		var out bytes.Buffer
		if err := bad.Render(&out); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(out.String(), func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }); i >= 0 {
			t.Errorf("a control character is printed: %q", out.String()[i:])
		}
	})
}

func unixLines(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}

// BenchmarkRead reads a large scenario: 10 node types and 200 pod types.
func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString(head + "platform: {release: \"4.4\"}\nhardware:\n  nodeTypes:\n")
	for i := range 10 {
		fmt.Fprintf(&text, "    - name: node-%d\n      cpus: 16 # threads\n      memory: 64Gi\n      price: 1.5\n"+
			"      labels: {zone: a, disk: ssd}\n", i)
	}
	text.WriteString("workload:\n  podTypes:\n")
	for i := range 200 {
		fmt.Fprintf(&text, "    - name: pod-%d\n      replicas: %d\n      cpu: 500m\n      memory: 1Gi\n"+
			"      storage: 10G\n      overcommit: cpuOnly\n      nodeSelector: {disk: ssd}\n      tolerations:\n"+
			"        - {key: a, operator: Exists}\n", i, i)
	}
	source := []byte(text.String())
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		if _, err := scenario.Read("b.yaml", source); err != nil {
			b.Fatal(err)
		}
	}
}
