package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	engine "plimsoll.dev/engine/lab"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/plan"
)

// labUp holds the flags of "lab up".
type labUp struct {
	labFolder
	nodes      int
	nodeType   string
	from       string
	planned    bool
	platform   string
	profile    string
	podStart   string
	behaviour  string
	machines   bool
	foreground bool
	keep       bool
	timeout    time.Duration
	// changed says whether a flag was given.
	changed func(string) bool
}

func newLabUp(a *app) *cobra.Command {
	u := &labUp{labFolder: labFolder{app: a}}
	c := &cobra.Command{
		Use:   "up",
		Short: "Start a laboratory cluster, and print the path of its kubeconfig",
		Long: `Up starts a laboratory and returns when its nodes take pods; it runs on until
"plimsoll lab down". The nodes are --nodes equal ones, or those of a scenario as
"plimsoll place" takes them, or those that a saved plan needs: names, labels,
zones, taints, capacity and allocatable.

Pods start after --pod-start, or as the rules of --behaviour say: a delay or a
distribution of delays, a crash loop, an image that can't be had, a node that
ceases to be ready. When each started is told in truth.jsonl of the folder.

With --machines each node has a Machine of the set "workers", as OpenShift's
machine API makes them: one that is deleted takes its node with it, and another
one comes, with a new node.

A folder that was kept (lab down --keep) is started again with its data.`,
		Example: `  plimsoll lab up --nodes 100 --node-type cpus=8,memory=32Gi,pods=250
  plimsoll lab up --from examples/shop.yaml
  plimsoll lab up --pod-start 'lognormal(2s,0.5)'
  plimsoll lab up --behaviour examples/lab/behaviour.yaml --dir /tmp/lab`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			u.changed = c.Flags().Changed
			ctx, stop := untilSignal(c.Context())
			defer stop()
			return u.run(ctx)
		},
	}
	u.flags(c)
	f := c.Flags()
	f.IntVar(&u.nodes, "nodes", 100, "so many equal nodes")
	f.StringVar(&u.nodeType, "node-type", "cpus=8,memory=32Gi,pods=250", "what each of them has")
	f.StringVar(&u.from, "from", "", "take the nodes of this scenario, or saved plan")
	f.BoolVar(&u.planned, "planned", false,
		"with --from: as many nodes as the plan needs, where the scenario counts others")
	f.StringVar(&u.platform, "platform", "", "kubernetes, or openshift, whose kinds are served then "+
		"(default: that of --from, else openshift)")
	f.BoolVar(&u.machines, "machines", false, "with openshift: a Machine for each node, and a set that replaces "+
		"those that are deleted")
	f.StringVar(&u.profile, "profile", engine.Fast, "fast (no fsync, the scheduler looks at 5 % of the nodes), or "+
		"faithful (every default of Kubernetes)")
	f.StringVar(&u.podStart, "pod-start", "0s", "delay until a pod runs, such as 2s, uniform(1s,3s) or lognormal(2s,0.5)")
	f.StringVar(&u.behaviour, "behaviour", "", "take the behaviour of pods and nodes from this file")
	f.BoolVar(&u.foreground, "foreground", false, "stay, and end the laboratory when interrupted")
	f.BoolVar(&u.keep, "keep", false, "with --foreground: keep the folder in the end")
	f.DurationVar(&u.timeout, "timeout", 5*time.Minute, "the longest until it is ready")
	mustComplete(c, "profile", engine.Profiles())
	mustComplete(c, "platform", labPlatforms)
	return c
}

var labPlatforms = []string{"openshift", "kubernetes"}

func (u *labUp) run(ctx context.Context) error {
	f, err := u.folder()
	if err != nil {
		return err
	}
	if r, running := f.Running(); running {
		return fmt.Errorf("a laboratory runs in %s already, as process %d (plimsoll lab down ends it)", f.Dir, r.PID)
	}
	start, err := u.start(f)
	if err != nil {
		return err
	}
	b, err := u.builder()
	if err != nil {
		return err
	}
	if start.Program, err = b.Program(ctx); err != nil {
		return err
	}
	done := u.waiting("starting the laboratory")
	up, ended, err := f.Up(ctx, start)
	done()
	if err != nil {
		return err
	}
	u.say("ready after %.1f s in %s; \"plimsoll lab down\" ends it", up.Seconds, f.Dir)
	if _, err := fmt.Fprintln(u.Out, f.Path(engine.Kubeconfig)); err != nil {
		return errors.Join(err, f.Down(context.WithoutCancel(ctx), u.keep))
	}
	if !u.foreground {
		return nil
	}
	select {
	case <-ctx.Done():
	case <-ended:
		return fmt.Errorf("the laboratory ended by itself (its log is in %s)", f.Dir)
	}
	return f.Down(context.WithoutCancel(ctx), u.keep)
}

