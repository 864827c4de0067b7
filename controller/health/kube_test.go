package health

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	inmemory "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/controller/cluster"
)

// The status of a check is left to the operator's own controller while that is alive, by its lease or, of old releases,
// by its ConfigMap; and to the leader. Who writes it has seen it.
func TestTell(t *testing.T) {
	fresh := metav1.NewMicroTime(time.Now())
	holder, seconds := "someone", int32(60)
	lease := func(namespace, name string) client.Object {
		return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &fresh, LeaseDurationSeconds: &seconds}}
	}
	lock := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "m", Name: operatorLease,
		Annotations: map[string]string{resourcelock.LeaderElectionRecordAnnotationKey: `{"holderIdentity": "someone",
			"leaseDurationSeconds": 60, "renewTime": "` + fresh.UTC().Format(time.RFC3339) + `"}`}}}
	other := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	for name, c := range map[string]struct {
		also   client.Object
		leader cluster.Leadership
		writes bool
	}{
		"alone":                    {other, cluster.Leadership{}, true},
		"the operator has a lease": {lease("m", operatorLease), cluster.Leadership{}, false},
		"the operator has a lock":  {lock, cluster.Leadership{}, false},
		"another one leads":        {lease("p", "l"), cluster.Leadership{Namespace: "p", Name: "l", Identity: "me"}, false},
		"this one leads": {lease("p", "l"), cluster.Leadership{Namespace: "p", Name: "l", Identity: "someone"},
			true},
		"nobody leads by any lease": {other, cluster.Leadership{Namespace: "p", Name: "l", Identity: "me"}, false},
	} {
		check := cluster.Object(checkKind, "m", "workers")
		f := inmemory.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(check, c.also).
			WithStatusSubresource(check).Build()
		k := &kube{Client: f, live: f, clock: &cluster.Clock{}, leader: c.leader}
		if err := k.Tell(context.Background(), Ref{Namespace: "m", Name: "workers"}, Status{Expected: 3}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		now := cluster.Object(checkKind, "m", "workers")
		if err := f.Get(context.Background(), client.ObjectKeyFromObject(now), now); err != nil {
			t.Fatal(err)
		}
		if _, written, _ := unstructured.NestedInt64(now.Object, "status", "expectedMachines"); written != c.writes {
			t.Errorf("%s: %v", name, now.Object)
		}
	}
}

// dated answers with a Date.
type dated time.Duration

func (d dated) RoundTrip(*http.Request) (*http.Response, error) {
	at := time.Now().Add(time.Duration(d)).UTC().Format(http.TimeFormat)
	return &http.Response{Header: http.Header{"Date": {at}}}, nil
}

// A leader whose clock is off leads all the same, by its own clock, and so tells of the clock.
func TestClockOff(t *testing.T) {
	renewed, holder, seconds := metav1.NewMicroTime(time.Now()), "me", int32(15)
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "p", Name: "l"},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &renewed, LeaseDurationSeconds: &seconds}}
	for _, ahead := range []time.Duration{-10 * time.Minute, 0, 10 * time.Minute} {
		k := &kube{clock: &cluster.Clock{}, leader: cluster.Leadership{Namespace: "p", Name: "l", Identity: "me"}}
		if _, err := k.clock.Transport(dated(-ahead)).RoundTrip(nil); err != nil {
			t.Fatal(err)
		}
		check := cluster.Object(checkKind, "m", "workers")
		k.Client = inmemory.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(check, lease).
			WithStatusSubresource(check).Build()
		k.live = k.Client
		if err := k.Tell(t.Context(), Ref{Namespace: "m", Name: "workers"}, Status{Expected: 3}); err != nil {
			t.Error(ahead, err)
		}
		if err := k.live.Get(t.Context(), client.ObjectKeyFromObject(check), check); err != nil {
			t.Fatal(err)
		}
		if skew := k.clock.Skew().Round(time.Minute); skew != ahead || check.Object["status"] == nil {
			t.Errorf("%s: %s %v", ahead, skew, check.Object)
		}
	}
}

