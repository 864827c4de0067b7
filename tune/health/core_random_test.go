package health

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/release"
)

var anyMax = []any{nil, int64(0), int64(1), int64(2), int64(5), int64(-1), int64(-3), "0%", "40%", "100%", "150%",
	"33%", "-20%", "2", "0", "4%0", "%50", "+3", "", "%", "40 %", "half", 1.5, true}

// drawCheck draws a check, good or bad.
func drawCheck(t *rapid.T) *openshift.MachineHealthCheck {
	mhc := &openshift.MachineHealthCheck{Metadata: openshift.ObjectMeta{Name: "c", Annotations: map[string]string{}}}
	mhc.Spec.MaxUnhealthy = rapid.SampledFrom(anyMax).Draw(t, "max")
	if rapid.Bool().Draw(t, "startup") {
		text := rapid.SampledFrom([]string{"", "0", "1s", "90s", "10m", "3h"}).Draw(t, "startupText")
		if text != "" {
			mhc.Spec.NodeStartupTimeout = &text
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "conditions") {
		mhc.Spec.UnhealthyConditions = append(mhc.Spec.UnhealthyConditions, openshift.UnhealthyCondition{
			Type:    rapid.SampledFrom([]string{"Ready", "Broken"}).Draw(t, "type"),
			Status:  rapid.SampledFrom([]string{"True", "False", "Unknown"}).Draw(t, "status"),
			Timeout: rapid.SampledFrom([]string{"0s", "1s", "60s", "5m", "2h", "1500ms"}).Draw(t, "timeout")})
	}
	switch rapid.IntRange(0, 5).Draw(t, "strategy") {
	case 0:
		mhc.Metadata.Annotations["machine.openshift.io/remediation-strategy"] = "external-baremetal"
	case 1:
		mhc.Metadata.Annotations["healthchecking.openshift.io/strategy"] = "reboot"
	case 2:
		mhc.Spec.RemediationTemplate = map[string]any{"kind": "X"}
	}
	return mhc
}

// drawTarget draws a machine in any state, possible or not.
func drawTarget(t *rapid.T, now time.Time) Target {
	ago := func(name string) time.Time {
		return now.Add(-time.Duration(rapid.SampledFrom([]int{-5, 0, 1, 59, 60, 61, 299, 300, 301, 599, 600, 601, 7200,
			20000}).Draw(t, name)) * time.Second)
	}
	m := &Machine{Name: "m", Labels: map[string]string{}, Annotations: map[string]string{},
		Phase: rapid.SampledFrom([]string{"", Provisioning, Provisioned, Running, Deleting, Failed}).Draw(t, "phase")}
	if rapid.Bool().Draw(t, "updated") {
		m.LastUpdated = ago("lastUpdated")
	}
	m.Deleting = rapid.IntRange(0, 3).Draw(t, "deleting") == 0
	if rapid.IntRange(0, 3).Draw(t, "master") == 0 {
		m.Labels[LabelMachineRole] = "master"
	}
	if rapid.IntRange(0, 3).Draw(t, "marked") == 0 {
		m.Annotations[rapid.SampledFrom([]string{metal.mark, reboots.mark}).Draw(t, "mark")] = ""
	}
	for range rapid.IntRange(0, 2).Draw(t, "owners") {
		m.Owners = append(m.Owners, openshift.OwnerReference{Kind: rapid.SampledFrom([]string{"MachineSet", "Other"}).
			Draw(t, "kind"), Controller: rapid.Bool().Draw(t, "controller")})
	}
	if rapid.IntRange(0, 3).Draw(t, "joined") == 0 {
		return Target{m, nil}
	}
	m.NodeName = "n"
	if rapid.IntRange(0, 4).Draw(t, "gone") == 0 {
		return Target{m, nil}
	}
	n := &Node{Name: "n", Labels: map[string]string{}}
	if rapid.IntRange(0, 3).Draw(t, "masterNode") == 0 {
		n.Labels[openshift.LabelMaster] = ""
	}
	for _, kind := range []string{"Ready", "Broken"} {
		if rapid.Bool().Draw(t, "has"+kind) {
			n.Conditions = append(n.Conditions,
				Condition{kind, rapid.SampledFrom([]string{"True", "False", "Unknown"}).Draw(t, kind), ago("since" + kind)})
		}
	}
	return Target{m, n}
}

// One pass is what the tables of the notes say, for any check and any machines.
func TestReconcileIsTheTables(t *testing.T) {
	now := instant(100_000)
	words := map[Act]string{SkipOwner: "no owner", SkipMaster: "master", SkipDone: "done", Delete: "delete",
		DeleteAgain: "delete", Annotate: "annotate", Request: "request"}
	states := map[string]State{"remediate": Due, "recheck": Waiting, "error": Unjudged}
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SampledFrom(release.Documented()).Draw(t, "release")
		mhc := drawCheck(t)
		var targets []Target
		for range rapid.IntRange(0, 6).Draw(t, "machines") {
			targets = append(targets, drawTarget(t, now))
		}
		got := NewPolicy(mhc, of).Reconcile(targets, now)
		want := naiveReconcile(mhc, targets, now, of)
		if got.Expected != want.expected || got.Healthy != want.healthy || got.Unhealthy != want.expected-want.healthy {
			t.Fatalf("counts %d %d, want %d %d", got.Expected, got.Healthy, want.expected, want.healthy)
		}
		if got.Allowed != want.allowed {
			t.Fatalf("allowed %v, want %v", got.Allowed, want.allowed)
		}
		for i, v := range got.Verdicts {
			if state, ok := states[want.verdicts[i]]; ok && v.State != state ||
				!ok && v.State != Healthy && v.State != Uncounted {
				t.Fatalf("target %d: %s, want %q", i, v.State, want.verdicts[i])
			}
		}
		if len(got.Remedies) != len(want.acts) {
			t.Fatalf("%d remedies, want %d", len(got.Remedies), len(want.acts))
		}
		for _, r := range got.Remedies {
			if words[r.Act] != want.acts[r.Target] {
				t.Fatalf("target %d: %s, want %s", r.Target, r.Act, want.acts[r.Target])
			}
		}
		if got.Allowed && got.Err == nil && !want.failed && got.Again.After != want.next {
			t.Fatalf("again after %s, want %s", got.Again.After, want.next)
		}
	})
}
