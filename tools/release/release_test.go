package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// made are binaries of a commit that never was.
func made() (source, []binary) {
	s := source{dir: ".", commit: strings.Repeat("ab", 20), time: time.Unix(1_700_000_000, 0).UTC()}
	var out []binary
	for _, t := range targets {
		out = append(out, binary{t, "v1.2.3", []byte("program of " + t.String()), &debug.BuildInfo{GoVersion: "go1.26.0",
			Main:     debug.Module{Path: "plimsoll.dev", Version: "v1.2.3"},
			Deps:     []*debug.Module{{Path: "github.com/spf13/cobra", Version: "v1.10.2", Sum: "h1:sum="}},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: s.commit}}}})
	}
	return s, out
}

// untar is the content of an archive by name.
func untar(t *testing.T, text []byte) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(text)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Uname != "" || h.ModTime.Unix() != 1_700_000_000 {
			t.Errorf("%s tells of the machine: %+v", h.Name, h)
		}
		if out[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

func gunzip(t *testing.T, text []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if text, err = io.ReadAll(r); err != nil || !r.ModTime.IsZero() {
		t.Fatal(err, r.ModTime)
	}
	return text
}

// TestArchives: both kinds hold the same files under one directory.
func TestArchives(t *testing.T) {
	s, built := made()
	files := map[string][]byte{}
	for _, b := range built {
		if err := s.pack(files, b, []file{{"README.md", []byte("read"), 0o644}}); err != nil {
			t.Fatal(err)
		}
	}
	got := untar(t, gunzip(t, files["plimsoll-v1.2.3-linux-arm64.tar.gz"]))
	const in = "plimsoll-v1.2.3-linux-arm64/"
	if string(got[in+"plimsoll"]) != "program of linux/arm64" || string(got[in+"README.md"]) != "read" ||
		!bytes.Contains(got[in+"LICENSES.txt"], []byte("==== github.com/spf13/cobra v1.10.2: LICENSE")) || len(got) != 3 {
		t.Errorf("%q", slices.Collect(maps.Keys(got)))
	}
	text := files["plimsoll-v1.2.3-windows-amd64.zip"]
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil || len(z.File) != 3 || z.File[2].Name != "plimsoll-v1.2.3-windows-amd64/plimsoll.exe" {
		t.Errorf("%v, %+v", err, z)
	}
}

// TestImage reads the archive back as the image layout of OCI says: every descriptor
// leads to a blob of its size and sum, down to the layers, which are what the settings say.
func TestImage(t *testing.T) {
	s, built := made()
	text, err := s.image(built)
	if err != nil {
		t.Fatal(err)
	}
	layout := untar(t, text)
	if string(layout["oci-layout"]) != `{"imageLayoutVersion":"1.0.0"}` {
		t.Errorf("oci-layout is %s", layout["oci-layout"])
	}
	seen := map[string]bool{"oci-layout": true, "index.json": true}
	blob := func(d descriptor) []byte {
		name := "blobs/" + strings.Replace(d.Digest, ":", "/", 1)
		seen[name] = true
		if got := layout[name]; len(got) != d.Size || fmt.Sprintf("sha256:%x", sha256.Sum256(got)) != d.Digest {
			t.Errorf("%+v has %d bytes", d, len(got))
		}
		return layout[name]
	}
	read := func(text []byte, into any) {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	var top, all index
	read(layout["index.json"], &top)
	read(blob(top.Manifests[0]), &all)
	if len(top.Manifests) != 1 || len(all.Manifests) != 2 {
		t.Fatalf("%+v, %+v", top, all)
	}
	for _, d := range all.Manifests {
		var m manifest
		var c config
		read(blob(d), &m)
		read(blob(m.Config), &c)
		layer := gunzip(t, blob(m.Layers[0]))
		if want := fmt.Sprintf("sha256:%x", sha256.Sum256(layer)); c.RootFS.DiffIDs[0] != want || c.platform != *d.Platform {
			t.Errorf("%+v is not of %s", c, want)
		}
		if got := string(untar(t, layer)["plimsoll"]); got != "program of linux/"+d.Platform.Architecture ||
			c.Config.Entrypoint[0] != "/plimsoll" {
			t.Errorf("%s has %q", d.Platform.Architecture, got)
		}
	}
	if len(seen) != len(layout) {
		t.Errorf("%d files, of which %d are spoken of", len(layout), len(seen))
	}
}

// TestComponents: what CycloneDX 1.6 demands of a list, and all that is linked.
func TestComponents(t *testing.T) {
	s, built := made()
	text, err := s.components(built[0])
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		BOMFormat, SpecVersion, SerialNumber string
		Metadata                             struct {
			Timestamp string
			Component component
		}
		Components []component
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	c := got.Metadata.Component
	if got.BOMFormat != "CycloneDX" || got.SpecVersion != "1.6" || len(got.SerialNumber) != len("urn:uuid:")+36 ||
		got.Metadata.Timestamp != "2023-11-14T22:13:20Z" || c.Purl != "pkg:golang/plimsoll.dev@v1.2.3" ||
		c.Hashes[0].Content != fmt.Sprintf("%x", sha256.Sum256(built[0].content)) {
		t.Errorf("%+v", got)
	}
	var list []string
	for _, x := range got.Components {
		list = append(list, x.Type+" "+x.Purl)
	}
	if d := cmp.Diff([]string{"library pkg:golang/std@1.26.0", "library pkg:golang/github.com/spf13/cobra@v1.10.2"},
		list); d != "" {
		t.Error(d)
	}
}

// TestKrew: the manifest has the sum of each archive, and what it installs is in there.
func TestKrew(t *testing.T) {
	_, built := made()
	files := map[string][]byte{}
	for _, b := range built {
		files[b.archive()] = []byte(b.name())
	}
	text, err := krew(built, files, "https://example.org")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Metadata struct{ Name string }
		Spec     struct {
			Version   string
			Platforms []struct {
				Selector         struct{ MatchLabels map[string]string }
				URI, SHA256, Bin string
			}
		}
	}
	if err := yaml.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for i, p := range got.Spec.Platforms {
		b := built[i]
		if p.Selector.MatchLabels["arch"] != b.arch || p.URI != "https://example.org/v1.2.3/"+b.archive() ||
			p.SHA256 != fmt.Sprintf("%x", sha256.Sum256(files[b.archive()])) || p.Bin != b.program() {
			t.Errorf("%s: %+v", b.target, p)
		}
	}
	if got.Metadata.Name != "plimsoll" || got.Spec.Version != "v1.2.3" || len(got.Spec.Platforms) != len(targets) {
		t.Errorf("%s", text)
	}
}