// A server that fails at one machine is told apart from one that is away.
func TestFailsAtOne(t *testing.T) {
	for name, c := range map[string]struct {
		err error
		is  bool
	}{
		"a webhook fails":    {apierrors.NewInternalError(errors.New("failed calling webhook")), true},
		"etcd is away":       {apierrors.NewServiceUnavailable("no leader"), false},
		"the server is busy": {apierrors.NewTooManyRequestsError("later"), false},
		"it is away":         {errDown, false},
	} {
		f := inmemory.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
			Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error { return c.err },
		}).Build()
		if err := (&kube{Client: f}).Delete(t.Context(), Ref{Name: "w0"}); errors.Is(err, cluster.ErrRefused) != c.is {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is written names the version that was read, so that it is nothing that somebody else has written since.
func TestTellsOfWhatItRead(t *testing.T) {
	check, patch := cluster.Object(checkKind, "m", "workers"), ""
	f := inmemory.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(check).WithInterceptorFuncs(interceptor.Funcs{
		SubResourcePatch: func(_ context.Context, _ client.Client, _ string, o client.Object, p client.Patch,
			_ ...client.SubResourcePatchOption) error {
			text, err := p.Data(o)
			patch = string(text)
			return err
		}}).Build()
	k := &kube{Client: f, live: f, clock: &cluster.Clock{}}
	zero := 0
	for allowed, told := range map[*int]bool{nil: false, &zero: true} { // which old releases do not know
		if err := k.Tell(context.Background(), Ref{Namespace: "m", Name: "workers"}, Status{Allowed: allowed}); err != nil ||
			!strings.Contains(patch, `"resourceVersion":"999"`) || strings.Contains(patch, remediationAllowed) != told {
			t.Errorf("%v %s", err, patch)
		}
	}
}

// A template that the server does not have, or gives to nobody like us, is told apart from a server that is away, and
// from the end of a pass.
func TestTemplateErrors(t *testing.T) {
	c := &openshift.MachineHealthCheck{}
	c.Spec.RemediationTemplate = map[string]any{"apiVersion": "x/v1", "kind": "RebootTemplate", "name": "soft"}
	for err, is := range map[error]bool{
		apierrors.NewNotFound(schema.GroupResource{}, "soft"):         true,
		apierrors.NewForbidden(schema.GroupResource{}, "soft", nil):   true,
		&meta.NoKindMatchError{}:                                      true,
		apierrors.NewServiceUnavailable("no leader"):                  false,
		apierrors.NewInternalError(errors.New("the webhook is away")): false,
		context.Canceled: false,
		errDown:          false,
	} {
		f := inmemory.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
			Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
				return err
			},
		}).Build()
		if got := (&kube{live: f}).Request(t.Context(), c, Ref{Name: "w0"}); errors.Is(got, errTemplate) != is ||
			!errors.Is(got, err) {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// What a template of machines made would be the machines themselves, and each healthy one withdrawn.
func TestTemplateOfMachines(t *testing.T) {
	f := inmemory.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			t.Error("machines are listed as requests")
			return nil
		},
		Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error {
			t.Error("a machine is withdrawn")
			return nil
		},
	}).Build()
	k, c := &kube{Client: f, live: f}, &openshift.MachineHealthCheck{}
	for _, version := range []string{"v1beta1", "v1"} {
		c.Spec.RemediationTemplate = map[string]any{"apiVersion": "machine.openshift.io/" + version,
			"kind": "MachineTemplate", "name": "x"}
		_, err := k.requests(t.Context(), c)
		if again := k.Withdraw(t.Context(), c, Ref{Name: "w0"}); err == nil || again == nil {
			t.Errorf("%s: %v, %v", version, err, again)
		}
	}
}

