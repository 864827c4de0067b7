package health

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/release"
)

// What relates several fields is told at once, at the place of each problem and with
// what would be right.
func TestReadTellsAllProblems(t *testing.T) {
	const top = head + `until: 1h
checks:
- {name: c, file: x.yaml}
- {maxUnhealthy: 1}
- {name: b, maxUnhealthy: 1.5}
- {name: b}
- {file: missing.yaml}
- {file: x.yaml, paused: true}
machines:
- {names: "w-[3-1]"}
- {names: "v-[1-2"}
- {names: m-1, owner: MachineSet}
- {names: s-1, set: s}
- {names: s-1}
takes: {provision: 5m, join: 2m}
events:
`
	const text = top + `- {at: 1m, machines: s-1, conditions: {Ready: Maybe}}
- {at: 1m, machines: "nobody-1,set-r1", do: loseNode}
- {at: 1m, machines: s-1}
- {at: 1m, machines: s-1, do: powerOff, conditions: {Ready: Unknown}}
- {at: 1m, machines: s-1, do: powerOff, for: 5m}
- {at: 1m, machines: s-1, do: reboot}
- {at: 1m, set: nothing, replicas: 5}
- {at: 1m, set: s}
- {at: 1m}
- {at: 1m, check: z, paused: true}
- {at: 1m, check: b}
- {at: 1m, check: b, paused: true, do: fail}
- {at: 1m, takes: {join: 1m}}
expect:
- {machines: s-1, event: MachineDeleted}
- {machines: s-1, event: MachineDeleted, at: 1m, by: 2m}
- {machines: s-1, event: MachineDeleted, never: false}
- {machines: s-1, at: 1m}
- {machines: s-1, state: ready}
- {machines: s-1, check: b, event: MachineDeleted, at: 1m}
- {check: b, at: 1m}
- {check: b, healthy: 1}
- {count: 3}
- {event: MachineDeleted, count: 1, at: 1m}
- {finding: x, at: 1m}
- {releases: ["4.4"]}
`
	s, problems := Read("bad.yaml", []byte(text), beside)
	if s != nil {
		t.Error("a bad scenario is returned")
	}
	lines := map[int]bool{}
	for i, p := range problems {
		lines[p.Line] = true
		if p.File != "bad.yaml" || p.Col < 1 || p.What == "" || p.Fix == "" || p.Excerpt == "" {
			t.Errorf("%+v", p)
		}
		if i > 0 && p.Line < problems[i-1].Line {
			t.Errorf("%s comes after line %d", p.Error(), problems[i-1].Line)
		}
	}
	good := []int{1, 2, 3, 4, 11, 15, 18, 32}
	for n := 1; n <= strings.Count(text, "\n"); n++ {
		if lines[n] == slices.Contains(good, n) {
			t.Errorf("line %d: a problem is told: %v", n, lines[n])
		}
	}
	for _, want := range []string{
		`bad.yaml:5:3: checks[0]: a check has a name, or a file, not name and file (leave all but one out)`,
		`bad.yaml:12:11: machines[0].names: "3-1" is not a range (write names such as worker-[1-3],infra-1)`,
		`bad.yaml:20:22: events[1].machines: there is no machine "nobody-1" (name one of machines, ` +
			`or one that a set makes: SET-r1)`,
		`events[4].for: it does not go with do: powerOff (remove it, or make an item of its own)`,
		`bad.yaml:25:17: events[6].set: there is no set "nothing" (name one of s)`,
		`an event has a time, not at and by (leave all but one out)`,
	} {
		if !strings.Contains(problems.Error(), want) {
			t.Errorf("missing: %s\n%v", want, problems)
		}
	}
}

