package seed

import (
	"cmp"
	"flag"
	"os"
	"testing"
)

func TestSeedIsSet(t *testing.T) {
	if got, want := flag.Lookup("rapid.seed").Value.String(), cmp.Or(os.Getenv("SEED"), "1"); got != want {
		t.Errorf("-rapid.seed is %s, want %s", got, want)
	}
}
