// Command benchrun times a command and its peer as whole processes, in turns,
// and prints the median, least and most time of each, the ratio of the medians
// and the most memory that a run took.
//
// It passes no judgement and has no floor: two machines agree on the ratio,
// not on the times. Exit codes 0 and 3 (a negative verdict) count as done.
//
//	go run ./tools/benchrun -title "plan" -runs 11 -- plimsoll plan x.yaml -- plimsoll version
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("benchrun", flag.ContinueOnError)
	title := flags.String("title", "command and peer", "what is measured")
	runs := flags.Int("runs", 11, "runs of each")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ours, peer, err := split(flags.Args())
	if err != nil {
		return err
	}
	if *runs < 1 {
		return errors.New("at least one run is needed")
	}
	var a, b []sample
	for range *runs { // in turns, so that a busy minute hits both
		for _, side := range []struct {
			command []string
			samples *[]sample
		}{{ours, &a}, {peer, &b}} {
			s, err := measure(side.command)
			if err != nil {
				return err
			}
			*side.samples = append(*side.samples, s)
		}
	}
	_, err = fmt.Fprint(out, table(*title, ours, peer, a, b))
	return err
}

// split cuts "A... -- B..." in two; flag has taken the first "--".
func split(args []string) (ours, peer []string, err error) {
	i := slices.Index(args, "--")
	if i <= 0 || i == len(args)-1 {
		return nil, nil, errors.New("give a command and its peer: benchrun -- COMMAND... -- PEER...")
	}
	return args[:i], args[i+1:], nil
}
