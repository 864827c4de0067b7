package tuned

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// Machine is what built-in functions ask of the machine. Whatever is left out is
// unknown: what functions come to that need it is marked as unknown, with a finding.
type Machine struct {
	// TuneD is the release that loads the profile.
	TuneD Release `json:"-"`
	// Assumed says what of Online, Present and Processors is only assumed: "that CPUs
	// 0-3 are online". Empty where they are the machine's own.
	Assumed string `json:"assumed,omitempty"`
	// Virtual says whether virt-what names a hypervisor.
	Virtual *bool `json:"virtual,omitempty"`
	// Online and Present are the CPUs that /sys/devices/system/cpu/online and present list: "0-7".
	Online  *string `json:"online,omitempty"`
	Present *string `json:"present,omitempty"`
	// Sockets has physical_package_id of each online CPU, by its number; "-1" where the
	// machine doesn't say.
	Sockets map[int]string `json:"sockets,omitempty"`
	// Processors is the number of CPUs that nproc prints: those that TuneD may run on. 0 is unknown.
	Processors int `json:"processors,omitempty"`
	// CPUInfo is the text of /proc/cpuinfo; Uname the fields of uname joined by blanks.
	CPUInfo *string `json:"cpuinfo,omitempty"`
	Uname   *string `json:"uname,omitempty"`
	// LSCPU is what lscpu prints, PMU the text of /sys/devices/cpu/caps/pmu_name: "skylake".
	LSCPU *string `json:"lscpu,omitempty"`
	PMU   *string `json:"pmu,omitempty"`
	// Read reads a file of variables and says whether it is there; nil knows nothing of files.
	Read func(path string) (text string, found bool) `json:"-"`
	// Incomplete says that a file which Read doesn't have may be there all the same.
	Incomplete bool `json:"-"`
	// Printed is what programs print on the machine, by their command lines: "uname -r".
	Printed map[string]string `json:"printed,omitempty"`
	// Run runs a program that Printed doesn't have, for the function exec, and says whether it ended well; nil
	// runs none.
	Run func(args []string) (out string, ok bool) `json:"-"`
}

// countable are the fields of Machine that follow from a number of CPUs.
var countable = []string{"Online", "Present", "Processors"}

// AssumeCPUs returns the machine with n CPUs, such as status.capacity.cpu of a Node
// tells: assumed is that they are 0 to n-1, all online. What is known already stays,
// and so does everything where n is not positive.
func (m Machine) AssumeCPUs(n int) Machine {
	if n <= 0 || m.Online != nil || m.Present != nil || m.Processors != 0 {
		return m
	}
	list := "0"
	if n > 1 {
		list = fmt.Sprintf("0-%d", n-1)
	}
	m.Online, m.Present, m.Processors = &list, &list, n
	m.Assumed = fmt.Sprintf("that the node's CPUs are %s, all online", list)
	return m
}

// lscpuLine is a line of what lscpu prints.
var lscpuLine = regexp.MustCompile(`(?m)^\s*([^:\n]+):[ \t]*(.*?)[ \t\r]*$`)

// WithLSCPU returns the machine with what lscpu prints on it, in English: the text
// itself, and where they are not known yet its CPUs and whether it is virtual.
func (m Machine) WithLSCPU(text string) Machine {
	said := map[string]string{}
	for _, l := range lscpuLine.FindAllStringSubmatch(text, -1) {
		said[l[1]] = l[2]
	}
	m.LSCPU = &text
	online, err := cpuList(said["On-line CPU(s) list"])
	if err == nil && len(online) > 0 && m.Online == nil && m.Present == nil && m.Processors == 0 {
		list := packed(online)
		present, err := cpuList(list + ",," + said["Off-line CPU(s) list"])
		m.Online, m.Processors = &list, len(online)
		if err == nil {
			all := packed(present)
			m.Present = &all
		}
	}
	if virtual := said["Hypervisor vendor"] != ""; m.Virtual == nil && len(online) > 0 {
		m.Virtual = &virtual
	}
	return m
}

// WithUname returns the machine with what "uname -a" prints on it, which are the
// fields that uname_regex is compared with, and some that profiles ask one by one.
func (m Machine) WithUname(all string) Machine {
	all = strings.TrimSpace(all)
	fields := strings.TrimSuffix(all, " GNU/Linux")
	m.Uname = &fields
	m.Printed = maps.Clone(m.Printed)
	if m.Printed == nil {
		m.Printed = map[string]string{}
	}
	m.Printed["uname -a"] = all + "\n"
	parts := strings.Fields(fields)
	if len(parts) < 5 { // system, node, release, version, machine
		return m
	}
	for option, field := range map[string]string{"": parts[0], " -s": parts[0], " -n": parts[1], " -r": parts[2],
		" -m": parts[len(parts)-1]} {
		m.Printed["uname"+option] = field + "\n"
	}
	return m
}
