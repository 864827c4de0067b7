package health

import (
	"strings"
	"testing"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/facts"
	"plimsoll.dev/release"
)

// Each rule that differs by release is seen at work here, release by release: 4.3, 4.4, 4.5, current.
func TestBehaviours(t *testing.T) {
	text := func(s string) *string { return &s }
	deleted := func(mhc *openshift.MachineHealthCheck, r release.Release, targets ...Target) bool {
		return deletions(NewPolicy(mhc, r).Reconcile(targets, now)) > 0
	}
	with := func(change func(*openshift.MachineHealthCheck)) *openshift.MachineHealthCheck {
		mhc := checkOf(nil)
		mhc.Metadata.Annotations = map[string]string{}
		change(mhc)
		return mhc
	}
	startup := func(s string) *openshift.MachineHealthCheck {
		return with(func(m *openshift.MachineHealthCheck) { m.Spec.NodeStartupTimeout = text(s) })
	}
	failed, marked, leaving, fresh := target("True", time.Hour), target("True", time.Hour), target("Unknown", time.Hour),
		starting(time.Minute)
	failed.Machine.Phase = Failed
	marked.Machine.Annotations = map[string]string{metal.mark: ""}
	leaving.Machine.Deleting = true
	externally := with(func(m *openshift.MachineHealthCheck) { m.Metadata.Annotations[metal.key] = metal.value })
	ownerless := target("Unknown", time.Hour)
	ownerless.Machine.Owners = nil
	act := func(mhc *openshift.MachineHealthCheck, r release.Release, x Target) Act {
		return NewPolicy(mhc, r).Reconcile([]Target{x}, now).Remedies[0].Act
	}
	for name, c := range map[string]struct {
		want string // T or F for each release
		is   func(r release.Release) bool
	}{
		"readsStartupTimeout": {"FFTT", func(r release.Release) bool { return deleted(startup("30s"), r, fresh) }},
		"zeroDisablesStartup": {"TTTF",
			func(r release.Release) bool { return deleted(startup("0s"), r, starting(time.Hour)) }},
		"startup of 4.5 unread": {"FFTF",
			func(r release.Release) bool { return NewPolicy(startup("x"), r).Reconcile(nil, now).Again.BackOff }},
		"typedDurations": {"FFFT", func(r release.Release) bool { return NewPolicy(startup("x"), r).unreadable != nil }},
		"healthyNeedsNode": {"TTTF", func(r release.Release) bool {
			return NewPolicy(checkOf(nil), r).Reconcile([]Target{marked}, now).Healthy == 1
		}},
		"textIsPercent":   {"TFFF", func(r release.Release) bool { n, _ := LimitOf("50", r).Of(10); return n == 5 }},
		"percentAnywhere": {"TTFF", func(r release.Release) bool { return LimitOf("4%0", r).err == nil }},
		"negativeIsZero":  {"FFFT", func(r release.Release) bool { return LimitOf(int64(-1), r).Allows(3, 0) }},
		"restrictedBacksOff": {"TTTF", func(r release.Release) bool {
			return NewPolicy(checkOf(int64(0)), r).Reconcile([]Target{failed}, now).Again.BackOff
		}},
		"restricted at once": {"FFFT", func(r release.Release) bool {
			return NewPolicy(checkOf(int64(0)), r).Reconcile([]Target{failed}, now).Again.AtOnce
		}},
		"remediationAllowed": {"FFFT", func(r release.Release) bool {
			return NewPolicy(checkOf(int64(2)), r).Reconcile([]Target{failed}, now).RemediationsAllowed == 1
		}},
		"skipsMasters": {"TTFF",
			func(r release.Release) bool { return act(checkOf(nil), r, masterOf(failed)) == SkipMaster }},
		"ownerFirst":     {"TTTF", func(r release.Release) bool { return act(externally, r, ownerless) == SkipOwner }},
		"failedExternal": {"FTTF", func(r release.Release) bool { return act(externally, r, failed) == Annotate }},
		"externalStrategy": {"FTTT",
			func(r release.Release) bool { return act(externally, r, target("Unknown", time.Hour)) == Annotate }},
		"remediationTemplate": {"FFFT", func(r release.Release) bool {
			return act(with(func(m *openshift.MachineHealthCheck) { m.Spec.RemediationTemplate = map[string]any{"kind": "T"} }),
				r, failed) == Request
		}},
		"deletesAgain": {"TTTF", func(r release.Release) bool { return act(checkOf(nil), r, leaving) == DeleteAgain }},
		"events": {"FTTT", func(r release.Release) bool {
			return len(NewPolicy(checkOf(nil), r).Reconcile([]Target{failed}, now).Events) == 1
		}},
		"skippedNoController": {"FFFT", func(r release.Release) bool {
			return len(NewPolicy(checkOf(nil), r).Reconcile([]Target{ownerless}, now).Events) == 1
		}},
		"pauseAnnotation": {"FFFT", func(r release.Release) bool {
			return NewPolicy(with(func(m *openshift.MachineHealthCheck) { m.Metadata.Annotations[AnnotationPaused] = "false" }),
				r).Reconcile([]Target{failed}, now).Paused
		}},
		"emptySelectorHears": {"FFTT",
			func(r release.Release) bool { return NewPolicy(checkOf(nil), r).Hears(map[string]string{"a": "b"}) }},
		"empty selector selects": {"TTTT",
			func(r release.Release) bool { return NewPolicy(checkOf(nil), r).Selects(map[string]string{"a": "b"}) }},
		"metrics":                 {"FFFT", func(r release.Release) bool { return metrics.In(r) }},
		"control plane set":       {"FFFT", func(r release.Release) bool { return controlPlaneSets.In(r) }},
		"masters drained in turn": {"FFFT", func(r release.Release) bool { return mastersInTurn.In(r) }},
		"drain pause grows": {"FFFT",
			func(r release.Release) bool { return drainPauseGrows.In(r) && drainPause.In(r) == 5*time.Second }},
		"long wait if unreachable": {"TTTF", func(r release.Release) bool { return unreachableWait.In(r) > 300*time.Second }},
	} {
		got := ""
		for _, r := range release.Documented() {
			got += map[bool]string{true: "T", false: "F"}[c.is(r)]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func masterOf(x Target) Target {
	m := *x.Machine
	m.Labels = map[string]string{LabelMachineRole: "master"}
	return Target{&m, x.Node}
}

// The table of releases is complete and its ids are unique.
func TestBehavioursAreListed(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Behaviours() {
		if !strings.HasPrefix(r.ID, "health.") || seen[r.ID] || r.Title == "" || r.Source.Code == "" {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
	if len(seen) != 29 {
		t.Errorf("%d rules", len(seen))
	}
}

// What does not differ by release is the same in the facts.
func TestFiguresAreFacts(t *testing.T) {
	for id, want := range map[string]float64{
		"tune.health.startupDefault":  defaultStartup.Seconds(),
		"tune.health.recheckCap":      recheckCap.Seconds(),
		"tune.health.recheckMargin":   recheckMargin.Seconds(),
		"tune.health.restrictedMax":   float64(maxPause),
		"tune.health.resync":          float64(resync),
		"tune.health.alert":           float64(alertAfter),
		"tune.health.drainSlice":      float64(drainSlice),
		"tune.health.mastersPause":    float64(mastersPause),
		"tune.health.unreachableSkip": unreachableWait.In(release.V44).Seconds() - 31,
		"tune.health.instancePoll":    float64(instancePoll),

		"ocp.machineHealthCheck.nodeStartupTimeoutDefault": defaultStartup.Seconds(),
	} {
		if got := facts.Load().Must(id).Number; got != want {
			t.Errorf("%s is %v, the code has %v", id, got, want)
		}
	}
}

// The pause doubles from 5 ms on, to 1000 s; scenarios count whole seconds.
func TestBackOff(t *testing.T) {
	for n, want := range map[int]int64{0: 1, 7: 1, 8: 2, 9: 3, 12: 21, 17: 656, 18: 1000, 100: 1000} {
		if got := backOff(n); got != want {
			t.Errorf("failure %d: %d s, want %d s", n, got, want)
		}
	}
}
