package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/whatif"
	"plimsoll.dev/plan"
	"plimsoll.dev/report"
	"plimsoll.dev/tune/pool"
)

// placeCommand holds the flags of "place".
type placeCommand struct {
	*app
	in       input
	out      output
	option   string
	order    string
	seed     int
	rules    string
	failures int
	tries    bool // the flag says how many fail
	drain    string
	planned  bool
	compare  bool
	noError  bool
}

func newPlace(a *app) *cobra.Command {
	p := &placeCommand{app: a}
	c := &cobra.Command{
		Use:   "place [SCENARIO]",
		Short: "Put every pod or VM where the real schedulers would",
		Long: `Place answers where each pod of a scenario goes, decided as kube-scheduler and
the kubelets decide: which pods find no place and why, what they got on their
machine, what is stranded, how many more fit, and what the loss of nodes does.
On platform helion it places VMs: the host of each, its NUMA nodes, cores, pages
and devices, by the rules of the document, of StarlingX or of Nova.

SCENARIO is a file, or - for standard input. The nodes are those of the option
that "plimsoll plan" chooses, as many as the scenario counts, else as many as
the plan needs. With --snapshot it is the cluster as it runs, and the
scenario's own pods are added to it.

` + exitCodesHelp,
		Example: `  plimsoll place examples/cpu-manager.yaml
  plimsoll place examples/topology-manager.yaml -o wide
  plimsoll place examples/hcg-figure-16.yaml
  plimsoll place examples/hcg-cpe.yaml --rules nova --failures 1
  plimsoll place scenario.yaml --order shuffled --seed 7
  plimsoll place scenario.yaml --failures 2 --drain 3
  plimsoll place --snapshot cluster.json --release 4.17 -o html --output-file place.html`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeYAML,
		RunE: func(c *cobra.Command, args []string) error {
			p.tries = c.Flags().Changed("failures")
			return p.run(c.Context(), first(args))
		},
	}
	p.in.flags(c)
	p.out.flags(c)
	f := c.Flags()
	f.StringVar(&p.option, "option", "", "place on the nodes of this option of the plan")
	f.BoolVar(&p.planned, "planned", false, "place on as many nodes as the plan needs, where the scenario counts others")
	f.StringVar(&p.order, "order", "",
		"order in which pods arrive: runs, shuffled or largestFirst (default: the scenario's)")
	f.IntVar(&p.seed, "seed", -1, "seed of the shuffle, and of random ties (default: the scenario's)")
	f.StringVar(&p.rules, "rules", "",
		"on helion, the rules that place VMs: hcg-4.0, starlingx or nova (default: the scenario's)")
	f.IntVar(&p.failures, "failures", 0, "what-if: so many nodes fail together, and each zone and rack; 0 tries "+
		"what the policy states alone (default: policy.spareNodes, at least 1)")
	f.StringVar(&p.drain, "drain", "", "what-if: a rolling update takes so many nodes at a time, as 5 or 10%; "+
		"what the policy states is tried beside it; "+
		"0 tries none (default: policy.maxUnavailable)")
	f.BoolVar(&p.compare, "compare", false,
		"compare the proven floor, the planned nodes and what the scheduler needs in each order")
	f.BoolVar(&p.noError, "exit-zero", false, "exit with 0 whatever the verdict")
	mustComplete(c, "order", orders)
	mustComplete(c, "rules", ruleSets)
	return c
}

// ruleSets are the rules by which VMs can be placed.
var ruleSets = []string{string(nova.HCG40), string(nova.StarlingX), string(nova.Nova)}

var orders = []string{cluster.Runs, cluster.Shuffled, cluster.LargestFirst}

func (p *placeCommand) run(ctx context.Context, name string) error {
	switch {
	case p.order != "" && !slices.Contains(orders, p.order):
		return badInput(fmt.Errorf("--order %q is not runs, shuffled or largestFirst", p.order))
	case p.rules != "" && !slices.Contains(ruleSets, p.rules):
		return badInput(fmt.Errorf("--rules %q is not hcg-4.0, starlingx or nova", p.rules))
	case p.failures < 0:
		return badInput(fmt.Errorf("--failures %d is negative", p.failures))
	}
	if _, err := pool.WorkersAtOnce(p.drain, 1); p.drain != "" && p.drain != "0" && err != nil {
		return badInput(fmt.Errorf("--drain: %w", err))
	}
	opt, err := p.out.options(p.app)
	if err != nil {
		return err
	}
	m, err := p.in.read(p.app, name)
	if err != nil {
		return err
	}
	if n := m.scenario.Policy.SpareNodes; !p.tries {
		p.failures = 1
		if n != nil {
			p.failures = max(1, *n)
		}
	}
	if m.scenario.Platform.Type == platformHelion {
		return p.placeServers(ctx, m, opt)
	}
	if p.rules != "" {
		return badInput(errors.New("--rules is for platform helion (scheduling.release names the release of kube-scheduler)"))
	}
	placed, err := p.place(ctx, m)
	if err != nil {
		return err
	}
	if err := p.out.write(p.app,
		func(w io.Writer) error { return report.WritePlacement(w, placed, p.out.format, opt) }); err != nil {
		return err
	}
	return p.negative(placed.Verdict)
}

