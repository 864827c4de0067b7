package helion

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// same are findings that tell one fault twice: what speaks against the model that is planned with,
// and what the part says of it that sizes the hosts or measures the limit.
var same = []struct{ goes, stays string }{
	{"model.alone", "compute.option["},
	{"model.lvm", "controller.lvm.tooSmall"},
	{"limits.vmsOfModel", "model.vms"},
}

// tellOnce leaves one of the errors that tell the same, with what either advises.
func tellOnce(findings []v1alpha1.Finding) []v1alpha1.Finding {
	find := func(id string) int {
		return slices.IndexFunc(findings, func(f v1alpha1.Finding) bool {
			return f.Severity == v1alpha1.Error && strings.HasPrefix(f.ID, id)
		})
	}
	for _, s := range same {
		if goes, stays := find(s.goes), find(s.stays); goes >= 0 && stays >= 0 {
			if findings[stays].Remedy == "" {
				findings[stays].Remedy = findings[goes].Remedy
			}
			findings = slices.Delete(findings, goes, goes+1)
		}
	}
	return findings
}
