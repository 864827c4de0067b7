package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/source/kube"
	"plimsoll.dev/tune/check"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/unit"
)

// rolloutCommand holds the flags of "tune rollout".
type rolloutCommand struct {
	tuning
	nodes          string
	workers        int
	masters        int
	maxUnavailable string
	drain, reboot  string
	opt            pool.Options
	// passed are files that could not be read.
	passed []v1alpha1.Skipped
}

func newTuneRollout(a *app) *cobra.Command {
	x := &rolloutCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "rollout (--nodes FILE | --workers N)",
		Short: "Play the rollout of a new configuration, node by node",
		Long: `Rollout plays how the Machine Config Operator brings a new configuration to
the nodes of pools: in which order, how many at once, how long it takes, how
many nodes take pods meanwhile, and why it stalls where it does. Of a cluster
it looks at cordoned and failed nodes, and at PodDisruptionBudgets that let no
drain end, if pods and budgets are given as well:

  kubectl get nodes,machineconfigpools,pods,poddisruptionbudgets -A -o json

` + exitCodesHelp,
		Example: `  plimsoll tune rollout --workers 3
  plimsoll tune rollout --workers 100 --max-unavailable 10% --drain 1m-5m --reboot 4m
  plimsoll tune rollout --nodes examples/tune/nodes.json --pool worker -o html`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return x.run() },
	}
	x.tuning.flags(c)
	f := c.Flags()
	f.StringVar(&x.nodes, "nodes", "", "the cluster: what kubectl wrote, or a must-gather's directory")
	f.IntVar(&x.workers, "workers", 0, "without --nodes: so many workers")
	f.IntVar(&x.masters, "masters", 0, "without --nodes: so many masters")
	f.StringVar(&x.maxUnavailable, "max-unavailable", "", "nodes that may be unavailable at once, as 3 or 10%, "+
		"in all pools but master, or in those of --pool (default: the pools')")
	f.StringVar(&x.drain, "drain", "", "time to drain a node, as 2m or 1m-5m")
	f.StringVar(&x.reboot, "reboot", "", "time from then until it is ready again, as 5m or 4m-6m")
	f.StringSliceVar(&x.opt.Roll, "pool", nil, "roll out to these pools (default: all)")
	f.BoolVar(&x.opt.Continue, "continue", false, "go on with the rollout that is under way")
	f.IntVar(&x.opt.Needed, "needed", 0, "nodes that must take pods all the time")
	return c
}

func (x *rolloutCommand) run() (err error) {
	if x.opt.Release, err = x.readRelease(); err != nil {
		return err
	}
	if err := x.read(); err != nil {
		return err
	}
	made, err := pool.Explain(x.opt)
	if err != nil {
		return badInput(err)
	}
	check.Missing(&made, x.passed)
	return x.answer(&made, nil)
}

// read turns the flags into options.
func (x *rolloutCommand) read() error {
	drain, reboot, err := x.times()
	if err != nil {
		return badInput(err)
	}
	switch {
	case x.nodes != "" && x.workers+x.masters > 0:
		return badInput(errors.New("--nodes names the nodes (leave out --workers and --masters)"))
	case x.nodes != "":
		cluster, err := x.readCluster(x.nodes, kube.Options{Drains: true})
		if err != nil {
			return x.tell(err)
		}
		x.passed = cluster.Passed
		x.opt.Nodes, x.opt.Pools = pool.FromObjects(cluster.Nodes, drain, reboot), cluster.Pools
		x.opt.PoolsUnseen = !pool.Listed(cluster.Pools)
		x.opt.DrainsUnseen = !x.podsSeen(x.nodes, cluster.Pods) || len(cluster.Budgets) == 0
		pool.Hold(x.opt.Nodes, cluster.Budgets, cluster.Running)
	case max(x.workers, x.masters) > pool.MostNodes:
		return badInput(fmt.Errorf("--workers %d, --masters %d: no cluster has so many nodes (at most %d of each)", x.workers,
			x.masters, pool.MostNodes))
	case x.workers < 0 || x.masters < 0 || x.workers+x.masters == 0:
		return badInput(errors.New("no nodes: give --nodes FILE, or --workers N"))
	default:
		x.opt.Nodes = append(pool.Nodes(pool.Master, x.masters, drain, reboot), pool.Workers(x.workers, drain, reboot)...)
	}
	if len(x.opt.Pools) == 0 {
		x.opt.Pools = pool.Standard(x.opt.Release)
	}
	return x.budget(x.opt.Pools)
}

// budget sets maxUnavailable of the pools that are rolled out to.
func (x *rolloutCommand) budget(pools []openshift.MachineConfigPool) error {
	if x.maxUnavailable == "" {
		return nil
	}
	var value any = x.maxUnavailable
	if n, err := strconv.ParseInt(x.maxUnavailable, 10, 64); err == nil {
		value = n
	}
	for i := range pools {
		name := pools[i].Metadata.Name
		if slices.Contains(x.opt.Roll, name) || len(x.opt.Roll) == 0 && name != pool.Master {
			pools[i].Spec.MaxUnavailable = value
			if _, err := pool.Budget(&pools[i], len(x.opt.Nodes), x.opt.Release); err != nil {
				return badInput(fmt.Errorf("--max-unavailable %s: %w", x.maxUnavailable, err))
			}
		}
	}
	return nil
}

// times of a node's update: those of the flags, else the document's for both together.
func (x *rolloutCommand) times() (drain, reboot pool.Range, err error) {
	if x.drain == "" && x.reboot == "" {
		return pool.Range{}, pool.Usual(), nil
	}
	var wrong []error
	read := func(flag, text string) pool.Range {
		r, err := timeRange(text)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--%s: %w", flag, err))
		}
		return r
	}
	drain, reboot = read("drain", x.drain), read("reboot", x.reboot)
	for _, left := range []struct{ flag, text string }{{"drain", x.drain}, {"reboot", x.reboot}} {
		if left.text == "" {
			x.say("--%s is not given: it takes no time", left.flag)
		}
	}
	return drain, reboot, errors.Join(wrong...)
}

// timeRange reads "2m" or "1m-5m"; nothing is no time.
func timeRange(text string) (pool.Range, error) {
	if text == "" {
		return pool.Range{}, nil
	}
	least, most, ok := strings.Cut(text, "-")
	if !ok {
		most = least
	}
	a, err1 := time.ParseDuration(least)
	b, err2 := time.ParseDuration(most)
	if err1 != nil || err2 != nil || a < 0 || b < a {
		return pool.Range{}, fmt.Errorf("%q is not a time such as 2m, or 1m-5m", text)
	}
	return pool.Range{Min: unit.Duration(a / time.Second), Max: unit.Duration(b / time.Second)}, nil
}
