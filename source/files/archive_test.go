package files

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/unit"
)

type heard struct{ bad, passed []string }

func (h *heard) Bad(file, what, _ string)  { h.bad = append(h.bad, file+": "+what) }
func (h *heard) Pass(file, what, _ string) { h.passed = append(h.passed, file+": "+what) }

type entry struct {
	name, text string
	kind       byte
}

func packed(t *testing.T, zip bool, entries ...entry) []byte {
	t.Helper()
	var out, plain bytes.Buffer
	w := tar.NewWriter(&plain)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Mode: 0o600}
		if e.kind == tar.TypeReg {
			h.Size = int64(len(e.text))
		} else {
			h.Linkname = e.text
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if e.kind == tar.TypeReg {
			if _, err := w.Write([]byte(e.text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.Close()
	if !zip {
		return plain.Bytes()
	}
	z := gzip.NewWriter(&out)
	z.Write(plain.Bytes())
	z.Close()
	return out.Bytes()
}

var small = Options{Dir: "m.tar", MaxFile: 20, MaxTotal: 50, MaxFiles: 6, Large: "cut it"}

func archived(text []byte, opt Options) (got []string, h *heard) {
	h = &heard{}
	Archive(bytes.NewReader(text), opt, h, func(name string, text []byte) { got = append(got, name+"="+string(text)) })
	return got, h
}

// Files of a tar are read, packed or not; links lead nowhere, paths that lead out do not, and hidden files
// and others than manifests are left out.
func TestArchive(t *testing.T) {
	entries := []entry{{"./a/x.yaml", "x", tar.TypeReg}, {"../../etc/evil.json", "e", tar.TypeReg},
		{"/abs.yml", "abs", tar.TypeReg}, {"link.yaml", "/etc/passwd", tar.TypeSymlink},
		{"hard.yaml", "a/x.yaml", tar.TypeLink},
		{"log.txt", strings.Repeat("l", 30), tar.TypeReg}, {"a/.git/c.yaml", "c", tar.TypeReg},
		{"pipe.yaml", "", tar.TypeFifo}, {"b/skip.yaml", "s", tar.TypeReg}}
	opt := small
	opt.Want = func(path string) bool { return !strings.HasPrefix(path, "b/") }
	want := []string{"m.tar/a/x.yaml=x", "m.tar/etc/evil.json=e", "m.tar/abs.yml=abs"}
	for _, zip := range []bool{false, true} {
		text := packed(t, zip, entries...)
		if !IsArchive(text[:min(len(text), 512)]) {
			t.Error("is no archive")
		}
		if got, h := archived(text, opt); !slices.Equal(got, want) || len(h.bad) > 0 {
			t.Errorf("%q, %q", got, h.bad)
		}
	}
}

// What is too much, or no archive, is told, and nothing is read without end.
func TestArchiveBounds(t *testing.T) {
	var many []entry
	for i := range 9 {
		many = append(many, entry{fmt.Sprintf("%d.yaml", i), "ten bytes.", tar.TypeReg})
	}
	whole := packed(t, true, many[:2]...)
	bomb := packed(t, true, entry{"log.txt", strings.Repeat("0", 2<<20), tar.TypeReg}, many[0])
	for name, c := range map[string]struct {
		text  []byte
		files int
		want  string
	}{
		"long":  {packed(t, false, entry{"l.yaml", strings.Repeat("l", 21), tar.TypeReg}, many[0]), 1, "is longer than 20 B"},
		"total": {packed(t, false, many...), 5, "together are longer than 50 B"},
		"cut":   {whole[:len(whole)-20], 0, "it can't be read"},
		"bomb":  {bomb, 0, "it is longer than"},
		"none":  {[]byte("kind: Pod"), 0, "it can't be read"},
		"empty": {nil, 0, "it can't be unpacked"},
	} {
		opt := small
		if name == "cut" || name == "long" {
			opt.MaxTotal = unit.MiB
		}
		got, h := archived(c.text, opt)
		if len(h.bad) != 1 || !strings.Contains(h.bad[0], c.want) || name != "cut" && len(got) != c.files {
			t.Errorf("%s: %q, %q", name, got, h.bad)
		}
	}
	opt := small
	opt.MaxFiles, opt.MaxTotal = 3, unit.MiB
	if got, h := archived(packed(t, false, many...), opt); len(got) != 3 || len(h.bad) != 1 {
		t.Errorf("%q, %q", got, h.bad)
	}
}
