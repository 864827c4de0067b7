package profile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/tuned"
)

// familyTwin walks the CRs anew for each question: the definition that counts is the
// last one, and each text is parsed as often as it is met.
func familyTwin(crs []object.Typed[openshift.Tuned], name string) []string {
	var out []string
	var add func(name string)
	add = func(name string) {
		var data *string
		for _, t := range crs {
			for _, p := range t.Value.Spec.Profile {
				if *p.Name == name {
					data = p.Data
				}
			}
		}
		if data == nil || slices.Contains(out, name) {
			return
		}
		out = append(out, name)
		file, _ := tuned.Parse(tuned.Source{Body: *data})
		for _, s := range file.Sections {
			for _, o := range s.Options {
				if s.Name == "main" && o.Key == "include" {
					for _, parent := range strings.Split(o.Value, ",") {
						add(parent)
					}
				}
			}
		}
	}
	add(name)
	return out
}

// sparedTwin asks every item about a profile: some choose it, and all of these turn the
// host's files off.
func sparedTwin(crs []object.Typed[openshift.Tuned], name string) bool {
	chosen := false
	for _, t := range crs {
		for _, r := range t.Value.Spec.Recommend {
			if !slices.Contains(familyTwin(crs, *r.Profile), name) {
				continue
			}
			if chosen = true; r.Operand == nil || r.Operand.TunedConfig.ReapplySysctl == nil ||
				*r.Operand.TunedConfig.ReapplySysctl {
				return false
			}
		}
	}
	return chosen
}

var lineageNames = []string{"p0", "p1", "p2", "p3", "p4", "p5", "p6"}

// drawLineage are CRs whose profiles include each other as they like: in circles, twice,
// themselves, and names that are defined nowhere.
func drawLineage(t *rapid.T) []object.Typed[openshift.Tuned] {
	crs := make([]object.Typed[openshift.Tuned], rapid.IntRange(1, 3).Draw(t, "CRs"))
	for i := range crs {
		spec := &crs[i].Value.Spec
		crs[i].Value.Metadata.Name = fmt.Sprint("a", i)
		for range rapid.IntRange(0, 4).Draw(t, "profiles") {
			text := "[main]\n"
			if list := rapid.SliceOfN(rapid.SampledFrom(lineageNames), 0, 3).Draw(t, "includes"); len(list) > 0 {
				text += "include=" + strings.Join(list, ",") + "\n"
			}
			name := rapid.SampledFrom(lineageNames).Draw(t, "name")
			spec.Profile = append(spec.Profile, openshift.TunedProfile{Name: &name, Data: ptr(text + "[sysctl]\nvm.a=1\n")})
		}
		for n := range rapid.IntRange(0, 3).Draw(t, "items") {
			r := openshift.TunedRecommend{Profile: ptr(rapid.SampledFrom(lineageNames).Draw(t, "profile")),
				Priority: ptr(int64(n)), Match: []openshift.TunedMatch{{Label: ptr("x")}}}
			if on := rapid.SampledFrom([]string{"off", "off", "on", "silent", "absent"}).Draw(t, "reapply"); on != "absent" {
				r.Operand = &openshift.TunedOperand{}
				if on != "silent" {
					r.Operand.TunedConfig.ReapplySysctl = ptr(on == "on")
				}
			}
			spec.Recommend = append(spec.Recommend, r)
		}
	}
	return crs
}

func TestLineageTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		crs := drawLineage(t)
		all := merge(&Input{Tuneds: crs, Release: release.Current})
		c := &checker{release: release.Current, all: all, lineage: newLineage(all)}
		spared := c.spared()
		for _, name := range rapid.Permutation(lineageNames).Draw(t, "asked") {
			if got, want := c.lineage.family(name), familyTwin(crs, name); !slices.Equal(got, want) {
				t.Fatalf("%s is made of %v, not %v", name, got, want)
			}
			if got, want := spared[name], sparedTwin(crs, name); got != want {
				t.Fatalf("%s is spared is %v, not %v", name, got, want)
			}
		}
	})
}

// Things are listed once, wherever they stand, in the order in which they come first.
func TestListed(t *testing.T) {
	for names, want := range map[string]string{"a": "a", "b a": "b, a", "p q p": "p, q", "d c b a": "d, c, b, a",
		"a b a b c a d d": "a, b, c, d", "e d c b a e b": "e, d, c and 2 more"} {
		if got := listed(strings.Fields(names), ", "); got != want {
			t.Errorf("%s: %s, not %s", names, got, want)
		}
	}
	if got := listed(nil, ", "); got != "" {
		t.Error(got)
	}
}

// chained are n profiles, each of which includes the one before it, with an item for
// each; the nodes of the first item's leave the host's sysctl files alone.
func chained(n int) []*object.Object {
	var profiles, list strings.Builder
	include, operand := "", ", operand: {tunedConfig: {reapply_sysctl: false}}"
	for i := range n {
		fmt.Fprintf(&profiles, "  - {name: c%d, data: \"[main]\\n%s[sysctl]\\nvm.a=%[1]d\\n\"}\n", i, include)
		fmt.Fprintf(&list, "  - {profile: c%d, priority: %d, match: [{label: x%[1]d}]%[3]s}\n", i, i+50, operand)
		include, operand = fmt.Sprintf("include=c%d\\n", i), ""
	}
	all, _ := object.Split("f.yaml", []byte(whole("\n  profile:\n"+profiles.String()+"  recommend:\n"+list.String())))
	return all
}

// BenchmarkChain checks 300 profiles that include each other in a chain.
func BenchmarkChain(b *testing.B) {
	all := chained(300)
	for _, r := range release.Documented() {
		b.Run(r.String(), func(b *testing.B) {
			for b.Loop() {
				Check(all, r)
			}
		})
	}
}
