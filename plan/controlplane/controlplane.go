// Package controlplane plans the control plane: the size of its nodes for the
// number of workers that the cluster is ever to have, and the size of etcd's
// database, its quota, its disk and what has to be watched.
//
// It doesn't size the workers and reads nothing from a cluster: etcd's size is
// an estimate from the planned objects, its bytes an assumption that a
// measurement can replace.
//
//	r := controlplane.Plan(&book, controlplane.Input{Workers: workers, Infra: infra, …})
//	r.Cores.Text // "8 cores"
//	r.InUse.Text // "1.2 GB"
package controlplane

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
)

// Input is what the control plane has to serve.
type Input struct {
	// Workers is the greatest number of workers that the cluster may ever have;
	// control plane nodes can't be resized later (OCP 2.3).
	Workers derive.Value
	// Infra is the number of infrastructure nodes, which count as workers; left
	// out it is 0.
	Infra derive.Value
	// Members is the number of control plane nodes, each with a member of etcd.
	Members derive.Value
	// Pods is the number of pods, those of the platform included.
	Pods derive.Value
	// Running says that the members run already, however many an installer takes.
	Running bool
	// Objects are the numbers of objects by the names of the published maximums:
	// namespaces, services, deployments, routes, secrets, configMaps, builds,
	// buildConfigs, crds. What is missing is not counted.
	Objects map[string]derive.Value
	// NodeType is the type of the control plane nodes, if the scenario has one.
	NodeType *v1alpha1.NodeType
	// NodeTypePath is the field that holds it, such as hardware.nodeTypes[2].
	NodeTypePath string
	// Plugin is the network plug-in; OVNKubernetes needs larger nodes (4.17).
	Plugin string
	// Storage is the scenario's section, for etcd's disk and quota.
	Storage v1alpha1.Storage
	// Platform decides which table of sizes applies.
	Platform v1alpha1.Platform
	// Facts is the catalogue.
	Facts *facts.Catalogue
	// Origin tells where the scenario's fields come from; nil takes all of them
	// as written by the user.
	Origin *part.Origin
}

// Result is the planned control plane.
type Result struct {
	// Cores and Memory that each control plane node needs at least.
	Cores, Memory derive.Value
	// Machine is the memory of the machine that the scenario has, else Memory; Disk is
	// the machine's, or nothing.
	Machine, Disk derive.Value
	// Beyond says that no published size reaches so many workers or namespaces.
	Beyond bool
	// Decision is the pool; its zones and kubelet settings are left to the caller.
	Decision v1alpha1.PoolDecision
	// InUse is etcd's database after compaction, Total with the free space that
	// waits for defragmentation.
	InUse, Total derive.Value
	// DiskMin and DiskMax are the size of /var/lib/etcd: as the document's table
	// says, and with the growth that the same row adds.
	DiskMin, DiskMax derive.Value
	// Part holds figures, tables, findings and gauges for the plan.
	Part *part.Part
}

// Plan sizes the control plane and etcd and records the figures in b.
func Plan(b *derive.Book, in Input) Result {
	c := &planner{Sheet: part.On(b, in.Facts, in.Origin, part.New("control", "Control plane and etcd"), "storage"), in: in}
	if c.in.Infra.Text == "" {
		c.in.Infra = derive.Of(0, "nodes")
	}
	c.size()
	c.compare()
	c.members()
	c.etcd()
	c.directory()
	c.watch()
	c.res.Part = c.Part
	c.Section.Summary = fmt.Sprintf("%s of %s and %s for %s; etcd about %s of %s",
		in.Members, c.res.Cores, c.res.Memory, c.workers, c.res.InUse, c.quota())
	return c.res
}

// planner holds what the steps of one plan share.
type planner struct {
	part.Sheet
	in  Input
	res Result
	// workers are the nodes that the sizing table counts.
	workers derive.Value
	// table is where the sizing table was published.
	table derive.Source
}

