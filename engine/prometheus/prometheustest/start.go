// Package prometheustest starts Prometheus itself for a test, at a free port of the loopback device.
//
// It knows neither what is scraped nor what is asked: whoever starts it gives its configuration and says when it is
// ready.
//
//	c := prometheustest.Start(t, config, t.TempDir(), func(c *prometheus.Client) bool { ... })
package prometheustest

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"plimsoll.dev/engine/prometheus"
	"plimsoll.dev/internal/need"
)

// patience is how long it may take until it is ready: it looks for what to scrape some seconds after its start.
const patience = 30 * time.Second

// Start has Prometheus run until the test ends, by the text of a configuration, over a folder of data, with more flags
// where there are any. It returns once it is ready, and ends the test where it never is.
func Start(t *testing.T, config, data string, ready func(*prometheus.Client) bool, flags ...string) *prometheus.Client {
	t.Helper()
	program, file := need.Program(t, "prometheus"), filepath.Join(t.TempDir(), "prometheus.yml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	free.Close()
	ctx, stop := context.WithCancel(context.Background())
	run := exec.CommandContext(ctx, program, append([]string{"--config.file=" + file, "--storage.tsdb.path=" + data,
		"--web.listen-address=" + at}, flags...)...)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = run.Wait() // it was killed
	})
	c, err := prometheus.New(http.DefaultClient, "http://"+at, "")
	if err != nil {
		t.Fatal(err)
	}
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(100 * time.Millisecond) {
		if ready(c) {
			return c
		}
	}
	t.Fatal("Prometheus is not ready")
	return nil
}
