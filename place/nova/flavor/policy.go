package flavor

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// policies are what flavor and image ask of CPUs.
type policies struct {
	// policy is nova.Shared, Dedicated, Mixed, or empty where nothing is said.
	policy, thread, emulator string
	// dedicated are the pinned vCPUs of a mixed VM, realtime those of a realtime one.
	dedicated, realtime unit.CPUSet
	// masked says that there is a mask that can be read.
	masked bool
}

// cpus reads the policies, in the order in which Nova does.
func (r *reader) cpus(req *nova.Request) {
	before := len(r.errs)
	p := &r.cpu
	r.hostNodes()
	p.policy = r.cpuPolicy()
	p.thread = r.threadPolicy()
	p.emulator = r.oneOf("hw:emulator_threads_policy", r.specs["hw:emulator_threads_policy"], nova.EmulatorShare,
		nova.EmulatorIsolate)
	p.realtime = r.realtime()
	r.dedicatedMask()
	if r.modern() {
		r.placementResources()
		r.hyperthreading()
	} else {
		r.impliedByPin()
	}
	if len(r.errs) == before { // else the rest would only repeat it
		r.agree()
	}
	r.sharedVCPU()
	req.SharedVCPU = r.shared
	req.CPUPolicy, req.ThreadPolicy, req.EmulatorThreads = p.policy, p.thread, p.emulator
	if p.policy == "" {
		req.CPUPolicy = nova.Shared
	}
}

// oneOf is a value that must be one of the words; empty when it is not.
func (r *reader) oneOf(key, value string, words ...string) string {
	if value == "" || slices.Contains(words, value) {
		return value
	}
	r.bad(key, fmt.Sprintf("%q is not known", value), "one of "+strings.Join(words, ", "))
	return ""
}

// cpuPolicy joins the flavor's policy and the image's: the flavor's goes first,
// and an image may not ask for more than a flavor that names its policy.
func (r *reader) cpuPolicy() string {
	words := []string{nova.Shared, nova.Dedicated}
	if r.modern() {
		words = append(words, nova.Mixed)
	}
	spec, prop := r.both("cpu_policy")
	if !r.modern() && spec == nova.Mixed {
		r.bad("hw:cpu_policy", "mixed is a policy of Nova's since 2020", "hw:cpu_policy=dedicated with hw:wrs:shared_vcpu")
		return ""
	}
	flavor, image := r.oneOf("hw:cpu_policy", spec, words...), r.oneOf("hw_cpu_policy", prop, words...)
	more := flavor == nova.Mixed && image == nova.Dedicated ||
		flavor == nova.Shared && (image == nova.Dedicated || image == nova.Mixed)
	if more {
		r.bad("hw_cpu_policy", fmt.Sprintf("%s of the image contradicts hw:cpu_policy=%s of the flavor", image, flavor),
			"take a flavor with hw:cpu_policy="+image)
	}
	if flavor != "" {
		return flavor
	}
	return image
}

// threadPolicy joins flavor and image: an image may say more only where the
// flavor says nothing; prefer of a flavor overrules it.
func (r *reader) threadPolicy() string {
	words := []string{nova.Prefer, nova.Require, nova.Isolate}
	spec, prop := r.both("cpu_thread_policy")
	flavor, image := r.oneOf("hw:cpu_thread_policy", spec, words...), r.oneOf("hw_cpu_thread_policy", prop, words...)
	policy := flavor
	switch {
	case flavor == "":
		policy = image
	case flavor == nova.Prefer || image == "" || image == flavor:
	default:
		r.bad("hw_cpu_thread_policy", fmt.Sprintf("%s of the image contradicts hw:cpu_thread_policy=%s of the flavor", image,
			flavor), "give both the same policy, or the flavor none")
	}
	if policy == nova.Prefer && r.rules == nova.HCG40 {
		r.remark("hw:cpu_thread_policy",
			"the document offers isolate and require; prefer is what a VM without a thread policy gets")
	}
	return policy
}

// agree checks that the policies go together.
func (r *reader) agree() {
	p := &r.cpu
	switch p.policy {
	case nova.Dedicated:
		if p.masked {
			r.bad("hw:cpu_dedicated_mask", "stands with hw:cpu_policy=dedicated, which pins every vCPU",
				"set hw:cpu_policy=mixed, or take the mask out")
		}
	case nova.Mixed:
		r.mixed()
	default:
		r.sharedAgrees()
	}
}

func (r *reader) sharedAgrees() {
	p := &r.cpu
	const fix = "set hw:cpu_policy=dedicated"
	if p.thread != "" {
		r.bad("hw:cpu_thread_policy", p.thread+" needs pinned vCPUs", fix)
	}
	if p.emulator == nova.EmulatorIsolate {
		r.bad("hw:emulator_threads_policy", "isolate needs pinned vCPUs", fix)
	}
	if p.masked {
		r.bad("hw:cpu_dedicated_mask", "needs the mixed policy", "set hw:cpu_policy=mixed")
	}
	if !p.realtime.IsEmpty() {
		r.bad("hw:cpu_realtime", "needs pinned vCPUs", fix)
	}
}

// mixed takes the pinned vCPUs from one of the two masks.
func (r *reader) mixed() {
	p := &r.cpu
	switch realtime := !p.realtime.IsEmpty(); {
	case realtime && p.masked:
		r.bad("hw:cpu_dedicated_mask", "stands with a realtime mask, which already says which vCPUs are pinned",
			"give one of them")
	case realtime:
		p.dedicated = p.realtime
	case !p.masked:
		r.bad("hw:cpu_policy", "mixed does not say which vCPUs are pinned", "set hw:cpu_dedicated_mask, such as ^0")
	}
}

// pinned are the vCPUs that are pinned, among all of the VM's.
func (r *reader) pinned() unit.CPUSet {
	switch r.cpu.policy {
	case nova.Dedicated:
		all := firstCPUs(r.vcpus)
		if r.shared >= 0 {
			all.Remove(r.shared)
		}
		return all
	case nova.Mixed:
		return r.cpu.dedicated
	}
	return unit.CPUSet{}
}

// firstCPUs are the CPUs from 0 to n-1.
func firstCPUs(n int) unit.CPUSet { return cpuRange(0, n) }

// cpuRange are n CPUs from the given one on.
func cpuRange(from, n int) unit.CPUSet {
	var s unit.CPUSet
	for c := from; c < from+n; c++ {
		s.Add(c)
	}
	return s
}
