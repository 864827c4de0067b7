package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
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

// workerFlags say that a load runs from several machines.
type workerFlags struct {
	n                 int
	image, kubeconfig string
}

func (w *workerFlags) flags(c *cobra.Command) {
	f := c.Flags()
	f.IntVar(&w.n, "workers", 0, "run from so many pods of an Indexed Job, each with its share of the projects")
	f.StringVar(&w.image, "image", "", "with --workers: the `IMAGE` with plimsoll as its entry point")
	f.StringVar(&w.kubeconfig, "workers-kubeconfig", "",
		"with --workers: the `FILE` of another cluster for the Job to run in")
}

// mostWorkers is more than anybody has nodes to spare for.
const mostWorkers = 1000

// check that the work can be shared.
func (w *workerFlags) check(work *loadmodel.Work) error {
	switch {
	case w.n == 0 && (w.image != "" || w.kubeconfig != ""):
		return errors.New("--image and --workers-kubeconfig stand beside --workers")
	case w.n == 0:
		return nil
	case w.n < 0 || w.n > mostWorkers:
		return fmt.Errorf("--workers is from 1 to %d", mostWorkers)
	case w.image == "":
		return errors.New("--workers needs an --image to run; the Containerfile in the source makes one")
	case w.n > len(work.Namespaces):
		return fmt.Errorf("--workers %d: the configuration has %s, and each is filled by one worker", w.n,
			words.Count(len(work.Namespaces), "project"))
	case work.Sync != nil && work.Sync.Server.Enabled:
		return errors.New("--workers: a sync server holds the pods of one worker; run without --workers, or without it")
	}
	return nil
}

// spread runs the load from a Job.
func (l *loadCommand) spread(ctx context.Context, task *workers.Task, work *loadmodel.Work,
	thresholds []load.Threshold) error {
	target, err := l.connect(l.server)
	if err != nil {
		return err
	}
	task.Load, task.Workers = l.opt, l.workers.n
	task.Load.Seed, task.Load.RunID = uint64(l.seed), newRunID(time.Now())
	opt, home, err := l.places(ctx, target, work)
	if err != nil {
		return badInput(err)
	}
	if l.dryRun {
		return l.printWorkers(task, opt)
	}
	task.Load.Cluster = load.ClusterOf(ctx, target)
	ctx, abandon, done := l.interruptible(ctx)
	defer done()
	task.Load.Abandon = abandon
	progress := term.NewProgress(l.terminal, term.ProgressOptions{Title: "workers done", Unit: "workers",
		Total: int64(task.Workers), Quiet: l.quiet, Now: time.Now})
	ready := 0
	result, err := workers.Run(ctx, home, target, task, work.Cleanup, opt, func(p workers.Progress) {
		if p.Ready != ready {
			l.say("%d of %d workers are ready", p.Ready, p.Workers)
			ready = p.Ready
		}
		progress.Set(int64(p.Done))
	})
	progress.Done()
	if err != nil {
		return errors.Join(err, leftOf(result))
	}
	l.out.again = ""
	notes := append(slices.Clone(work.Notes), fmt.Sprintf("measured by %s: when something came is by the clock of each, "+
		"how long it took by one", words.Count(task.Workers, "worker")))
	return l.answer(result.Answer(notes, thresholds), nil)
}

func leftOf(r *load.Result) error {
	if len(r.Left) == 0 {
		return nil
	}
	return fmt.Errorf("not all could be taken away (plimsoll load destroy %s): %s", r.RunID, strings.Join(r.Left, "; "))
}

