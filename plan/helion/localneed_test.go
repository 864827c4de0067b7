package helion

import (
	"testing"

	"plimsoll.dev/derive/derivetest"
)

// twins are rules of HCG 4 in Go, with which every plan is compared.
var twins = derivetest.Twins{
	"compute.local.image": func(in derivetest.Inputs) float64 {
		return sparseNeed(in["vms"], in["size"], in["overhead"], in["margin"])
	},
	"compute.local.lvm": func(in derivetest.Inputs) float64 {
		return rawNeed(in["cached"], in["image"], in["vms"], in["size"], in["overhead"], in["margin"])
	},
}

// The worked examples, in GB: 10 VMs of 12 with 15 overhead make 168.75, or 165 when
// the margin is taken of the images alone; 5 images of 8 and 10 disks of 40 make 568.75.
func TestLocalNeed(t *testing.T) {
	if got := sparseNeed(10, 12, 15, 0.25); got != 168.75 {
		t.Errorf("copy on write: %v, want 168.75", got)
	}
	if got := 10*12*1.25 + 15; got != 165 || sparseNeed(10, 12, 0, 0.25)+15 != got {
		t.Errorf("margin on the images alone: %v, want 165", got)
	}
	if got := rawNeed(5, 8, 10, 40, 15, 0.25); got != 568.75 {
		t.Errorf("LVM: %v, want 568.75", got)
	}
}

// sparseNeed is the local storage in bytes that a host of CoW backing needs:
//
//	(n * image + overhead) * (1 + margin)
//
// for n VMs whose sparse files take image bytes each (HCG 4). The margin is taken of
// the overhead, too, which is the safer reading of "+ Margin".
func sparseNeed(n, image, overhead, margin float64) float64 {
	return (n*image + overhead) * (1 + margin)
}

// rawNeed is the local storage in bytes that a host of LVM backing needs:
//
//	(cached * image + overhead) * (1 + margin) + n * volume * (1 + margin)
//
// for cached images of image bytes each, which gather over time, and the raw disks
// of n VMs (HCG 4).
func rawNeed(cached, image, n, volume, overhead, margin float64) float64 {
	return (cached*image+overhead)*(1+margin) + n*volume*(1+margin)
}
