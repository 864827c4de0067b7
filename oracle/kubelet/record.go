package kubelet

import (
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"

	"plimsoll.dev/place/kubelet/kubelettest"
)

// tally counts what was recorded.
type tally struct {
	sessions, admissions, admitted, leftOut int
	// refused are sessions whose kubelet does not start, failed those without an answer.
	refused, failed int
	policies        map[string]bool
	reasons         map[string]int
}

func (t *tally) add(r kubelettest.Recorded, leftOut int) {
	t.sessions++
	t.admissions += len(r.Answers)
	t.leftOut += leftOut
	c := r.Config
	t.policies[fmt.Sprint(c.CPUManagerPolicy, c.CPUManagerPolicyOptions, c.MemoryManagerPolicy, c.TopologyManagerPolicy,
		c.TopologyManagerScope, c.TopologyManagerPolicyOptions, c.FeatureGates)] = true
	if r.Refused != "" {
		t.refused++
	}
	for _, v := range r.Answers {
		if v.Admitted {
			t.admitted++
			continue
		}
		t.reasons[v.Reason]++
	}
}

func (t *tally) print(w io.Writer) {
	fmt.Fprintf(w, "%d sessions, %d policy combinations, %d admissions: %d admitted, refused %v\n",
		t.sessions, len(t.policies), t.admissions, t.admitted, t.reasons)
	fmt.Fprintf(w, "%d sessions whose kubelet does not start; %d admissions left out because Go's map order "+
		"decides; %d sessions failed\n",
		t.refused, t.leftOut, t.failed)
}

// recordAll asks the real kubelet about the sessions made by hand, about every
// machine under so many policies, and about made-up machines, and writes a file of
// each. With only it writes the file of that name alone.
func recordAll(out, only string, seed uint64, perMachine int) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	w := &worker{}
	defer w.stop()
	t := &tally{policies: map[string]bool{}, reasons: map[string]int{}}
	for name, sessions := range files(seed, perMachine) {
		if only != "" && only != name {
			continue
		}
		if err := recordFile(w, t, filepath.Join(out, name+".jsonl.gz"), sessions); err != nil {
			return err
		}
	}
	t.print(os.Stdout)
	return nil
}

// files are the sessions by the name of their file.
func files(seed uint64, perMachine int) iter.Seq2[string, []kubelettest.Session] {
	return func(yield func(string, []kubelettest.Session) bool) {
		if !yield("hand-made", kubelettest.HandMade()) {
			return
		}
		policies := kubelettest.Policies()
		order, next := rand.New(rand.NewPCG(seed, 0)).Perm(len(policies)), 0
		for _, shape := range kubelettest.Machines() {
			var sessions []kubelettest.Session
			for range perMachine {
				p := policies[order[next%len(order)]]
				next++
				sessions = append(sessions, kubelettest.Generate(shape, p, seed<<32+uint64(next)))
			}
			if !yield(shape.Name, sessions) {
				return
			}
		}
		yield("made-up", madeUp(seed, 2*perMachine))
	}
}

// madeUp are sessions on a new machine each.
func madeUp(seed uint64, n int) []kubelettest.Session {
	policies := kubelettest.Policies()
	dice := rand.New(rand.NewPCG(seed, 1))
	var all []kubelettest.Session
	for i := range n {
		s := seed<<32 + uint64(i)
		all = append(all, kubelettest.Generate(kubelettest.RandomShape(s), policies[dice.IntN(len(policies))], s))
	}
	return all
}

// recordFile asks about sessions and writes them with the answers.
func recordFile(w *worker, t *tally, path string, sessions []kubelettest.Session) error {
	var all []kubelettest.Recorded
	for _, s := range sessions {
		r, leftOut, err := w.settled(s)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			t.failed++
			continue
		}
		t.add(r, leftOut)
		all = append(all, r)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := kubelettest.Write(f, all); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%-28s %4d sessions, %6d admissions so far\n", filepath.Base(path), len(all), t.admissions)
	return os.Rename(f.Name(), path)
}
