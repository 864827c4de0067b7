package kubelet

import (
	"fmt"
	"math"
	"time"
)

// The kubelet weighs every combination of hints of all lists. One takes it about
// 250 ns (measured with 1.36.3: 255^3 combinations in 4.1 to 4.8 CPU-seconds), and
// from a minute on it is worth a word.
const (
	perCombination  = 250 * time.Nanosecond
	worthAWord      = time.Minute
	fewCombinations = uint64(worthAWord / perCombination)
)

// slow says how long the kubelet takes to merge the hints of this pod, while
// nothing else is admitted; empty when that is not long.
func (a *admission) slow() string {
	if a.weighed < fewCombinations {
		return ""
	}
	seconds := float64(a.weighed) * perCombination.Seconds()
	return fmt.Sprintf("the topology manager weighs %s combinations of hints, about %s in which no other pod is admitted",
		count(a.weighed), longTime(seconds))
}

func count(n uint64) string {
	if n == math.MaxUint64 {
		return "more than 18 million million million"
	}
	const million = 1_000_000
	if n >= 10_000*million {
		return fmt.Sprintf("%.3g", float64(n))
	}
	return fmt.Sprintf("%d million", (n+million/2)/million)
}

// longTime is a duration for people: "4 minutes", "2 days", "more than a year".
func longTime(seconds float64) string {
	for _, u := range []struct {
		name    string
		seconds float64
		most    float64
	}{{"minutes", 60, 120}, {"hours", 3600, 48}, {"days", 86400, 365}} {
		if n := seconds / u.seconds; n < u.most {
			return fmt.Sprintf("%.0f %s", math.Ceil(n), u.name)
		}
	}
	return "more than a year"
}
