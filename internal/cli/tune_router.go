package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/facts"
	"plimsoll.dev/internal/strict"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/tune/router"
)

func newTuneRouter(a *app) *cobra.Command {
	x := &tuning{app: a}
	c := &cobra.Command{
		Use:   "router FILE",
		Short: "Recommend the router's settings for a traffic mix",
		Long: `Router reads a traffic mix and answers with maxconn, threads, buffers, timeouts and
the reload interval, how many old processes pile up and what memory they take,
how many routers that needs, the environment variables or the IngressController
that set it, and a haproxy.cfg that shows it. Each figure has its formula.

` + exitCodesHelp,
		Example: `  plimsoll tune router examples/tune/router.yaml
  plimsoll tune router examples/tune/router.yaml -o html --output-file router.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return x.router(args[0]) },
	}
	x.out.flags(c)
	c.PreRun = x.remember
	x.failOn = "error"
	c.Flags().BoolVar(&x.noError, "exit-zero", false, "exit with 0 whatever is found")
	return c
}

func (t *tuning) router(path string) error {
	in, err := t.readTraffic(path)
	if err != nil {
		return t.tell(err)
	}
	advice, _ := router.Advise(in, facts.Load())
	return t.answer(advice.Answer(), nil)
}

// maxTraffic is more than any traffic mix is long.
const maxTraffic = 1 << 20

// readTraffic reads a traffic mix; the error has every problem at its place.
func (t *tuning) readTraffic(path string) (router.Input, error) {
	var in router.Input
	text, name, err := t.slurp(path, maxTraffic)
	if err != nil {
		return in, err
	}
	tree, bad := yamlpos.Parse(name, text)
	if len(bad) == 0 {
		if bad = strict.New[router.Input](nil).Decode(tree, &in); len(bad) == 0 {
			for _, p := range in.Problems() {
				field, rest, _ := strings.Cut(p, ": ")
				what, fix, _ := strings.Cut(strings.TrimSuffix(rest, ")"), " (")
				bad = append(bad, tree.Problem(field, what, fix))
			}
		}
	}
	if len(bad) > 0 {
		bad.TakeExcerpts(text, 1, 1)
		return in, bad
	}
	return in, nil
}
