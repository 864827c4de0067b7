package health

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"k8s.io/apimachinery/pkg/types"
)

// The metrics say what came of the last pass, and nothing of a check that is gone.
func TestMetrics(t *testing.T) {
	name := types.NamespacedName{Namespace: "m", Name: "metrics"}
	of := func(w int, most string) Outcome {
		f := workers(10, w, longAgo)
		f.Check = check(most)
		return once(t, keeper(f))
	}
	for _, c := range []struct {
		out                       Outcome
		covered, short, held, sum float64
	}{
		{of(2, "40%"), 10, 0, 0, 2}, {of(5, "40%"), 10, 1, 0, 2}, {of(1, "40%"), 10, 0, 0, 3},
	} {
		observe(name, &c.out, nil)
		for what, pair := range map[string][2]float64{
			"covered": {testutil.ToFloat64(covered.WithLabelValues(name.Name, name.Namespace)), c.covered},
			"short":   {testutil.ToFloat64(short.WithLabelValues(name.Name, name.Namespace)), c.short},
			"held":    {testutil.ToFloat64(held.WithLabelValues(name.Name, name.Namespace)), c.held},
			"done":    {testutil.ToFloat64(done.WithLabelValues(name.Name, name.Namespace)), c.sum},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s is %v, not %v", what, pair[0], pair[1])
			}
		}
	}
	observe(name, &Outcome{}, nil)
	if n := testutil.CollectAndCount(covered); n != 0 {
		t.Errorf("of a check that is gone %d metrics are left", n)
	}
}
