package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/machineconfig"
	"plimsoll.dev/tune/pool"
)

func drawn(t *rapid.T) chooser {
	return func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
}

// Our decoder of data URLs takes, refuses and decodes what the real one does.
func TestDataURL(t *testing.T) {
	taken, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		url := randomURL(drawn(t))
		if rapid.IntRange(0, 9).Draw(t, "any") == 0 {
			url = "data:" + rapid.String().Draw(t, "url")
		}
		want := askURL(url)
		if want.OK {
			taken++
		} else {
			refused++
		}
		got, err := machineconfig.DecodeDataURL(url)
		if (err == nil) != want.OK || !bytes.Equal(got, want.Data) {
			t.Fatalf("%q: %q, %v; the real one says %v, %q", url, got, err, want.OK, want.Data)
		}
	})
	balanced(t, taken, refused)
}

// balanced demands that a good part of what was drawn is taken, and refused.
func balanced(t *testing.T, taken, refused int) {
	if least := (taken + refused) / 10; taken <= least || refused <= least {
		t.Errorf("%d were taken and %d refused: a test of one alone shows little", taken, refused)
	}
}

// What we write is decoded by the real decoder to what was written.
func TestEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		for _, url := range []string{machineconfig.EncodeDataURL(data), machineconfig.EncodeDataURLBase64(data)} {
			if a := askURL(url); !a.OK || !bytes.Equal(a.Data, data) {
				t.Fatalf("%q is %v, %q", url, a.OK, a.Data)
			}
		}
	})
}

// Our rendering refuses what Ignition and the operator refuse, and is else the same.
func TestRender(t *testing.T) {
	taken, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		configs, merged := randomConfigs(drawn(t))
		want := askConfigs(configs, merged)
		if want.Refused == "" {
			taken++
		} else {
			refused++
		}
		if d := differ(want); d != "" {
			t.Fatalf("%s\n%s\nthe real one: %s %v %v", d, bytes.Join(raws(configs), []byte("\n")), want.Refused, want.Files,
				want.Units)
		}
	})
	balanced(t, taken, refused)
}

func raws(list []json.RawMessage) [][]byte {
	var out [][]byte
	for _, r := range list {
		out = append(out, r)
	}
	return out
}

// differ renders the same with our code and says what differs; empty for nothing.
func differ(want configAnswer) string {
	e := release.V45
	if want.Merged {
		e = release.Current
	}
	var configs []openshift.MachineConfig
	for i, raw := range want.Configs {
		mc := openshift.MachineConfig{
			Metadata: openshift.ObjectMeta{Name: fmt.Sprint(i), Labels: map[string]string{openshift.LabelRole: "worker"}},
		}
		// YAML wants this one escaped.
		tree, problems := yamlpos.Parse("config", bytes.ReplaceAll(raw, []byte("\x7f"), []byte(`\u007f`)))
		if len(problems) > 0 {
			return problems.Error()
		}
		mc.Spec.Config = tree.Root.Value().(map[string]any)
		configs = append(configs, mc)
	}
	got := machineconfig.Render(configs, pool.Standard(release.Current)[1:], e).Pools[0]
	if (got.Failure != "") != (want.Refused != "") {
		return fmt.Sprintf("failure %q, the real one %q", got.Failure, want.Refused)
	}
	return filesDiffer(got, want) + unitsDiffer(got, want)
}

func filesDiffer(got machineconfig.PoolConfig, want configAnswer) string {
	if len(got.Files) != len(want.Files) {
		return fmt.Sprintf("%d files; ", len(got.Files))
	}
	for _, f := range got.Files {
		w, ok := want.Files[f.Path]
		if !ok || f.Mode != fmt.Sprintf("0%o", w.Mode) || (f.Problem != "") != w.Bad ||
			!w.Bad && !bytes.Equal(f.Content, w.Data) {
			return fmt.Sprintf("file %s: %+v; ", f.Path, f)
		}
	}
	return ""
}

func unitsDiffer(got machineconfig.PoolConfig, want configAnswer) string {
	if len(got.Units) != len(want.Units) {
		return fmt.Sprintf("%d units", len(got.Units))
	}
	for _, u := range got.Units {
		w, ok := want.Units[u.Name]
		if !ok || u.State != w.State || u.Contents != w.Contents || len(u.Dropins) != len(w.Dropins) {
			return fmt.Sprintf("unit %s: %+v", u.Name, u)
		}
		for _, d := range u.Dropins {
			if c, ok := w.Dropins[d.Name]; !ok || c != d.Contents {
				return fmt.Sprintf("drop-in %s of %s: %q", d.Name, u.Name, d.Contents)
			}
		}
	}
	return ""
}