// places are where the workers run, and what they need there.
func (l *loadCommand) places(ctx context.Context, target *apiserver.Client, work *loadmodel.Work) (workers.Options,
	*apiserver.Client, error) {
	opt := workers.Options{Image: l.workers.image}
	resources, err := load.Resources(ctx, target, work, l.opt.Missing)
	if err != nil {
		return opt, nil, err
	}
	deletes := l.opt.Churn.Share > 0 ||
		slices.ContainsFunc(work.Namespaces, func(n loadmodel.Namespace) bool { return n.IfExists == "delete" })
	binds, err := workers.Binds(work)
	if err != nil {
		return opt, nil, err
	}
	opt.Resources = resources
	opt.Rules = append(workers.Rules(resources, deletes), binds...)
	if l.workers.kubeconfig == "" {
		return opt, target, nil
	}
	if at, err := url.Parse(target.Server()); err == nil && onlyHere(at.Hostname()) {
		return opt, nil, fmt.Errorf("the cluster under test is at %s, which no other cluster reaches", target.Server())
	}
	home, err := apiserver.Connect(l.workers.kubeconfig, "")
	if err != nil {
		return opt, nil, err
	}
	opt.Elsewhere = true
	opt.Kubeconfig, err = apiserver.Kubeconfig(l.server.kubeconfig, l.server.context)
	return opt, home, err
}

// onlyHere says that no other machine reaches a host by this name.
func onlyHere(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// printWorkers prints what would run the workers.
func (l *loadCommand) printWorkers(task *workers.Task, opt workers.Options) error {
	home, target, err := workers.Manifests(task, opt)
	if err != nil {
		return badInput(err)
	}
	return l.out.write(l.app, func(w io.Writer) error {
		p := objectPrinter{w: w, json: l.out.format == "json", kinds: map[string]int{}}
		return p.list(func() error {
			for _, o := range append(target, home...) {
				if err := p.one(o.Body, ""); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// newWorker is what the pods of the Job run.
func newWorker(a *app) *cobra.Command {
	var server serverFlags
	var job, home string
	c := &cobra.Command{
		Use: "worker TASK --job NAMESPACE/NAME", Hidden: true, Args: cobra.ExactArgs(1),
		Short: "Fill the share of one worker of a Job",
		Long: "Worker is what the pods of load --workers run: it waits until all are there,\nfills " +
			"its share of the projects, and leaves its result in config maps.",
		RunE: func(c *cobra.Command, args []string) error {
			at, err := placeOf(a, job)
			if err != nil {
				return badInput(err)
			}
			task, work, err := readTask(args[0])
			if err != nil {
				return badInput(err)
			}
			target, err := apiserver.Connect(server.kubeconfig, server.context)
			if err != nil {
				return badInput(err)
			}
			jobs, err := apiserver.Connect(home, "")
			if err != nil {
				return badInput(err)
			}
			l := &loadCommand{tuning: tuning{app: a}}
			ctx, abandon, done := l.interruptible(c.Context())
			defer done()
			task.Load.Abandon = abandon
			return workers.Work(ctx, jobs, target, task, work, at)
		},
	}
	server.flags(c)
	c.Flags().StringVar(&job, "job", "", "the `NAMESPACE/NAME` of the Job")
	c.Flags().StringVar(&home, "workers-kubeconfig", "",
		"the kubeconfig `FILE` of the Job's cluster (default: the pod's own)")
	return c
}

// placeOf is the worker's place. The index is what Kubernetes gives the pods of an Indexed Job.
func placeOf(a *app, job string) (workers.Place, error) {
	namespace, name, ok := strings.Cut(job, "/")
	index, err := strconv.Atoi(a.env("JOB_COMPLETION_INDEX"))
	if !ok || err != nil {
		return workers.Place{}, errors.New("give --job NAMESPACE/NAME, and the index in JOB_COMPLETION_INDEX")
	}
	return workers.Place{Namespace: namespace, Job: name, Index: index}, nil
}

func readTask(path string) (*workers.Task, *loadmodel.Work, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var task workers.Task
	if err := loadmodel.Unpack(text, &task); err != nil {
		return nil, nil, fmt.Errorf("%s is no task: %w", path, err)
	}
	b := &task.Configuration
	work, problems := clusterloader.Expand(b.Name, b.Text, b.Open, b.Options())
	if len(problems) > 0 {
		return nil, nil, problems
	}
	return &task, work, nil
}
