package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil { // they wait more than they work
		panic(err)
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
	set *unstructured.Unstructured // the owner of its machines
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
