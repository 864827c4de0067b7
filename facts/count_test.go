package facts_test

import (
	"testing"

	"plimsoll.dev/facts"
)

func TestCount(t *testing.T) {
	if got := len(facts.Load().All()); got != facts.Count {
		t.Errorf("the catalogue has %d facts, Count says %d (run: go generate ./facts)", got, facts.Count)
	}
}
