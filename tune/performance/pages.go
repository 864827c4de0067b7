package performance

import (
	"fmt"
	"regexp"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlpos"
)

// The architectures of nodes whose sizes of pages are known.
const amd64, arm64 = "amd64", "arm64"

// sizes are the sizes of huge pages by architecture and size of the kernel's own pages.
var sizes = map[string]map[string][]string{
	amd64: {"4k": {"2M", "1G"}},
	arm64: {"4k": {"64k", "2M", "32M", "1G"}, "64k": {"2M", "512M", "16G"}},
}

// allowed are the sizes of huge pages that the operator takes. Without nodes it takes all that there are anywhere.
func (c *checker) allowed() []string {
	kernel := c.Value.Spec.KernelPageSize
	if kernel == "" {
		kernel = "4k"
	}
	switch c.arch {
	case amd64:
		return sizes[amd64]["4k"]
	case arm64:
		return sizes[arm64][kernel]
	}
	return []string{"64k", "2M", "32M", "512M", "1G", "16G"}
}

// hugePages judges sizes, and pages that stand twice.
func (c *checker) hugePages() {
	h := c.Value.Spec.HugePages
	if h == nil {
		return
	}
	const path = "spec.hugepages"
	if len(h.Pages) > 0 && h.DefaultHugepagesSize == nil && defaultPages.In(c.release) {
		c.bad(badPages, path, "hugepages has pages and no default size", "add defaultHugepagesSize")
	}
	known := c.allowed()
	size := func(at, text string) {
		if !slices.Contains(known, text) {
			c.bad(badPages, at, fmt.Sprintf("%q is no size of huge pages here", yamlpos.Shorten(text)),
				"write one of "+words.And(known))
		}
	}
	if h.DefaultHugepagesSize != nil {
		size(path+".defaultHugepagesSize", *h.DefaultHugepagesSize)
	}
	for i, p := range h.Pages {
		at := fmt.Sprintf("%s.pages[%d]", path, i)
		size(at+".size", p.Size)
		if p.Count < 0 {
			c.found = append(c.found, c.Finding(badCount, at+".count",
				fmt.Sprintf("count %d is negative: there is no such number of pages", p.Count), "write 0 or more"))
		}
		if j := slices.IndexFunc(h.Pages[:i], func(o openshift.HugePage) bool { return samePages(o, p) }); j >= 0 {
			c.bad(badPages, at, fmt.Sprintf("pages[%d] has pages of %s for the same node", j, p.Size), "add up their counts")
		}
	}
}

// samePages says whether two items are of one size and place.
func samePages(a, b openshift.HugePage) bool {
	return a.Size == b.Size && (a.Node == nil) == (b.Node == nil) && (a.Node == nil || *a.Node == *b.Node)
}

// kernelPages judges the size of the kernel's own pages, which is known of two architectures only.
func (c *checker) kernelPages() {
	s, at := &c.Value.Spec, "spec.kernelPageSize"
	if s.KernelPageSize == "" || !byArchitecture.In(c.release) {
		return
	}
	by, known := sizes[c.arch]
	switch {
	case known && by[s.KernelPageSize] == nil:
		fix := "write 4k"
		if c.arch == arm64 {
			fix = "write 4k or 64k"
		}
		c.bad(badKernelPages, at,
			fmt.Sprintf("the nodes are %s, whose kernels have no pages of %q", c.arch, s.KernelPageSize), fix)
	case c.arch == arm64 && s.KernelPageSize == "64k" && s.RealTimeKernel.Enabled:
		c.bad(badKernelPages, at, "the real-time kernel has no pages of 64k", "write 4k, or turn realTimeKernel off")
	}
}

// hexID is the id of a vendor or a device.
var hexID = regexp.MustCompile(`^0x[0-9a-fA-F]{1,4}$`)

// devices judges the network devices.
func (c *checker) devices() {
	for i, d := range c.Value.Spec.Net.Devices {
		at := fmt.Sprintf("spec.net.devices[%d]", i)
		if d.InterfaceName != nil && *d.InterfaceName == "" {
			c.bad(badDevice, at+".interfaceName", "interfaceName is empty", "write a name such as ens5f0 or ens5*, or remove it")
		}
		if d.InterfaceName != nil && pattern(*d.InterfaceName) != "" {
			c.found = append(c.found, c.Finding(badPattern, at+".interfaceName", pattern(*d.InterfaceName),
				"write a name such as ens5f0 or ens5*"))
		}
		for name, id := range map[string]*string{"vendorID": d.VendorID, "deviceID": d.DeviceID} {
			if id != nil && !hexID.MatchString(*id) {
				c.bad(badDevice, at+"."+name, fmt.Sprintf("%s %q is no number of 16 bits", name, yamlpos.Shorten(*id)),
					"write it like 0x8086")
			}
		}
		if d.DeviceID != nil && d.VendorID == nil {
			c.bad(badDevice, at, "deviceID stands without vendorID", "add vendorID")
		}
	}
}

// hints judges the hints against one another and against the rest.
func (c *checker) hints() {
	s, h := &c.Value.Spec, &c.Value.Spec.WorkloadHints
	const path = "spec.workloadHints."
	if hintsJudged.In(c.release) {
		if s.RealTimeKernel.Enabled && h.RealTime != nil && !*h.RealTime {
			c.bad(badHints, path+"realTime", "realTime is off, and the real-time kernel on", "turn both on, or both off")
		}
		if h.HighPowerConsumption && h.PerPodPowerManagement {
			c.bad(badHints, path+"perPodPowerManagement", "highPowerConsumption and perPodPowerManagement are both on",
				"turn one of them off")
		}
	}
	if h.MixedCPUs && s.CPU.Shared == "" && sharedJudged.In(c.release) {
		c.bad(badHints, path+"mixedCpus", "mixedCpus is on, and there are no shared CPUs", "add spec.cpu.shared")
	}
}
