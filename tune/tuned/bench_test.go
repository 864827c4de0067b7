package tuned

import (
	"fmt"
	"strings"
	"testing"
)

// chain is a profile with as many ancestors, each with twenty sysctls.
func chain(prefix string, number int) Directory {
	d := Directory{Path: "/etc/tuned"}
	for n := range number {
		var b strings.Builder
		fmt.Fprintf(&b, "[main]\nsummary=profile %d\n", n)
		if n > 0 {
			fmt.Fprintf(&b, "include=%s%d\n", prefix, n-1)
		}
		fmt.Fprintf(&b, "[variables]\nv%d=%d\n[sysctl]\n", n, n)
		for i := range 20 {
			fmt.Fprintf(&b, "net.k%d=${v%d}%d\n", n*10+i, n, i)
		}
		d.Profiles = append(d.Profiles, Profile{Name: fmt.Sprint(prefix, n), Source: Source{Body: b.String()}})
	}
	return d
}

// BenchmarkChain flattens a chain of ten profiles that are parsed already.
func BenchmarkChain(b *testing.B) {
	s := NewSet(chain("p", 10))
	b.ReportAllocs()
	for b.Loop() {
		if f, _ := s.Flatten("p9", Machine{}); f == nil {
			b.Fatal("refused")
		}
	}
}

// BenchmarkCRs parses and flattens the profiles of 200 CRs, each by itself.
func BenchmarkCRs(b *testing.B) {
	var dir Directory
	for c := range 40 {
		dir.Profiles = append(dir.Profiles, chain(fmt.Sprintf("c%d-", c), 5).Profiles...)
	}
	b.ReportAllocs()
	for b.Loop() {
		s := NewSet(dir)
		for _, name := range s.Names() {
			if f, _ := s.Flatten(name, Machine{}); f == nil {
				b.Fatal("refused")
			}
		}
	}
}

// BenchmarkRecorded parses and flattens what -recorded holds: see oracle/tuned.
func BenchmarkRecorded(b *testing.B) {
	if *recordedFile == "" {
		b.Skip("give a file with -recorded")
	}
	var trees []recordedTree
	for r := range recorded[recordedTree](b, *recordedFile) {
		trees = append(trees, r)
	}
	for b.Loop() {
		for i := range trees {
			set, m := trees[i].set()
			if f, _ := set.Flatten(trees[i].Load, m); f == nil {
				b.Fatal("refused")
			}
		}
	}
}

// BenchmarkParse parses the ten profiles of the chain.
func BenchmarkParse(b *testing.B) {
	dir := chain("p", 10)
	b.ReportAllocs()
	for b.Loop() {
		NewSet(dir)
	}
}
