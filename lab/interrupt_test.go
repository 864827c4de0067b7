package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// small is a configuration that makes something of each sort: projects of its own, objects in one that
// is there, objects of the cluster, and pods of controllers. SLOT_NAME stands for what tells it from others.
const small = `ClusterLoader:
  cleanup: true
  projects:
  - {num: 3, basename: shop-SLOT_NAME-, templates: [{num: 2, file: shop.json}], pods: [{num: 5, basename: p, image: none}],
    configmaps: {settings: shop.json}, tuning: slow}
  - {num: 1, basename: mine, ifexists: reuse, templates: [{num: 2, file: mine.json},
    {num: 2, file: shop.json, parameters: {SLOT: SLOT_NAME}}]}
  tuningsets:
  - {name: slow, pods: {stepping: {stepsize: 2, pause: 100 ms}, rate_limit: {delay: 20 ms}}}
`

const shopTemplate = `{"apiVersion": "template.openshift.io/v1", "kind": "Template", "metadata": {"name": "shop"},
"parameters": [{"name": "IDENTIFIER", "value": "0"}, {"name": "SLOT", "value": "own-SLOT_NAME"}], "objects": [
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c-${SLOT}-${IDENTIFIER}"}, "data": {"a": "b"}},
{"apiVersion": "v1", "kind": "DeploymentConfig", "metadata": {"name": "dc-${SLOT}-${IDENTIFIER}"}, "spec": {"replicas": 1}},
{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web-${SLOT}-${IDENTIFIER}"}, "spec": {"replicas": 2,
 "selector": {"matchLabels": {"app": "web-${SLOT}-${IDENTIFIER}"}}, "template": {"metadata": {"labels": {"app":
 "web-${SLOT}-${IDENTIFIER}"}}, "spec": {"containers": [{"name": "c", "image": "none"}]}}}}]}
`

// mineTemplate is what the reused project gets besides: a volume, and an object of the cluster.
const mineTemplate = `{"apiVersion": "template.openshift.io/v1", "kind": "Template", "metadata": {"name": "mine"},
"parameters": [{"name": "IDENTIFIER", "value": "0"}], "objects": [
{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "v-SLOT_NAME-${IDENTIFIER}"}, "spec":
 {"accessModes": ["ReadWriteOnce"], "storageClassName": "standard-immediate", "resources": {"requests": {"storage": "1Gi"}}}},
{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r-SLOT_NAME-${IDENTIFIER}"}}]}
`

// interrupted ends runs at random moments, several at once on one cluster in which others have objects,
// too. Nothing of a run is left, and nothing else is touched: the cluster is what it was before.
//
// PLIMSOLL_KILLS=100, or "make load-interrupts", is the large one.
func (p *loader) interrupted(t *testing.T) {
	const atOnce = 5
	kills := number("PLIMSOLL_KILLS", 10)
	p.foreign(t)
	var slots [atOnce]string
	for i := range slots {
		slots[i] = p.slot(t, i)
	}
	before := p.everything(t)
	filled, whole := p.undisturbed(t, slots[0])
	p.same(t, before)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d; a run takes %.1f s until all is ready, and %.1f s in all", seed, filled.Seconds(), whole.Seconds())
	rng := rand.New(rand.NewPCG(seed, 0))
	codes := map[int]int{}
	for done := 0; done < kills; done += atOnce {
		var all sync.WaitGroup
		ends := make([]ended, min(atOnce, kills-done))
		for i := range ends {
			most := filled
			if rng.IntN(4) == 0 { // clean-up takes most of the time, and is the same at all of its moments
				most = whole
			}
			after, how := time.Duration(rng.Int64N(int64(most))), rng.IntN(5)
			all.Go(func() {
				ends[i] = p.interrupt(t.Context(), slots[i], after, how)
				if ends[i].code == killed {
					p.destroy(t, i)
				}
				for o := range p.of(t, i) {
					t.Errorf("%s is left when the run has ended", o)
				}
			})
		}
		all.Wait()
		for _, e := range ends {
			codes[e.code]++
		}
		if !p.same(t, before) {
			t.Fatalf("after %v", ends)
		}
	}
	t.Logf("%d runs were interrupted; by exit code: %v", kills, codes)
}

// slotName is in the names of all objects of a slot's runs, and of no others.
func slotName(i int) string { return "slot" + strconv.Itoa(i) }

