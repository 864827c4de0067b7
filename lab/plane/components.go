package plane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	cliflag "k8s.io/component-base/cli/flag"
	api "k8s.io/kubernetes/cmd/kube-apiserver/app"
	apioptions "k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	kcm "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	kcmoptions "k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	sched "k8s.io/kubernetes/cmd/kube-scheduler/app"
	schedoptions "k8s.io/kubernetes/cmd/kube-scheduler/app/options"
)

// etcdSocket stands in the folder that the process stands in: the path of a socket may
// have 107 bytes, that of the folder may have more.
const etcdSocket = "etcd.sock"

// startEtcd starts one member on a unix socket.
func startEtcd(ctx context.Context, fast bool) (*embed.Etcd, error) {
	for _, name := range []string{etcdSocket, "peer.sock"} { // left by a process that was killed
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	c := embed.NewConfig()
	c.Name, c.Dir = "lab", "etcd"
	c.ListenClientUrls = []url.URL{{Scheme: "unix", Host: etcdSocket}}
	c.ListenPeerUrls = []url.URL{{Scheme: "unix", Host: "peer.sock"}}
	// What is advertised must be host:port; with one member nobody calls there.
	c.AdvertiseClientUrls = []url.URL{{Scheme: "http", Host: "127.0.0.1:2379"}}
	c.AdvertisePeerUrls = []url.URL{{Scheme: "http", Host: "127.0.0.1:2380"}}
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	c.LogLevel, c.LogOutputs = "error", []string{"stderr"}
	c.QuotaBackendBytes = 8 << 30
	if fast {
		c.UnsafeNoFsync = true
		c.BackendBatchInterval, c.BackendBatchLimit, c.SnapshotCount = time.Second, 100_000, 100_000
	}
	e, err := embed.StartEtcd(c)
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	select {
	case <-e.Server.ReadyNotify():
		return e, nil
	case err = <-e.Err():
	case <-ctx.Done():
		err = ctx.Err()
	}
	e.Close()
	return nil, fmt.Errorf("etcd: %w", err)
}

// apiServer runs the API server on the listener.
func apiServer(ctx context.Context, listener net.Listener, fast bool) error {
	o := apioptions.NewServerRunOptions()
	args := []string{
		"--etcd-servers=unix://" + etcdSocket,
		"--advertise-address=127.0.0.1", "--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", listener.Addr().(*net.TCPAddr).Port),
		"--tls-cert-file=" + serverCert, "--tls-private-key-file=" + serverKey,
		"--client-ca-file=" + caFile, "--token-auth-file=" + tokenFile, "--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + accountsKey, "--service-account-signing-key-file=" + accountsKey,
		"--service-cluster-ip-range=10.96.0.0/12", "--allow-privileged=true",
		"--endpoint-reconciler-type=none", // loopback can't be the address of a service
		"--profiling=true",
	}
	if fast {
		// It taints each new node until the node controller has seen that it is ready, which all are.
		args = append(args, "--disable-admission-plugins=TaintNodesByCondition")
	}
	if err := parse("kube-apiserver", o.Flags(), args); err != nil {
		return err
	}
	o.SecureServing.Listener = listener
	// The registry of feature gates is the process's: it is set once, here.
	if err := o.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	complete, err := o.Complete(ctx)
	if err != nil {
		return err
	}
	if errs := complete.Validate(); len(errs) > 0 {
		return errors.Join(errs...)
	}
	return api.Run(ctx, complete)
}

// notRun are the controllers without a subject here: no cloud, no bootstrap of nodes, no
// networks of pods, no kubelets that cache secrets (for which ttl-controller annotates each
// node up to three times while 2,000 come).
const notRun = "*,-node-ipam-controller,-certificatesigningrequest-signing-controller," +
	"-certificatesigningrequest-approving-controller,-certificatesigningrequest-cleaner-controller," +
	"-bootstrap-signer-controller,-token-cleaner-controller,-node-route-controller,-service-lb-controller," +
	"-cloud-node-lifecycle-controller,-ttl-controller"

// controllerManager runs the controllers.
func controllerManager(ctx context.Context, fast bool) error {
	o, err := kcmoptions.NewKubeControllerManagerOptions()
	if err != nil {
		return err
	}
	args := []string{"--kubeconfig=pki/controller-manager.kubeconfig", "--leader-elect=false", "--secure-port=0",
		"--controllers=" + notRun, "--use-service-account-credentials=false",
		"--service-account-private-key-file=" + accountsKey, "--root-ca-file=" + caFile,
		"--kube-api-qps=2000", "--kube-api-burst=4000"}
	if fast {
		args = append(args, "--node-monitor-grace-period=2m") // the nodes renew their leases every 40 s
	}
	known, off, aliases := kcm.KnownControllers(), kcm.ControllersDisabledByDefault(), kcm.ControllerAliases()
	if err := parse("kube-controller-manager", o.Flags(known, off, aliases), args); err != nil {
		return err
	}
	c, err := o.Config(ctx, known, off, aliases)
	if err != nil {
		return err
	}
	return kcm.Run(ctx, c.Complete())
}

// kubeScheduler runs the scheduler.
func kubeScheduler(ctx context.Context, fast bool) error {
	text := `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: pki/scheduler.kubeconfig, qps: 5000, burst: 10000}
`
	if fast {
		text += "percentageOfNodesToScore: 5\nparallelism: 2\n"
	}
	const file = "pki/scheduler.yaml"
	if err := Replace(file, []byte(text)); err != nil {
		return err
	}
	o := schedoptions.NewOptions()
	if err := parse("kube-scheduler", *o.Flags, []string{"--config=" + file, "--secure-port=0"}); err != nil {
		return err
	}
	c, s, err := sched.Setup(ctx, o)
	if err != nil {
		return err
	}
	return sched.Run(ctx, c, s)
}

// parse reads a component's flags into its options.
func parse(name string, sets cliflag.NamedFlagSets, args []string) error {
	all := pflag.NewFlagSet(name, pflag.ContinueOnError)
	for _, set := range sets.FlagSets {
		all.AddFlagSet(set)
	}
	all.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	if err := all.Parse(args); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// unversioned is the configuration of a client for paths outside of any group.
func unversioned(c *rest.Config) *rest.Config {
	out := rest.CopyConfig(c)
	out.ContentConfig = rest.ContentConfig{GroupVersion: &schema.GroupVersion{},
		NegotiatedSerializer: scheme.Codecs.WithoutConversion()}
	return out
}
