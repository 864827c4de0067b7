package strict

import (
	"strings"
	"testing"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/unit"
)

type harbour struct {
	Berths  int                   `json:"berths,omitempty"`
	Cranes  *int                  `json:"cranes,omitempty" check:"min=0,max=40"`
	Sheds   map[string]unit.Bytes `json:"sheds,omitempty"`
	Quays   []quay                `json:"quays,omitempty"`
	Ledgers unit.Bytes            `json:"ledgers,omitempty" check:"max=1152921504606846976"`
}

type quay struct {
	Open unit.Duration `json:"open,omitempty"`
}

// Where no tag says what a number can mean, its kind does; a tag may say more or less.
func TestSensible(t *testing.T) {
	for text, want := range map[string]string{
		"berths: 1000000000":                "",
		"berths: 1000000001":                "1:9: berths: 1000000001 is too large (at most 1000000000)",
		"berths: 99999999999999999999":      "1:9: berths: 99999999999999999999 is too large (at most 1000000000)",
		"cranes: 41":                        "1:9: cranes: 41 is too large (at most 40)",
		"sheds: {a: 2000Ti}":                "1:12: sheds.a: 2000Ti is too large (at most 1024Ti)",
		"quays: [{open: 1d}, {open: 200y}]": "1:28: quays[1].open: 200y is too large (at most 36500d)",
		"ledgers: 2000Ti":                   "",
	} {
		tree, bad := yamlpos.Parse("h", []byte(text))
		if len(bad) > 0 {
			t.Fatal(bad)
		}
		d := New[harbour](nil)
		d.Most = Sensible
		var h harbour
		got := ""
		if bad := d.Decode(tree, &h); len(bad) > 0 {
			got = strings.TrimPrefix(bad[0].Error(), "h:")
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// What the program saved is held to the same bounds.
func TestExceeded(t *testing.T) {
	d := New[harbour](nil)
	d.Most = Sensible
	for want, h := range map[string]harbour{
		"": {Berths: 3, Cranes: new(int), Ledgers: 1 << 60},
		"berths: 1000000001 is too large (at most 1000000000)": {Berths: 1e9 + 1},
		"cranes: 41 is too large (at most 40)":                 {Cranes: ptr(41)},
		"cranes: -1 is negative (at least 0)":                  {Cranes: ptr(-1)},
		"sheds[a]: 2048Ti is too large (at most 1024Ti)":       {Sheds: map[string]unit.Bytes{"a": 2048 * unit.TiB}},
		"quays[0].open: 36501d is too large (at most 36500d)":  {Quays: []quay{{36501 * 86400}}},
	} {
		got := ""
		if err := d.Exceeded(h); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func ptr[T any](v T) *T { return &v }
