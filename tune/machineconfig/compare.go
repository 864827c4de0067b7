package machineconfig

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/cell"
)

// Comparison holds what the cluster has of a pool against what its MachineConfigs
// come to, where the rendered one that the pool names is there as well.
type Comparison struct {
	Pool string `json:"pool"`
	// Rendered is the name of what the operator made last.
	Rendered string `json:"rendered"`
	// Same says that it is what the MachineConfigs come to.
	Same bool `json:"same"`
	// Missing are MachineConfigs that went into it and are not there: nothing is compared then.
	Missing []string `json:"missing,omitempty"`
	// Added are MachineConfigs that the pool takes and that are not in it.
	Added []string `json:"added,omitempty"`
	// Differences name what is not the same.
	Differences []string `json:"differences,omitempty"`

	before PoolConfig
}

// compare holds pools against the rendered MachineConfigs that they name.
func compare(configs []openshift.MachineConfig, pools []openshift.MachineConfigPool, now Rendering, r release.Release,
	d *decoder) []Comparison {
	var out []Comparison
	for i, p := range pools {
		at := slices.IndexFunc(configs, func(mc openshift.MachineConfig) bool {
			return mc.Metadata.Name == p.Spec.Configuration.Name && rendered(mc)
		})
		if at < 0 || now.Pools[i].Failure != "" {
			continue
		}
		before := asRendered(p, configs[at], now.Pools[i], r, d)
		if before.Failure != "" {
			continue
		}
		c := Comparison{Pool: p.Metadata.Name, Rendered: p.Spec.Configuration.Name, before: before}
		c.Missing, c.Added = sources(p, now.Pools[i].Order)
		if len(c.Missing) == 0 {
			c.Differences = differ{before, now.Pools[i], r}.all()
			c.Same = len(c.Differences) == 0
		}
		out = append(out, c)
	}
	return out
}

// asRendered reads a rendered MachineConfig. Its image is the release's own where no
// MachineConfig asks for another.
func asRendered(p openshift.MachineConfigPool, mc openshift.MachineConfig, now PoolConfig, r release.Release,
	d *decoder) PoolConfig {
	out := renderPool(p, []*prepared{&prepare([]openshift.MachineConfig{mc}, r, d)[0]}, r, d)
	out.FIPS = mc.Spec.FIPS
	if now.OSImageURL.Text != "" {
		out.OSImageURL = Sourced{mc.Spec.OSImageURL, mc.Metadata.Name}
	}
	return out
}

// sources compares the names that went into a pool's configuration with those that
// are there. A pool that doesn't tell them has none missing.
func sources(p openshift.MachineConfigPool, order []string) (missing, added []string) {
	var had []string
	for _, s := range p.Spec.Configuration.Source {
		if name, ok := s["name"].(string); ok {
			had = append(had, name)
		}
	}
	if len(had) == 0 {
		return nil, nil
	}
	for _, name := range had {
		if !slices.Contains(order, name) {
			missing = append(missing, name)
		}
	}
	for _, name := range order {
		if !slices.Contains(had, name) {
			added = append(added, name)
		}
	}
	return missing, added
}

// all are the changes, and those of what only installation applies.
func (d differ) all() []string {
	out := d.changes()
	for _, s := range sectionNames {
		if !same(d.before.sections[s[0]], d.after.sections[s[0]]) {
			out = append(out, s[0])
		}
	}
	return out
}

// reactions are what nodes do that are to get what differs.
func reactions(list []Comparison, now []PoolConfig, own Policies, r release.Release) []Reaction {
	var out []Reaction
	for _, c := range list {
		i := slices.IndexFunc(now, func(p PoolConfig) bool { return p.Pool == c.Pool })
		if len(c.Differences) > 0 {
			out = append(out, React(c.before, now[i], own, r))
		}
	}
	return out
}

// part shows a comparison.
func (c Comparison) part() v1alpha1.Part {
	p := v1alpha1.Part{Title: "Pool " + c.Pool + " as the cluster has it"}
	if len(c.Missing) > 0 {
		p.Lead = append(p.Lead, c.Rendered+" is not compared: "+strings.Join(c.Missing, ", ")+" went into it and "+
			are(c.Missing)+" not among these, or not for this pool any more.")
		return p
	}
	if len(c.Added) > 0 {
		p.Lead = append(p.Lead, "Not in "+c.Rendered+" yet: "+strings.Join(c.Added, ", ")+".")
	}
	if c.Same {
		p.Lead = append(p.Lead, c.Rendered+", which the pool names, is what these MachineConfigs come to.")
		return p
	}
	p.Lead = append(p.Lead, c.Rendered+", which the pool names, is not what these MachineConfigs come to.")
	t := v1alpha1.Table{ID: "machineConfig.differences." + c.Pool, Title: "What differs",
		Columns: cell.Columns("difference")}
	for _, what := range c.Differences {
		t.Rows = append(t.Rows, cell.Texts(what))
	}
	p.Tables = append(p.Tables, t)
	return p
}

// compared says in a few words how many pools are as the cluster has them.
func compared(list []Comparison) string {
	var equal []string
	of := 0
	for _, c := range list {
		if len(c.Missing) == 0 {
			of++
		}
		if c.Same {
			equal = append(equal, c.Pool)
		}
	}
	if of == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of %s %s as the cluster has %s", len(equal), words.Count(of, "pool", "pools"), are(equal),
		them(equal))
}