// A name that no object can have is a fault of the template, before the server is asked. What was made of the one
// before has the kind, and is seen and withdrawn still.
func TestTemplateNames(t *testing.T) {
	asked, seen := errors.New("it was asked"), 0
	f := inmemory.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return asked
		},
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			seen++
			return nil
		},
		Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error {
			seen++
			return nil
		},
	}).Build()
	k, c := &kube{Client: f, live: f}, &openshift.MachineHealthCheck{}
	for name, fine := range map[string]bool{"soft": true, "": false, "a/b": false, "..": false} {
		c.Spec.RemediationTemplate = map[string]any{"apiVersion": "x/v1", "kind": "RebootTemplate", "name": name}
		err := k.Request(t.Context(), c, Ref{Name: "w0"})
		if errors.Is(err, asked) != fine || errors.Is(err, errTemplate) == fine {
			t.Errorf("%q: %v", name, err)
		}
		seen = 0
		_, err = k.requests(t.Context(), c)
		if err = errors.Join(err, k.Withdraw(t.Context(), c, Ref{Name: "w0"})); err != nil || seen != 2 {
			t.Errorf("%q: %v, asked %d times", name, err, seen)
		}
	}
}

// A request is what the template says, of the machine's name and owned by it; it is found again, and withdrawn.
func TestRequests(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "infrastructure.example", Version: "v1", Kind: "Reboot"}
	s := runtime.NewScheme()
	for _, suffix := range []string{"", templateSuffix} {
		k := kind
		k.Kind += suffix
		s.AddKnownTypeWithName(k, &unstructured.Unstructured{})
		k.Kind += "List"
		s.AddKnownTypeWithName(k, &unstructured.UnstructuredList{})
	}
	from := cluster.Object(kind, "m", "soft")
	from.SetKind("RebootTemplate")
	from.Object["spec"] = map[string]any{"template": map[string]any{"spec": map[string]any{"retries": int64(3)},
		"metadata": map[string]any{"labels": map[string]any{"a": "b"}}}}
	f := inmemory.NewClientBuilder().WithScheme(s).WithObjects(from).Build()
	k, ctx := &kube{Client: f, live: f}, context.Background()
	c := &openshift.MachineHealthCheck{Metadata: openshift.ObjectMeta{Namespace: "m"}}
	c.Spec.RemediationTemplate = map[string]any{"apiVersion": "infrastructure.example/v1", "kind": "RebootTemplate",
		"name": "soft"}
	if err := k.Request(ctx, c, Ref{Namespace: "m", Name: "w0", UID: "u"}); err != nil {
		t.Fatal(err)
	}
	got := cluster.Object(kind, "m", "w0")
	if err := f.Get(ctx, client.ObjectKeyFromObject(got), got); err != nil {
		t.Fatal(err)
	}
	retries, _, _ := unstructured.NestedInt64(got.Object, "spec", "retries")
	if owners := got.GetOwnerReferences(); retries != 3 || got.GetLabels()["a"] != "b" || len(owners) != 1 ||
		owners[0].Name != "w0" || got.GetAnnotations()["machine.openshift.io/cloned-from-name"] != "soft" {
		t.Errorf("%v", got.Object)
	}
	list, err := k.requests(ctx, c)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	for range 2 { // the second time it is gone
		if err := k.Withdraw(ctx, c, list["w0"]); err != nil {
			t.Fatal(err)
		}
	}
	if list, err = k.requests(ctx, c); err != nil || len(list) > 0 {
		t.Error(list, err)
	}
	c.Spec.RemediationTemplate["name"] = "gone"
	if err := k.Request(ctx, c, Ref{Namespace: "m", Name: "w0"}); !errors.Is(err, errTemplate) {
		t.Errorf("a template that is missing: %v", err)
	}
	empty := cluster.Object(kind, "m", "empty")
	empty.SetKind("RebootTemplate")
	if err := f.Create(ctx, empty); err != nil {
		t.Fatal(err)
	}
	c.Spec.RemediationTemplate["name"] = "empty"
	if err := k.Request(ctx, c, Ref{Namespace: "m", Name: "w0"}); !errors.Is(err, errTemplate) {
		t.Errorf("a template without spec.template: %v", err)
	}
	c.Spec.RemediationTemplate["kind"] = "Machine"
	if _, err := k.requests(ctx, c); err == nil {
		t.Error("of a kind that is no template's anything may be made")
	}
}
