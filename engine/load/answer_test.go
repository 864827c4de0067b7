package load

import (
	"strings"
	"testing"
	"time"

	"plimsoll.dev/bench"
)

// of are times under an ID.
func of(id string, times ...time.Duration) Latency {
	return Latency{id, id, "own", bench.Summarize(times, 0), times}
}

// With the intervals in the same table each time would be a list on a terminal.
func TestIntervalsStandByThemselves(t *testing.T) {
	r := &Result{Latencies: []Latency{of("a", time.Second, 2*time.Second, 3*time.Second), of("b", 0)}}
	tables := r.times()
	if len(tables) != 2 || len(tables[0].Columns) > 8 || !tables[1].Wide || len(tables[1].Rows) != 2 {
		t.Fatalf("%+v", tables)
	}
	if got := tables[1].Rows[0][1].Text; got != "1s and more" {
		t.Errorf("the median lies between %s", got)
	}
	if got := tables[0].Rows[1][7].Text; got != "0s" {
		t.Errorf("the longest of a whole second is %s", got)
	}
}

// What a step holds back by itself is no reason that a rate was not reached.
func TestHeldBackSaid(t *testing.T) {
	for held, want := range map[time.Duration]bool{5 * time.Microsecond: false, 2 * time.Second: true} {
		now := time.Now()
		r := &Result{RateAsked: 200, RateReached: 100, HeldBack: held, Filled: 401, First: now,
			Last: now.Add(4 * time.Second)}
		if said := strings.Contains(r.Answer(nil, nil).Findings[0].Message, "nothing was due"); said != want {
			t.Errorf("%s: said is %v", held, said)
		}
	}
}

// The longest call is that of what is climbed.
func TestLongestCall(t *testing.T) {
	for maximum, want := range map[string]string{"namespaces": "5s", "config-maps": "1s"} {
		l := &Climbed{Maximum: maximum, Goal: 1, Levels: []Level{{Result: &Result{Latencies: []Latency{
			of("create/configmaps", time.Second), of("create/namespaces", 5*time.Second), of("pod/ready", time.Hour)}}}}}
		if got := l.table().Rows[0][5].Text; got != want {
			t.Errorf("%s: the longest call is %s, want %s", maximum, got, want)
		}
	}
}
