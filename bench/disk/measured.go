package disk

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
)

// Measured is the 99th percentile of one writer in the place of the figure that a plan assumes. The
// error says why the run does not tell it.
func (r *Run) Measured() (v1alpha1.Measurement, error) {
	all, _, ok := r.alone()
	p99, known := all.Quantile(0.99)
	switch {
	case r.Volatile:
		return v1alpha1.Measurement{}, fmt.Errorf("%s keeps its files in memory: no disk was measured", r.Directory)
	case !ok || !known:
		return v1alpha1.Measurement{}, fmt.Errorf("the 99th percentile of one writer is not known")
	}
	source := "plimsoll bench disk " + r.Directory
	if r.Device != "" {
		source += " on " + r.Device
	}
	return v1alpha1.Measurement{Fact: "etcd.ownDisk.p99", Value: p99.Seconds(), Source: source + ", run " + r.RunID}, nil
}
