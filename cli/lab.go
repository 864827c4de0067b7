package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	engine "plimsoll.dev/engine/lab"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/report"
)

func newLab(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "lab",
		Short: "Run a laboratory cluster: the real control plane, simulated nodes",
		Long: `Lab runs a cluster to try things on: the real etcd, API server, scheduler and
controllers of Kubernetes in one process, with simulated nodes whose pods start
after delays, and fail in ways, that you choose. No container runs, and nothing
but this machine can reach it (127.0.0.1).

Its program, plimsoll-lab, is the one that PLIMSOLL_LAB names, or that stands
beside plimsoll; else it is built from the checkout of Plimsoll's repository in
which you are, once (minutes, 3 GB of memory).`,
		Example: `  plimsoll lab up --nodes 100
  export KUBECONFIG=$(plimsoll lab kubeconfig --path)
  plimsoll lab status
  plimsoll lab down`,
	}
	c.AddCommand(newLabUp(a), newLabStatus(a), newLabDown(a), newLabKubeconfig(a), newLabBuild(a))
	return c
}

// labFolder is the flag --dir.
type labFolder struct {
	*app
	dir string
}

func (l *labFolder) flags(c *cobra.Command) {
	c.Flags().StringVar(&l.dir, "dir", "", "the laboratory's folder (default: plimsoll/lab in XDG_STATE_HOME)")
}

// labContext is the name of the context in the laboratory's kubeconfig.
const labContext = "plimsoll-lab"

// folder is the one of --dir, else the user's.
func (l *labFolder) folder() (engine.Folder, error) {
	if l.dir != "" {
		dir, err := filepath.Abs(l.dir)
		return engine.Folder{Dir: dir}, err
	}
	state, err := l.userDir("XDG_STATE_HOME", ".local/state")
	return engine.Folder{Dir: filepath.Join(state, "plimsoll", "lab")}, err
}

// userDir is a folder of the user's by the XDG rules.
func (a *app) userDir(variable, inHome string) (string, error) {
	if dir := a.env(variable); filepath.IsAbs(dir) {
		return dir, nil
	}
	home := a.env("HOME")
	if !filepath.IsAbs(home) {
		return "", badInput(fmt.Errorf("neither %s nor HOME names a folder", variable))
	}
	return filepath.Join(home, filepath.FromSlash(inHome)), nil
}

// builder finds the program of the laboratory.
func (a *app) builder() (engine.Builder, error) {
	cache, err := a.userDir("XDG_CACHE_HOME", ".cache")
	b := engine.Builder{Named: a.env("PLIMSOLL_LAB"), From: ".", Cache: cache,
		Building: func() func() { return a.waiting("building the laboratory, which takes minutes") }}
	if self, failed := os.Executable(); failed == nil {
		b.Beside = filepath.Dir(self)
	}
	return b, err
}

// waiting tells how long something takes that can't be counted.
func (a *app) waiting(title string) (done func()) {
	p := term.NewProgress(a.terminal, term.ProgressOptions{Title: title, Elapsed: true, Quiet: a.quiet, Now: time.Now})
	tick, end := time.NewTicker(200*time.Millisecond), make(chan struct{})
	go func() {
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				p.Set(0)
			}
		}
	}()
	return func() {
		tick.Stop()
		close(end)
		p.Done()
	}
}

// untilSignal ends a context at a signal, so that what was begun is taken back first.
func untilSignal(ctx context.Context) (context.Context, func()) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

func newLabBuild(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "build",
		Short: "Build the laboratory's program, and print its path",
		Long: `Build compiles plimsoll-lab from the checkout of Plimsoll's repository in which
you are, unless that was done already, and prints its path. It needs Go, some
minutes, 3 GB of memory and, the first time, the network.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			b, err := a.builder()
			if err != nil {
				return err
			}
			ctx, stop := untilSignal(c.Context())
			defer stop()
			program, err := b.Build(ctx)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.Out, program)
			return err
		},
	}
}

func newLabDown(a *app) *cobra.Command {
	l, keep := &labFolder{app: a}, false
	c := &cobra.Command{
		Use:   "down",
		Short: "End the laboratory, and remove all that it has",
		Long: `Down ends the laboratory and removes its folder. With --keep the folder stays,
and "plimsoll lab up" starts it again with its data. Where there is none,
nothing is done.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := l.folder()
			if err != nil {
				return err
			}
			if !f.Kept() {
				a.say("there is no laboratory in %s", f.Dir)
				return nil
			}
			defer a.waiting("ending the laboratory")()
			return f.Down(c.Context(), keep)
		},
	}
	l.flags(c)
	c.Flags().BoolVar(&keep, "keep", false, "keep the folder with its data")
	return c
}

func newLabKubeconfig(a *app) *cobra.Command {
	l, path := &labFolder{app: a}, false
	c := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print the laboratory's kubeconfig, or its path",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			f, err := l.folder()
			if err != nil {
				return err
			}
			text, err := os.ReadFile(f.Path(engine.Kubeconfig))
			if errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("there is no laboratory in %s (plimsoll lab up starts one)", f.Dir)
			}
			if path {
				text = []byte(f.Path(engine.Kubeconfig) + "\n")
			}
			if err == nil {
				_, err = a.Out.Write(text)
			}
			return err
		},
	}
	l.flags(c)
	c.Flags().BoolVar(&path, "path", false, "print the path of the file")
	return c
}

func newLabStatus(a *app) *cobra.Command {
	l, out := &labFolder{app: a}, output{}
	c := &cobra.Command{
		Use:   "status",
		Short: "Tell how the laboratory is: nodes, pods, memory, age",
		Long: `Status asks the laboratory how many of its nodes are ready, and how its pods
are. The verdict is good when all nodes are ready.

` + exitCodesHelp,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			opt, err := out.options(a)
			if err != nil {
				return err
			}
			f, err := l.folder()
			if err != nil {
				return err
			}
			status, err := f.Status(c.Context(), time.Now())
			if err != nil {
				return err
			}
			made := status.Answer()
			err = out.write(a, func(w io.Writer) error { return report.WriteAnswer(w, made, out.format, opt) })
			if err != nil || made.Verdict.OK {
				return err
			}
			a.say("exit code 3: %s", cmp.Or(made.Verdict.Problem, made.Verdict.Summary))
			return &exitError{code: ExitNegative}
		},
	}
	l.flags(c)
	out.flags(c)
	c.PreRun = nil // what is asked a moment later is something else
	return c
}

// oneOf is an error for a value that is none of those.
func oneOf(flag, value string, of []string) error {
	if slices.Contains(of, value) {
		return nil
	}
	return badInput(fmt.Errorf("--%s %q is not %s", flag, value, strings.Join(of, " or ")))
}
