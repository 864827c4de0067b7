package kubelettest

import "slices"

// Shrink takes events away as long as the session stays bad, halves first, then
// one by one, so that what is left is short enough to read.
func Shrink(s Session, bad func(Session) bool) Session {
	for size := max(1, len(s.Events)/2); ; size = max(1, size/2) {
		shorter := false
		for from := len(s.Events) - size; from >= 0; from -= size {
			t := s
			t.Events = slices.Delete(slices.Clone(s.Events), from, from+size)
			if bad(t) {
				s, shorter = t, true
			}
		}
		if size == 1 && !shorter {
			return s
		}
	}
}
