// Package flavor reads what a flavor and an image ask of a host: extra specs and
// image properties under their real names become a request of package nova. It
// finds no place.
//
//	r, remarks, errs := flavor.Request(&f, nil, nil, nova.Nova)
//	r.Cells[0].PageSize // 1048576
package flavor

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// Remark is something that is read and does not do what its writer may think.
type Remark struct {
	// Key is the extra spec or property.
	Key string
	// Text says what it does not do and why.
	Text string
}

// Error is a value that Nova (or the rule set) refuses.
type Error struct {
	// Key is the extra spec or property; empty for the flavor as a whole. Errors of a port have "ports[0].vnicType".
	Key string
	// Text is what is wrong, Fix what would be right.
	Text, Fix string
}

// Error is the error in one line: "key: what is wrong (what would be right)".
func (e Error) Error() string {
	out := e.Text
	if e.Key != "" {
		out = e.Key + ": " + out
	}
	if e.Fix != "" {
		out += " (" + e.Fix + ")"
	}
	return out
}

// Request makes the request of a VM of the flavor with the image (nil is none)
// and the ports. Errors are all that is wrong; then the request is nil.
//
// With the rules of hcg-4.0 a VM has one virtual NUMA node and pages of 2 MiB
// where the flavor says nothing; with those of starlingx and nova it then has no
// NUMA topology, and no Cells. A vCPU on a shared core stands in the VCPUs of its
// cell and in SharedVCPU; all other vCPUs of a dedicated VM are in PCPUs.
func Request(f *v1alpha1.Flavor, image *v1alpha1.Image, ports []v1alpha1.Port,
	rules nova.Rules) (*nova.Request, []Remark, []Error) {
	r := newReader(f, image, rules)
	if len(r.errs) > 0 && r.vcpus == 0 {
		return nil, r.remarks, r.errs // without a size nothing else can be judged
	}
	req := &nova.Request{VCPUs: r.vcpus, Memory: r.memory}
	r.cpus(req)
	r.topology(req)
	r.devices(req, ports)
	r.networks(req, ports)
	if len(r.errs) > 0 {
		return nil, r.remarks, r.errs
	}
	if req.Cells == nil {
		req.EmulatorThreads = "" // they float like all else
		r.bindsNothing(req)
	}
	r.wholePages(req)
	r.unused()
	return req, r.remarks, nil
}

// reader is a flavor with an image that is being read.
type reader struct {
	rules nova.Rules
	// specs and props are the keys that mean something under the rules, in their long names.
	specs, props map[string]string
	// vcpus of the VM, 0 when the flavor's number can't be used; memory in MiB.
	vcpus  int
	memory int64
	cpu    policies
	// shared is the vCPU on a shared core, -1 none; pins are the host's nodes for the virtual nodes,
	// nil where there are none.
	shared int
	pins   []int
	// used are the numbered keys that were read.
	used    map[string]bool
	errs    []Error
	remarks []Remark
}

func newReader(f *v1alpha1.Flavor, image *v1alpha1.Image, rules nova.Rules) *reader {
	r := &reader{rules: rules, specs: map[string]string{}, props: map[string]string{}, used: map[string]bool{}, shared: -1}
	r.size(f)
	r.sortSpecs(f.Properties)
	if image != nil {
		r.sortProps(image.Properties)
	}
	return r
}

// size checks the flavor's own numbers: Nova counts vCPUs and whole MiB.
func (r *reader) size(f *v1alpha1.Flavor) {
	if f.VCPUs < 1 || f.VCPUs > unit.MaxCPUs {
		r.bad("", fmt.Sprintf("%d vCPUs can't be placed", f.VCPUs), fmt.Sprintf("1 to %d", unit.MaxCPUs))
		return
	}
	switch {
	case f.RAM < unit.MiB:
		r.bad("", fmt.Sprintf("%d bytes of RAM are not enough", f.RAM), "at least 1Mi")
		return
	case f.RAM%unit.MiB != 0:
		r.bad("", "RAM of "+f.RAM.String()+" is not a whole number of MiB, in which Nova counts", "write "+wholeRAM(f.RAM))
		return
	}
	r.vcpus, r.memory = f.VCPUs, int64(f.RAM/unit.MiB)
}

// wholeRAM is the amount that is meant by one in decimal multiples: 8G is 8Gi.
func wholeRAM(b unit.Bytes) string {
	if b%unit.GB == 0 {
		return (b / unit.GB * unit.GiB).String()
	}
	return (b / unit.MiB * unit.MiB).String()
}

// bad notes an error, each once.
func (r *reader) bad(key, text, fix string) {
	if e := (Error{Key: key, Text: text, Fix: fix}); !slices.Contains(r.errs, e) {
		r.errs = append(r.errs, e)
	}
}

func (r *reader) remark(key, text string) {
	r.remarks = append(r.remarks, Remark{Key: key, Text: text})
}

// both are the values of an extra spec and of the image property of the same
// name: hw:cpu_policy and hw_cpu_policy. An empty value is none, as in Nova.
func (r *reader) both(name string) (spec, prop string) {
	return r.specs["hw:"+name], r.props["hw_"+name]
}

// modern says that Nova's own rules of today hold, not those of the document or
// of the fork that descends from the same product.
func (r *reader) modern() bool { return r.rules == nova.Nova }
