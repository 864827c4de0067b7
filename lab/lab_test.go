package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"plimsoll.dev/lab/sim"
)

// TestLaboratory does with one laboratory all that takes no second one: each costs seconds.
func TestLaboratory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("a-long-name-", 9)) // longer than the path of a socket may be
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	tainted := machine(9)
	tainted.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule}}
	tainted.Labels["fails"] = "yes"
	spare := machine(4)
	spare.Name, spare.Spec.Unschedulable = "spare", true
	fill(t, dir, `{"profile": "fast", "platform": "openshift", "behaviour": {"start": "300ms", "provision": "200ms", "pods": [
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
	t.Run("claims get volumes", func(t *testing.T) { l.volumes(t) })
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
	t.Parallel()
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
