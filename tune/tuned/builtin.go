package tuned

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/object"
)

// builtin is a built-in function of TuneD.
type builtin struct {
	name string
	// least and most are the numbers of arguments; most 0 is unlimited.
	least, most int
	// needs names the field of Machine that it asks; empty for none.
	needs string
	// since is the first release of TuneD 2 that has it: 20 for 2.20.
	since int
	// does says in a few words what it comes to.
	does string
	run  func(m *Machine, args []string) (string, error)
}

// stays is the reason for which a function leaves its text.
type stays struct {
	rule      object.Rule
	what, fix string
	// needs is what of the node the result depends on; empty where TuneD itself leaves
	// the text.
	needs string
}

func (s *stays) Error() string { return s.what }

// aborts is the reason for which TuneD stops working a text out.
type aborts struct {
	rule object.Rule
	what string
	// python is the name of the error.
	python string
}

func (a *aborts) Error() string { return a.what }

func fails(what, fix string) error { return &stays{FunctionFails, what, fix, ""} }

func unknown(what string) error {
	return &stays{NeedsMachine, "which depends on " + what, "look at what it comes to on the node", what}
}

// builtins are the built-in functions, sorted by name.
var builtins = []builtin{
	{"assertion", 3, 3, "", 7, "stops the load unless arguments 2 and 3 are equal", assertion},
	{"assertion_non_equal", 3, 3, "", 8, "stops the load if arguments 2 and 3 are equal", assertionNonEqual},
	{"calc_isolated_cores", 0, 1, "Sockets", 19, "all CPUs but the first N (1) of each socket", calcIsolatedCores},
	{"check_net_queue_count", 1, 1, "Processors", 16, "the argument if it is a number, else the number of CPUs",
		checkNetQueueCount},
	{"cpuinfo_check", 2, 0, "CPUInfo", 13, "the text behind the first expression found in /proc/cpuinfo", cpuinfoCheck},
	{"cpulist2devs", 0, 0, "", 20, "the list as names of devices: cpu0,cpu1",
		ofList(",", func(c []int) (string, error) { return listText(c, "cpu"), nil })},
	{"cpulist2hex", 0, 0, "", 5, "the list as a mask", ofList(",,", maskText)},
	{"cpulist2hex_invert", 0, 0, "Online", 5, "the online CPUs that are not in the list, as a mask",
		ofOnline(",,", func(c, online []int) (string, error) { return maskText(without(online, c)) })},
	{"cpulist_invert", 0, 0, "Online", 5, "the online CPUs that are not in the list",
		ofOnline(",,", func(c, online []int) (string, error) { return listText(without(online, c), ""), nil })},
	{"cpulist_online", 0, 0, "Online", 5, "the CPUs of the list that are online",
		ofOnline(",", func(c, online []int) (string, error) { return listText(within(c, online), ""), nil })},
	{"cpulist_pack", 0, 0, "", 7, "the list with ranges",
		ofList(",,", func(c []int) (string, error) { return packed(c), nil })},
	{"cpulist_present", 0, 0, "Present", 7, "the CPUs of the list that are present", cpulistPresent},
	{"cpulist_unpack", 0, 0, "", 5, "the list without ranges",
		ofList(",,", func(c []int) (string, error) { return listText(c, ""), nil })},
	{"exec", 1, 0, "Run", 5, "what a program prints", execute},
	{"hex2cpulist", 1, 1, "", 5, "the CPUs of a mask", hex2cpulist},
	{"intel_recommended_pstate", 0, 0, "PMU", 23, "disable for Intel's processors before Ice Lake, else active",
		recommendedPState},
	{"kb2s", 1, 1, "", 5, "KiB as sectors", kb2s},
	{"log", 1, 0, "", 23, "the arguments joined, which are logged",
		func(_ *Machine, args []string) (string, error) { return strings.Join(args, ""), nil }},
	{"lscpu_check", 2, 0, "LSCPU", 24, "the text behind the first expression found in what lscpu prints", lscpuCheck},
	{"package2cpus", 0, 0, "Sockets", 24, "the CPUs of packages, as names of devices",
		ofPackages("the packages of the CPUs")},
	{"package2uncores", 0, 0, "Sockets", 24, "the uncore devices of packages",
		ofPackages("the uncore devices of the packages")},
	{"regex_search_ternary", 4, 4, "", 14, "argument 3 if expression 2 is found in argument 1, else argument 4",
		regexSearchTernary},
	{"s2kb", 1, 1, "", 5, "sectors as KiB", s2kb},
	{"strip", 1, 0, "", 8, "the arguments joined, without blanks around",
		func(_ *Machine, args []string) (string, error) { return strip(strings.Join(args, "")), nil }},
	{"virt_check", 2, 2, "Virtual", 8, "argument 1 in a virtual machine, else argument 2", virtCheck},
}

