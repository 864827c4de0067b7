package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// timeSteps are the distances of marks on a time axis, in seconds.
var timeSteps = []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
	2 * 86400, 7 * 86400, 28 * 86400}

// timeStep is the least distance at which a time has at most n steps.
func timeStep(end float64, n int) float64 {
	for _, s := range timeSteps {
		if end <= s*float64(n) {
			return s
		}
	}
	last := timeSteps[len(timeSteps)-1]
	return last * math.Ceil(end/last/float64(n))
}

// tickText names a time on an axis with that distance of marks: "30 s", "5 min",
// "1:30 h", "36 h", "2 d".
func tickText(t, step float64) string {
	whole := func(per float64, name string) string {
		return strconv.FormatFloat(math.Round(t/per), 'f', -1, 64) + " " + name
	}
	parts := func(per float64, name string) string {
		if rest := math.Mod(t, per); rest != 0 {
			minutes := strconv.Itoa(int(rest / (per / 60)))
			if len(minutes) < 2 {
				minutes = "0" + minutes
			}
			return strconv.Itoa(int(t/per)) + ":" + minutes + " " + name
		}
		return whole(per, name)
	}
	switch {
	case t == 0:
		return "0"
	case step < 60 && t < 60:
		return whole(1, "s")
	case step < 60:
		return parts(60, "min")
	case step < 3600 && t < 3600:
		return whole(60, "min")
	case step < 3600:
		return parts(3600, "h")
	case step < 86400:
		return whole(3600, "h")
	}
	return whole(86400, "d")
}

// timeText is a time for tables and sentences.
func timeText(t unit.Duration) string { return unit.Format(float64(t), unit.Seconds) }

// leastLevels are the least amounts of a level in each of n equal parts of a time.
func leastLevels(l *v1alpha1.Level, end float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	for k, s := range l.Steps {
		from, to := math.Max(0, float64(s.At)), end
		if k+1 < len(l.Steps) {
			to = math.Min(end, float64(l.Steps[k+1].At))
		}
		if to <= from {
			continue
		}
		for i := int(from / end * float64(n)); i < n && float64(i)*end/float64(n) < to; i++ {
			if i >= 0 && !(out[i] <= s.Amount) {
				out[i] = s.Amount
			}
		}
	}
	return out
}

// leastOf is the least amount of a level and since when; false when it has none.
func leastOf(l *v1alpha1.Level) (v1alpha1.LevelStep, bool) {
	if len(l.Steps) == 0 {
		return v1alpha1.LevelStep{}, false
	}
	return slices.MinFunc(l.Steps, func(a, b v1alpha1.LevelStep) int { return cmp.Compare(a.Amount, b.Amount) }), true
}
