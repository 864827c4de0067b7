package scheduler

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/scheduler/schedulertest"
)

// bench compares the speeds on 1,000 nodes: the real scheduler's library call,
// and ours, each for the same pods, and the answers with it.
func bench(args []string) (int, error) {
	f := flags("bench")
	pods := f.Int("pods", 10000, "how many")
	nodes := f.Int("nodes", 1000, "how many")
	if err := f.Parse(args); err != nil {
		return badInput, err
	}
	fmt.Printf("%-44s %12s %12s %8s\n", "pods per CPU-second", "kube", "ours", "ratio")
	worst := done
	for _, s := range benchSessions(*nodes, *pods) {
		code, err := race(s)
		if err != nil {
			return failed, err
		}
		worst = max(worst, code)
	}
	return worst, nil
}

// benchSessions are the plain cluster in runs and shuffled, and one with all the
// constraints.
func benchSessions(nodes, pods int) []schedulertest.Session {
	plain := schedulertest.Mix{Name: "plain, in runs", Seed: 7, Nodes: nodes, Pods: pods, Classes: 20, Zones: 3, Load: 70}
	shuffled := plain
	shuffled.Name, shuffled.Shuffled = "plain, shuffled", true
	every := shuffled
	every.Name, every.Profile = "plain, shuffled, all nodes scored", scheduler.Profile{PercentageOfNodesToScore: 100}
	mixed := shuffled
	mixed.Name, mixed.Racks, mixed.Odds, mixed.Load = "selectors, taints, spread, affinity, shuffled", 6, 4, 50
	mixed.Selectors, mixed.Tolerations, mixed.Spread, mixed.Affinity = true, true, true, true
	return []schedulertest.Session{plain.Session(), shuffled.Session(), every.Session(), mixed.Session()}
}

// race times both sides on the session and compares their answers.
func race(s schedulertest.Session) (int, error) {
	c, err := open(s)
	if err != nil {
		return failed, err
	}
	defer c.close()
	theirs := make([]int32, len(s.Arrivals))
	begun := cpu()
	for i, class := range s.Arrivals {
		if theirs[i], _, err = c.arrive(class); err != nil {
			return failed, err
		}
	}
	real := cpu() - begun
	ours, different, err := lap(s, theirs)
	if err != nil {
		return failed, err
	}
	n := float64(len(s.Arrivals))
	name, _, _ := strings.Cut(s.Name, "-seed-")
	fmt.Printf("%-44s %12.0f %12.0f %8.0f\n", name, n/real.Seconds(), n/ours.Seconds(), real.Seconds()/ours.Seconds())
	if different > 0 {
		fmt.Printf("  %d pods went elsewhere\n", different)
		return differs, nil
	}
	return done, nil
}

// lap is our CPU time for the session, opening included, over as many rounds as
// fill half a second.
func lap(s schedulertest.Session, theirs []int32) (took time.Duration, different int, err error) {
	begun, rounds := cpu(), 0
	for took < time.Second/2 {
		ours, err := schedulertest.Open(s)
		if err != nil {
			return 0, 0, err
		}
		different = 0
		for i, class := range s.Arrivals {
			if ours.Schedule(ours.Classes[class]).Node != int(theirs[i]) {
				different++
			}
		}
		rounds++
		took = cpu() - begun
	}
	return took / time.Duration(rounds), different, nil
}

// cpu is the process's own time, of the user and the system.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
