package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"plimsoll.dev/lab/plane"
	"plimsoll.dev/lab/sim"
)

// The test binary is the laboratory where this is set.
const isLab = "PLIMSOLL_TEST_IS_LAB"

func TestMain(m *testing.M) {
	if os.Getenv(isLab) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// lab is a laboratory that a test started.
type lab struct {
	t      *testing.T
	dir    string
	cmd    *exec.Cmd
	config *rest.Config
	kubernetes.Interface
}

// begin starts a laboratory of the folder and waits until it is ready.
func begin(t *testing.T, dir string) *lab {
	t.Helper()
	l := &lab{t: t, dir: dir}
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	l.cmd = exec.Command(os.Args[0], dir)
	l.cmd.Env = append(os.Environ(), isLab+"=yes")
	l.cmd.Stdout, l.cmd.Stderr = log, log
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if l.cmd.ProcessState == nil {
			_ = l.cmd.Process.Kill()
			_ = l.cmd.Wait()
		}
		if t.Failed() {
			text, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Logf("the laboratory said last:\n%s", text[max(0, len(text)-4000):])
		}
	})
	l.until(2*time.Minute, "it is ready", func() bool {
		_, err := os.Stat(filepath.Join(dir, readyFile))
		return err == nil
	})
	if l.config, err = plane.Client(filepath.Join(dir, "kubeconfig")); err != nil {
		t.Fatal(err)
	}
	if l.Interface, err = kubernetes.NewForConfig(l.config); err != nil {
		t.Fatal(err)
	}
	return l
}

// end has it end as "plimsoll lab down" does.
func (l *lab) end() {
	l.t.Helper()
	if err := l.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		l.t.Fatal(err)
	}
	if err := l.cmd.Wait(); err != nil {
		l.t.Errorf("it ended with %v", err)
	}
}

// until waits until something is so. The limit is for a machine that is busy.
func (l *lab) until(most time.Duration, what string, is func() bool) {
	l.t.Helper()
	for late := time.Now().Add(most); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(late) {
			l.t.Fatalf("not within %s: %s", most, what)
		}
	}
}

// fill writes the files of a folder.
func fill(t *testing.T, dir, config string, nodes ...corev1.Node) {
	t.Helper()
	text, err := json.Marshal(corev1.NodeList{Items: nodes})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{configFile: []byte(config), nodesFile: text} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// machine is a node with 8 CPUs, of which 7.5 are for pods.
func machine(i int) corev1.Node {
	capacity := corev1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("32Gi"),
		"pods": resource.MustParse("250")}
	free := capacity.DeepCopy()
	free["cpu"] = resource.MustParse("7500m")
	return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%d", i),
		Labels: map[string]string{"topology.kubernetes.io/zone": fmt.Sprintf("zone-%d", i%3), "role": "work"}},
		Status: corev1.NodeStatus{Capacity: capacity, Allocatable: free}}
}

func (l *lab) namespace(name string) {
	l.t.Helper()
	_, err := l.CoreV1().Namespaces().Create(l.t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	l.until(time.Minute, "the service account of "+name+" is there", func() bool {
		_, err := l.CoreV1().ServiceAccounts(name).Get(l.t.Context(), "default", metav1.GetOptions{})
		return err == nil
	})
}

// deploy creates a Deployment of so many pods.
func (l *lab) deploy(namespace string, replicas int32) {
	l.t.Helper()
	labels := map[string]string{"app": "web"}
	_, err := l.AppsV1().Deployments(namespace).Create(l.t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template(labels, corev1.RestartPolicyAlways)}},
		metav1.CreateOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
}

func template(labels map[string]string, restart corev1.RestartPolicy) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: corev1.PodSpec{RestartPolicy: restart, Containers: []corev1.Container{{Name: "c", Image: "none"}}}}
}

