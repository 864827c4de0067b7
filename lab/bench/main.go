// Command bench measures the laboratory: how fast it starts, what it takes when idle, how
// many objects a second its API creates, how long many pods take until they run. It prints
// a table beside what was measured on a quiet machine of two cores.
//
// It judges nothing: other work on the machine changes every wall time. The CPU time of the
// laboratory per object moves less.
//
//	go run ./bench -plimsoll ../bin/plimsoll -nodes 2000 -pods 10000
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// bench is one run.
type bench struct {
	plimsoll         string
	nodes, pods, cms int
	flight           int
	dir              string
	rows             [][3]string
}

func main() {
	b := &bench{}
	flag.StringVar(&b.plimsoll, "plimsoll", "plimsoll", "the program")
	flag.IntVar(&b.nodes, "nodes", 2000, "nodes of the large laboratory")
	flag.IntVar(&b.pods, "pods", 10000, "pods that are to run")
	flag.IntVar(&b.cms, "configmaps", 5000, "ConfigMaps to create")
	flag.IntVar(&b.flight, "in-flight", 32, "requests at once, over one connection")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := b.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp("", "plimsoll-bench-lab-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.small(ctx); err != nil {
		return err
	}
	if err := b.large(ctx); err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tmeasured\ton a quiet machine")
	for _, r := range b.rows {
		fmt.Fprintln(w, strings.Join(r[:], "\t"))
	}
	return w.Flush()
}

func (b *bench) row(what, quiet, format string, args ...any) {
	b.rows = append(b.rows, [3]string{what, fmt.Sprintf(format, args...), quiet})
	fmt.Fprintln(os.Stderr, what+": "+b.rows[len(b.rows)-1][1])
}

// status is what "plimsoll lab status -o json" says.
type status struct {
	PID          int     `json:"pid"`
	StartSeconds float64 `json:"startSeconds"`
	Kubeconfig   string  `json:"kubeconfig"`
	dir          string
}

// up starts a laboratory; down must be called.
func (b *bench) up(ctx context.Context, name string, nodes int) (s *status, down func() error, err error) {
	dir := filepath.Join(b.dir, name)
	lab := func(ctx context.Context, args ...string) ([]byte, error) {
		c := exec.CommandContext(ctx, b.plimsoll, append([]string{"lab"}, append(args, "--dir", dir)...)...)
		c.Stderr = os.Stderr
		c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
		return c.Output()
	}
	down = func() error {
		_, err := lab(context.WithoutCancel(ctx), "down")
		return err
	}
	if _, err := lab(ctx, "up", "--nodes", strconv.Itoa(nodes)); err != nil {
		return nil, nil, fmt.Errorf("lab up: %w", err)
	}
	text, err := lab(ctx, "status", "-o", "json")
	var answer struct{ Result status }
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("lab status: %w", err), down())
	}
	answer.Result.dir = dir
	return &answer.Result, down, nil
}

// small measures what a laboratory takes by itself, and its API alone.
func (b *bench) small(ctx context.Context) error {
	s, down, err := b.up(ctx, "small", 1)
	if err != nil {
		return err
	}
	b.row("ready", "2.0 to 3.0 s; 2.1 s", "%.1f s; %.1f s of CPU", s.StartSeconds, cpu(s.PID).Seconds())
	const idle = 10 * time.Second
	time.Sleep(5 * time.Second)
	before := cpu(s.PID)
	time.Sleep(idle)
	b.row("CPU when idle", "2 % of a core", "%.0f %% of a core", 100*(cpu(s.PID)-before).Seconds()/idle.Seconds())
	b.row("memory when idle", "300 to 336 MiB", "%d MiB", resident(s.PID))
	client, err := s.client()
	if err == nil {
		err = b.api(ctx, client, s)
	}
	if err == nil {
		err = b.compare(ctx, client, s)
	}
	began := time.Now()
	if err := errors.Join(err, down()); err != nil {
		return err
	}
	b.row("ended", "1.1 s", "%.1f s", time.Since(began).Seconds())
	return nil
}

// large measures many nodes and many pods.
func (b *bench) large(ctx context.Context) (err error) {
	s, down, err := b.up(ctx, "large", b.nodes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, down()) }()
	b.row(fmt.Sprintf("ready with %d nodes", b.nodes), "5.5 to 7.5 s with 2000", "%.1f s; %.1f s of CPU", s.StartSeconds,
		cpu(s.PID).Seconds())
	client, err := s.client()
	if err != nil {
		return err
	}
	return b.running(ctx, client, s)
}

// client has no limit to its rate: client-go's own of 5 requests a second would be what is
// measured.
func (s *status) client() (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.ContentType = -1, "application/vnd.kubernetes.protobuf"
	config.WarningHandler = rest.NoWarnings{}
	return kubernetes.NewForConfig(config)
}

// cpu is the time that a process has used (proc(5), utime and stime, in hundredths).
func cpu(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// resident is the memory of a process in MiB.
func resident(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		var n int
		if k, _ := fmt.Sscanf(line, "VmRSS: %d kB", &n); k == 1 {
			return n >> 10
		}
	}
	return 0
}
