package v1alpha1

import "testing"

// Servers may be lacking for different reasons: the reason of the first is not said of all.
func TestLackingSaysTheFirstReasonOfTheFirstAlone(t *testing.T) {
	f, ok := Lacking([]Skipped{{What: "server a", Why: "status ERROR", Needed: true}, {What: "image x", Why: "unused"},
		{What: "server b", Why: "its flavor is in no list", Needed: true, Count: 2}})
	if want := "server a: status ERROR; and 2 more (--section skipped)"; !ok || f.Message != want {
		t.Errorf("%q, want %q", f.Message, want)
	}
	f, _ = Lacking([]Skipped{{What: "server a", Why: "status ERROR", Needed: true}})
	if want := "server a: status ERROR"; f.Message != want {
		t.Errorf("%q, want %q", f.Message, want)
	}
}
