package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/tuned"
)

// api of a cluster that has objects.
func api(t *testing.T, objects ...client.Object) *Kube {
	t.Helper()
	s := scheme.Scheme
	for _, kind := range []string{"Tuned", "Profile"} {
		s.AddKnownTypeWithName(cluster.Tuning.WithKind(kind), &unstructured.Unstructured{})
		s.AddKnownTypeWithName(cluster.Tuning.WithKind(kind+"List"), &unstructured.UnstructuredList{})
	}
	c := fake.NewClientBuilder().WithScheme(s).WithObjects(objects...).
		WithStatusSubresource(cluster.Object(ProfileKind, "", "")).Build()
	return &Kube{Client: c, Live: c, Clock: &cluster.Clock{}, Namespace: "n", Node: "w", Release: release.Current,
		Installed: []tuned.Directory{{Profiles: []tuned.Profile{
			{Name: "vendor", Source: tuned.Source{Body: "[main]\ninclude=${f:virt_check:base:bare}\n"}}}}}}
}

func tunedObject(name, profile, text string, priority int64) client.Object {
	u := cluster.Object(TunedKind, "n", name)
	u.Object["spec"] = map[string]any{"profile": []any{map[string]any{"name": profile, "data": text}},
		"recommend": []any{map[string]any{"profile": profile, "priority": priority}}}
	return u
}

func profileObject(config map[string]any, texts ...any) *unstructured.Unstructured {
	u := cluster.Object(ProfileKind, "n", "w")
	u.Object["spec"] = map[string]any{"config": config, "profile": texts}
	return u
}

func wanted(t *testing.T, k *Kube) Desired {
	t.Helper()
	want, err := k.Desired(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// The version is of what the profile may come to: its text, and what it includes by way of the vendor's, too. A
// priority, or a profile that nobody includes, changes nothing.
func TestVersion(t *testing.T) {
	of := func(mine, other, base string, priority int64) string {
		return wanted(t, api(t, profileObject(map[string]any{"tunedProfile": "p"}), tunedObject("mine", "p", mine, 10),
			tunedObject("other", "q", other, priority), tunedObject("base", "base", base, 30))).Version
	}
	const p, q, base = "[main]\ninclude=vendor\n", "[main]\nsummary=q\n", "[main]\nsummary=base\n"
	was := of(p, q, base, 20)
	for what, now := range map[string]string{"a priority": of(p, q, base, 40), "another profile": of(p, p, base, 20)} {
		if now != was {
			t.Errorf("%s changes the version", what)
		}
	}
	for what, now := range map[string]string{"the text": of(p+"#\n", q, base, 20), "the base": of(p, q, base+"#\n", 20)} {
		if now == was {
			t.Errorf("%s does not change the version", what)
		}
	}
	for include, may := range map[string]bool{"${f:exec:uname}": true, "-q${f:exec:uname}": true,
		"-x-${f:exec:uname}": false} {
		exec := "[main]\ninclude=base,\n " + include + "\n"
		if is := of(exec, q, base, 20) != of(exec, p, base, 20); is != may {
			t.Errorf("%s: a profile that the node may choose changes the version: %t", include, is)
		}
	}
}

// What stands in the Profile counts, and where that has no texts those of the Tuned objects do.
func TestDesired(t *testing.T) {
	theirs := tunedObject("mine", "p", "[main]\nsummary=of the Tuned\n", 10)
	config := map[string]any{"tunedProfile": "p", "tunedConfig": map[string]any{"reapply_sysctl": false}}
	p := profileObject(config, map[string]any{"name": "p", "data": "[main]\nsummary=of the Profile\n"})
	p.SetUID("u")
	p.SetAnnotations(map[string]string{"tuned.openshift.io/deferred": "update"})
	want := wanted(t, api(t, p, theirs))
	if len(want.Profiles) != 1 || want.Profiles[0].Source.Body != "[main]\nsummary=of the Profile\n" ||
		!want.SysctlsWin || want.Deferred != Update || want.Profile != "p" || !want.Found ||
		want.UID != "u" {
		t.Errorf("%+v", want)
	}
	want = wanted(t, api(t, profileObject(map[string]any{"tunedProfile": "p"}), theirs))
	of := slices.IndexFunc(want.Profiles, func(p tuned.Profile) bool { return p.Name == "p" })
	if of < 0 || want.Profiles[of].Source.Body != "[main]\nsummary=of the Tuned\n" || want.SysctlsWin ||
		want.Deferred != "" {
		t.Errorf("%+v", want)
	}
	if want = wanted(t, api(t, theirs)); want.Found {
		t.Errorf("%+v", want)
	}
	bad := cluster.Object(TunedKind, "n", "bad")
	bad.Object["spec"] = map[string]any{"recommend": int64(7)}
	_, err := api(t, profileObject(map[string]any{"tunedProfile": "p"}), bad).Desired(context.Background())
	if !errors.As(err, new(Unreadable)) || !strings.Contains(err.Error(), "Tuned bad") {
		t.Error(err)
	}
}

// The operator's lease says that it is alive, until it has run out.
func TestRivalLease(t *testing.T) {
	for ago, want := range map[time.Duration]string{0: "operator-0", time.Hour: ""} {
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "node-tuning-operator-lock"},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: new("operator-0"), LeaseDurationSeconds: new(int32(100)),
				RenewTime: new(metav1.NewMicroTime(time.Now().Add(-ago)))}}
		if got, err := api(t, lease).Rival(context.Background()); err != nil || got != want {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// The status has the operator's words for what waits.
func TestReportDeferred(t *testing.T) {
	k := api(t, profileObject(map[string]any{"tunedProfile": "p"}))
	if err := k.Report(context.Background(), Report{Profile: "o", Deferred: true, Problem: "it waits"}); err != nil {
		t.Fatal(err)
	}
	p, err := k.profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := unstructured.NestedSlice(p.Object, "status", "conditions")
	for i, want := range []string{"Applied False Deferred it waits", "Degraded True TunedDeferredUpdate it waits"} {
		c, _ := list[i].(map[string]any)
		if got := c["type"].(string) + " " + c["status"].(string) + " " + c["reason"].(string) + " " +
			c["message"].(string); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

// A report is written whatever the watch, which may be behind, says of the status.
func TestReportWhileTheWatchIsBehind(t *testing.T) {
	ctx, k := context.Background(), api(t, profileObject(map[string]any{"tunedProfile": "p"}))
	good, bad := Report{Profile: "p", Applied: true}, Report{Profile: "p", Problem: "the operator is alive"}
	if err := k.Report(ctx, good); err != nil {
		t.Fatal(err)
	}
	behind, err := k.profile(ctx)
	if err != nil {
		t.Fatal(err)
	}
	server := k.Client.(client.WithWatch)
	k.Client = interceptor.NewClient(server, interceptor.Funcs{Get: func(_ context.Context, _ client.WithWatch,
		_ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
		behind.DeepCopyInto(o.(*unstructured.Unstructured))
		return nil
	}})
	for want, r := range map[string]Report{"False": bad, "True": good} {
		if err := errors.Join(k.Report(ctx, bad), k.Report(ctx, r)); err != nil {
			t.Fatal(err)
		}
		p := cluster.Object(ProfileKind, "n", "w")
		if err := server.Get(ctx, client.ObjectKeyFromObject(p), p); err != nil {
			t.Fatal(err)
		}
		list, _, _ := unstructured.NestedSlice(p.Object, "status", "conditions")
		if applied, _ := list[0].(map[string]any); applied["status"] != want || applied["message"] != r.Problem {
			t.Errorf("%+v", applied)
		}
	}
}
