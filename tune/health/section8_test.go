package health

import (
	"testing"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// now of the tests below.
var now = instant(10_000)

func ago(d time.Duration) time.Time { return now.Add(-d) }

// checkOf is a check of Ready=Unknown with a timeout of 300 s.
func checkOf(max any) *openshift.MachineHealthCheck {
	return &openshift.MachineHealthCheck{Metadata: openshift.ObjectMeta{Name: "c"},
		Spec: openshift.MachineHealthCheckSpec{MaxUnhealthy: max,
			UnhealthyConditions: []openshift.UnhealthyCondition{{Type: "Ready", Status: "Unknown", Timeout: "300s"}}}}
}

// target is a machine of a set whose node has Ready in a status for a while.
func target(status string, d time.Duration) Target {
	return Target{&Machine{Name: "m", NodeName: "n", Phase: Running, LastUpdated: ago(time.Hour),
		Owners: []openshift.OwnerReference{{Kind: "MachineSet", Controller: true}}},
		&Node{Name: "n", Conditions: []Condition{{"Ready", status, ago(d)}}}}
}

// starting is a machine without a node, in its phase for a while.
func starting(d time.Duration) Target {
	return Target{&Machine{Name: "s", Phase: Provisioned, LastUpdated: ago(d),
		Owners: []openshift.OwnerReference{{Kind: "MachineSet", Controller: true}}}, nil}
}

func times(n int, t Target) []Target {
	out := make([]Target, n)
	for i := range out {
		m := *t.Machine
		out[i] = Target{&m, t.Node}
	}
	return out
}

func deletions(p *Pass) int {
	n := 0
	for _, r := range p.Remedies {
		n += tally(r.Act == Delete)
	}
	return n
}

func TestSection8_11_starting_machines_count_as_unhealthy(t *testing.T) {
	for _, r := range release.Documented() {
		targets := append(append(times(5, target("True", time.Hour)), times(4, starting(time.Minute))...),
			target("Unknown", 301*time.Second))
		if p := NewPolicy(checkOf("40%"), r).Reconcile(targets, now); p.Expected != 10 || p.Healthy != 5 ||
			p.Unhealthy != 5 || p.Max != 4 || p.Allowed || len(p.Remedies) > 0 {
			t.Errorf("release %s: %+v", r, p)
		}
		// So do nodes whose condition has only just flipped.
		if p := NewPolicy(checkOf("40%"), r).Reconcile(
			append(times(5, target("True", time.Hour)), times(5, target("Unknown", 0))...), now); p.Unhealthy != 5 || p.Allowed {
			t.Errorf("release %s: %+v", r, p)
		}
	}
	played(t, readFile(t, "testdata/burst.yaml"))
}

func TestSection8_12_floor_to_zero(t *testing.T) {
	for _, r := range release.Documented() {
		for _, c := range []struct{ percent, machines, max int }{{40, 2, 0}, {40, 3, 1}, {40, 25, 10}, {40, 6, 2}, {1, 99, 0},
			{1, 100, 1}, {33, 3, 0}, {34, 3, 1}, {100, 7, 7}} {
			if got, err := LimitOf(percentText(c.percent), r).Of(c.machines); got != c.max || err != nil {
				t.Errorf("release %s: %d%% of %d is %d, want %d (%v)", r, c.percent, c.machines, got, c.max, err)
			}
		}
	}
	played(t, readFile(t, "testdata/floor.yaml"))
}

func percentText(p int) string { return decimal(p*100) + "%" }

func TestSection8_13_equality_is_allowed_and_time_compared_strictly(t *testing.T) {
	for _, r := range release.Documented() {
		for bad, allowed := range map[int]bool{10: true, 11: false} {
			p := NewPolicy(checkOf("40%"), r).
				Reconcile(append(times(25-bad, target("True", time.Hour)), times(bad, target("Unknown", 301*time.Second))...), now)
			if p.Allowed != allowed || deletions(p) != map[bool]int{true: bad}[allowed] {
				t.Errorf("release %s: %d of 25: allowed %v, %d deleted", r, bad, p.Allowed, deletions(p))
			}
		}
		p := NewPolicy(checkOf(nil), r).Reconcile([]Target{target("Unknown", 300*time.Second)}, now)
		if deletions(p) != 0 || p.Again.After != time.Second {
			t.Errorf("release %s: at the end of the timeout %d deleted, again after %s", r, deletions(p), p.Again.After)
		}
		if p := NewPolicy(checkOf(nil), r).Reconcile([]Target{target("Unknown", 300*time.Second+1)}, now); deletions(p) != 1 {
			t.Errorf("release %s: a nanosecond later nothing is deleted", r)
		}
		if p := NewPolicy(checkOf(nil), r).Reconcile([]Target{starting(10 * time.Minute)}, now); deletions(p) != 0 ||
			p.Again.After != time.Second {
			t.Errorf("release %s: at the end of the start %d deleted, again after %s", r, deletions(p), p.Again.After)
		}
	}
}

func TestSection8_14_string_two(t *testing.T) {
	for _, r := range release.Documented() {
		want := 2
		if r == release.V43 {
			want = 0 // 2 % of 25
		}
		if got, err := LimitOf("2", r).Of(25); got != want || err != nil {
			t.Errorf(`release %s: "2" of 25 is %d (%v), want %d`, r, got, err, want)
		}
		if got, err := LimitOf(int64(2), r).Of(25); got != 2 || err != nil {
			t.Errorf("release %s: 2 of 25 is %d (%v)", r, got, err)
		}
	}
}

func TestSection8_15_node_gone_versus_node_never_joined(t *testing.T) {
	gone := target("True", time.Hour)
	gone.Node = nil
	for _, r := range release.Documented() {
		p := NewPolicy(checkOf(nil),
			r).Reconcile([]Target{gone, starting(time.Minute), starting(10*time.Minute + time.Second)}, now)
		want := []Verdict{{State: Due, Reason: NodeGone},
			{State: Waiting, Reason: Starting, Next: 9*time.Minute + time.Second}, {State: Due, Reason: Overslept}}
		for i, v := range p.Verdicts {
			if v != want[i] {
				t.Errorf("release %s: target %d: %+v, want %+v", r, i, v, want[i])
			}
		}
		unseen := starting(0)
		unseen.Machine.LastUpdated = time.Time{}
		if p := NewPolicy(checkOf(nil), r).Reconcile([]Target{unseen}, now); p.Verdicts[0].Reason != NeverUpdated ||
			p.Again.After != 10*time.Minute {
			t.Errorf("release %s: a machine that nobody has seen: %+v", r, p)
		}
	}
	played(t, readFile(t, "testdata/node-gone.yaml"))
}

func TestSection8_16_all_due_machines_are_deleted_at_once(t *testing.T) {
	for _, r := range release.Documented() {
		if p := NewPolicy(checkOf(nil), r).Reconcile(times(2000, target("Unknown", time.Hour)), now); deletions(p) != 2000 {
			t.Errorf("release %s: %d deleted", r, deletions(p))
		}
	}
	played(t, readFile(t, "testdata/all-at-once.yaml"))
}

func TestSection8_17_ownership_in_44_and_45(t *testing.T) {
	owner := func(kind string, controller bool) Target {
		x := target("Unknown", time.Hour)
		x.Machine.Owners = []openshift.OwnerReference{{Kind: kind, Controller: controller}}
		return x
	}
	none, master := target("Unknown", time.Hour), target("Unknown", time.Hour)
	none.Machine.Owners = nil
	master.Node = &Node{Name: "n", Labels: map[string]string{openshift.LabelMaster: ""},
		Conditions: master.Node.Conditions}
	masterRole := target("Unknown", time.Hour)
	masterRole.Machine.Labels = map[string]string{LabelMachineRole: "master"}
	targets := []Target{owner("MachineSet", false), owner("Other", true), none, master, masterRole}
	old, later := []Act{Delete, SkipOwner, SkipOwner, SkipMaster, SkipMaster},
		[]Act{SkipOwner, Delete, SkipOwner, Delete, Delete}
	for of, want := range map[release.Release][]Act{release.V43: old, release.V44: old, release.V45: later,
		release.Current: later} {
		p := NewPolicy(checkOf(nil), of).Reconcile(targets, now)
		for i, r := range p.Remedies {
			if r.Act != want[i] {
				t.Errorf("release %s: target %d: %s, want %s", of, i, r.Act, want[i])
			}
		}
	}
	played(t, readFile(t, "testdata/owners.yaml"))
}

// The worked numbers of OCP 3.4.1: what is printed, in all releases.
func TestDocumentsWorkedNumbers(t *testing.T) {
	for _, f := range []string{"ten-of-25", "eleven-of-25", "six", "absolute", "sample-output"} {
		t.Run(f, func(t *testing.T) { played(t, readFile(t, "testdata/"+f+".yaml")) })
	}
}
