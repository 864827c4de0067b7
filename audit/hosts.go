package audit

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// hostTests are about the hosts of a cloud and the services on them.
var hostTests = []test{{computeDown, (*look).computeDown}, {computeDisabled, (*look).computeDisabled},
	{serviceDown, (*look).serviceDown},
	{volumeServiceDown, (*look).volumeDown}, {controllerCount, (*look).controllers}, {hostOvercommit, (*look).promised},
	{hostSpare, (*look).spareHost}, {volumeError, (*look).volumeError}}

const computeBinary, volumeBinary = "nova-compute", "cinder-volume"

// computeDown finds hosts whose nova-compute does not report, with what runs on them.
func (l *look) computeDown() {
	on := l.Stack.onHosts()
	var bad []where
	for _, d := range l.Stack.Computes {
		vms := len(on[d.Host])
		if d.Binary == computeBinary && d.down() && (d.enabled() || vms > 0) {
			bad = append(bad, at("Service", d.path(), "%s", words.Count(vms, "server")))
		}
	}
	if len(bad) > 0 {
		_, host, _ := strings.Cut(names(l.told(bad)[:1]), "/")
		l.find(bad, "look at the host and its "+computeBinary+"; once it is known to be off, openstack server evacuate "+
			"moves the servers of "+host+" to other hosts", "does not report to Nova")
	}
}

// serviceDown finds other services of Nova and Cinder that do not report: an error where none of its kind is left.
func (l *look) serviceDown() {
	up := map[string]bool{}
	all := slices.Concat(l.Stack.Computes, l.Stack.Volumers)
	for _, d := range all {
		up[d.Binary] = up[d.Binary] || !d.down() && d.enabled()
	}
	var bad []where
	severity := l.rule.Severity
	for _, d := range all {
		if d.Binary == computeBinary || d.Binary == volumeBinary || !d.down() || !d.enabled() {
			continue
		}
		note := "others of it are up"
		if !up[d.Binary] {
			note = "none of it is up"
			if d.Binary != "cinder-backup" {
				severity = v1alpha1.Error
			}
		}
		bad = append(bad, at("Service", d.path(), "%s", note))
	}
	if len(bad) > 0 {
		l.findAs(severity, bad, "look at its host and its log, and start it again", "does not report")
	}
}

// computeDisabled finds hosts that take no new servers.
func (l *look) computeDisabled() {
	on := l.Stack.onHosts()
	var bad []where
	for _, d := range l.Stack.Computes {
		if d.Binary == computeBinary && !d.enabled() && !d.down() {
			bad = append(bad, at("Service", d.path(), "%s", words.Count(len(on[d.Host]), "server")))
		}
	}
	if len(bad) > 0 {
		_, host, _ := strings.Cut(names(l.told(bad)[:1]), "/")
		l.find(bad, "openstack compute service set --enable "+host+" "+computeBinary+" when its maintenance is over",
			"disabled")
	}
}

// volumeDown finds keepers of volumes that do not report.
func (l *look) volumeDown() {
	var bad []where
	for _, d := range l.Stack.Volumers {
		if d.Binary == volumeBinary && d.down() && d.enabled() {
			bad = append(bad, at("Service", d.path(), ""))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "look at its host and at what keeps its volumes", "does not report to Cinder")
	}
}

// controllers counts the hosts on which Nova's own services run.
func (l *look) controllers() {
	hosts := map[string]bool{}
	var bad []where
	for _, d := range l.Stack.Computes {
		if (d.Binary == "nova-scheduler" || d.Binary == "nova-conductor") && !hosts[d.Host] {
			hosts[d.Host] = true
			bad = append(bad, at("Host", d.Host, ""))
		}
	}
	want := int(facts.Load().Must("hcg.max.controllers/4.0").Value().Number)
	switch {
	case len(hosts) == 0:
		l.notSeen("compute-services: no scheduler and no conductor is in it (list as an administrator)")
	case len(hosts) < want:
		l.find(bad, "add a controller: OpenStack wants three for a quorum of its database, "+
			"Helion OpenStack Carrier Grade two", "%s of Nova's control plane", words.Count(len(hosts), "host"))
	case l.Stack.Rules != nova.Nova && len(hosts) > want:
		l.find(bad, "take the others away", "%s of Nova's control plane: %d are supported", words.Count(len(hosts), "host"),
			want)
	}
}

// virtual are the hypervisors that share their memory among servers; a machine of Ironic is one server's.
func (s *Stack) virtual() []Hypervisor {
	return slices.DeleteFunc(slices.Clone(s.Hypervisors), func(h Hypervisor) bool {
		return strings.EqualFold(h.Type, "ironic")
	})
}

