package uperf

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	_ "plimsoll.dev/internal/seed"
)

func set(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := values[name]; return v, ok }
}

var ours = set(map[string]string{"nthr": "50", "proto": "tcp", "duration": "30s", "size": "64k"})

// names of the cells of a profile, or its problems.
func names(text string) string {
	p, problems := Read("p.xml", []byte(text), ours)
	if problems != nil {
		return problems.Error()
	}
	cells, problems := p.Cells()
	var out []string
	for _, c := range cells {
		out = append(out, c.Name())
	}
	for _, p := range problems {
		out = append(out, p.Error())
	}
	return strings.Join(out, "\n")
}

const neat = `<?xml version="1.0"?>
<!-- request and response -->
<profile name="rr">
  <group nthreads="$nthr">
    <transaction iterations="1">
      <flowop type="connect" options="remotehost=$h protocol=$proto
        wndsz=50k tcp_nodelay"/>
    </transaction>
    <transaction duration="$duration">
      <flowop type="write" options="size=200"/>
      <flowop type="read" options="size=1000"/>
    </transaction>
    <transaction iterations="1"><flowop type="disconnect"/></transaction>
  </group>
</profile>
`

// loop is a profile whose two threads do what flowops say, for nine seconds.
func loop(flowops ...string) string {
	return "<profile><group nthreads=2>\n<transaction duration=9>\n" + strings.Join(flowops, "")
}

// What is published, in the ways in which it is.
func TestPublishedForms(t *testing.T) {
	capitals := strings.NewReplacer("flowop", "FlowOp", "write", "Write", "nthreads", "nThreads")
	for text, want := range map[string]string{
		neat:                                    "rr-200x1000-50",
		capitals.Replace(neat):                  "rr-200x1000-50",
		strings.Join(strings.Fields(neat), " "): "rr-200x1000-50",
		// groups that do the same at once
		strings.Replace(neat, "</profile>", strings.Split(neat, `name="rr">`)[1], 1): "rr-200x1000-100",
		// neither quotes nor ends
		loop(`<flowop type=write options="size=64k"/>`):                    "stream-65536x0-2",
		loop(`<flowop type=write options="size=8"/><flowop type=nop/>`):    "stream-8x0-2",
		loop("<flowop type=read options='size=30k'\n", "<flowop type=nop"): "stream-0x30720-2",
		"<profile><group nprocs=1><transaction><flowop type=connect><transaction duration=1>" +
			"<flowop type=write options=size=1><flowop type=read options=size=2><transaction>" +
			"<flowop type=disconnect></profile>": "rr-1x2-1",
		`<profile><group nthreads = "2"><transaction duration= 9><flowop type ="write" options="size=8"/>`: "stream-8x0-2",
		`<?xml version=1.0?><!DOCTYPE x>` + loop(`<flowop type=write options="size=8">`):                   "stream-8x0-2",
		loop(`<flowop type="connect" options="protocol=tcp"/>`, `<flowop type="write" options="size=1"/>`,
			`<flowop type="read" options="size=1"/>`, `<flowop type="disconnect"/></transaction></group>`): "crr-1x1-2",
		// count makes a request longer, and a stream not
		loop(`<flowop type="write" options="count=16 size=$size"/>`): "stream-65536x0-2",
		loop(`<flowop type="write" options="count=2 size=8"/>`,
			`<flowop type="read" options="count=3 size=8"/>`): "rr-16x24-2",
	} {
		if got := names(text); got != want {
			t.Errorf("%s\n%s, want %s", text, got, want)
		}
	}
}

// Everything is read, also what no cell needs.
func TestWhole(t *testing.T) {
	p, problems := Read("p.xml", []byte(neat), ours)
	if problems != nil {
		t.Fatal(problems)
	}
	want := &Profile{File: "p.xml", Name: "rr", Groups: []Group{{Line: 4, Col: 3, Strands: 50, Transactions: []Transaction{
		{Line: 5, Col: 5, Iterations: 1, Flowops: []Flowop{
			{Line: 6, Col: 7, Type: "connect", Count: 1, Protocol: "tcp", Others: []string{"wndsz=50k", "tcp_nodelay"}}}},
		{Line: 9, Col: 5, Iterations: 1, Duration: 30 * time.Second, Flowops: []Flowop{
			{Line: 10, Col: 7, Type: "write", Size: 200, Most: 200, Count: 1},
			{Line: 11, Col: 7, Type: "read", Size: 1000, Most: 1000, Count: 1}}},
		{Line: 13, Col: 5, Iterations: 1, Flowops: []Flowop{{Line: 13, Col: 33, Type: "disconnect", Count: 1}}},
	}}}}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
}

