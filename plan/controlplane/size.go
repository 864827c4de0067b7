package controlplane

import (
	"fmt"
	"slices"
	"strconv"

	"plimsoll.dev/part"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

// Row is a published size of control plane nodes.
type Row struct {
	// Workers is the number of workers up to which it was tested.
	Workers derive.Value
	// Namespaces of the test; 0 when the table does not say.
	Namespaces derive.Value
	// Cores and Memory of each control plane node.
	Cores, Memory derive.Value
	// Notes are the table's conditions.
	Notes []string
}

// Rows is the table of sizes for a release, the smallest first: OCP 2.3 for 4.4
// and before, the newest later one that is not newer than the release. With
// OVN-Kubernetes the larger figures that later tables give for it are taken, and
// no row is smaller than one for fewer workers.
func Rows(c *facts.Catalogue, release, plugin string) []Row {
	later, _, _, ok := c.ForRelease("ocp.controlPlaneSize.cores", release)
	var rows []Row
	for _, f := range c.Quantity("ocp.controlPlane.cores") {
		if !ok {
			rows = append(rows, makeRow(c, f, "ocp.controlPlane.", f.Dim("workers"), plugin))
		}
	}
	for _, f := range c.Quantity("ocp.controlPlaneSize.cores") {
		if ok && f.Dim("release") == later.Dim("release") {
			rows = append(rows, makeRow(c, f, "ocp.controlPlaneSize.", f.Dim("release")+"/"+f.Dim("workers"), plugin))
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return int(a.Workers.Number - b.Workers.Number) })
	for i := 1; i < len(rows); i++ {
		rows[i] = notSmaller(rows[i], rows[i-1])
	}
	return rows
}

// notSmaller raises a row to the one before it.
func notSmaller(r, before Row) Row {
	if r.Cores.Number >= before.Cores.Number && r.Memory.Number >= before.Memory.Number {
		return r
	}
	r.Notes = append(slices.Clone(r.Notes),
		fmt.Sprintf("The table gives %s and %s for %s, less than for %s with this plug-in; the larger is taken.",
			r.Cores, r.Memory, r.Workers, before.Workers))
	r.Cores, r.Memory = larger(r.Cores, before.Cores), larger(r.Memory, before.Memory)
	return r
}

func makeRow(c *facts.Catalogue, cores facts.Fact, prefix, key, plugin string) Row {
	take := func(name string) (derive.Value, []string) {
		f, ok := c.Get(prefix + name + "OVN/" + key)
		if plugin != "OVNKubernetes" || !ok {
			f, ok = c.Get(prefix + name + "/" + key)
		}
		if !ok {
			return derive.Value{}, nil
		}
		return f.Value(), f.Notes
	}
	workers, _ := strconv.ParseFloat(cores.Dim("workers"), 64)
	r := Row{Workers: derive.Published(cores.ID, workers, "workers", cores.Source)}
	r.Cores, _ = take("cores")
	r.Memory, r.Notes = take("memory")
	r.Namespaces, _ = take("namespaces")
	return r
}

func larger(a, b derive.Value) derive.Value {
	if b.Number > a.Number {
		return b
	}
	return a
}

// Pick is the index of the smallest row that reaches the workers and the
// namespaces. beyond is true when none does; the index is then the last row's.
func Pick(rows []Row, workers, namespaces float64) (index int, beyond bool) {
	for i, r := range rows {
		if workers <= r.Workers.Number && (r.Namespaces.Number == 0 || namespaces <= r.Namespaces.Number) {
			return i, false
		}
	}
	return len(rows) - 1, true
}

// size picks the control plane's size for the workers there will ever be.
func (c *planner) size() {
	c.workers = c.Calc("control.workers", "Workers that the control plane must serve", "workers",
		"workers + infra", derive.In("workers", c.in.Workers), derive.In("infra", c.in.Infra))
	rows := Rows(c.Facts, c.in.Platform.Release, c.in.Plugin)
	c.table = *rows[0].Workers.From.Source
	c.Note("control.workers", "Infrastructure nodes count as workers: the table says workers, "+
		"and the control plane does not tell them apart.", c.table)
	at, beyond := Pick(rows, c.workers.Number, c.in.Objects["namespaces"].Number)
	c.res.Beyond = beyond
	c.res.Cores = c.pickFigure("control.cores", "Cores of each control plane node", rows, at,
		func(r Row) derive.Value { return r.Cores })
	c.res.Memory = c.pickFigure("control.memory", "Memory of each control plane node", rows, at,
		func(r Row) derive.Value { return r.Memory })
	c.res.Machine = c.res.Memory
	c.noteSize(rows[at])
	c.noteNamespaces(rows, at)
	c.Show(c.workers, c.res.Cores, c.res.Memory)
	c.sizeTable(rows, at)
	c.compareWithTable(rows[len(rows)-1])
	c.res.Decision = v1alpha1.PoolDecision{
		Name: "master", Role: "controlPlane", CPUs: int(c.res.Cores.Int() / 1000), Memory: unit.Bytes(c.res.Memory.Int()),
		Count: int(c.in.Members.Int()),
	}
}

// compareWithTable gauges the workers by the last row.
func (c *planner) compareWithTable(last Row) {
	// The table is OpenShift's; upstream publishes none, so nothing is passed there.
	if !c.openshift() {
		return
	}
	c.Gauge(limit.Measure("controlPlaneWorkers", "Workers per control plane", "cluster", c.workers,
		last.Workers, limit.Recommended))
	if c.res.Beyond {
		c.sayBeyond(last)
	}
	c.sayUntested()
}

// sayUntested warns of more workers than the table was tested with on OVN-Kubernetes.
func (c *planner) sayUntested() {
	tested, _, _, ok := c.Facts.ForRelease("ocp.controlPlaneSize.testedOVN", c.in.Platform.Release)
	if c.in.Plugin != "OVNKubernetes" || !ok || c.workers.Number <= tested.Number {
		return
	}
	severity, upTo := v1alpha1.Warning, "only up to "+tested.Printed()
	if tested.Number == 0 {
		severity, upTo = v1alpha1.Info, "not at all, but with OpenShiftSDN"
	}
	c.FindAt(severity, "control.size.untested", "network.type",
		fmt.Sprintf("the sizes of control planes for %s were tested with OVN-Kubernetes %s; %s are planned",
			c.in.Platform.Release, upTo, c.workers),
		"test the control plane under the planned objects before the installation", tested.Source).Figure = "control.cores"
}

// pickFigure records the chosen row's value with the whole table as a formula.
func (c *planner) pickFigure(id, title string, rows []Row, at int, of func(Row) derive.Value) derive.Value {
	inputs := []derive.Input{derive.In("workers", c.workers)}
	last := len(rows) - 1
	formula := fmt.Sprintf("size%d", last)
	for i := last; i >= 0; i-- {
		inputs = append(inputs, derive.In(fmt.Sprintf("size%d", i), of(rows[i])))
		if i == last {
			continue
		}
		fits := fmt.Sprintf("ge(upTo%d, workers)", i)
		inputs = append(inputs, derive.In(fmt.Sprintf("upTo%d", i), rows[i].Workers))
		if rows[i].Namespaces.Number > 0 {
			fits += fmt.Sprintf(" * ge(load%d, namespaces)", i)
			inputs = append(inputs, derive.In(fmt.Sprintf("load%d", i), rows[i].Namespaces))
		}
		formula = fmt.Sprintf("if(%s, size%d, %s)", fits, i, formula)
	}
	if rows[0].Namespaces.Number > 0 {
		inputs = append(inputs, derive.In("namespaces", c.object("namespaces", "namespaces")))
	}
	v := of(rows[at])
	return c.Calc(id, title, v.Unit, formula, inputs...)
}

// object is the number of objects of a kind; 0 without provenance when none are planned.
func (c *planner) object(kind, unitName string) derive.Value {
	if v, ok := c.in.Objects[kind]; ok {
		return v
	}
	return derive.Of(0, unitName)
}

func (c *planner) noteSize(r Row) {
	c.Note("control.cores", c.forGood("The next larger published size; the table is not interpolated")+".", c.table)
	c.Note("control.memory", "", c.table)
	if reserved, _, _, ok := c.Facts.ForRelease("ocp.systemReserved.cpu", c.in.Platform.Release); ok &&
		reserved.Number > 0 {
		c.Note("control.cores",
			fmt.Sprintf("The system keeps %s of them; the sizes take that into account.", reserved.Printed()), reserved.Source)
	}
	for _, note := range c.conditions(r) {
		c.Note("control.memory", note)
	}
	if !c.openshift() {
		c.Note("control.cores", "The table is OpenShift's, whose control plane carries more than that of Kubernetes.")
	}
	if most, _, _, ok := c.Facts.ForRelease("ocp.controlPlane.maxUse", c.in.Platform.Release); ok {
		use := c.Calc("control.cores.use", "Cores of each control plane node to use at most", unit.Millicores,
			"cores * share", derive.In("cores", c.res.Cores), derive.In("share", most.Value()))
		c.Note("control.cores.use", "So that two nodes carry the load while the third is down.", most.Source)
		c.Detail(use)
	}
}

// conditions are the table's notes on a row. That of OCP 2.3 speaks of a running
// 4.4 cluster and is no condition of anything else.
func (c *planner) conditions(r Row) []string {
	if c.table == part.OCP("2.3") && !c.fixed() {
		return nil
	}
	return r.Notes
}

// noteNamespaces says when the namespaces of the test decide, not the workers.
func (c *planner) noteNamespaces(rows []Row, at int) {
	byWorkers, beyond := Pick(rows, c.workers.Number, 0)
	if beyond || byWorkers == at && !c.res.Beyond {
		return
	}
	note := fmt.Sprintf("The namespaces decide, not the workers: %s alone would take %s and %s, "+
		"the table's test with %s had %s.",
		c.workers, rows[byWorkers].Cores, rows[byWorkers].Memory, rows[byWorkers].Workers, rows[byWorkers].Namespaces)
	c.Note("control.cores", note, c.table)
}

// sayBeyond never extrapolates: the largest size in the catalogue is a minimum.
func (c *planner) sayBeyond(last Row) {
	message := fmt.Sprintf("%s are beyond the %s of the largest control plane that this catalogue has for %s",
		c.workers, last.Workers, c.in.Platform.Release)
	if c.workers.Number <= last.Workers.Number {
		message = fmt.Sprintf("the namespaces decide, not the workers: "+
			"%s are beyond the %s of the largest test of control planes", c.in.Objects["namespaces"], last.Namespaces)
	}
	message += fmt.Sprintf(" (%s): %s and %s are the least", c.table, c.res.Cores, c.res.Memory)
	sources := []derive.Source{c.table}
	if row, ok := c.laterRow(); ok {
		source := *row.Workers.From.Source
		message += fmt.Sprintf("; %s, of a later release, has a row for %s: %s and %s", source, row.Workers, row.Cores,
			row.Memory)
		sources = append(sources, source)
	} else {
		message += "; this catalogue has nothing larger"
	}
	f := c.Find(v1alpha1.Warning, "control.size.beyond", message,
		c.forGood("test a larger control plane under the planned objects before the installation, or split the cluster"))
	f.Figure, f.Sources = "control.cores", sources
}

// laterRow is the row of the first other table that reaches the workers and the
// namespaces.
func (c *planner) laterRow() (Row, bool) {
	for _, release := range c.Facts.Releases("ocp.controlPlaneSize.cores") {
		rows := Rows(c.Facts, release, c.in.Plugin)
		at, beyond := Pick(rows, c.workers.Number, c.in.Objects["namespaces"].Number)
		if !beyond && *rows[at].Workers.From.Source != c.table {
			return rows[at], true
		}
	}
	return Row{}, false
}

// compare holds the scenario's control plane node type against the size, which OpenShift's table
// asks of a machine to build: one that runs, or another platform's, may do with less.
func (c *planner) compare() {
	t := c.in.NodeType
	if t == nil {
		return
	}
	c.res.Decision.Type, c.res.Decision.CPUs, c.res.Decision.Memory = t.Name, t.CPUs, t.Memory
	c.res.Decision.Disk = t.Disk
	if t.Disk > 0 {
		c.res.Disk = c.Origin.Value(c.in.NodeTypePath+".disk", float64(t.Disk), unit.ByteUnit)
	}
	cpus := c.Origin.Value(c.in.NodeTypePath+".cpus", float64(t.CPUs)*1000, unit.Millicores)
	memory := c.Origin.Value(c.in.NodeTypePath+".memory", float64(t.Memory),
		unit.ByteUnit).WithText(decimal(float64(t.Memory)))
	c.res.Machine = memory
	c.Gauge(
		limit.Measure("controlPlaneCores", "Control plane cores needed of those there", "node "+t.Name, c.res.Cores, cpus,
			limit.Recommended).AsLocal(),
		limit.Measure("controlPlaneMemory", "Control plane memory needed of what is there", "node "+t.Name, c.res.Memory,
			memory, limit.Recommended).AsLocal())
	if cpus.Number >= c.res.Cores.Number && memory.Number >= c.res.Memory.Number {
		return
	}
	severity := v1alpha1.Error
	if c.in.Running || !c.openshift() {
		severity = v1alpha1.Warning
	}
	c.FindAt(severity, "control.nodeType.tooSmall", c.in.NodeTypePath,
		fmt.Sprintf("%s has %s and %s; %s need control plane nodes of %s and %s", t.Name, cpus, memory, c.workers,
			c.res.Cores, c.res.Memory),
		c.forGood(fmt.Sprintf("take a machine of at least %s and %s", c.res.Cores, c.res.Memory)),
		c.table).Figure = "control.cores"
}
