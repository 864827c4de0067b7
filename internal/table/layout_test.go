package table

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWrappedBreaksAtSlashesFirst(t *testing.T) {
	want := []string{"add the label", "tuned.openshift.io/", "ingress-node-label"}
	if diff := cmp.Diff(want, wrapped("add the label tuned.openshift.io/ingress-node-label", 20)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"openshift-", "control-", "plane-es"},
		wrapped("openshift-control-plane-es", 12)); diff != "" {
		t.Error(diff)
	}
	rapid.Check(t, func(t *rapid.T) {
		s, width := rapid.StringMatching(`[a-z./ -]{0,60}`).Draw(t, "text"), rapid.IntRange(1, 40).Draw(t, "width")
		lines := wrapped(s, width)
		for _, l := range lines {
			if Width(l) > width {
				t.Fatalf("%q is wider than %d", l, width)
			}
		}
		if strings.Join(strings.Fields(s), "") != strings.Join(strings.Fields(strings.Join(lines, "")), "") {
			t.Fatalf("%q has become %q", s, lines)
		}
	})
}
