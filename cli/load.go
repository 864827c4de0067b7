package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/engine/load"
	"plimsoll.dev/engine/load/workers"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/source/clusterloader"
)

// loadCommand holds the flags of "load".
type loadCommand struct {
	tuning
	server     serverFlags
	opt        load.Options
	dryRun     bool
	thresholds []string
	waitFor    []string
	seed       int64
	maximum    string
	goal       int
	start      int
	step       int
	workers    workerFlags
	precision  int
	prometheus prometheusFlags
}

// serverFlags say which API server is meant.
type serverFlags struct{ kubeconfig, context string }

func (s *serverFlags) flags(c *cobra.Command) {
	c.Flags().StringVar(&s.kubeconfig, "kubeconfig", "", "the kubeconfig `FILE` of the cluster (default: $KUBECONFIG, "+
		"else that of the laboratory that runs, else ~/.kube/config)")
	c.Flags().StringVar(&s.context, "context", "", "the `CONTEXT` of the kubeconfig")
	completeFlag(c, "context", func() []string {
		names, _ := apiserver.Contexts(s.kubeconfig) // one that can't be read is told by the command itself
		return names
	})
}

// connect to the server that the flags mean. A laboratory goes before the file in the home directory:
// who has started one means it, and the other way round a real cluster would be filled by mistake.
func (a *app) connect(s serverFlags) (*apiserver.Client, error) {
	if s.kubeconfig == "" && (s.context == "" || s.context == labContext) && a.env("KUBECONFIG") == "" {
		if f, err := (&labFolder{app: a}).folder(); err == nil {
			if running, up := f.Running(); up && running.Port > 0 {
				a.say("the cluster is the laboratory in %s", f.Dir)
				s.kubeconfig = f.Path("kubeconfig")
			}
		}
	}
	c, err := apiserver.Connect(s.kubeconfig, s.context)
	switch {
	case errors.Is(err, apiserver.ErrNone):
		return nil, badInput(fmt.Errorf("%w: give --kubeconfig FILE, or start a laboratory with plimsoll lab up", err))
	case err != nil:
		return nil, badInput(err)
	case s.kubeconfig == "" && a.env("KUBECONFIG") == "":
		a.say("the cluster is %s (--kubeconfig names another)", c.Server())
	}
	return c, nil
}

func newLoad(a *app) *cobra.Command {
	l := &loadCommand{tuning: tuning{app: a, failOn: "error"}}
	c := &cobra.Command{
		Use:   "load [CONFIGURATION]",
		Short: "Fill a cluster as Cluster Loader does, measure it, and clean up",
		Long: `Load reads a configuration of Cluster Loader, that of the program in Go (OCP 5)
or of the one in Python (OpenShift 3), and creates what it says on a cluster:
projects, templates, pods and the rest, at the pace of its tuning sets. All is
checked before the first request: files, names, parameters, units.

Each object is measured from when it was due, so that a server that hesitates is
seen; pods that never start count as slower than all others. The 99th
percentiles are held against the service levels of Kubernetes, or against
--threshold.

With --workers it runs from the pods of a Job, each with its share of the
projects, and merges what they measured.

With --maximum it creates more and more of one thing, until a level does not
hold or the limit that the vendor has tested is reached; --precision then looks
for the highest level that holds.

All that a run makes carries a label, and nothing without it is deleted. A run
that fails or is interrupted takes away what it has made.

` + exitCodesHelp,
		Example: `  plimsoll load examples/cluster-loader.yaml --dry-run
  plimsoll load examples/cluster-loader.yaml --kubeconfig lab.kubeconfig
  plimsoll load pods.yaml --rate 100 --threshold pod/ready.p99=10s
  plimsoll load --maximum services-per-namespace
  plimsoll load big.yaml --workers 4 --image registry.example/plimsoll:1`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeYAML,
		RunE: func(c *cobra.Command, args []string) error {
			if err := l.checkFlags(c); err != nil {
				return err
			}
			switch {
			case l.maximum != "" && l.workers != (workerFlags{}):
				return badInput(errors.New("--maximum climbs from one machine, without --workers"))
			case l.maximum != "" && len(args) == 0:
				return l.climb(c.Context())
			case l.maximum != "" || len(args) == 0: // OCP 5.4: without a configuration there is a clear message
				return badInput(errors.New("give a configuration of Cluster Loader, or --maximum " +
					strings.Join(maximumNames(), "|")))
			}
			return l.run(c.Context(), args[0])
		},
	}
	l.out.flags(c)
	l.server.flags(c)
	l.workers.flags(c)
	l.prometheus.flags(c)
	f := c.Flags()
	f.BoolVar(&l.noError, "exit-zero", false, "exit with 0 whatever comes out")
	f.BoolVar(&l.dryRun, "dry-run", false, "print every object (as YAML, or with -o json a list), and create nothing")
	f.Float64Var(&l.opt.Rate, "rate", 0, "objects to create a second, in place of the configuration's pace")
	f.BoolVar(&l.opt.Poisson, "poisson", false, "with --rate: at random times, as independent users do")
	f.IntVar(&l.opt.Concurrency, "concurrency", 16, "requests under way at once")
	f.IntVar(&l.opt.Queue, "queue", 0, "the most pods that may wait to be ready while others are created (0: any number)")
	f.StringVar(&l.opt.SyncHost, "sync-listen", "127.0.0.1",
		"the address of the sync server, if the configuration has one")
	f.StringVar(&l.opt.Missing, "missing", "refuse", "kinds that the server does not have: refuse, convert or skip")
	f.StringVar(&l.opt.Cleanup, "cleanup", "auto",
		"take away what was made: auto (as the configuration says, and after failures), always or never")
	f.BoolVar(&l.opt.Force, "force", false, "with ifexists: delete, also delete projects that no run has made")
	f.StringArrayVar(&l.thresholds, "threshold", nil,
		"the most that a quantile may be, such as pod/ready.p99=5s or create/*.max=1s")
	f.Int64Var(&l.seed, "seed", 1, "of all that is drawn: generated values, --poisson")
	l.waitFlags(c)
	l.churnFlags(c)
	l.climbFlags(c)
	mustComplete(c, "missing", missings)
	mustComplete(c, "cleanup", cleanups)
	c.AddCommand(newCompare(a), newDestroy(a), newMirror(a), newWorker(a))
	return c
}

