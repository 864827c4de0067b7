package main

import (
	"encoding/json"
	"fmt"
	"io"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/nova/novatest"
)

// check compares every request of the sequences that it reads. A difference is told
// with the host as it was, so that it can be read by itself.
func check(in io.Reader, out io.Writer, most int) error {
	requests, faults, differences := 0, 0, 0
	for s, err := range novatest.ReadLines(in) {
		if err != nil {
			return err
		}
		r := novatest.NewReplay(s)
		for step := range r.Requests() {
			requests++
			if step.Fault() {
				faults++
			}
			problem := r.Check(step)
			if problem == "" {
				continue
			}
			if differences++; differences <= most {
				tell(out, s.Name, step, &r.Host, problem)
			}
		}
	}
	fmt.Fprintf(out, "%d requests, Nova's search fails on %d, %d answers differ\n", requests, faults, differences)
	if differences > 0 {
		return errDiffer
	}
	return nil
}

func tell(out io.Writer, name string, step *novatest.Step, host *nova.Host, problem string) {
	fmt.Fprintf(out, "%s, request %d: %s\n", name, step.ID, problem)
	for _, part := range []struct {
		name  string
		value any
	}{{"host", host}, {"request", step.Request}, {"nova", step.Own}, {"right", step.Right}} {
		text, err := json.Marshal(part.value)
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(out, "  %-7s %s\n", part.name, text)
	}
}
