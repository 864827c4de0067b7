package check

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/performance"
)

// byPackages is what all packages find in objects.
func byPackages(objects []*object.Object, r release.Release) (found []v1alpha1.Finding) {
	for _, p := range packages {
		found = append(found, p.check(objects, r)...)
	}
	return found
}

// besideMade is what else is found where the objects stand together with those that the operator makes of the
// PerformanceProfiles among them: two KubeletConfigs for one pool, two Tuneds of one priority. What is wrong with one
// of these by itself is nobody's fault, and what is told of one is told at its profile.
func besideMade(objects []*object.Object, r release.Release, before []v1alpha1.Finding) (found []v1alpha1.Finding) {
	if r.Minor() < performance.Oldest {
		return nil
	}
	made, err := performance.Made(objects, r)
	if err != nil || len(made) == 0 {
		return nil
	}
	profiles := map[string]*object.Object{}
	for _, o := range objects {
		if o.Kind == "PerformanceProfile" {
			profiles[performance.FileOf(o)] = o
		}
	}
	type text struct{ id, message string }
	known := map[text]bool{}
	for _, f := range append(byPackages(made, r), before...) {
		known[text{f.ID, f.Message}] = true
	}
	for _, f := range byPackages(slices.Concat(objects, made), r) {
		if known[text{f.ID, f.Message}] {
			continue
		}
		if f.Place != nil {
			if p := profiles[f.Place.File]; p != nil {
				line, col := p.Tree.At("")
				f.Message = "what becomes of it: " + f.Message
				f.Place = &v1alpha1.Place{File: p.Tree.Name, Line: line, Col: col, Object: p.String()}
			}
		}
		found = append(found, f)
	}
	return found
}
