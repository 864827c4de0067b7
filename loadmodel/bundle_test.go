package loadmodel_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/loadmodel"
)

// What was read is read again from a bundle that was packed, and nothing else is there.
func TestBundle(t *testing.T) {
	b := loadmodel.Bundle{Name: "a.yaml", Text: []byte("x"), Seed: 7}
	open := b.Recording(func(root, name string) ([]byte, error) {
		if root == "there" {
			return []byte("text of " + name), nil
		}
		return nil, fs.ErrNotExist
	})
	for _, root := range []string{"elsewhere", "there"} {
		_, _ = open(root, "pod.json")
	}
	env := b.RecordingEnv(func(name string) (string, bool) { return "value", name == "SET" })
	env("SET")
	env("UNSET")
	text, err := loadmodel.Pack(&b)
	if err != nil {
		t.Fatal(err)
	}
	var got loadmodel.Bundle
	if err := loadmodel.Unpack(text, &got); err != nil {
		t.Fatal(err)
	}
	if text, err := got.Open("there", "pod.json"); string(text) != "text of pod.json" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	for _, other := range [][2]string{{"elsewhere", "pod.json"}, {"there", "other.json"}} {
		if _, err := got.Open(other[0], other[1]); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: %v", other, err)
		}
	}
	opt := got.Options()
	if v, set := opt.Env("SET"); v != "value" || !set || opt.Seed != 7 {
		t.Errorf("%q %v %d", v, set, opt.Seed)
	}
	if _, set := opt.Env("UNSET"); set {
		t.Error("what was not set is")
	}
}

// A small file that unpacks to a huge one, or is cut off, is an error.
func TestUnpackIsBounded(t *testing.T) {
	huge, err := loadmodel.Pack(strings.Repeat("a", 65<<20))
	if err != nil {
		t.Fatal(err)
	}
	var s string
	if err := loadmodel.Unpack(huge, &s); err == nil || !strings.Contains(err.Error(), "more than 64 MiB") {
		t.Errorf("%v", err)
	}
	if err := loadmodel.Unpack(huge[:len(huge)/2], &s); err == nil {
		t.Error("half a file is one")
	}
}

// The shares of all workers are the whole, and none is in two.
func TestShard(t *testing.T) {
	w := &loadmodel.Work{Namespaces: make([]loadmodel.Namespace, 10)}
	for i := range w.Namespaces {
		w.Namespaces[i].Name = string(rune('a' + i))
	}
	for n := 1; n <= 10; n++ {
		var all []string
		for i := range n {
			share := w.Shard(i, n).Namespaces
			if len(share) < 10/n || len(share) > (10+n-1)/n {
				t.Errorf("worker %d of %d has %d", i, n, len(share))
			}
			for _, s := range share {
				all = append(all, s.Name)
			}
		}
		slices.Sort(all)
		if strings.Join(all, "") != "abcdefghij" {
			t.Errorf("%d workers: %v", n, all)
		}
	}
}
