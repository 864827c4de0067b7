package words

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 nodes", 1: "1 node", 2: "2 nodes"} {
		if got, regular := Count(n, "node", "nodes"), Count(int64(n), "node"); got != want || regular != want {
			t.Errorf("%d: %s, %s", n, got, regular)
		}
	}
	if Form(1, "is", "are") != "is" || Form(0, "is", "are") != "are" {
		t.Error("is, are")
	}
}

func TestLists(t *testing.T) {
	for names, want := range map[string][2]string{"": {"", ""}, "a": {"a", "a"}, "a b": {"a and b", "a, b"},
		"a b c d": {"a, b, c and d", "a, b and 2 more"}} {
		if and, some := And(strings.Fields(names)), Some(strings.Fields(names), 2); and != want[0] || some != want[1] {
			t.Errorf("%s: %q, %q", names, and, some)
		}
	}
}
