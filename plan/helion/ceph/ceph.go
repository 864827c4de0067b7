// Package ceph sizes the storage nodes of a Helion cloud: what images, volumes,
// ephemeral disks and objects need of capacity, disk operations and throughput, how
// many disks (OSDs) in how many pairs of hosts that takes and which of the three
// decides, the cores and memory of a host, placement groups, and what a failure
// leaves, after HCG 6; beside it what is advised of Ceph today.
//
// It measures no disk: the rate of an OSD is yours to give, and without it the plan
// says which rate each must reach. Disks of the controllers (Cinder on LVM) and the
// local disks of computes are other packages' business.
//
//	r, p := ceph.Plan(ceph.Input{Book: &b, Facts: c, Doubts: log, Ceph: s.Storage.Ceph, Volumes: kinds, …})
//	r.Logical.Text   // "7.3 TB"
//	r.Layout.Limiting // "capacity"
package ceph

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/doubt"
)

// Input is what the storage nodes are sized from. Lists may be empty.
type Input struct {
	// Book takes the figures "ceph.*".
	Book *derive.Book
	// Facts is the catalogue, with the scenario's measurements in it.
	Facts *facts.Catalogue
	// Doubts takes the doubtful rows that were met: 7 and 14.
	Doubts *doubt.Log
	// Origin tells which fields were assumed.
	Origin *part.Origin
	// Ceph is storage.ceph of the scenario, defaults filled in.
	Ceph v1alpha1.Ceph
	// Margin is policy.margin, a ratio: 0.25 for 25 %.
	Margin derive.Value
	// Images are the Glance images, Cached those of them that Ceph also keeps as raw
	// images (with the size of the raw disk).
	Images, Cached []part.Items
	// Volumes are the Cinder volumes, of servers and others.
	Volumes []part.Items
	// Ephemeral are the ephemeral, swap and image-booted root disks that lie in Ceph.
	Ephemeral []part.Items
	// Objects are Swift's.
	Objects []part.Items
	// Loads are the disk operations of the VMs whose disks lie in Ceph.
	Loads []Load
	// Hosts are the node types of role storage, in the scenario's order.
	Hosts []Host
}

// Load is what a number of equal VMs ask of the disks.
type Load struct {
	// Name of the VMs.
	Name string
	// VMs is their number, IOPS the disk operations a second of one, Throughput the
	// bytes a second of one; the last two may be the zero value.
	VMs, IOPS, Throughput derive.Value
}

// Host is a node type of role storage.
type Host struct {
	// Name of the node type, and Path of it: "hardware.nodeTypes[2]".
	Name, Path string
	// Sockets of the machine, 0 when not known.
	Sockets int
	// Cores are physical, Memory in bytes.
	Cores, Memory derive.Value
	// Price of one; 0 when not known.
	Price float64
	// Count is the number in mind, Available the stock; nil leaves it open.
	Count, Available *int
	// Disks of the type: osd, journal, cache and system count here.
	Disks []v1alpha1.Disk
}

// Result is the size of the storage cluster. Values that do not apply are the zero value.
type Result struct {
	// Glance, Cinder, Ephemeral and Swift are the needs with margin, Logical their sum, in bytes.
	Glance, Cinder, Ephemeral, Swift, Logical derive.Value
	// Raw is Logical with all copies, Provide what the OSDs must hold so that Raw stays below near-full.
	Raw, Provide derive.Value
	// IOPS in operations/s and Throughput in bytes/s of all VMs with margin.
	IOPS, Throughput derive.Value
	// SSD says that the document advises SSDs.
	SSD bool
	// Layout is the chosen one.
	Layout Layout
	// Hosts is the number of storage hosts, PerHost that of the OSDs on each, OSDs that of all.
	Hosts, PerHost, OSDs derive.Value
	// Cores and Memory that each host needs by the document, memory in bytes.
	Cores, Memory derive.Value
	// PGs are the placement groups by the calculator's rule.
	PGs derive.Value
	// Feasible says that a layout within the theoretical limits carries the need.
	Feasible bool
	// Open names what the answer needs and did not get.
	Open []string
}

// Layout is a number of equal storage hosts with equal disks.
type Layout struct {
	// Type is the index in Input.Hosts, -1 when no type has disks and the plan proposes them.
	Type int
	// Hosts, and OSDs on each.
	Hosts, PerHost int
	// Size of one OSD in bytes: of its disks, the mean when they differ; what is proposed otherwise.
	Size float64
	// Limiting is what decides the number of OSDs: capacity, iops, throughput, or minimum.
	Limiting string
	// Fits says that capacity, operations and throughput suffice, and that the hosts keep the document's rules.
	Fits bool
}

// OSDs of the layout in all.
func (l Layout) OSDs() int { return l.Hosts * l.PerHost }
