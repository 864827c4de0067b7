package machineconfig

import (
	"strings"
)

// versions are those of Ignition's specification, oldest first.
type versions []string

// The first version of Ignition's specification 3, and the newest that is accepted.
const (
	firstThree    = "3.0.0"
	newestVersion = "3.5.0"
)

func (v versions) String() string { return strings.Join(v, ", ") }
