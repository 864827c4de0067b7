package check

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/object"
)

// upstream are the operators' own manifests, which name kinds and namespaces.
var upstream = []derive.Source{{Code: "OpenShift API", Section: "kinds, versions and scopes"}}

var rules = []object.Rule{notYAML, noObjects, unknownKind, unknownVersion, unread, wrongNamespace, noNamespace, noName, listedTwice, unknownRule}
