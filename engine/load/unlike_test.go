package load

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/loadmodel"
)

// A run's JSON says what it was asked for, so that a comparison says in what two runs differ.
func TestUnlike(t *testing.T) {
	ran := func(change func(*Options)) *Result {
		opt := quick
		opt.Concurrency, opt.Seed, opt.Cleanup = 4, 7, "always"
		b := loadmodel.Bundle{Name: "a.yaml", Text: []byte("a"), Files: []loadmodel.BundledFile{{Name: "no", Missing: true},
			{Name: "pod.yaml", Text: []byte("p")}}}
		opt.Configuration = b.Digest()
		change(&opt)
		m, _ := loadmodel.FindMaximum("secrets")
		made, err := Run(context.Background(), start(t, &fake{Start: time.Millisecond}), m.Work(0, 3), opt)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		var read Result
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		return &read
	}
	old := ran(func(*Options) {})
	if o := old.Options; o.Seed != 7 || o.Concurrency != 4 || len(o.Configuration.Files) != 1 ||
		o.Configuration.SHA256 != "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" {
		t.Errorf("%+v", o)
	}
	same := ran(func(o *Options) { o.RunID, o.Seed, o.Patience = "another", 8, time.Minute })
	if c := Compare(old, same, 0.1); len(c.Unlike) > 0 {
		t.Error(c.Unlike)
	}
	other := ran(func(o *Options) { o.Concurrency, o.Rate, o.Configuration.SHA256 = 5, 1000, "b" })
	other.Workers, other.Failed = 2, "interrupted"
	c := Compare(old, other, 0.1)
	told := strings.Join(c.Unlike, "\n")
	for _, want := range []string{"did not come to its end: interrupted", "the configurations differ: a.yaml",
		"concurrency differs: 4, and then 5", "rate differs: none, and then 1000", "workers differs: none, and then 2"} {
		if !strings.Contains(told, want) {
			t.Errorf("%s: want %q", told, want)
		}
	}
	if a := c.Answer(); !a.Verdict.OK || len(a.Findings) != len(c.Unlike) || slices.Contains(c.Unlike, "") {
		t.Errorf("%+v", a.Verdict)
	}
	if c := Compare(&Result{RunID: "old"}, old, 0.1); !strings.Contains(c.Unlike[0], "does not say") {
		t.Error(c.Unlike)
	}
}