// pods counts those of a namespace that are as asked.
func (l *lab) pods(namespace string, is func(*corev1.Pod) bool) int {
	l.t.Helper()
	list, err := l.CoreV1().Pods(namespace).List(l.t.Context(), metav1.ListOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	n := 0
	for i := range list.Items {
		if is(&list.Items[i]) {
			n++
		}
	}
	return n
}

func podReady(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// waits says that the containers wait for a reason.
func waits(reason string) func(*corev1.Pod) bool {
	return func(p *corev1.Pod) bool {
		return len(p.Status.ContainerStatuses) > 0 && p.Status.ContainerStatuses[0].State.Waiting != nil &&
			p.Status.ContainerStatuses[0].State.Waiting.Reason == reason
	}
}

// told are the lines of truth.jsonl about a namespace.
func (l *lab) told(namespace string) []sim.Truth {
	l.t.Helper()
	f, err := os.Open(filepath.Join(l.dir, truthFile))
	if err != nil {
		l.t.Fatal(err)
	}
	defer f.Close()
	var out []sim.Truth
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line sim.Truth
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			break // it is being written
		}
		if line.Namespace == namespace {
			out = append(out, line)
		}
	}
	return out
}

// TestLaboratory does with one laboratory all that takes no second one: each costs seconds.
func TestLaboratory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("a-long-name-", 9)) // longer than the path of a socket may be
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	tainted := machine(9)
	tainted.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule}}
	tainted.Labels["fails"] = "yes"
	spare := machine(4)
	spare.Name, spare.Spec.Unschedulable = "spare", true
	fill(t, dir, `{"profile": "fast", "platform": "openshift", "behaviour": {"start": "300ms", "pods": [
		{"match": {"namespace": "crash"}, "outcome": "crashLoop"},
		{"match": {"namespace": "image"}, "outcome": "imagePullBackOff"},
		{"match": {"namespace": "never"}, "outcome": "never"}],
		"nodes": [{"match": {"labels": {"fails": "yes"}}, "notReadyAfter": "20s"}]}}`,
		machine(1), machine(2), machine(3), tainted, spare)
	l := begin(t, dir)
	t.Run("the nodes are those that were asked for", func(t *testing.T) { l.nodesAsAsked(t, tainted) })
	t.Run("it listens on loopback alone, for its owner alone", func(t *testing.T) { l.closed(t) })
	t.Run("pods run after the delay asked for", func(t *testing.T) { l.delayed(t) })
	t.Run("pods fail as asked", func(t *testing.T) { l.failing(t) })
	t.Run("pods of jobs complete", func(t *testing.T) { l.completing(t) })
	t.Run("kinds of OpenShift are served and validated", func(t *testing.T) { l.openShift(t) })
	t.Run("a deleted pod is gone", func(t *testing.T) { l.deleting(t) })
	t.Run("a node ceases to be ready", func(t *testing.T) { l.notReady(t) })
	t.Run("nobody else runs in the folder", func(t *testing.T) {
		second := exec.Command(os.Args[0], dir)
		second.Env = append(os.Environ(), isLab+"=yes")
		if out, err := second.CombinedOutput(); err == nil || !strings.Contains(string(out), "runs in this folder already") {
			t.Errorf("%v: %s", err, out)
		}
	})
	if err := l.CoreV1().Nodes().Delete(t.Context(), spare.Name, metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	l.end()
	t.Run("it starts again with its data", func(t *testing.T) { l.again(t) })
}

