package ends

import (
	"os"

	"plimsoll.dev/unit"
)

// Spot is where an end runs.
type Spot struct {
	// Space is a file of the network namespace; nil for that of this process.
	Space *os.File
	// CPUs that it may use; empty for all.
	CPUs unit.CPUSet
}
