package kubelettest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"

	"plimsoll.dev/topo"
)

// Write puts sessions into the file format: one line of JSON each, compressed by
// gzip. A machine that equals the one of the line before is left out.
func Write(w io.Writer, sessions []Recorded) error {
	zip, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(zip)
	lines.SetEscapeHTML(false)
	var last topo.Machine
	for _, s := range sessions {
		machine := s.Machine
		if reflect.DeepEqual(machine, last) {
			s.Machine = topo.Machine{}
		}
		last = machine
		if err := lines.Encode(s); err != nil {
			return err
		}
	}
	return zip.Close()
}

// Read yields the sessions of a file; an error is the last thing that it yields.
func Read(r io.Reader) iter.Seq2[Recorded, error] {
	return func(yield func(Recorded, error) bool) {
		zip, err := gzip.NewReader(bufio.NewReader(r))
		if err != nil {
			yield(Recorded{}, err)
			return
		}
		lines := json.NewDecoder(zip)
		lines.DisallowUnknownFields()
		var last topo.Machine
		for n := 1; ; n++ {
			var s Recorded
			err := lines.Decode(&s)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Recorded{}, fmt.Errorf("session %d: %w", n, err))
				return
			}
			if len(s.Machine.CPUs) == 0 {
				s.Machine = last
			}
			last = s.Machine
			if !yield(s, nil) {
				return
			}
		}
	}
}