// waitFlags say what is waited for, and how long.
func (l *loadCommand) waitFlags(c *cobra.Command) {
	f := c.Flags()
	f.DurationVar(&l.opt.Timeout, "timeout", 30*time.Minute,
		"how long all pods and workloads are waited for in the end (0: for ever)")
	f.StringArrayVar(&l.waitFor, "wait-for", nil,
		"a `KIND=CONDITION` of custom objects to wait for, such as Certificate=Ready; Job=none waits for no Job")
	f.DurationVar(&l.opt.Patience, "patience", time.Minute,
		"fail when nothing becomes ready for so long while pods wait (0: never)")
}

// churnFlags make anew what is there.
func (l *loadCommand) churnFlags(c *cobra.Command) {
	f := c.Flags()
	f.Float64Var(&l.opt.Churn.Share, "churn", 0,
		"delete and make anew this share of all items when all are ready: 0.1 is a tenth")
	f.StringVar(&l.opt.Churn.Mode, "churn-mode", load.ChurnObjects,
		"objects, or namespaces with all that is in them")
	f.IntVar(&l.opt.Churn.Cycles, "churn-cycles", 1, "how often")
	f.DurationVar(&l.opt.Churn.Delay, "churn-delay", 0, "between two of them")
	mustComplete(c, "churn-mode", churnModes)
}

// maxConfiguration is more than any configuration is long.
const maxConfiguration = 16 << 20

func (l *loadCommand) run(ctx context.Context, path string) error {
	thresholds, err := l.judges()
	if err != nil {
		return badInput(err)
	}
	text, name, err := l.slurp(path, maxConfiguration)
	if err != nil {
		return badInput(err)
	}
	task := &workers.Task{Configuration: loadmodel.Bundle{Name: name, Text: text, Seed: uint64(l.seed)}}
	b := &task.Configuration
	env := b.RecordingEnv(func(name string) (string, bool) { v := l.env(name); return v, v != "" })
	work, problems := clusterloader.Expand(name, text, b.Recording(openBelow), loadmodel.Options{Seed: b.Seed, Env: env})
	if len(problems) > 0 {
		return l.tell(problems)
	}
	l.opt.Configuration = b.Digest()
	if err := l.workers.check(work); err != nil {
		return badInput(err)
	}
	if err := l.out.ready(l.app, l.dryRun, load.Specimen(l.opt)); err != nil {
		return err
	}
	if l.workers.n > 0 {
		return l.spread(ctx, task, work, thresholds)
	}
	if l.dryRun {
		return l.print(work)
	}
	client, err := l.connect(l.server)
	if err != nil {
		return err
	}
	return l.fill(ctx, client, work, thresholds)
}

