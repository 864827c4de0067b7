package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	engine "plimsoll.dev/engine/apply"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/source/kube"
	"plimsoll.dev/source/objects"
	"plimsoll.dev/tune/check"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/tune/profile"
	"plimsoll.dev/tune/tuned"
)

// profileFlags say where profiles and the CRs that recommend them are read.
type profileFlags struct {
	tuneds   []string
	profiles []string
	virtual  string
	root     string // a copy of the node's files, where there is one
}

func (p *profileFlags) flags(c *cobra.Command) {
	c.Flags().StringSliceVar(&p.tuneds, "tuned", nil,
		"Tuned CRs: files, directories or - (the default CR is added where it is missing)")
	c.Flags().StringSliceVar(&p.profiles, "profiles", nil,
		"further directories of TuneD profiles, a later one first (default: those of an installed TuneD)")
	c.Flags().StringVar(&p.virtual, "virtual", "", "what virt-what prints on the node, such as kvm (default: bare metal)")
}

// machine is what is known of the node whose profile is flattened.
func (p *profileFlags) machine(r release.Release) tuned.Machine {
	virtual := p.virtual != ""
	return p.described(tuned.Machine{Virtual: &virtual}, r)
}

// described is a machine with what a release of OpenShift, and directories of
// profiles, give it.
func (p *profileFlags) described(m tuned.Machine, r release.Release) tuned.Machine {
	m.TuneD, m.Read, m.Incomplete = tuned.ReleaseIn(r), engine.ReadVariables(p.profiles, true, p.root), true
	return m
}

// set is the profiles of the directories, and over them those of the CRs.
func (p *profileFlags) set(in *profile.Input) (*tuned.Set, error) {
	dirs, err := engine.ReadProfiles(p.profiles, true)
	if err != nil {
		return nil, badInput(err)
	}
	return tuned.NewSet(append(dirs, profile.DirectoryOf(in))...), nil
}

// explainCommand holds the flags of "tune explain".
type explainCommand struct {
	tuning
	profileFlags
	nodes   string
	running runningFlags
	node    string
}

func newTuneExplain(a *app) *cobra.Command {
	x := &explainCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "explain --nodes FILE|--context NAME --tuned FILE...",
		Short: "Say which TuneD profile each node gets, and why",
		Long: `Explain reads the nodes, pods and pools of a cluster and its Tuned CRs, and says
for each node the profile that the Node Tuning Operator chooses, the item that
won, the items before it that did not match and what they lack, and which change
would give the node another profile.

The nodes are those of --context, or what "kubectl get
nodes,pods,machineconfigpools -A -o json" or "plimsoll snapshot" wrote, or a
directory: "oc adm must-gather" writes one that has nodes, pools
and Tuned CRs, so that --nodes DIR --tuned DIR explains it (of pods it keeps
few: those of profiles that match by pods must be given as well).

Where the operator's Profile objects are among these, explain says which nodes
are asked for another profile, have another one, could not apply it, or have no
Profile. "plimsoll rbac tune" prints the rights to read all this.

` + exitCodesHelp,
		Example: `  plimsoll tune explain --nodes examples/tune/nodes.json --tuned examples/tune/tuned
  plimsoll tune explain --context prod --tuned tuned/
  plimsoll tune explain --nodes nodes.json --tuned tuned/ --node worker-3
  plimsoll tune explain --nodes nodes.json --tuned tuned/ --release 4.4 -o html
  plimsoll tune explain --nodes nodes.json --tuned tuned/ --release 4.3 -o wide`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return x.run() },
	}
	x.tuning.flags(c)
	x.profileFlags.flags(c)
	c.Flags().StringVar(&x.nodes, "nodes", "", "the cluster: a file of kubectl, a must-gather's directory, or -")
	x.running.flags(c)
	c.Flags().StringVar(&x.node, "node", "", "explain this node alone")
	return c
}

func (x *explainCommand) run() error {
	of, err := x.readRelease()
	if err != nil {
		return err
	}
	switch {
	case x.nodes == "" && !x.running.asked():
		return badInput(errors.New("--nodes is missing: what \"kubectl get nodes,pods,machineconfigpools -A -o json\" " +
			"wrote (or --context, the cluster that runs)"))
	case x.nodes != "" && x.running.asked():
		return badInput(errors.New("--nodes is a file, and --context, --kubeconfig and --live are the cluster that runs: " +
			"give one of them"))
	}
	r, objs, tuneds, err := x.readTuneds(x.tuneds, of)
	if err != nil {
		return err
	}
	cluster, err := x.cluster()
	if err != nil {
		return x.tell(err)
	}
	given := withPools(cluster.Pools, r.Objects)
	in := profile.Input{Tuneds: tuneds, Nodes: profile.Nodes(cluster.Nodes), Pods: cluster.Pods,
		Pools: pool.Complete(given, of), Release: of, Profiles: cluster.Profiles,
		ProfilesSeen: profilesSeen(cluster), Now: seenAt(cluster)}
	in.Unseen.Tuneds, in.Unseen.Pools = len(tuneds) == 0, !pool.ListedWhole(given)
	in.Unseen.Pods = !x.podsSeen(x.nodes, cluster.Pods)
	set, err := x.set(&in)
	if err != nil {
		return err
	}
	in.Kernel = kernel(set, x.machine(of))
	made, err := x.explain(in, given, objs)
	if err != nil {
		return badInput(fmt.Errorf("%s: %w", cmp.Or(x.nodes, x.running.name()), err))
	}
	check.Missing(&made, cluster.Passed)
	asTheyStand(&made, r.Objects)
	unmade(&made, r, of, "Tuned")
	return x.answer(&made, r)
}

