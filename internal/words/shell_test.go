package words

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{
		"node-0.example.com":                        "node-0.example.com",
		"node-role.kubernetes.io/infra=:NoSchedule": "node-role.kubernetes.io/infra=:NoSchedule",
		"":              "''",
		"$(id)":         "'$(id)'",
		"it's":          `'it'\''s'`,
		"=ls":           "'=ls'", // zsh expands it
		"~":             "'~'",
		"{a,b}":         "'{a,b}'",
		`{"spec":null}`: `'{"spec":null}'`,
		"a b\nc":        "'a b\nc'",
		"größe":         "'größe'",
	} {
		if got := Quote(word); got != want {
			t.Errorf("%q: %s, not %s", word, got, want)
		}
	}
}

// TestShellReadsItBack: a shell takes the line for the words that it was made of.
func TestShellReadsItBack(t *testing.T) {
	words := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("ab ='\"\\$`(){}[]*?~!#&|;<>\n\t-,%^ü")), 0, 8, -1),
		1, 6)
	for seed := range 40 {
		want := words.Example(seed)
		line := `printf '%s\000'`
		for _, w := range want {
			line += " " + Quote(w)
		}
		out, err := exec.Command("sh", "-c", line).Output()
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q read back as %q: %v", want, got, err)
		}
	}
}