// fill runs the load. A signal ends it and cleans up; a later one leaves what is there.
func (l *loadCommand) fill(ctx context.Context, client *apiserver.Client, work *loadmodel.Work,
	thresholds []load.Threshold) error {
	ctx, abandon, done := l.interruptible(ctx)
	defer done()
	l.opt.Abandon = abandon
	l.opt.Seed, l.opt.RunID = uint64(l.seed), newRunID(time.Now())
	progress := term.NewProgress(l.terminal, term.ProgressOptions{Title: "creating", Unit: "items",
		Total: int64(work.Items()), Quiet: l.quiet, Now: time.Now})
	l.opt.Progress = func(p load.Progress) { show(progress, p, l.opt.Rate) }
	result, err := load.Run(ctx, client, work, l.opt)
	progress.Done()
	if err != nil {
		return err
	}
	l.out.again = "" // asking again would fill the cluster again
	return l.answer(result.Answer(work.Notes, thresholds), nil)
}

// show what goes on, beside the rate that was asked for.
func show(on *term.Progress, p load.Progress, rate float64) {
	said := p.Says()
	if rate > 0 && p.Done < p.Total {
		said = strings.TrimSuffix(fmt.Sprintf("%.4g/s asked for; %s", rate, said), "; ")
	}
	on.Note(said)
	on.Set(int64(min(p.Done, p.Total)))
}

// sameSignal is the time in which signals are one: shells and timeout(1) send it to a process and to
// its group.
const sameSignal = 2 * time.Second

// interruptible is a context that the first signal ends, and one that a later signal ends. A pipe that
// is closed ends nothing: what was made would stay.
func (a *app) interruptible(ctx context.Context) (run, abandon context.Context, done func()) {
	run, end := context.WithCancel(ctx)
	abandon, leave := context.WithCancel(context.WithoutCancel(ctx))
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	go func() {
		var first time.Time
		for s := range signals {
			switch {
			case s == syscall.SIGPIPE:
			case first.IsZero():
				first = time.Now()
				a.say("ending: what was made is taken away (another signal leaves it)")
				end()
			case time.Since(first) > sameSignal:
				leave()
			}
		}
	}()
	return run, abandon, func() {
		signal.Stop(signals)
		close(signals)
		end()
		leave()
	}
}

// newRunID tells this run from all others.
func newRunID(now time.Time) string {
	return fmt.Sprintf("%s-%05d", now.UTC().Format("20060102-150405"), now.Nanosecond()/10_000)
}

// print every object, as it would be created.
func (l *loadCommand) print(work *loadmodel.Work) error {
	kinds := map[string]int{}
	err := l.out.write(l.app, func(w io.Writer) error {
		p := objectPrinter{w: w, json: l.out.format == "json", kinds: kinds}
		return p.all(work)
	})
	if err != nil {
		return err
	}
	total := 0
	for _, n := range kinds {
		total += n
	}
	dialect := ""
	if l.maximum == "" {
		dialect = fmt.Sprintf(" (dialect of the program in %s)", work.Dialect)
	}
	l.say("%s in %s would be created%s", words.Count(total, "object"), words.Count(len(work.Namespaces), "project"),
		dialect)
	for _, n := range work.Notes {
		l.say("%s", n)
	}
	return nil
}

// openBelow reads what a configuration names.
func openBelow(root, name string) ([]byte, error) { return readBelow(root, name, maxConfiguration) }

func newDestroy(a *app) *cobra.Command {
	var server serverFlags
	c := &cobra.Command{
		Use:   "destroy RUN",
		Short: "Take away what a run has made",
		Long: "Destroy deletes the projects and objects that a run has made, by the label that\n" +
			"they carry, and waits until they are gone. The exit code is 3 where nothing\ncarries it.",
		Example: "  plimsoll load destroy 20261128-101500-00042",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := load.CheckRun(args[0]); err != nil {
				return badInput(err)
			}
			client, err := a.connect(server)
			if err != nil {
				return err
			}
			return a.destroy(c.Context(), client, args[0])
		},
	}
	server.flags(c)
	return c
}

// destroy what a run has made. A server that is not there at all is told at once; one that goes away meanwhile is
// waited for.
func (a *app) destroy(ctx context.Context, client *apiserver.Client, run string) error {
	_, err := client.Do(ctx, apiserver.Request{Method: http.MethodGet, Path: "/version"})
	if err != nil && apiserver.Code(err) == 0 {
		return err
	}
	gone, err := load.Destroy(ctx, client, run)
	if err != nil {
		return err
	}
	if gone == (load.Gone{}) {
		a.say("nothing carries the label %s=%s", load.RunLabel, run)
		return &exitError{code: ExitNegative}
	}
	_, err = fmt.Fprintf(a.Out, "%s and %s beside them of run %s taken away\n", words.Count(gone.Namespaces, "project"),
		words.Count(gone.Objects, "object"), run)
	return err
}
