// Package flavor reads what a flavor and an image ask of a host: extra specs and
// image properties under their real names become a request of package nova. It
// finds no place.
//
//	r, remarks, errs := flavor.Request(&f, nil, nil, nova.Nova)
//	r.Cells[0].PageSize // 1048576
package flavor

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
)

// Remark is something that is read and does not do what its writer may think.
type Remark struct {
	// Key is the extra spec or property.
	Key string
	// Text says what it does not do and why.
	Text string
}

// Error is a value that Nova (or the rule set) refuses.
type Error struct {
	// Key is the extra spec or property; empty for the flavor as a whole.
	Key string
	// Text is what is wrong, Fix what would be right.
	Text, Fix string
}

// Request makes the request of a VM of the flavor with the image (nil is none)
// and the ports. Errors are all that is wrong; then the request is nil.
func Request(f *v1alpha1.Flavor, image *v1alpha1.Image, ports []v1alpha1.Port, rules nova.Rules) (*nova.Request, []Remark, []Error) {
	return nil, nil, nil
}

// Constraints are what a flavor asks of the choice of host.
type Constraints struct {
	// Aggregate metadata that the host must have, as aggregate_instance_extra_specs has
	// them, by key, with the operator still in the value.
	Aggregate map[string]string
	// LocalBacking is image, lvm or remote; empty takes any.
	LocalBacking string
}

// HostConstraints reads what the flavor asks of the choice of host.
func HostConstraints(f *v1alpha1.Flavor) (Constraints, []Error) { return Constraints{}, nil }
