package scheduler

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"

	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/scheduler/schedulertest"
)

// snapshotFile are the objects of a file as kubectl writes it.
type snapshotFile struct {
	nodes   []*v1.Node
	pods    []*v1.Pod
	classes map[string]*schedulingv1.PriorityClass
	others  []runtime.Object
}

func readFile(path string) (*snapshotFile, error) {
	text, err := textOf(path)
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out := &snapshotFile{classes: map[string]*schedulingv1.PriorityClass{}}
	for _, item := range list.Items {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(item, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		switch o := object.(type) {
		case *v1.Node:
			out.nodes = append(out.nodes, o)
		case *v1.Pod:
			out.pods = append(out.pods, o)
		case *schedulingv1.PriorityClass:
			out.classes[o.Name] = o
		default:
			out.others = append(out.others, object)
		}
	}
	return out, nil
}

// stored makes the pods as the API server stores them.
func (f *snapshotFile) stored() {
	for _, p := range f.pods {
		corev1.SetObjectDefaults_Pod(p)
		p.UID = types.UID(p.Namespace + "/" + p.Name)
		if p.Spec.Priority == nil {
			p.Spec.Priority = new(int32)
			if c := f.classes[p.Spec.PriorityClassName]; c != nil {
				*p.Spec.Priority = c.Value
			}
		}
	}
}

// put adds the objects to the informers that the scheduler asks.
func (f *snapshotFile) put(to informers.SharedInformerFactory) error {
	for _, object := range f.others {
		var informer cache.SharedIndexInformer
		switch object.(type) {
		case *v1.Namespace:
			informer = to.Core().V1().Namespaces().Informer()
		case *v1.Service:
			informer = to.Core().V1().Services().Informer()
		case *v1.ReplicationController:
			informer = to.Core().V1().ReplicationControllers().Informer()
		case *appsv1.ReplicaSet:
			informer = to.Apps().V1().ReplicaSets().Informer()
		case *appsv1.StatefulSet:
			informer = to.Apps().V1().StatefulSets().Informer()
		default:
			continue
		}
		if err := informer.GetIndexer().Add(object); err != nil {
			return err
		}
	}
	return nil
}

// volumes are the objects about volumes, which the scheduler keeps in caches of its own.
func (f *snapshotFile) volumes() []runtime.Object {
	return slices.DeleteFunc(slices.Clone(f.others), func(o runtime.Object) bool {
		switch o.(type) {
		case *v1.PersistentVolume, *v1.PersistentVolumeClaim, *storagev1.StorageClass, *storagev1.CSINode,
			*storagev1.CSIDriver:
			return false
		}
		return true
	})
}

// follow runs the informers of these objects, and waits until they know them.
func (c *cluster) follow(to informers.SharedInformerFactory) error {
	for _, i := range []cache.SharedIndexInformer{to.Core().V1().PersistentVolumes().Informer(),
		to.Core().V1().PersistentVolumeClaims().Informer(), to.Storage().V1().StorageClasses().Informer(),
		to.Storage().V1().CSINodes().Informer(), to.Storage().V1().CSIDrivers().Informer()} {
		go i.Run(c.ctx.Done())
		if !cache.WaitForCacheSync(c.ctx.Done(), i.HasSynced) {
			return errors.New("the volumes did not arrive")
		}
	}
	// The caches follow behind the informers.
	time.Sleep(50 * time.Millisecond)
	return nil
}

// queue are the pods that the scheduler would take, in its order.
func (f *snapshotFile) queue() []*v1.Pod {
	var out []*v1.Pod
	for _, p := range f.pods {
		if p.Spec.NodeName == "" && p.DeletionTimestamp == nil && len(p.Spec.SchedulingGates) == 0 &&
			p.Spec.SchedulerName == v1.DefaultSchedulerName && !finished(p) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(*b.Spec.Priority, *a.Spec.Priority), a.CreationTimestamp.Compare(b.CreationTimestamp.Time))
	})
	return out
}

func finished(p *v1.Pod) bool {
	return p.Status.Phase == v1.PodSucceeded || p.Status.Phase == v1.PodFailed
}

func packedText(text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(text) // into memory, which takes all
	z.Close()
	return b.Bytes()
}

// openFile makes a scheduler for the objects of a file, with the pods that run.
func openFile(f *snapshotFile, name string) (*cluster, error) {
	f.stored()
	c := &cluster{session: schedulertest.Session{Name: name, Profile: scheduler.Profile{Release: rules}},
		index: map[string]int32{}, class: map[string]int32{}, put: f.put, volumes: f.volumes()}
	if err := c.begin(); err != nil {
		return nil, err
	}
	for i, n := range f.nodes {
		c.index[n.Name] = int32(i)
		c.sched.Cache.AddNode(klog.FromContext(c.ctx), n)
	}
	for _, p := range f.pods {
		if p.Spec.NodeName == "" || finished(p) {
			continue
		}
		if err := c.sched.Cache.AddPod(klog.FromContext(c.ctx), p); err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

// answersOf are what the real scheduler decides about the pods of a file that wait.
func answersOf(path string) ([]schedulertest.FileAnswer, error) {
	f, err := readFile(path)
	if err != nil {
		return nil, err
	}
	c, err := openFile(f, path)
	if err != nil {
		return nil, err
	}
	defer c.close()
	var out []schedulertest.FileAnswer
	for _, p := range f.queue() {
		a := schedulertest.FileAnswer{Pod: p.Namespace + "/" + p.Name}
		result, err := c.decide(p)
		var bound *v1.Pod
		if a.Node = result.SuggestedHost; err == nil {
			bound = p.DeepCopy()
			bound.Spec.NodeName = a.Node
			err = c.sched.Cache.AssumePod(klog.FromContext(c.ctx), bound)
		} else if unfits(err) {
			a.Message, err = err.Error(), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, a.Pod, err)
		}
		out = append(out, a)
	}
	return out, nil
}

// textOf is the text of a file, unpacked where its name says so.
func textOf(path string) ([]byte, error) {
	if !strings.HasSuffix(path, ".gz") {
		return os.ReadFile(path)
	}
	in, err := unpacked(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// recordFiles writes beside each snapshot what the real scheduler decides; some are
// drawn first.
func recordFiles(args []string) (int, error) {
	f := flags("record-files")
	drawn := f.Int("draw", 0, "draw so many snapshots of at most 400 KiB into -out first")
	seed := f.Uint64("seed", 1, "of the first one drawn")
	out := f.String("out", filepath.FromSlash("../place/testdata/snapshots"), "directory of those drawn")
	if err := f.Parse(args); err != nil {
		return badInput, err
	}
	paths := f.Args()
	for ; *drawn > 0; *seed++ {
		text, err := drawFile(*seed)
		if err != nil {
			return failed, err
		}
		if len(text) > 400<<10 {
			continue
		}
		path := filepath.Join(*out, fmt.Sprintf("seed-%d.json.gz", *seed))
		if err := os.WriteFile(path, packedText(text), 0o644); err != nil {
			return failed, err
		}
		paths, *drawn = append(paths, path), *drawn-1
	}
	for _, path := range paths {
		answers, err := answersOf(path)
		if err != nil {
			return failed, err
		}
		text, err := json.MarshalIndent(answers, "", " ")
		if err != nil {
			return failed, err
		}
		if err := os.WriteFile(path+".answers", append(text, '\n'), 0o644); err != nil {
			return failed, err
		}
	}
	return done, nil
}
