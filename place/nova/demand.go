package nova

import (
	"cmp"

	"plimsoll.dev/unit"
)

// ratio of vCPUs to CPUs of the document and of the fork; it can't be configured.
const ratio = 16

// ask is what a request asks of every node, read once.
type ask struct {
	rules Rules
	// pinned and floating say whether the policy of CPUs has such vCPUs.
	pinned, floating bool
	thread           string
	// shared is the vCPU on the shared core; -1 is none.
	shared int
	// vswitch says that only nodes with a vSwitch will do.
	vswitch bool
	// left is what VMs that float over the host leave.
	left leftover
}

// read reads the request into an empty ask.
func (a *ask) read(r *Request, rules Rules) {
	a.rules, a.thread, a.shared = rules, r.ThreadPolicy, -1
	a.pinned = r.CPUPolicy == Dedicated || r.CPUPolicy == Mixed
	a.floating = r.CPUPolicy != Dedicated
	if rules != Nova {
		a.shared = r.SharedVCPU
		a.vswitch = r.VSwitchAffinity == Required
	}
}

// demand is what one virtual NUMA node asks of a node. Equal demands fit the same nodes.
type demand struct {
	// floating and pinned vCPUs, and CPUs for emulator threads.
	floating, pinned, reserved int
	memory                     int64
	page                       PageSize
	hostNode                   int
	// shared says that the vCPU of the shared core is in the cell, empty that none at all is.
	shared, empty bool
}

// need is the number of CPUs of its own.
func (d *demand) need() int { return d.pinned + d.reserved }

// demandOf is the demand of the i-th cell. The emulator's threads are with the first.
func demandOf(r *Request, a *ask, i int) demand {
	c := &r.Cells[i]
	d := demand{memory: c.Memory, page: c.PageSize, hostNode: -1}
	if a.pinned {
		d.pinned = size(&c.PCPUs)
		d.empty = d.pinned == 0 && size(&c.VCPUs) == 0
		if i == 0 && r.EmulatorThreads == EmulatorIsolate {
			d.reserved = 1
		}
	}
	if a.floating {
		d.floating = size(&c.VCPUs)
	}
	if a.rules != Nova {
		d.hostNode = c.HostNode
		d.shared = a.shared >= 0 && a.shared < unit.MaxCPUs && has(&c.VCPUs, uint16(a.shared))
	}
	return d
}

// orOne is the ratio of a host: what is not given counts as 1.
func orOne(ratio float64) float64 { return cmp.Or(ratio, 1) }