// slot writes the files of a run, and returns the configuration's path. Every other one has no projects
// of its own: those take so long to go that all else is gone before.
func (p *loader) slot(t *testing.T, i int) string {
	dir := t.TempDir()
	for name, text := range map[string]string{"load.yaml": small, "shop.json": shopTemplate, "mine.json": mineTemplate} {
		text = strings.ReplaceAll(text, "SLOT_NAME", slotName(i))
		if i%2 == 1 {
			text = strings.ReplaceAll(text, "num: 3,", "num: 0,")
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "load.yaml")
}

// undisturbed says how long a run takes until all is ready, and until all is gone.
func (p *loader) undisturbed(t *testing.T, file string) (filled, whole time.Duration) {
	t.Helper()
	began, out := time.Now(), filepath.Join(t.TempDir(), "run.json")
	c := p.command("load", file, "-o", "json", "--output-file", out, "--threshold", "create/*.max=10m")
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	whole = time.Since(began)
	return whole - p.read(t, out).Result.CleanTook, whole
}

// killed is the exit code of a run that a signal has ended.
const killed = -1

// runLabel is the label of all that a run makes.
const runLabel = "plimsoll.dev/run"

// otherRun is one that has left something.
const otherRun = "20200101-000000-00000"

// ended is a run that was interrupted.
type ended struct {
	after time.Duration
	how   string
	code  int
	said  string
}

// interrupt a run after a while, as users and programs do: one SIGINT, one SIGTERM, or two signals at
// once, as timeout(1) and shells send them. A run that is killed can't take away anything itself.
func (p *loader) interrupt(ctx context.Context, file string, after time.Duration, how int) ended {
	c := p.command("load", file)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		return ended{said: err.Error(), code: -2}
	}
	select {
	case <-time.After(after):
	case <-ctx.Done():
	}
	signals := [][]os.Signal{{os.Interrupt}, {os.Interrupt}, {syscall.SIGTERM}, {syscall.SIGTERM, os.Interrupt},
		{os.Kill}}[how]
	for _, s := range signals {
		_ = c.Process.Signal(s) // it may have ended
	}
	code := exitCode(c.Wait())
	return ended{after, fmt.Sprint(signals), code, said.String()}
}

// destroy takes away what the killed run of a slot has left.
func (p *loader) destroy(t *testing.T, slot int) {
	time.Sleep(time.Second) // the server carries out what it was sent
	runs := map[string]bool{}
	for _, run := range p.of(t, slot) {
		runs[run] = run != ""
	}
	for run, is := range runs {
		if !is {
			continue
		}
		if out, err := p.command("load", "destroy", run).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// of are the objects of a slot, with the run that each is labelled with; pods of controllers have none.
func (p *loader) of(t *testing.T, slot int) map[string]string {
	out := map[string]string{}
	p.each(t, func(resource string, o *metav1.PartialObjectMetadata) {
		if strings.Contains(o.Name, slotName(slot)) {
			out[resource+" "+o.Namespace+"/"+o.Name] = o.Labels[runLabel]
		}
	})
	return out
}

// foreign makes what is not any run's: a project that runs reuse, one that is named like theirs, one of
// another run, and objects whose labels are nearly theirs.
func (p *loader) foreign(t *testing.T) {
	labels := map[string]string{runLabel: otherRun}
	near := map[string]string{"plimsoll.dev/runs": "x", "run": otherRun}
	for name, l := range map[string]map[string]string{"mine0": nil, "shop-9-0": nil, "left": labels} {
		p.namespace(name)
		p.deploy(name, 2)
		for i, l := range []map[string]string{l, near} {
			_, err := p.CoreV1().ConfigMaps(name).Create(t.Context(), &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("theirs-%d", i), Labels: l}}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	_, err := p.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "theirs", Labels: labels}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"mine0", "shop-9-0", "left"} {
		p.until(time.Minute, "the pods of "+n+" are ready", func() bool { return p.pods(n, podReady) == 2 })
	}
	time.Sleep(2 * time.Second) // controllers write what they have seen
}

// moving are resources that change by themselves.
var moving = []string{"events", "leases", "nodes", "componentstatuses"}

// everything that any resource of the cluster has, with the version of each object.
func (p *loader) everything(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	p.each(t, func(resource string, o *metav1.PartialObjectMetadata) {
		out[resource+" "+o.Namespace+"/"+o.Name] = string(o.UID) + " " + o.ResourceVersion
	})
	return out
}

// each object of any resource.
func (p *loader) each(t *testing.T, do func(resource string, o *metav1.PartialObjectMetadata)) {
	t.Helper()
	lists, err := p.Discovery().ServerPreferredResources()
	if err != nil {
		t.Error(err)
	}
	config := rest.CopyConfig(p.config)
	config.WarningHandler = rest.NoWarnings{} // of resources that are deprecated
	client, err := metadata.NewForConfig(config)
	if err != nil {
		t.Error(err)
		return
	}
	for _, list := range lists {
		gv, _ := schema.ParseGroupVersion(list.GroupVersion)
		for _, r := range list.APIResources {
			if !slices.Contains(r.Verbs, "list") || slices.Contains(moving, r.Name) {
				continue
			}
			objects, err := client.Resource(gv.WithResource(r.Name)).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Errorf("%s: %v", r.Name, err)
				continue
			}
			for i := range objects.Items {
				do(r.Name+"."+gv.Group, &objects.Items[i])
			}
		}
	}
}

// same says whether the cluster is what it was.
func (p *loader) same(t *testing.T, before map[string]string) bool {
	t.Helper()
	now := p.everything(t)
	same := true
	for what, version := range before {
		if now[what] != version {
			t.Errorf("%s was %s, and is %q", what, version, now[what])
			same = false
		}
	}
	for what, version := range now {
		if _, there := before[what]; !there {
			t.Errorf("%s is left: %s", what, version)
			same = false
		}
	}
	return same
}
