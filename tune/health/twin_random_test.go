package health

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/release"
)

// drawScenario draws a small scenario as text.
func drawScenario(t *rapid.T) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
	sec := func(name string, most int) string { return fmt.Sprintf("%ds", rapid.IntRange(0, most).Draw(t, name)) }
	line("%schecks:", head)
	for i := range rapid.IntRange(1, 2).Draw(t, "checks") {
		line("- {name: c%d, selector: {%s}, maxUnhealthy: %s, unhealthyConditions: [{type: Ready, status: "+
			"Unknown, timeout: %s}, {type: Ready, status: 'False', timeout: %s}], nodeStartupTimeout: %s%s}",
			i, pick("selector", "role: worker", "set: a", "", "", "role: master"),
			pick("max", "0", "1", "2", "3", "40%", "60%", "100%", "-1"),
			sec("unknown", 90), sec("false", 90), sec("startup", 120),
			pick("extra", "", "", "", ", external: true", ", paused: true"))
	}
	line("machines:")
	line("- {names: 'a-[1-%d]', role: worker, set: a}", rapid.IntRange(2, 5).Draw(t, "a"))
	line("- {names: 'b-[1-%d]', role: worker, set: b, phase: %s}", rapid.IntRange(1, 3).Draw(t, "b"),
		pick("phase", Running, Provisioning))
	line("- {names: 'm-[1-2]', role: master, %s}", pick("owner", "owner: ControlPlaneMachineSet",
		"owner: ControlPlaneMachineSet", "set: m", "owner: X", "labels: {x: y}"))
	names := []string{"a-1", "a-[1-2]", "b-1", "m-[1-2]", "m-1", "a-r1", "b-r1", "a-1,b-1"}
	if rapid.Bool().Draw(t, "takes") {
		line("takes: %s", drawTakes(t))
	}
	line("events:")
	for range rapid.IntRange(0, 8).Draw(t, "events") {
		line("- {at: %s, %s}", sec("at", 300), drawEvent(t, names))
	}
	line("until: %ds", rapid.IntRange(100, 900).Draw(t, "until"))
	return b.String()
}

func drawTakes(t *rapid.T) string {
	provision := rapid.IntRange(0, 150).Draw(t, "provision")
	join := provision + rapid.IntRange(0, 150).Draw(t, "join")
	return fmt.Sprintf("{provision: %ds, join: %ds, ready: %ds, drain: %ds, terminate: %ds, grace: %ds}", provision, join,
		rapid.SampledFrom([]int{0, 0, 20, 70}).Draw(t, "ready"), rapid.IntRange(0, 90).Draw(t, "drain"),
		rapid.IntRange(0, 70).Draw(t, "terminate"), rapid.IntRange(0, 50).Draw(t, "grace"))
}

func drawEvent(t *rapid.T, names []string) string {
	who := "machines: '" + rapid.SampledFrom(names).Draw(t, "who") + "', "
	sets := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "set")
	switch rapid.IntRange(0, 9).Draw(t, "event") {
	case 0, 1, 2:
		return who + "conditions: {Ready: '" + rapid.SampledFrom([]string{"Unknown", "Unknown", "False", "True"}).Draw(t,
			"status") + "'}"
	case 3:
		return who + "do: loseNode"
	case 4:
		return who + "do: " + rapid.SampledFrom([]string{"powerOff", "powerOn"}).Draw(t, "power")
	case 5:
		return fmt.Sprintf("%sdo: reboot, for: %ds", who, rapid.IntRange(0, 150).Draw(t, "for"))
	case 6:
		return who + "do: " + rapid.SampledFrom([]string{"fail", "delete", "repair", "stick"}).Draw(t, "machine")
	case 7:
		return fmt.Sprintf("set: %s, replicas: %d", sets, rapid.IntRange(0, 7).Draw(t, "replicas"))
	case 8:
		return "check: c0, " + rapid.SampledFrom([]string{"paused: true", "paused: false", "maxUnhealthy: 2",
			"maxUnhealthy: 0", "maxUnhealthy: 100%"}).Draw(t, "edit")
	}
	return "takes: " + drawTakes(t)
}

// lines are what the simulator's log says, in the words of the twin.
func (w *world) lines() []string {
	var out []string
	for _, e := range w.log {
		switch e.Name {
		case Created, Joined, Drained, Gone:
			out = append(out, fmt.Sprintf("%6d: %s %s", e.At, strings.ToLower(string(e.Name)), e.Machine))
		case MachineDeleted:
			out = append(out, fmt.Sprintf("%6d: %s deletes %s", e.At, e.Check, e.Machine))
		case ExternalAnnotationAdded:
			out = append(out, fmt.Sprintf("%6d: %s annotates %s", e.At, e.Check, e.Machine))
		}
	}
	return out
}

// What a queue of events makes of a scenario is what a walk through all seconds does.
func TestSimulatorIsItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(release.Documented()).Draw(t, "release")
		text := drawScenario(t)
		s, problems := Read("random.yaml", []byte(text), nil)
		if len(problems) > 0 {
			t.Fatalf("%v\n%s", problems, text)
		}
		w := newWorld(s, r)
		w.play()
		if w.stalled != "" {
			return
		}
		n := newTwin(s, r)
		n.run()
		got, want := w.lines(), onlyLives(n.log)
		slices.Sort(got)
		slices.Sort(want)
		if d := cmp.Diff(strings.Join(want, "\n"), strings.Join(got, "\n")); d != "" {
			t.Fatalf("release %s\n%s\n%s", r, text, d)
		}
		compareCounts(t, w, n, text)
	})
}

// compareCounts compares the last status that both saw.
func compareCounts(t *rapid.T, w *world, n *twin, text string) {
	for i, c := range w.checks {
		if k := n.checks[i]; !k.paused && len(c.history) > 0 && k.expected >= 0 &&
			(c.last.Expected != k.expected || c.last.Healthy != k.healthy) {
			t.Fatalf("release %s\n%s\ncheck %d ends with %d %d, want %d %d", w.release, text, i, c.last.Expected, c.last.Healthy,
				k.expected, k.healthy)
		}
	}
}

// onlyLives leaves out what the twin says of counts.
func onlyLives(log []string) []string {
	return slices.DeleteFunc(slices.Clone(log), func(l string) bool { return strings.Contains(l, " total ") })
}
