package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	authv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"
)

const machines = "openshift-machine-api"

// TestHealthController has ten of 25 nodes fail: a dry run deletes nothing and tells what it would; of two replicas
// with the least rights one deletes the ten machines that the simulation names, once each; when it is killed the
// other goes on.
func TestHealthController(t *testing.T) {
	t.Parallel()
	dir, program := t.TempDir(), controllers(t)
	var nodes []corev1.Node
	for i := range 25 {
		n := machine(i + 1)
		if i < 10 {
			n.Labels["fails"] = "yes"
		}
		nodes = append(nodes, n)
	}
	fill(t, dir, `{"profile": "fast", "platform": "openshift", "behaviour": {"nodes": [
		{"match": {"labels": {"fails": "yes"}}, "notReadyAfter": "5s"}]}}`, nodes...)
	l := begin(t, dir)
	defer l.end()
	l.applied("../controller/deploy/health.yaml")
	l.machineSet()
	for i := range 25 {
		l.machine(fmt.Sprintf("worker-%02d", i+1), fmt.Sprintf("node-%d", i+1))
	}
	l.create(machineAPI.WithResource("machinehealthchecks"),
		map[string]any{"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineHealthCheck",
			"metadata": map[string]any{"name": "workers", "namespace": machines},
			"spec": map[string]any{"maxUnhealthy": "40%",
				"selector":            map[string]any{"matchLabels": map[string]any{"role": "worker"}},
				"unhealthyConditions": []any{map[string]any{"type": "Ready", "status": "False", "timeout": "10s"}}}})
	config := l.asController("plimsoll-health", filepath.Join(dir, "controller.yaml"))

	dry := l.controller(program, config, "health")
	l.until(2*time.Minute, "ten machines are told of", func() bool { return l.events("RemediationWithheld") == 10 })
	if got := l.machines(); len(got) != 25 {
		t.Errorf("a dry run left %d machines", len(got))
	}
	dry.stop(syscall.SIGTERM)

	first, second := l.controller(program, config, "health", "--act"), l.controller(program, config, "health", "--act")
	l.until(2*time.Minute, "ten machines are deleted", func() bool { return len(l.machines()) <= 15 })
	got := l.machines()
	want := []string{}
	for i := 11; i <= 25; i++ {
		want = append(want, fmt.Sprintf("worker-%02d", i))
	}
	if !slices.Equal(got, want) {
		t.Errorf("left are %v", got)
	}
	l.until(time.Minute, "ten deletions are told", func() bool { return l.events("MachineDeleted") >= 10 })
	if n := l.events("MachineDeleted"); n != 10 {
		t.Errorf("%d deletions are told", n)
	}

	leader := l.leader(first, second)
	leader.stop(syscall.SIGKILL)
	l.machine("worker-26", "node-1") // whose node is not ready
	l.until(2*time.Minute, "the other replica deletes it", func() bool { return slices.Equal(l.machines(), want) })
}

// controllers builds their program.
func controllers(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "plimsoll-controller")
	if out, err := exec.Command("go", "build", "-C", "../controller", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// replica is a controller that runs.
type replica struct {
	t     *testing.T
	cmd   *exec.Cmd
	log   *bytes.Buffer
	ended chan struct{}
}

// controller starts one.
func (l *lab) controller(program, config, of string, args ...string) *replica {
	l.t.Helper()
	return l.started(exec.Command(program, append([]string{of, "--kubeconfig", config, "--lease-duration", "4s",
		"--renew-deadline", "3s", "--retry-period", "1s"}, args...)...))
}

// started runs a program until the test's end.
func (l *lab) started(cmd *exec.Cmd) *replica {
	l.t.Helper()
	r := &replica{l.t, cmd, &bytes.Buffer{}, make(chan struct{})}
	r.cmd.Stdout, r.cmd.Stderr = r.log, r.log
	if err := r.cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	go func() { _ = r.cmd.Wait(); close(r.ended) }()
	l.t.Cleanup(func() {
		r.stop(syscall.SIGKILL)
		if l.t.Failed() {
			l.t.Logf("a replica said:\n%s", r.log.String())
		}
	})
	return r
}

func (r *replica) stop(s syscall.Signal) {
	_ = r.cmd.Process.Signal(s)
	<-r.ended
}

// leader is the replica that holds the lease, by what it said; replicas are told apart by the time at which one of them
// began to lead.
func (l *lab) leader(all ...*replica) (leads *replica) {
	l.t.Helper()
	l.until(time.Minute, "a replica says that it has acted", func() bool {
		for _, r := range all {
			if strings.Contains(r.log.String(), "machines are due") {
				leads = r
			}
		}
		return leads != nil
	})
	return leads
}

// applied creates the objects of a manifest, but Deployments and DaemonSets, whose pods have no program here.
func (l *lab) applied(file string) {
	l.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		l.t.Fatal(err)
	}
	for part := range strings.SplitSeq(string(text), "\n---\n") {
		var o map[string]any
		if err := yaml.Unmarshal([]byte(part), &o); err != nil {
			l.t.Fatal(err)
		}
		kind := fmt.Sprint(o["kind"])
		if kind == "Deployment" || kind == "DaemonSet" {
			continue
		}
		group, version, named := strings.Cut(fmt.Sprint(o["apiVersion"]), "/")
		if !named {
			group, version = "", group
		}
		l.create(schema.GroupVersionResource{Group: group, Version: version, Resource: strings.ToLower(kind) + "s"}, o)
	}
}

