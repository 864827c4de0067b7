package profile

import (
	"fmt"
	"slices"

	"plimsoll.dev/tune/tuned"
)

// DirectoryOf is the profiles of the Tuned CRs of an input as the operator gives them to
// TuneD: of several of one name the one that counts. Those of the CR default are among
// them.
func DirectoryOf(in *Input) tuned.Directory {
	m := merge(in)
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
