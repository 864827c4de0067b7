package pool

import (
	"plimsoll.dev/derive"
)

// mco is the Machine Config Operator's source, at a file of it.
func mco(file string) derive.Source { return derive.Source{Code: "MCO source", Section: file} }

// The files that the behaviours are read from.
const (
	helpersFile    = "pkg/helpers/helpers.go"
	controllerFile = "pkg/controller/node/node_controller.go"
)
