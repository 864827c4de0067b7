package health

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/tune/era"
)

// Everything that is wrong with a script is told at once, in the order of the lines,
// each with what would be right.
func TestReadTellsAllProblems(t *testing.T) {
	const text = `title
era 4.4 5.0
frobnicate
check a selector role maxUnhealthy 1
check b selector role=x ready-false
check b2 selector role=x condition Ready 5m
check c selector role=x colour red
machines w-[3-1] role worker
machines v-[1-2 role worker
machines u-1 colour red
machines m-1 owner MachineSet
machines s-1 phase Running
machines s-1 phase Running
takes provision 5m join 2m
takes lunch 1h
at 5x node w-1 Ready=True
at 1.5s node s-1 Ready=True
at 1m node s-1 Ready=Maybe
at 1m node nobody-1,set-r1 gone
at 1m power s-1 sideways
at 1m scale nothing to 5
at 1m scale s to -5
at 1m explode
at 1m check z paused
at 1m machine s-1 failed twice
at 1m node "s-1 gone
until 0s
expect s-1 Exploded at 1m
expect at 1m s-1 sleepy
expect in 9.9 count MachineDeleted 1
expect count MachineDeleted
check file missing.yaml
`
	s, problems := Read("bad.mhc", []byte(text), beside)
	if s != nil {
		t.Error("a bad script is returned")
	}
	lines := map[int]bool{}
	for i, p := range problems {
		lines[p.Line] = true
		if p.File != "bad.mhc" || p.Col < 1 || p.What == "" || p.Fix == "" || p.Excerpt == "" && p.Line <= 32 {
			t.Errorf("%+v", p)
		}
		if i > 0 && p.Line < problems[i-1].Line {
			t.Errorf("%s comes after line %d", p.Error(), problems[i-1].Line)
		}
	}
	for n := 1; n <= 33; n++ {
		if good := n == 12; lines[n] == good {
			t.Errorf("line %d: a problem is told: %v", n, lines[n])
		}
	}
	for _, want := range []string{
		`bad.mhc:3:1: unknown statement "frobnicate" (begin with title, era, check, machines, takes, at, until or expect)`,
		`bad.mhc:8:10: "3-1" is not a range (write names of machines such as worker-[1-3],infra-1)`,
		`bad.mhc:16:4: "5x" is not a duration (write a time such as 90s, 5m or 1h30m)`,
		`bad.mhc:26:12: nothing closes the quotes (end them with ")`,
		`bad.mhc:31:28: the line ends too early (write a number)`,
		`bad.mhc:25:26: "twice" is one word too many (end the line before it)`,
	} {
		if !strings.Contains(problems.Error(), want) {
			t.Errorf("missing: %s\n%v", want, problems)
		}
	}
}

// A script without what it needs is told so.
func TestReadNeeds(t *testing.T) {
	_, problems := Read("empty.mhc", nil, nil)
	if got := problems.Error(); !strings.Contains(got, "has no end") || !strings.Contains(got, "has no check") {
		t.Error(got)
	}
	_, problems = Read("x.mhc", []byte("check file a.yaml\nuntil 1m\nat 2m power x off\n"), nil)
	if got := problems.Error(); !strings.Contains(got, "can't name other files") || !strings.Contains(got, "after the end") {
		t.Error(got)
	}
	_, problems = Read("x.mhc", []byte("check a selector everything ready-false 1m\nmachines w-[1-99999] set a\nuntil 1m\n"), nil)
	if got := problems.Error(); !strings.Contains(got, "is not a range") {
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
	for _, bad := range []string{"", ",", "a,,b", "a[", "a]", "a[]", "a[1-]", "a[x]", "a[1-2][3]", "a[-1]", "a[1-999999]"} {
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

// What is a number is one, what is in quotes is text, and comments end lines.
func TestReadValues(t *testing.T) {
	for text, want := range map[string]any{"2": int64(2), `"2"`: "2", "40%": "40%", "-1": int64(-1), "2 # two": int64(2), "half": "half"} {
		s := readText(t, "x.mhc", "check a selector everything ready-false 1m maxUnhealthy "+text+"\nuntil 1m\n")
		if got := s.checks[0].mhc.Spec.MaxUnhealthy; got != want {
			t.Errorf("%s is read as %#v", text, got)
		}
	}
}

// FuzzRead: no text makes the reader panic; what it takes can be played, and ends.
func FuzzRead(f *testing.F) {
	f.Add("check a selector everything ready-false 1m\nmachines w-[1-3] set s role worker\nat 1s power w-1 off\nuntil 10m\nexpect w-1 MachineDeleted never\n")
	f.Add("check a selector role=x,set=y startup -5m paused external\nmachines a-[0-9],b set s phase Provisioning\ntakes provision 0s join 0s\nat 0s scale s to 9\nuntil 1h\n")
	f.Add("era 4.4 current\nat 5m check a maxUnhealthy \"2\"\nat 1m reboot x for 1m every 2s\nexpect at 5m a total 3 healthy 2 restricted\nuntil 1m\n")
	f.Add("title \"\nmachines a[1-2,3]b\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, problems := Read("fuzz.mhc", []byte(text), nil)
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
		for _, e := range era.All() {
			if a := s.Answer(e); a.Verdict.Summary == "" {
				t.Error("no summary")
			}
		}
	})
}

// benchScript is a day of so many machines, one of which fails every few minutes.
func benchScript(machines int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "check workers selector role=worker maxUnhealthy 40%% ready-false 300s ready-unknown 300s\nmachines w-[1-%d] role worker set a\n", machines)
	for i := range machines {
		fmt.Fprintf(&b, "at %ds power w-%d off\n", 60+i*43, i+1)
	}
	b.WriteString("until 24h\n")
	return b.String()
}

// Two thousand machines over a day, each of which fails once.
func BenchmarkDay(b *testing.B) {
	s := readText(b, "day.mhc", benchScript(2000))
	for b.Loop() {
		sim := s.Play(era.V44)
		b.ReportMetric(float64(len(sim.Log)), "entries")
	}
}

// A pass over two thousand machines that are all well.
func BenchmarkPass(b *testing.B) {
	p := NewPolicy(checkOf("40%"), era.V44)
	targets := times(2000, target("True", 0))
	var out Pass
	b.ReportAllocs()
	for b.Loop() {
		p.reconcile(&out, targets, now)
	}
}
