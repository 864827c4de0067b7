package machineconfig

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// RPS is Receive Packet Steering: which CPUs take part in processing what a
// queue of a network device receives.
type RPS struct {
	// CPUs are the numbers of CPUs of the pool's nodes, in any order. When they
	// differ, the mask is made for the smallest.
	CPUs []int
	// Only are the CPUs that take part, such as those that are not isolated; nil
	// for all.
	Only []int
	// Driver or NamePattern choose devices ("mlx5_core", "enc*"); with neither,
	// all NICs are meant that are no virtual devices.
	Driver, NamePattern string
	// Virtual sets net.core.rps_default_mask as well, which virtual devices take
	// that are made afterwards, such as the veth of each pod.
	Virtual bool
}

// Where the files of RPS stand. The names sort behind the rules of the system.
const (
	rulesPath  = "/etc/udev/rules.d/99-plimsoll-rps.rules"
	sysctlPath = "/etc/sysctl.d/99-plimsoll-rps.conf"
	// documentedPath is that of "Red Hat OpenShift on IBM Z".
	documentedPath = "/etc/udev/rules.d/71-net-tunings.rules"
)

func (m *maker) rps(r RPS, s Settings) piece {
	mask, ok := m.mask(r)
	if !ok {
		return piece{}
	}
	if s.AsDocumented {
		return m.documentedRPS(mask, r)
	}
	choice, ok := m.choice(r)
	if !ok {
		return piece{}
	}
	p := piece{files: []newFile{{rulesPath, choice.rules(mask), readable}}}
	if r.Virtual {
		if defaultMask.In(m.release) {
			p.files = append(p.files, newFile{sysctlPath, "# CPUs that take part in receiving for devices that are made from " +
				"now on.\nnet.core.rps_default_mask = " + mask + "\n", readable})
		} else {
			m.add(impossibleRule, "--rps-virtual", "net.core.rps_default_mask is not known to the kernel of "+
				m.release.OpenShift(), "leave virtual devices out; the sysctl exists from 4.13")
		}
	}
	return p
}

// mask is the mask for the pool's nodes.
func (m *maker) mask(r RPS) (string, bool) {
	if len(r.CPUs) == 0 {
		m.add(impossibleRule, "--rps-cpus", "the number of CPUs of the nodes is not known: a mask beyond them is refused",
			"write the number of CPUs")
		return "", false
	}
	counts := slices.Compact(slices.Sorted(slices.Values(r.CPUs)))
	text, err := Mask(counts[0], r.Only)
	if err != nil {
		what, fix := cutFix(err)
		m.add(impossibleRule, "--rps-cpus", what, fix)
		return "", false
	}
	if r.Only != nil && len(r.Only) == 0 {
		m.add(impossibleRule, "--rps-only", "no CPU is left to take part", "write at least one")
		return "", false
	}
	if len(counts) > 1 {
		m.add(cpuCountsRule, "--rps-cpus", fmt.Sprintf("the nodes of the pool have %s CPUs: "+
			"the mask %s uses %d of them on each", join(counts), text, counts[0]),
			"make a pool and a MachineConfig for each number of CPUs")
	}
	return text, true
}

func join(numbers []int) string {
	var texts []string
	for _, n := range numbers {
		texts = append(texts, fmt.Sprint(n))
	}
	return words.And(texts)
}

// documentedRPS is the rule as "Red Hat OpenShift on IBM Z" prints it, with a
// mask of the right width. Who asks for it gets it: what is wrong are warnings.
func (m *maker) documentedRPS(mask string, r RPS) piece {
	if r.Driver+r.NamePattern != "" || r.Virtual {
		m.add(impossibleRule, "--as-documented", "the documented rule takes all devices and sets no sysctl: "+
			"a choice of devices can't be written in it", "leave out --as-documented, or the choice of devices")
		return piece{}
	}
	m.note(oneQueueRule, v1alpha1.Warning, "--as-documented", "the documented rule sets one queue of each NIC, "+
		"the first that its directory lists", "leave out --as-documented: the rule then sets all queues")
	m.add(allDevicesRule, "--as-documented", "the documented rule takes all devices, the veth of each pod as well, "+
		"which slows pods of one node down",
		"leave out --as-documented: the rule then passes virtual devices by, and can choose devices by driver or name")
	text := "# turn on Receive Packet Steering (RPS) for all network interfaces\n" +
		`ACTION=="add", SUBSYSTEM=="net", KERNEL=="*", ATTR{queues/*/rps_cpus}="` + mask + "\"\n"
	return piece{files: []newFile{{documentedPath, text, readable}}}
}

// nicChoice is how udev finds the devices.
type nicChoice struct {
	// words for the comment; queue and device are conditions for the events of a
	// queue and of a device.
	words, queue, device string
}

func (m *maker) choice(r RPS) (nicChoice, bool) {
	bad := strings.ContainsAny(r.Driver+r.NamePattern, "\"\\\n\r$%{}'` ,") || len(r.Driver) > 64 || len(r.NamePattern) > 64
	switch {
	case r.Driver != "" && r.NamePattern != "":
		m.add(impossibleRule, "--rps-driver",
			"devices are chosen by driver and by name: for a queue, udev can match one of them only", "write one of them")
		return nicChoice{}, false
	case bad:
		m.add(impossibleRule, "--rps-driver, --rps-nics", "the driver "+short(r.Driver)+" or the name "+short(r.NamePattern)+
			" can't stand in a udev rule", "write letters, digits, * and ?")
		return nicChoice{}, false
	case r.Driver != "":
		d := fmt.Sprintf("DRIVERS==%q", r.Driver)
		return nicChoice{"NICs of the driver " + r.Driver, d, d}, true
	case r.NamePattern != "":
		return nicChoice{"devices named " + r.NamePattern, fmt.Sprintf("SUBSYSTEMS==\"net\", KERNELS==%q", r.NamePattern),
			fmt.Sprintf("KERNEL==%q", r.NamePattern)}, true
	}
	physical := `DEVPATH!="/devices/virtual/*"`
	return nicChoice{"all NICs that are no virtual devices", physical, physical}, true
}

// rules are two: one for queues that appear later, one for devices. udev is told
// again about devices when the system has started, and when one is renamed, but
// never about their queues.
func (c nicChoice) rules(mask string) string {
	return fmt.Sprintf(`# Receive Packet Steering for %s.
ACTION=="add", SUBSYSTEM=="queues", KERNEL=="rx-*", %s, ATTR{rps_cpus}="%s"
ACTION=="add|move", SUBSYSTEM=="net", %s, RUN+="/bin/sh -c 'for q in /sys$devpath/queues/rx-*; do echo %s > $$q/rps_cpus; done'"
`, c.words, c.queue, mask, c.device, mask)
}
