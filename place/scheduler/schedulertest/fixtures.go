package schedulertest

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Read yields the sessions of a file of fixtures: gzip'd, a JSON object on each
// line. It stops at the first error, which it yields.
func Read(r io.Reader) iter.Seq2[Recorded, error] {
	return func(yield func(Recorded, error) bool) {
		z, err := gzip.NewReader(r)
		if err != nil {
			yield(Recorded{}, err)
			return
		}
		in := json.NewDecoder(z)
		in.DisallowUnknownFields()
		for {
			var one Recorded
			err := in.Decode(&one)
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				err = one.check()
			}
			if !yield(one, err) || err != nil {
				return
			}
		}
	}
}

// Write writes sessions as Read expects them. Equal sessions give equal bytes.
func Write(w io.Writer, sessions []Recorded) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := json.NewEncoder(z)
	for _, one := range sessions {
		if err := one.check(); err != nil {
			return err
		}
		if err := out.Encode(one); err != nil {
			return err
		}
	}
	return z.Close()
}

// check reports whether the indexes of a recorded session are within bounds.
func (r Recorded) check() error {
	if len(r.Placed) != len(r.Arrivals) {
		return fmt.Errorf("%s: %d pods were placed and %d arrived", r.Name, len(r.Placed), len(r.Arrivals))
	}
	nodes := len(r.Nodes)
	for _, e := range r.Events {
		if e.Add != nil {
			nodes++
		}
	}
	for i, n := range r.Placed {
		if n < -1 || int(n) >= nodes {
			return fmt.Errorf("%s: pod %d is on node %d of %d", r.Name, i, n, nodes)
		}
	}
	return r.Session.Check()
}

// Check reports whether the session's indexes are within bounds.
func (s Session) Check() error {
	for i, c := range s.Arrivals {
		if c < 0 || int(c) >= len(s.Classes) {
			return fmt.Errorf("%s: pod %d is of class %d of %d", s.Name, i, c, len(s.Classes))
		}
	}
	for i, b := range s.Bound {
		if b.Class < 0 || b.Class >= len(s.Classes) || b.Node < 0 || b.Node >= len(s.Nodes) || b.Count < 1 {
			return fmt.Errorf("%s: bound %d has class %d of %d, node %d of %d and count %d", s.Name, i, b.Class, len(s.Classes),
				b.Node, len(s.Nodes), b.Count)
		}
	}
	nodes, last := len(s.Nodes), 0
	for i, e := range s.Events {
		if err := e.check(last, len(s.Arrivals), nodes); err != nil {
			return fmt.Errorf("%s: event %d: %w", s.Name, i, err)
		}
		if e.Add != nil {
			nodes++
		}
		last = e.Before
	}
	return nil
}

// check reports whether the event comes after the last one, does one thing, and
// speaks of pods and nodes that there are.
func (e Event) check(last, arrivals, nodes int) error {
	if e.Before < last || e.Before >= arrivals {
		return fmt.Errorf("is before arrival %d (must be from %d to %d)", e.Before, last, arrivals-1)
	}
	does := 0
	if e.Add != nil {
		does++
	}
	for _, n := range []*int{e.Remove, e.Cordon, e.Uncordon} {
		if n == nil {
			continue
		}
		does++
		if *n < 0 || *n >= nodes {
			return fmt.Errorf("is about node %d of %d", *n, nodes)
		}
	}
	if e.Leave != nil {
		does++
		if *e.Leave < 0 || *e.Leave >= e.Before {
			return fmt.Errorf("pod %d leaves before arrival %d", *e.Leave, e.Before)
		}
	}
	if does != 1 {
		return fmt.Errorf("does %d things (must be one)", does)
	}
	return nil
}
