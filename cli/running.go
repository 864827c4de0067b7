package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/source/kube"
	"plimsoll.dev/source/live"
)

// runningFlags say which cluster that runs is read in place of a snapshot.
type runningFlags struct {
	server  serverFlags
	current bool
	// context is that of the command that runs.
	context func() context.Context
}

func (r *runningFlags) flags(c *cobra.Command) {
	r.server.flags(c)
	c.Flags().Lookup("context").Usage = "read the cluster of this `CONTEXT` of the kubeconfig in place of a snapshot"
	c.Flags().BoolVar(&r.current, "live", false, "read the cluster of the current context, or in a pod the one it runs in")
	r.context = c.Context
}

// asked says whether a cluster is to be read.
func (r *runningFlags) asked() bool { return r.current || r.server != (serverFlags{}) }

// name stands for the cluster where a snapshot has the name of its file; empty where none is asked for.
func (r *runningFlags) name() string {
	if !r.asked() {
		return ""
	}
	if r.server.context != "" {
		return "cluster " + r.server.context
	}
	return "the cluster"
}

func (r *runningFlags) check(snapshot string) error {
	if snapshot != "" && r.asked() {
		return errors.New("--snapshot is a file, and --context, --kubeconfig and --live are the cluster that runs: " +
			"give one of them")
	}
	return nil
}

// runs says whether the flags name a cluster, or a snapshot of one.
func (in *input) runs() bool { return in.snapshot != "" || in.running.asked() }

// readRunning reads a cluster that runs as the snapshot of it would be read. What it is made of has no lines, so that
// all places are the cluster.
func (a *app) readRunning(r *runningFlags, opt kube.Options) (*v1alpha1.Inventory, error) {
	only := func(k live.Kind) bool { return !k.Audit }
	if opt.Each != nil {
		only = nil
	}
	found, err := asSnapshot(a, r, live.Reader{Only: only}, func(text io.Reader) (*v1alpha1.Inventory, error) {
		return kube.ReadSnapshot(text, r.name(), opt)
	})
	if err != nil {
		return nil, err
	}
	at := func(place string) string {
		if rest, ok := strings.CutPrefix(place, r.name()+":"); ok && rest != "" {
			return r.name()
		}
		return place
	}
	for i := range found.PodTypes {
		found.PodTypes[i].Origin = at(found.PodTypes[i].Origin)
	}
	for i := range found.Skipped {
		found.Skipped[i].Place = at(found.Skipped[i].Place)
	}
	return found, nil
}

// readRunningCluster is readCluster of a cluster that runs.
func (a *app) readRunningCluster(r *runningFlags, opt kube.Options) (*kube.Cluster, error) {
	only := func(k live.Kind) bool { return opt.Reads(k.Kind) }
	reader := live.Reader{Only: only, Rights: "plimsoll rbac tune"}
	found, err := asSnapshot(a, r, reader, func(text io.Reader) (*kube.Cluster, error) {
		return kube.ReadCluster(text, r.name(), opt)
	})
	var bad yamlpos.Problems
	if errors.As(err, &bad) { // which nobody has typed
		err = &exitError{ExitFailed, err}
	}
	return found, err
}

// asSnapshot hands the text of a cluster that runs to a reader of snapshots. Only the kinds are asked for that reader
// wants.
func asSnapshot[T any](a *app, r *runningFlags, reader live.Reader, read func(io.Reader) (T, error)) (T, error) {
	client, err := a.connect(r.server)
	if err != nil {
		var none T
		return none, err
	}
	return piped(func(w io.Writer) error {
		reader.Client = client
		var done func()
		reader.Progress, done = a.reading()
		defer done()
		err := reader.Write(r.context(), w)
		if err != nil && !errors.Is(err, io.ErrClosedPipe) {
			err = &exitError{ExitFailed, err}
		}
		return err
	}, read)
}

// piped reads what is written, of which nothing is kept.
func piped[T any](write func(io.Writer) error, read func(io.Reader) (T, error)) (T, error) {
	out, in := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		in.CloseWithError(write(in)) // nil is the end
	}()
	found, err := read(out)
	out.Close()
	<-ended
	return found, err
}

// reading shows how far the lists of a cluster are, each with a line of its own.
func (a *app) reading() (show func(resource string, done, total int64), end func()) {
	var now *term.Progress
	of := ""
	return func(resource string, done, total int64) {
			if of != resource {
				if now != nil {
					now.Done()
				}
				of = resource
				now = term.NewProgress(a.terminal, term.ProgressOptions{Title: "reading " + resource, Total: total,
					Quiet: a.quiet, Now: time.Now})
			}
			now.Set(done)
		}, func() {
			if now != nil {
				now.Done()
			}
		}
}
