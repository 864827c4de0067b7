package machineconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// claimed says which pools take a MachineConfig, and which nodes are left out that
// seem to be meant.
func (c *checker) claimed(s subject) {
	meta := s.Value.Metadata
	if len(meta.Labels) == 0 {
		c.add(s, noRoleRule, "metadata", "the MachineConfig has no labels: no pool takes it, nothing happens",
			"add the label "+openshift.LabelRole+": worker")
		return
	}
	if len(c.takers(s)) == 0 {
		c.unclaimed(s)
		return
	}
	c.left(s)
}

// unclaimed tells of labels that no pool takes; the pool may be in another file where
// those that are there aren't all.
func (c *checker) unclaimed(s subject) {
	r, labels := noPoolRule, labelText(s.Value.Metadata.Labels)
	if c.listed {
		r.Severity = v1alpha1.Error
		c.add(s, r, "metadata.labels", "no pool takes the labels "+labels+": nothing happens", c.poolFix())
		return
	}
	if role := s.Value.Metadata.Labels[openshift.LabelRole]; role != "" {
		labels = "role " + role
	}
	c.add(s, r, "metadata.labels", "none of the pools "+c.poolNames()+" takes "+labels+
		": nothing happens unless the cluster has a pool that does", "give that pool along, or "+c.poolFix())
}

// intoItself finds rendered MachineConfigs that a pool takes again.
func (c *checker) intoItself(s subject) {
	if takers := c.takers(s); len(takers) > 0 && rendered(s.Value) {
		c.add(s, renderedRule, "metadata.labels", "pool "+strings.Join(takers, ", pool ")+" takes "+s.Value.Metadata.Name+
			", which the operator rendered: all of it is rendered again", "take the labels off")
	}
}

// takers are the names of the pools that take a MachineConfig.
func (c *checker) takers(s subject) []string {
	var out []string
	for _, p := range c.pools {
		if takes(p, s.Value.Metadata.Labels) {
			out = append(out, p.Metadata.Name)
		}
	}
	return out
}

func labelText(labels map[string]string) string {
	var out []string
	for _, k := range sortedKeys(labels) {
		out = append(out, k+"="+labels[k])
	}
	return strings.Join(out, ", ")
}

func (c *checker) poolFix() string {
	return "write the label " + openshift.LabelRole + " with the role of a pool (" + c.poolNames() + "), or make the pool"
}

func (c *checker) poolNames() string {
	var names []string
	for _, p := range c.pools {
		names = append(names, p.Metadata.Name)
	}
	return strings.Join(names, ", ")
}

// left finds nodes that carry the role and are in a pool that does not take the
// MachineConfig, and nodes that are in no pool.
func (c *checker) left(s subject) {
	role, takers := s.Value.Metadata.Labels[openshift.LabelRole], c.takers(s)
	elsewhere, nowhere := map[string][]string{}, []string(nil)
	for _, n := range c.nodes {
		_, meant := n.Metadata.Labels["node-role.kubernetes.io/"+role]
		switch {
		case n.pool == "":
			nowhere = append(nowhere, n.Metadata.Name)
		case meant && !slices.Contains(takers, n.pool):
			elsewhere[n.pool] = append(elsewhere[n.pool], n.Metadata.Name)
		}
	}
	for _, p := range sortedKeys(elsewhere) {
		c.add(s, unreachedRule, "metadata.labels",
			fmt.Sprintf("%s of role %s %s in pool %s, which does not take it: it never reaches %s", few(elsewhere[p]), role,
				are(elsewhere[p]), p, them(elsewhere[p])),
			"make one with the label of pool "+p+" as well, if these nodes are meant")
	}
	if len(nowhere) > 0 {
		c.add(s, unreachedRule, "metadata.labels", few(nowhere)+" "+are(nowhere)+" in no pool: no MachineConfig reaches "+
			them(nowhere),
			"make a pool whose nodeSelector takes "+them(nowhere)+" and whose machineConfigSelector takes "+role+
				" and its own role")
	}
}

func few(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%d nodes (%s, ...)", len(names), strings.Join(names[:2], ", "))
	}
	return "node " + strings.Join(names, ", node ")
}

