package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// pairs of runs that are compared: the machine is never the same twice.
const pairs = 7

// speed is what a client reached.
type speed struct {
	rate float64       // objects a second
	cpu  time.Duration // of the client, for each object
}

// compare creates ConfigMaps by "plimsoll load" and by a client that does nothing but write to HTTP/2,
// in turns, on one server.
func (b *bench) compare(ctx context.Context, client kubernetes.Interface, s *status) error {
	bare, err := newBare(s.Kubeconfig)
	if err != nil {
		return err
	}
	dir := filepath.Join(b.dir, "load")
	if err := b.configuration(dir); err != nil {
		return err
	}
	var ratios, ours, theirs []float64
	var cpuOurs, cpuTheirs []float64
	for i := range pairs + 1 {
		namespace := fmt.Sprintf("bare-%d", i)
		if err := b.namespace(ctx, client, namespace); err != nil {
			return err
		}
		byLoad := func() (speed, error) { return b.load(ctx, dir, i, s) }
		byBare := func() (speed, error) { return b.bare(ctx, bare, namespace) }
		both := []func() (speed, error){byLoad, byBare}
		var got [2]speed
		for _, k := range []int{i % 2, 1 - i%2} { // whoever is second finds a fuller server
			if got[k], err = both[k](); err != nil {
				return err
			}
		}
		if i == 0 {
			continue // caches are filled
		}
		ratios = append(ratios, got[0].rate/got[1].rate)
		ours, theirs = append(ours, got[0].rate), append(theirs, got[1].rate)
		cpuOurs, cpuTheirs = append(cpuOurs, got[0].cpu.Seconds()*1e6), append(cpuTheirs, got[1].cpu.Seconds()*1e6)
	}
	b.row("plimsoll load, a bare client", "", "%.0f/s, %.0f/s", median(ours), median(theirs))
	b.row("  the one by the other, of "+fmt.Sprint(pairs), "at least 0.9", "%.2f (%.2f to %.2f)", median(ratios),
		slices.Min(ratios), slices.Max(ratios))
	b.row("  their own CPU for each", "", "%.0f us, %.0f us", median(cpuOurs), median(cpuTheirs))
	return nil
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// configuration is one of as many ConfigMaps, like those of the bare client.
func (b *bench) configuration(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	const template = `{"apiVersion": "template.openshift.io/v1", "kind": "Template", "metadata": {"name": "t"},
"parameters": [{"name": "IDENTIFIER", "value": "0"}], "objects": [{"apiVersion": "v1", "kind": "ConfigMap",
"metadata": {"name": "cm-${IDENTIFIER}"}, "data": {"key": "value"}}]}`
	return os.WriteFile(filepath.Join(dir, "cm.json"), []byte(template), 0o600)
}

// load creates them by the program, and stays with them: clean-up would go on beside what follows.
func (b *bench) load(ctx context.Context, dir string, run int, s *status) (speed, error) {
	out, file := filepath.Join(dir, "run.json"), filepath.Join(dir, "load.yaml")
	text := fmt.Sprintf("ClusterLoader:\n  projects:\n  - {num: 1, basename: load-%d-, templates: [{num: %d, file: cm.json}]}\n",
		run, b.cms)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return speed{}, err
	}
	c := exec.CommandContext(ctx, b.plimsoll, "load", file, "--kubeconfig", s.Kubeconfig, "--cleanup", "never",
		"--concurrency", fmt.Sprint(b.flight), "--threshold", "create/*.max=10m", "-o", "json", "--output-file", out)
	if said, err := c.CombinedOutput(); err != nil {
		return speed{}, fmt.Errorf("plimsoll load: %w: %s", err, said)
	}
	var answer struct{ Result struct{ RateReached float64 } }
	read, err := os.ReadFile(out)
	if err == nil {
		err = json.Unmarshal(read, &answer)
	}
	used := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return speed{answer.Result.RateReached, used / time.Duration(b.cms)}, err
}

// bareClient writes requests that are made by hand.
type bareClient struct {
	http *http.Client
	url  string
}

// newBare has one connection, as the program has.
func newBare(kubeconfig string) (*bareClient, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	tls, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{TLSClientConfig: tls, ForceAttemptHTTP2: true, DisableCompression: true}
	return &bareClient{&http.Client{Transport: withToken{transport, "Bearer " + config.BearerToken}}, config.Host}, nil
}

type withToken struct {
	next  http.RoundTripper
	token string
}

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", w.token)
	return w.next.RoundTrip(r)
}

// bare creates them by the bare client.
func (b *bench) bare(ctx context.Context, c *bareClient, namespace string) (speed, error) {
	url := c.url + "/api/v1/namespaces/" + namespace + "/configmaps"
	began, before := time.Now(), own()
	_, err := b.create(b.cms, func(i int) error {
		body := fmt.Appendf(nil, `{"apiVersion":"v1","data":{"key":"value"},"kind":"ConfigMap","metadata":{"labels":`+
			`{"plimsoll.dev/run":"20261128-101500-00042"},"name":"cm-%d","namespace":"%s"}}`, i, namespace)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		answer, err := c.http.Do(r)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusCreated {
			return fmt.Errorf("the server answers %s", answer.Status)
		}
		_, err = io.Copy(io.Discard, answer.Body)
		return err
	})
	return speed{float64(b.cms) / time.Since(began).Seconds(), (own() - before) / time.Duration(b.cms)}, err
}

// own is the CPU time that this process has used.
func own() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
