package kube

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"testing/fstest"

	"sigs.k8s.io/yaml"
)

// The benchmarks read 100 nodes and 5,000 pods: 51 MB, a tenth of what
// ReadSnapshot is made for, so that a run takes seconds.

func BenchmarkReadSnapshot(b *testing.B) {
	text := made(b, 100, 5000)
	b.Run("kube", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			inv, err := ReadSnapshot(bytes.NewReader(text), "s.json", Options{})
			if err != nil || len(inv.PodTypes) == 0 {
				b.Fatal(err)
			}
		}
	})
	// The peer decodes the same fields of the same text and does nothing with them.
	b.Run("encoding/json", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			var list peerList
			if err := json.Unmarshal(text, &list); err != nil || len(list.Items) == 0 {
				b.Fatal(err)
			}
		}
	})
	// The floor: each byte looked at once.
	b.Run("newlines", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if n, err := countLines(bytes.NewReader(text)); err != nil || n == 0 {
				b.Fatal(err)
			}
		}
	})
}

// peerList is what the reader needs of a list, in the usual form.
type peerList struct {
	Items []struct {
		Kind     string
		Metadata struct {
			Name, Namespace string
			Labels          map[string]string
			OwnerReferences []struct{ Kind, Name string }
		}
		Spec struct {
			NodeName     string
			NodeSelector map[string]string
			Containers   []struct {
				Resources struct{ Requests, Limits map[string]string }
			}
			Tolerations []struct{ Key, Operator, Value, Effect string }
			Volumes     []struct {
				PersistentVolumeClaim struct{ ClaimName string }
			}
		}
		Status struct {
			Phase                 json.RawMessage
			Capacity, Allocatable map[string]string
		}
	}
}

func countLines(in io.Reader) (int, error) {
	buffer := make([]byte, 64<<10)
	n := 0
	for {
		k, err := in.Read(buffer)
		n += bytes.Count(buffer[:k], []byte{'\n'})
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

func BenchmarkReadSnapshotYAML(b *testing.B) {
	text, err := yaml.JSONToYAML(made(b, 10, 500))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := ReadSnapshot(bytes.NewReader(text), "s.yaml", Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadManifests(b *testing.B) {
	text, err := yaml.JSONToYAML(made(b, 10, 500))
	if err != nil {
		b.Fatal(err)
	}
	fsys := fstest.MapFS{"a.yaml": {Data: text}}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := ReadManifests(fsys, []string{"a.yaml"}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