func (l *lab) nodesAsAsked(t *testing.T, tainted corev1.Node) {
	for _, want := range []corev1.Node{machine(1), tainted} {
		got, err := l.CoreV1().Nodes().Get(t.Context(), want.Name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for name, amount := range want.Status.Capacity {
			if has := got.Status.Capacity[name]; has.Cmp(amount) != 0 {
				t.Errorf("%s: capacity %s %s, want %s", want.Name, name, has.String(), amount.String())
			}
			if has, free := got.Status.Allocatable[name], want.Status.Allocatable[name]; has.Cmp(free) != 0 {
				t.Errorf("%s: allocatable %s %s, want %s", want.Name, name, has.String(), free.String())
			}
		}
		if fmt.Sprint(got.Labels) != fmt.Sprint(want.Labels) || fmt.Sprint(got.Spec.Taints) != fmt.Sprint(want.Spec.Taints) {
			t.Errorf("%s: labels %v and taints %v, want %v and %v", want.Name, got.Labels, got.Spec.Taints, want.Labels,
				want.Spec.Taints)
		}
	}
}

func (l *lab) closed(t *testing.T) {
	if info, err := os.Stat(l.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others may look into the folder: %v, %v", info.Mode(), err)
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(l.config.Host, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range interfaces {
		ip, _, err := net.ParseCIDR(a.String())
		if err != nil || ip.IsLoopback() {
			continue
		}
		if c, err := net.DialTimeout("tcp", net.JoinHostPort(ip.String(), port), time.Second); err == nil {
			c.Close()
			t.Errorf("%s answers at port %s", ip, port)
		}
	}
	anonymous := rest.AnonymousClientConfig(l.config)
	client, err := kubernetes.NewForConfig(anonymous)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("who has no token may list nodes")
	}
}

func (l *lab) delayed(t *testing.T) {
	const pods = 12
	l.namespace("load")
	l.deploy("load", pods)
	l.until(time.Minute, "all pods are ready", func() bool { return l.pods("load", podReady) == pods })
	l.until(10*time.Second, "the truth is told of all", func() bool { return len(l.told("load")) == pods })
	posted := map[string]time.Time{}
	l.pods("load", func(p *corev1.Pod) bool {
		posted[p.Name] = p.Status.ContainerStatuses[0].State.Running.StartedAt.Time
		return true
	})
	for _, told := range l.told("load") {
		started := time.Unix(0, told.StartedAt)
		if told.Delay != int64(300*time.Millisecond) || told.StartedAt-told.BoundSeen < told.Delay ||
			told.PostedAt < told.StartedAt {
			t.Errorf("the delay was not kept: %+v", told)
		}
		if off := started.Sub(posted[told.Name]); off < 0 || off >= time.Second { // the API knows seconds
			t.Errorf("%s started at %s, and says %s", told.Name, started, posted[told.Name])
		}
	}
	events, err := l.CoreV1().Events("load").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, e := range events.Items {
		count[e.Reason]++
	}
	if count["Scheduled"] != pods || count["Started"] != pods {
		t.Errorf("events %v", count)
	}
}

func (l *lab) failing(t *testing.T) {
	for namespace, reason := range map[string]string{"crash": "CrashLoopBackOff", "image": "ImagePullBackOff",
		"never": "ContainerCreating"} {
		l.namespace(namespace)
		l.deploy(namespace, 2)
		l.until(time.Minute, reason, func() bool { return l.pods(namespace, waits(reason)) == 2 })
		if n := l.pods(namespace, podReady); n > 0 {
			t.Errorf("%s: %d pods are ready", namespace, n)
		}
	}
	l.until(10*time.Second, "the truth of pods that never start", func() bool { return len(l.told("never")) == 2 })
	for _, told := range l.told("never") {
		if told.StartedAt != 0 || told.Outcome != string(sim.Never) {
			t.Errorf("%+v", told)
		}
	}
	l.until(time.Minute, "a container is restarted after 10 s", func() bool {
		return l.pods("crash", func(p *corev1.Pod) bool { return p.Status.ContainerStatuses[0].RestartCount > 0 }) == 2
	})
}

func (l *lab) completing(t *testing.T) {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "job"},
		Spec: batchv1.JobSpec{Template: template(nil, corev1.RestartPolicyNever)}}
	if _, err := l.BatchV1().Jobs("load").Create(t.Context(), job, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	l.until(time.Minute, "the job is complete", func() bool {
		now, err := l.BatchV1().Jobs("load").Get(t.Context(), "job", metav1.GetOptions{})
		return err == nil && now.Status.Succeeded == 1 && now.Status.CompletionTime != nil
	})
}

func (l *lab) openShift(t *testing.T) {
	client, err := dynamic.NewForConfig(l.config)
	if err != nil {
		t.Fatal(err)
	}
	create := func(group, version, plural, kind string, spec map[string]any) error {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": group + "/" + version, "kind": kind,
			"metadata": map[string]any{"name": "x"}, "spec": spec}}
		_, err := client.Resource(schema.GroupVersionResource{Group: group, Version: version, Resource: plural}).
			Namespace("load").Create(t.Context(), o, metav1.CreateOptions{})
		return err
	}
	check := func(most string) map[string]any {
		return map[string]any{"maxUnhealthy": most, "selector": map[string]any{}, "unhealthyConditions": []any{
			map[string]any{"type": "Ready", "status": "False", "timeout": "300s"}}}
	}
	const machines = "machine.openshift.io"
	if err := create(machines, "v1beta1", "machinehealthchecks", "MachineHealthCheck", check("foo")); err == nil {
		t.Error("a health check with maxUnhealthy: foo is taken")
	}
	if err := create(machines, "v1beta1", "machinehealthchecks", "MachineHealthCheck", check("40%")); err != nil {
		t.Error(err)
	}
	anything := map[string]any{"anything": map[string]any{"goes": int64(1)}}
	for _, s := range [][4]string{{"apps.openshift.io", "v1", "deploymentconfigs", "DeploymentConfig"},
		{"build.openshift.io", "v1", "buildconfigs", "BuildConfig"}, {"build.openshift.io", "v1", "builds", "Build"},
		{"image.openshift.io", "v1", "imagestreams", "ImageStream"},
		{"template.openshift.io", "v1", "templates", "Template"}, {"tuned.openshift.io", "v1", "tuneds", "Tuned"}} {
		if err := create(s[0], s[1], s[2], s[3], anything); err != nil {
			t.Error(err)
		}
	}
	route := map[string]any{"to": map[string]any{"kind": "Service", "name": "web", "weight": int64(100)}}
	if err := create("route.openshift.io", "v1", "routes", "Route", route); err != nil {
		t.Error(err)
	}
}

