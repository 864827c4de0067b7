package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"plimsoll.dev/controller/health"
	"plimsoll.dev/release"
)

// healthFlags are those of "health".
type healthFlags struct {
	kubeconfig, context        string
	release                    string
	act, elect                 bool
	storm                      float64
	namespace, metrics, probes string
	lease, renew, retry        time.Duration
}

// leaderName is the name of the lease of the leader election.
const leaderName = "plimsoll-health"

func newHealth() *cobra.Command {
	f := &healthFlags{}
	c := &cobra.Command{
		Use:   "health",
		Short: "Remediate machines by MachineHealthChecks",
		Long: `Health watches MachineHealthChecks, machines and nodes, and does what the rules of
the release say, which "plimsoll tune health simulate" plays: machines that are
due are deleted, so that their set makes new ones.

Without --act it changes nothing and tells what it would do, as events. With it,
it decides by what the API server says at that moment and not by what it watched,
and leaves due machines alone, for which an event and the check's condition
RemediationAllowed give the reason, while

  another process leads, or the operator's own controller is alive;
  its clock is more than five seconds from the API server's;
  no node has a lease, or half of the kubelets or more have not renewed theirs;
  more than --storm of all nodes became Unknown within a minute.`,
		Example: `  plimsoll-controller health --context prod
  plimsoll-controller health --act --release 4.14`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := f.manager()
			if err != nil {
				return err
			}
			return m.Start(c.Context()) // a lease that is lost ends it with an error
		},
	}
	s := c.Flags()
	s.StringVar(&f.kubeconfig, "kubeconfig", "",
		"the kubeconfig of the cluster (default: $KUBECONFIG, or the cluster it runs in)")
	s.StringVar(&f.context, "context", "", "the context of the kubeconfig")
	s.StringVar(&f.release, "release", "current", "the release whose rules count, such as 4.14")
	s.BoolVar(&f.act, "act", false, "delete and annotate machines, and write the checks' status")
	s.BoolVar(&f.elect, "leader-elect", true, "act only as the leader of several replicas")
	s.Float64Var(&f.storm, "storm", 0.5, "share of all nodes that may become Unknown within a minute and be remediated")
	s.StringVar(&f.namespace, "namespace", "plimsoll", "namespace of the lease of the leader")
	s.StringVar(&f.metrics, "metrics-address", "0", "address of the metrics, such as :8080 (0: none)")
	s.StringVar(&f.probes, "probe-address", "0", "address of /healthz and /readyz, such as :8081 (0: none)")
	s.DurationVar(&f.lease, "lease-duration", 15*time.Second, "time after which another replica may lead")
	s.DurationVar(&f.renew, "renew-deadline", 10*time.Second, "time after which a leader that can't renew its lease ends")
	s.DurationVar(&f.retry, "retry-period", 2*time.Second, "time between two tries to lead, or to go on leading")
	return c
}

// manager of the controller.
func (f *healthFlags) manager() (manager.Manager, error) {
	r, err := release.ParseName(f.release)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--release %s: %w", f.release, err)
	case f.storm < 0 || f.storm > 1:
		return nil, errors.New("--storm is a share from 0 to 1")
	}
	config, err := f.config()
	if err != nil {
		return nil, err
	}
	logger := textlogger.NewLogger(textlogger.NewConfig())
	log.SetLogger(logger)
	klog.SetLogger(logger)
	clock := &health.Clock{}
	config.Wrap(clock.Transport)
	config.UserAgent = "plimsoll-controller"
	opt := manager.Options{Scheme: scheme.Scheme, Logger: logger, Metrics: server.Options{BindAddress: f.metrics},
		HealthProbeBindAddress: f.probes, Client: client.Options{Cache: &client.CacheOptions{Unstructured: true}},
		Cache:          cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
		LeaderElection: f.elect, LeaseDuration: &f.lease, RenewDeadline: &f.renew, RetryPeriod: &f.retry,
		LeaderElectionReleaseOnCancel: true}
	leader := health.Leadership{}
	if f.elect {
		if leader, err = f.leadership(config, &opt); err != nil {
			return nil, err
		}
	}
	m, err := manager.New(config, opt)
	if err != nil {
		return nil, err
	}
	err = errors.Join(m.AddHealthzCheck("ping", healthz.Ping), m.AddReadyzCheck("ping", healthz.Ping),
		health.Add(m, health.Options{Release: r, Act: f.act, Storm: f.storm, Leader: leader, Clock: clock}))
	return m, err
}

// config of the cluster, by flags, $KUBECONFIG, or the pod that this runs in.
func (f *healthFlags) config() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules,
		&clientcmd.ConfigOverrides{CurrentContext: f.context}).ClientConfig()
	if err == nil {
		config.QPS, config.Burst = 50, 100
	}
	return config, err
}

// leadership is by a lease of an identity that the keeper can compare with the server's.
func (f *healthFlags) leadership(config *rest.Config, opt *manager.Options) (health.Leadership, error) {
	host, err := os.Hostname()
	if err != nil {
		return health.Leadership{}, err
	}
	l := health.Leadership{Namespace: f.namespace, Name: leaderName, Identity: host + "_" + uuid.NewString()}
	opt.LeaderElectionResourceLockInterface, err = resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock,
		l.Namespace, l.Name, resourcelock.ResourceLockConfig{Identity: l.Identity}, config, f.renew)
	return l, err
}
