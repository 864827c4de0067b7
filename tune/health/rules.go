package health

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/object"
)

func ocp(section string) derive.Source { return derive.Source{Code: "OCP", Section: section} }

// refusals are the rules whose errors mean that the API server refuses the object.
var refusals = []string{wrongVersion.ID, wrongName.ID, required.ID, noPattern.ID, noCondition.ID, object.WrongType.ID}
