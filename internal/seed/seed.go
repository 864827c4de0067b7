// Package seed has the tests that draw at random begin at the same seed in every run,
// so that what they say is a property of the commit (decision 009): import it for its
// effect. SEED, or -rapid.seed, begins elsewhere, and 0 anew each time.
//
// It draws nothing. The go command can't see that a test reads SEED this early: run
// with another one as SEED=7 go test -count=1, or an older result may be shown.
//
//	import _ "plimsoll.dev/internal/seed"
package seed

import (
	"cmp"
	"flag"
	"os"

	_ "pgregory.net/rapid" // whose flag it sets
)

func init() {
	if err := flag.Set("rapid.seed", cmp.Or(os.Getenv("SEED"), "1")); err != nil {
		panic("SEED: " + err.Error())
	}
}
