package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// The parts of the image formats of the Open Container Initiative that are written here.
type (
	descriptor struct {
		MediaType   string            `json:"mediaType"`
		Digest      string            `json:"digest"`
		Size        int               `json:"size"`
		Platform    *platform         `json:"platform,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	platform struct {
		Architecture string `json:"architecture"`
		OS           string `json:"os"`
	}
	index struct {
		SchemaVersion int               `json:"schemaVersion"`
		MediaType     string            `json:"mediaType"`
		Manifests     []descriptor      `json:"manifests"`
		Annotations   map[string]string `json:"annotations,omitempty"`
	}
	manifest struct {
		SchemaVersion int               `json:"schemaVersion"`
		MediaType     string            `json:"mediaType"`
		Config        descriptor        `json:"config"`
		Layers        []descriptor      `json:"layers"`
		Annotations   map[string]string `json:"annotations,omitempty"`
	}
	config struct {
		platform
		Created time.Time   `json:"created"`
		Config  processSpec `json:"config"`
		RootFS  rootFS      `json:"rootfs"`
		History []history   `json:"history"`
	}
	processSpec struct {
		User       string
		Entrypoint []string
		WorkingDir string
		Labels     map[string]string
	}
	rootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	}
	history struct {
		Created   time.Time `json:"created"`
		CreatedBy string    `json:"created_by"`
	}
)

const oci = "application/vnd.oci.image."

// blobs are the files of an image, by what they hold.
type blobs struct{ files []file }

func (b *blobs) add(mediaType string, content []byte) descriptor {
	sum := fmt.Sprintf("%x", sha256.Sum256(content))
	name := "blobs/sha256/" + sum
	if !slices.ContainsFunc(b.files, func(f file) bool { return f.name == name }) {
		b.files = append(b.files, file{name, content, 0o644})
	}
	return descriptor{MediaType: oci + mediaType, Digest: "sha256:" + sum, Size: len(content)}
}

func (b *blobs) addJSON(mediaType string, v any) (descriptor, error) {
	text, err := json.Marshal(v)
	return b.add(mediaType, text), err
}

// image is an archive with an image for each architecture of Linux: the program on
// nothing else, run by a user without rights.
func (s source) image(built []binary) ([]byte, error) {
	notes := map[string]string{"org.opencontainers.image.title": "plimsoll",
		"org.opencontainers.image.version": built[0].version, "org.opencontainers.image.revision": s.commit,
		"org.opencontainers.image.created":  s.time.Format(time.RFC3339),
		"org.opencontainers.image.licenses": "Apache-2.0"}
	all := index{SchemaVersion: 2, MediaType: oci + "index.v1+json", Annotations: notes}
	var b blobs
	for _, x := range built {
		if x.os != "linux" {
			continue
		}
		d, err := s.platformImage(&b, x, notes)
		if err != nil {
			return nil, err
		}
		all.Manifests = append(all.Manifests, d)
	}
	whole, err := b.addJSON("index.v1+json", all)
	if err != nil {
		return nil, err
	}
	whole.Annotations = map[string]string{"org.opencontainers.image.ref.name": built[0].version}
	top, err := json.Marshal(index{SchemaVersion: 2, MediaType: oci + "index.v1+json", Manifests: []descriptor{whole}})
	if err != nil {
		return nil, err
	}
	files := []file{{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o644}, {"index.json", top, 0o644}}
	return tarred("", append(files, b.files...), s.time)
}

// platformImage adds the image for one architecture.
func (s source) platformImage(b *blobs, x binary, notes map[string]string) (descriptor, error) {
	third, err := s.licences(x)
	if err != nil {
		return descriptor{}, err
	}
	layer, err := tarred("", []file{{"LICENSES.txt", third, 0o644}, {x.program(), x.content, 0o755}}, s.time)
	if err != nil {
		return descriptor{}, err
	}
	packed, err := gzipped(layer)
	if err != nil {
		return descriptor{}, err
	}
	p := platform{x.arch, x.os}
	const nobody = "65532:65532"
	settings, err := b.addJSON("config.v1+json", config{platform: p, Created: s.time,
		Config:  processSpec{User: nobody, Entrypoint: []string{"/" + x.program()}, WorkingDir: "/", Labels: notes},
		RootFS:  rootFS{"layers", []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))}},
		History: []history{{s.time, "plimsoll " + x.version}}})
	if err != nil {
		return descriptor{}, err
	}
	d, err := b.addJSON("manifest.v1+json", manifest{SchemaVersion: 2, MediaType: oci + "manifest.v1+json",
		Config: settings, Layers: []descriptor{b.add("layer.v1.tar+gzip", packed)}, Annotations: notes})
	d.Platform = &p
	return d, err
}
