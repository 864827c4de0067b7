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
const pairs = 11

// compare creates ConfigMaps by "plimsoll load" and by a client that does nothing but write to HTTP/2,
// in turns, on one server. On a machine on which others work, the CPU time says more than the rate.
func (b *bench) compare(ctx context.Context, client kubernetes.Interface, s *status) error {
	bare, err := newBare(s.Kubeconfig)
	if err != nil {
		return err
	}
	var ratios, work []float64 // of rates; of the CPU time of client and server together
	var got [2][]speed
	for i := range pairs + 1 {
		namespace := fmt.Sprintf("bare-%d", i)
		if err := b.namespace(ctx, client, namespace); err != nil {
			return err
		}
		both := []func() (speed, error){func() (speed, error) { return b.load(ctx, i, s) },
			func() (speed, error) { return b.bare(ctx, bare, namespace, s) }}
		var now [2]speed
		for _, k := range []int{i % 2, 1 - i%2} { // whoever is second finds a fuller server
			if now[k], err = both[k](); err != nil {
				return err
			}
		}
		if i == 0 {
			continue // caches are filled
		}
		for k := range got {
			got[k] = append(got[k], now[k])
		}
		ratios = append(ratios, now[0].rate/now[1].rate)
		work = append(work, (now[1].server+now[1].client).Seconds()/(now[0].server+now[0].client).Seconds())
	}
	for k, who := range []string{"plimsoll load", "a bare client beside it"} {
		b.row("ConfigMaps, "+who, "", "%.0f/s; %.0f + %.0f us", median(got[k], func(s speed) float64 { return s.rate }),
			median(got[k], func(s speed) float64 { return s.server.Seconds() * 1e6 }),
			median(got[k], func(s speed) float64 { return s.client.Seconds() * 1e6 }))
	}
	itself := func(v float64) float64 { return v }
	b.row(fmt.Sprintf("  rate by rate, of %d pairs", pairs), "at least 0.9", "%.2f (%.2f to %.2f)", median(ratios, itself),
		slices.Min(ratios), slices.Max(ratios))
	b.row("  by the CPU of both ends", "", "%.2f (%.2f to %.2f)", median(work, itself), slices.Min(work),
		slices.Max(work))
	return nil
}

func median[T any](of []T, by func(T) float64) float64 {
	values := make([]float64, len(of))
	for i, v := range of {
		values[i] = by(v)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// load creates them by the program, and leaves them: clean-up would go on beside what follows.
func (b *bench) load(ctx context.Context, run int, s *status) (speed, error) {
	const template = `{"apiVersion": "template.openshift.io/v1", "kind": "Template", "metadata": {"name": "t"},
"parameters": [{"name": "IDENTIFIER", "value": "0"}], "objects": [{"apiVersion": "v1", "kind": "ConfigMap",
"metadata": {"name": "cm-${IDENTIFIER}"}, "data": {"key": "value"}}]}`
	text := fmt.Sprintf("ClusterLoader:\n  projects:\n  - {num: 1, basename: load-%d-, templates: "+
		"[{num: %d, file: cm.json}]}\n", run, b.cms)
	file, out := filepath.Join(b.dir, "load.yaml"), filepath.Join(b.dir, "run.json")
	for name, text := range map[string]string{file: text, filepath.Join(b.dir, "cm.json"): template} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return speed{}, err
		}
	}
	c := exec.CommandContext(ctx, b.plimsoll, "load", file, "--kubeconfig", s.Kubeconfig, "--cleanup", "never",
		"--concurrency", fmt.Sprint(b.flight), "--threshold", "create/*.max=10m", "-o", "json", "--output-file", out)
	before := cpu(s.PID)
	if said, err := c.CombinedOutput(); err != nil {
		return speed{}, fmt.Errorf("plimsoll load: %w: %s", err, said)
	}
	var answer struct{ Result struct{ RateReached float64 } }
	read, err := os.ReadFile(out)
	if err == nil {
		err = json.Unmarshal(read, &answer)
	}
	used, each := c.ProcessState.UserTime()+c.ProcessState.SystemTime(), time.Duration(b.cms)
	return speed{answer.Result.RateReached, (cpu(s.PID) - before) / each, used / each}, err
}

// bare creates the same by the bare client.
func (b *bench) bare(ctx context.Context, c *bareClient, namespace string, s *status) (speed, error) {
	return b.measure(s, request{n: b.cms, flight: b.flight, one: func(i int) error {
		body := fmt.Appendf(nil, `{"apiVersion":"v1","data":{"key":"value"},"kind":"ConfigMap","metadata":{"labels":`+
			`{"plimsoll.dev/run":"20261128-101500-00042"},"name":"cm-%d","namespace":"%s"}}`, i, namespace)
		return c.do(ctx, http.MethodPost, "/api/v1/namespaces/"+namespace+"/configmaps", "", body, http.StatusCreated)
	}})
}

// bareClient sends requests that are made by hand over one connection, as the program does.
type bareClient struct {
	http       *http.Client
	url, token string
}

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
	return &bareClient{&http.Client{Transport: transport}, config.Host, "Bearer " + config.BearerToken}, nil
}

// do sends one and wants a status.
func (c *bareClient) do(ctx context.Context, method, path, accept string, body []byte, want int) error {
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", c.token)
	r.Header.Set("Content-Type", "application/json")
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != want {
		return fmt.Errorf("%s %s is answered with %s", method, path, answer.Status)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// own is the CPU time that this process has used.
func own() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
