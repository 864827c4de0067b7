package compute

import "plimsoll.dev/api/v1alpha1"

// Backings of a compute host's local disks, as compute.localBacking names them.
const (
	// CoW keeps sparse files (copy on write) in the instances volume.
	CoW = "image"
	// LVM allocates raw volumes in full.
	LVM = "lvm"
	// Remote keeps the disks in Ceph.
	Remote = "remote"
)

// LocalDisk is what one VM keeps outside Cinder in bytes: its root disk when it boots
// from an image, its ephemeral disk and its swap.
func LocalDisk(s *v1alpha1.Server, f *v1alpha1.Flavor, image *v1alpha1.Image) float64 {
	size := float64(f.Ephemeral) + float64(f.Swap)
	if s.BootFrom == "image" || s.BootFrom == "remoteImage" {
		root := float64(f.Disk)
		if root == 0 && image != nil {
			root = float64(max(image.DiskSize, image.Size))
		}
		size += root
	}
	return size
}

// Choice is the backing that a server's local disks ask for.
type Choice struct {
	// Backing is CoW, LVM or Remote; empty when the server has no local disk.
	Backing string
	// Why in a few words.
	Why string
	// Against is what the backing costs the server; empty when nothing.
	Against string
}

// Choose finds the backing of a server's local disks by HCG 4: disks that must follow
// a live migration are remote, data that must outlive a cold migration needs copy on
// write, much writing asks for LVM; else VMs start fastest with copy on write. disk
// is the size of the local disks (LocalDisk).
func Choose(s *v1alpha1.Server, disk float64) Choice {
	switch {
	case s.BootFrom == "remoteImage":
		return Choice{Backing: Remote, Why: "it boots from a remote image"}
	case disk == 0:
		return Choice{}
	case s.LiveMigration:
		return Choice{Backing: Remote, Why: "its disks have to follow a live migration"}
	case s.KeepData && s.IOIntensive:
		return Choice{Backing: CoW, Why: "its data have to outlive a cold migration",
			Against: "it writes much, for which LVM is advised; LVM would lose its data"}
	case s.KeepData:
		return Choice{Backing: CoW, Why: "its data have to outlive a cold migration"}
	case s.IOIntensive:
		return Choice{Backing: LVM, Why: "it writes much",
			Against: "a cold migration loses its data, and large disks are slow to create"}
	}
	return Choice{Backing: CoW, Why: "it starts fastest"}
}
