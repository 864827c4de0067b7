package controlplane

import (
	"fmt"
	"strings"

	"plimsoll.dev/part"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

// stored is one kind of object in etcd.
type stored struct {
	kind, title  string
	count, bytes derive.Value
}

// etcd estimates the database from the planned objects and holds it against
// the quota (OCP 2.4, 10.3). Each step is a figure: live objects, the history
// that compaction has not removed yet, pages, free space.
func (c *planner) etcd() {
	list := c.objects()
	live := c.live(list)
	history := c.history(list, live)
	fill := c.Fact("etcd.store.pageFill")
	c.res.InUse = c.calc("control.etcd.inUse", "etcd database in use, estimated", "(live + history) / pageFill",
		derive.In("live", live), derive.In("history", history), derive.In("pageFill", fill))
	c.Note("control.etcd.inUse", "An estimate from assumed bytes for each object; replace them by measurements (facts "+
		"etcd.object.size). Compare with etcd_mvcc_db_total_size_in_use_in_bytes.", part.OCP("2.4"))
	share := c.Facts.Must("etcd.store.inUseShare")
	c.res.Total = c.calc("control.etcd.total", "etcd database before it is defragmented, at most", "inUse / share",
		derive.In("inUse", c.res.InUse), derive.In("share", share.Value()))
	c.Note("control.etcd.total",
		"With the free space that waits for defragmentation; an alert fires when less than half is in use.", share.Source)
	c.Show(c.res.InUse, c.res.Total)
	c.Detail(live, history)
	c.etcdTable(list, live)
	c.judgeQuota()
	c.sayUncounted()
}

// calc records an amount of bytes and writes it in decimal units.
func (c *planner) calc(id, title, formula string, in ...derive.Input) derive.Value {
	return c.CalcAs(decimal, id, title, unit.ByteUnit, formula, in...)
}

// decimal writes bytes in MB or GB; an estimate is no round number of either system.
func decimal(bytes float64) string {
	if bytes >= float64(unit.GB) {
		return unit.Format(bytes/float64(unit.GB), unit.None) + " GB"
	}
	return unit.Format(bytes/float64(unit.MB), unit.None) + " MB"
}

// quota is written in decimal multiples like the sizes that it is compared with.
func (c *planner) quota() derive.Value {
	bytes := float64(c.in.Storage.EtcdQuota)
	return c.Field("etcdQuota", bytes, unit.ByteUnit).WithText(decimal(bytes))
}

// objects lists what etcd stores: the planned objects, and those that come with
// them: events, endpoints, replica sets, nodes and their leases.
func (c *planner) objects() []stored {
	pods := c.in.Pods
	nodes := c.Calc("control.etcd.nodes", "Nodes in etcd", "nodes",
		"workers + members", derive.In("workers", c.workers), derive.In("members", c.in.Members))
	list := []stored{{kind: "pods", title: "Pods", count: pods}}
	add := func(kind, title string, count derive.Value) {
		list = append(list, stored{kind: kind, title: title, count: count})
	}
	add("events", "Events", c.perObject("events", "Events that are kept", "events", pods, "etcd.estimate.eventsPerPod"))
	for _, k := range []struct{ kind, title string }{
		{"namespaces", "Namespaces"}, {"secrets", "Secrets"}, {"configMaps", "Config maps"}, {"services", "Services"},
	} {
		add(k.kind, k.title, c.object(k.kind, k.kind))
	}
	if c.in.Objects["services"].Number > 0 {
		add("endpoints", "Back ends of services", pods.WithText(unit.Format(pods.Number, "back ends")))
	}
	deployments := c.object("deployments", "deployments")
	add("deployments", "Deployments", deployments)
	add("replicaSets", "Replica sets", c.perObject("replicaSets", "Replica sets that are kept", "replica sets",
		deployments, "etcd.estimate.replicaSetsPerDeployment"))
	for _, k := range []struct{ kind, title string }{
		{"routes", "Routes"}, {"builds", "Builds"}, {"buildConfigs", "Build configs"},
		{"crds", "Custom resource definitions"},
	} {
		add(k.kind, k.title, c.object(k.kind, k.kind))
	}
	add("nodes", "Nodes", nodes)
	add("leases", "Leases of nodes", nodes.WithText(unit.Format(nodes.Number, "leases")))
	return c.weigh(list)
}

// perObject counts objects of which each other object brings a few.
func (c *planner) perObject(kind, title, unitName string, of derive.Value, fact string) derive.Value {
	each := c.Fact(fact)
	return c.Calc("control.etcd.count["+kind+"]", title, unitName, "objects * each", derive.In("objects", of),
		derive.In("each", each))
}

// weigh gives each kind its bytes and drops the kinds that are not planned.
func (c *planner) weigh(list []stored) []stored {
	var out []stored
	for _, s := range list {
		if s.count.Number <= 0 {
			continue
		}
		size := c.Fact("etcd.object.size/" + s.kind)
		s.bytes = c.calc("control.etcd.bytes["+s.kind+"]", s.title+" in etcd", "count * size", derive.In("count", s.count),
			derive.In("size", size))
		out = append(out, s)
	}
	return out
}

// live is the sum of all objects with those of the platform.
func (c *planner) live(list []stored) derive.Value {
	platform := "openshift"
	if !c.openshift() {
		platform = "kubernetes"
	}
	base := c.Fact("etcd.base.inUse/" + platform)
	var t derive.Terms
	t.Product(derive.In("base", base))
	for _, s := range list {
		t.Product(derive.In(s.kind, s.bytes))
	}
	return c.calc("control.etcd.live", "Objects in etcd, in their present state", t.Sum(), t.In...)
}

// history is what compaction has not removed yet: the API server compacts every
// five minutes what is older than five minutes, so up to ten minutes of writes
// exist. Leases and node reports come like clockwork; the rest is a share.
func (c *planner) history(list []stored, live derive.Value) derive.Value {
	compaction, renewal, report := c.Fact("etcd.history.compaction"), c.Fact("etcd.history.leaseRenewal"),
		c.Fact("etcd.history.nodeStatus")
	churn := c.Fact("etcd.estimate.churn")
	bytes := map[string]derive.Value{"leases": derive.Of(0, unit.ByteUnit), "nodes": derive.Of(0, unit.ByteUnit)}
	for _, s := range list {
		bytes[s.kind] = s.bytes
	}
	window := 2 * compaction.Number
	number := bytes["leases"].Number*window/renewal.Number + bytes["nodes"].Number*window/report.Number +
		churn.Number*live.Number
	return c.Record(derive.Figure{
		ID: "control.etcd.history", Title: "Old revisions that compaction has not removed yet",
		// in this order of terms it is whole where they are
		Value:   derive.Of(number, unit.ByteUnit).WithText(decimal(number)),
		Formula: "2 * compaction * (leases / renewal + nodes / report) + churn * live",
		Inputs: []derive.Input{derive.In("compaction", compaction), derive.In("leases", bytes["leases"]),
			derive.In("renewal", renewal),
			derive.In("nodes", bytes["nodes"]), derive.In("report", report), derive.In("churn", churn), derive.In("live", live)},
	})
}

// judgeQuota holds database and quota against each other.
func (c *planner) judgeQuota() {
	quota := c.quota()
	c.Gauge(
		c.doubtQuota(limit.Measure("etcdInUse", "etcd database in use", "cluster", c.res.InUse, quota, limit.Hard)),
		c.doubtQuota(limit.Measure("etcdTotal", "etcd database with free space", "cluster", c.res.Total, quota,
			limit.Recommended)))
	var f *v1alpha1.Finding
	switch {
	case c.res.InUse.Number > quota.Number:
		f = c.Find(v1alpha1.Error, "control.etcd.overQuota",
			fmt.Sprintf("etcd needs about %s for the planned objects, its quota is %s: "+
				"it would raise an alarm and take only reads and deletes", c.res.InUse, quota),
			"plan fewer objects in one cluster: split it, prune builds, events and old replica sets")
	case c.res.Total.Number > quota.Number:
		f = c.Find(v1alpha1.Warning, "control.etcd.defragment",
			fmt.Sprintf("etcd uses about %s, but with free space its database may reach %s before it is "+
				"defragmented, and the quota is %s", c.res.InUse, c.res.Total, quota),
			"watch etcd_mvcc_db_total_size_in_bytes against the quota and defragment one member at a time, "+c.defragmentation())
	default:
		c.checkQuota(quota)
		return
	}
	f.Field, f.Figure, f.Sources = "storage.etcdQuota", "control.etcd.inUse",
		[]derive.Source{part.OCP("2.4"), part.OCP("10.3")}
	c.checkQuota(quota)
}

// doubtQuota adds the size that the document gives where the quota is that of
// the release's operator and differs from it.
func (c *planner) doubtQuota(g limit.Gauge) limit.Gauge {
	stated := c.Facts.Must("ocp.etcd.dbMax")
	if !c.openshift() || !c.Origin.Assumed("storage.etcdQuota") || stated.Number == g.Limit.Number {
		return g
	}
	g = g.Doubt(stated.Value())
	g.Notes = append(g.Notes,
		fmt.Sprintf("The operator of %s sets the quota to %s; %s says that the database can grow to %s.",
			c.in.Platform.Release, unit.FormatBytes(c.in.Storage.EtcdQuota), stated.Source, stated.Printed()))
	return g
}

// defragmentation says who does it in this release.
func (c *planner) defragmentation() string {
	if f, _, _, ok := c.Facts.ForRelease("ocp.etcd.defragmentation", c.in.Platform.Release); ok && f.Text != "by hand" {
		return "which the etcd operator of " + c.in.Platform.Release + " does by itself"
	}
	return "by hand, regularly"
}

// checkQuota warns of a quota beyond the size that the database can grow to;
// the document's GB is read as GiB, which is what OpenShift sets.
func (c *planner) checkQuota(quota derive.Value) {
	most := c.Facts.Must("ocp.etcd.dbMax")
	if quota.Number <= most.Number/float64(unit.GB)*float64(unit.GiB) {
		return
	}
	c.FindAt(v1alpha1.Warning, "control.etcd.quota", "storage.etcdQuota",
		fmt.Sprintf("a quota of %s is more than the %s that the database can grow to", quota, most.Printed()),
		"leave storage.etcdQuota at the default: restarts, snapshots and recovery take longer with every byte", most.Source)
}

// sayUncounted names the kinds of object that the scenario leaves open.
func (c *planner) sayUncounted() {
	var open []string
	for _, k := range []struct{ kind, words string }{
		{"secrets", "secrets"}, {"configMaps", "config maps"}, {"services", "services"}, {"deployments", "deployments"},
		{"namespaces", "namespaces"},
	} {
		if c.in.Objects[k.kind].Number == 0 {
			open = append(open, k.words)
		}
	}
	if len(open) == 0 {
		return
	}
	f := c.Find(v1alpha1.Info, "control.etcd.uncounted",
		"the estimate of etcd counts no "+strings.Join(open, ", no "),
		"give their numbers in workload.objects, or plan from manifests or a snapshot")
	f.Field, f.Figure = "workload.objects", "control.etcd.live"
}
