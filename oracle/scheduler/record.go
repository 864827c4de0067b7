package scheduler

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/kubernetes/pkg/scheduler/framework"

	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/scheduler/schedulertest"
)

// record writes the fixtures: sessions made by hand, random clusters, OpenB.
func record(args []string) (int, error) {
	f := flags("record")
	out := f.String("out", filepath.FromSlash("../place/scheduler/testdata/oracle"), "directory of the fixtures")
	openb := f.String("openb", filepath.FromSlash("../place/scheduler/testdata/openb"), "directory of the OpenB tables")
	seed := f.Uint64("seed", 0, "added to the seeds of the random clusters")
	only := f.String("only", "", "write only this file: handmade, random, churn or openb")
	if err := f.Parse(args); err != nil {
		return badInput, err
	}
	files := []struct {
		name     string
		sessions func() ([]schedulertest.Session, error)
	}{
		{"handmade", func() ([]schedulertest.Session, error) { return schedulertest.HandMade(), nil }},
		{"random", func() ([]schedulertest.Session, error) { return clusters(*seed, false), nil }},
		{"churn", func() ([]schedulertest.Session, error) { return clusters(*seed, true), nil }},
		{"openb", func() ([]schedulertest.Session, error) { return openbSessions(*openb) }},
	}
	for _, file := range files {
		if *only != "" && *only != file.name {
			continue
		}
		sessions, err := file.sessions()
		if err == nil {
			err = recordFile(filepath.Join(*out, file.name+".jsonl.gz"), sessions, file.name == "handmade")
		}
		if err != nil {
			return failed, err
		}
	}
	return done, nil
}

// clusters are the recorded random sessions, those with events or those without.
func clusters(seed uint64, churn bool) []schedulertest.Session {
	var out []schedulertest.Session
	for _, m := range schedulertest.Clusters() {
		if m.Churn != churn {
			continue
		}
		m.Seed += seed
		out = append(out, m.Session())
	}
	return out
}

func recordFile(path string, sessions []schedulertest.Session, scores bool) error {
	var all []schedulertest.Recorded
	for _, s := range sessions {
		begun := time.Now()
		one, err := play(s, scores)
		if err != nil {
			return err
		}
		all = append(all, one)
		fmt.Fprintf(os.Stderr, "%s: %d pods, %d fit nowhere, %.1f s\n", s.Name, len(one.Placed), unplaced(one),
			time.Since(begun).Seconds())
	}
	var b bytes.Buffer
	if err := schedulertest.Write(&b, all); err != nil {
		return err
	}
	// Written beside and renamed, so that a fixture is never half there.
	if err := os.WriteFile(path+".new", b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func unplaced(r schedulertest.Recorded) int {
	n := 0
	for _, node := range r.Placed {
		if node < 0 {
			n++
		}
	}
	return n
}

// play lets the real scheduler decide for the whole session.
func play(s schedulertest.Session, scores bool) (schedulertest.Recorded, error) {
	out := schedulertest.Recorded{Session: s, Release: release}
	c, err := open(s)
	if err != nil {
		return out, err
	}
	defer c.close()
	diagnosed := map[int32]bool{}
	for i, class := range s.Arrivals {
		if err := c.happen(i); err != nil {
			return out, fmt.Errorf("%s: pod %d: %w", s.Name, i, err)
		}
		if scores {
			scored, err := c.scores(class)
			if err != nil {
				return out, fmt.Errorf("%s: pod %d: %w", s.Name, i, err)
			}
			if scored != nil {
				scored.Pod = i
				out.Scores = append(out.Scores, *scored)
			}
		}
		node, unfit, err := c.arrive(class)
		if err != nil {
			return out, fmt.Errorf("%s: pod %d: %w", s.Name, i, err)
		}
		out.Placed = append(out.Placed, node)
		if unfit != nil && !diagnosed[class] {
			diagnosed[class] = true
			out.Diagnoses = append(out.Diagnoses, diagnosisOf(i, unfit))
		}
	}
	return out, nil
}

// diagnosisOf counts the reasons as FitError's message does. Without nodes there
// is a message only.
func diagnosisOf(pod int, err error) schedulertest.Diagnosis {
	out := schedulertest.Diagnosis{Pod: pod, Message: err.Error()}
	var unfit *framework.FitError
	if !errors.As(err, &unfit) {
		return out
	}
	for reason, n := range reasonsOf(unfit) {
		out.Reasons = append(out.Reasons, scheduler.Reason{Reason: reason, Nodes: n})
	}
	slices.SortFunc(out.Reasons, func(a, b scheduler.Reason) int {
		return cmp.Or(strings.Compare(a.Reason, b.Reason), cmp.Compare(a.Nodes, b.Nodes))
	})
	return out
}

func reasonsOf(unfit *framework.FitError) map[string]int {
	if msg := unfit.Diagnosis.PreFilterMsg; msg != "" {
		return map[string]int{msg: unfit.NumAllNodes}
	}
	counts := map[string]int{}
	statuses := unfit.Diagnosis.NodeToStatus
	explicit(statuses, counts)
	if absent := unfit.NumAllNodes - statuses.Len(); absent > 0 {
		for _, reason := range statuses.AbsentNodesStatus().Reasons() {
			counts[reason] += absent
		}
	}
	return counts
}
