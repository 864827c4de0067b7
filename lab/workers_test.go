package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// workerPods are not told to complete by the simulated kubelet.
const workerPods = `{"match": {"labels": {"app.kubernetes.io/name": "plimsoll-load"}}, "outcome": "run"}`

const shared = `ClusterLoader:
  cleanup: true
  projects:
  - {num: 7, basename: shared, pods: [{num: 10, basename: p, image: none}]}
`

// workers run a load as the pods of a Job would, which simulated nodes do not: with the account of the Job, its
// arguments and its index. What comes out is the load of all, and nothing is left.
func (p *loader) workers(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "load.yaml")
	if err := os.WriteFile(file, []byte(shared), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, says bytes.Buffer
	run := p.command("load", file, "--workers", "3", "--image", "plimsoll", "--rate", "60", "-o", "json")
	run.Stdout, run.Stderr = &out, &says
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	pods := p.workerPods(t)
	var all sync.WaitGroup
	var started []*exec.Cmd
	for i := range pods { // each writes its files, which no other may be reading
		started = append(started, p.worker(t, t.TempDir(), &pods[i]))
	}
	for i, worker := range started {
		all.Go(func() {
			if text, err := worker.CombinedOutput(); err != nil {
				t.Errorf("worker %s: %v: %s", pods[i].Name, err, text)
				_ = run.Process.Signal(os.Interrupt) // which would wait for its result
			}
		})
	}
	all.Wait()
	if err := run.Wait(); err != nil {
		t.Fatalf("%v: %s", err, says.String())
	}
	var answer struct {
		Result struct {
			Pods, Ready int
			Cleaned     bool
			RateReached float64
			Latencies   []struct {
				ID      string
				Summary struct {
					N   int
					Max time.Duration
				}
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	got := answer.Result
	if got.Pods != 70 || got.Ready != 70 || !got.Cleaned {
		t.Errorf("%d of %d pods ready, cleaned %v", got.Ready, got.Pods, got.Cleaned)
	}
	counts, late := map[string]int{}, time.Duration(0)
	for _, l := range got.Latencies {
		counts[l.ID] = l.Summary.N
		if l.ID == "due/created" {
			late = l.Summary.Max
		}
	}
	// When requests are due follows the rate asked of all workers, each with its part of it: a third of that would take
	// three times as long. A busy machine makes them late, which is told, and workers begin one after the other.
	due := 69 * time.Second / 60
	took := time.Duration(69 / got.RateReached * float64(time.Second))
	if counts["due/created"] != 70 || took < due-due/8 || took > 2*due+late {
		t.Errorf("%.1f pods a second: %v, meant are %v, of which the last may be %v late", got.RateReached, took, due, late)
	}
	if counts["pod/ready"] != 70 || counts["create/pods"] != 70 || counts["server/create/pods"] < 70 {
		t.Errorf("measured: %v", counts)
	}
	p.nothingOfLoads(t)
}

// workersInterrupted ends a load before its workers have begun: the Job and all that it needs is gone.
func (p *loader) workersInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "load.yaml")
	if err := os.WriteFile(file, []byte(shared), 0o600); err != nil {
		t.Fatal(err)
	}
	run := p.command("load", file, "--workers", "3", "--image", "plimsoll")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	p.workerPods(t)
	if err := run.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(); run.ProcessState.ExitCode() != 3 {
		t.Errorf("it ended with %v", err)
	}
	p.nothingOfLoads(t)
}

// workerPods are those of the Job, when all are there.
func (p *loader) workerPods(t *testing.T) (pods []corev1.Pod) {
	p.until(time.Minute, "the workers' pods run", func() bool {
		list, err := p.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{
			LabelSelector: "app.kubernetes.io/name=plimsoll-load", FieldSelector: "status.phase=Running"})
		if err != nil {
			t.Fatal(err)
		}
		pods = list.Items
		return len(pods) == 3
	})
	return pods
}

