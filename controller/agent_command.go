package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2/textlogger"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"plimsoll.dev/controller/agent"
	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/engine/apply"
	"plimsoll.dev/release"
)

// agentFlags are those of "agent".
type agentFlags struct {
	clusterFlags
	node, namespace   string
	root              string
	thisMachine, keep bool
	every, tunedLimit time.Duration
}

func newAgent() *cobra.Command {
	f := &agentFlags{}
	c := &cobra.Command{
		Use:   "agent",
		Short: "Give this node the profile that its Profile object asks for",
		Long: `Agent watches the Profile object of its node and the Tuned objects, applies the
profile with the real TuneD, compares every value with what it asks for, and
writes what came out into the status of the Profile.

It keeps what the node has while the API server is away, a new profile is
refused, or the agent is started anew. When the Profile is deleted the node is
put back; with --keep-on-exit=false, or where TuneD alone knows what values
were, also when the agent ends. If it is killed, its next start puts back what
it left. It changes nothing while another TuneD runs on the node, or the Node
Tuning Operator is alive.`,
		Example: `  plimsoll-controller agent --node worker-3 --this-machine
  plimsoll-controller agent --node worker-3 --root node --context plimsoll-lab`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := f.manager()
			if err != nil {
				return err
			}
			return m.Start(c.Context())
		},
	}
	s := c.Flags()
	f.flags(s)
	s.StringVar(&f.node, "node", os.Getenv("NODE_NAME"), "the node's name (default: $NODE_NAME)")
	s.StringVar(&f.namespace, "namespace", "openshift-cluster-node-tuning-operator", "namespace of Profiles and Tuneds")
	s.StringVar(&f.root, "root", "", "the directory of a simulated node")
	s.BoolVar(&f.thisMachine, "this-machine", false, "apply to this machine itself")
	s.BoolVar(&f.keep, "keep-on-exit", true, "the node keeps its profile when the agent ends; its next start goes on")
	s.DurationVar(&f.every, "every", 2*time.Second, "how often to look at what is asked for")
	s.DurationVar(&f.tunedLimit, "timeout", time.Minute, "the longest that applying, or rolling back, may take")
	return c
}

// manager of the agent.
func (f *agentFlags) manager() (manager.Manager, error) {
	r, err := release.ParseName(f.release)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--release %s: %w", f.release, err)
	case f.node == "":
		return nil, errors.New("--node is missing: the name of the node, or $NODE_NAME")
	case (f.root == "") != f.thisMachine:
		return nil, errors.New("name the directory of a simulated node with --root, or confirm with --this-machine that " +
			"this machine is meant")
	}
	config, err := f.config()
	if err != nil {
		return nil, err
	}
	logger := textlogger.NewLogger(textlogger.NewConfig())
	log.SetLogger(logger)
	config.UserAgent = "plimsoll-agent"
	clock := &cluster.Clock{}
	config.Wrap(clock.Transport)
	profiles, tuneds := cluster.Object(agent.ProfileKind, "", ""), cluster.Object(agent.TunedKind, "", "")
	own := cache.ByObject{Namespaces: map[string]cache.Config{f.namespace: {
		FieldSelector: fields.OneTermEqualSelector("metadata.name", f.node)}}}
	m, err := manager.New(config, manager.Options{Scheme: scheme.Scheme, Logger: logger,
		Metrics: server.Options{BindAddress: f.metrics}, HealthProbeBindAddress: f.probes,
		// What is asked of it in the end is reported while it is put back.
		GracefulShutdownTimeout: new(2 * f.tunedLimit),
		Client:                  client.Options{Cache: &client.CacheOptions{Unstructured: true}},
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{profiles: own,
			tuneds: {Namespaces: map[string]cache.Config{f.namespace: {}}}}}})
	if err != nil {
		return nil, err
	}
	installed, err := apply.ReadProfiles(nil, true)
	if err != nil {
		return nil, err
	}
	a := &agent.Agent{API: &agent.Kube{Client: m.GetClient(), Live: m.GetAPIReader(), Clock: clock, Node: f.node,
		Namespace: f.namespace, Release: r, Installed: installed},
		Apply: apply.Apply, Restore: apply.Restore, Every: f.every, Log: func(text string) { logger.Info(text) },
		Options: apply.Options{Root: f.root, ThisMachine: f.thisMachine, Timeout: f.tunedLimit}, Keep: f.keep}
	return m, errors.Join(m.AddHealthzCheck("ping", healthz.Ping), m.AddReadyzCheck("ping", healthz.Ping),
		m.Add(manager.RunnableFunc(a.Run)))
}