// All that is wrong, with its place and what would be right.
func TestProblems(t *testing.T) {
	const text = `<profile name="x">
<group nthreds="4">
<group nthreads="$unset">
 <transaction duration="1m">
  <flowop type="wirte" options="size=-3 count"/>
  <flowop options="size=rand(1 size=8"/>
 </transaction>
</group>
 <transaction iterations="0"/>
 words
</profil>
<!-- open`
	want := `p.xml:2:17: a group has no attribute "nthreds" (nthreads)
p.xml:3:18: "$unset" is not set (export unset=...)
p.xml:4:25: "1m" is milliseconds to uperf (1ms, or in seconds)
p.xml:5:17: the flowop "wirte" is not known (did you mean write?)
p.xml:5:38: "-3" is no number from 1 (1, 200, 64k, 1m)
p.xml:5:41: the option "count" has no value (NAME=VALUE)
p.xml:6:3: the flowop has no type (type="write")
p.xml:6:25: "rand(1 size=8" lacks a bound (rand(1,8k))
p.xml:9:2: a transaction stands outside of a group (<group> above it)
p.xml:10:2: "words" (only tags stand in a profile)
p.xml:11:1: the tag "profil" is not known (did you mean profile?)
p.xml:12:1: the comment does not end (-->)`
	if diff := cmp.Diff(want, names(text)); diff != "" {
		t.Error(diff)
	}
}

// What the matrix does not have is told where it stands.
func TestNotInMatrix(t *testing.T) {
	for text, want := range map[string]string{
		loop(`<flowop type=connect options="protocol=udp"/>`):   `p.xml:3:1: the protocol is "udp" (tcp`,
		loop(`<flowop type=write options="conn=2 size=1"/>`):    `p.xml:3:1: a strand has several`,
		loop(`<flowop type=think options="duration=1s idle"/>`): `p.xml:3:1: a strand thinks`,
		loop(`<flowop type=write options="size=rand(1, 8k)"/>`): `p.xml:3:1: the size is drawn`,
		loop(`<flowop type=write/>`):                            `p.xml:3:1: a write has no size`,
		loop(`<flowop type=write options=size=1g/>`):            `p.xml:1:10: cell stream-`,
		loop(`<flowop type=nop/>`):                              `p.xml:1:10: the group moves no data`,
		`<profile><group nthreads=1><transaction rate=5>`:       `p.xml:1:28: a rate is asked for`,
		``: `p.xml:1:1: there is no group`,
		loop(`<flowop type=read options="size=1"/>`, `<flowop type=write options=size=1/>`):           "p.xml:3:37: it is",
		loop(`<flowop type=write options=size=1/>`, `<transaction><flowop type=read options=size=1>`): `p.xml:3:36: a second`,
	} {
		if got := names(text); !strings.HasPrefix(got, want) {
			t.Errorf("%s\n%s, want %s", text, got, want)
		}
	}
	if got := names(strings.Repeat("<profile ", 150000)); !strings.Contains(got, "longer than 1 MiB") {
		t.Error(got)
	}
	if got := names("<profile>" + strings.Repeat("<group nthreads=1>", 11000)); !strings.Contains(got, "too many tags") {
		t.Error(got)
	}
}

// Whatever stands in the file, reading ends, with places in the file.
func FuzzRead(f *testing.F) {
	f.Add(neat)
	f.Add(`<profile><group nthreads=1><transaction duration=1><flowop type=write options="size=rand(1,`)
	f.Add("<a b=c/><!-- <? \xff")
	f.Fuzz(func(t *testing.T, text string) {
		p, problems := Read("f", []byte(text), ours)
		if (p == nil) != (len(problems) > 0) {
			t.Fatalf("%v, %v", p, problems)
		}
		lines := strings.Split(text, "\n")
		if p != nil {
			cells, more := p.Cells()
			if len(cells)+len(more) == 0 || len(cells) > len(p.Groups) {
				t.Fatalf("%d cells and %d problems of %d groups", len(cells), len(more), len(p.Groups))
			}
			problems = more
		}
		for _, q := range problems {
			if q.Line < 1 || q.Line > len(lines) || q.Col < 1 || q.Col > 1+len([]rune(lines[q.Line-1])) {
				t.Fatalf("%v is not in the file", q)
			}
		}
	})
}
