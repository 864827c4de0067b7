// Package controller sizes the controllers of a Helion cloud after HCG 3: the host, the
// partitions of its primary disk, the disk for Cinder volumes (LVM), how long the two
// controllers take to synchronise (DRBD), what remote logging costs, and how long
// volumes with VMs take to be created.
//
// It chooses no deployment model and places no VM. The document does not say what
// its GB is; 1 GB is 1000 MB here, the larger and safer answer. Only the partitions
// that DRBD synchronises are made of GiB, for its times follow only so.
//
//	r, parts := controller.Plan(controller.Input{Book: &b, Facts: c, Doubts: log,
//		Model: controller.Dedicated, VMs: vms, …})
//	r.Database.Text // "62 GB" for 1000 VMs on 100 computes
//	r.Disk.Text     // "328 GB"
package controller

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/doubt"
)

// The deployment models, as policy.model names them.
const (
	CPE        = "cpe"
	Controller = "controller-storage"
	Dedicated  = "dedicated-storage"
	// Regions are sized one by one, each as Dedicated.
	Regions = "multi-region"
)

// Input is what the controllers are sized from. A derive.Value that is not known is
// the zero value; lists may be empty.
type Input struct {
	// Book takes the figures "controller.*", "drbd.*", "logging.*" and "launch.*".
	Book *derive.Book
	// Facts is the catalogue, with the scenario's measurements in it.
	Facts *facts.Catalogue
	// Doubts takes the doubtful rows that were met: 1, 2, 3, 10, 11, 12, 13 and 22.
	Doubts *doubt.Log
	// Origin tells which fields were assumed; nil takes all as written.
	Origin *part.Origin
	// Model is the deployment model.
	Model string
	// VMs of the cloud (of one region), growth included.
	VMs derive.Value
	// Computes beside the controllers; none on a CPE, whose two hosts are both.
	Computes derive.Value
	// StorageHosts of the cloud.
	StorageHosts derive.Value
	// VMsPerCompute is policy.vmsPerCompute.
	VMsPerCompute derive.Value
	// Meters of the telemetry service when their number is known; it replaces the
	// estimate from VMs and computes.
	Meters derive.Value
	// Margin is policy.margin, a ratio: 0.25 for 25 %.
	Margin derive.Value
	// Images are the Glance images.
	Images []Image
	// Volumes are the Cinder volumes, those of the servers and others.
	Volumes []part.Items
	// VolumeVMs are the VMs that boot from a volume made for them.
	VolumeVMs derive.Value
	// DRBD is storage.drbd of the scenario, Creation storage.creation, defaults filled in.
	DRBD     v1alpha1.DRBD
	Creation v1alpha1.Creation
	// RemoteLogging is policy.remoteLogging.
	RemoteLogging bool
	// Host is the node type of the controllers (of the hosts of a CPE); nil leaves
	// the machine open.
	Host *Host
}

// Image is a number of equal images.
type Image struct {
	part.Items
	// Disk is the size in bytes of the raw disk that an image becomes; the zero
	// value takes the image's size.
	Disk derive.Value
	// Cached says that Ceph keeps it as a raw image as well.
	Cached bool
}

// Host is the node type of the controllers.
type Host struct {
	// Name of the node type, and Path of it: "hardware.nodeTypes[2]".
	Name, Path string
	// Sockets of the machine, 0 when not known.
	Sockets int
	// Cores are physical ones of the machine, Memory in bytes.
	Cores, Memory derive.Value
	// Disks of the type; those of use system and lvm count here. An empty list
	// leaves them open.
	Disks []v1alpha1.Disk
	// NICs of the type; those of use management and infrastructure count here.
	NICs []v1alpha1.NIC
}

// Result is the size of the controllers. Values that do not apply are the zero value.
type Result struct {
	// Database, Images, Conversion and Backup are the partitions that can be
	// configured, Disk all partitions together, DiskNeed what to provide: at least
	// the document's minimum. In bytes.
	Database, Images, Conversion, Backup, Disk, DiskNeed derive.Value
	// LVM is what the Cinder volumes need of one disk, LVMNeed what to provide, in
	// bytes. Not with dedicated storage.
	LVM, LVMNeed derive.Value
	// Simultaneous is how many volumes can be made from images at once.
	Simultaneous derive.Value
	// Sync is the time in seconds after which both controllers are equal, if the
	// partitions are synchronised one after the other.
	Sync derive.Value
	// Logs a day, LogBandwidth in bit/s and LogBytes a day leave the cloud.
	Logs, LogBandwidth, LogBytes derive.Value
	// LaunchLeast and LaunchMost bound the time in seconds to create all volumes
	// with their VMs.
	LaunchLeast, LaunchMost derive.Value
	// Fits says that the host given suffices; a host that is left open does.
	Fits bool
}
