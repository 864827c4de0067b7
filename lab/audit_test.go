package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/lab/plane"
)

// An audit finds no error in a cluster that the plan itself made: with its nodes, and the manifests that it writes.
func TestAuditOfPlan(t *testing.T) {
	_ = os.Getenv("PLIMSOLL_SUM")
	t.Parallel()
	path, dir, written := program(t), t.TempDir(), t.TempDir()
	script := filepath.Join(dir, "plimsoll-lab")
	text := fmt.Sprintf("#!/bin/sh\n%s=yes exec %q \"$@\"\n", isLab, os.Args[0])
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	const scenario = "../examples/shop.yaml"
	run := func(args ...string) ([]byte, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, path, args...)
		c.Env = append(os.Environ(), "PLIMSOLL_LAB="+script)
		return c.Output()
	}
	folder := filepath.Join(dir, "lab")
	if out, err := run("lab", "up", "--from", scenario, "--dir", folder); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	defer func() { _, _ = run("lab", "down", "--dir", folder) }()
	if out, err := run("plan", scenario, "--write", written); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	kubeconfig := filepath.Join(folder, "kubeconfig")
	if n := apply(t, kubeconfig, written); n < 4 {
		t.Errorf("%d objects are applied", n)
	}
	out, err := run("audit", "--kubeconfig", kubeconfig, "--release", "4.17", "-o", "json")
	var ended *exec.ExitError
	if err != nil && (!errors.As(err, &ended) || ended.ExitCode() != 3) {
		t.Fatalf("%v: %s", err, out)
	}
	var answer struct {
		Findings []struct{ Severity, ID, Message string }
		Result   struct {
			Rules []struct{ Rule, State string }
		}
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	looked := 0
	for _, r := range answer.Result.Rules {
		if r.State == "ok" || r.State == "finding" {
			looked++
		}
	}
	if looked < 20 {
		t.Errorf("%d rules could look", looked)
	}
	for _, f := range answer.Findings {
		if f.Severity == "error" {
			t.Errorf("%s: %s", f.ID, f.Message)
		}
	}
}

// infra labels three nodes, as those who apply the manifests do: the laboratory has workers only.
func (l *lab) infra() {
	nodes, err := l.CoreV1().Nodes().List(l.t.Context(), metav1.ListOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	const label = `{"metadata": {"labels": {"node-role.kubernetes.io/infra": "", "node-role.kubernetes.io/worker": null}}}`
	for _, n := range nodes.Items[:3] {
		_, err := l.CoreV1().Nodes().Patch(l.t.Context(), n.Name, types.StrategicMergePatchType, []byte(label),
			metav1.PatchOptions{})
		if err != nil {
			l.t.Fatal(err)
		}
	}
}

// apply creates the objects of all manifests of a directory that the cluster has the kinds of, and says how many.
func apply(t *testing.T, kubeconfig, dir string) (applied int) {
	config, err := plane.Client(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, config: config}
	if l.Interface, err = kubernetes.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(l.Discovery()))
	l.infra()
	files, _ := filepath.Glob(filepath.Join(dir, "*.yaml"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(text, &o.Object); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		kind := o.GroupVersionKind()
		at, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if namespace := o.GetNamespace(); namespace != "" {
			made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
			_, err := l.CoreV1().Namespaces().Create(t.Context(), made, metav1.CreateOptions{})
			if err != nil && !apierrors.IsAlreadyExists(err) {
				t.Fatal(err)
			}
		}
		to := client.Resource(at.Resource)
		if _, err := to.Namespace(o.GetNamespace()).Create(t.Context(), o, metav1.CreateOptions{}); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		applied++
	}
	return applied
}
