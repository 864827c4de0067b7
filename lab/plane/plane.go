package plane

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Options of a plane.
type Options struct {
	// Fast trades durability and the scheduler's full choice for speed: etcd without fsync
	// and in large batches, 5 % of the nodes scored, a larger heap. Otherwise everything has
	// the default of Kubernetes.
	Fast bool
}

// Plane is a control plane that runs.
type Plane struct {
	// URL of the API server.
	URL string
	// Port of it, on 127.0.0.1.
	Port int

	cancel  context.CancelFunc
	running int
	ended   chan error
	etcd    *embed.Etcd
}

// stopping is the longest that a component may take to end.
const stopping = 20 * time.Second

// Start starts the plane in the folder that the process stands in, and returns when the
// API server answers that it is ready.
func Start(ctx context.Context, opt Options) (*Plane, error) {
	if _, set := os.LookupEnv("GOGC"); opt.Fast && !set {
		debug.SetGCPercent(200)
	}
	if err := secrets(); err != nil {
		return nil, err
	}
	listener, err := listen()
	if err != nil {
		return nil, err
	}
	p := &Plane{Port: listener.Addr().(*net.TCPAddr).Port, ended: make(chan error, 3)}
	p.URL = fmt.Sprintf("https://127.0.0.1:%d", p.Port)
	if err := kubeconfigs(p.URL); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	if p.etcd, err = startEtcd(ctx, opt.Fast); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	// The components outlive the signal, so that Stop ends them in order.
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p.cancel = cancel
	if err := p.components(ctx, run, listener, opt); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

// components starts what stands on etcd.
func (p *Plane) components(ctx, run context.Context, listener net.Listener, opt Options) error {
	p.start("API server", func() error { return apiServer(run, listener, opt.Fast) })
	admin, err := Client("kubeconfig")
	if err != nil {
		return err
	}
	if err := p.ready(ctx, admin); err != nil {
		return err
	}
	p.start("controller manager", func() error { return controllerManager(run, opt.Fast) })
	p.start("scheduler", func() error { return kubeScheduler(run, opt.Fast) })
	return nil
}

func (p *Plane) start(name string, run func() error) {
	p.running++
	go func() {
		if err := run(); err != nil {
			p.ended <- fmt.Errorf("%s: %w", name, err)
			return
		}
		p.ended <- nil
	}()
}

// Failed is told when a component has ended by itself.
func (p *Plane) Failed(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-p.ended:
		p.running--
		if err == nil {
			err = errors.New("a component of the control plane ended")
		}
		return err
	case err := <-p.etcd.Err():
		return fmt.Errorf("etcd: %w", err)
	}
}

// Stop ends the components and then etcd.
func (p *Plane) Stop() error {
	p.cancel()
	late := time.After(stopping)
	for ; p.running > 0; p.running-- {
		select {
		case <-p.ended: // what they say of being ended is no failure
		case <-late:
			p.running = 0
			p.etcd.Close()
			return fmt.Errorf("the control plane did not end within %s", stopping)
		}
	}
	p.etcd.Close()
	return nil
}

// listen takes the port of the kubeconfig that is there, which then holds on, else any.
func listen() (net.Listener, error) {
	if before, err := Client("kubeconfig"); err == nil {
		var port int
		if _, err := fmt.Sscanf(before.Host, "https://127.0.0.1:%d", &port); err == nil {
			if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
				return l, nil
			}
		}
	}
	return net.Listen("tcp", "127.0.0.1:0")
}

// Client is the configuration of a client, without a limit to its rate: client-go's own
// default of 5 requests a second would be what is measured.
func Client(kubeconfig string) (*rest.Config, error) {
	c, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	c.QPS = -1
	c.ContentType = "application/vnd.kubernetes.protobuf"
	c.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return c, nil
}

// ready waits until the API server says so.
func (p *Plane) ready(ctx context.Context, admin *rest.Config) error {
	c, err := rest.UnversionedRESTClientFor(unversioned(admin))
	if err != nil {
		return err
	}
	for {
		attempt, done := context.WithTimeout(ctx, 5*time.Second)
		_, err := c.Get().AbsPath("/readyz").DoRaw(attempt)
		done()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the API server was not ready: %w", err)
		case err := <-p.ended:
			p.running--
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func readTokens() (map[string]string, error) {
	f, err := os.Open(tokenFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	out := map[string]string{}
	for _, row := range rows {
		if len(row) > 1 {
			out[row[1]] = row[0]
		}
	}
	return out, err
}
