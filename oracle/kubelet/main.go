package kubelet

import (
	"flag"
	"fmt"
	"os"
)

// Main runs record, check or bench with their flags and returns the exit code: 3
// when we answer differently from the kubelet.
func Main(args []string) int {
	if len(args) == 0 {
		args = []string{"-h"}
	}
	flags := flag.NewFlagSet("oracle kubelet "+args[0], flag.ContinueOnError)
	out := flags.String("out", "../place/kubelet/testdata/oracle", "record: the folder of the fixtures")
	only := flags.String("only", "", "record: the one file to write, such as hand-made or a machine's name")
	seed := flags.Uint64("seed", 1, "of the random sessions")
	sessions := flags.Int("sessions", 50, "random sessions: record: on each machine; check: in all")
	pods := flags.Int("pods", 400, "bench: for each line")
	from := flags.Int("from", 0, "check: the first session, to look at one again")
	most := flags.Int("most", 1, "check: end after so many differences")
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	var err error
	switch args[0] {
	case "work":
		return work()
	case "record":
		err = recordAll(*out, *only, *seed, *sessions)
	case "check":
		var differences int
		if differences, err = check(os.Stdout, *seed, *from, *sessions, *most); differences > 0 {
			return 3
		}
	case "bench":
		err = bench(os.Stdout, *seed, *pods)
	default:
		fmt.Fprintf(os.Stderr, "oracle kubelet: %q is no step (record, check and bench are)\n", args[0])
		return 2
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