func (c *planner) openshift() bool { return c.in.Platform.Type != "kubernetes" }

// fixed says that the nodes can't be resized later, which OCP 2.3 says of a
// running cluster of OpenShift 4.4.
func (c *planner) fixed() bool {
	return c.openshift() && strings.HasPrefix(c.in.Platform.Release, "4.") && c.table == part.OCP("2.3")
}

// forGood adds to a remedy or a note that the nodes can't be resized later, where
// that holds.
func (c *planner) forGood(text string) string {
	if c.fixed() {
		return text + "; the nodes can't be resized later"
	}
	return text
}

// members judges the number of control plane nodes: etcd needs more than half
// of its members.
func (c *planner) members() {
	n := c.in.Members
	lost := c.Calc("control.mayFail", "Control plane nodes that may fail", "nodes",
		"floor((members - 1) / 2)", derive.In("members", n))
	c.Show(n, lost)
	supported := c.Facts.Must("ocp.etcd.members")
	if n.Number == supported.Number || !c.openshift() && n.Int()%2 == 1 && n.Int() > 1 {
		return
	}
	b, severity, source := c.builds(supported), v1alpha1.Warning, supported.Source
	message := fmt.Sprintf("%s: etcd keeps its majority when %s fail; OpenShift supports %s", n, lost, b.numbers)
	switch {
	case n.Int() == 1:
		message = "a single control plane node: when it fails or is updated, the cluster has no API"
	case b.arbiter && !c.in.Running: // else they are fenced, as 4.20 can do instead
		message = "2 control plane nodes: only with an arbiter node beside them, which is not planned"
		source = b.source
	case n.Int()%2 == 0:
		message = fmt.Sprintf("%s: an even number of etcd members survives no more failures than one fewer (%s)", n, lost)
	case b.ok && b.source != supported.Source:
		c.FindAt(v1alpha1.Info, "control.members", "policy.controlPlaneNodes", message, "", b.source)
		return
	}
	if c.openshift() && !c.in.Running && !b.ok {
		severity, source = v1alpha1.Error, b.source
		message = fmt.Sprintf("%d control plane nodes, of which etcd may lose %d: OpenShift %s is built with %s", n.Int(),
			lost.Int(), c.in.Platform.Release, b.numbers)
	}
	c.FindAt(severity, "control.members", "policy.controlPlaneNodes", message,
		fmt.Sprintf("set policy.controlPlaneNodes to %d", int(supported.Number)), source).Figure = "control.mayFail"
}

// builds are the numbers of control plane nodes that a new cluster may have.
type builds struct {
	numbers string
	source  derive.Source
	// ok says that the cluster has one of them, arbiter that it has one that needs an arbiter node, too.
	ok, arbiter bool
}

// builds of the release: 1, as many as are supported, and in later releases more on bare metal, or 2 with an arbiter.
func (c *planner) builds(supported facts.Fact) builds {
	n, three, platform := c.in.Members.Number, supported.Number, c.in.Platform
	out := builds{numbers: fmt.Sprintf("1 or %g", three), source: supported.Source,
		ok: n == 1 || strings.HasPrefix(platform.Release, "3.")}
	metal := slices.Contains([]string{"", "none", "baremetal"}, platform.Provider)
	if more, _, _, known := c.Facts.ForRelease("ocp.etcd.mostMembers", platform.Release); known {
		out.numbers, out.source = fmt.Sprintf("1 or %g, on bare metal up to %g", three, more.Number), more.Source
		out.ok = out.ok || metal && n > three && n <= more.Number
	}
	if two, _, _, known := c.Facts.ForRelease("ocp.etcd.arbiterMembers", platform.Release); known {
		out.numbers += fmt.Sprintf(", or %g with an arbiter node", two.Number)
		if metal && platform.Provider != "none" && n == two.Number {
			out.source, out.ok, out.arbiter = two.Source, true, true
		}
	}
	return out
}
