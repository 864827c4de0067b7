package audit

import (
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
	{volumeServiceDown, (*look).volumeDown}, {controllerCount, (*look).controllers}, {hostOvercommit, (*look).promised},
	{hostSpare, (*look).spareHost}, {volumeError, (*look).volumeError}}

const computeBinary = "nova-compute"

// computeDown finds services of Nova that do not report, with what runs on their hosts.
func (l *look) computeDown() {
	on := l.Stack.onHosts()
	var bad []where
	for _, d := range l.Stack.Computes {
		vms := len(on[d.Host])
		switch {
		case !d.down() || !d.enabled() && (vms == 0 || d.Binary != computeBinary):
		case d.Binary == computeBinary && vms > 0:
			bad = append(bad, at("Service", d.path(), "%s", words.Count(vms, "server")))
		default:
			bad = append(bad, at("Service", d.path(), ""))
		}
	}
	if len(bad) > 0 {
		_, host, _ := strings.Cut(names(l.told(bad)[:1]), "/")
		l.find(bad, "look at the host and its nova services; once it is known to be off, openstack server evacuate moves "+
			"the servers of "+host+" to other hosts", "does not report to Nova")
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

// volumeDown finds services of Cinder that do not report.
func (l *look) volumeDown() {
	var bad []where
	for _, d := range l.Stack.Volumers {
		if d.down() && d.enabled() {
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

// promised finds hosts whose servers have more memory than they, or more vCPUs for a CPU than is advised.
func (l *look) promised() {
	ratio := facts.Load().Must("hcg.cpu.overcommit").Value().Number
	told := false
	var bad []where
	for _, h := range l.Stack.Hypervisors {
		if h.MemoryMB == nil || h.MemoryMBUsed == nil || h.VCPUs == nil || h.VCPUsUsed == nil {
			continue
		}
		told = true
		var notes []string
		if *h.MemoryMBUsed > *h.MemoryMB {
			notes = append(notes, mebibytes(*h.MemoryMBUsed)+" of memory on "+mebibytes(*h.MemoryMB))
		}
		if *h.VCPUsUsed > ratio**h.VCPUs {
			notes = append(notes, words.Count(int(*h.VCPUsUsed), "vCPU")+" on "+words.Count(int(*h.VCPUs), "CPU"))
		}
		if len(notes) > 0 {
			bad = append(bad, at("Hypervisor", h.name(), "%s", words.And(notes)))
		}
	}
	switch {
	case !told:
		l.notSeen("hypervisors: this list has no CPUs and no memory (openstack hypervisor list --long " +
			"--os-compute-api-version 2.87 -f json)")
	case len(bad) > 0:
		l.find(bad, "move servers to other hosts, or lower ram_allocation_ratio to 1 so that no more come",
			"more was promised than is advised")
	}
}

// spareHost finds out that the servers of some host would not all find memory elsewhere. That they would is not
// proven so: place tries it.
func (l *look) spareHost() {
	ram := map[string]float64{}
	for _, f := range l.Stack.Flavors {
		ram[f.Name] = f.RAM
	}
	free, all := make([]float64, len(l.Stack.Hypervisors)), 0.0
	for i, h := range l.Stack.Hypervisors {
		if h.MemoryMB == nil || h.MemoryMBUsed == nil {
			l.notSeen("hypervisors: this list has no memory (openstack hypervisor list --long --os-compute-api-version " +
				"2.87 -f json)")
			return
		}
		free[i] = max(0, *h.MemoryMB-*h.MemoryMBUsed)
		all += free[i]
	}
	var bad []where
	for host, list := range l.Stack.onHosts() {
		needed, others := 0.0, all
		for _, v := range list {
			needed += ram[v.Flavor]
		}
		i := slices.IndexFunc(l.Stack.Hypervisors, func(h Hypervisor) bool { return h.is(host) })
		if i >= 0 {
			others -= free[i]
		}
		if needed > others {
			bad = append(bad, at("Host", called(host, ""), "%s of %s, %s are free elsewhere", mebibytes(needed),
				words.Count(len(list), "server"), mebibytes(others)))
		}
	}
	slices.SortFunc(bad, func(a, b where) int { return strings.Compare(a.object, b.object) })
	if len(bad) > 0 {
		l.findAs(v1alpha1.Error, bad, "add a host, or take servers away: plimsoll place tells how many are needed",
			"if it fails, its servers don't all find memory on the others")
		return
	}
	if l.Stack.Tried {
		return // and the placement says whether they do
	}
	l.notSeen("whether the servers of any host find room on the others needs their NUMA nodes, pages and devices: " +
		"give the hosts with --scenario")
}

// volumeError finds volumes that failed.
func (l *look) volumeError() {
	var bad []where
	for _, v := range l.Stack.Volumes {
		if strings.HasPrefix(strings.ToLower(v.Status), "error") {
			bad = append(bad, at("Volume", called(v.Name, v.ID), "%s", v.Status))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "openstack volume show "+names(l.told(bad)[:1])+"; where its data is whole openstack volume set --state "+
			"available, else delete it", "its last change failed")
	}
}

// mebibytes of memory, for people.
func mebibytes(n float64) string { return unit.FormatBytes(unit.Bytes(n) * unit.MiB) }
