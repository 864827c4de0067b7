// Command benchnova compares package place/nova with Nova itself, through
// oracle/nova. It prints how many times as fast Fit, FitInto, Fits and Search are
// as Nova's own function on the recorded requests, in the same run and in turns; it
// has no floor and passes no judgement.
//
// With -check it reads fresh sequences as "oracle/nova/run.sh check" prints them
// and tells where the answers differ; the exit code is 3 then.
//
//	go run ./tools/benchnova
//	oracle/nova/run.sh check --seed 7 | go run ./tools/benchnova -check
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// errDiffer is the end of a check that found differences.
var errDiffer = errors.New("the answers differ")

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	switch {
	case errors.Is(err, errDiffer):
		os.Exit(3)
	case err != nil:
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("benchnova", flag.ContinueOnError)
	fresh := flags.Bool("check", false, "compare with the sequences on the standard input")
	most := flags.Int("most", 20, "differences that -check tells")
	oracle := flags.String("oracle", filepath.Join("oracle", "nova", "run.sh"), "the script that runs Nova")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *fresh {
		return check(in, out, *most)
	}
	files := flags.Args()
	if len(files) == 0 {
		files, _ = filepath.Glob(filepath.Join("place", "nova", "testdata", "oracle", "*.jsonl.gz"))
	}
	if len(files) == 0 {
		return errors.New("no recorded requests here (run it at the root of the repository, or name files)")
	}
	return bench(*oracle, files, out)
}
