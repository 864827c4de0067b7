package health

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/release"
)

// flapping is a pool whose machines all lose power and get it back, so many times.
func flapping(machines, times int, role string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "checks: [{name: workers, selector: {role: %s}, maxUnhealthy: 100%%, unhealthyConditions: [{type: "+
		"Ready, status: Unknown, timeout: 300s}]}]\n", role)
	fmt.Fprintf(&b, "machines: [{names: 'w-[1-%d]', role: worker, set: s}]\nuntil: 100h\nevents:\n", machines)
	for i := range times {
		fmt.Fprintf(&b, "- {at: %dm, machines: 'w-[1-%d]', do: powerOff}\n- {at: %dm, machines: 'w-[1-%d]', do: powerOn}\n",
			14*i, machines, 14*i+7, machines)
	}
	return b.String()
}

// What no check covers takes work, too: a short script must not keep a machine busy.
func TestAllWorkIsBounded(t *testing.T) {
	for _, role := range []string{"worker", "infra"} {
		s := readText(t, "x.yaml", flapping(1_000, 50, role))
		s.budget = 1_000_000
		w := newWorld(s, release.V44)
		w.play()
		if most := 4 * s.budget; w.work > most || w.queue.count > most/workStep || len(w.log) > most/workStep {
			t.Errorf("%s: work %d, %d things, %d lines of the log", role, w.work, w.queue.count, len(w.log))
		}
		sim := s.Play(release.V44)
		if !strings.Contains(sim.Stalled, "too much work: it was played until ") {
			t.Errorf("%s: stalled %q", role, sim.Stalled)
		}
		if f := sim.findings[0]; f.ID != stalledRule.ID || !strings.Contains(f.Remedy, "fewer machines") {
			t.Errorf("%s: %+v", role, f)
		}
	}
}

// A day of two thousand machines, each of which fails once, is far below the bound, as
// is a pool of that size that fails as a whole.
func TestLargeClustersPlay(t *testing.T) {
	for name, text := range map[string]string{"a day": benchScenario(2_000), "all at once": flapping(2_000, 2, "worker")} {
		if sim := readText(t, "x.yaml", text).Play(release.Current); sim.Stalled != "" {
			t.Errorf("%s: %s", name, sim.Stalled)
		}
	}
}

func TestChecksAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + "until: 1h\nchecks:\n")
	for i := range maxChecks + 1 {
		fmt.Fprintf(&b, "- {name: c-%d}\n", i)
	}
	_, problems := Read("x.yaml", []byte(b.String()), nil)
	if len(problems) != 1 || problems[0].Line != maxChecks+5 ||
		!strings.Contains(fmt.Sprint(problems[0]), fmt.Sprintf("more than %d checks", maxChecks)) {
		t.Errorf("%v", problems)
	}
}

// An event that came out a hundred times is told by its first ones.
func TestTimesOfAnEventAreBounded(t *testing.T) {
	at := make([]int64, 100)
	got := gotEvent(&expectation{name: Joined, when: "at", at: 7}, at)
	if want := "Joined at " + strings.Repeat("0s, ", mostTimes) + "and 80 more"; got != want {
		t.Errorf("%q", got)
	}
}