// worker is the process that a pod would be.
func (p *loader) worker(t *testing.T, dir string, pod *corev1.Pod) *exec.Cmd {
	task, err := p.CoreV1().ConfigMaps(pod.Namespace).Get(t.Context(), "task", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	access := p.accessOf(t, pod.Namespace, pod.Spec.ServiceAccountName)
	args := append([]string{}, pod.Spec.Containers[0].Args...)
	for i := range args {
		if name, mounted := strings.CutPrefix(args[i], "/etc/plimsoll/"); mounted {
			args[i] = filepath.Join(dir, name)
			if err := os.WriteFile(args[i], task.BinaryData[name], 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := exec.Command(p.path, append(args, "--kubeconfig", access, "--workers-kubeconfig", access)...)
	c.Env = append(os.Environ(), "JOB_COMPLETION_INDEX="+pod.Annotations["batch.kubernetes.io/job-completion-index"])
	return c
}

// accessOf is the path of a kubeconfig with a token of a service account.
func (p *loader) accessOf(t *testing.T, namespace, account string) string {
	token, err := p.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), account,
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(filepath.Join(p.dir, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range config.AuthInfos {
		config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// nothingOfLoads demands that no namespace and no role of a run is there.
func (p *loader) nothingOfLoads(t *testing.T) {
	of := metav1.ListOptions{LabelSelector: "plimsoll.dev/run"}
	spaces, err := p.CoreV1().Namespaces().List(t.Context(), of)
	if err != nil || len(spaces.Items) > 0 {
		t.Errorf("%v, %d namespaces are left", err, len(spaces.Items))
	}
	roles, err := p.RbacV1().ClusterRoles().List(t.Context(), of)
	if err != nil || len(roles.Items) > 0 {
		t.Errorf("%v, %d roles are left", err, len(roles.Items))
	}
	bindings, err := p.RbacV1().ClusterRoleBindings().List(t.Context(), of)
	if err != nil || len(bindings.Items) > 0 {
		t.Errorf("%v, %d bindings are left", err, len(bindings.Items))
	}
}

// rights are those that --workers gives: they suffice, and with one verb less that is noticed.
func (p *loader) rights(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "load.yaml")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("load.yaml", strings.Replace(shared, "num: 7", "num: 1", 1))
	text, err := p.command("load", file, "--workers", "1", "--image", "plimsoll", "--dry-run", "-o", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Items []rbacv1.ClusterRole }
	if err := json.Unmarshal(text, &list); err != nil || list.Items[0].Kind != "ClusterRole" {
		t.Fatalf("%v: %s", err, text)
	}
	p.namespace("rights")
	rules := list.Items[0].Rules
	cases := lessRights(rules, "list events", "get pods", "get namespaces") // asked for when something went wrong
	if len(cases) < 6 {
		t.Fatalf("cases %v", cases)
	}
	runs := map[string]*exec.Cmd{}
	for less, rules := range cases {
		account := fmt.Sprintf("account-%d", len(runs))
		p.accountIn(t, "rights", account, rules)
		write(account+".yaml",
			strings.NewReplacer("num: 7", "num: 1", "basename: shared", "basename: "+account).Replace(shared))
		runs[less] = exec.Command(p.path, "load", filepath.Join(dir, account+".yaml"), "--kubeconfig",
			p.accessOf(t, "rights", account), "--cleanup", "never", "--patience", "10s")
	}
	var all sync.WaitGroup
	for less, run := range runs {
		all.Go(func() {
			out, err := run.CombinedOutput()
			if ok := err == nil; ok != (less == "") || !ok && !strings.Contains(string(out), "forbidden") {
				t.Errorf("without %q: %v: %s", less, err, out)
			}
		})
	}
	all.Wait()
	p.withoutRuns(t)
}

// withoutRuns deletes what runs have left that could not.
func (p *loader) withoutRuns(t *testing.T) {
	made, err := p.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{LabelSelector: "plimsoll.dev/run"})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range made.Items {
		if err := p.CoreV1().Namespaces().Delete(t.Context(), n.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
	p.until(time.Minute, "what the runs have made is gone", func() bool {
		left, err := p.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{LabelSelector: "plimsoll.dev/run"})
		return err == nil && len(left.Items) == 0
	})
}

// lessRights are rules without each verb that is not spared; "" is all of them.
func lessRights(rules []rbacv1.PolicyRule, spared ...string) map[string][]rbacv1.PolicyRule {
	cases := map[string][]rbacv1.PolicyRule{"": rules}
	for i, rule := range rules {
		for j, verb := range rule.Verbs {
			what := verb + " " + rule.Resources[0]
			if slices.Contains(spared, what) {
				continue
			}
			less := slices.Clone(rules)
			if less[i].Verbs = slices.Delete(slices.Clone(rule.Verbs), j, j+1); len(less[i].Verbs) == 0 {
				less = slices.Delete(less, i, i+1)
			}
			cases[what] = less
		}
	}
	return cases
}

func (p *loader) accountIn(t *testing.T, namespace, name string, rules []rbacv1.PolicyRule) {
	meta := metav1.ObjectMeta{Name: name}
	_, err := p.CoreV1().ServiceAccounts(namespace).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: meta},
		metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules},
		metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{ObjectMeta: meta,
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: name, Namespace: namespace}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}
