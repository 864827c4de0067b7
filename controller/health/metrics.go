package health

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// The operator's own metrics (machine-api-operator, pkg/metrics/machinehealthcheck.go), by which its alerts go,
// and one of this controller.
var (
	covered = gauge("mapi_machinehealthcheck_nodes_covered", "Machines that a check selects.")
	short   = gauge("mapi_machinehealthcheck_short_circuit", "1 while more machines are unhealthy than a check allows.")
	held    = gauge("plimsoll_health_held", "1 while machines are due and are left alone for another reason.")
	done    = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mapi_machinehealthcheck_remediation_success_total",
		Help: "Machines that were deleted."}, []string{"name", "namespace"})
)

func gauge(name, help string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{"name", "namespace"})
	metrics.Registry.MustRegister(g)
	return g
}

func init() { metrics.Registry.MustRegister(done) }

// observe what came of a pass over a check. One that is gone has no metrics; one that is paused, or can't be judged,
// has those of before, as with the operator.
func observe(check types.NamespacedName, out *Outcome, err error) {
	name := []string{check.Name, check.Namespace}
	switch p := out.Pass; {
	case p != nil:
		held.WithLabelValues(name...).Set(one(out.Reason != ""))
		if p.Paused || p.Err != nil {
			return
		}
		covered.WithLabelValues(name...).Set(float64(p.Expected))
		short.WithLabelValues(name...).Set(one(!p.Allowed))
		done.WithLabelValues(name...).Add(float64(out.Deleted))
	case err == nil:
		for _, g := range []*prometheus.GaugeVec{covered, short, held} {
			g.DeleteLabelValues(name...)
		}
		done.DeleteLabelValues(name...)
	}
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