func (l *lab) create(of schema.GroupVersionResource, o map[string]any) *unstructured.Unstructured {
	l.t.Helper()
	u := &unstructured.Unstructured{Object: o}
	made, err := l.dynamic().Resource(of).Namespace(u.GetNamespace()).Create(l.t.Context(), u, metav1.CreateOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	return made
}

func (l *lab) dynamic() *dynamic.DynamicClient {
	c, err := dynamic.NewForConfig(l.config)
	if err != nil {
		l.t.Fatal(err)
	}
	return c
}

var (
	machineAPI      = schema.GroupVersion{Group: "machine.openshift.io", Version: "v1beta1"}
	machineResource = machineAPI.WithResource("machines")
)

// machineSet is the owner of the machines; those of one that is not there would be taken for garbage.
func (l *lab) machineSet() {
	l.t.Helper()
	l.namespace(machines)
	l.set = l.create(machineAPI.WithResource("machinesets"), map[string]any{"apiVersion": "machine.openshift.io/v1beta1",
		"kind": "MachineSet", "metadata": map[string]any{"name": "workers", "namespace": machines},
		"spec": map[string]any{}})
}

// machine of a node, as the machine controller leaves it.
func (l *lab) machine(name, node string) {
	l.t.Helper()
	m := l.create(machineResource, map[string]any{"apiVersion": "machine.openshift.io/v1beta1", "kind": "Machine",
		"metadata": map[string]any{"name": name, "namespace": machines, "labels": map[string]any{"role": "worker"},
			"ownerReferences": []any{map[string]any{"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSet",
				"name": l.set.GetName(), "uid": string(l.set.GetUID()), "controller": true}}}, "spec": map[string]any{}})
	m.Object["status"] = map[string]any{"phase": "Running", "nodeRef": map[string]any{"name": node, "kind": "Node"},
		"lastUpdated": time.Now().UTC().Format(time.RFC3339)}
	if _, err := l.dynamic().Resource(machineResource).Namespace(machines).UpdateStatus(l.t.Context(), m,
		metav1.UpdateOptions{}); err != nil {
		l.t.Fatal(err)
	}
}

// machines are the names of those that are there.
func (l *lab) machines() (out []string) {
	l.t.Helper()
	list, err := l.dynamic().Resource(machineResource).Namespace(machines).List(l.t.Context(), metav1.ListOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	for i := range list.Items {
		out = append(out, list.Items[i].GetName())
	}
	return out
}

// events of a reason, each machine's once.
func (l *lab) events(reason string) int { return l.eventsIn(machines, reason) }

// eventsIn a namespace of a reason.
func (l *lab) eventsIn(namespace, reason string) int {
	l.t.Helper()
	list, err := l.EventsV1().Events(namespace).List(l.t.Context(), metav1.ListOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	n := 0
	for _, e := range list.Items {
		if e.Reason == reason {
			n += told(&e)
		}
	}
	return n
}

// told is how often an event was told.
func told(e *eventsv1.Event) int {
	if e.Series != nil {
		return int(e.Series.Count)
	}
	return 1
}

// asController writes a kubeconfig of the account of a controller.
func (l *lab) asController(account, file string) string { return l.accountAt(l.config, account, file) }

// accountAt is that by way of a server.
func (l *lab) accountAt(server *rest.Config, account, file string) string {
	l.t.Helper()
	made, err := l.CoreV1().ServiceAccounts(account).CreateToken(l.t.Context(), account,
		&authv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["lab"] = &clientcmdapi.Cluster{Server: server.Host, CertificateAuthorityData: server.CAData,
		CertificateAuthority: server.CAFile}
	config.AuthInfos["controller"] = &clientcmdapi.AuthInfo{Token: made.Status.Token}
	config.Contexts["lab"] = &clientcmdapi.Context{Cluster: "lab", AuthInfo: "controller"}
	config.CurrentContext = "lab"
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		l.t.Fatal(err)
	}
	return file
}
