package tuned

// Machine is what built-in functions ask of the machine. Whatever is left out is
// unknown: functions that need it leave their text, with a finding.
type Machine struct {
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
	// Read reads a file of variables; nil knows no files.
	Read func(path string) (text string, found bool) `json:"-"`
	// Run runs a program for the function exec and says whether it ended well; nil
	// runs none.
	Run func(args []string) (out string, ok bool) `json:"-"`
}
