package ends

// sampled is what knows whether somebody disturbed it.
type sampled interface {
	Disturbed() string
	Foreign() float64
}

// Retakes is how many samples of a run may be taken again since somebody disturbed them: one of twenty, so
// that a busy machine does not make the run longer than it was said to be.
func Retakes(samples int) int { return 1 + samples/20 }

// Retake takes a sample: a second time where the first was disturbed, of which the less disturbed counts. Left is how
// often that may still be, and repeated how often it was.
func Retake[S sampled](left, repeated *int, take func() (S, error)) (S, error) {
	one, err := take()
	if err != nil || one.Disturbed() == "" || *left == 0 {
		return one, err
	}
	*left--
	*repeated++
	other, err := take()
	if err == nil && (other.Disturbed() == "" || other.Foreign() < one.Foreign()) {
		return other, nil
	}
	return one, err
}