// withPools are the pools of a cluster, and those of the files beside the Tuned CRs that it does not have.
func withPools(of []openshift.MachineConfigPool, files []*object.Object) []openshift.MachineConfigPool {
	more, _ := object.All[openshift.MachineConfigPool](files, "MachineConfigPool")
	for _, p := range object.Values(object.Latest(more)) {
		if !slices.ContainsFunc(of, func(o openshift.MachineConfigPool) bool { return o.Metadata.Name == p.Metadata.Name }) {
			of = append(slices.Clip(of), p)
		}
	}
	return of
}

// cluster is what runs, or what was written of it.
func (x *explainCommand) cluster() (*kube.Cluster, error) {
	if x.running.asked() {
		return x.readRunningCluster(&x.running, kube.Options{Profiles: true})
	}
	return x.readCluster(x.nodes, kube.Options{Profiles: true})
}

// profilesSeen says whether a node without a Profile has none: all were read, or a file has some.
func profilesSeen(c *kube.Cluster) bool {
	return c.ProfilesSeen || c.Taken == "" && len(c.Profiles) > 0 && len(c.Passed) == 0
}

// seenAt is when a cluster was as it is told of.
func seenAt(c *kube.Cluster) time.Time {
	if at, err := time.Parse(time.RFC3339, c.Taken); err == nil {
		return at
	}
	return time.Now()
}

// podsSeen says whether the pods are those of all the cluster: a must-gather keeps the
// cluster's own.
func (a *app) podsSeen(path string, pods []profile.Pod) bool {
	info, err := os.Stat(path)
	return slices.ContainsFunc(pods, func(p profile.Pod) bool {
		return err != nil || !info.IsDir() || !strings.HasPrefix(p.Namespace, "openshift-") &&
			!strings.HasPrefix(p.Namespace, "kube-")
	})
}

// explain explains all nodes, or the one that was asked for.
func (x *explainCommand) explain(in profile.Input, given []openshift.MachineConfigPool, objs []*object.Object) (
	v1alpha1.Answer, error) {
	all := profile.Explain(in)
	if x.node != "" {
		return all.AnswerFor(x.node)
	}
	checked := profile.CheckIn(objs, given, in.Release)
	made := all.Answer(checked...)
	for _, n := range all.Nodes {
		made.Names = append(made.Names, "node/"+n.Name+" "+n.Profile)
	}
	return made, nil
}

// readTuneds reads objects, and returns those beside what becomes of the PerformanceProfiles among them, and the Tuned
// CRs of both.
func (t *tuning) readTuneds(paths []string, of release.Release) (*objects.Reader, []*object.Object,
	[]object.Typed[openshift.Tuned], error) {
	r, err := t.read(paths)
	if err != nil {
		return nil, nil, nil, err
	}
	objs, err := t.withPerformance(r, of)
	if err != nil {
		return nil, nil, nil, err
	}
	tuneds, found := object.All[openshift.Tuned](objs, "Tuned")
	return r, objs, tuneds, t.refuse(r, found)
}

// readCluster reads what kubectl, or oc adm must-gather, wrote of a cluster.
func (a *app) readCluster(path string, opt kube.Options) (*kube.Cluster, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		root, err := os.OpenRoot(path)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return kube.ReadClusterFiles(root.FS(), path, opt)
	}
	in, name, err := a.open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	read, done := io.Reader(in), func() {}
	if f, isFile := in.(*os.File); isFile {
		read, done = a.progress(f)
	}
	defer done()
	text, err := unpacked(read, name)
	if err != nil {
		return nil, err
	}
	return kube.ReadCluster(text, name, opt)
}

// kernel tells the kernel arguments of profiles, each flattened once for each number
// of CPUs.
func kernel(set *tuned.Set, m tuned.Machine) func(*profile.Node, string) (tuned.CommandLine, bool) {
	type asked struct {
		profile string
		cpus    int
	}
	seen := map[asked]*tuned.CommandLine{}
	return func(n *profile.Node, name string) (tuned.CommandLine, bool) {
		key := asked{name, n.CPUs}
		line, done := seen[key]
		if !done {
			if flat, _ := set.Flatten(name, m.AssumeCPUs(n.CPUs)); flat != nil {
				k := tuned.Kernel(flat)
				line = &k
			}
			seen[key] = line
		}
		if line == nil {
			return tuned.CommandLine{}, false
		}
		return *line, true
	}
}
