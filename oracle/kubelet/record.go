package kubelet

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/kubelet/kubelettest"
)

// tally counts what was recorded.
type tally struct {
	sessions, admissions, admitted, refused, leftOut, hangs, failed int
	policies                                                        map[string]bool
	reasons                                                         map[string]int
}

func (t *tally) add(r kubelettest.Recorded, leftOut int) {
	t.sessions++
	t.admissions += len(r.Answers)
	t.leftOut += leftOut
	if r.Refused != "" {
		t.refused++
	}
	for _, v := range r.Answers {
		if v.Admitted {
			t.admitted++
			continue
		}
		t.reasons[v.Reason]++
		if v.Reason == kubelet.Hangs {
			t.hangs++
		}
	}
}

func (t *tally) print(w io.Writer) {
	fmt.Fprintf(w, "%d sessions, %d policy combinations, %d admissions: %d admitted, refused %v\n",
		t.sessions, len(t.policies), t.admissions, t.admitted, t.reasons)
	fmt.Fprintf(w, "%d sessions whose kubelet does not start; %d admissions left out because Go's map order decides; %d sessions failed\n",
		t.refused, t.leftOut, t.failed)
}

// recordAll asks the real kubelet about every machine under so many policies, and
// about the sessions made by hand, and writes a file for each machine.
func recordAll(out string, seed uint64, perMachine int) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	w := &worker{}
	defer w.stop()
	t := &tally{policies: map[string]bool{}, reasons: map[string]int{}}
	if err := recordFile(w, t, filepath.Join(out, "hand-made.jsonl.gz"), kubelettest.HandMade()); err != nil {
		return err
	}
	policies := kubelettest.Policies()
	order, next := rand.New(rand.NewPCG(seed, 0)).Perm(len(policies)), 0
	for _, shape := range kubelettest.Machines() {
		var sessions []kubelettest.Session
		for i := range perMachine {
			p := policies[order[next%len(order)]]
			next++
			t.policies[p.Name] = true
			sessions = append(sessions, kubelettest.Generate(shape, p, seed*1000+uint64(i)))
		}
		if err := recordFile(w, t, filepath.Join(out, shape.Name+".jsonl.gz"), sessions); err != nil {
			return err
		}
	}
	t.print(os.Stdout)
	return nil
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
