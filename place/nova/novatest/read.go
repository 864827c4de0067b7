package novatest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"iter"
)

// Read yields the sequences of a recorded file (JSON lines, compressed by gzip);
// an error is the last thing that it yields.
func Read(r io.Reader) iter.Seq2[Sequence, error] {
	return func(yield func(Sequence, error) bool) {
		zip, err := gzip.NewReader(bufio.NewReader(r))
		if err != nil {
			yield(Sequence{}, err)
			return
		}
		ReadLines(zip)(yield)
	}
}

// ReadLines yields the sequences of JSON lines as "run.sh check" prints them.
func ReadLines(r io.Reader) iter.Seq2[Sequence, error] {
	return func(yield func(Sequence, error) bool) {
		lines := json.NewDecoder(r)
		var open *Sequence
		for number := 1; ; number++ {
			var l line
			err := lines.Decode(&l)
			if err == io.EOF {
				break
			}
			if err == nil && l.Sequence != nil {
				if open != nil && !yield(*open, nil) {
					return
				}
				open = &Sequence{Name: *l.Sequence, Shape: l.Shape, Host: l.Host}
				continue
			}
			if err == nil {
				err = open.add(&l)
			}
			if err != nil {
				yield(Sequence{}, fmt.Errorf("line %d: %w", number, err))
				return
			}
		}
		if open != nil {
			yield(*open, nil)
		}
	}
}

// add appends a line to the sequence, which may be nil before the first.
func (s *Sequence) add(l *line) error {
	if s == nil {
		return fmt.Errorf("no sequence has begun")
	}
	step, err := l.step()
	if err == nil {
		s.Steps = append(s.Steps, step)
	}
	return err
}
