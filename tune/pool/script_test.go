package pool

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// TestScripts plays the scenarios of testdata/rollout: commands, four hyphens, what
// comes out, and an empty line. Lines that begin with # are for readers.
//
//	nodes ROLE COUNT [drain=2m] [reboot=3m]          ready nodes ROLE-1 and so on, times as 2m or 2m-3m
//	node NAME [key=value ...] [label=K=V] [no-label=K] [zone=Z] [created=DATE] [cordoned] [down]
//	     [fails=KIND] [state=Degraded] [current=C] [desired=D]
//	pool NAME [maxUnavailable=N|"text"] [paused] [target=CONFIG]
//	at TIME EVENT NAME [VALUE]
//	roll [release=4.4] [only=POOL] [continue] [until=TIME] [operator=NODE]
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/rollout/*.txt")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			runScript(t, string(text))
		})
	}
}

func runScript(t *testing.T, text string) {
	s := &script{t: t}
	for block := range strings.SplitSeq(text, "\n\n") {
		commands, want, ok := strings.Cut(block, "\n----\n")
		var got string
		for line := range strings.Lines(commands) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				got = s.command(strings.Fields(line))
			}
		}
		if d := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(got)); ok && d != "" {
			t.Errorf("%s\n%s", commands, d)
		}
	}
}

// script is the cluster that a script sets up.
type script struct {
	t *testing.T
	o Options
}

func (s *script) command(words []string) string {
	switch words[0] {
	case "nodes":
		n, err := strconv.Atoi(words[2])
		if err != nil {
			s.t.Fatal(err)
		}
		drain, reboot := Range{60, 60}, Range{180, 180}
		for _, w := range words[3:] {
			key, value, _ := strings.Cut(w, "=")
			*map[string]*Range{"drain": &drain, "reboot": &reboot}[key] = s.span(value)
		}
		s.o.Nodes = append(s.o.Nodes, Nodes(words[1], n, drain, reboot)...)
	case "node":
		i := slices.IndexFunc(s.o.Nodes, func(n Node) bool { return n.Name == words[1] })
		for _, w := range words[2:] {
			s.setNode(&s.o.Nodes[i], w)
		}
	case "pool":
		s.pool(words[1:])
	case "at":
		e := Event{At: s.time(words[1]), What: Happening(words[2]), Name: words[3]}
		if len(words) > 4 {
			e.Value = scalarOf(words[4])
		}
		s.o.Events = append(s.o.Events, e)
	case "roll":
		return s.roll(words[1:])
	default:
		s.t.Fatalf("no command %q", words[0])
	}
	return ""
}

func (s *script) setNode(n *Node, word string) {
	key, value, _ := strings.Cut(word, "=")
	label := func(k, v string) {
		n.Labels = cloneLabels(n.Labels)
		n.Labels[k] = v
	}
	switch key {
	case "label":
		k, v, _ := strings.Cut(value, "=")
		label(k, v)
	case "no-label":
		n.Labels = cloneLabels(n.Labels)
		delete(n.Labels, value)
	case "zone":
		label(zoneLabel, value)
	case "created":
		n.Created = value
	case "cordoned":
		n.Cordoned = true
	case "down":
		n.NotReady = true
	case "fails":
		n.Fails = Failure(value)
	case "state":
		n.State = value
	case "current":
		n.Current = value
	case "desired":
		n.Desired = value
	default:
		s.t.Fatalf("no field %q of nodes", key)
	}
}

func cloneLabels(in map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range in {
		out[k] = v
	}
	return out
}

func (s *script) pool(words []string) {
	i := slices.IndexFunc(s.o.Pools, func(p openshift.MachineConfigPool) bool { return p.Metadata.Name == words[0] })
	if i < 0 {
		i = len(s.o.Pools)
		s.o.Pools = append(s.o.Pools, poolOf(words[0]))
	}
	p := &s.o.Pools[i]
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "maxUnavailable":
			p.Spec.MaxUnavailable = scalarOf(value)
		case "paused":
			p.Spec.Paused = true
		case "target":
			p.Spec.Configuration.Name = value
		default:
			s.t.Fatalf("no field %q of pools", key)
		}
	}
}

// scalarOf reads 3 as a number, and "3" or 10% as text.
func scalarOf(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return strings.Trim(text, `"`)
}

func (s *script) roll(words []string) string {
	o := s.o
	o.Release = release.V44
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		var err error
		switch key {
		case "release":
			o.Release, err = release.ParseName(value)
		case "only":
			o.Roll = append(slices.Clone(o.Roll), value)
		case "continue":
			o.Continue = true
		case "until":
			o.Until = s.time(value)
		case "operator":
			o.OperatorNode = value
		default:
			s.t.Fatalf("no option %q", key)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	r, err := Simulate(o)
	if err != nil {
		return err.Error()
	}
	return told(r)
}

func (s *script) time(text string) unit.Duration {
	if text == "0" {
		return 0
	}
	d, err := unit.ParseDuration(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func (s *script) span(text string) Range {
	low, high, ok := strings.Cut(text, "-")
	if !ok {
		high = low
	}
	return Range{s.time(low), s.time(high)}
}

// told is a rollout as lines: the time, what happens, and the nodes that take pods.
func told(r Result) string {
	var b strings.Builder
	for i := 0; i < len(r.Moments); {
		at := r.Moments[i].At
		var what []string
		for ; i < len(r.Moments) && r.Moments[i].At == at; i++ {
			m := r.Moments[i]
			if strings.HasPrefix(m.Subject, "pool ") {
				m.Subject += ":"
			}
			what = append(what, m.Subject+" "+m.What)
		}
		nodes := 0
		for _, c := range r.Capacity {
			if c.At <= at {
				nodes = c.Nodes
			}
		}
		fmt.Fprintf(&b, "%-5s %s | %d take pods\n", short(at), strings.Join(what, ", "), nodes)
	}
	for _, p := range r.Pools {
		fmt.Fprintf(&b, "pool %s: %d of %d updated", p.Name, p.Updated, p.Nodes)
		switch {
		case p.Took == nil:
			b.WriteString(", never done\n")
		case p.Took.Min == p.Took.Max:
			fmt.Fprintf(&b, ", done after %s\n", p.Took.Max)
		default:
			fmt.Fprintf(&b, ", done after %s to %s\n", p.Took.Min, p.Took.Max)
		}
	}
	return b.String()
}

// short is a time as scripts write it.
func short(d unit.Duration) string {
	if d == 0 {
		return "0s"
	}
	return d.String()
}
