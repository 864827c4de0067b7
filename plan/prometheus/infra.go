package prometheus

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
)

// InfraSize is the size that a later edition of the guide publishes for each of
// three infrastructure nodes with monitoring, router and registry.
type InfraSize struct {
	// Workers that the size was published for.
	Workers int
	// CPU in millicores, Memory in bytes.
	CPU, Memory derive.Value
	// Edition is the release of the guide.
	Edition string
}

// InfraSizes lists the published sizes that apply to a release, by the number of
// workers; none before 4.9.
func InfraSizes(c *facts.Catalogue, release string) []InfraSize {
	newest, _, _, ok := c.ForRelease("ocp.infraSize.cores", release)
	if !ok {
		return nil
	}
	var list []InfraSize
	for _, f := range c.Quantity("ocp.infraSize.cores") {
		workers, err := strconv.Atoi(f.Dim("workers"))
		if err != nil || f.Dim("release") != newest.Dim("release") {
			continue
		}
		memory := c.Must(fmt.Sprintf("ocp.infraSize.memory/%s/%d", f.Dim("release"), workers))
		list = append(list, InfraSize{Workers: workers, CPU: f.Value(), Memory: memory.Value(), Edition: f.Dim("release")})
	}
	slices.SortFunc(list, func(a, b InfraSize) int { return cmp.Compare(a.Workers, b.Workers) })
	return list
}

// infraSizes shows the published sizes beside the planned requests, the first
// that covers the cluster's workers marked.
func (p *planner) infraSizes() {
	sizes := InfraSizes(p.Facts, p.in.Release)
	if len(sizes) == 0 || p.in.Workers.Number == 0 {
		return
	}
	t := p.Table("monitoring.infraSizes", "Infrastructure nodes as published for "+sizes[0].Edition,
		part.Right("Workers"), part.Right("CPU of each node"), part.Right("Memory of each node"), part.Left("This cluster"))
	t.Wide = true
	found := false
	for _, s := range sizes {
		mark := part.Text("")
		if !found && float64(s.Workers) >= p.in.Workers.Number {
			found, mark = true, part.Marked("up to here", "good")
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Num(derive.Of(float64(s.Workers), "")), part.Num(s.CPU),
			part.Num(s.Memory), mark})
	}
	t.Notes = []string{"Three nodes with monitoring, router and registry, without logging. Not used by the plan, " +
		"which sizes the pods; a second opinion."}
	if !found {
		t.Notes = append(t.Notes, fmt.Sprintf("%s are more workers than any published size covers.", p.in.Workers.Text))
	}
}
