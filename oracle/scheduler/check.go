package scheduler

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/scheduler/schedulertest"
)

// check compares place/scheduler with the real scheduler on fresh random sessions, and
// shows the first pod of each session that goes elsewhere.
func check(args []string) (int, error) {
	f := flags("check")
	seed := f.Uint64("seed", 1, "of the first session; the others follow")
	sessions := f.Int("sessions", 100, "how many")
	if err := f.Parse(args); err != nil {
		return badInput, err
	}
	pods, wrong := 0, 0
	for i := range *sessions {
		s := schedulertest.Random(*seed + uint64(i))
		ours, err := schedulertest.Open(s)
		if err != nil {
			return failed, fmt.Errorf("our engine refuses: %w", err)
		}
		found, err := compare(s, ours, os.Stdout)
		if err != nil {
			return failed, err
		}
		pods += len(s.Arrivals)
		if found {
			wrong++
		}
	}
	fmt.Printf("seeds %d to %d: %d pods in %d sessions, %d sessions differ\n", *seed, *seed+uint64(*sessions)-1, pods,
		*sessions, wrong)
	if wrong > 0 {
		return differs, nil
	}
	return done, nil
}

// compare plays the session on both sides, until they differ: in the node of a
// pod, or in why the first pod of a class fits nowhere and whom it would preempt.
func compare(s schedulertest.Session, ours *schedulertest.Player, w io.Writer) (found bool, err error) {
	c, err := open(s)
	if err != nil {
		return false, err
	}
	defer c.close()
	explained := map[int32]bool{}
	for i, class := range s.Arrivals {
		if err := c.happen(i); err != nil {
			return false, fmt.Errorf("%s: pod %d: %w", s.Name, i, err)
		}
		node, unfit, err := c.arrive(class)
		if err != nil {
			return false, fmt.Errorf("%s: pod %d: %w", s.Name, i, err)
		}
		got, err := ours.Next()
		if err != nil {
			return false, err
		}
		if got != int(node) {
			fmt.Fprintf(w, "%s: pod %d, class %d: the scheduler says %d, we say %d\n", s.Name, i, class, node, got)
			if unfit != nil {
				fmt.Fprintf(w, "  %v\n", unfit)
			}
			return true, show(s, i, node, int32(got), w)
		}
		if unfit == nil || explained[class] {
			continue
		}
		explained[class] = true
		diff := unlike(diagnosisOf(i, unfit), ours.Explain(ours.Classes[class]))
		if diff == "" {
			diff, err = c.otherwise(unfit, ours.Preempt(ours.Classes[class]), ours.Classes)
		}
		if err != nil {
			return false, fmt.Errorf("%s: pod %d: %w", s.Name, i, err)
		}
		if diff != "" {
			fmt.Fprintf(w, "%s: pod %d, class %d fits nowhere: %s\n", s.Name, i, class, diff)
			return true, nil
		}
	}
	return false, nil
}

// unlike says how our explanation differs, empty when it doesn't.
func unlike(want schedulertest.Diagnosis, got scheduler.Diagnosis) string {
	if got.Message != want.Message || !slices.Equal(got.Reasons, want.Reasons) {
		return fmt.Sprintf("the scheduler says\n  %s %v\nwe say\n  %s %v", want.Message, want.Reasons, got.Message,
			got.Reasons)
	}
	return ""
}

// show replays the session up to the pod and prints what the real plug-ins give
// the two nodes.
func show(s schedulertest.Session, pod int, theirs, ours int32, w io.Writer) error {
	c, err := open(s)
	if err != nil {
		return err
	}
	defer c.close()
	for i, class := range s.Arrivals[:pod] {
		if err := c.happen(i); err != nil {
			return err
		}
		if _, _, err := c.arrive(class); err != nil {
			return err
		}
	}
	if err := c.happen(pod); err != nil {
		return err
	}
	scored, err := c.scores(s.Arrivals[pod])
	if err != nil || scored == nil {
		return err
	}
	fmt.Fprintf(w, "  start %d, %d feasible: %v\n", c.start, len(scored.Nodes), scored.Nodes[:min(len(scored.Nodes), 200)])
	a, b := slices.Index(scored.Nodes, theirs), slices.Index(scored.Nodes, ours)
	if b < 0 {
		fmt.Fprintf(w, "  node %d is not feasible\n", ours)
	}
	at := func(scores []int64, i int) int64 {
		if i < 0 {
			return -1
		}
		return scores[i]
	}
	for _, name := range slices.Sorted(maps.Keys(scored.Plugins)) {
		fmt.Fprintf(w, "  %-32s %6d %6d\n", name, at(scored.Plugins[name], a), at(scored.Plugins[name], b))
	}
	fmt.Fprintf(w, "  profile %+v\n  class %+v\n", s.Profile, s.Classes[s.Arrivals[pod]])
	return nil
}
