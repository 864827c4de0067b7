package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// The parts of CycloneDX 1.6 that are written here.
type (
	bill struct {
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		Serial       string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp time.Time `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		Purl       string     `json:"purl"`
		Hashes     []hash     `json:"hashes,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn"`
	}
)

// components lists what is linked into a binary, as the binary itself says: modules by
// their sums in go.sum, and Go's own library.
func (s source) components(b binary) ([]byte, error) {
	sum := fmt.Sprintf("%x", sha256.Sum256(b.content))
	main := module("application", b.info.Main.Path, b.version)
	main.Hashes = []hash{{"SHA-256", sum}}
	for _, x := range b.info.Settings {
		main.Properties = append(main.Properties, property{"go:build:" + x.Key, x.Value})
	}
	list := []component{module("library", "std", strings.TrimPrefix(b.info.GoVersion, "go"))}
	for _, m := range b.info.Deps {
		m = cmp.Or(m.Replace, m)
		c := module("library", m.Path, m.Version)
		c.Properties = []property{{"go:sum", m.Sum}}
		list = append(list, c)
	}
	on := dependency{Ref: main.Ref}
	for _, c := range list {
		on.On = append(on.On, c.Ref)
	}
	// A serial number of the form of random ones that the binary decides.
	serial := fmt.Sprintf("urn:uuid:%s-%s-4%s-a%s-%s", sum[:8], sum[8:12], sum[13:16], sum[17:20], sum[20:32])
	out, err := json.MarshalIndent(bill{"CycloneDX", "1.6", serial, 1, metadata{s.time, main}, list, []dependency{on}},
		"", "  ")
	return append(out, '\n'), err
}

func module(kind, path, version string) component {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: kind, Ref: purl, Name: path, Version: version, Purl: purl}
}

// krew is the manifest by which kubectl's plug-in manager installs the program.
func krew(built []binary, files map[string][]byte, url string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: plimsoll
spec:
  version: %s
  homepage: https://plimsoll.dev
  shortDescription: Size clusters and find which limit breaks first
  description: |
    Plans OpenShift and Kubernetes clusters from a scenario, manifests or a dump of
    what runs: how many nodes of which kind, where every pod lands, and which limit
    is hit first. It reads files and needs no access to a cluster.
  platforms:
`, built[0].version)
	for _, x := range built {
		archive, ok := files[x.archive()]
		if !ok {
			return nil, fmt.Errorf("there is no %s", x.archive())
		}
		fmt.Fprintf(&b, `  - selector: {matchLabels: {os: %s, arch: %s}}
    uri: %s/%s/%s
    sha256: %x
    bin: %s
    files:
    - {from: "%s/%s", to: .}
    - {from: "%s/LICENSE*", to: .}
`, x.os, x.arch, url, x.version, x.archive(), sha256.Sum256(archive), x.program(), x.name(), x.program(), x.name())
	}
	return b.Bytes(), nil
}
