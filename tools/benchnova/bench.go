package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/nova/novatest"
)

// row is one host shape: the time of all its requests on each side.
type row struct {
	shape                   string
	requests                int
	theirs                  time.Duration
	fit, into, fits, search time.Duration
}

// real is what Nova's side prints for a shape.
type real struct {
	Shape    string  `json:"shape"`
	Requests int     `json:"requests"`
	Seconds  float64 `json:"seconds"`
}

// bench measures file by file, Nova first and then ours, while Nova's side waits.
func bench(oracle string, files []string, out io.Writer) error {
	cmd := exec.Command(oracle, append([]string{"bench"}, files...)...)
	cmd.Stderr = os.Stderr
	turn, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := json.NewDecoder(bufio.NewReader(answers))
	var rows []row
	for _, name := range files {
		more, err := pair(name, turn, lines)
		if err != nil {
			turn.Close()
			return fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, more...)
	}
	turn.Close()
	if err := cmd.Wait(); err != nil {
		return err
	}
	_, err = io.WriteString(out, table(rows))
	return err
}

// pair measures the shapes of one file on both sides.
func pair(name string, turn io.Writer, lines *json.Decoder) ([]row, error) {
	if _, err := io.WriteString(turn, "\n"); err != nil {
		return nil, err
	}
	var theirs []real
	if err := lines.Decode(&theirs); err != nil {
		return nil, err
	}
	ours, err := measure(name)
	if err != nil {
		return nil, err
	}
	for _, t := range theirs {
		mine := ours[t.Shape]
		if mine == nil || mine.requests != t.Requests {
			return nil, fmt.Errorf("%s: the two sides read different requests", t.Shape)
		}
		mine.theirs = time.Duration(t.Seconds * float64(time.Second))
	}
	var rows []row
	for _, t := range theirs {
		rows = append(rows, *ours[t.Shape])
	}
	return rows, nil
}

// measure times our side of a file, by shape.
func measure(name string) (map[string]*row, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows := map[string]*row{}
	for s, err := range novatest.Read(file) {
		if err != nil {
			return nil, err
		}
		if rows[s.Shape] == nil {
			rows[s.Shape] = &row{shape: s.Shape}
		}
		s.Host.Prepare()
		rows[s.Shape].add(s)
	}
	return rows, nil
}

// add times each request of a sequence on the host as it is then.
func (r *row) add(s novatest.Sequence) {
	replay := novatest.NewReplay(s)
	h := &replay.Host
	var into nova.Fit
	for step := range replay.Requests() {
		if len(step.Request.Cells) == 0 {
			continue
		}
		r.requests++
		r.fit += each(func() { h.Fit(&step.Request, nova.Nova) })
		r.into += each(func() { h.FitInto(&step.Request, nova.Nova, &into) })
		r.fits += each(func() { h.Fits(&step.Request, nova.Nova) })
		r.search += each(func() { h.Search(&step.Request) })
	}
}

// each is the time of one call: of as many as a clock can tell, the fastest of three
// rounds. On Nova's side a round is several calls as well.
func each(call func()) time.Duration {
	n, best := 1, time.Duration(0)
	for best = round(n, call); best < 20*time.Microsecond; best = round(n, call) {
		n *= 4
	}
	for range 2 {
		best = min(best, round(n, call))
	}
	return best / time.Duration(n)
}

func round(n int, call func()) time.Duration {
	begin := time.Now()
	for range n {
		call()
	}
	return time.Since(begin)
}
