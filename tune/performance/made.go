package performance

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlout"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// Made are the Tuneds and KubeletConfigs that the operator makes of the PerformanceProfiles among the objects, but for
// those that are among the objects themselves. All of them stands where its profile does, and a field of the kubelet's
// where that of the profile does which it comes from. The MachineConfig is not whole, so that nothing is to be made of
// it.
func Made(objects []*object.Object, r release.Release) (out []*object.Object, err error) {
	for _, p := range Render(objects, r) {
		for _, o := range []map[string]any{p.Tuned, p.KubeletConfig} {
			text, err := yamlout.Marshal(o)
			if err != nil {
				return nil, err
			}
			more, problems := object.Split(p.of.Tree.Name, text)
			if len(problems) > 0 {
				return nil, problems
			}
			for _, m := range more {
				if !slices.ContainsFunc(objects, func(o *object.Object) bool { return o.Kind == m.Kind && o.Name == m.Name }) {
					p.place(m)
					out = append(out, m)
				}
			}
		}
	}
	return out, nil
}

// Unmade tells of the PerformanceProfiles of which it isn't known what becomes in a release before Oldest: not of those
// whose objects of the kinds are among the objects, as a cluster has them.
func Unmade(objects []*object.Object, r release.Release, kinds ...string) (out []v1alpha1.Finding) {
	for _, o := range objects {
		if o.Kind != "PerformanceProfile" || r.Minor() >= Oldest {
			continue
		}
		var missing []string
		for _, kind := range kinds {
			made := kind + "/" + prefixes[kind] + o.Name
			if !slices.ContainsFunc(objects, func(o *object.Object) bool { return o.String() == made }) {
				missing = append(missing, made)
			}
		}
		if len(missing) > 0 {
			out = append(out, o.Finding(notMade, "", fmt.Sprintf("what the operator makes of it isn't known of releases before "+
				"%s, and is not among the others: %s", Oldest, words.And(missing)),
				"give that as the cluster has it, or judge the profile as of a later release"))
		}
	}
	return out
}

// ProfileOf is the profile among the objects of which the operator makes an object of a name; nil where it is of none.
func ProfileOf(objects []*object.Object, made string) *object.Object {
	for kind, prefix := range prefixes {
		name, ok := strings.CutPrefix(made, kind+"/"+prefix)
		i := slices.IndexFunc(objects, func(o *object.Object) bool {
			return o.Kind == "PerformanceProfile" && o.Name == name
		})
		if ok && i >= 0 {
			return objects[i]
		}
	}
	return nil
}

// place moves an object that was made to where its profile stands.
func (r *Rendering) place(made *object.Object) {
	made.Tree.Root.Move(r.of.Tree.Root.Line, r.of.Tree.Root.Col)
	made.Tree.First, made.Tree.Source = r.of.Tree.First, nil
	fields := made.Tree.Node("spec.kubeletConfig")
	if fields == nil {
		return
	}
	for _, e := range fields.Entries {
		i := slices.IndexFunc(r.settings, func(s setting) bool { return s.field == e.Key })
		at := "metadata.annotations." + snippetNote
		if i >= 0 {
			at, _, _ = strings.Cut(r.settings[i].from, ",")
		}
		if n := r.of.Tree.Node(at); n != nil && at != "" {
			e.Value.Move(n.Line, n.Col)
		}
	}
}
