package kubeletconfig

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
)

// Problem is something about a KubeletConfig.
type Problem struct {
	Rule object.Rule
	// Path of the field: within kubeletConfig, or from spec on.
	Path string
	// What is the matter, and the Fix: what would be right.
	What, Fix string
}

// refused says whether one of the problems is an error.
func refused(list []Problem) bool {
	return slices.ContainsFunc(list, func(p Problem) bool { return p.Rule.Severity == v1alpha1.Error })
}

// ignored is a value that the merge passed over.
func ignored(t *typ, path string, raw, got any) Problem {
	p := Problem{Rule: zeroIgnored, Path: path, Fix: "remove it, or give a value that is not zero"}
	if t.kind == "quantity" {
		p.What = fmt.Sprintf("%s %s has no effect: the operator's merge can't change it", path, show(raw))
		return p
	}
	if got = plain(got); got == nil {
		got = "not set"
	}
	p.What = fmt.Sprintf("%s: %s has no effect: the operator takes it for not given, and %v stays", path, show(raw), got)
	return p
}
