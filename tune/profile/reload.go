package profile

import (
	"plimsoll.dev/derive"
)

// nto is the Node Tuning Operator's source, at a file of it.
func nto(file string) derive.Source { return derive.Source{Code: "NTO source", Section: file} }

// ocp is a section of the guide of 4.4.
func ocp(section string) derive.Source { return derive.Source{Code: "OCP", Section: section} }

// reloadRule says after which changes of profile texts the daemon of a node is reloaded.
type reloadRule string

// The changes that reload.
const (
	reloadAny     reloadRule = "any profile's text"
	reloadOwn     reloadRule = "the chosen profile's own text"
	reloadParents reloadRule = "the text of the chosen profile or of one that it includes"
)
