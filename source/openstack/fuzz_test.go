package openstack

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/place/nova"
)

// FuzzRead demands of any text: problems with places, or what makes sense.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("[" + strings.Repeat(`{"Name":[`, 50)))
	f.Add([]byte(`[{"Name":"a","RAM":1e99,"VCPUs":1,"Properties":"a='b', hw:numa_nodes='1000000000'"}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		flavors, skipped, err := ReadFlavors(bytes.NewReader(text), "f", nova.StarlingX)
		judge(t, skipped, err)
		for _, v := range flavors {
			if err != nil || v.Name == "" || v.VCPUs < 1 || v.RAM < 1 || v.Disk < 0 || v.Ephemeral < 0 || v.Swap < 0 {
				t.Fatalf("a flavor makes no sense: %+v", v)
			}
		}
		servers, skipped, err := ReadServers(bytes.NewReader(text), "f")
		judge(t, skipped, err)
		names := map[string]bool{}
		for _, v := range servers {
			if err != nil || v.Name == "" || names[v.Name] || v.Flavor == "" || v.Count < 1 || v.AvailabilityZone == "nova" {
				t.Fatalf("a server makes no sense: %+v", v)
			}
			names[v.Name] = true
		}
		images, skipped, err := ReadImages(bytes.NewReader(text), "f")
		judge(t, skipped, err)
		for _, v := range images {
			if err != nil || v.Name == "" || v.Size < 1 || v.DiskSize < 0 {
				t.Fatalf("an image makes no sense: %+v", v)
			}
		}
	})
}

// judge checks what is told of the text.
func judge(t *testing.T, skipped []v1alpha1.Skipped, err error) {
	t.Helper()
	for _, s := range skipped {
		if s.Place == "" || s.What == "" || s.Why == "" {
			t.Fatalf("left out without a reason: %+v", s)
		}
	}
	var found yamlpos.Problems
	if err != nil && !errors.As(err, &found) {
		t.Fatalf("%v is no list of problems", err)
	}
	for _, p := range found {
		if p.File == "" || p.Line < 1 || p.Col < 1 || p.What == "" {
			t.Fatalf("a problem without a place: %+v", p)
		}
	}
}

// BenchmarkServers reads the list of a large cloud: 100,000 servers.
func BenchmarkServers(b *testing.B) {
	row, err := os.ReadFile("testdata/servers-new.json")
	if err != nil {
		b.Fatal(err)
	}
	rows := strings.Trim(strings.TrimSpace(string(row)), "[]")
	text := []byte("[" + strings.TrimSuffix(strings.Repeat(rows+",", 20_000), ",") + "]")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, _, err := ReadServers(bytes.NewReader(text), "servers.json"); err != nil {
			b.Fatal(err)
		}
	}
}
