package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// benchPods have the server run until it is taken away; the client completes, as pods of Jobs do.
const benchPods = `{"match": {"labels": {"app.kubernetes.io/name": "plimsoll-bench", ` +
	`"app.kubernetes.io/component": "server"}}, "outcome": "run"}`

// kubelet gives the logs of all pods: what a client prints that measured on the loopback device. The
// nodes that it is of are those of which the API server asks it.
func kubelet(t *testing.T, path string, nodes ...*corev1.Node) {
	t.Helper()
	out, err := exec.Command(path, "bench", "network", "--place", "loopback", "--cell", "rr-1x1-1", "--duration", "100ms",
		"--exit-zero", "-q", "-o", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if !strings.HasPrefix(q.URL.Path, "/containerLogs/plimsoll-bench-") || !strings.HasSuffix(q.URL.Path, "/client") {
			http.NotFound(w, q)
			return
		}
		_, _ = w.Write(out)
	}))
	t.Cleanup(s.Close)
	host, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	number, _ := strconv.Atoi(port)
	for _, n := range nodes {
		n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: host}}
		n.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(number)
	}
}

// bench has the ends of a network benchmark as Jobs: on the nodes that were asked for, by the rights that
// "rbac bench" prints, each of which is needed; and nothing is left, also of one that is interrupted.
func (p *loader) bench(t *testing.T) {
	var role rbacv1.ClusterRole
	text, err := p.rbac("bench")
	if err == nil {
		err = yaml.UnmarshalStrict(text, &role)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.namespace("bench-rights")
	cases := lessRights(role.Rules)
	runs := map[string]*exec.Cmd{}
	for less, rules := range cases {
		account := fmt.Sprintf("bench-%d", len(runs))
		p.accountIn(t, "bench-rights", account, rules)
		runs[less] = exec.Command(p.path, "bench", "network", "--between", "nodes", "--nodes", "node-1:node-0",
			"--service", "--image", "plimsoll", "--cell", "rr-1x1-1", "--cpus", "1", "--patience", "30s",
			"-o", "json", "-q", "--exit-zero",
			"--kubeconfig", p.accessOf(t, "bench-rights", account))
	}
	var all sync.WaitGroup
	for less, run := range runs {
		all.Go(func() {
			var out, says bytes.Buffer
			run.Stdout, run.Stderr = &out, &says
			err := run.Run()
			if less != "" {
				if err == nil || !strings.Contains(says.String(), "forbidden") {
					t.Errorf("without %q: %v: %s", less, err, says.String())
				}
				return
			}
			if err != nil {
				t.Errorf("%v: %s", err, says.String())
			}
			const want = "a pod of node node-1 and node node-0 (pod network, through a Service)"
			if got := placeIn(out.Bytes()); err == nil && got != want {
				t.Errorf("measured between %q", got)
			}
		})
	}
	all.Wait()
	p.withoutRuns(t) // one may not delete what it made
	p.benchInterrupted(t)
}

func placeIn(text []byte) string {
	var answer struct{ Result struct{ Place string } }
	_ = json.Unmarshal(text, &answer)
	return answer.Result.Place
}

func (p *loader) benchInterrupted(t *testing.T) {
	run := p.command("bench", "network", "--between", "across-zones", "--image", "plimsoll", "--quick", "--cpus", "1")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	p.until(time.Minute, "the server runs", func() bool {
		list, err := p.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{
			LabelSelector: "app.kubernetes.io/name=plimsoll-bench", FieldSelector: "status.phase=Running"})
		return err == nil && len(list.Items) > 0
	})
	if err := run.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(); err == nil {
		t.Error("a run that was interrupted has a result")
	}
	p.nothingOfLoads(t)
}
