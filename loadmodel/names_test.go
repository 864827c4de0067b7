package loadmodel

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

// Whether counted names overlap is told as by writing all of them down.
func TestCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) counted {
			return counted{kind: "Pod", prefix: rapid.StringMatching("a[0-2]{0,3}").Draw(t, label),
				n: rapid.IntRange(0, 130).Draw(t, label+" n")}
		}
		a, b := draw("a"), draw("b")
		made := map[string]bool{}
		for i := range a.n {
			made[a.prefix+strconv.Itoa(i)] = true
		}
		both := false
		for i := range b.n {
			name := b.prefix + strconv.Itoa(i)
			both = both || made[name]
			if a.has("Pod", name) != made[name] || a.has("Service", name) {
				t.Fatalf("%+v has %s: %v", a, name, a.has("Pod", name))
			}
		}
		if shared := a.shares(b); (shared != "") != both || both && !(a.has("Pod", shared) && b.has("Pod", shared)) {
			t.Fatalf("%+v and %+v: %q, want %v", a, b, shared, both)
		}
	})
}

// What servers take and refuse, by kind.
func TestNameWrong(t *testing.T) {
	for name, want := range map[[2]string]bool{{"Service", "a-1"}: true, {"Service", "1a"}: false,
		{"Service", "a.b"}: false, {"ConfigMap", "a.b"}: true, {"ConfigMap", "A_b"}: false, {"Role", "system:A_b"}: true,
		{"Role", "a/b"}: false, {"Role", ".."}: false, {"Namespace", "a.b"}: false, {"Widget", "1a.b"}: true} {
		if wrong := nameWrong(name[0], name[1]); (len(wrong) == 0) != want {
			t.Errorf("%v: %v", name, wrong)
		}
	}
}