// promised finds hosts whose servers have more memory than they, or more vCPUs for a CPU than is advised.
func (l *look) promised() {
	ratio := facts.Load().Must("hcg.cpu.overcommit").Value().Number
	var bad []where
	for _, h := range l.Stack.virtual() {
		if h.MemoryMB == nil || h.MemoryMBUsed == nil || h.VCPUs == nil || h.VCPUsUsed == nil {
			l.notSeen("hypervisors: %s tells neither its CPUs nor its memory (%s)", called(h.name(), ""), hypervisorList)
			continue
		}
		var notes []string
		if *h.MemoryMBUsed > *h.MemoryMB {
			notes = append(notes, mebibytes(*h.MemoryMBUsed)+" of memory on "+mebibytes(*h.MemoryMB))
		}
		if *h.VCPUsUsed > ratio**h.VCPUs {
			notes = append(notes, words.Count(int(*h.VCPUsUsed), "vCPU")+" on "+words.Count(int(*h.VCPUs), "CPU"))
		}
		if len(notes) > 0 {
			bad = append(bad, at("Hypervisor", called(h.name(), ""), "%s", words.And(notes)))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "move servers to other hosts, or lower ram_allocation_ratio to 1 so that no more come",
			"more was promised than is advised")
	}
}

// hypervisorList tells the CPUs and the memory of hosts, which Nova's later versions of the call do not.
const hypervisorList = "openstack hypervisor list --long --os-compute-api-version 2.87 -f json"

// spareHost finds out that the servers of some host would not all find memory elsewhere. That they would is not
// proven so: place tries it.
func (l *look) spareHost() {
	hosts := l.Stack.virtual()
	switch {
	case len(hosts) == 0:
		l.notApplicable("there is no hypervisor that several servers share")
		return
	case l.Stack.Tried:
		return // and the placement says whether they do
	}
	l.notSeen("%s", cmp.Or(l.Stack.Untried, "whether the servers of any host find room on the others needs their NUMA "+
		"nodes, pages and devices: give the hosts with --scenario"))
	free, all := make([]float64, len(hosts)), 0.0
	for i, h := range hosts {
		if h.MemoryMB == nil || h.MemoryMBUsed == nil || *h.MemoryMBUsed > *h.MemoryMB {
			return // what is free is not told, or memory is overcommitted and is not what bounds servers
		}
		free[i] = *h.MemoryMB - *h.MemoryMBUsed
		all += free[i]
	}
	var bad []where
	for host, list := range l.Stack.onHosts() {
		i := slices.IndexFunc(hosts, func(h Hypervisor) bool { return h.is(host) })
		needed := l.Stack.memoryOf(list)
		if i >= 0 && needed > all-free[i] {
			bad = append(bad, at("Host", called(host, ""), "%s of %s, %s are free elsewhere", mebibytes(needed),
				words.Count(len(list), "server"), mebibytes(all-free[i])))
		}
	}
	slices.SortFunc(bad, func(a, b where) int { return strings.Compare(a.object, b.object) })
	if len(bad) > 0 {
		l.find(bad, "add a host, or take servers away: plimsoll place tells how many are needed",
			"if it fails, its servers don't all find memory on the others")
	}
}

// memoryOf servers, by their flavors, in MiB; of a flavor that is not listed nothing.
func (s *Stack) memoryOf(list []VM) (sum float64) {
	ram := map[string]float64{}
	for _, f := range s.Flavors {
		ram[f.Name] = f.RAM
	}
	for _, v := range list {
		sum += ram[v.Flavor]
	}
	return sum
}

// failedVolumes are what helps volumes in each status of failure.
var failedVolumes = map[string]string{
	"error_deleting": "delete it again: openstack volume delete %[1]s",
	"error_extending": "openstack volume set --state in-use %[1]s where a server has it, else --state available; then " +
		"extend it again",
	"error_restoring": "restore the backup again, to another volume",
	"error_managing":  "openstack volume unset, and manage it again; what keeps it is not touched",
	"error":           "openstack volume show %[1]s; delete it where nobody needs it",
}

// volumeError finds volumes that failed, those of one status together.
func (l *look) volumeError() {
	by := map[string][]where{}
	for _, v := range l.Stack.Volumes {
		if status := strings.ToLower(v.Status); strings.HasPrefix(status, "error") {
			by[status] = append(by[status], at("Volume", called(v.Name, v.ID), ""))
		}
	}
	for _, status := range slices.Sorted(maps.Keys(by)) {
		fix := cmp.Or(failedVolumes[status], "openstack volume show %[1]s tells what failed")
		l.find(by[status], strings.ReplaceAll(fix, "%[1]s", names(l.told(by[status])[:1])), "in %s", status)
	}
}

// mebibytes of memory, for people.
func mebibytes(n float64) string { return unit.FormatBytes(unit.Bytes(n) * unit.MiB) }