func (l *lab) deleting(t *testing.T) {
	err := l.AppsV1().Deployments("image").Delete(t.Context(), "web", metav1.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l.until(time.Minute, "no pod is left", func() bool {
		return l.pods("image", func(*corev1.Pod) bool { return true }) == 0
	})
}

func (l *lab) notReady(t *testing.T) {
	l.until(time.Minute, "node-9 is not ready, and tainted", func() bool {
		n, err := l.CoreV1().Nodes().Get(t.Context(), "node-9", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, taint := range n.Spec.Taints {
			if taint.Key == corev1.TaintNodeNotReady && taint.Effect == corev1.TaintEffectNoExecute {
				return true
			}
		}
		return false
	})
	l.until(10*time.Second, "the truth is told", func() bool { return len(l.told("")) == 1 })
	if told := l.told("")[0]; told.Name != "node-9" || told.StartedAt-told.BoundSeen < int64(20*time.Second) {
		t.Errorf("%+v", told)
	}
}

func (l *lab) again(t *testing.T) {
	l.t = t
	host, before := l.config.Host, len(l.told("load"))
	if _, err := os.Stat(filepath.Join(l.dir, readyFile)); err == nil {
		t.Error("it says that it is ready, and has ended")
	}
	l = begin(t, l.dir)
	if _, err := l.CoreV1().Nodes().Get(t.Context(), "spare", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a node that was deleted: %v", err)
	}
	if l.config.Host != host {
		t.Errorf("it was at %s, and is at %s: kubeconfigs that were copied are of no use", host, l.config.Host)
	}
	if n := l.pods("load", podReady); n != 12 {
		t.Errorf("%d of 12 pods are ready", n)
	}
	if now := len(l.told("load")); now != before {
		t.Errorf("%d pods started anew", now-before)
	}
	scale, err := l.AppsV1().Deployments("load").GetScale(t.Context(), "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scale.Spec.Replicas = 20
	_, err = l.AppsV1().Deployments("load").UpdateScale(t.Context(), "web", scale, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l.until(time.Minute, "20 pods are ready", func() bool { return l.pods("load", podReady) == 20 })
	addresses := map[string]int{}
	l.pods("load", func(p *corev1.Pod) bool { addresses[p.Status.PodIP]++; return true })
	for ip, n := range addresses {
		if n > 1 {
			t.Errorf("%d pods have the address %s", n, ip)
		}
	}
	l.end()
}

// A laboratory whose input ends goes with it: that of a program that was killed.
func TestAttached(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, `{"profile": "faithful", "platform": "kubernetes"}`, machine(1))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], "-attached", dir)
	c.Env = append(os.Environ(), isLab+"=yes")
	input, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for ctx.Err() == nil {
		if _, err := os.Stat(filepath.Join(dir, readyFile)); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := input.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
