package report

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// alikeMark ends the name of a row that stands for several types.
const alikeMark = " alike"

// leastAlike is the number of types that are worth one row in the place of theirs.
const leastAlike = 3

// serverKind is what types have in common that share a row.
type serverKind struct {
	flavor, policy       string
	vcpus, more          int
	ram                  unit.Bytes
	bound, fits, atLeast bool
}

// kindOf is the kind of a single VM; none for a number of VMs, which has its own row.
func kindOf(o v1alpha1.ServerOutcome) (k serverKind, single bool) {
	return serverKind{o.Flavor, o.Policy, o.VCPUs, o.More, o.RAM, o.Bound > 0, o.Placed == o.Wanted, o.AtLeast}, o.Wanted == 1
}

// alikeServers tells single VMs that differ in nothing but their name as one: those
// of a cloud that runs are each a type.
func alikeServers(all []v1alpha1.ServerOutcome) []v1alpha1.ServerOutcome {
	kinds := map[serverKind]int{}
	for _, o := range all {
		if k, single := kindOf(o); single {
			kinds[k]++
		}
	}
	var out []v1alpha1.ServerOutcome
	at := map[serverKind]int{}
	for _, o := range all {
		k, single := kindOf(o)
		if !single || kinds[k] < leastAlike {
			out = append(out, o)
			continue
		}
		if i, ok := at[k]; ok {
			x := &out[i]
			x.Wanted, x.Placed, x.Bound, x.NovaRefuses = x.Wanted+o.Wanted, x.Placed+o.Placed, x.Bound+o.Bound, x.NovaRefuses+o.NovaRefuses
			continue
		}
		at[k] = len(out)
		o.Name += " and " + words.Number(kinds[k]-1) + alikeMark
		out = append(out, o)
	}
	return out
}
