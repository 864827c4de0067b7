package cloud

import "testing"

// TestMatchSpec: the verdicts are those of Nova 34.0 for the same words.
func TestMatchSpec(t *testing.T) {
	for _, c := range []struct {
		value, want string
		match       bool
	}{
		{"1", "1", true},
		{"", "1", false},
		{"3", "1", false},
		{"222", "2", false},
		{"4", "> 2", false},
		{"123", "= 123", true},
		{"124", "= 123", true},
		{"34", "= 234", false},
		{"34", "=", false},
		{"123", "s== 123", true},
		{"1234", "s== 123", false},
		{"1234", "s!= 123", true},
		{"123", "s!= 123", false},
		{"1000", "s>= 234", false},
		{"234", "s<= 1000", false},
		{"2", "s< 12", false},
		{"12", "s> 2", false},
		{"12311321", "<in> 11", true},
		{"12310321", "<in> 11", false},
		{"12310321", "<in> 11 <in>", false},
		{"12", "<or> 11 <or> 12", true},
		{"13", "<or> 11 <or> 12", false},
		{"11", "<or> 11 <or>", true},
		{"2", "<= 10", true},
		{"3", "<= 2", false},
		{"3", ">= 1", true},
		{"2", ">= 3", false},
		{"3", ">= ", false},
		{"aes mmx aux", "<all-in> aes mmx", true},
		{"aes mmx aux", "<all-in> aes xxx", false},
		{"2.0", "== 2", true},
		{"2", "!= 2.0", false},
		{"2", "!= 3", true},
		{"true", "true", true},
		{"True", "true", false},
		{"a b", "a b", true},
		{"x", "", false},
		{"", "", true},
	} {
		if got := matchSpec(c.value, c.want); got != c.match {
			t.Errorf("%q %q: %v", c.value, c.want, got)
		}
	}
}

// TestMatchesLabel: one of several values is enough.
func TestMatchesLabel(t *testing.T) {
	labels := map[string]string{"storage": "local_image, remote", "empty": ""}
	for _, c := range []struct {
		key, want string
		match     bool
	}{{"storage", "remote", true}, {"storage", "local_lvm", false}, {"none", "x", false},
		{"storage", "<or> a <or> local_image", true}} {
		if got := matchesLabel(labels, c.key, c.want); got != c.match {
			t.Errorf("%s %s: %v", c.key, c.want, got)
		}
	}
}

// FuzzMatchSpec: words that nobody has foreseen don't break it, and what has no
// operator matches itself.
func FuzzMatchSpec(f *testing.F) {
	f.Add("a", "<or> a <or>")
	f.Add("3", ">= 2 x")
	f.Add("", "<all-in>")
	f.Fuzz(func(t *testing.T, value, want string) {
		matchSpec(value, want)
		if matchSpec(value, "<or> "+want) && len(want) == 0 {
			t.Error("nothing matches")
		}
	})
}
