package flavor

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// mask reads a mask of the VM's vCPUs; one that begins with a caret leaves out
// of all of them, and so does each mask of the fork.
func (r *reader) mask(key, text string, ofAll bool) (unit.CPUSet, bool) {
	if ofAll || strings.HasPrefix(strings.TrimSpace(text), "^") {
		text = fmt.Sprintf("0-%d,%s", r.vcpus-1, text)
	}
	list, err := parseCPUs(text)
	if err != nil {
		r.bad(key, err.Error(), "a list such as ^0-1 or 2-5")
		return unit.CPUSet{}, false
	}
	cpus, beyond := list.below(r.vcpus)
	if beyond >= 0 {
		r.bad(key, fmt.Sprintf("vCPU %d is beyond the VM's last, %d", beyond, r.vcpus-1), "name vCPUs from 0 on")
		return unit.CPUSet{}, false
	}
	return cpus, true
}

// dedicatedMask reads which vCPUs of a mixed VM are pinned: some, and not all.
func (r *reader) dedicatedMask() {
	const key = "hw:cpu_dedicated_mask"
	text := r.specs[key]
	if text == "" {
		return
	}
	cpus, ok := r.mask(key, text, false)
	switch {
	case !ok:
	case cpus.IsEmpty() || cpus == firstCPUs(r.vcpus):
		r.bad(key, fmt.Sprintf("%s of %d vCPUs leaves no pinned or no floating one", text, r.vcpus),
			"pin some of them, and not all")
	default:
		r.cpu.dedicated, r.cpu.masked = cpus, true
	}
}

// realtime are the vCPUs with realtime priority; none without hw:cpu_realtime.
func (r *reader) realtime() unit.CPUSet {
	if on, _ := truth(r.specs["hw:cpu_realtime"]); !on {
		return unit.CPUSet{}
	}
	key := "hw_cpu_realtime_mask"
	text := r.props[key]
	if text == "" {
		key = "hw:cpu_realtime_mask"
		text = r.specs[key]
	}
	all := firstCPUs(r.vcpus)
	cpus, ok := all, true
	if text != "" {
		cpus, ok = r.mask(key, text, !r.modern())
	}
	switch {
	case !ok:
		return unit.CPUSet{}
	case cpus.IsEmpty():
		r.bad(key, "leaves no realtime vCPU", "leave some out, such as ^0")
	case cpus == all && (!r.modern() || r.cpu.emulator == ""):
		r.bad(key, "leaves no vCPU without realtime priority, and the emulator's threads need one", r.realtimeFix())
		return unit.CPUSet{}
	}
	return cpus
}

func (r *reader) realtimeFix() string {
	if r.modern() {
		return "set hw:cpu_realtime_mask=^0, or hw:emulator_threads_policy"
	}
	return "set hw:cpu_realtime_mask=^0"
}

// truth reads a boolean as Nova does; ok is false for what is none.
func truth(text string) (on, ok bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "1", "t", "true", "on", "y", "yes":
		return true, true
	case "0", "f", "false", "off", "n", "no":
		return false, true
	}
	return false, false
}

var (
	floating = regexp.MustCompile(`^resources([1-9][0-9]*)?:VCPU`)
	pinning  = regexp.MustCompile(`^resources([1-9][0-9]*)?:PCPU`)
	threads  = regexp.MustCompile(`^trait([1-9][0-9]*)?:HW_CPU_HYPERTHREADING`)
)

// placementResources reads a policy that is written as an amount of PCPU or VCPU.
func (r *reader) placementResources() {
	p := &r.cpu
	vKey, vcpus := r.amount(floating)
	pKey, pcpus := r.amount(pinning)
	if vcpus == 0 && pcpus == 0 {
		return
	}
	key := pKey
	if pcpus == 0 {
		key = vKey
	}
	want := int64(r.vcpus)
	if p.emulator == nova.EmulatorIsolate {
		want++
	}
	switch {
	case p.policy != "":
		r.bad(key, "can't stand with a CPU policy", "give hw:cpu_policy or the amount, not both")
	case vcpus != 0 && pcpus != 0:
		r.bad(key, "can't stand with "+vKey, "give one of them")
	case pcpus == 0:
		p.policy = nova.Shared
	case pcpus != want:
		r.bad(key, fmt.Sprintf("%d are not the %d that the VM needs", pcpus, want), fmt.Sprintf("%s=%d", key, want))
	default:
		p.policy = nova.Dedicated
	}
}

// amount is the sum of the resources, and the first key of them.
func (r *reader) amount(of *regexp.Regexp) (key string, sum int64) {
	for _, k := range slices.Sorted(maps.Keys(r.specs)) {
		if !of.MatchString(k) {
			continue
		}
		n, ok := wholeNumber(r.specs[k])
		if !ok || n < 0 || n > unit.MaxCPUs*2 {
			r.bad(k, fmt.Sprintf("%q is no number of CPUs", r.specs[k]), fmt.Sprintf("such as %d", r.vcpus))
			continue
		}
		key = cmp.Or(key, k)
		sum += n
	}
	return key, sum
}

// hyperthreading reads a thread policy that is written as a trait of the host.
func (r *reader) hyperthreading() {
	key, value := "", ""
	for _, k := range slices.Sorted(maps.Keys(r.specs)) {
		if key == "" && threads.MatchString(k) {
			key, value = k, r.specs[k]
		}
	}
	if key == "" && r.props["trait:HW_CPU_HYPERTHREADING"] == "required" {
		key, value = "trait:HW_CPU_HYPERTHREADING", "required"
	}
	if value == "" {
		return
	}
	if r.cpu.thread != "" {
		r.bad(key, "can't stand with a thread policy", "give hw:cpu_thread_policy or the trait, not both")
		return
	}
	switch value {
	case "forbidden":
		r.cpu.thread = nova.Isolate
	case "required":
		r.cpu.thread = nova.Require
	default:
		r.bad(key, fmt.Sprintf("%q is not known", value), "one of required, forbidden")
	}
}
