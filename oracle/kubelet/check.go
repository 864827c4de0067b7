package kubelet

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"plimsoll.dev/place/kubelet/kubelettest"
)

// check compares our engine with the real kubelet over fresh random sessions,
// until it has found and printed so many differences.
func check(out io.Writer, seed uint64, from, sessions, most int) (differences int, err error) {
	w := &worker{}
	defer w.stop()
	admissions, leftOut, failed := 0, 0, 0
	for i := from; i < from+sessions; i++ {
		if n := i - from; n > 0 && n%50 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d sessions, %d admissions\n", n, sessions, admissions)
		}
		s := kubelettest.Random(seed<<32 + uint64(i))
		want, left, err := w.settled(s)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed++
			continue
		}
		admissions += len(want.Answers)
		leftOut += left
		if _, what := differ(want); what == "" {
			continue
		}
		differences++
		fmt.Fprintf(out, "\n== session %d of seed %d: %s\n", i, seed, s.Name)
		explain(out, w, want)
		if differences >= most {
			break
		}
	}
	fmt.Fprintf(out, "%d admissions compared, %d sessions differ; %d admissions left out because Go's map order "+
		"decides; %d sessions failed\n",
		admissions, differences, leftOut, failed)
	return differences, nil
}

// differ compares our answers with the recorded ones.
func differ(want kubelettest.Recorded) (at int, what string) {
	got, err := ours(want.Session)
	switch {
	case err != nil:
		return 0, err.Error()
	case (want.Refused == "") != (got.Refused == ""):
		return 0, fmt.Sprintf("start: the kubelet says %q, we say %q", want.Refused, got.Refused)
	case want.Refused != "":
		return 0, ""
	}
	at, what = kubelettest.FirstDifference(want.Answers, got.Answers)
	return at, what
}

// explain prints the shortest part of a session that we answer differently.
func explain(out io.Writer, w *worker, r kubelettest.Recorded) {
	s := kubelettest.Shrink(r.Session, func(s kubelettest.Session) bool {
		want, _, err := w.settled(s)
		if err != nil {
			return false
		}
		_, what := differ(want)
		return what != ""
	})
	want, _, err := w.settled(s)
	if err != nil {
		fmt.Fprintln(out, err)
		return
	}
	got, _ := ours(s) // what is wrong with it is in the difference
	at, what := differ(want)
	fmt.Fprintf(out, "answer %d: %s\nconfig: %s\n", at, what, line(s.Config))
	for _, e := range s.Events {
		fmt.Fprintln(out, "event:", line(e))
	}
	fmt.Fprintf(out, "the kubelet: %s\nwe:          %s\n", line(nth(want, at)), line(nth(got, at)))
}

func nth(r kubelettest.Recorded, i int) any {
	if i < len(r.Answers) {
		return r.Answers[i]
	}
	return r.Refused
}

func line(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
