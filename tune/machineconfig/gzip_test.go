package machineconfig

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// bomb is a MachineConfig with a compressed file of so many bytes, each the letter.
func bomb(t testing.TB, name string, letter byte, size int) openshift.MachineConfig {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	if _, err := zip.Write(bytes.Repeat([]byte{letter}, size)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	mc := config3(name, "/etc/"+name, "data:;base64,"+base64.StdEncoding.EncodeToString(b.Bytes()))
	fileOf(mc)["contents"].(map[string]any)["compression"] = "gzip"
	return mc
}

// However many files unfold, and be they the same, no more is kept than the bound.
func TestBombs(t *testing.T) {
	for _, same := range []bool{true, false} {
		var configs []openshift.MachineConfig
		var text strings.Builder
		for i := range 40 {
			letter := byte('a')
			if !same {
				letter += byte(i)
			}
			mc := bomb(t, fmt.Sprintf("50-bomb%02d", i), letter, 4<<20)
			configs = append(configs, mc)
			mc.APIVersion, mc.Kind = "machineconfiguration.openshift.io/v1", "MachineConfig"
			fmt.Fprintf(&text, "---\n%s", toYAML(t, mc))
		}
		kept := 0
		for _, f := range worker(release.Current, configs...).Files {
			kept += len(f.Content)
			if full := f.Size == 4<<20 && f.Problem == ""; !full && (f.Content != nil || f.Problem != errUnfolded.Error()) {
				t.Errorf("%s: %d bytes, %q", f.Path, f.Size, f.Problem)
			}
		}
		if kept == 0 || kept > maxUnfolded {
			t.Errorf("%d bytes are kept", kept)
		}
		a := Answer(split(t, text.String()), nil, release.Current)
		if a.Verdict.OK || !slices.Contains(ids(a.Findings), "compression") {
			t.Errorf("%+v", a.Verdict)
		}
		wellSaid(t, a.Findings)
	}
}

// What is compressed and small is told of each pool, with no finding.
func TestSmallContentsUnfold(t *testing.T) {
	mc := bomb(t, "50-small", 'x', 1<<20)
	if f := worker(release.Current, mc).Files[0]; f.Size != 1<<20 || f.Problem != "" || len(f.Content) != f.Size {
		t.Errorf("%d %q", f.Size, f.Problem)
	}
	mc.APIVersion, mc.Kind = "machineconfiguration.openshift.io/v1", "MachineConfig"
	if found := Check(split(t, toYAML(t, mc)), release.Current); slices.Contains(ids(found), "compression") {
		t.Error(saidOf(found))
	}
}

// One file alone may be too much.
func TestOneBomb(t *testing.T) {
	if f := worker(release.Current, bomb(t, "50-bomb", 0, maxUnfolded+1)).Files[0]; f.Content != nil ||
		f.Problem != errUnfolded.Error() {
		t.Errorf("%d %q", f.Size, f.Problem)
	}
}
