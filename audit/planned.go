package audit

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// checked are the findings in settings, which stand in the cluster and not in lines of a file; what would come of a
// step of scaling up that nobody takes is none.
func (in Input) checked() []v1alpha1.Finding {
	out := slices.DeleteFunc(slices.Clone(in.Checked), func(f v1alpha1.Finding) bool { return f.ID == "health.burst" })
	for i := range out {
		if p := out[i].Place; p != nil {
			out[i].Place = &v1alpha1.Place{File: in.Cloud.Name, Cluster: true, Object: p.Object, Field: p.Field}
			out[i].Message = p.Object + ": " + out[i].Message
		}
	}
	return out
}

// ofClusters are the subjects of a plan that are about what is there, and not about what is to be bought.
var ofClusters = []string{"network.", "hugePages.", "workload.overcommit.",
	"control.nodeType."}

// planned are the errors and warnings of the plan, and of the placement, that are about what is there.
func (in Input) planned() []v1alpha1.Finding {
	var out []v1alpha1.Finding
	add := func(f v1alpha1.Finding) {
		same := func(g v1alpha1.Finding) bool { return g.ID == f.ID && g.Message == f.Message }
		if f.Severity != v1alpha1.Info && !slices.ContainsFunc(out, same) {
			f.Place = &v1alpha1.Place{File: in.Cloud.Name, Cluster: true, Object: f.Figure}
			out = append(out, f)
		}
	}
	if in.Placed != nil {
		for _, f := range in.Placed.Findings {
			// The loss of one host is the least that a cloud outlives (HCG 4).
			if strings.HasPrefix(f.ID, "place.loss[any ") || f.ID == "place.failures" {
				f.Severity = v1alpha1.Error
			}
			add(f)
		}
	}
	if in.Plan != nil {
		for _, f := range in.Plan.Findings {
			of := func(prefix string) bool { return strings.HasPrefix(f.ID, prefix) }
			if in.Cloud.Stack != nil || slices.ContainsFunc(ofClusters, of) {
				add(f)
			}
		}
	}
	return out
}

// limitsOf says by whose limits the cluster is judged where that is not its own release: another is asked for, or it
// is no OpenShift.
func (in Input) limitsOf() string {
	if in.Cloud.Stack != nil {
		return ", rules of " + string(in.Cloud.Stack.Rules)
	}
	if in.Plan == nil || in.Plan.Scenario == nil {
		return ""
	}
	of := in.Plan.Scenario.Platform
	if of.Release == "" || strings.HasPrefix(in.Cloud.OpenShift+".", of.Release+".") {
		return ""
	}
	return ", limits of " + cmp.Or(platformNames[of.Type], of.Type) + " " + of.Release
}

var platformNames = map[string]string{"openshift": "OpenShift", "kubernetes": "Kubernetes"}
