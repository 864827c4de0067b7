package yamlpos

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

// sameAsDocuments compares PlainJSON with what it stands for, and says whether it took the text.
func sameAsDocuments(t interface{ Errorf(string, ...any) }, name string, text []byte) bool {
	got, ok := PlainJSON(nil, text)
	if !ok {
		return false
	}
	var want []any
	bad, _ := Documents(name, text, 1, func(n *Node) { want = append(want, n.Value()) })
	if len(bad) > 0 || len(want) != 1 {
		t.Errorf("%s: taken, and there are %d documents: %v\n%s", name, len(want), bad, text)
		return true
	}
	wanted, err := json.Marshal(want[0])
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if !reflect.DeepEqual(decoded(t, wanted), decoded(t, got)) {
		t.Errorf("%s: Documents\n%s\nPlainJSON\n%s\nof\n%s", name, wanted, got, text)
	}
	return true
}

func decoded(t interface{ Errorf(string, ...any) }, text []byte) (out any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Errorf("%v: %s", err, text)
	}
	return out
}

// TestPlainJSONOfAllFiles: each YAML file of the repository, as it is and as a program writes it, gives what Documents
// gives, or is left to it.
func TestPlainJSONOfAllFiles(t *testing.T) {
	files, taken, written := 0, 0, 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".yaml" && ext != ".yml" {
			if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
				return filepath.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, part := range bytes.Split(text, []byte("\n---\n")) {
			files++
			if sameAsDocuments(t, path, part) {
				taken++
			}
			var o map[string]any
			if yaml.Unmarshal(part, &o) != nil || len(o) == 0 {
				continue
			}
			if again, err := yaml.Marshal(o); err == nil && sameAsDocuments(t, path+" written anew", again) {
				written++
			}
		}
		return nil
	})
	if err != nil || taken < 20 || written < files/2 {
		t.Errorf("of %d texts %d are taken, written anew %d: %v", files, taken, written, err)
	}
}

// TestPlainJSONOfAnything: whatever a program writes, and whatever is damaged of it, gives what the slow way gives.
func TestPlainJSONOfAnything(t *testing.T) {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "a b", "a: b", "a #b", "- a", "null", "~", "true", "0644",
		"1e3",
		"1_000", ".5", "0x1F", "-", "?", "a:", ":a", "{}", "[a]", "two\nlines", "end\n", " lead", "trail ", "\ttab", "'q'",
		`"q"`, "back\\slash", "ü", "\u2028", "#c", "&a", "*a", "!t", "%d", "@", "|", ">", "<<", "=", "---", "...",
		"\n", "a\n\n  b\n", "x\n \ny",
		strings.Repeat("long words, and 'more' of them ", 9),
		strings.Repeat("with: colon \u00fc ", 9), "123456789012345678901234567890"}), rapid.String())
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		return rapid.Custom(func(t *rapid.T) any {
			kind := rapid.IntRange(0, 5).Draw(t, "kind")
			switch {
			case kind == 0 && depth > 0:
				return rapid.MapOfN(text, value(depth-1), 0, 4).Draw(t, "map")
			case kind == 1 && depth > 0:
				return rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "list")
			case kind == 2:
				return rapid.Float64().Draw(t, "number")
			case kind == 3:
				return rapid.SampledFrom([]any{nil, true, false, 1, -7}).Draw(t, "word")
			}
			return text.Draw(t, "text")
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		o := rapid.MapOfN(text, value(4), 1, 5).Draw(t, "object")
		written, err := yaml.Marshal(o)
		if err != nil {
			return
		}
		sameAsDocuments(t, "written", written)
		lines := strings.SplitAfter(string(written), "\n")
		at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		lines[at] = rapid.SampledFrom([]string{"", " " + lines[at], strings.TrimPrefix(lines[at], "  "),
			strings.TrimSuffix(lines[at], "\n"), lines[at] + lines[at], "# c\n" + lines[at], "  - " + lines[at],
			lines[at] + "   \n", strings.Replace(lines[at], ":", " :", 1)}).Draw(t, "damage")
		sameAsDocuments(t, "damaged", []byte(strings.Join(lines, "")))
	})
}

func FuzzPlainJSON(f *testing.F) {
	f.Add([]byte("a: 1\nb:\n- c: |\n    x\n  d: 'e'\n"))
	f.Fuzz(func(t *testing.T, text []byte) { sameAsDocuments(t, "fuzz", text) })
}

func BenchmarkPlainJSON(b *testing.B) {
	text, err := os.ReadFile("../../examples/tune/reported.yaml")
	if err != nil {
		b.Fatal(err)
	}
	var o map[string]any
	if err := yaml.Unmarshal(text, &o); err != nil {
		b.Fatal(err)
	}
	text, _ = yaml.Marshal(o)
	b.Run("plain", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, ok := PlainJSON(nil, text); !ok {
				b.Fatal("not taken")
			}
		}
	})
	b.Run("documents", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			Documents("x", text, 1, func(n *Node) { _ = n.Value() })
		}
	})
}

// Texts of many folded lines, whose time grows with the square of their number, are left to others; so are halves of
// characters, which YAML does not know.
func TestPlainLeaves(t *testing.T) {
	for name, text := range map[string]string{
		"quoted":    "a: 'x\n" + strings.Repeat("  it''s\n", 200) + "  '\n",
		"plain":     "a: x\n" + strings.Repeat("  y\n", 200),
		"surrogate": `a: "\ud83d\ude00"` + "\n",
	} {
		if out, ok := PlainJSON(nil, []byte(text)); ok {
			t.Errorf("%s: %.80s", name, out)
		}
	}
}
