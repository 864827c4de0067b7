package tuned

import "fmt"

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
	// Run runs a program for the function exec and says whether it ended well; nil
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
