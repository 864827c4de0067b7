//go:build !linux

package ends

import "plimsoll.dev/unit"

// Allowed are the CPUs that this process may run on.
func Allowed() unit.CPUSet { return unit.CPUSet{} }
