package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// realFile is what is to become of a configuration of Cluster Loader, without a change to it.
type realFile struct {
	// ends is empty where all becomes ready; else a pattern of the reason with which the run ends, or of
	// the place and the reason for which it does not begin.
	ends string
	// code of the exit: 0, 2 where it does not begin, 3.
	code int
	// quick files are run in every test, all of them with PLIMSOLL_LOAD_FILES=all or "make load-files".
	quick bool
}

var realFiles = map[string]realFile{
	"cluster-loader.yaml":                               {quick: true},
	"cluster-loader/openshift-tests/master-vert.yaml":   {},
	"cluster-loader/svt/config/golang/statefulset.yaml": {quick: true},
	"cluster-loader/svt/kubectlTest.yaml":               {quick: true},
	"cluster-loader/svt/storagepyconf.yaml": {quick: true, code: 2,
		ends: `storagepyconf.yaml:30:19: .*"either none, ebs, ceph" is not allowed`},
	// Its quota is one of CPU and memory, and its replication controllers ask for none.
	"cluster-loader/svt/pyconfig.yaml":                                               {code: 3, ends: "must specify cpu"},
	"cluster-loader/svt/config/router-arp_stress.yaml":                               {},
	"cluster-loader/svt/config/golang/logtest.yaml":                                  {},
	"cluster-loader/svt/config/golang/stress-simple.yaml":                            {},
	"cluster-loader/svt/config/golang/pod-affinity.yaml":                             {},
	"cluster-loader/svt/config/golang/nodeVertical.yaml":                             {},
	"cluster-loader/svt/config/golang/cluster-limits-pods-per-namespace.yaml":        {},
	"cluster-loader/svt/config/golang/cluster-limits-deployments-per-namespace.yaml": {},
}

// loadRun is what "load -o json" answers.
type loadRun struct {
	Verdict struct {
		OK      bool
		Problem string
	}
	Result struct {
		RunID string
		Kinds []struct {
			Kind, How       string
			Created, Failed int
		}
		Pods, Ready     int
		Took, CleanTook time.Duration
		Cleaned         bool
	}
}

// files runs the real configurations. Their pace is left out: with it one of them takes an hour and a half.
func (p *loader) files(t *testing.T) {
	p.given(t)
	all := os.Getenv("PLIMSOLL_LOAD_FILES") == "all"
	atOnce := make(chan struct{}, 4) // quick ones mostly wait for namespaces to go
	if all {
		atOnce = make(chan struct{}, 1)
	}
	names := realNames(t)
	rows := make([]string, len(names))
	var running sync.WaitGroup
	for i, name := range names {
		want, known := realFiles[name]
		if !known {
			t.Errorf("%s: nobody says what is to become of it", name)
		}
		if !want.quick && !all {
			continue
		}
		atOnce <- struct{}{}
		running.Go(func() {
			defer func() { <-atOnce }()
			t.Run(filepath.Base(name), func(t *testing.T) { rows[i] = p.file(t, name, want) })
		})
	}
	running.Wait()
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "file\toutcome\tready\ttook\tclean-up\tobjects")
	for _, row := range rows {
		fmt.Fprint(w, row)
	}
	_ = w.Flush()
	t.Logf("\n%s", &table)
}

// given is what pod-affinity.yaml takes as there: a pod beside which, or away from which, others are to be.
// The nodes have the label that logtest.yaml selects.
func (p *loader) given(t *testing.T) {
	p.namespace("s1-proj")
	pod := template(map[string]string{"security": "s1"}, corev1.RestartPolicyAlways)
	_, err := p.CoreV1().Pods("s1-proj").Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "first", Labels: pod.Labels}, Spec: pod.Spec}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// realNames are the configurations below examples.
func realNames(t *testing.T) []string {
	out := []string{"cluster-loader.yaml"}
	err := fs.WalkDir(os.DirFS("../examples"), "cluster-loader", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".yaml") {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// file runs one and holds the outcome against what is expected; it returns a row of the table.
func (p *loader) file(t *testing.T, name string, want realFile) string {
	out := filepath.Join(t.TempDir(), "run.json")
	c := p.command("load", filepath.Join("..", "examples", name), "--rate", "300", "--cleanup", "always",
		"--patience", "20s", "--threshold", "create/*.max=10m", "-o", "json", "--output-file", out)
	var said bytes.Buffer
	c.Stderr = &said
	err := c.Run()
	if code := exitCode(err); code != want.code {
		t.Errorf("exit code %d, want %d; it said:\n%s", code, want.code, &said)
	}
	var run loadRun
	if want.code == 2 {
		first, _, _ := strings.Cut(said.String(), "\n")
		run.Verdict.Problem = first
	} else {
		run = p.read(t, out)
		p.hold(t, run, want)
	}
	if want.ends != "" && !regexp.MustCompile(want.ends).MatchString(run.Verdict.Problem) {
		t.Errorf("it ended with %q, want %s", run.Verdict.Problem, want.ends)
	}
	outcome := []string{"all ready", "", "refused", "ended"}[want.code]
	var kinds []string
	for _, k := range run.Result.Kinds {
		kinds = append(kinds, fmt.Sprintf("%d %s %s", k.Created, k.How, k.Kind))
	}
	r := run.Result
	if problem := run.Verdict.Problem; problem != "" {
		kinds = append(kinds, problem[:min(len(problem), 120)])
	}
	return fmt.Sprintf("%s\t%s\t%d of %d\t%.1f s\t%.1f s\t%s\n", name, outcome, r.Ready, r.Pods, r.Took.Seconds(),
		r.CleanTook.Seconds(), strings.Join(kinds, ", "))
}

// hold what is so of all runs that began.
func (p *loader) hold(t *testing.T, run loadRun, want realFile) {
	r := run.Result
	if !r.Cleaned {
		t.Error("not all was taken away")
	}
	if want.code == 0 && r.Ready != r.Pods {
		t.Errorf("%d of %d pods became ready", r.Ready, r.Pods)
	}
	if len(r.Kinds) == 0 {
		t.Error("nothing was created")
	}
	for _, k := range r.Kinds {
		if k.Created == 0 || k.Failed > 0 || !slices.Contains([]string{"native", "standIn"}, k.How) {
			t.Errorf("%+v", k)
		}
	}
}

func (p *loader) read(t *testing.T, file string) loadRun {
	t.Helper()
	var run loadRun
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &run)
	}
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func exitCode(err error) int {
	if ended, ok := err.(*exec.ExitError); ok {
		return ended.ExitCode()
	}
	if err != nil {
		return -2
	}
	return 0
}
