package machineconfig

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// searching and the others are pieces of a registries.conf as the operator writes it.
const (
	searching = "unqualified-search-registries = [\"a.example\", 'b.example'] # in this order\nshort-name-mode = \"\"\n"
	quay      = "\n[[registry]]\n  prefix = \"\"\n  location = \"quay.example/x\"\n"
	byDigest  = "  mirror-by-digest-only = true\n"
	blocked   = "  blocked = true\n"
	mirrorA   = "\n  [[registry.mirror]]\n    location = \"a.example/x\"\n"
	mirrorB   = "\n  [[registry.mirror]]\n    location = \"b.example/x\"\n"
	pull      = "    pull-from-mirror = \"digest-only\"\n"
)

func registriesConfig(text string) openshift.MachineConfig {
	return config2("00-worker", registriesFile, "data:,"+url.PathEscape(text))
}

// What drains when registries.conf changes: 4.7 drains always, 4.8 to 4.12 read the mark of
// the registry, from 4.13 on each mirror has its own. A registry for tags that stays as it was
// drains up to 4.9 (pkg/daemon/drain.go of release-4.9 and release-4.10).
func TestRegistriesDrain(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string
		then, now     string // in 4.8 and from 4.13 on: the reason, empty for no drain
	}{
		"a search registry more": {searching, strings.Replace(searching, "'b", "\"c.example\", 'b", 1), "order changes",
			"order changes"},
		"a search registry at the end": {searching, strings.Replace(searching, "b.example'", "b.example', 'c'", 1), "", ""},
		"no search registry":           {searching, "", "is removed", "is removed"},
		"another mode":                 {searching, strings.Replace(searching, "mode = \"\"", "mode = 'off'", 1), "", ""},
		"a new registry by digest":     {searching, searching + quay + byDigest + mirrorA, "", "is new and not digest-only"},
		"new mirrors by digest":        {searching, searching + quay + mirrorA + pull, "without mirror-by-digest-only", ""},
		"one of two for tags": {searching, searching + quay + mirrorA + pull + mirrorB, "without mirror-by-digest-only",
			"is new and not digest-only"},
		"a new registry alone":                  {searching, searching + quay + byDigest, "", ""},
		"a registry less":                       {quay, "", "quay.example/x is removed", "quay.example/x is removed"},
		"a mirror more, by the registry's mark": {quay + byDigest + mirrorA, quay + byDigest + mirrorA + mirrorB, "", ""},
		"a mirror more, by its own":             {quay + mirrorA + pull, quay + mirrorA + pull + mirrorB + pull, "", ""},
		"a mirror more, for tags": {quay + mirrorA, quay + mirrorA + mirrorB, "b.example/x is new",
			"b.example/x is new and not digest-only, of registry quay.example/x"},
		"a mirror less": {quay + byDigest + mirrorA, quay + byDigest, "a.example/x is removed", "is removed"},
		"a mirror for tags now": {quay + mirrorA + pull, quay + mirrorA,
			"is without mirror-by-digest-only, unchanged", "another pull-from-mirror"},
		"a mark comes":        {quay + mirrorA, quay + byDigest + mirrorA, "mirror-by-digest-only changes", ""},
		"blocked":             {quay, quay + blocked, "blocked or insecure", "blocked or insecure"},
		"no TOML":             {quay, quay + "x", "can't be read", "can't be read"},
		"mirrors as a value":  {quay, quay + "mirror = [{location = 'a'}]", "can't be read", "can't be read"},
		"a mirror of nothing": {quay, mirrorA, "can't be read", "can't be read"},
		"an open text":        {quay, quay + "blocked = \"true", "can't be read", "can't be read"},
		"an open list":        {searching, "unqualified-search-registries = [\n'a'", "can't be read", "can't be read"},
		"an unknown table":    {searching, searching + "[aliases]\n\"a\" = \"b\"\n" + "list = [\n\"c\",\n]\n", "", ""},
		"one mirror twice, as it was": {quay + mirrorA + mirrorA + pull, searching + quay + mirrorA + mirrorA + pull,
			"quay.example/x is without mirror-by-digest-only, unchanged", ""},
		"tags stay": {quay + mirrorA, quay + mirrorA + "\n[[registry]]\nlocation='z'\n" + byDigest,
			"quay.example/x is without mirror-by-digest-only, unchanged", ""},
	} {
		for _, of := range []release.Release{7, 8, 9, 10, 12, 13, release.Current} {
			want, drain := c.now, true
			switch {
			case of == 7:
				want = "every change of it drains"
			case of >= 10 && of <= 12 && strings.HasSuffix(c.then, "without mirror-by-digest-only, unchanged"):
				want = ""
			case of >= 8 && of <= 12:
				want = strings.TrimSuffix(c.then, ", unchanged")
			}
			drain = want != ""
			if strings.HasPrefix(name, "a mirror more, by its own") && of >= 8 && of <= 12 {
				drain, want = true, "is new and not digest-only"
			}
			r := React(worker(of, registriesConfig(c.before)), worker(of, registriesConfig(c.after)), Policies{}, of)
			if r.Reboot || r.Drain != drain || !strings.Contains(r.Why, want) ||
				!slices.Equal(r.Services, []string{"crio.service reload"}) {
				t.Errorf("%s in %v: %+v, want %q", name, of, r, want)
			}
		}
	}
}

// A registry is told apart by its prefix from 4.9 on.
func TestRegistriesScope(t *testing.T) {
	two := func(second string) string {
		return "[[registry]]\nprefix='p'\nlocation='l'\n" + byDigest +
			"[[registry]]\nprefix='q'\nlocation='" + second + "'\n" + byDigest
	}
	for rule, want := range map[registryRule]string{byLocation: "l", byScope: "another prefix or location"} {
		if got := rule.drains(two("l"), two("m")); !strings.Contains(got, want) {
			t.Errorf("%v: %q", rule, got)
		}
	}
}

// registryRuleSeen is the rule that a release goes by, as far as mirrors show it.
func registryRuleSeen(of release.Release) string {
	r := React(worker(of, registriesConfig(searching)),
		worker(of, registriesConfig(searching+quay+mirrorA+pull)), Policies{}, of)
	return map[bool]registryRule{true: drainsAlways, false: byMirror}[r.Drain].String()
}