// function finds a built-in function.
func function(name string) (builtin, bool) {
	i, ok := slices.BinarySearchFunc(builtins, name,
		func(f builtin, name string) int { return strings.Compare(f.name, name) })
	if !ok {
		return builtin{}, false
	}
	return builtins[i], true
}

// takes says whether a function takes so many arguments.
func (f builtin) takes(n int) bool { return n >= f.least && (f.most == 0 || n <= f.most) }

// arguments says how many a function takes, and what for.
func (f builtin) arguments() string {
	return fmt.Sprintf("it takes %s (%s)", f.counts(), f.does)
}

func (f builtin) counts() string {
	switch {
	case f.most == 0:
		return fmt.Sprintf("at least %d", f.least)
	case f.most == f.least:
		return strconv.Itoa(f.most)
	}
	return fmt.Sprintf("%d to %d", f.least, f.most)
}

func assertion(_ *Machine, args []string) (string, error) {
	if args[1] != args[2] {
		return "", &aborts{Assertion, fmt.Sprintf("the assertion %q fails: %q is not %q", args[0], args[1], args[2]),
			"InvalidProfileException"}
	}
	return "", &stays{}
}

func assertionNonEqual(_ *Machine, args []string) (string, error) {
	if args[1] == args[2] {
		return "", &aborts{Assertion, fmt.Sprintf("the assertion %q fails: both are %q", args[0], args[1]),
			"InvalidProfileException"}
	}
	return "", &stays{}
}

// bounded makes the reason to leave the text of a list that is too large.
func bounded(text string, err error) (string, error) {
	if errors.Is(err, tooMany{}) {
		return "", &stays{TooLarge, "is stopped because " + err.Error(), "give the CPUs of the machine",
			"what TuneD makes of the list"}
	}
	return text, err
}

// ofList makes a function of a list of CPUs; between joins its arguments.
func ofList(between string, f func([]int) (string, error)) func(*Machine, []string) (string, error) {
	return func(_ *Machine, args []string) (string, error) {
		cpus, err := cpuList(strings.Join(args, between))
		if err != nil {
			return bounded("", err)
		}
		return bounded(f(cpus))
	}
}

// ofOnline makes a function of a list of CPUs and the CPUs that are online.
func ofOnline(between string, f func(cpus, online []int) (string, error)) func(*Machine, []string) (string, error) {
	return func(m *Machine, args []string) (string, error) {
		if m.Online == nil {
			return "", unknown("which CPUs are online")
		}
		return ofBoth(strings.Join(args, between), *m.Online, f)
	}
}

func ofBoth(first, second string, f func(a, b []int) (string, error)) (string, error) {
	a, err := cpuList(first)
	if err != nil {
		return bounded("", err)
	}
	b, err := cpuList(second)
	if err != nil {
		return bounded("", err)
	}
	return bounded(f(a, b))
}

func cpulistPresent(m *Machine, args []string) (string, error) {
	if m.Present == nil {
		return "", unknown("which CPUs are present")
	}
	return ofBoth(strings.Join(args, ",,"), *m.Present,
		func(c, present []int) (string, error) { return listText(within(c, present), ""), nil })
}

func hex2cpulist(_ *Machine, args []string) (string, error) {
	cpus, err := maskCPUs(args[0])
	return bounded(listText(cpus, ""), err)
}

