package health

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"k8s.io/apimachinery/pkg/types"
)

// The metrics say what came of the last pass, and nothing of a check that is gone.
func TestMetrics(t *testing.T) {
	name := types.NamespacedName{Namespace: "m", Name: "metrics"}
	of := func(w int, most string, notes map[string]string) Outcome {
		f := workers(10, w, longAgo)
		f.Check = check(most)
		f.Check.Metadata.Annotations = notes
		return once(t, keeper(f))
	}
	external := map[string]string{"machine.openshift.io/remediation-strategy": "external-baremetal"}
	f := workers(10, 2, longAgo)
	f.Leads = false
	for _, c := range []struct {
		out                       Outcome
		covered, short, held, sum float64
	}{
		{of(2, "40%", nil), 10, 0, 0, 2},
		{of(1, "40%", external), 10, 0, 0, 2}, // which is not known to remedy anything
		{of(5, "40%", nil), 10, 1, 0, 2},
		{of(5, "40%", map[string]string{"cluster.x-k8s.io/paused": ""}), 10, 1, 0, 2},
		{once(t, keeper(f)), 10, 0, 1, 2},
		{of(1, "40%", nil), 10, 0, 0, 3},
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
	for what, of := range map[string]prometheus.Collector{"covered": covered, "short": short, "held": held, "done": done} {
		if n := testutil.CollectAndCount(of); n != 0 {
			t.Errorf("of a check that is gone %d metrics %s are left", n, what)
		}
	}
}
