package plan

import (
	"errors"
	"fmt"

	"plimsoll.dev/internal/words"
	"plimsoll.dev/place"
	"plimsoll.dev/place/whatif"
)

// search finds a number of nodes at a glance, where each trial takes its time, until one is sure.
func (s *holding) search() {
	for s.dear = false; ; {
		s.nodes = -1
		if s.find(); s.nodes < 0 || s.sure() {
			return
		}
	}
}

// sure tries all that is asked of the number that was found at a glance, beyond the budget if need be.
func (s *holding) sure() bool {
	n := s.nodes
	if !s.glanced[n] {
		return true
	}
	all := place.Budget{Pods: max(0, s.budget.Pods) + s.spare.Pods}
	h, err := s.try(n, s.demand, &all)
	s.spare.Pods = min(s.spare.Pods, max(0, all.Pods))
	s.budget.Pods = max(0, all.Pods-s.spare.Pods)
	switch {
	case errors.Is(err, place.ErrBudget):
		s.ended, s.nodes = true, -1
		return true
	case err != nil:
		s.err = err
		return true
	}
	delete(s.glanced, n)
	if s.keep(n, h); h.Holds() {
		return true
	}
	s.full = true // so would the next numbers be, one after the other
	for n := range s.glanced {
		delete(s.tried, n)
	}
	clear(s.glanced)
	return false
}

// find tries numbers of nodes.
func (s *holding) find() {
	if s.open < 0 {
		s.nodes = 0 // which stands for those that are stated
		s.holds(0)
		return
	}
	most := max(mostOver*max(s.c.opt.Base, s.floor)+4, s.apart)
	each := s.floor <= eachNumber && (s.few || s.packed-s.floor <= below)
	if each {
		for n := s.floor; n <= min(most, 2*eachNumber) && !s.ended && !s.dear; n++ {
			if s.holds(n) && s.found(n) {
				return
			}
		}
	}
	start := s.start
	switch {
	case !s.few:
		start = max(start, s.packed)
	case each:
		start = min(most, max(s.floor, len(s.tried)+s.floor))
	}
	n, ok := whatif.Fewest(s.floor, start, most, s.holds)
	for range widened {
		h := s.tried[most]
		if ok || s.ended || s.dear || s.err != nil || h.Holds() || !h.MoreMayHold() || most >= mostNodes {
			break
		}
		more := min(4*most, mostNodes)
		n, ok = whatif.Fewest(most+1, more, more, s.holds) // from above, so that one trial ends it where no number holds
		most = more
	}
	switch {
	case s.dear, s.err != nil:
		return
	case ok && !s.ended && s.found(n):
		s.lower()
		return
	}
	for n, h := range s.tried { // the budget ended it: what is known to hold does
		if h.Holds() && (s.nodes < 0 || n < s.nodes) {
			s.nodes = n
		}
	}
}

// lower tries a few numbers below the one that was found by halving: fewer may hold where one fewer
// does not, as with three zones of which one has a node more than the others.
func (s *holding) lower() {
	budget := s.budget
	s.budget = s.below
	for n := s.nodes - 1; n >= max(s.floor, s.nodes-below); n-- {
		if !s.holds(n) {
			continue
		}
		if !s.found(n) {
			break
		}
	}
	s.budget, s.ended, s.dear, s.err = budget, false, false, nil // that nothing more was tried ends no answer
}

// found takes a number that was tried and holds for the answer.
func (s *holding) found(n int) bool {
	h, ok := s.tried[n]
	if ok = ok && h.Holds(); ok {
		s.nodes = n
	}
	return ok
}

// holds tries one number of nodes. What is not tried any more, for the budget or an error, holds, so that
// a search ends.
func (s *holding) holds(n int) bool {
	if h, ok := s.tried[n]; ok {
		return h.Holds()
	}
	if s.ended || s.dear || s.err != nil {
		return true
	}
	d := s.demand
	d.Glance = s.open >= 0 && s.floor > eachNumber && !s.full
	h, err := s.try(n, d, s.budget)
	switch {
	case errors.Is(err, place.ErrBudget):
		s.ended = true
		return true
	case err != nil:
		s.err = err
		return true
	}
	if s.keep(n, h); !h.Holds() {
		s.dear = s.dearer != nil && s.dearer(s.least())
	} else if d.Glance {
		s.glanced[n] = true
	}
	return h.Holds()
}

// least is the least number that the search may still find: it looks so far below one that holds,
// which is above those that are too few.
func (s *holding) least() int { return max(s.floor, s.most()+1-s.window) }

// keep remembers an answer, and of the placements that hold the one on fewest nodes.
func (s *holding) keep(n int, h place.Held) {
	if s.open >= 0 && !h.Holds() {
		h.Forget()
	}
	for m, old := range s.tried {
		if h.Holds() && m > n {
			old.Forget()
			s.tried[m] = old
		}
	}
	s.tried[n] = h
}

// untried says how many fewer nodes were tried, where not all numbers from the floor on were.
func (s *holding) untried() string {
	few := 0
	for n := s.nodes - 1; n >= s.floor; n-- {
		if _, ok := s.tried[n]; !ok {
			break
		}
		few++
	}
	switch few {
	case s.nodes - s.floor:
		return ""
	case 0:
		return "; found by halving"
	}
	return fmt.Sprintf("; found by halving, and at none of the %s below it", words.Number(few))
}
