package check

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/kubeletconfig"
	"plimsoll.dev/tune/performance"
	"plimsoll.dev/tune/profile"
)

// byPackages is what all packages find in objects.
func byPackages(objects []*object.Object, r release.Release) (found []v1alpha1.Finding) {
	for _, p := range packages {
		found = append(found, p.check(objects, r)...)
	}
	return found
}

// besideMade is what else is found where the objects stand together with those that the operator makes of the
// PerformanceProfiles among them: two KubeletConfigs for one pool, two Tuneds of one priority, fields of an annotation
// that the kubelet doesn't start with. What else is wrong with one of these by itself is nobody's fault. What is told
// of one is told at its profile; that nodes lack reserved CPUs is not, where it was told of the profile itself. Of a
// release in which it isn't known what is made, that is told instead where there is something for it to rival.
func besideMade(objects []*object.Object, r release.Release, before []v1alpha1.Finding) (found []v1alpha1.Finding) {
	if r.Minor() < performance.Oldest {
		return performance.Unmade(objects, r, rivals(objects, r)...)
	}
	made, err := performance.Made(objects, r)
	if err != nil || len(made) == 0 {
		return nil
	}
	type text struct{ id, message string }
	known, lacking := map[text]bool{}, map[string]bool{}
	for _, f := range append(byPackages(made, r), before...) {
		known[text{f.ID, f.Message}] = true
		if f.ID == performance.Beyond {
			lacking[f.Place.Object] = true
		}
	}
	for _, f := range byPackages(slices.Concat(objects, made), r) {
		var p *object.Object
		if f.Place != nil && slices.ContainsFunc(made, func(o *object.Object) bool { return o.String() == f.Place.Object }) {
			p = performance.ProfileOf(objects, f.Place.Object)
		}
		if known[text{f.ID, f.Message}] && (p == nil || !stops(f)) ||
			p != nil && f.ID == kubeletconfig.Beyond && lacking[p.String()] {
			continue
		}
		if p != nil {
			f.Message, f.Place.Object = "what becomes of it: "+f.Message, p.String()
		}
		found = append(found, f)
	}
	return found
}

// rivals are the kinds of which an object that no operator made may count in the place of what becomes of a
// PerformanceProfile.
func rivals(objects []*object.Object, r release.Release) (kinds []string) {
	for _, o := range objects {
		own := o.Kind == "Tuned" && o.Name == profile.DefaultName || profile.IsSum(o, r) ||
			performance.ProfileOf(objects, o.String()) != nil
		if (o.Kind == "KubeletConfig" || o.Kind == "Tuned") && !own && !slices.Contains(kinds, o.Kind) {
			kinds = append(kinds, o.Kind)
		}
	}
	return kinds
}

// stops says whether a finding is about what the kubelet, or the Machine Config Operator, does with a field of the
// kubelet's: these a profile may have from its annotation.
func stops(f v1alpha1.Finding) bool {
	return strings.HasPrefix(f.ID, "kubelet.") && strings.HasPrefix(f.Place.Field, "spec.kubeletConfig.") &&
		f.Severity != v1alpha1.Info
}
