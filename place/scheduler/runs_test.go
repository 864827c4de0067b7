package scheduler

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
)

// drawRuns are clusters of few kinds of node, so that there are ties, and of sizes and
// percentages at which one search looks at all nodes, or windows come around, or overlap.
func drawRuns(t *rapid.T) (Profile, []Node) {
	p := Profile{Release: pick(t, "release", "1.36", "1.35", "1.34"),
		PercentageOfNodesToScore: pick(t, "percent", 0, 34, 50, 100), Seed: 7}
	var nodes []Node
	kinds, zones := rapid.IntRange(1, 3).Draw(t, "kinds"), rapid.Bool().Draw(t, "zones")
	for i := range pick(t, "nodes", 1, 7, 100, 101, 200, 300, 301) {
		n := Node{Name: fmt.Sprint("n", i), Labels: map[string]string{HostnameLabel: fmt.Sprint("n", i)}}
		if zones {
			n.Labels[ZoneLabel] = fmt.Sprint("z", i%kinds)
		}
		n.Allocatable = Resources{CPU: 4000 + int64(i%kinds)*2000, Memory: 8 << 30, Pods: 20}
		nodes = append(nodes, n)
	}
	if maybe(t, "cordoned", 3) {
		nodes[len(nodes)/2].Unschedulable = true
	}
	return p, nodes
}

// drawRunClass are pods that only meet in resources, or spread by default, or anything.
func drawRunClass(t *rapid.T, i int) PodClass {
	c := PodClass{Name: fmt.Sprint("c", i), Labels: map[string]string{"app": fmt.Sprint(i)}}
	if maybe(t, "anything", 4) {
		c = drawClass(t, i)
	} else if maybe(t, "spread", 2) {
		c.DefaultSpread = &v1alpha1.LabelSelector{MatchLabels: c.Labels}
	}
	c.Request = Resources{CPU: pick[int64](t, "cpu", 0, 100, 300, 1500), Memory: pick[int64](t, "memory", 0, 1<<20, 1<<30)}
	c.NonZeroCPU, c.NonZeroMemory = max(c.Request.CPU, 100), max(c.Request.Memory, 200<<20)
	return c
}

// TestRunsAsOneByOne: pods of a run go where they go one by one, and the next search
// starts at the same place.
func TestRunsAsOneByOne(t *testing.T) {
	byWindows, spread := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p, nodes := drawRuns(t)
		run, err := New(p, nodes)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rapid.IntRange(1, 3).Draw(t, "classes") {
			if _, err := run.Class(drawRunClass(t, i)); err != nil {
				t.Fatal(err)
			}
		}
		single := run.Clone()
		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			id := ClassID(rapid.IntRange(0, len(run.classes)-1).Draw(t, "class"))
			pods := rapid.IntRange(1, 5*len(nodes)).Draw(t, "pods")
			var got, want []int
			placed := run.ScheduleRun(id, pods, func(node int) { got = append(got, node) })
			for range pods {
				if node := single.Schedule(id).Node; node >= 0 {
					want = append(want, node)
				}
			}
			if placed != len(want) || !slices.Equal(got, want) || run.start != single.start {
				t.Fatalf("%d pods, start %d: %v\none by one, start %d: %v", placed, run.start, got, single.start, want)
			}
			if maybe(t, "a node is lost", 3) {
				node := rapid.IntRange(0, len(nodes)-1).Draw(t, "node")
				run.RemoveNodes(node)
				single.RemoveNodes(node)
			}
			again := run.Clone()
			n := again.byWindows(id, 5, func(int) {})
			if byWindows += n; len(again.classes[id].soft) > 0 {
				spread += n
			}
		}
	})
	if byWindows == 0 || spread == 0 {
		t.Errorf("of %d pods by windows %d spread, want some", byWindows, spread)
	}
}
