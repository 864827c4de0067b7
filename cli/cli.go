// Package cli is the command line: commands, flags, exit codes. It reads files
// through the adapters, calls the core and hands its results to package report.
//
// It does no arithmetic.
//
//	code := cli.Run(ctx, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args, os.Getenv)
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/internal/table"
)

// Streams are the standard streams.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// The exit codes.
const (
	ExitOK       = 0 // done, and the verdict is good
	ExitFailed   = 1 // could not do it
	ExitBadInput = 2 // the input or the command line is wrong
	ExitNegative = 3 // done, and the verdict is negative
)

const exitCodesHelp = `Exit codes:
  0  done, and the verdict is good
  1  could not do it
  2  the input or the command line is wrong
  3  done, and the verdict is negative: something does not fit, a hard,
     supported or tested limit is passed, a finding is as severe as
     --fail-on, or something was not seen`

// app is what the commands share.
type app struct {
	Streams
	// terminal is the standard error stream itself, for what repaints its lines; Err cleans
	// what is written to it.
	terminal io.Writer
	env      func(string) string
	color    string
	quiet    bool
	// named are the words that may name files that are read; no output takes their place.
	named []string
}

// exitError ends the program with a code of its own. A nil err has been told
// to the user already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func badInput(err error) error { return &exitError{ExitBadInput, err} }

// Run runs the program with its arguments, the program's name first, and
// returns the exit code.
func Run(ctx context.Context, s Streams, args []string, env func(string) string) int {
	a := &app{Streams: s, terminal: s.Err, env: env, named: namedIn(args[1:])}
	a.Err = table.NewWriter(s.Err)
	root := newRoot(a, filepath.Base(args[0]))
	root.SetArgs(args[1:])
	err := unknownCommand(root, args[1:])
	if err == nil {
		err = execute(ctx, root)
	}
	if err == nil {
		return ExitOK
	}
	var exit *exitError
	switch {
	case !errors.As(err, &exit):
		exit = &exitError{ExitFailed, err}
		if isUsage(err) {
			exit.code = ExitBadInput
		}
		fmt.Fprintf(a.Err, "%s: %s\n", root.Name(), told(err))
	case exit.err != nil:
		fmt.Fprintf(a.Err, "%s: %s\n", root.Name(), told(exit.err))
	}
	return exit.code
}

// told is an error for the terminal. The name of a file may hold the end of a line, and
// a line after it that looks like an answer.
func told(err error) string {
	text := err.Error()
	if p := (*fs.PathError)(nil); errors.As(err, &p) && p.Path != "" {
		text = strings.ReplaceAll(text, p.Path, table.Clean(p.Path))
	}
	return text
}

// unknownCommand is an error where a group of commands is asked for one that it
// doesn't have: cobra shows the group's help then, as if all were well.
func unknownCommand(root *cobra.Command, args []string) error {
	group, rest, err := root.Find(args)
	if err != nil || group == root || group.Runnable() || len(rest) == 0 {
		return nil
	}
	name := rest[0]
	if strings.HasPrefix(name, "-") {
		if group.ParseFlags(rest) != nil || group.Flags().NArg() == 0 {
			return nil
		}
		name = group.Flags().Arg(0)
	}
	group.SuggestionsMinimumDistance = 2
	hint := fmt.Sprintf("see '%s --help'", group.CommandPath())
	if near := group.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q for %q (%s)", name, group.CommandPath(), hint)
}

// isUsage recognises cobra's own errors about commands and flags by how they
// begin; further in, the words may be those of a path.
func isUsage(err error) bool {
	for _, sign := range []string{"unknown command", "unknown flag", "unknown shorthand", "bad flag syntax", "accepts ",
		"requires ", "invalid argument", "flag needs an argument", "required flag"} {
		if strings.HasPrefix(err.Error(), sign) {
			return true
		}
	}
	return false
}

// newRoot is the command tree. Called as kubectl-plimsoll or oc-plimsoll it
// shows itself as "kubectl plimsoll".
func newRoot(a *app, program string) *cobra.Command {
	root := &cobra.Command{
		Use:   "plimsoll",
		Short: "Draw the load line for clouds: size clusters, place pods, find what breaks first",
		Long: `Plimsoll sizes OpenShift and Kubernetes clusters from a scenario: how many nodes
of which kind, which limits they use and which one breaks first. It places every
pod as the scheduler and the kubelets would, and proves how few nodes could do.
Every figure carries its formula and its source.

` + exitCodesHelp,
		Example: `  plimsoll init > scenario.yaml             write a commented scenario
  plimsoll plan scenario.yaml               plan it
  plimsoll plan scenario.yaml -o html       the same as a page
  plimsoll place scenario.yaml              where every pod lands
  plimsoll why scenario.yaml nodes          where a number comes from`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       build().String(),
	}
	root.SetVersionTemplate("plimsoll {{.Version}}\n")
	if host, _, ok := strings.Cut(strings.TrimSuffix(program, ".exe"), "-plimsoll"); ok {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: host + " plimsoll"}
	}
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.PersistentFlags().StringVar(&a.color, "color", "auto",
		"colour on terminals: auto, always or never (NO_COLOR is honoured)")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false,
		"print no progress and no closing line on standard error")
	root.AddCommand(newPlan(a), newPlace(a), newPack(a), newAudit(a), newTake(a), newLoad(a),
		newBench(a), newLab(a), newTune(a),
		newRBAC(a), newCertify(a), newWhy(a), newVerify(a), newDiff(a), newFacts(a), newInit(a), newValidate(a),
		newExplain(a), newSchema(a), newVersion(a))
	root.PersistentPreRunE = unnamed
	return root
}

// unnamed is an error where a flag that names what to read or write has no name, such as
// "--write $DIR" without DIR: it would be left out without a word.
func unnamed(c *cobra.Command, _ []string) error {
	for _, name := range []string{"write", "snapshot", "context", "kubeconfig", "dir", "from", "behaviour",
		"waivers", "baseline", "prometheus"} {
		if f := c.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return badInput(fmt.Errorf("--%s is empty (name what is meant, or leave the flag out)", name))
		}
	}
	return nil
}
