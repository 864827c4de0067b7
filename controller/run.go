package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/pflag"
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

	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/release"
)

// clusterFlags are those of every command that looks after something.
type clusterFlags struct {
	kubeconfig, context string
	release             string
	metrics, probes     string
}

func (f *clusterFlags) flags(s *pflag.FlagSet) {
	s.StringVar(&f.kubeconfig, "kubeconfig", "",
		"the kubeconfig of the cluster (default: $KUBECONFIG, or the cluster it runs in)")
	s.StringVar(&f.context, "context", "", "the context of the kubeconfig")
	s.StringVar(&f.release, "release", "current", "the release whose rules count, such as 4.14")
	s.StringVar(&f.metrics, "metrics-address", "0", "address of the metrics, such as :8080 (0: none)")
	s.StringVar(&f.probes, "probe-address", "0", "address of /healthz and /readyz, such as :8081 (0: none)")
}

// runFlags are those of every controller.
type runFlags struct {
	clusterFlags
	act, elect          bool
	elected             *pflag.Flag // --leader-elect
	namespace           string      // of the lease
	lease, renew, retry time.Duration
}

// flags of a controller in a namespace; lease is the flag of the lease's one, act what --act does.
func (f *runFlags) flags(s *pflag.FlagSet, of, lease, act string) {
	f.clusterFlags.flags(s)
	s.BoolVar(&f.act, "act", false, act)
	s.BoolVar(&f.elect, "leader-elect", true,
		"act only as the leader of several replicas; a dry run is one if it is asked to")
	f.elected = s.Lookup("leader-elect")
	s.StringVar(&f.namespace, lease, of, "namespace of the lease of the leader")
	s.DurationVar(&f.lease, "lease-duration", 15*time.Second, "time after which another replica may lead")
	s.DurationVar(&f.renew, "renew-deadline", 10*time.Second, "time after which a leader that can't renew its lease ends")
	s.DurationVar(&f.retry, "retry-period", 2*time.Second, "time between two tries to lead, or to go on leading")
}

// frame is what a controller is put into.
type frame struct {
	manager.Manager
	release release.Release
	leader  cluster.Leadership
	clock   *cluster.Clock
}

// frame of a controller whose lease has a name; only says what of a kind is watched, where that isn't all.
func (f *runFlags) frame(name string, only map[client.Object]cache.ByObject) (out frame, err error) {
	if out.release, err = release.ParseName(f.release); err != nil {
		return out, fmt.Errorf("--release %s: %w", f.release, err)
	}
	config, err := f.config()
	if err != nil {
		return out, err
	}
	logger := textlogger.NewLogger(textlogger.NewConfig())
	log.SetLogger(logger)
	klog.SetLogger(logger)
	out.clock = &cluster.Clock{}
	config.Wrap(out.clock.Transport)
	config.UserAgent = "plimsoll-controller"
	opt := manager.Options{Scheme: scheme.Scheme, Logger: logger, Metrics: server.Options{BindAddress: f.metrics},
		HealthProbeBindAddress: f.probes,
		// What is watched is read from memory, whatever its type; what is to be read anew is read by GetAPIReader.
		Client:         client.Options{Cache: &client.CacheOptions{Unstructured: true}},
		Cache:          cache.Options{DefaultTransform: cache.TransformStripManagedFields(), ByObject: only},
		LeaderElection: f.elect && (f.act || f.elected.Changed),
		LeaseDuration:  &f.lease, RenewDeadline: &f.renew, RetryPeriod: &f.retry,
		LeaderElectionReleaseOnCancel: true}
	if opt.LeaderElection {
		if out.leader, err = f.leadership(name, config, &opt); err != nil {
			return out, err
		}
	}
	if out.Manager, err = manager.New(config, opt); err != nil {
		return out, err
	}
	return out, errors.Join(out.AddHealthzCheck("ping", healthz.Ping), out.AddReadyzCheck("ping", healthz.Ping))
}

// config of the cluster, by flags, $KUBECONFIG, or the pod that this runs in.
func (f *clusterFlags) config() (*rest.Config, error) {
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
func (f *runFlags) leadership(name string, c *rest.Config, opt *manager.Options) (cluster.Leadership, error) {
	host, err := os.Hostname()
	if err != nil {
		return cluster.Leadership{}, err
	}
	if !f.act {
		name += "-dry-run" // which takes the lease from nobody who acts
	}
	l := cluster.Leadership{Namespace: f.namespace, Name: name, Identity: host + "_" + uuid.NewString()}
	opt.LeaderElectionResourceLockInterface, err = resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock,
		l.Namespace, l.Name, resourcelock.ResourceLockConfig{Identity: l.Identity}, c, f.renew)
	return l, err
}