// negative is the exit code of a placement in which something does not run.
func (p *placeCommand) negative(v v1alpha1.PlacementVerdict) error {
	if v.Good() || p.noError {
		return nil
	}
	if v.Fits {
		v.Problem = "not known: " + v.Open[0]
	}
	p.say("exit code 3: %s", v.Problem)
	return &exitError{code: ExitNegative}
}

// place builds the cluster and places its pods.
func (p *placeCommand) place(ctx context.Context, m *merged) (*v1alpha1.Placement, error) {
	p.schedule(m.scenario)
	c, made, err := p.cluster(m)
	if err != nil {
		return nil, err
	}
	progress := p.counting("placing", "pods", int64(c.Wanted()))
	defer progress.Done()
	s := m.scenario.Scheduling
	opt := place.Options{Order: s.Order, Seed: uint64(s.Seed), Failures: p.failures,
		MaxUnavailable: cmp.Or(p.drain, m.scenario.Policy.MaxUnavailable),
		PerNode:        m.scenario.Policy.RolloutPerNode,
		Stated:         place.Stated(m.scenario, m.assumed),
		Progress:       func(done int) { progress.Set(int64(done)) },
		Watch:          whatif.Watch{Stop: func() bool { return ctx.Err() != nil }}}
	var trying *term.Progress
	opt.Trying = func(done, total int) {
		if done == 0 {
			progress.Done()
			trying = p.counting("trying failures", "cases", int64(total))
		}
		if trying.Set(int64(done)); done == total-1 {
			trying.Done()
		}
	}
	open := made.Verdict.Open
	if p.drain == "0" {
		opt.MaxUnavailable = ""
		if most := opt.Stated.MaxUnavailable; most != "" {
			open = append(slices.Clone(open),
				"rolling update, "+most+" at a time (policy.maxUnavailable): not judged: --drain 0")
		}
	}
	placed, err := place.Make(c, m.scenario, opt)
	if trying != nil {
		trying.Done()
	}
	if err != nil {
		return nil, badInput(err)
	}
	placed.Assumptions = m.assumed
	place.Skip(placed, m.skipped, open)
	inStock(placed, m.scenario)
	if p.option == "" {
		live := m.snapshot != nil && len(m.snapshot.Nodes) > 0
		placed.Confirm(made, live, "nodes.", "infra.", "limits.stock")
	}
	if p.compare {
		placed.Comparison = p.comparison(m, made)
	}
	return placed, nil
}

// inStock fails a placement on machines that nobody has.
func inStock(placed *v1alpha1.Placement, s *v1alpha1.Scenario) {
	used := map[string]int{}
	for i := range placed.Nodes {
		used[placed.Nodes[i].Type] += max(1, placed.Nodes[i].Count)
	}
	for _, t := range s.Hardware.NodeTypes {
		if t.Available == nil || used[t.Name] <= *t.Available {
			continue
		}
		text := fmt.Sprintf("%s of %s, and %d in stock", words.Count(used[t.Name], "node"), t.Name, *t.Available)
		placed.Find(v1alpha1.Error, "place.stock["+t.Name+"]", text, "have as many in stock")
		placed.Verdict.Fits, placed.Verdict.Problem = false, cmp.Or(placed.Verdict.Problem, text)
	}
}

// comparison is that of the plan, or made now for a workload that is too large
// for a plan to wait for it.
func (p *placeCommand) comparison(m *merged, made *v1alpha1.Plan) *v1alpha1.NodeComparison {
	for _, o := range made.Options {
		if o.Chosen && p.option == "" || o.Name == p.option {
			if o.Comparison == nil {
				p.say("comparing: the scheduler is run some hundred times, which takes its time with many pods")
				o.Comparison = plan.Compare(m.scenario, made, o, m.facts())
			}
			if o.Comparison == nil {
				p.say("nothing is compared: %s is a mix of types, or does not hold the pods", o.Name)
			}
			return o.Comparison
		}
	}
	p.say("nothing is compared: no option is chosen")
	return nil
}

// schedule puts the flags in place of what the scenario says.
func (p *placeCommand) schedule(s *v1alpha1.Scenario) {
	if p.order != "" {
		s.Scheduling.Order = p.order
	}
	if p.seed >= 0 {
		s.Scheduling.Seed = p.seed
	}
	s.Scheduling.Rules = cmp.Or(p.rules, s.Scheduling.Rules)
}

// cluster plans the scenario and builds the nodes that it decided on.
func (p *placeCommand) cluster(m *merged) (*cluster.Cluster, *v1alpha1.Plan, error) {
	made := m.planFor(true)
	pools, err := cluster.Pools(m.scenario, made, p.option, p.planned)
	if err != nil {
		return nil, nil, badInput(err)
	}
	in := cluster.Input{Scenario: m.scenario, Pools: pools, Platform: made.Decisions.WorkerPods, Assumptions: m.assumed,
		Facts: m.facts(), Machines: m.machines}
	if p.option == "" {
		in.Snapshot = m.snapshot
	}
	return cluster.Build(in), made, nil
}
