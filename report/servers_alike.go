package report

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// alikeMark ends the name of a row that stands for several types.
const alikeMark = " alike"

// leastAlike is the number of types that are worth one row in the place of theirs.
const leastAlike = 3

// kindOf is the same for types that share a row; none of a number of VMs, which has its
// own.
func kindOf(o *v1alpha1.ServerOutcome) (kind string, single bool) {
	numbers := []any{o.VCPUs, o.More, o.RAM, o.Bound > 0, o.Placed == o.Wanted, o.AtLeast}
	return fmt.Sprintf("%q %q %v", o.Flavor, o.Policy, numbers), o.Wanted == 1
}

// alikeServers tells single VMs that differ in nothing but their name as one: those
// of a cloud that runs are each a type.
func alikeServers(all []v1alpha1.ServerOutcome) []v1alpha1.ServerOutcome {
	kinds := map[string]int{}
	for i := range all {
		if k, single := kindOf(&all[i]); single {
			kinds[k]++
		}
	}
	return merged(all, func(o *v1alpha1.ServerOutcome) (string, bool) {
		k, single := kindOf(o)
		if !single || kinds[k] < leastAlike {
			return "", false
		}
		o.Name += " and " + words.Number(kinds[k]-1) + alikeMark
		return k, true
	}, func(to *v1alpha1.ServerOutcome, o v1alpha1.ServerOutcome) {
		to.Wanted, to.Placed = to.Wanted+o.Wanted, to.Placed+o.Placed
		to.Bound, to.NovaRefuses = to.Bound+o.Bound, to.NovaRefuses+o.NovaRefuses
	})
}
