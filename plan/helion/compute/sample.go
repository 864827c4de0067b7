package compute

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// sampleSize is the number of VMs from which a cloud is scaled down before many
// splits are tried.
const sampleSize = 2000

// sample is the scenario with the VMs that ask for the same as one server, and with
// fewer of them in the same proportion where there are many. Groups keep VMs apart or
// together by their number, so their servers stay as they are. fewer says that VMs
// were left out.
func sample(s *v1alpha1.Scenario) (scaled *v1alpha1.Scenario, fewer bool) {
	out := *s
	out.Workload.Servers = nil
	all, at := vmsOf(s), map[string]int{}
	for i := range s.Workload.Servers {
		sv := &s.Workload.Servers[i]
		key := askKey(s, sv, i)
		k, known := at[key]
		if !known {
			k = len(out.Workload.Servers)
			at[key] = k
			out.Workload.Servers = append(out.Workload.Servers, *sv)
			out.Workload.Servers[k].Count = 0
		}
		out.Workload.Servers[k].Count += sv.Count
	}
	for i := range out.Workload.Servers {
		if sv := &out.Workload.Servers[i]; all > sampleSize && sv.Group == "" {
			sv.Count = int((int64(sv.Count)*sampleSize + int64(all) - 1) / int64(all))
		}
	}
	return &out, vmsOf(&out) < all
}

// vmsOf is the number of VMs of a scenario.
func vmsOf(s *v1alpha1.Scenario) int {
	n := 0
	for i := range s.Workload.Servers {
		n += s.Workload.Servers[i].Count
	}
	return n
}

// askKey is equal for servers whose VMs ask a host for the same.
func askKey(s *v1alpha1.Scenario, sv *v1alpha1.Server, i int) string {
	f, image := FlavorOf(s, sv)
	if f == nil || sv.Group != "" {
		return fmt.Sprint("server ", i)
	}
	bare := *f
	bare.Name = ""
	key := fmt.Sprintf("%+v %q", bare, sv.BootFrom)
	if image != nil {
		key += fmt.Sprintf(" %q %d %d", image.Properties, image.Size, image.DiskSize)
	}
	for _, p := range sv.Ports {
		key += fmt.Sprintf(" %q %q", p.PhysicalNetwork, p.VNICType)
	}
	return key
}

// effort bounds what is spent on the search for a split, in VMs that are placed; a
// server that has to be read counts as several.
const (
	effort     = 150_000
	readEffort = 10
	leastTries = 8
)

// splitTries is the number of splits that may be tried with so many VMs.
func splitTries(s *v1alpha1.Scenario) int {
	each := 1
	for i := range s.Workload.Servers {
		each += readEffort + s.Workload.Servers[i].Count
	}
	return max(leastTries, effort/each)
}

// FlavorOf is a server's flavor and image; nil where there is none of the name.
func FlavorOf(s *v1alpha1.Scenario, sv *v1alpha1.Server) (*v1alpha1.Flavor, *v1alpha1.Image) {
	var f *v1alpha1.Flavor
	var image *v1alpha1.Image
	if i := slices.IndexFunc(s.Workload.Flavors, func(f v1alpha1.Flavor) bool { return f.Name == sv.Flavor }); i >= 0 {
		f = &s.Workload.Flavors[i]
	}
	if i := slices.IndexFunc(s.Workload.Images, func(m v1alpha1.Image) bool { return m.Name == sv.Image }); i >= 0 {
		image = &s.Workload.Images[i]
	}
	return f, image
}