// start says what is to be started: a new laboratory, or the one that was kept.
func (u *labUp) start(f engine.Folder) (engine.Start, error) {
	s := engine.Start{Attached: u.foreground, Wait: u.timeout}
	if err := u.check(); err != nil {
		return s, err
	}
	c := engine.Config{Profile: u.profile, Platform: u.platform, Machines: u.machines}
	if f.Kept() {
		for _, flag := range []string{"nodes", "node-type", "from", "planned", "platform", "machines"} {
			if u.changed(flag) {
				return s, badInput(fmt.Errorf("--%s: %s has a laboratory with its nodes (plimsoll lab down removes it)", flag,
					f.Dir))
			}
		}
		kept, err := f.Config()
		if err != nil {
			return s, err
		}
		c.Platform, c.Machines, c.Behaviour = kept.Platform, kept.Machines, kept.Behaviour
		if !u.changed("profile") {
			c.Profile = kept.Profile
		}
	} else if err := u.nodesOf(&s, &c); err != nil {
		return s, err
	}
	if c.Machines && c.Platform != labPlatforms[0] {
		return s, badInput(errors.New("--machines: only the platform openshift has machines (add --platform openshift)"))
	}
	s.Config = &c
	return s, u.behave(&c.Behaviour)
}

// check finds flags that can't be.
func (u *labUp) check() error {
	plain := u.changed("nodes") || u.changed("node-type")
	switch {
	case u.from != "" && plain:
		return badInput(errors.New("--from has its own nodes (leave out --nodes and --node-type)"))
	case u.planned && u.from == "":
		return badInput(errors.New("--planned is for --from"))
	case u.keep && !u.foreground:
		return badInput(errors.New("--keep is for --foreground (and for \"plimsoll lab down\")"))
	case u.nodes < 1 || u.nodes > mostNodes:
		return badInput(fmt.Errorf("--nodes %d is not 1 to %d", u.nodes, mostNodes))
	case u.timeout <= 0:
		return badInput(fmt.Errorf("--timeout %s is not above 0", u.timeout))
	}
	if u.platform != "" {
		if err := oneOf("platform", u.platform, labPlatforms); err != nil {
			return err
		}
	}
	return oneOf("profile", u.profile, engine.Profiles())
}

// mostNodes are more than any cluster of Kubernetes has.
const mostNodes = 20_000

// nodesOf sets the nodes of a new laboratory.
func (u *labUp) nodesOf(s *engine.Start, c *engine.Config) error {
	if u.from == "" {
		t, err := engine.ParseNodeType(u.nodeType)
		if err != nil {
			return badInput(fmt.Errorf("--node-type %w", err))
		}
		s.Nodes = engine.Plain(u.nodes, t)
		if c.Platform == "" {
			c.Platform = labPlatforms[0]
		}
		return nil
	}
	in, planned, err := u.source()
	if err != nil {
		return err
	}
	if in.Scenario.Platform.Type == platformHelion {
		return badInput(fmt.Errorf("--from %s: is a cloud of VMs (the laboratory has nodes of Kubernetes)", u.from))
	}
	if in.Pools, err = cluster.Pools(in.Scenario, planned, "", u.planned); err != nil {
		return badInput(err)
	}
	built := cluster.Build(in)
	s.Nodes = engine.Planned(built, in.Scenario.Hardware.NodeTypes)
	if len(s.Nodes) == 0 {
		return badInput(fmt.Errorf("--from %s: has no nodes", u.from))
	}
	if c.Platform == "" {
		c.Platform = in.Scenario.Platform.Type
	}
	u.say("%s of %s", words.Count(len(s.Nodes), "node"), u.from)
	return nil
}

// source is what --from names, as a placement takes it.
func (u *labUp) source() (cluster.Input, *v1alpha1.Plan, error) {
	made, err := savedPlan(u.from)
	if err != nil {
		return cluster.Input{}, nil, err
	}
	if made != nil {
		if err := u.confirmed(u.from, made); err != nil {
			return cluster.Input{}, nil, err
		}
		if made.Scenario == nil {
			return cluster.Input{}, nil, badInput(fmt.Errorf("--from %s: the plan has no scenario", u.from))
		}
		u.planned = true
		return cluster.Input{Scenario: made.Scenario, Assumptions: made.Assumptions, Machines: made.Machines,
			Snapshot: made.Snapshot, Facts: plan.Catalogue(facts.Load(), made.Scenario)}, made, nil
	}
	m, err := (&input{}).read(u.app, u.from)
	if err != nil {
		return cluster.Input{}, nil, err
	}
	return cluster.Input{Scenario: m.scenario, Assumptions: m.assumed, Machines: m.machines, Snapshot: m.snapshot,
		Facts: m.facts()}, m.planFor(true), nil
}

// behave sets the behaviour that flags state.
func (u *labUp) behave(b *engine.Behaviour) error {
	if u.behaviour != "" {
		text, err := os.ReadFile(u.behaviour)
		if err != nil {
			return badInput(err)
		}
		read, problems := engine.ReadBehaviour(u.behaviour, text)
		if len(problems) > 0 {
			return u.tell(problems)
		}
		*b = read
	}
	if !u.changed("pod-start") && b.Start != "" {
		return nil
	}
	delay, err := engine.ParseDelay(u.podStart)
	if err != nil {
		return badInput(fmt.Errorf("--pod-start: %w", err))
	}
	b.Start = delay
	return nil
}
