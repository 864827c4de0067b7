package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/source/objects"
	"plimsoll.dev/tune/crd"
	"plimsoll.dev/tune/kubeletconfig"
	"plimsoll.dev/tune/machineconfig"
	"plimsoll.dev/tune/pool"
)

// kubeletCommand holds the flags of "tune kubelet".
type kubeletCommand struct {
	tuning
	opt kubeletconfig.Options
}

func newTuneKubelet(a *app) *cobra.Command {
	x := &kubeletCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "kubelet FILE...",
		Short: "Show the kubelet.conf that KubeletConfigs come to",
		Long: `Kubelet merges KubeletConfigs over the release's template as the Machine Config
Operator does, pool by pool: which one counts, what of the others is lost, which
fields the merge ignores, and the kubelet.conf of the nodes as a difference.

FILEs hold KubeletConfigs, and MachineConfigPools and a FeatureGate where they
differ from the usual ones.

` + exitCodesHelp,
		Example: `  plimsoll tune kubelet examples/tune/kubelet --release 4.4
  plimsoll tune kubelet kubeletconfig.yaml --cores 16 -o wide`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return x.run(args) },
	}
	x.tuning.flags(c)
	f := c.Flags()
	f.StringVar(&x.opt.Pool, "pool", "", "this pool alone")
	f.IntVar(&x.opt.Cores, "cores", 0, "cores of the pool's nodes, for podsPerCore")
	f.IntVar(&x.opt.HostPrefix, "host-prefix", 0, "prefix length of a node's part of the cluster network, for maxPods")
	return c
}

func (x *kubeletCommand) run(paths []string) (err error) {
	if x.opt.Release, err = x.readRelease(); err != nil {
		return err
	}
	if err := x.flagsInRange(); err != nil {
		return badInput(err)
	}
	r, err := x.read(paths)
	if err != nil {
		return err
	}
	all, err := x.withPerformance(r, x.opt.Release)
	if err != nil {
		return err
	}
	if err := x.knownPool(r); err != nil {
		return badInput(err)
	}
	made := kubeletconfig.Explain(all, x.opt)
	asTheyStand(&made, r.Objects)
	unmade(&made, r, x.opt.Release, "KubeletConfig")
	return x.answer(&made, r)
}

// flagsInRange finds numbers that no node has.
func (x *kubeletCommand) flagsInRange() error {
	var wrong []error
	if x.opt.Cores < 0 {
		wrong = append(wrong, fmt.Errorf("--cores %d is no number of cores (write 1 or more)", x.opt.Cores))
	}
	if x.opt.HostPrefix < 0 || x.opt.HostPrefix > 30 {
		wrong = append(wrong, fmt.Errorf("--host-prefix %d leaves a node no addresses (write what the "+
			"cluster's network has, such as 23)", x.opt.HostPrefix))
	}
	return errors.Join(wrong...)
}

// knownPool finds a name that no pool has.
func (x *kubeletCommand) knownPool(r *objects.Reader) error {
	given, _ := object.All[openshift.MachineConfigPool](r.Objects, "MachineConfigPool")
	var names []string
	for _, p := range pool.Complete(object.Values(given), x.opt.Release) {
		names = append(names, p.Metadata.Name)
	}
	if x.opt.Pool == "" || slices.Contains(names, x.opt.Pool) {
		return nil
	}
	return fmt.Errorf("--pool %s: there is no such pool (there are %s; give the MachineConfigPool of another)", x.opt.Pool,
		strings.Join(names, ", "))
}

// renderCommand holds the flags of "tune render".
type renderCommand struct {
	tuning
	before []string
}

func newTuneRender(a *app) *cobra.Command {
	x := &renderCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "render FILE...",
		Short: "Show what each pool gets from its MachineConfigs",
		Long: `Render joins MachineConfigs as the Machine Config Operator does, pool by pool:
the files, units and kernel arguments, which MachineConfig each comes from and
what it hides. With --before it says what the nodes do about the change:
drain, reboot, or refuse it. A MachineConfiguration among the FILEs says so
in its nodeDisruptionPolicy, from 4.17 on.

` + exitCodesHelp,
		Example: `  plimsoll tune render examples/tune/machineconfig --release 4.4
  plimsoll tune render new/ --before old/`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return x.run(args) },
	}
	x.tuning.flags(c)
	c.Flags().StringSliceVar(&x.before, "before", nil, "the MachineConfigs before the change: files or directories")
	return c
}

func (x *renderCommand) run(paths []string) error {
	of, err := x.readRelease()
	if err != nil {
		return err
	}
	r, err := x.read(paths)
	if err != nil {
		return err
	}
	var before []*object.Object
	old := objects.NewReader()
	if len(x.before) > 0 {
		if old, err = x.read(x.before); err != nil {
			return err
		}
		before = append([]*object.Object{}, old.Objects...)
	}
	if err := x.refusePolicies(of, old, r); err != nil {
		return err
	}
	made := machineconfig.Answer(r.Objects, before, of)
	asTheyStand(&made, r.Objects, before)
	return x.answer(&made, r)
}

// refusePolicies ends the program where the API server refuses a MachineConfiguration: no cluster has its policies.
func (x *renderCommand) refusePolicies(of release.Release, readers ...*objects.Reader) error {
	var found []v1alpha1.Finding
	for _, r := range readers {
		judged := crd.Check(slices.DeleteFunc(slices.Clone(r.Objects), func(o *object.Object) bool {
			return o.Kind != "MachineConfiguration" && o.Kind != "FeatureGate"
		}), of)
		r.Excerpts(judged)
		found = append(found, judged...)
	}
	return x.refuse(readers[0], found)
}