func are(names []string) string { return words.Form(len(names), "is", "are") }

func them(names []string) string { return words.Form(len(names), "it", "them") }

// template is a file that the operator writes itself.
type template struct{ path, name, where string }

// crioConf is CRI-O's configuration, which the operator leaves alone since it writes drop-ins.
const crioConf = "/etc/crio/crio.conf"

// templates are the files that people change, and the MachineConfigs that write
// them; %s is the pool. Some are written only where the cluster has such a setting.
var templates = []template{
	{kubeletConf, "01-%s-kubelet", ""},
	{crioConf, "01-%s-container-runtime", ""},
	{crioConf + ".d/00-default", "01-%s-container-runtime", ""},
	{"/etc/containers/registries.conf", "99-%s-generated-registries",
		" where the cluster has mirrors, or blocks registries or takes insecure ones"},
	{"/etc/containers/policy.json", "99-%s-generated-registries",
		" where the cluster blocks or allows registries, or has image policies"},
}

// shadows finds paths that a MachineConfig rendered later writes again.
func (c *checker) shadows() {
	byName := map[string]*subject{}
	for i := range c.configs {
		byName[c.configs[i].Value.Metadata.Name] = &c.configs[i]
	}
	all := slices.SortedFunc(maps.Values(byName),
		func(a, b *subject) int { return inOrder(&a.Value, &b.Value, c.release) })
	for _, p := range c.pools {
		var own []*subject
		for _, s := range all {
			if takes(p, s.Value.Metadata.Labels) {
				own = append(own, s)
			}
		}
		c.overwritten(p.Metadata.Name, own)
		c.templates(p.Metadata.Name, own)
	}
}

// overwritten finds files of a pool's MachineConfigs that a later one writes again.
func (c *checker) overwritten(poolName string, own []*subject) {
	type writer struct {
		*subject
		file
	}
	last := map[string]writer{}
	for _, s := range own {
		for _, f := range s.c.files {
			if f = f.meant(); f.path == "" {
				continue
			}
			if was, ok := last[f.path]; ok && was.subject != s {
				c.shadow(poolName, *was.subject, *s, was.file, f)
			}
			last[f.path] = writer{s, f}
		}
	}
}

// shadow tells of a file that another MachineConfig of the pool writes again. What
// people write in place of an operator's file is told at theirs.
func (c *checker) shadow(poolName string, was, by subject, lost, f file) {
	switch {
	case !made(was.Value):
		c.add(was, orderRule, lost.at+".path", fmt.Sprintf("%s is written again by %s, which is rendered later in "+
			"pool %s: this content is lost", f.path, by.Value.Metadata.Name, poolName),
			"keep one of them, or choose a name that sorts later")
	case !made(by.Value):
		r := orderRule
		r.Severity = v1alpha1.Info
		c.add(by, r, f.at+".path", fmt.Sprintf("%s replaces what %s writes in pool %s, which an operator made: "+
			"its later versions are lost too", f.path, was.Value.Metadata.Name, poolName),
			"use the object of that setting, where there is one")
	}
}

// templates finds files whose names sort before those that the operator writes.
func (c *checker) templates(poolName string, own []*subject) {
	for _, s := range own {
		name := s.Value.Metadata.Name
		if made(s.Value) || workerFirst.In(c.release) && rank(&s.Value) != rankOf(poolName) {
			continue
		}
		for _, f := range s.c.files {
			for _, t := range templates {
				if t.path == crioConf && crioDropIns.In(c.release) {
					continue
				}
				if by := fmt.Sprintf(t.name, poolName); f.path == t.path && name < by {
					c.add(*s, orderRule, f.at+".path",
						fmt.Sprintf("%s is also written by %s%s, which is rendered after %s: this content is lost", f.path, by,
							t.where, name),
						"use a KubeletConfig or the object of that setting, or choose a name that sorts later")
				}
			}
		}
	}
}

// rankOf is where the operator's own MachineConfigs of a pool stand.
func rankOf(poolName string) int {
	return rank(&openshift.MachineConfig{
		Metadata: openshift.ObjectMeta{Labels: map[string]string{openshift.LabelRole: poolName}},
	})
}
