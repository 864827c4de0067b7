package flavor

import (
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// Constraints are what a flavor asks of the choice of host.
type Constraints struct {
	// Aggregate metadata that the host must have, as aggregate_instance_extra_specs has
	// them, by key, with the operator still in the value.
	Aggregate map[string]string
	// LocalBacking is image, lvm or remote; empty takes any.
	LocalBacking string
}

// aggregateScope is the namespace of extra specs that select hosts by metadata.
const aggregateScope = "aggregate_instance_extra_specs"

// backings are the values of aggregate_instance_extra_specs:storage that name the
// backing of a host's local disks.
var backings = map[string]string{"local_image": "image", "local_lvm": "lvm", "remote": "remote"}

// HostConstraints reads what the flavor asks of the choice of host. A key
// storage with another value than a backing is metadata like any other.
func HostConstraints(f *v1alpha1.Flavor) (Constraints, []Error) {
	var c Constraints
	var errs []Error
	for _, name := range slices.Sorted(maps.Keys(f.Properties)) {
		rest, ok := strings.CutPrefix(name, aggregateScope+":")
		value := f.Properties[name]
		switch backing := backings[strings.TrimSpace(strings.TrimPrefix(value, "s=="))]; {
		case !ok:
		case rest == "":
			errs = append(errs, Error{Key: name, Text: "names no metadata", Fix: aggregateScope + ":ssd=true"})
		case rest == "storage" && backing != "":
			c.LocalBacking = backing
		default:
			if c.Aggregate == nil {
				c.Aggregate = map[string]string{}
			}
			c.Aggregate[rest] = value
		}
	}
	return c, errs
}
