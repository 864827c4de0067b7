package profile

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/tune/era"
	"plimsoll.dev/tune/object"
	"plimsoll.dev/tune/tuned"
)

// Directory is the profiles of Tuned CRs as the operator gives them to TuneD: of
// several of one name the one that counts. Those of the CR default are among them.
func Directory(tuneds []object.Typed[openshift.Tuned], e era.Era) tuned.Directory {
	m := merge(&Input{Tuneds: tuneds, Era: e})
	out := tuned.Directory{Path: "/etc/tuned"}
	for _, d := range m.definitions {
		i := slices.IndexFunc(m.crs, func(c *cr) bool { return c.Value.Metadata.Name == d.CR })
		for j, p := range m.crs[i].Value.Spec.Profile {
			if p.Name != nil && p.Data != nil && *p.Name == d.Name && *p.Data == d.Data {
				source := tuned.SourceAt(m.crs[i].Object, fmt.Sprintf("spec.profile[%d].data", j), d.Data)
				out.Profiles = append(out.Profiles, tuned.Profile{Name: d.Name, Source: source})
				break
			}
		}
	}
	return out
}