// What a field alone shows is told with the nearest name.
func TestReadKnowsItsWords(t *testing.T) {
	for text, want := range map[string]string{
		"chek: []":                              `unknown field "chek"`,
		"checks: []":                            "checks: is empty",
		"machines: [{names: a, colour: red}]":   "colour",
		"machines: [{names: a, phase: Runnin}]": "did you mean Running?",
		`releases: ["4.4", "5.0"]`:              `releases[1]: "5.0" is not allowed`,
		"releases: [4.4]":                       "quote it",
		"events: [{at: 5x, machines: a}]":       `"5x" is not a duration`,
		"events: [{at: 1.5s, machines: a}]":     `"1.5s" is not a duration`,
		"events: [{machines: a, do: explode}]":  `"explode" is not allowed`,
		"events: [{set: s, replicas: -5}]":      "-5 is too small",
		"expect: [{state: sleepy}]":             `"sleepy" is not allowed`,
		"expect: [{event: Exploded}]":           `"Exploded" is not allowed`,
		"until: 0s":                             "until: 0s is too small",
		"takes: {join: 10001h}":                 "takes.join: 10001h is too large",
		"until: 10001h":                         "until: 10001h is too large",
	} {
		s, problems := Read("bad.yaml", []byte(head+text), beside)
		if got := problems.Error(); s != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// A scenario without what it needs is told so.
func TestReadNeeds(t *testing.T) {
	_, problems := Read("empty.yaml", []byte(head), nil)
	if got := problems.Error(); !strings.Contains(got, "until: is missing") ||
		!strings.Contains(got, "checks: is missing") {
		t.Error(got)
	}
	_, problems = Read("x.yaml", []byte(head+"checks: [{file: a.yaml}]\nuntil: 1m\n"), nil)
	if got := problems.Error(); !strings.Contains(got, "can't name other files") {
		t.Error(got)
	}
	_, problems = Read("x.yaml",
		[]byte(head+"checks: [{name: a}]\nmachines: [{names: 'w-[1-99999]', set: a}]\nuntil: 1m\n"), nil)
	if got := problems.Error(); !strings.Contains(got, "is not a range") {
		t.Error(got)
	}
	_, problems = Read("x.yaml", []byte(head+strings.Repeat("#", maxScript)), nil)
	if got := problems.Error(); !strings.Contains(got, "longer than 1 MiB") {
		t.Error(got)
	}
}

// Names are counted: a short text must not become a large scenario.
func TestNamesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + "checks: [{name: a}]\nmachines: [{names: 'w-[1-20000]'}]\nuntil: 1m\nevents:\n")
	for range maxNames / maxMachines {
		b.WriteString("- {at: 1s, machines: 'w-[1-20000]', do: reboot, for: 1s, every: 1s}\n")
	}
	_, problems := Read("x.yaml", []byte(b.String()), nil)
	if got := problems.Error(); !strings.Contains(got, "names machines more than 200000 times") {
		t.Error(got)
	}
}

func TestExpandAndFold(t *testing.T) {
	for text, want := range map[string]string{
		"a":                   "a",
		"w-[1-3]":             "w-1 w-2 w-3",
		"w-[1-2,7],x,y-[0]-z": "w-1 w-2 w-7 x y-0-z",
	} {
		got, err := expand(text)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	for _, bad := range []string{"", ",", "a,,b", "a[", "a]", "a[]", "a[1-]", "a[x]", "a[1-2][3]", "a[-1]",
		"a[1-999999]"} {
		if got, err := expand(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
	for want, names := range map[string][]string{
		"w-[1-3]":       {"w-1", "w-2", "w-3"},
		"w-1,w-2,x":     {"w-1", "w-2", "x"},
		"w-01,w-02":     {"w-01", "w-02"},
		"a,w-9,w-[1-3]": {"a", "w-9", "w-1", "w-2", "w-3"},
	} {
		if got := fold(names); got != want {
			t.Errorf("%v is folded to %s, want %s", names, got, want)
		}
	}
}

// What is a number is one, and what is in quotes is text.
func TestReadValues(t *testing.T) {
	for text, want := range map[string]any{"2": int64(2), `"2"`: "2", "40%": "40%", "-1": int64(-1), "2 # two": int64(2),
		"half": "half"} {
		s := readText(t, "x.yaml", "until: 1m\nchecks:\n- name: a\n  maxUnhealthy: "+text+"\n")
		if got := s.checks[0].mhc.Spec.MaxUnhealthy; got != want {
			t.Errorf("%s is read as %#v", text, got)
		}
	}
}

// FuzzRead: no text makes the reader panic; what it takes can be played, and ends.
func FuzzRead(f *testing.F) {
	for _, path := range scenarios(f) {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, problems := Read("fuzz.yaml", []byte(text), nil)
		for _, p := range problems {
			if p.Line < 1 || p.Col < 1 {
				t.Errorf("%+v", p)
			}
		}
		if s == nil || len(s.machines) > 20 || s.until > 100_000 || len(s.events) > 50 {
			return
		}
		for _, e := range s.events {
			if e.act.count > 50 {
				return
			}
		}
		s.budget = 200_000
		for _, r := range release.Documented() {
			if a := s.Answer(r); a.Verdict.Summary == "" {
				t.Error("no summary")
			}
		}
	})
}

// benchScenario is a day of so many machines, one of which fails every few minutes.
func benchScenario(machines int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "machines: [{names: 'w-[1-%d]', role: worker, set: a}]\nuntil: 24h\n", machines)
	b.WriteString("checks: [{name: workers, selector: {role: worker}, maxUnhealthy: 40%, unhealthyConditions: " +
		"[{type: Ready, status: 'False', timeout: 300s}, {type: Ready, status: Unknown, timeout: 300s}]}]\nevents:\n")
	for i := range machines {
		fmt.Fprintf(&b, "- {at: %ds, machines: w-%d, do: powerOff}\n", 60+i*43, i+1)
	}
	return b.String()
}

// Two thousand machines over a day, each of which fails once.
func BenchmarkDay(b *testing.B) {
	s := readText(b, "day.yaml", benchScenario(2000))
	for b.Loop() {
		sim := s.Play(release.V44)
		b.ReportMetric(float64(len(sim.Log)), "entries")
	}
}

// A pass over two thousand machines that are all well.
func BenchmarkPass(b *testing.B) {
	p := NewPolicy(checkOf("40%"), release.V44)
	targets := times(2000, target("True", 0))
	var out Pass
	b.ReportAllocs()
	for b.Loop() {
		p.reconcile(&out, targets, now)
	}
}
