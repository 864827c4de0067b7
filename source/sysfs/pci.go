package sysfs

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	maxPCI      = 4096 // devices; a host with many virtual functions has hundreds
	maxPCIDepth = 16   // bridges behind each other
)

var (
	busName    = regexp.MustCompile(`^pci[0-9a-f]{4,}:[0-9a-f]{2}$`)
	pciAddress = regexp.MustCompile(`^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)
)

// pci reads the PCI devices below devices/pci*, bridges left out. What can't be
// read of them is passed over: they are hints.
func (r *treeReader) pci() []PCIDevice {
	var out []PCIDevice
	for _, bus := range r.names("devices") {
		if busName.MatchString(bus) {
			r.bus(path.Join("devices", bus), 0, &out)
		}
	}
	sortPCI(out)
	return out
}

func sortPCI(list []PCIDevice) {
	slices.SortFunc(list, func(a, b PCIDevice) int { return strings.Compare(a.Address, b.Address) })
}

func (r *treeReader) bus(dir string, depth int, out *[]PCIDevice) {
	for _, name := range r.names(dir) {
		if depth == maxPCIDepth || len(*out) == maxPCI {
			return
		}
		if !pciAddress.MatchString(name) {
			continue
		}
		at := path.Join(dir, name)
		if d, ok := r.pciDevice(at, name); ok {
			*out = append(*out, d)
		}
		r.bus(at, depth+1, out)
	}
}

// bridge is the PCI base class of bridges.
const bridge = 0x06

func (r *treeReader) pciDevice(dir, address string) (PCIDevice, bool) {
	d := PCIDevice{Address: address, Class: r.hex(path.Join(dir, "class")) >> 8, Vendor: r.hex(path.Join(dir, "vendor")),
		Device: r.hex(path.Join(dir, "device")), Node: -1}
	if text, ok := r.read(path.Join(dir, "numa_node")); ok {
		if node, err := strconv.ParseInt(text, 10, 16); err == nil && node >= 0 {
			d.Node = int(node)
		}
	}
	if text, ok := r.read(path.Join(dir, "uevent")); ok {
		for line := range strings.SplitSeq(text, "\n") {
			if driver, found := strings.CutPrefix(line, "DRIVER="); found {
				d.Driver = strings.TrimSpace(driver)
			}
		}
	}
	return d, d.Vendor != 0 && d.Class>>8 != bridge
}

// hex reads a number such as 0x030200; 0 when there is none.
func (r *treeReader) hex(name string) int {
	text, _ := r.read(name)
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 31)
	if err != nil {
		return 0
	}
	return int(n)
}
