// Command benchpack measures the node mix's bars: random clouds of a million
// pods, the vector packing instances of the Vectorpack study, and the OpenB
// trace, each with the CPU time of this process, and what the peers would pay.
//
// It judges nothing but the bars that it prints, each with PASS or FAIL beside
// the figure, and fails when one does. Where the instances' folder is missing,
// it takes the small part under testdata and says so.
//
//	go run ./tools/benchpack -bases 10 -seed 7 -sample 100
//	go run ./tools/benchpack -only openb
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// errBar is that a bar was missed.
var errBar = errors.New("a bar was missed")

func main() {
	err := run(os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, errBar):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settings are the command's flags.
type settings struct {
	instances string
	only      string
	seed      uint64
	bases     int
	seeds     int
	sample    int
	seconds   float64
	verbose   bool
}

func run(args []string, out io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("benchpack", flag.ContinueOnError)
	flags.StringVar(&s.instances, "instances", "../shared/instances", "folder with vectorpack and openb")
	flags.StringVar(&s.only, "only", "random,vectorpack,openb", "which of the three to run")
	flags.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()),
		"first seed of the random clouds that are not always the same; a fresh one when left out")
	flags.IntVar(&s.bases, "bases", 1, "sets of random clouds, of which one half, rounded down, is always the same")
	flags.IntVar(&s.seeds, "seeds", 3, "random clouds of each of 36 shapes in a set")
	flags.IntVar(&s.sample, "sample", 0, "vector packing instances, spread evenly; 0 is all with up to 120 items")
	flags.Float64Var(&s.seconds, "seconds", 0,
		"CPU seconds for one instance, where the bar says 1 (and 5 for OpenB); 0 leaves it to the solver's effort")
	flags.BoolVar(&s.verbose, "v", false, "print each instance")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s: is no flag (see -h)", flags.Arg(0))
	}
	return s.run(out)
}

// part is one of the three that can be run.
type part struct {
	name string
	run  func(s *settings, out io.Writer) ([]bar, error)
}

var parts = []part{
	{"random", (*settings).random},
	{"vectorpack", (*settings).vectorpack},
	{"openb", (*settings).openb},
}

// run runs the chosen parts, and prints all bars at the end.
func (s *settings) run(out io.Writer) error {
	chosen := strings.Split(s.only, ",")
	for _, name := range chosen {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
			return fmt.Errorf("-only %s: there is no such part (random, vectorpack or openb)", name)
		}
	}
	var bars []bar
	for _, p := range parts {
		if slices.Contains(chosen, p.name) {
			more, err := p.run(s, out)
			if err != nil {
				return err
			}
			bars = append(bars, more...)
		}
	}
	return judge(bars, out)
}
