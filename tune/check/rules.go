package check

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/object"
)

// upstream are the operators' own manifests, which name kinds and namespaces.
var upstream = []derive.Source{{Code: "OpenShift API", Section: "kinds, versions and scopes"}}

// What no single package sees.
var (
	notYAML = object.Rule{ID: "check.unreadable", Severity: v1alpha1.Error,
		Title: "the text is no YAML, or no object of Kubernetes", Sources: []derive.Source{{Code: "YAML 1.2"}}}
	noObjects = object.Rule{ID: "check.noObjects", Severity: v1alpha1.Error,
		Title: "there is nothing to check", Sources: []derive.Source{{Code: "Plimsoll"}}}
	unknownKind = object.Rule{ID: "check.unknownKind", Severity: v1alpha1.Warning,
		Title: "the kind is not known and resembles one that is", Sources: upstream}
	unknownVersion = object.Rule{ID: "check.unknownVersion", Severity: v1alpha1.Error,
		Title: "the kind has no such apiVersion: the API server refuses the object", Sources: upstream}
	unread = object.Rule{ID: "check.notRead", Severity: v1alpha1.Info,
		Title: "the object has to do with the settings of nodes, and no rule reads it", Sources: upstream}
	wrongNamespace = object.Rule{ID: "check.wrongNamespace", Severity: v1alpha1.Error,
		Title: "the operator doesn't look into the object's namespace: nothing happens", Sources: upstream}
	noNamespace = object.Rule{ID: "check.noNamespace", Severity: v1alpha1.Warning,
		Title: "the object has no namespace: it goes where oc happens to be", Sources: upstream}
	noName = object.Rule{ID: "check.noName", Severity: v1alpha1.Error,
		Title: "the object has no name: the API server refuses it", Sources: upstream}
	listedTwice = object.Rule{ID: "check.listedTwice", Severity: v1alpha1.Warning,
		Title: "an object stands twice in the set: the one that is applied last counts", Sources: upstream}
	unknownRule = object.Rule{ID: "check.unknownRule", Severity: v1alpha1.Warning,
		Title: "a comment plimsoll:ignore names no rule", Sources: []derive.Source{{Code: "Plimsoll"}}}
)

var rules = []object.Rule{notYAML, noObjects, unknownKind, unknownVersion, unread, wrongNamespace, noNamespace, noName, listedTwice, unknownRule}