// calcIsolatedCores leaves out the first CPUs of each socket. CPUs of which the
// machine doesn't say the socket, such as offline ones, count for nothing.
func calcIsolatedCores(m *Machine, args []string) (string, error) {
	reserve := 1
	if len(args) > 0 {
		n, ok := number(args[0], 10)
		if !isDecimal(args[0]) || !ok {
			return "", fails(fmt.Sprintf("%q is not a number of CPUs", args[0]), "give a whole number from 0 on")
		}
		reserve = maxCPU
		if n.IsInt64() {
			reserve = int(min(n.Int64(), maxCPU))
		}
	}
	if m.Sockets == nil {
		return "", unknown("the sockets of the CPUs")
	}
	seen := map[string]int{}
	var out []int
	for _, cpu := range slices.Sorted(maps.Keys(m.Sockets)) {
		socket := strip(m.Sockets[cpu])
		if !isDecimal(socket) {
			continue
		}
		if seen[socket]++; seen[socket] > reserve {
			out = append(out, cpu)
		}
	}
	return listText(out, ""), nil
}

func checkNetQueueCount(m *Machine, args []string) (string, error) {
	switch {
	case isDecimal(args[0]):
		return args[0], nil
	case m.Processors == 0:
		return "", unknown("the number of CPUs")
	}
	return strconv.Itoa(m.Processors) + "\n", nil
}

func cpuinfoCheck(m *Machine, args []string) (string, error) {
	if m.CPUInfo == nil {
		return "", unknown("/proc/cpuinfo")
	}
	return firstFound(args, *m.CPUInfo)
}

func lscpuCheck(m *Machine, args []string) (string, error) {
	if m.LSCPU == nil {
		return "", unknown("what lscpu prints")
	}
	return firstFound(args, *m.LSCPU)
}

// firstFound is the text behind the first expression that is found, or the last one.
func firstFound(args []string, text string) (string, error) {
	for i := 0; i+1 < len(args); i += 2 {
		found, err := search(args[i], text, true)
		if err != nil {
			return "", err
		}
		if found {
			return args[i+1], nil
		}
	}
	if len(args)%2 == 1 {
		return args[len(args)-1], nil
	}
	return "", nil
}

// oldIntel are the processors for which Intel recommends to leave the driver out.
var oldIntel = []string{"", "sandybridge", "ivybridge", "haswell", "broadwell", "skylake"}

func recommendedPState(m *Machine, _ []string) (string, error) {
	switch {
	case m.PMU == nil:
		return "", unknown("the generation of the processor")
	case slices.Contains(oldIntel, strip(*m.PMU)):
		return "disable", nil
	}
	return "active", nil
}

// ofPackages makes a function of packages, which is not worked out here.
func ofPackages(what string) func(*Machine, []string) (string, error) {
	return func(_ *Machine, args []string) (string, error) {
		if len(args) == 0 {
			return "", &stays{}
		}
		return "", unknown(what)
	}
}

func regexSearchTernary(_ *Machine, args []string) (string, error) {
	found, err := search(args[1], args[0], false)
	switch {
	case err != nil:
		return "", err
	case found:
		return args[2], nil
	}
	return args[3], nil
}

func execute(m *Machine, args []string) (string, error) {
	if out, ok := m.Printed[strings.Join(args, " ")]; ok {
		return out, nil
	}
	if m.Run == nil {
		program := clip(strings.Join(args, " "))
		return "", &stays{NotRun, "runs the program " + program, "look at what it prints on the node",
			"what " + program + " prints"}
	}
	out, ok := m.Run(args)
	if !ok {
		return "", fails(fmt.Sprintf("the program %s fails", clip(strings.Join(args, " "))),
			"look at what it prints on the node")
	}
	return out, nil
}

func kb2s(_ *Machine, args []string) (string, error) {
	n, ok := number(args[0], 10)
	if ok {
		if text := n.Lsh(n, 1).String(); len(strings.TrimPrefix(text, "-")) <= maxDigits {
			return text, nil
		}
	}
	return "", fails(fmt.Sprintf("%q is not a number of KiB", clip(args[0])), "give a whole number")
}

func s2kb(_ *Machine, args []string) (string, error) {
	n, ok := number(args[0], 10)
	if !ok {
		return "", fails(fmt.Sprintf("%q is not a number of sectors", clip(args[0])), "give a whole number")
	}
	h, ok := half(n)
	if !ok {
		return "", &aborts{Crash, "half of a number of sectors is too large for a float", "OverflowError"}
	}
	return h.String(), nil
}

func virtCheck(m *Machine, args []string) (string, error) {
	switch {
	case m.Virtual == nil:
		return "", unknown("whether the machine is virtual")
	case *m.Virtual:
		return args[0], nil
	}
	return args[1], nil
}
