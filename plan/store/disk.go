package store

import (
	"cmp"
	"fmt"
	"math"

	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

// Node is a node type of the plan, with what its nodes hold.
type Node struct {
	// Type is the node type's name, Role worker, infra or controlPlane.
	Type, Role string
	// Memory of the machine in bytes.
	Memory derive.Value
	// Ephemeral is the most ephemeral storage in bytes that the pods of any one
	// node of the type request; the zero value when they request none.
	Ephemeral derive.Value
	// Disk of the machine in bytes; the zero value when it is not known.
	Disk derive.Value
	// New says that OpenShift's own installer is to install it, which asks for the platform's minimum.
	New bool
}

// Directory is one of the directories that table 10.3 lists, with the least and
// the most that it needs.
type Directory struct {
	Path     string
	Min, Max derive.Value
}

// Disk is the local disk that each node of a type needs.
type Disk struct {
	Type, Role string
	// Directories of the role, in the document's order.
	Directories []Directory
	// Min and Max are the sums over the directories.
	Min, Max derive.Value
	// Least is the platform's minimum for the machine.
	Least derive.Value
	// Need is what to provide: Max, at least the platform's minimum, whole GB.
	Need derive.Value
	// Disk of the machine, zero when not known.
	Disk derive.Value
	// ephemeral says that pods use it, of which a larger one takes more.
	ephemeral bool
}

// ContainersSize is the size of /var/lib/containers of a node: base bytes up to
// baseMemory, and per bytes more for every step of memory beyond, in proportion.
func ContainersSize(memory, base, baseMemory, per, step float64) float64 {
	return base + per*max(0, memory-baseMemory)/step
}

func (p *planner) disk(n Node) Disk {
	d := Disk{Type: n.Type, Role: n.Role, Disk: n.Disk, ephemeral: n.Ephemeral.Number > 0}
	if n.Disk.Number > 0 {
		d.Disk = n.Disk.WithText(inDecimal(n.Disk.Number))
	}
	if n.Role == "controlPlane" {
		d.Directories = append(d.Directories, p.etcdDir(n))
	}
	d.Directories = append(d.Directories, p.containersDir(n), p.kubeletDir(n), p.logDir(n))
	d.Min = p.sum(n, "min", "at least", d.Directories, func(d Directory) derive.Value { return d.Min })
	d.Max = p.sum(n, "max", "at most", d.Directories, func(d Directory) derive.Value { return d.Max })
	p.need(n, &d)
	p.checkDisk(d, n.New)
	return d
}

// inDecimal writes bytes as table 10.3 does, in decimal multiples; a GB and more
// without the third decimal, which no disk is sized by.
func inDecimal(number float64) string {
	if cent := float64(unit.GB) / 100; number >= float64(unit.GB) {
		number = math.Round(number/cent) * cent
	}
	return unit.FormatDecimal(unit.Bytes(unit.Whole(math.Round(number))))
}

// bytes records a figure in bytes, written in decimal multiples.
func (p *planner) bytes(id, title, formula string, in ...derive.Input) derive.Value {
	return p.CalcAs(inDecimal, id, title, unit.ByteUnit, formula, in...)
}

// scope names a node type in a role: types of two roles may have the same name.
func scope(n Node) string { return "[" + n.Type + "/" + n.Role + "]" }

// words names a node; the control plane's machine may be open.
func (n Node) words() string {
	return cmp.Or(n.Type, map[string]string{"controlPlane": "control plane"}[n.Role], n.Role) + " node"
}

func id(name string, n Node) string { return "storage.disk." + name + scope(n) }

// etcdDir runs from the quota of the database to the "less than 20 GB" that the
// table gives the directory.
func (p *planner) etcdDir(n Node) Directory {
	quota := p.Field("etcdQuota", float64(p.in.Storage.EtcdQuota), unit.ByteUnit)
	most := p.Fact("ocp.etcd.dirSize")
	d := Directory{Path: p.Fact("ocp.dataDir.etcdPath").Text}
	d.Min = p.bytes(id("etcdMin", n), d.Path+" at least", "quota", derive.In("quota", quota))
	p.Note(id("etcdMin", n), "the quota of the database, "+quota.Text, table)
	d.Max = p.bytes(id("etcdMax", n), d.Path+" at most", "max(size, quota)", derive.In("size", most),
		derive.In("quota", quota))
	p.Note(id("etcdMax", n), p.etcdDoubt(n), table)
	return d
}

// etcdDoubt tells the effect of the row's second sentence.
func (p *planner) etcdDoubt(n Node) string {
	per, step, base := p.Fact("ocp.etcd.growthPer8GBMax"), p.Fact("ocp.etcd.growthMemoryStep"),
		p.Fact("ocp.dataDir.containersBaseMemory")
	grown := ContainersSize(n.Memory.Number, p.Fact("ocp.etcd.dirSize").Number, base.Number, per.Number, step.Number)
	return fmt.Sprintf("the row also says \"additional 20-25 GB for every additional 8 GB of memory\", "+
		"which contradicts \"less than 20 GB\" and is "+
		"probably a slip from the next row; if it held, %s on this node (counted beyond %s, as in the next row)",
		unit.FormatDecimal(unit.Bytes(grown)), base.Text)
}

func (p *planner) containersDir(n Node) Directory {
	base, from, step := p.Fact("ocp.dataDir.containersBase"), p.Fact("ocp.dataDir.containersBaseMemory"),
		p.Fact("ocp.dataDir.containersMemoryStep")
	d := Directory{Path: p.Fact("ocp.dataDir.containersPath").Text}
	bound := func(name, words string, per derive.Value) derive.Value {
		v := p.bytes(id(name, n), d.Path+" "+words, "base + per * max(0, memory - baseMemory) / step",
			derive.In("base", base), derive.In("per", per),
			derive.In("memory", n.Memory), derive.In("baseMemory", from), derive.In("step", step))
		p.Note(id(name, n), "in proportion between the steps of memory; not meant for the minimum of a cluster", table)
		return v
	}
	d.Min = bound("containersMin", "at least", p.Fact("ocp.dataDir.containersPer8GBMin"))
	d.Max = bound("containersMax", "at most", p.Fact("ocp.dataDir.containersPer8GBMax"))
	return d
}

// kubeletDir is what the pods of the fullest node request; the document says
// only that it varies.
func (p *planner) kubeletDir(n Node) Directory {
	d := Directory{Path: p.Fact("ocp.dataDir.kubeletPath").Text}
	if n.Ephemeral.Number == 0 {
		d.Min = p.bytes(id("kubelet", n), d.Path, "0")
		p.Note(id("kubelet", n), "no pod on such a node requests ephemeral storage; "+
			"what pods write without a request comes on top", table)
	} else {
		d.Min = p.bytes(id("kubelet", n), d.Path, "ephemeral", derive.In("ephemeral", n.Ephemeral))
		p.Note(id("kubelet", n), "the ephemeral storage that the pods of the fullest node request", table)
	}
	d.Max = d.Min
	return d
}

// logDir is what the scenario says is written in the retention, else the
// document's range.
func (p *planner) logDir(n Node) Directory {
	d := Directory{Path: p.Fact("ocp.dataDir.logPath").Text}
	daily := p.in.Storage.LogsPerNodePerDay
	if daily == 0 {
		low, high := p.Fact("ocp.dataDir.logMin"), p.Fact("ocp.dataDir.logMax")
		d.Min = p.bytes(id("logMin", n), d.Path+" at least", "low", derive.In("low", low))
		d.Max = p.bytes(id("logMax", n), d.Path+" at most", "high", derive.In("high", high))
		return d
	}
	rate := p.Field("logsPerNodePerDay", float64(daily), unit.ByteUnit)
	keep := p.Field("logRetention", float64(p.in.Storage.LogRetention), unit.Seconds)
	d.Min = p.bytes(id("log", n), d.Path+" for the retention", "logsPerDay * retention / 86400",
		derive.In("logsPerDay", rate), derive.In("retention", keep))
	d.Max = d.Min
	return d
}

// table is the document's table of directories.
var table = derive.Source{Code: "OCP", Section: "10.3"}

func (p *planner) sum(n Node, name, words string, dirs []Directory, of func(Directory) derive.Value) derive.Value {
	var t derive.Terms
	for i, d := range dirs {
		t.Product(derive.In(fmt.Sprintf("d%d", i+1), of(d)))
	}
	return p.bytes(id(name, n), "Disk of a "+n.words()+" "+words, t.Of("sum"), t.In...)
}

// need is the disk to provide.
func (p *planner) need(n Node, d *Disk) {
	role := "compute"
	if n.Role == "controlPlane" {
		role = "controlPlane"
	}
	least := p.Fact("ocp.minimum.storage/" + role)
	d.Least = least
	d.Need = p.bytes(id("need", n), "Disk to provide for a "+n.words(), "ceil(max(directories, "+
		"minimum) / 1000000000) * 1000000000", derive.In("directories", d.Max), derive.In("minimum", least))
	p.Note(id("need", n), "table 10.3 leaves out the operating system itself; the platform's minimum includes it")
	p.Detail(d.Min, d.Max, d.Need)
	if n.Disk.Number > 0 {
		p.Gauge(limit.Measure("disk"+scope(n), "Local disk that the directories take", "node "+n.Type, d.Min, d.Disk,
			limit.Recommended).AsLocal())
	}
}
